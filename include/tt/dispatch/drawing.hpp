// New tensors of random numbers, and the buffers that numbers are drawn into.
#pragma once
#include <tt/dispatch/create.hpp>
#include <tt/dispatch/grad_mode.hpp>

namespace tt::detail {

/// 16-bit floats are drawn as float numbers. Uniform ones lose what they cannot hold, so that none is rounded up to 1.
TT_NOINLINE inline void cut_to(dtype type, float* p, index_t n) {
  const float steps = type == dtype::float16 ? 0x1p11f : 0x1p8f;
  for (index_t i = 0; i < n; ++i) p[i] = std::floor(p[i] * steps) / steps;
}

/// A buffer for drawing: the tensor itself where it is a row of float or double, else a new one, which is copied into it.
struct Drawing {
  const AnyTensor& out;
  AnyTensor numbers;

  Drawing(std::string_view name, const AnyTensor& t) : out(t) {
    if (!t.defined()) no_elements(name.data());
    if (!is_floating(t.dtype()))
      fail({"tt::", name, ": only floating dtypes have random numbers of this kind, not ", name_of(t.dtype())});
    if (recording && t.requires_grad())
      fail({"tt::", name, ": what is drawn into a tracked tensor has no derivative: draw into x.detach(), or under no_grad"});
    const bool fits = (t.dtype() == dtype::float32 || t.dtype() == dtype::float64) && t.is_contiguous();
    numbers = fits ? t : AnyTensor::empty(t.dtype() == dtype::float64 ? dtype::float64 : dtype::float32, t.sizes());
  }
  bool wide() const { return numbers.dtype() == dtype::float64; }
  /// f(pointer, count) with a pointer to float or to double.
  template <class Function>
  void each(Function&& f) const {
    if (wide()) f(reinterpret_cast<double*>(numbers.data_ptr()), numbers.numel());
    else f(reinterpret_cast<float*>(numbers.data_ptr()), numbers.numel());
  }
  void finish() const {
    if (numbers.data_ptr() == out.data_ptr()) out.bump_version();
    else copy_elements(out, numbers);
  }
};

template <template <class> class Distribution>
void draw_into(const Drawing& d, Generator& generator) {
  d.each([&]<class Real>(Real* p, index_t n) { generator.fill<Distribution<Real>>(p, n); });
}

template <template <class> class Distribution>
AnyTensor create_random(std::string_view name, dtype type, const dims& size, Generator& generator) {
  return run_create(name, type, size, [&](const AnyTensor& out) {
    const Drawing d(name, out);
    draw_into<Distribution>(d, generator);
    if constexpr (std::is_same_v<Distribution<float>, philox::uniform<float>>)
      if (size_of(type) == 2) cut_to(type, reinterpret_cast<float*>(d.numbers.data_ptr()), out.numel());
    d.finish();
  });
}

/// The same for a dtype that is known: float and double compile no conversion between dtypes.
template <class Type, template <class> class Distribution>
AnyTensor create_drawn(std::string_view name, const dims& size, Generator& generator) {
  if constexpr (std::is_same_v<Type, float> || std::is_same_v<Type, double>)
    return run_create(name, dtype_of<Type>, size, [&](const AnyTensor& out) {
      generator.fill<Distribution<Type>>(reinterpret_cast<Type*>(out.data_ptr()), out.numel());
    });
  else
    return create_random<Distribution>(name, dtype_of<Type>, size, generator);
}

}  // namespace tt::detail

namespace tt {

inline AnyTensor rand(dtype type, const dims& size, Generator& generator) {
  return detail::create_random<philox::uniform>("rand", type, size, generator);
}
inline AnyTensor randn(dtype type, const dims& size, Generator& generator) {
  return detail::create_random<philox::normal>("randn", type, size, generator);
}

}  // namespace tt
