// Generators: a seed and how many numbers have been drawn. Numbers follow from both alone (core/philox.hpp).
#pragma once
#include <tt/core/philox.hpp>

namespace tt {

namespace detail {
__extension__ typedef unsigned __int128 wide_product;
/// The upper 64 bits of a product: of a random word and a bound, an integer below the bound with a bias below bound / 2^64.
inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  return std::uint64_t((static_cast<wide_product>(a) * b) >> 64);
}
}

/// One stream of random numbers. Not to be shared by threads.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}

  std::uint64_t seed() const { return seed_; }
  /// 32-bit words drawn so far.
  std::uint64_t offset() const { return offset_; }
  /// n numbers of a distribution, in order.
  template <class Distribution>
  void fill(typename Distribution::value_type* out, index_t n) {
    philox::fill<Distribution>(out, n, seed_, pass<Distribution>(n));
  }
  /// Counts n numbers of a distribution as drawn, for who draws them elsewhere.
  /// @return which number of the seed's stream the first one is: philox::draw<Distribution>(seed(), it + i) are they
  template <class Distribution>
  std::uint64_t pass(index_t n) {
    constexpr std::uint64_t words = sizeof(typename Distribution::value_type) / 4;
    const std::uint64_t first = (offset_ + 3) / 4 * 4;  // a new block, so that float and double streams never overlap
    offset_ = first + std::uint64_t(n) * words;
    return first / words;
  }
  /// An integer in [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    std::uint32_t word[2];
    fill<philox::bits>(word, 2);
    const std::uint64_t wide = std::uint64_t{word[0]} << 32 | word[1];
    return detail::high_product(wide, bound);
  }

 private:
  std::uint64_t seed_, offset_ = 0;
};

/// The calling thread's generator, which rand, randn and new layers draw from.
inline Generator& default_generator() {
  static thread_local Generator generator(0);
  return generator;
}
/// Starts the calling thread's generator anew.
inline void manual_seed(std::uint64_t seed) { default_generator() = Generator(seed); }

}  // namespace tt
