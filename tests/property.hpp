// Laws that hold for everything drawn at random. Where CMake finds RapidCheck it draws, and makes what breaks a law
// small; else seeds count up, and a broken law is told with its seed and all that was drawn.
#pragma once
#include <tt/core/philox.hpp>
#include <tt/core/shape.hpp>

#include "catch.hpp"

#include <exception>
#include <functional>
#include <string>
#include <utility>

#ifdef TT_TESTS_RAPIDCHECK
#include <rapidcheck.h>
#endif

namespace tests {

/// The numbers of one case.
class Draw {
 public:
  using Source = std::function<tt::index_t(tt::index_t low, tt::index_t high)>;

  explicit Draw(Source source) : source_(std::move(source)) {}
  explicit Draw(std::uint64_t seed)
      : source_([seed, count = std::uint64_t(0)](tt::index_t low, tt::index_t high) mutable {
          const double u = tt::philox::draw<tt::philox::uniform<double>>(seed, count++);
          return low + tt::index_t(u * double(high - low + 1));
        }) {}

  /// One of low .. high.
  tt::index_t operator()(tt::index_t low, tt::index_t high) {
    const tt::index_t n = source_(low, high);
    drawn_ += ' ' + std::to_string(n);
    return n;
  }
  /// 0 .. n-1 in any order.
  tt::dims order(int n) {
    tt::dims d;
    for (int i = 0; i < n; ++i) d.push_back(i);
    for (int i = n - 1; i > 0; --i) std::swap(d.extent[i], d.extent[(*this)(0, i)]);
    return d;
  }
  /// Some extents with n elements in all.
  tt::dims factors(tt::index_t n) {
    tt::dims d;
    while (n > 1 && d.rank < 4) {
      tt::index_t f = (*this)(1, n);
      while (n % f) --f;
      d.push_back(f);
      n /= f;
    }
    d.push_back(n);
    return d;
  }
  /// `rank` extents of low .. high.
  tt::dims extents(int rank, tt::index_t low, tt::index_t high) {
    tt::dims d;
    for (int i = 0; i < rank; ++i) d.push_back((*this)(low, high));
    return d;
  }
  /// All numbers, in order.
  const std::string& drawn() const { return drawn_; }

 private:
  Source source_;
  std::string drawn_;
};

/// A statement about what was drawn: true where it holds. An exception breaks it.
using Law = std::function<bool(Draw&)>;

/// How the first of `cases` seeds that breaks the law does so, or nothing.
inline std::string broken(const Law& law, std::uint64_t cases) {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    Draw draw(seed);
    std::string fault;
    try {
      if (law(draw)) continue;
    } catch (const std::exception& e) {
      fault = std::string(": ") + e.what();
    }
    return "seed " + std::to_string(seed) + " drew" + draw.drawn() + fault;
  }
  return "";
}

/// A check of Catch2's that the law holds.
inline void check_law(const std::string& name, std::uint64_t cases, const Law& law) {
  INFO(name);
#ifdef TT_TESTS_RAPIDCHECK
  (void)cases;   // RC_PARAMS says how many
  CHECK(rc::check(name, [&] {
    Draw draw([](tt::index_t low, tt::index_t high) { return *rc::gen::inRange(low, high + 1); });
    RC_ASSERT(law(draw));
  }));
#else
  CHECK(broken(law, cases) == "");
#endif
}

}  // namespace tests
