#include <tt/core/message.hpp>
#include <tt/core/shape.hpp>

#include "../catch.hpp"

#include <type_traits>
#include <vector>

using tt::dim;
using tt::dims;
using tt::dyn;
using tt::index_t;
using tt::no_extent;
using tt::Shape;

// ---- names: any ASCII text of 1 to 9 characters, each its own negative number ----

static_assert(dim("a") != dim("b") && dim("ab") != dim("ba") && dim("a") != dim("aa"));
static_assert(dim("batch") < dyn && dim("\177\177\177\177\177\177\177\177\177") < dyn);
static_assert(tt::is_named(dim("batch")) && tt::is_named(dim("\2")));
static_assert(!tt::is_named(dyn) && !tt::is_named(0) && !tt::is_named(7) && !tt::is_named(no_extent));
static_assert(dim("batch") == dim("batch"));

// ---- one extent for two that are meant to be equal, in both orders ----

consteval bool unifies(index_t a, index_t b, index_t both) {
  return tt::unify(a, b) == both && tt::unify(b, a) == both;
}
static_assert(unifies(3, 3, 3) && unifies(0, 0, 0) && unifies(dyn, dyn, dyn));
static_assert(unifies(3, 4, no_extent) && unifies(1, 4, no_extent) && unifies(0, 1, no_extent));
static_assert(unifies(3, dyn, 3) && unifies(0, dyn, 0) && unifies(1, dyn, 1));
static_assert(unifies(dim("n"), dyn, dim("n")) && unifies(dim("n"), dim("n"), dim("n")));
static_assert(unifies(dim("n"), 3, 3) && unifies(dim("n"), 0, 0));
static_assert(unifies(dim("n"), dim("m"), no_extent));

// ---- broadcasting: NumPy's rule, where what is not known yet may still fit ----

consteval bool broadcasts(index_t a, index_t b, index_t both) {
  return tt::broadcast(a, b) == both && tt::broadcast(b, a) == both;
}
static_assert(broadcasts(1, 1, 1) && broadcasts(1, 5, 5) && broadcasts(5, 5, 5) && broadcasts(1, 0, 0));
static_assert(broadcasts(4, 5, no_extent) && broadcasts(0, 2, no_extent));
static_assert(broadcasts(1, dyn, dyn) && broadcasts(5, dyn, 5) && broadcasts(dyn, dyn, dyn));
static_assert(broadcasts(1, dim("n"), dim("n")) && broadcasts(dyn, dim("n"), dim("n")) && broadcasts(dim("n"), 5, 5));
static_assert(broadcasts(dim("n"), dim("m"), no_extent));

static_assert(tt::broadcast(dims{2, 3}, dims{3}) == dims{2, 3} && tt::broadcast(dims{3}, dims{2, 3}) == dims{2, 3});
static_assert(tt::broadcast(dims{2, 1}, dims{1, 3}) == dims{2, 3} && tt::broadcast(dims{}, dims{4}) == dims{4});
static_assert(tt::broadcast(dims{}, dims{}) == dims{} && tt::broadcast(dims{5, 1, 2}, dims{4, 1}) == dims{5, 4, 2});
static_assert(!tt::is_valid(tt::broadcast(dims{2}, dims{3})) && tt::is_valid(tt::broadcast(dims{dyn}, dims{3})));
static_assert(tt::repaired(tt::broadcast(dims{2, 3}, dims{4, 3})) == dims{dyn, 3});

// ---- shapes as types ----

static_assert(Shape<>::rank == 0 && Shape<>::is_static && Shape<2, 3>::rank == 2 && Shape<2, 3>::is_static);
static_assert(!Shape<2, dyn>::is_static && !Shape<dim("n")>::is_static && Shape<0>::is_static);
static_assert(Shape<2, 3>::value == dims{2, 3});
struct holder { static constexpr dims value{4, dyn}; };
static_assert(std::is_same_v<tt::shape_from<holder>, Shape<4, dyn>>);
static_assert(std::is_same_v<tt::dynamic_shape<3>, Shape<dyn, dyn, dyn>> &&
              std::is_same_v<tt::dynamic_shape<0>, Shape<>>);
static_assert(Shape<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>::rank == tt::max_rank);

static_assert(tt::fits(3, 3) && tt::fits(3, dyn) && tt::fits(3, dim("n")) && tt::fits(dyn, 3) && !tt::fits(3, 4));
static_assert(tt::fits(dims{2, 3}, dims{dyn, 3}) && !tt::fits(dims{2, 3}, dims{3}) &&
              !tt::fits(dims{2, 3}, dims{2, 4}));

// A name is stored as a number or anonymously, and the other way round, but never as another name.
static_assert(tt::stores(dims{dim("n")}, dims{dyn}) && tt::stores(dims{dyn}, dims{dim("n")}) &&
              tt::stores(dims{dim("n")}, dims{3}));
static_assert(tt::stores(dims{dim("n")}, dims{dim("n")}) && !tt::stores(dims{dim("n")}, dims{dim("m")}) &&
              !tt::stores(dims{2}, dims{3}));

// ---- what a compiler's note spells ----

static_assert(std::is_same_v<tt::error::words_t<tt::error::got, Shape<2, dyn, dim("ab")>>,
                             tt::error::got<tt::error::extent<2>, tt::error::dynamic, tt::error::axis<'a', 'b'>>>);

// ---- axes ----

static_assert(tt::normal_axis(0, 3) == 0 && tt::normal_axis(2, 3) == 2 && tt::normal_axis(-1, 3) == 2 &&
              tt::normal_axis(-3, 3) == 0);
static_assert(tt::normal_axis(3, 3) == -1 && tt::normal_axis(-4, 3) == -1 && tt::normal_axis(INT64_MAX, 3) == -1);
static_assert(tt::repaired_axis(5, 3) == 0 && tt::repaired_axis(-1, 3) == 2 && tt::repaired_axis(1, 0) == 0);
static_assert(tt::normal_axis(0, 0) == 0 && tt::normal_axis(-1, 0) == 0 && tt::normal_axis(1, 0) == -1);

TEST_CASE("shape: text has names, a question mark for dyn, and brackets for no axes", "[core]") {
  CHECK(tt::to_string(dims{}) == "[]");
  CHECK(tt::to_string(dims{3}) == "[3]");
  CHECK(tt::to_string(dims{3, dyn, dim("batch"), 0}) == "[3, ?, batch, 0]");
  CHECK(tt::to_string(dims{no_extent}) == "[any]");
  CHECK(tt::to_string(dims{dim("123456789"), dim("A"), dim("a b")}) == "[123456789, A, a b]");
}

TEST_CASE("shape: dims compares, counts, grows and counts positions from the end", "[core]") {
  dims d{2, 3};
  CHECK(d == dims{2, 3});
  CHECK_FALSE(d == dims{2, 3, 1});
  CHECK_FALSE(d == dims{2, 4});
  CHECK(d[-1] == 3);
  CHECK(d[0] == 2);
  d.push_back(4);
  CHECK(d.count() == 24);
  CHECK(dims{}.count() == 1);
  CHECK(dims{5, 0}.count() == 0);
  CHECK(dims{dyn, 3}.count() == 3);
  CHECK(std::vector<index_t>(d.begin(), d.end()) == std::vector<index_t>{2, 3, 4});
}

TEST_CASE("shape: more than 16 axes are refused", "[core]") {
  dims d;
  for (int i = 0; i < tt::max_rank; ++i) d.push_back(1);
  CHECK_THROWS_AS(d.push_back(1), tt::Error);
  CHECK_THROWS_WITH((dims{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), Contains("more than 16 axes"));
}

// The rule against a table worked out by NumPy's text: align at the end, equal or one of them 1.
TEST_CASE("shape: broadcasting agrees with the rule spelled out, for all pairs up to three axes of 0..3", "[core]") {
  std::vector<dims> all{dims{}};
  for (std::size_t i = 0; all[i].rank < 3; ++i)
    for (index_t e = 0; e < 4; ++e) {
      dims d = all[i];
      d.push_back(e);
      all.push_back(d);
    }
  const auto at = [](const dims& d, int from_end) { return from_end <= d.rank ? d[-from_end] : 1; };
  int wrong = 0;
  for (const dims& a : all)
    for (const dims& b : all) {
      const dims both = tt::broadcast(a, b);
      bool fits = true;
      for (int i = 1; i <= std::max(a.rank, b.rank); ++i) {
        const index_t x = at(a, i), y = at(b, i);
        if (x != y && x != 1 && y != 1) fits = false;
        else wrong += at(both, i) != (x == 1 ? y : x);
      }
      wrong += both.rank != std::max(a.rank, b.rank);
      wrong += tt::is_valid(both) != fits;
    }
  CHECK(wrong == 0);
}

TEST_CASE("what is no name is printed as a number, and strides always are", "[core]") {
  CHECK(tt::to_string(dims{3, dim("batch"), dim("a b"), dyn}) == "[3, batch, a b, ?]");
  CHECK(tt::to_string(dims{-2, -300, 5}) == "[-2, -300, 5]");
  CHECK(tt::to_string(dims{INT64_MIN + 1}) == "[-9223372036854775807]");
  const dims strides{1, -1, -97};
  CHECK_THROWS_WITH(tt::fail({"strides ", tt::Numbers{strides}}), "strides [1, -1, -97]");
}
