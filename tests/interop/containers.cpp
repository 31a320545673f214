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
