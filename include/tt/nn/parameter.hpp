// Parameters: what optimisers move and files hold. Untyped: dtype and extents are theirs at run time.
#pragma once
#include <tt/core/random.hpp>
#include <tt/core/tensor.hpp>

namespace tt::nn {

namespace detail {
/// How many parameters live on this thread: unlisted() compares it with those that a walk finds.
struct Alive {
  static long& count() {
    static thread_local long n = 0;
    return n;
  }
  Alive() { ++count(); }
  Alive(const Alive&) { ++count(); }
  Alive& operator=(const Alive&) = default;
  ~Alive() { --count(); }
};

/// The order of what a layer makes of an input: parameters track, unless the input is frozen.
constexpr int layer_order(int input) { return input < 0 ? frozen : (std::max)(input, 1); }
}  // namespace detail

/// A value: a copy has elements of its own, a move keeps the storage, so that optimisers stay valid. `a = b` gives a
/// the elements of b in a tensor of its own: an optimiser made for a before must be made anew.
struct Parameter : detail::Alive {
  AnyTensor value;
  bool buffer = false;  ///< saved with the others, but not trained

  Parameter() = default;
  explicit Parameter(AnyTensor t, bool is_buffer = false) : value(std::move(t)), buffer(is_buffer) {
    if (!buffer) value.requires_grad_();
  }
  Parameter(const Parameter& other)
      : Alive(other), value(other.value.defined() ? other.value.copied() : AnyTensor()), buffer(other.buffer) {
    if (other.value.defined() && other.value.requires_grad()) value.requires_grad_();
  }
  Parameter(Parameter&&) noexcept = default;
  Parameter& operator=(Parameter other) noexcept {
    value = std::move(other.value);
    buffer = other.buffer;
    return *this;
  }
  /// The value under static types, for forward(x): of x's dtype, and tracked as a layer of x is.
  template <class ShapeType, expression X>
  auto for_input(const X&) const {
    return value.as<value_t<X>, ShapeType, device_t<X>, detail::layer_order(order_of<X>)>();
  }
};

/// Uniform in [-bound, bound), from the thread's generator: what PyTorch gives a new Linear with bound = 1 / sqrt(in).
TT_NOINLINE inline AnyTensor uniform(const dims& size, double bound) {
  AnyTensor t = AnyTensor::empty(dtype::float32, size);
  auto* p = reinterpret_cast<float*>(t.data_ptr());
  default_generator().fill<philox::uniform<float>>(p, t.numel());
  for (index_t i = 0; i < t.numel(); ++i) p[i] = float(bound) * (2 * p[i] - 1);
  return t;
}

}  // namespace tt::nn
