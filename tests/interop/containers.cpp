#include <tt/tensor.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::values;
using tt::dyn;
using tt::Shape;
using list = std::vector<double>;

TEST_CASE("containers: a tensor over memory of somebody else reads and writes it, and ends with its owner",
          "[interop]") {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const auto x = tt::from_blob<Shape<2, 3>>(memory.data());
  CHECK(values(x) == list{1, 2, 3, 4, 5, 6});
  CHECK(values(tt::from_blob<Shape<dyn, 2>>(memory.data(), {3, 2}) * 2) == list{2, 4, 6, 8, 10, 12});
  x += 1;
  CHECK(memory == std::vector<float>{2, 3, 4, 5, 6, 7});
  const auto columns = tt::from_blob<Shape<dyn, 2>>(memory.data(), {3, 2}, {1, 3});  // column-major
  CHECK(values(columns) == list{2, 5, 3, 6, 4, 7});
  CHECK(values(columns + 0) == values(columns));
  int released = 0;
  {
    const auto owned =
        tt::from_blob<Shape<2>>(memory.data() + 4, {2}, [&](float* p) { released += p == memory.data() + 4; });
    const auto view = tt::slice<0>(owned, 1, 2);
    const tt::Tensor copy = owned + 1;
    CHECK(released == 0);
    CHECK(values(view) == list{7});
  }
  CHECK(released == 1);
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn, 2>>(memory.data(), {3, 1})), Contains("[3, 1]"));
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn>>(memory.data() + 5, {6}, {-1})), Contains("negative"));
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn>>(memory.data(), {6}, {1, 1})), Contains("2 strides"));
  CHECK(tt::from_blob<Shape<0, 3>>(static_cast<float*>(nullptr)).numel() == 0);
}

TEST_CASE("containers: a null pointer to elements is refused, and what is refused is not released", "[interop]") {
  float* const null = nullptr;
  int released = 0;
  const auto release = [&](float*) { ++released; };
  CHECK_THROWS_WITH(tt::from_blob<Shape<3>>(null), Contains("[3]") && Contains("null"));
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn, 2>>(null, {3, 2}, {4, 2})), Contains("[3, 2]") && Contains("null"));
  CHECK_THROWS_WITH(tt::from_blob<Shape<dyn>>(null, {3}, release), Contains("null"));
  CHECK_THROWS_WITH(tt::AnyTensor::from_memory(tt::dtype::float32, {}, nullptr), Contains("null"));
  CHECK(tt::from_blob<Shape<dyn, 2>>(null, {0, 2}, {2, 1}).numel() == 0);
  float memory[6]{};
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn, 2>>(&memory[0], {2, 3}, release)), Contains("[2, 3]"));
  CHECK_THROWS_WITH((tt::from_blob<Shape<dyn>>(&memory[0], {-1}, release)), Contains("-1"));
  CHECK(released == 0);
  CHECK(tt::from_blob<Shape<dyn>>(&memory[0], {6}, release).numel() == 6);
  CHECK(released == 1);
}

// Reading such a byte as a bool of C++ is undefined: under UBSan this test ends where anything does.
TEST_CASE("containers: bools of others may be any byte, and all but 0 are true", "[interop]") {
  alignas(64) unsigned char bytes[] = {0, 1, 2, 255, 0, 128};
  const auto x = tt::from_blob<Shape<dyn>>(reinterpret_cast<bool*>(bytes), {6});
  const auto matrix = tt::from_blob<Shape<2, 3>>(reinterpret_cast<bool*>(bytes));
  const list truth{0, 1, 1, 1, 0, 1};
  CHECK(values(tt::to<double>(x)) == truth);
  CHECK(values(tt::to<std::int64_t>(tt::transpose<0, 1>(matrix))) == list{0, 1, 1, 0, 1, 1});
  CHECK(values(~x) == list{1, 0, 0, 0, 1, 0});
  CHECK(values(x & x) == truth);
  CHECK(values(x == true) == truth);
  CHECK(values(tt::where(x, 3., 4.)) == list{4, 3, 3, 3, 4, 3});
  CHECK(tt::eval(tt::sum(x)).item() == 4);
  CHECK(values(tt::sum<0>(matrix)) == list{1, 1, 2});
  CHECK(tt::eval(tt::count_nonzero(x)).item() == 4);
  CHECK((tt::eval(tt::any(x)).item() && !tt::eval(tt::all(x)).item()));
  CHECK(values(tt::cumsum<0>(x)) == list{0, 1, 2, 3, 3, 4});
  CHECK(values(tt::cummax<0>(x).second) == list{0, 1, 2, 3, 3, 5});
  CHECK(values(tt::cummin<0>(x).second) == list{0, 0, 0, 0, 4, 4});
  CHECK(tt::eval(tt::amin(x)).item() == false);
  CHECK(tt::eval(tt::amax<1>(matrix))(1) == true);
  CHECK(tt::eval(tt::argmax(tt::to<std::int64_t>(x))).item() == 1);
  CHECK(values(tt::masked_fill(tt::zeros<double, Shape<6>>(), x, 1)) == truth);
  CHECK(values(tt::index_put(tt::zeros<double, Shape<dyn>>({6}), x, 1)) == truth);
  CHECK(values(tt::to<double>(tt::index_put(x, tt::arange<std::int64_t>(6), x))) == truth);
  const auto none = tt::zeros<bool, Shape<dyn>>({6});
  CHECK(values(tt::to<double>(tt::index_put(none, tt::arange<std::int64_t>(6), x, true))) == truth);
  CHECK(values(tt::to<double>(tt::cat(x, x)))[8] == 1);
  CHECK(tt::to_vector(x) == std::vector<bool>{false, true, true, true, false, true});
  CHECK(tt::to_string(x).find("true") != std::string::npos);
  const auto one = tt::select<0>(x, 2);
  CHECK((one.item() && bool(one) && static_cast<const tt::AnyTensor&>(one).item<int>() == 1));
  const auto own = tt::zeros<bool, Shape<6>>();
  own.copy_(x);
  CHECK(reinterpret_cast<const unsigned char*>(own.data())[3] == 1);  // what kernels write is 0 or 1
  CHECK(tt::equal(own, x));
}

TEST_CASE("containers: std::vector and std::span, in and out", "[interop]") {
  std::vector<double> source{1, 2, 3};
  const auto* const where = source.data();
  const tt::Vector<double> copy(source);
  CHECK_FALSE(copy.data() == where);
  const auto taken = tt::from_vector(std::move(source));
  CHECK(taken.data() == where);  // not copied
  CHECK(values(taken) == list{1, 2, 3});
  CHECK(tt::to_vector(taken * 2) == list{2, 4, 6});
  CHECK(tt::to_vector(tt::from_vector(std::vector<bool>{true, false, true})) == std::vector<bool>{true, false, true});
  const auto m = tests::numbers<float, Shape<dyn, dyn>>({2, 3});
  const tt::Tensor turned = tt::transpose<0, 1>(m);
  CHECK(tt::to_vector(turned) == std::vector<float>{m(0, 0), m(1, 0), m(0, 1), m(1, 1), m(0, 2), m(1, 2)});
  const std::span<float> all = tt::to_span(m);
  all[5] = 7;
  CHECK(m(1, 2) == 7);
  CHECK_THROWS_WITH(tt::to_span(turned), Contains("contiguous()"));
  CHECK_THROWS_AS(tt::to_span(tt::Vector<float>()), tt::Error);
  CHECK(tt::to_span(tt::zeros<float, Shape<0>>()).empty());
  CHECK(tt::to_vector(tt::Scalar<std::int64_t>{4}) == std::vector<std::int64_t>{4});
}

TEST_CASE("memory that is not aligned for its elements is refused", "[interop]") {
  alignas(8) std::byte memory[40]{};
  const auto at = [&](int byte) { return reinterpret_cast<double*>(memory + byte); };
  CHECK_THROWS_WITH((tt::from_blob<Shape<2>>(at(4))), Catch::Matchers::Contains("not aligned for float64"));
  CHECK((tt::from_blob<Shape<2>>(at(8)).numel() == 2));
}
