// Optimisers: over erased handles, so that one update is compiled for each dtype, whatever the shapes.
#pragma once
#include <tt/autograd/leaf.hpp>
#include <tt/cpu/simd.hpp>
#include <tt/nn/state.hpp>

#include <span>

namespace tt::optim {

struct SGDOptions;
struct AdamOptions;

namespace detail {

/// A parameter on a device as its step sees it: elements, their gradient, moments.
struct DeviceParameter {
  index_t count;
  std::byte* array[4];
};
/// The steps of parameters on CUDA, all in one go; null until a file that has kernels is part of the program.
struct DeviceSteps {
  void (*sgd)(dtype, std::span<const DeviceParameter>, const SGDOptions&, bool first) = nullptr;
  void (*adam)(dtype, std::span<const DeviceParameter>, const AdamOptions&, double t) = nullptr;
};
inline constinit DeviceSteps device_steps{};

/// Parameters on a device by what one step has in common: their dtype and its number.
class DeviceBatches {
 public:
  void add(dtype type, double t, const DeviceParameter& p) {
    for (Batch& b : batches_)
      if (b.type == type && b.t == t) return b.parameters.push_back(p);
    batches_.push_back({type, t, {p}});
  }
  /// f(dtype, parameters, t)
  template <class Function>
  void each(const Function& f) const {
    for (const Batch& b : batches_) f(b.type, std::span<const DeviceParameter>(b.parameters), b.t);
  }

 private:
  struct Batch {
    dtype type;
    double t;
    std::vector<DeviceParameter> parameters;
  };
  std::vector<Batch> batches_;
};

inline std::byte* bytes(void* p) { return static_cast<std::byte*>(p); }

[[noreturn]] TT_NOINLINE inline void no_device_steps() {
  fail_not_implemented({"tt::optim: no file of the program that includes <tt/optim/cuda.hpp> was compiled by nvcc or clang"});
}

}  // namespace detail

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
  /// f(parameter, gradient, elements, position, where) for every parameter that has a gradient; marks it as changed. Where it
  /// lies on a device, these are addresses there.
  template <class Function>
  void each(Function&& f) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const AnyTensor& p = parameters_[i];
      LeafNode* leaf = tt::detail::leaf_of(p);
      if (!leaf || !leaf->grad) continue;
      const auto update = [&]<class Number>(Number) {
        f(reinterpret_cast<Number*>(p.device_ptr()), reinterpret_cast<Number*>(leaf->grad->data), p.numel(), i, p.memory());
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
    const AnyTensor& p = parameters_[i];
    if (!of[i].defined()) {
      of[i] = AnyTensor::empty(p.dtype(), p.sizes(), p.memory());
      tt::detail::zero_elements(of[i]);
    } else if (of[i].memory() != p.memory()) {  // the module went elsewhere
      of[i] = tt::detail::in_memory(of[i], p.memory());
    }
    return reinterpret_cast<Number*>(of[i].device_ptr());
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
