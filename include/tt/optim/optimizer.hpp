// Optimisers: over erased handles, so that one update is compiled for each dtype, whatever the shapes.
#pragma once
#include <tt/autograd/leaf.hpp>
#include <tt/cpu/simd.hpp>
#include <tt/nn/state.hpp>

namespace tt::optim {

/// What all optimisers share. Parameters stay the module's; moving the module keeps the optimiser valid.
class Optimizer {
 public:
  explicit Optimizer(nn::AnyModule& module) {
    for (nn::Parameter* p : module.parameters()) parameters_.push_back(p->value);
  }
  explicit Optimizer(std::vector<AnyTensor> parameters) : parameters_(std::move(parameters)) {
    for (const AnyTensor& p : parameters_)
      if (!p.defined() || !p.is_leaf() || !p.requires_grad() || !p.is_contiguous())
        fail("tt::optim: a parameter must be a contiguous leaf that requires a gradient");
  }

  Optimizer(Optimizer&&) noexcept = default;  // no copy: it would share the moments and move each parameter twice
  Optimizer& operator=(Optimizer&&) noexcept = default;

  const std::vector<AnyTensor>& parameters() const { return parameters_; }
  /// Drops all gradients; the next backward starts from nothing.
  void zero_grad() {
    for (const AnyTensor& p : parameters_)
      if (p.requires_grad()) p.set_grad({});
  }

 protected:
  /// f(parameter, gradient, position) for every parameter that has one; marks it as changed.
  template <class Function>
  void each(Function&& f) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const AnyTensor& p = parameters_[i];
      LeafNode* leaf = tt::detail::leaf_of(p);
      if (!leaf || !leaf->grad) continue;
      const auto update = [&]<class Number>(Number) {
        f(reinterpret_cast<Number*>(p.data_ptr()), reinterpret_cast<Number*>(leaf->grad->data), p.numel(), i);
      };
      if (p.dtype() == dtype::float32) update(float{});
      else if (p.dtype() == dtype::float64) update(double{});
      else fail({"tt::optim: parameters are float or double, not ", name_of(p.dtype()), ": keep a float copy of those that are narrower"});
      p.bump_version();
    }
  }
  /// A buffer of zeros for each parameter, made at its first use.
  template <class Number>
  Number* state(std::vector<AnyTensor>& of, std::size_t i) const {
    if (of.empty()) of.resize(parameters_.size());
    if (!of[i].defined()) {
      of[i] = AnyTensor::empty(parameters_[i].dtype(), parameters_[i].sizes());
      std::memset(of[i].data_ptr(), 0, std::size_t(of[i].numel()) * sizeof(Number));
    }
    return reinterpret_cast<Number*>(of[i].data_ptr());
  }
  std::vector<AnyTensor> parameters_;
};

namespace detail {
/// f(pointers into the arrays) for each whole packet of n elements; a rest is handed on in a packet of its own.
template <class Number, int Arrays, class Function>
TT_INLINE void packets(Number* const (&array)[Arrays], index_t n, Function&& f) {
  constexpr int width = cpu_kernels::simd<Number>::width;
  index_t i = 0;
  for (; i + width <= n; i += width) {
    Number* at[Arrays];
    for (int k = 0; k < Arrays; ++k) at[k] = array[k] + i;
    f(at);
  }
  if (i == n) return;
  Number rest[Arrays][width]{};
  Number* at[Arrays];
  for (int k = 0; k < Arrays; ++k) std::copy_n(array[k] + i, n - i, at[k] = rest[k]);
  f(at);
  for (int k = 0; k < Arrays; ++k) std::copy_n(rest[k], n - i, array[k] + i);
}
}  // namespace detail

}  // namespace tt::optim
