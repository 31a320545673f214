// Sequential: layers one after the other.
#pragma once
#include <tt/nn/rule.hpp>

namespace tt::nn {

namespace detail {

/// A value on its way through the layers; `flow >> layer` keeps symbols one layer long.
template <class X>
struct flow {
  X x;
};
template <class X, class Layer>
auto operator>>(flow<X>&& f, Layer& layer) {
  return flow<decltype(layer(std::move(f.x)))>{layer(std::move(f.x))};
}

template <class Positions, class... Layer>
struct slots_of;
template <std::size_t... Position, class... Layer>
struct slots_of<std::index_sequence<Position...>, Layer...> : slot<Position, Layer>... {
  slots_of() = default;
  explicit slots_of(Layer... layers)
    requires(sizeof...(Layer) > 0)
      : slot<Position, Layer>{std::move(layers)}... {}
  void walk([[maybe_unused]] Visitor& v) { (walk_one(v, PositionName(Position), slot_at<Position>(*this)), ...); }
  template <class X>
  auto run(X x) {
    return (flow<X>{std::move(x)} >> ... >> slot_at<Position>(*this)).x;
  }
};

template <class Layer>
inline constexpr bool has_rule = requires { Layer::rule; };
/// A network of the user's own says nothing before it is called, so a chain with one has no rule: each layer checks
/// itself.
template <class... Layer>
struct chained {};
template <class... Layer>
  requires(has_rule<Layer> && ...)
struct chained<Layer...> {
  static constexpr chain_rule<Layer...> rule{};
};

}  // namespace detail

/// nn::Sequential<nn::Linear<64, 32>, nn::ReLU, nn::Linear<32, 10>>, or from values: nn::Sequential(nn::Linear(64, 32),
/// ...). At most 250 layers, clang's limit for a fold.
/// https://pytorch.org/docs/stable/generated/torch.nn.Sequential.html
template <class... Layer>
struct Sequential : AnyModule, Callable<Sequential<Layer...>>, detail::chained<Layer...> {
  static_assert(sizeof...(Layer) <= 250, "tt::nn::Sequential: more than 250 layers: nest several");
  using slots = detail::slots_of<std::index_sequence_for<Layer...>, Layer...>;
  slots layers;

  Sequential() = default;
  explicit Sequential(Layer... l)
    requires(sizeof...(Layer) > 0)
      : layers(std::move(l)...) {}
  void tt_walk(Visitor& v) override { layers.walk(v); }
  template <expression X>
  auto forward(const X& x) {
    return layers.run(x);
  }
};

}  // namespace tt::nn
