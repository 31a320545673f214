// From dtype and rank at run time to a typed tensor.
#pragma once
#include <tt/core/tensor.hpp>

#include <type_traits>
#include <utility>

namespace tt {

namespace detail {
template <class Result, int Rank, class Function>
Result visit_dtype(const AnyTensor& x, Function& f) {
  return visit(x.dtype(), [&]<class Type>(Type) -> Result { return f(x.as<Type, dynamic_shape<Rank>>()); });
}
template <int First, int... More, class Function>
auto visit_ranks(const AnyTensor& x, Function& f) {
  using result = std::invoke_result_t<Function&, Dyn<float, First>>;
  result (*const call[])(const AnyTensor&, Function&) = {visit_dtype<result, First, Function>, visit_dtype<result, More, Function>...};
  constexpr int ranks[] = {First, More...};
  for (int i = 0; i < int(sizeof...(More)) + 1; ++i)
    if (ranks[i] == x.rank()) return call[i](x, f);
  fail({"tt::visit: no function for ", x.rank(), " axes, which the tensor has with the extents ", x.sizes()});
}
template <int... Rank, class Function>
auto visit_any_rank(std::integer_sequence<int, Rank...>, const AnyTensor& x, Function& f) {
  return visit_ranks<Rank...>(x, f);
}
}  // namespace detail

/// f(t) with the elements of x as the tensor that they are, Dyn<Type, Rank>, outside the tape: visit<2>(x, [](const auto& m) {..}).
/// f is compiled for every dtype, and for the ranks that are named; for 0 to 16 where none is. As for std::visit, what it returns
/// is always of one type.
/// @throws Error for a tensor of another rank
template <int... Rank, class Function>
auto visit(const AnyTensor& x, Function&& f) {
  if constexpr (sizeof...(Rank) > 0) return detail::visit_ranks<Rank...>(x, f);
  else return detail::visit_any_rank(std::make_integer_sequence<int, max_rank + 1>(), x, f);
}

}  // namespace tt
