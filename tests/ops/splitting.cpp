#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::leaf;
using tests::numbers;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using tt::index_t;
using Cube = tt::Shape<dyn, dyn, dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using extents = std::vector<index_t>;

// ---- types of the parts ----

namespace {
const tt::Tensor<float, tt::Shape<5, 6, tt::dim("n")>> typed;
template <index_t... Extents>
using part = tt::Tensor<float, tt::Shape<Extents...>>;
constexpr index_t named = tt::dim("n");
}  // namespace
#define TT_TYPE_OF(expression, ...) static_assert(std::is_same_v<decltype(expression), __VA_ARGS__>)
TT_TYPE_OF(tt::unbind(typed), std::array<part<6, named>, 5>);
TT_TYPE_OF(tt::unbind<-1>(typed), std::vector<part<5, 6>>);
TT_TYPE_OF(tt::unbind(typed, 1), std::vector<part<dyn, dyn>>);
TT_TYPE_OF((tt::split<2, 1>(typed)), std::array<part<5, 2, named>, 3>);
TT_TYPE_OF(tt::split<3>(typed), std::tuple<part<3, 6, named>, part<2, 6, named>>);
TT_TYPE_OF(tt::split<7>(typed), std::array<part<5, 6, named>, 1>);
TT_TYPE_OF((tt::split<3, 2>(typed)), std::vector<part<5, 6, dyn>>);
TT_TYPE_OF(tt::split(typed, 3), std::vector<part<dyn, dyn, dyn>>);
TT_TYPE_OF((tt::split_with_sizes<0, 4, 1>(typed)), std::tuple<part<4, 6, named>, part<1, 6, named>>);
TT_TYPE_OF((tt::split_with_sizes<2, 3, 3>(typed)), std::array<part<5, 6, 3>, 2>);
TT_TYPE_OF(tt::chunk<3>(typed), std::tuple<part<2, 6, named>, part<2, 6, named>, part<1, 6, named>>);
TT_TYPE_OF((tt::chunk<4, 1>(typed)), std::array<part<5, 2, named>, 3>);
TT_TYPE_OF((tt::tensor_split<4, 1>(typed)),
           std::tuple<part<5, 2, named>, part<5, 2, named>, part<5, 1, named>, part<5, 1, named>>);
TT_TYPE_OF((tt::tensor_split<3, 2>(typed)), std::vector<part<5, 6, dyn>>);

namespace {
template <class Views>
extents lengths(const Views& views, int axis = 0) {
  extents n;
  for (const auto& v : views) n.push_back(v.size(axis));
  return n;
}
extents split_up(index_t n, index_t size) { return lengths(tt::split(tt::arange<float>(double(n)), size)); }
extents chunked(index_t n, index_t chunks) { return lengths(tt::chunk(tt::arange<float>(double(n)), chunks)); }
extents sections(index_t n, index_t count) { return lengths(tt::tensor_split(tt::arange<float>(double(n)), count)); }
}  // namespace

TEST_CASE("splitting: how long the parts are", "[ops]") {
  CHECK(split_up(5, 2) == extents{2, 2, 1});
  CHECK(split_up(4, 2) == extents{2, 2});
  CHECK(split_up(3, 100) == extents{3});
  CHECK(split_up(0, 2) == extents{0});
  CHECK(split_up(0, 0) == extents{0});
  CHECK(chunked(10, 4) == extents{3, 3, 3, 1});
  CHECK(chunked(6, 4) == extents{2, 2, 2});
  CHECK(chunked(2, 5) == extents{1, 1});
  CHECK(chunked(0, 3) == extents{0, 0, 0});
  CHECK(sections(10, 4) == extents{3, 3, 2, 2});
  CHECK(sections(2, 4) == extents{1, 1, 0, 0});
  CHECK(sections(0, 2) == extents{0, 0});
  CHECK(lengths(tt::tensor_split(tt::arange<float>(5), {3, 1, -1, 10})) == extents{3, 0, 3, 1, 0});
  CHECK(lengths(tt::tensor_split(tt::arange<float>(5), std::initializer_list<index_t>{})) == extents{5});
  CHECK(lengths(tt::split(tt::arange<float>(5), {1, 0, 4})) == extents{1, 0, 4});
}

TEST_CASE("splitting: typed parts are the parts of the call", "[ops]") {
  const auto x = numbers<float, tt::Shape<5, 6>>({5, 6});
  const auto [top, bottom] = tt::split<3>(x);
  CHECK(tests::same_bits(top, tt::narrow<0, 0, 3>(x)));
  CHECK(tests::same_bits(bottom, tt::narrow<0, 3, 2>(x)));
  const auto compare = [](const auto& a, const std::vector<tt::Tensor<float, Matrix>>& b) {
    std::size_t i = 0;
    const auto one = [&](const auto& part) { CHECK(tests::same_bits(part, b.at(i++))); };
    std::apply([&](const auto&... parts) { (one(parts), ...); }, a);
    CHECK(i == b.size());
  };
  compare(tt::split<2, 1>(x), tt::split(x, 2, 1));
  compare(tt::split_with_sizes<1, 1, 2, 3>(x), tt::split_with_sizes(x, {1, 2, 3}, 1));
  compare(tt::chunk<4>(x), tt::chunk(x, 4));
  compare(tt::tensor_split<4, -1>(x), tt::tensor_split(x, 4, -1));
  compare(tt::tensor_split<7>(x), tt::tensor_split(x, 7));
  const auto rows = tt::unbind(x);
  for (std::size_t i = 0; i < 5; ++i) CHECK(tests::same_bits(rows[i], tt::select<0>(x, index_t(i))));
  CHECK(tests::same_bits(tt::unbind(x, -1).at(4), tt::select<1>(x, 4)));
  CHECK(tt::chunk<3>(tt::zeros<float, tt::Shape<0>>()).size() == 3);
  CHECK(tt::unbind(tt::zeros<float, tt::Shape<0, 2>>()).empty());
  compare(tt::split_with_sizes<0, 3, 2>(numbers<float, Matrix>({5, 6})), tt::split(x, {3, 2}));
}

TEST_CASE("splitting: parts are views, and writing one writes the whole", "[ops]") {
  const auto x = tt::zeros<float, tt::Shape<4, 3>>();
  const unsigned before = x.version();
  for (const auto& row : tt::unbind(x)) row += 1;
  CHECK(x.version() == before + 4);
  CHECK(values(tt::sum(x)) == std::vector<double>{12});
  std::get<1>(tt::split<3>(x)) = 5;
  CHECK((x(3, 2) == 5 && x(2, 2) == 1));
  tt::tensor_split(x, {1}, 1)[0].zero_();
  CHECK(values(x) == std::vector<double>{0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 5, 5});
}

TEST_CASE("splitting: what cannot be split is refused", "[ops]") {
  const auto x = numbers<float, Matrix>({2, 3});
  CHECK_THROWS_WITH(tt::split(x, 0), Contains("axis of 2") && Contains("parts of 0"));
  CHECK_THROWS(tt::split(x, -1));
  CHECK_THROWS_WITH(tt::split(x, {1, 2}), Contains("add up"));
  CHECK_THROWS_WITH(tt::split(x, {3, -1}), Contains("negative"));
  CHECK_THROWS(tt::split(x, {1}));
  CHECK_THROWS(tt::split(x, {INT64_MAX, INT64_MAX, 4}));
  CHECK_THROWS_WITH((tt::split_with_sizes<0, 1, 2>(x)), Contains("add up"));
  CHECK_THROWS_WITH(tt::chunk(x, 0), Contains("0 parts"));
  CHECK_THROWS_WITH(tt::tensor_split(x, 0), Contains("0 parts"));
  CHECK_THROWS_AS(tt::chunk(x, 2, 2), tt::IndexError);
  const tt::AnyTensor none = tt::Scalar<float>{1};
  CHECK_THROWS_WITH(tt::split(none, 1), Contains("without axes"));
  CHECK_THROWS_WITH(tt::chunk(none, 1), Contains("without axes"));
  CHECK_THROWS_WITH(tt::tensor_split(none, 1), Contains("without axes"));
  CHECK_THROWS_WITH(tt::unbind(none), Contains("without axes"));
}

TEST_CASE("splitting: gradients arrive in their part", "[ops]") {
  const auto x = leaf<double, Matrix>({5, 4});
  CHECK(gradcheck([](const auto& a) {
    const auto parts = tt::split(a, 2);
    return parts[0] * parts[1] + sum(parts[2]);
  }, x));
  CHECK(gradcheck([](const auto& a) { return tt::unbind(a, 1)[3] * tt::unbind(a, 1)[0]; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::tensor_split(a, {1, 3}, 1)[1] * tt::chunk(a, 2, 1)[0]; }, x));
}
