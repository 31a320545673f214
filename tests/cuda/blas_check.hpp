// Random products for tests of cuBLAS, and what they are by a triple loop.
#pragma once
#include <tt/cuda/blas.hpp>

#include "cuda/device_array.hpp"

#include <array>
#include <complex>
#include <optional>
#include <random>

struct Flags {
  bool left_transposed = false, right_transposed = false, left_conjugate = false, right_conjugate = false;
};

template <class T>
inline constexpr bool is_complex_number = tt::is_complex(tt::dtype_of<T>);

/// Operands, results and scales of tests are sums and products of these: eighths from -2 to 2.
template <class T>
T eighths(std::mt19937& random) {
  const auto draw = [&] { return float(int(random() % 33) - 16) / 8; };
  if constexpr (is_complex_number<T>) {
    using real = typename T::value_type;
    const float re = draw(), im = draw();
    return T(real(re), real(im));
  } else {
    return T(draw());
  }
}

/// Matrices on the device, with unused elements between rows and between matrices, which are NaN in operands.
template <class T>
struct Matrices {
  tt::index_t rows, columns, count, row, stride;
  bool transposed, conjugate;
  std::vector<T> values;
  DeviceArray<T> array;

  Matrices(tt::index_t rows_, tt::index_t columns_, bool transposed_, bool conjugate_, tt::index_t count_, bool shared,
           cudaStream_t stream)
      : rows(transposed_ ? columns_ : rows_),
        columns(transposed_ ? rows_ : columns_),
        count(shared ? 1 : count_),
        row(columns + 3),
        stride(shared ? 0 : rows * row + 1),
        transposed(transposed_),
        conjugate(conjugate_),
        values(std::size_t(count * (rows * row + 1)), T(std::numeric_limits<float>::quiet_NaN())),
        array(values, stream) {}

  T* data() const { return array.data(); }
  tt::gpu::GemmOperand<T> operand() const { return {data(), row, transposed, conjugate, stride}; }

  void draw(std::mt19937& random) {
    each([&](T& x) { x = eighths<T>(random); });
  }
  void fill(T value, cudaStream_t stream) {
    each([&](T& x) { x = value; });
    upload(stream);
  }
  void upload(cudaStream_t stream) const {
    tt::gpu::check(cudaMemcpyAsync(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream),
                   "upload");
    tt::gpu::check(cudaStreamSynchronize(stream), "upload");
  }
  std::vector<T> host(cudaStream_t stream) const { return array.host(stream); }

  template <class F>
  void each(F f) {
    for (tt::index_t b = 0; b < count; ++b)
      for (tt::index_t r = 0; r < rows; ++r)
        for (tt::index_t c = 0; c < columns; ++c) f(values[std::size_t(b * stride + r * row + c)]);
  }
  /// Of the matrix as it is multiplied.
  std::complex<double> at(tt::index_t b, tt::index_t r, tt::index_t c) const {
    const T x = values[std::size_t(b * stride + (transposed ? c * row + r : r * row + c))];
    if constexpr (is_complex_number<T>) {
      const std::complex<double> z(x);
      return conjugate ? std::conj(z) : z;
    } else {
      return double(x);
    }
  }
};

/// x, y and z of a product, z drawn too.
template <class T>
struct Product {
  tt::index_t m, n, k, count;
  Matrices<T> x, y, z;

  /// `shared`: 1 and 2 name the operand of which there is only one.
  Product(tt::index_t m_, tt::index_t n_, tt::index_t k_, Flags flags, tt::index_t count_, cudaStream_t stream,
          int shared = 0)
      : m(m_),
        n(n_),
        k(k_),
        count(count_),
        x(m, k, flags.left_transposed, flags.left_conjugate, count, shared == 1, stream),
        y(k, n, flags.right_transposed, flags.right_conjugate, count, shared == 2, stream),
        z(m, n, false, false, count, false, stream) {
    for (T& value : z.values) value = T(77.f);  // must stay between rows
    draw(1, stream);
  }

  void draw(unsigned seed, cudaStream_t stream) {
    std::mt19937 random(seed);
    for (Matrices<T>* matrices : {&x, &y, &z}) {
      matrices->draw(random);
      matrices->upload(stream);
    }
  }

  static tt::gpu::gemm_scale<T> scale(double x) { return tt::gpu::gemm_scale<T>(float(x)); }

  /// All of z, elements between rows too; the first matrix is scaled by `again` afterwards.
  std::vector<T> expected(double alpha, double beta, double again = 1) const {
    std::vector<T> result = z.values;
    for (tt::index_t b = 0; b < count; ++b)
      for (tt::index_t i = 0; i < m; ++i)
        for (tt::index_t j = 0; j < n; ++j) {
          std::complex<double> sum = 0;
          for (tt::index_t l = 0; l < k; ++l) sum += x.at(b, i, l) * y.at(b, l, j);
          sum *= alpha;
          if (beta != 0) sum += beta * z.at(b, i, j);
          T value = rounded(sum);
          if (b == 0 && again != 1) value = rounded(again * number(value));
          result[std::size_t(b * z.stride + i * z.row + j)] = value;
        }
    return result;
  }

 private:
  static std::complex<double> number(T value) {
    if constexpr (is_complex_number<T>) return std::complex<double>(value);
    else return double(value);
  }
  static T rounded(std::complex<double> value) {
    if constexpr (is_complex_number<T>) return T(value);
    else if constexpr (sizeof(T) == 8) return value.real();
    else return T(float(value.real()));
  }
};
