// Creation: tensors from nothing but a dtype, extents and a rule.
#pragma once
#include <tt/dispatch/mode.hpp>
#include <tt/expr/create.hpp>

#include <cmath>

namespace tt::detail {

/// f(tensor) fills a new one.
template <class Fill>
AnyTensor run_create(std::string_view name, dtype type, const dims& size, Fill&& fill) {
  return dispatched({"create", {&name, 1}, {}}, [&] {
    AnyTensor out = AnyTensor::empty(type, size);
    fill(out);
    return out;
  });
}

inline AnyTensor create_full(dtype type, const dims& size, double floating, std::int64_t integer) {
  return run_create("full", type, size, [&](const AnyTensor& out) {
    visit(type, [&]<class Type>(Type) {
      const Type value = is_floating(type) ? Type(floating) : type == dtype::boolean ? Type(floating != 0) : Type(integer);
      std::fill_n(reinterpret_cast<Type*>(out.data_ptr()), out.numel(), value);
    });
  });
}
inline AnyTensor create_zeros(dtype type, const dims& size) {
  return run_create("zeros", type, size, [&](const AnyTensor& out) {
    if (out.numel()) std::memset(out.data_ptr(), 0, std::size_t(out.numel()) * size_of(type));
  });
}

/// start, start + step, .. before end: ceil((end - start) / step) numbers, each start + i * step, so errors do not add up.
inline AnyTensor create_arange(dtype type, double start, double end, double step) {
  if (!(std::isfinite(start) && std::isfinite(end) && std::isfinite(step))) fail("tt::arange: start, end and step must be finite");
  if (step == 0) fail("tt::arange: the step must not be 0");
  if ((end - start) / step < 0) fail("tt::arange: the step leads away from the end");
  const double count = std::ceil((end - start) / step);
  if (count > 1e15) fail("tt::arange: too many elements");
  return run_create("arange", type, {index_t(count)}, [&](const AnyTensor& out) {
    visit(type, [&]<class Type>(Type) {
      auto* p = reinterpret_cast<Type*>(out.data_ptr());
      for (index_t i = 0; i < out.numel(); ++i) {
        if constexpr (std::is_floating_point_v<Type>) p[i] = Type(start + double(i) * step);
        else p[i] = Type(std::int64_t(start) + i * std::int64_t(step));
      }
    });
  });
}

template <template <class> class Distribution>
AnyTensor create_random(std::string_view name, dtype type, const dims& size, Generator& generator) {
  return run_create(name, type, size, [&](const AnyTensor& out) {
    if (type == dtype::float32) generator.fill<Distribution<float>>(reinterpret_cast<float*>(out.data_ptr()), out.numel());
    else if (type == dtype::float64) generator.fill<Distribution<double>>(reinterpret_cast<double*>(out.data_ptr()), out.numel());
    else fail({"tt::", name, ": only floating dtypes have random numbers of this kind, not ", name_of(type)});
  });
}

}  // namespace tt::detail
