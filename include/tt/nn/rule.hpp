// Rules: what a layer says about an input's extents. One constexpr function types the output, words the compile error
// and checks at run time.
#pragma once
#include <tt/nn/module.hpp>

#include <array>

namespace tt::nn {

/// How deep into nested Sequentials a refusal points.
inline constexpr int max_path = 4;

/// The output, or what was wanted instead.
struct ruling {
  bool ok = true;
  dims out, want, have;  ///< want and have where it is not ok; no_extent in `want` stands for anything
  int path[max_path]{};  ///< which layer of which nested Sequential refused
  int depth = 0;
};
constexpr ruling accept(const dims& out) {
  ruling r;
  r.out = out;
  return r;
}
constexpr ruling refuse(const dims& want, const dims& have) {
  ruling r;
  r.ok = false;
  r.want = want;
  r.have = have;
  return r;
}

struct linear_rule {
  index_t in, out;
  constexpr ruling operator()(const dims& x) const {
    dims want = x.rank ? x : dims{no_extent, no_extent}, y = x;
    want[-1] = in;
    if (x.rank == 0 || !fits(x[-1], in)) return refuse(want, x);
    y[-1] = out;
    return accept(y);
  }
};
struct same_rule {
  constexpr ruling operator()(const dims& x) const { return accept(x); }
};

namespace detail {

template <class Layer>
constexpr ruling rule_on(const dims& x) {
  return Layer::rule(x);
}
using rule_function = ruling (*)(const dims&);

/// After a refusal the output is what the expected input would have given, so that later calls raise no second error.
constexpr dims as_expected(const dims& want, rule_function rule) { return rule(repaired(want)).out; }

}  // namespace detail

/// Sequential's rule: a loop, not a recursion.
template <class... Layer>
struct chain_rule {
  constexpr ruling operator()(const dims& x) const {
    constexpr detail::rule_function rules[sizeof...(Layer) + 1] = {&detail::rule_on<Layer>...};
    ruling total = accept(x);
    for (int i = 0; i < int(sizeof...(Layer)); ++i) {
      ruling r = rules[i](total.out);
      if (!r.ok) {
        r.depth = (std::min)(r.depth + 1, max_path);
        for (int d = r.depth - 1; d > 0; --d) r.path[d] = r.path[d - 1];
        r.path[0] = i;
        r.out = detail::as_expected(r.want, rules[i]);
        while (++i < int(sizeof...(Layer))) r.out = rules[i](r.out).out;
        return r;
      }
      total = r;
    }
    return total;
  }
};

namespace error {
template <std::size_t>
struct layer_number {};
}  // namespace error

namespace detail {

template <class Layer, class ShapeType>
struct output_of {
  static constexpr ruling all = Layer::rule(ShapeType::value);
  static constexpr dims value = all.ok || all.depth ? all.out : as_expected(all.want, &rule_on<Layer>);
};
template <class Layer, class ShapeType>
struct wanted_of {
  static constexpr dims value = output_of<Layer, ShapeType>::all.want;
};
template <class Layer, class ShapeType>
struct had_of {
  static constexpr dims value = output_of<Layer, ShapeType>::all.have;
};

template <class...>
struct type_list {};
template <std::size_t Position, class Layer>
struct slot {
  Layer layer;
};
template <std::size_t Position, class Layer>
Layer& slot_at(slot<Position, Layer>& s) {
  return s.layer;
}
template <std::size_t Position, class Layer>
type_list<Layer> type_at(const slot<Position, Layer>*);
/// The layer that a path leads to.
template <class Layer, int... Path>
struct picked {
  using type = Layer;
};
template <class Layer, int First, int... Rest>
struct picked<Layer, First, Rest...> {
  template <class Type>
  static Type only(type_list<Type>);
  using type =
      typename picked<decltype(only(type_at<std::size_t(First)>(static_cast<typename Layer::slots*>(nullptr)))),
                      Rest...>::type;
};
template <class Layer, class ShapeType, std::size_t... At>
auto blame(std::index_sequence<At...>)
    -> tt::error::operands<error::layer_number<std::size_t(output_of<Layer, ShapeType>::all.path[At])>...,
                           typename picked<Layer, output_of<Layer, ShapeType>::all.path[At]...>::type,
                           tt::error::words_t<tt::error::expected, shape_from<wanted_of<Layer, ShapeType>>>,
                           tt::error::words_t<tt::error::got, shape_from<had_of<Layer, ShapeType>>>>;

}  // namespace detail

/// The output's shape as a type: output_shape<Net, Shape<dim("batch"), 64>>.
template <class Layer, class ShapeType>
using output_shape = shape_from<detail::output_of<Layer, ShapeType>>;

template <class Layer, class X>
  requires requires {
    Layer::rule;
    requires !detail::output_of<Layer, shape_t<X>>::all.ok;
  }
struct detail::verdict<Layer, X> {
  using type = decltype(blame<Layer, shape_t<X>>(
      std::make_index_sequence<std::size_t(output_of<Layer, shape_t<X>>::all.depth)>{}));
  using result = Tensor<value_t<X>, output_shape<Layer, shape_t<X>>, device_t<X>, layer_order(order_of<X>)>;
};

}  // namespace tt::nn
