// Activations as layers, for Sequential and for members of networks.
#pragma once
#include <tt/nn/rule.hpp>
#include <tt/ops/activation.hpp>
#include <tt/ops/hyperbolic.hpp>

namespace tt::nn {

/// max(x, 0).
struct ReLU : AnyModule, Callable<ReLU> {
  static constexpr same_rule rule{};
  template <expression X>
  auto forward(X&& x) const {
    return relu(std::forward<X>(x));
  }
};
struct Tanh : AnyModule, Callable<Tanh> {
  static constexpr same_rule rule{};
  template <expression X>
  auto forward(X&& x) const {
    return tanh(std::forward<X>(x));
  }
};
struct Sigmoid : AnyModule, Callable<Sigmoid> {
  static constexpr same_rule rule{};
  template <expression X>
  auto forward(X&& x) const {
    return sigmoid(std::forward<X>(x));
  }
};

}  // namespace tt::nn
