// Stochastic gradient descent with momentum.
#pragma once
#include <tt/optim/optimizer.hpp>

namespace tt::optim {

struct SGDOptions {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};

/// https://pytorch.org/docs/stable/generated/torch.optim.SGD.html
class SGD : public Optimizer {
 public:
  SGDOptions options;

  /// Of a module, or of tensors: SGD(net, {.lr = 0.1}), SGD({weight, bias}, {.lr = 0.1}).
  template <class Parameters = std::vector<AnyTensor>>
  SGD(Parameters&& parameters, const SGDOptions& o) : Optimizer(std::forward<Parameters>(parameters)), options(o) {
    if (!(o.lr >= 0 && o.momentum >= 0 && o.weight_decay >= 0))
      fail("tt::optim::SGD: lr, momentum and weight_decay must not be negative");
    if (o.nesterov && !(o.momentum > 0 && o.dampening == 0))
      fail("tt::optim::SGD: Nesterov momentum needs a momentum and no dampening");
  }

  /// One pass over every parameter that has a gradient.
  void step() {
    detail::DeviceBatches elsewhere;
    each([&]<class Number>(Number* p, Number* g, index_t n, std::size_t i, const tt::detail::Memory* memory) {
      const bool first = options.momentum != 0 && (momentum_.empty() || !momentum_[i].defined());
      Number* const m = options.momentum != 0 ? state<Number>(momentum_, i) : nullptr;
      if (memory) elsewhere.add(dtype_of<Number>, first, {n, {detail::bytes(p), detail::bytes(g), detail::bytes(m), nullptr}});
      else update(p, g, m, n, first);
    });
    elsewhere.each([this](dtype type, std::span<const detail::DeviceParameter> parameters, double first) {
      if (!detail::device_steps.sgd) detail::no_device_steps();
      detail::device_steps.sgd(type, parameters, options, first != 0);
    });
  }

 private:
  template <class Number>
  TT_NOINLINE void update(Number* p, Number* g, Number* m, index_t n, bool first) const {
    using V = cpu_kernels::simd<Number>;
    const V rate(Number(-options.lr)), decay(Number(options.weight_decay)), sign(Number(options.maximize ? -1 : 1));
    if (!m) {
      Number* const arrays[] = {p, g};
      detail::packets(arrays, n, [&](Number* const* at) {
        const V value = V::load(at[0]);
        (value + rate * (V::load(at[1]) * sign + decay * value)).store(at[0]);
      });
      return;
    }
    const V keep(Number(options.momentum)), take(Number(first ? 1 : 1 - options.dampening));
    const bool nesterov = options.nesterov;
    Number* const arrays[] = {p, g, m};
    detail::packets(arrays, n, [&](Number* const* at) {
      const V value = V::load(at[0]), slope = V::load(at[1]) * sign + decay * value;
      const V velocity = V::load(at[2]) * keep + take * slope;
      velocity.store(at[2]);
      (value + rate * (nesterov ? slope + keep * velocity : velocity)).store(at[0]);
    });
  }
  std::vector<AnyTensor> momentum_;
};

}  // namespace tt::optim
