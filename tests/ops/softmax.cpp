#include <tt/autograd/gradcheck.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::leaf;
using tests::numbers;
using tests::same_bits;
using tests::scattered;
using tests::values;
using tt::dyn;
using tt::gradcheck;
using Matrix = tt::Shape<dyn, dyn>;
using Cube = tt::Shape<dyn, dyn, dyn>;

static_assert(std::is_same_v<tt::shape_t<decltype(tt::softmax<1>(std::declval<tt::Tensor<float, tt::Shape<2, 3>>>()))>,
                             tt::Shape<2, 3>>);

TEST_CASE("softmax: lines of any axis are exp over their sum; log_softmax is its logarithm", "[ops]") {
  const auto plain = numbers<double, Cube>({3, 4, 5});
  for (const auto& x : {plain, scattered(plain)})
    for (int axis = -3; axis < 3; ++axis) {
      const tt::Tensor p = tt::softmax(x, axis), q = tt::log_softmax(x, axis);
      const tt::Tensor e = exp(x), want = e / tt::sum(e, axis, tt::keepdim);
      for (tt::index_t i = 0; i < 3; ++i)
        for (tt::index_t j = 0; j < 4; ++j)
          for (tt::index_t k = 0; k < 5; ++k) {
            CHECK(p(i, j, k) == Approx(want(i, j, k)).epsilon(1e-13));
            CHECK(q(i, j, k) == Approx(std::log(want(i, j, k))).epsilon(1e-12));
          }
    }
  CHECK(same_bits(tt::softmax<1>(plain), tt::softmax(plain, 1)));
  CHECK(same_bits(tt::log_softmax<-1>(plain), tt::log_softmax(plain, 2)));
}

TEST_CASE("softmax: neither overflows nor loses small probabilities", "[ops]") {
  const tt::Tensor<float, tt::Shape<2, 3>> x{{1000, 1001, 1002, -1000, 0, 1000}};
  const auto p = values(tt::softmax<1>(x)), q = values(tt::log_softmax<1>(x));
  CHECK(p[2] == Approx(0.6652409558).epsilon(1e-6));
  CHECK((p[3] == 0 && p[5] == 1));
  CHECK((q[3] == -2000 && q[4] == -1000 && q[5] == 0));
  const float inf = std::numeric_limits<float>::infinity();
  const tt::Tensor<float, tt::Shape<3>> masked{{-inf, 1, 1}};
  CHECK(values(tt::softmax<0>(masked)) == std::vector<double>{0, 0.5, 0.5});
  CHECK(values(tt::log_softmax<0>(masked))[0] == -inf);
  CHECK(std::isnan(values(tt::softmax<0>(tt::full<float, tt::Shape<2>>(-inf)))[0]));
}

TEST_CASE("softmax: of one element, of no lines and of empty lines", "[ops]") {
  CHECK(values(tt::softmax<0>(tt::Scalar<float>{3})) == std::vector<double>{1});
  CHECK(values(tt::log_softmax<1>(numbers<float, Matrix>({4, 1}))) == std::vector<double>(4, 0));
  CHECK(tt::Tensor(tt::softmax<1>(tt::zeros<float, Matrix>({0, 3}))).sizes() == tt::dims{0, 3});
  CHECK(tt::Tensor(tt::softmax<1>(tt::zeros<float, Matrix>({3, 0}))).sizes() == tt::dims{3, 0});
}

TEST_CASE("softmax: gradients along every axis", "[ops]") {
  const auto x = leaf<double, Cube>({2, 3, 4});
  CHECK(gradcheck([](const auto& a) { return tt::softmax<0>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::softmax<1>(a * 2); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::softmax(a, -1) * a; }, x));
  CHECK(gradcheck([](const auto& a) { return tt::log_softmax<0>(a); }, x));
  CHECK(gradcheck([](const auto& a) { return tt::log_softmax<2>(tt::transpose<0, 1>(a)); }, x));
  CHECK(gradcheck([](const auto& a) { return exp(tt::log_softmax(a, 1)); }, x));
}

// ---- cross-entropy ----

namespace {
/// -log softmax at the label of each row, by the definition; 0 for ignored labels.
template <class Scores, class Labels>
std::vector<double> losses(const Scores& scores, const Labels& labels, std::int64_t ignored) {
  const tt::Tensor rows = tt::log_softmax<1>(scores);
  std::vector<double> out;
  for (tt::index_t i = 0; i < labels.numel(); ++i)
    out.push_back(labels(i) == ignored ? 0 : -double(rows(i, labels(i))));
  return out;
}
template <class Number>
void check_losses(tt::index_t n, tt::index_t classes) {
  INFO(n << " rows of " << classes);
  const auto plain = numbers<Number, Matrix>({n, classes}, -8, 8);
  auto labels = numbers<std::int64_t, tt::Shape<dyn>>({n}, 0, double(classes), 3);
  for (tt::index_t i = 1; i < n; i += 3) labels(i) = -100;
  for (const auto& x : {plain, scattered(plain)}) {
    const auto want = losses(plain, labels, -100);
    const auto got = values(tt::cross_entropy<tt::reduction::none>(x, labels));
    double total = 0, counted = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      CHECK(got[i] == Approx(want[i]).epsilon(1e-5).margin(1e-6));
      total += want[i];
      counted += labels(tt::index_t(i)) != -100;
    }
    CHECK(values(tt::cross_entropy<tt::reduction::sum>(x, labels))[0] == Approx(total).epsilon(1e-5));
    CHECK(values(tt::cross_entropy(x, labels))[0] == Approx(total / counted).epsilon(1e-5));
  }
}
}  // namespace

TEST_CASE("cross_entropy: is log_softmax at the labels, for any number of classes", "[ops]") {
  for (tt::index_t classes : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000}) {
    check_losses<float>(5, classes);
    check_losses<double>(4, classes);
  }
}

TEST_CASE("cross_entropy: one row, and further axes after the classes", "[ops]") {
  const auto row = numbers<double, tt::Shape<5>>({5});
  const tt::Tensor<std::int64_t, tt::Shape<>> label{3};
  CHECK(values(tt::cross_entropy(row, label))[0] == Approx(-values(tt::log_softmax<0>(row))[3]));
  const auto scores = numbers<double, tt::Shape<2, 4, 3>>({2, 4, 3});
  const auto labels = numbers<std::int64_t, tt::Shape<2, 3>>({2, 3}, 0, 4, 5);
  const tt::Tensor none = tt::cross_entropy<tt::reduction::none>(scores, labels);
  static_assert(std::is_same_v<tt::shape_t<decltype(none)>, tt::Shape<2, 3>>);
  const tt::Tensor logs = tt::log_softmax<1>(scores);
  for (tt::index_t i = 0; i < 2; ++i)
    for (tt::index_t j = 0; j < 3; ++j) CHECK(none(i, j) == Approx(-logs(i, labels(i, j), j)));
}

TEST_CASE("cross_entropy: large scores, and means over nothing", "[ops]") {
  const tt::Tensor<float, tt::Shape<2, 2>> x{{1000, 0, -1000, 1000}};
  const tt::Tensor<std::int64_t, tt::Shape<2>> labels{{1, 1}}, ignored{{-100, -100}};
  CHECK(values(tt::cross_entropy<tt::reduction::none>(x, labels)) == std::vector<double>{1000, 0});
  CHECK(std::isnan(values(tt::cross_entropy(x, ignored))[0]));
  CHECK(values(tt::cross_entropy<tt::reduction::sum>(x, ignored))[0] == 0);
  CHECK(values(tt::cross_entropy(x, labels, 1)) .size() == 1);
  CHECK(std::isnan(
      values(tt::cross_entropy(tt::zeros<float, Matrix>({0, 3}), tt::zeros<std::int64_t, tt::Shape<dyn>>({0})))[0]));
}

TEST_CASE("cross_entropy: labels outside the classes, or of other extents, are refused", "[ops]") {
  const auto x = numbers<float, Matrix>({2, 3});
  const auto labels = [](std::vector<std::int64_t> v) {
    return tt::Tensor<std::int64_t, tt::Shape<dyn>>({tt::index_t(v.size())}, v);
  };
  CHECK_THROWS_WITH(tt::cross_entropy(x, labels({0, 3})), Contains("label 3") && Contains("3 classes"));
  CHECK_THROWS_AS(tt::cross_entropy(x, labels({-1, 0})), tt::IndexError);
  CHECK_THROWS_WITH(tt::cross_entropy(x, labels({0, 1, 2})), Contains("[3]") && Contains("[2, 3]"));
  const auto deep = numbers<float, Cube>({2, 4, 3});
  CHECK_THROWS_AS(tt::cross_entropy(deep, tt::zeros<std::int64_t, Matrix>({3, 2})),
                  tt::Error);  // as many, but of other axes
  CHECK_NOTHROW(tt::cross_entropy(deep, tt::zeros<std::int64_t, Matrix>({2, 3})));
}

TEST_CASE("cross_entropy: gradients of every reduction, with ignored labels, alone and in an expression", "[ops]") {
  for (tt::index_t classes : {1, 3, 4, 9}) {
    const auto x = leaf<double, Matrix>({4, classes});
    auto labels = numbers<std::int64_t, tt::Shape<dyn>>({4}, 0, double(classes), 3);
    labels(2) = -100;
    using tt::reduction;
    CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy(a, l); }, x, labels));
    CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy<reduction::sum>(a, l); }, x, labels));
    CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy<reduction::none>(a, l); }, x, labels));
    CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy(a * 2, l) + sum(a * a); }, x, labels));
    CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy(a, l) * tt::cross_entropy(a + 1, l); },
                    x, labels));
  }
  const auto deep = leaf<double, Cube>({2, 4, 3});
  const auto labels = numbers<std::int64_t, Matrix>({2, 3}, 0, 4, 5);
  CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy(a, l); }, deep, labels));
  CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy<tt::reduction::none>(a, l); }, deep,
                  labels));
  const auto row = leaf<double, tt::Shape<5>>({5});
  CHECK(gradcheck([](const auto& a, const auto& l) { return tt::cross_entropy(a, l); }, row,
                  tt::Tensor<std::int64_t, tt::Shape<>>{2}));
}
