// Adam.
#pragma once
#include <tt/optim/optimizer.hpp>

#include <cmath>

namespace tt::optim {

struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool maximize = false;
};

/// Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, with the bias corrections as PyTorch applies them.
/// https://pytorch.org/docs/stable/generated/torch.optim.Adam.html
class Adam : public Optimizer {
 public:
  AdamOptions options;

  /// Of a module, or of tensors: Adam(net, {.lr = 0.1}), Adam({weight, bias}, {.lr = 0.1}).
  template <class Parameters = std::vector<AnyTensor>>
  Adam(Parameters&& parameters, const AdamOptions& o) : Optimizer(std::forward<Parameters>(parameters)), options(o) {
    if (!(o.lr >= 0 && o.eps >= 0 && o.weight_decay >= 0))
      fail("tt::optim::Adam: lr, eps and weight_decay must not be negative");
    if (!(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 >= 0 && o.beta2 < 1))
      fail("tt::optim::Adam: the betas must lie in [0, 1)");
  }

  /// One pass over every parameter that has a gradient.
  void step() {
    steps_.resize(parameters_.size());
    detail::DeviceBatches elsewhere;
    each([&]<class Number>(Number* p, Number* g, index_t n, std::size_t i, const tt::detail::Memory* memory) {
      ++steps_[i];
      Number *const m = state<Number>(mean_, i), *const v = state<Number>(square_, i);
      if (memory) elsewhere.add(dtype_of<Number>, steps_[i], {n, {detail::bytes(p), detail::bytes(g), detail::bytes(m), detail::bytes(v)}});
      else update(p, g, m, v, n, steps_[i]);
    });
    elsewhere.each([this](dtype type, std::span<const detail::DeviceParameter> parameters, double t) {
      if (!detail::device_steps.adam) detail::no_device_steps();
      detail::device_steps.adam(type, parameters, options, t);
    });
  }

 private:
  template <class Number>
  TT_NOINLINE void update(Number* p, Number* g, Number* m, Number* v, index_t n, double t) const {
    using V = cpu_kernels::simd<Number>;
    const double first = 1 - std::pow(options.beta1, t), second = 1 - std::pow(options.beta2, t);
    const V b1(Number(options.beta1)), d1(Number(1 - options.beta1)), b2(Number(options.beta2)),
        d2(Number(1 - options.beta2));
    const V rate(Number(options.lr / first)), root(Number(1 / std::sqrt(second))), eps(Number(options.eps));
    const V decay(Number(options.weight_decay)), sign(Number(options.maximize ? -1 : 1));
    Number* const arrays[] = {p, g, m, v};
    detail::packets(arrays, n, [&](Number* const* at) {
      const V value = V::load(at[0]), slope = V::load(at[1]) * sign + decay * value;
      const V mean = V::load(at[2]) * b1 + slope * d1, square = V::load(at[3]) * b2 + slope * slope * d2;
      mean.store(at[2]);
      square.store(at[3]);
      (value - rate * mean / (sqrt(square) * root + eps)).store(at[0]);
    });
  }
  std::vector<double> steps_;
  std::vector<AnyTensor> mean_, square_;
};

}  // namespace tt::optim
