// Broadcasting said outright: expand, broadcast_to, expand_as, broadcast_tensors, and sum_to_size, which undoes it.
// Expanded views have strides of 0 and are read-only.
#pragma once
#include <tt/ops/reductions.hpp>
#include <tt/ops/views.hpp>

#include <tuple>

namespace tt {

namespace detail {

/// The axes of a shape under those it is asked to have: -1 keeps an extent, 1 grows, new axes come first.
template <class ShapeType, index_t... Extents>
struct expanded_of {
  static constexpr int more = int(sizeof...(Extents)) - ShapeType::rank;
  static constexpr dims raw = [] {
    dims d{Extents...};
    for (int i = 0; more >= 0 && i < d.rank; ++i) {
      const index_t have = i < more ? 1 : ShapeType::value.extent[i - more], want = d.extent[i];
      if (want == -1 && i >= more) d.extent[i] = have;
      else d.extent[i] = want < 0 ? no_extent : have == 1 || have < 0 || have == want ? want : no_extent;
    }
    return d;
  }();
  static constexpr bool valid = more >= 0 && is_valid(raw);
  static constexpr dims value = repaired(raw);
};
template <class From, class To>
struct expanded_as {
  static constexpr dims raw = [] {
    dims d = To::value;
    for (int j = 1; j <= From::rank && j <= To::rank; ++j)
      d[-j] = From::value[-j] == 1 ? d[-j] : unify(d[-j], From::value[-j]);
    return d;
  }();
  static constexpr bool valid = From::rank <= To::rank && is_valid(raw);
  static constexpr dims value = repaired(raw);
};
template <class From, class To, bool Valid>
consteval void check_expands() {
  static_assert(
      Valid || error::extents_do_not_broadcast<
                   error::operands<error::words_t<error::got, From>, error::words_t<error::expected, To>>>,
      "tt::expand: the extents do not expand to these: each must be 1 or stay, -1 keeps it, new axes come first");
}

template <class ShapeType, class... More>
struct joined_shape { using type = ShapeType; };
template <class First, class Second, class... More>
struct joined_shape<First, Second, More...> : joined_shape<broadcast_shape<First, Second>, More...> {};

template <class ShapeType, class... X, std::size_t... At>
auto expand_all(const AnyTensor* x, std::index_sequence<At...>) {
  dims space;
  for (std::size_t i = 0; i < sizeof...(X); ++i) broadcast_into(space, x[i].sizes());
  return std::tuple<view_of<X, ShapeType>...>{view_of<X, ShapeType>(expand_view(x[At], space, tape_of<X>))...};
}

/// The axes that are summed to bring `from` down to `to`: those in front, and those that are 1 there.
constexpr bool sums_to(const dims& from, const dims& to, AxisSet& axes) {
  axes = 0;
  const int more = from.rank - to.rank;
  for (int i = 0; i < from.rank; ++i) {
    const index_t want = i < more ? 1 : to.extent[i - more];
    if (i >= more && (want == from.extent[i] || want < 0 || (from.extent[i] < 0 && want != 1))) continue;
    if (want != 1) return false;
    axes |= AxisSet(1) << i;
  }
  return more >= 0;
}
template <class ShapeType, index_t... Extents>
struct summed_to {
  static constexpr bool valid = [] {
    AxisSet axes = 0;
    return sums_to(ShapeType::value, dims{Extents...}, axes);
  }();
};
template <class ShapeType, expression X>
auto sum_to(const X& x, const dims& to) {
  const auto stored = eval(x);
  AxisSet axes = 0;
  if (!sums_to(stored.sizes(), to, axes)) fail({"tt::sum_to_size: ", stored.sizes(), " is no expansion of ", to});
  using total = Reduce<ops::sum, node_t<std::remove_const_t<decltype(stored)>>, dynamic_shape<rank_of<X>>>;
  check_reduce<ops::sum, X>();
  return view_of<total, ShapeType>(reshape_view(evaluate(total(to_node(stored), axes, true)), to, tape_of<total>));
}

}  // namespace detail

/// Axes of extent 1 repeated, without a copy: expand<5, -1>(x). Read-only.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html
template <index_t... Extents, expression X>
auto expand(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::expanded_of<shape_t<X>, Extents...>;
  detail::check_expands<shape_t<X>, Shape<Extents...>, rule::valid>();
  return detail::view_of<X, shape_from<rule>>(detail::expand_view(evaluate(x), {Extents...}, detail::tape_of<X>));
}
template <expression X, std::size_t Rank>
auto expand(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(Rank >= std::size_t(rank_of<X>), "tt::expand: fewer extents than the tensor has axes");
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::dynamic_view_of<X, int(Rank)>(detail::expand_view(evaluate(x), to, detail::tape_of<X>));
}
template <index_t... Extents, expression X>
auto broadcast_to(const X& x, const place& where = place::current()) {
  return expand<Extents...>(x, where);
}
template <expression X, std::size_t Rank>
auto broadcast_to(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  return expand(x, extents, where);
}
/// x under the extents of another tensor.
template <expression X, expression Y>
auto expand_as(const X& x, const Y& other, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::expanded_as<shape_t<X>, shape_t<Y>>;
  detail::check_expands<shape_t<X>, shape_t<Y>, rule::valid>();
  return detail::view_of<X, shape_from<rule>>(
      detail::expand_view(evaluate(x), evaluate(other).sizes(), detail::tape_of<X>));
}

/// Each operand under the extents that all of them broadcast to: auto [a, b] = broadcast_tensors(x, y).
/// https://pytorch.org/docs/stable/generated/torch.broadcast_tensors.html
template <expression First, expression... X>
auto broadcast_tensors(const First& first, const X&... x) {
  if constexpr (sizeof...(X) == 0) {
    return std::make_tuple(eval(first));
  } else {
    constexpr dims all = [] {
      dims d = shape_t<First>::value;
      ((d = broadcast(d, shape_t<X>::value)), ...);
      return d;
    }();
    static_assert(
        is_valid(all) ||
            error::extents_do_not_broadcast<
                error::operands<error::words_t<error::got, shape_t<First>>, error::words_t<error::got, shape_t<X>>...>>,
        "tt::broadcast_tensors: the extents of the operands do not broadcast: each pair must be equal, or one of them "
        "1");
    using shape = typename detail::joined_shape<shape_t<First>, shape_t<X>...>::type;
    const AnyTensor stored[] = {evaluate(first), evaluate(x)...};
    return detail::expand_all<shape, First, X...>(stored, std::index_sequence_for<First, X...>());
  }
}

/// The sum over the axes that expand() would add or grow, so that the result has these extents. A copy.
/// https://pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html
template <index_t... Extents, expression X>
auto sum_to_size(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(((Extents >= 0) && ...), "tt::sum_to_size: the extents must be numbers");
  static_assert(
      detail::summed_to<shape_t<X>, Extents...>::valid ||
          error::extents_do_not_broadcast<error::operands<error::words_t<error::got, shape_t<X>>,
                                                          error::words_t<error::expected, Shape<Extents...>>>>,
      "tt::sum_to_size: the extents are no expansion of these: each must be equal, or 1 where it is summed");
  return detail::sum_to<Shape<Extents...>>(x, {Extents...});
}
template <expression X, std::size_t Rank>
auto sum_to_size(const X& x, const index_t (&extents)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  dims to;
  for (index_t e : extents) to.push_back(e);
  return detail::sum_to<dynamic_shape<int(Rank)>>(x, to);
}

}  // namespace tt
