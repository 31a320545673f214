// What optimisers do to one element on the device, in the order of operations of tt/optim: x[0] is the parameter, x[1]
// its gradient, then come the moments.
#pragma once
#include <tt/core/config.hpp>

#include <cmath>

namespace tt::gpu {

/// optim::SGD without momentum.
template <class Number>
struct SgdUpdate {
  static constexpr unsigned writes = 0b01;
  Number lr, weight_decay, sign;  ///< sign: -1 to maximise

  TT_HD void operator()(Number* x) const { x[0] -= lr * (x[1] * sign + weight_decay * x[0]); }
};

/// optim::SGD with momentum; x[2] is the velocity. In the first step `take` is 1, later 1 - dampening.
template <class Number>
struct MomentumUpdate {
  static constexpr unsigned writes = 0b101;
  Number lr, weight_decay, sign, momentum, take;
  bool nesterov;

  TT_HD void operator()(Number* x) const {
    const Number slope = x[1] * sign + weight_decay * x[0];
    x[2] = x[2] * momentum + take * slope;
    x[0] -= lr * (nesterov ? slope + momentum * x[2] : x[2]);
  }
};

/// optim::Adam; x[2] is the mean of the gradient, x[3] of its square.
template <class Number>
struct AdamUpdate {
  static constexpr unsigned writes = 0b1101;
  Number beta1, one_minus_beta1, beta2, one_minus_beta2;
  Number rate, root;  ///< lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t)
  Number eps, weight_decay, sign;

  /// Of step t = 1, 2, ..
  static AdamUpdate of_step(double t, double lr, double beta1, double beta2, double eps, double weight_decay,
                            bool maximize) {
    const double rate = lr / (1 - std::pow(beta1, t)), root = 1 / std::sqrt(1 - std::pow(beta2, t));
    return {Number(beta1), Number(1 - beta1), Number(beta2),        Number(1 - beta2),         Number(rate),
            Number(root),  Number(eps),       Number(weight_decay), Number(maximize ? -1 : 1)};
  }
  TT_HD void operator()(Number* x) const {
    const Number slope = x[1] * sign + weight_decay * x[0];
    x[2] = x[2] * beta1 + slope * one_minus_beta1;
    x[3] = x[3] * beta2 + slope * slope * one_minus_beta2;
    x[0] -= rate * x[2] / (std::sqrt(x[3]) * root + eps);
  }
};

}  // namespace tt::gpu
