// An axis shared out among views: unbind, split, chunk, tensor_split. Of an axis with a static extent, and with sizes
// in the template's arguments, the parts are an array where all have one type, else a tuple: auto [a, b] = split<3>(x).
// Otherwise they are a vector.
#pragma once
#include <tt/ops/parts.hpp>

#include <array>
#include <tuple>

namespace tt {

namespace detail {

// Rules say how many parts there are, and where each begins and ends.
/// Parts of Size, the last one of what is left.
template <index_t Extent, index_t Size>
struct parts_of_size {
  static constexpr index_t step = Size > 0 ? Size : 1;
  static constexpr std::size_t count = Extent > 0 ? std::size_t((Extent - 1) / step + 1) : 1;
  static constexpr index_t start(std::size_t i) { return (std::min)(index_t(i) * step, Extent); }
};
template <index_t Extent, index_t Chunks>
struct chunks_of : parts_of_size<Extent, (Extent + Chunks - 1) / Chunks> {
  static constexpr std::size_t count = Extent > 0 ? parts_of_size<Extent, (Extent + Chunks - 1) / Chunks>::count
                                                  : std::size_t(Chunks);
};
template <index_t Extent, index_t Sections>
struct sections_of {
  static constexpr std::size_t count = std::size_t(Sections);
  static constexpr index_t start(std::size_t i) {
    return index_t(i) * (Extent / Sections) + (std::min)(index_t(i), Extent % Sections);
  }
};
template <index_t... Sizes>
struct parts_of_sizes {
  static constexpr std::size_t count = sizeof...(Sizes);
  static constexpr index_t start(std::size_t i) {
    index_t at = 0;
    std::size_t k = 0;
    ((at += k++ < i ? Sizes : 0), ...);
    return at;
  }
};
template <class Rule>
inline constexpr bool parts_alike = [] {
  for (std::size_t i = 1; i < Rule::count; ++i)
    if (Rule::start(i + 1) - Rule::start(i) != Rule::start(1) - Rule::start(0)) return false;
  return true;
}();

template <class Rule, int Axis, expression X, std::size_t... Part>
auto static_parts(const X& x, std::index_sequence<Part...>) {
  const AnyTensor base = evaluate(x);
  constexpr int axis = repaired_axis(Axis, rank_of<X>);
  const auto one = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
    constexpr index_t start = Rule::start(At), length = Rule::start(At + 1) - start;
    using shape = shape_from<with_extent<shape_t<X>, Axis, length>>;
    return view_of<X, shape>(part_view(base, axis, start, length, tape_of<X>));
  };
  if constexpr (parts_alike<Rule>) return std::array{one(std::integral_constant<std::size_t, Part>{})...};
  else return std::make_tuple(one(std::integral_constant<std::size_t, Part>{})...);
}
template <class Rule, int Axis, expression X>
auto static_parts(const X& x) {
  return static_parts<Rule, Axis>(x, std::make_index_sequence<Rule::count>{});
}

/// Views under one type.
template <class View>
std::vector<View> typed_views(std::vector<AnyTensor> views) {
  std::vector<View> typed;
  typed.reserve(views.size());
  for (AnyTensor& v : views) typed.push_back(View(std::move(v)));
  return typed;
}
template <class X, int Axis>
using part_along = view_of<X, shape_from<with_extent<shape_t<X>, Axis, dyn>>>;

}  // namespace detail

/// Each position of an axis, without the axis. https://pytorch.org/docs/stable/generated/torch.unbind.html
template <int Axis = 0, expression X>
auto unbind(const X& x) {
  detail::check_part<X, Axis>();
  using view = detail::view_of<X, shape_from<detail::without_axis<shape_t<X>, Axis>>>;
  auto views = detail::unbind_views(evaluate(x), Axis, detail::tape_of<X>);
  if constexpr (detail::extent_at<X, Axis> >= 0) {
    std::array<view, std::size_t(detail::extent_at<X, Axis>)> typed;
    for (std::size_t i = 0; i < typed.size(); ++i) typed[i] = view(std::move(views[i]));
    return typed;
  } else {
    return detail::typed_views<view>(std::move(views));
  }
}
template <expression X>
auto unbind(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(rank_of<X> >= 1, "tt::unbind: the tensor has no axis");
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X> - 1>>(
      detail::unbind_views(evaluate(x), axis, detail::tape_of<X>));
}

/// Parts of Size positions, the last one of what is left. https://pytorch.org/docs/stable/generated/torch.split.html
template <index_t Size, int Axis = 0, expression X>
auto split(const X& x) {
  detail::check_part<X, Axis>();
  constexpr index_t n = detail::extent_at<X, Axis>;
  static_assert(Size > 0 || (Size == 0 && n == 0), "tt::split: the size of a part must be positive");
  if constexpr (n >= 0) return detail::static_parts<detail::parts_of_size<n, Size>, Axis>(x);
  else
    return detail::typed_views<detail::part_along<X, Axis>>(
        detail::split_views(evaluate(x), Size, Axis, detail::tape_of<X>));
}
template <expression X>
auto split(const X& x, index_t size, int axis = 0, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X>>>(
      detail::split_views(evaluate(x), size, axis, detail::tape_of<X>));
}
/// Parts of these sizes, which must add up to the axis: split_with_sizes<0, 3, 1>(x) cuts axis 0 into 3 and 1.
template <int Axis, index_t... Sizes, expression X>
  requires(sizeof...(Sizes) > 0)
auto split_with_sizes(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  detail::check_part<X, Axis>();
  constexpr index_t n = detail::extent_at<X, Axis>;
  detail::check_inside<n, (((Sizes >= 0) && ...) && (Sizes + ...) == n), Sizes...>();
  if constexpr (n < 0) {
    const index_t sizes[] = {Sizes...};  // the last part alone would not notice that the axis is longer
    (void)detail::split_views(evaluate(x), sizes, Axis, nullptr);
  }
  return detail::static_parts<detail::parts_of_sizes<Sizes...>, Axis>(x);
}
template <expression X>
auto split_with_sizes(const X& x, std::span<const index_t> sizes, int axis = 0, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X>>>(
      detail::split_views(evaluate(x), sizes, axis, detail::tape_of<X>));
}
template <expression X>
auto split_with_sizes(const X& x, std::initializer_list<index_t> sizes, int axis = 0,
                      const place& where = place::current()) {
  return split_with_sizes(x, std::span<const index_t>(sizes.begin(), sizes.size()), axis, where);
}
/// As split_with_sizes().
template <expression X>
auto split(const X& x, std::initializer_list<index_t> sizes, int axis = 0, const place& where = place::current()) {
  return split_with_sizes(x, sizes, axis, where);
}

/// At most Chunks parts of equal size, the last one smaller. https://pytorch.org/docs/stable/generated/torch.chunk.html
template <index_t Chunks, int Axis = 0, expression X>
auto chunk(const X& x) {
  detail::check_part<X, Axis>();
  static_assert(Chunks > 0, "tt::chunk: the number of parts must be positive");
  constexpr index_t n = detail::extent_at<X, Axis>;
  if constexpr (n >= 0) return detail::static_parts<detail::chunks_of<n, (std::max)(Chunks, index_t(1))>, Axis>(x);
  else
    return detail::typed_views<detail::part_along<X, Axis>>(
        detail::chunk_views(evaluate(x), Chunks, Axis, detail::tape_of<X>));
}
template <expression X>
auto chunk(const X& x, index_t chunks, int axis = 0, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X>>>(
      detail::chunk_views(evaluate(x), chunks, axis, detail::tape_of<X>));
}

/// Exactly Sections parts, the first ones longer by one where the axis does not divide.
/// https://pytorch.org/docs/stable/generated/torch.tensor_split.html
template <index_t Sections, int Axis = 0, expression X>
auto tensor_split(const X& x) {
  detail::check_part<X, Axis>();
  static_assert(Sections > 0, "tt::tensor_split: the number of parts must be positive");
  constexpr index_t n = detail::extent_at<X, Axis>;
  if constexpr (n >= 0) return detail::static_parts<detail::sections_of<n, (std::max)(Sections, index_t(1))>, Axis>(x);
  else
    return detail::typed_views<detail::part_along<X, Axis>>(
        detail::tensor_split_views(evaluate(x), Sections, Axis, detail::tape_of<X>));
}
template <expression X>
auto tensor_split(const X& x, index_t sections, int axis = 0, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X>>>(
      detail::tensor_split_views(evaluate(x), sections, axis, detail::tape_of<X>));
}
/// Cut before each of these positions.
template <expression X>
auto tensor_split(const X& x, std::span<const index_t> at, int axis = 0, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::typed_views<detail::dynamic_view_of<X, rank_of<X>>>(
      detail::tensor_split_views(evaluate(x), at, axis, detail::tape_of<X>));
}
template <expression X>
auto tensor_split(const X& x, std::initializer_list<index_t> at, int axis = 0, const place& where = place::current()) {
  return tensor_split(x, std::span<const index_t>(at.begin(), at.size()), axis, where);
}

}  // namespace tt
