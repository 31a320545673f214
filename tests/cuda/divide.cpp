// Division by a fixed number, and offsets of elements, on the host and in a kernel.
#include <tt/cuda/divide.hpp>

#include "cuda/device_test.hpp"

#include <random>

using tt::dims;
using tt::index_t;
using tt::gpu::Axes;
using tt::gpu::Divisor;

namespace {

constexpr index_t limit = index_t(1) << 31;

/// Small numbers, those around powers of two, the largest, and some between.
std::vector<index_t> interesting() {
  std::vector<index_t> numbers;
  for (index_t n = 1; n <= 300; ++n) numbers.push_back(n);
  for (int k = 9; k <= 31; ++k)
    for (index_t n = (index_t(1) << k) - 3; n <= (index_t(1) << k) + 3; ++n)
      if (n < limit) numbers.push_back(n);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) numbers.push_back(1 + index_t(random() % (limit - 1)) >> random() % 31 | 1);
  return numbers;
}

bool divides(const Divisor<std::uint32_t>& divisor, index_t d, index_t n) {
  const auto got = divisor.divide(std::uint32_t(n));
  return got.quotient == n / d && got.rest == n % d;
}

/// A space with the strides of two operands.
struct Layout {
  dims size;
  index_t stride[2][tt::max_rank];

  template <class Index>
  Axes<Index, 2> axes() const {
    Axes<Index, 2> to;
    to.rank = size.rank;
    for (int axis = 0; axis < size.rank; ++axis) {
      to.extent[axis] = Divisor<Index>(size.extent[axis]);
      for (int k = 0; k < 2; ++k) to.stride[axis][k] = typename Axes<Index, 2>::Offset(stride[k][axis]);
    }
    return to;
  }
  index_t offset(index_t i, int k) const {
    index_t sum = 0;
    for (int axis = size.rank - 1; axis >= 0; --axis) {
      sum += i % size.extent[axis] * stride[k][axis];
      i /= size.extent[axis];
    }
    return sum;
  }
};

Layout random_layout(int rank, std::mt19937& random) {
  Layout layout;
  for (int axis = 0; axis < rank; ++axis) {
    layout.size.push_back(1 + index_t(random() % (rank > 6 ? 2 : 7)));
    for (int k = 0; k < 2; ++k) layout.stride[k][axis] = random() % 4 ? index_t(random() % 100) - 20 : 0;
  }
  return layout;
}

template <class Index>
__global__ void locate(Axes<Index, 2> axes, std::make_signed_t<Index>* to, Index n) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) axes.locate(i, to + 2 * i);
}

}  // namespace

TEST_CASE("n / d and n % d for all d and n that are likely to be wrong", "[cuda]") {
  const auto numbers = interesting();
  for (const index_t d : numbers) {
    const Divisor<std::uint32_t> divisor(d);
    CAPTURE(d);
    bool right = divides(divisor, d, 0) && divides(divisor, d, limit - 1);
    for (const index_t n : numbers) right = right && divides(divisor, d, n);
    const index_t most = (limit - 1) / d;  // around multiples of d, small ones and the largest
    for (const index_t factor : {index_t(1), index_t(2), index_t(3), most / 2, most - 1, most})
      for (index_t n = factor * d - 1; n <= factor * d + 1; ++n)
        if (n >= 0 && n < limit) right = right && divides(divisor, d, n);
    REQUIRE(right);
  }
}

TEST_CASE("each element's offset, in 32 and 64 bits", "[cuda]") {
  std::mt19937 random(5);
  for (int rank = 1; rank <= tt::max_rank; ++rank) {
    const Layout layout = random_layout(rank, random);
    const auto narrow = layout.axes<std::uint32_t>();
    const auto wide = layout.axes<std::uint64_t>();
    const index_t n = layout.size.count(), step = 1 + n / 500;
    for (index_t i = 0; i < n; i += step) {
      std::int32_t offset[2];
      std::int64_t wide_offset[2];
      narrow.locate(std::uint32_t(i), offset);
      wide.locate(std::uint64_t(i), wide_offset);
      for (int k = 0; k < 2; ++k) {
        REQUIRE(offset[k] == layout.offset(i, k));
        REQUIRE(wide_offset[k] == layout.offset(i, k));
      }
    }
  }
}

TEST_CASE("a kernel finds the same offsets", "[cuda]") {
  in_every_order([] {
    std::mt19937 random(9);
    for (const int rank : {1, 3, 8}) {
      const Layout layout = random_layout(rank, random);
      const index_t n = layout.size.count();
      const auto check = [&]<class Index>(Index) {
        using Offset = std::make_signed_t<Index>;
        const DeviceArray<Offset> out(std::vector<Offset>(std::size_t(2 * n), Offset(-1)));
        const unsigned blocks = unsigned(n / 32 + 1);
        tt::gpu::launch(locate<Index>, blocks, 32, 0, nullptr, layout.axes<Index>(), out.data(), Index(n));
        const auto got = out.host();
        for (index_t i = 0; i < n; ++i)
          for (int k = 0; k < 2; ++k) REQUIRE(got[std::size_t(2 * i + k)] == layout.offset(i, k));
      };
      check(std::uint32_t{});
      check(std::uint64_t{});
    }
  });
}

TEST_CASE("32 bits serve where all indices and offsets are below 2^31", "[cuda]") {
  const auto fits = [](dims size, std::vector<index_t> strides) {
    const index_t* stride[] = {strides.data()};
    return tt::gpu::fits_32_bits(size, stride, 1);
  };
  CHECK(fits({limit - 1}, {1}));
  CHECK(!fits({limit}, {0}));
  CHECK(!fits({1 << 16, 1 << 15}, {1 << 15, 1}));
  CHECK(fits({2, 2}, {limit - 2, 1}));
  CHECK(!fits({2, 2}, {limit - 1, 1}));
  CHECK(!fits({2, 2}, {-(limit - 1), 1}));
  CHECK(!fits({1, 2}, {limit, 1}));
}
