// Tensors on the device against tensors on the CPU.
#pragma once
#include <tt/cuda.hpp>

#include "cuda/device_test.hpp"
#include "tensors.hpp"

namespace tests {

template <class T>
using OnCpu = tt::Tensor<T, tt::Shape<tt::dyn, tt::dyn>>;
template <class T>
using OnCuda = tt::Tensor<T, tt::Shape<tt::dyn, tt::dyn>, tt::cuda>;

/// -0, 0.25, -0.5, 0.75, ..
template <class T = float>
OnCpu<T> numbers(tt::index_t rows, tt::index_t columns) {
  OnCpu<T> x(tt::dims{rows, columns});
  for (tt::index_t i = 0; i < rows * columns; ++i) x.data()[i] = T((i % 2 ? 0.25 : -0.25) * double(i % 23));
  return x;
}

/// The same dtype, extents and, but for rounding, elements.
inline void require_near(const tt::AnyTensor& got, const tt::AnyTensor& want) {
  REQUIRE(got.device() == tt::device::cuda);
  REQUIRE(got.dtype() == want.dtype());
  REQUIRE(got.sizes() == want.sizes());
  const std::vector<double> a = values(got.on_host()), b = values(want.on_host());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i, a[i], b[i]);
    REQUIRE(std::abs(a[i] - b[i]) <= 1e-5 * (1 + std::abs(b[i])));
  }
}

}  // namespace tests
