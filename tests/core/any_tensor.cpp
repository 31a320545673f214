#include <tt/tensor.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::values;
using tt::AnyTensor;
using tt::dims;
using tt::dtype;

namespace {
AnyTensor counting(const dims& size) {
  const AnyTensor t = AnyTensor::empty(dtype::int64, size);
  for (tt::index_t i = 0; i < t.numel(); ++i) reinterpret_cast<std::int64_t*>(t.data_ptr())[i] = i;
  return t;
}
using numbers = std::vector<double>;
}  // namespace

TEST_CASE("any_tensor: copies share elements, clones and packed copies do not", "[core]") {
  const AnyTensor a = counting({2, 3});
  const AnyTensor handle = a, copy = a.copied();
  reinterpret_cast<std::int64_t*>(handle.data_ptr())[1] = 77;
  CHECK(values(a) == numbers{0, 77, 2, 3, 4, 5});
  CHECK(values(copy) == numbers{0, 1, 2, 3, 4, 5});
  CHECK(a.storage() == handle.storage());
  CHECK_FALSE(a.storage() == copy.storage());
  CHECK(a.packed().storage() == a.storage());
  CHECK(a.detach().storage() == a.storage());
}

TEST_CASE("any_tensor: a view sees what is written into its base, and keeps the storage alive", "[core]") {
  AnyTensor view;
  {
    const AnyTensor a = counting({3, 4});
    const tt::index_t stride[] = {4, 2};
    view = a.with_layout({2, 2}, stride, 5);
    CHECK(values(view) == numbers{5, 7, 9, 11});
    reinterpret_cast<std::int64_t*>(a.data_ptr())[7] = -1;
    CHECK(view.storage_offset() == 5);
  }
  CHECK(values(view) == numbers{5, -1, 9, 11});
  CHECK_FALSE(view.is_contiguous());
  CHECK(view.packed().is_contiguous());
}

TEST_CASE("any_tensor: sizes, strides and axes counted from the end", "[core]") {
  const AnyTensor a = counting({2, 3, 5});
  CHECK(a.numel() == 30);
  CHECK(a.rank() == 3);
  CHECK((a.size(0) == 2 && a.size(-1) == 5 && a.size(2) == 5 && a.size(-3) == 2));
  CHECK((a.stride(0) == 15 && a.stride(1) == 5 && a.stride(-1) == 1));
  CHECK_THROWS_AS(a.size(3), tt::IndexError);
  CHECK_THROWS_WITH(a.stride(-4), Contains("axis -4 of a tensor with 3 axes"));
  CHECK_THROWS_AS(counting({}).size(0), tt::IndexError);
  CHECK(counting({}).numel() == 1);
  CHECK(counting({3, 0, 2}).numel() == 0);
}

TEST_CASE("any_tensor: what is contiguous, and what is expanded", "[core]") {
  const AnyTensor a = counting({2, 3});
  const auto layout = [&](const dims& size, std::initializer_list<tt::index_t> stride) {
    return a.with_layout(size, stride.begin(), 0);
  };
  CHECK(layout({2, 3}, {3, 1}).is_contiguous());
  CHECK(layout({1, 3}, {99, 1}).is_contiguous());     // an axis of one element has no stride
  CHECK(layout({3, 1}, {1, 99}).is_contiguous());
  CHECK(layout({0, 3}, {7, 7}).is_contiguous());
  CHECK(layout({}, {}).is_contiguous());
  CHECK_FALSE(layout({3, 2}, {1, 3}).is_contiguous());
  CHECK_FALSE(layout({2, 2}, {3, 1}).is_contiguous());
  CHECK(layout({2, 3}, {0, 1}).is_expanded());
  CHECK_FALSE(layout({1, 3}, {0, 1}).is_expanded());
  CHECK_THROWS_WITH(layout({2, 3}, {0, 1}).copy_(a), Contains("expanded view is read-only"));
}

TEST_CASE("any_tensor: extents that are negative or more than memory are refused", "[core]") {
  const tt::index_t huge = tt::index_t(1) << 40;
  CHECK_THROWS_WITH(AnyTensor::empty(dtype::uint8, {2, -3}), Contains("cannot have an extent"));
  CHECK_THROWS_WITH(AnyTensor::empty(dtype::uint8, {huge, huge}), Contains("more than memory can hold"));
  CHECK_THROWS_WITH(AnyTensor::empty(dtype::uint8, {huge, 0, huge}), Contains("more than memory can hold"));
  CHECK_THROWS_WITH(AnyTensor::empty(dtype::float64, {INT64_MAX}), Contains("more than memory can hold"));
  CHECK_THROWS_WITH(AnyTensor::empty(dtype::float64, {tt::index_t(1) << 45}), Contains("more than memory can hold"));
}

TEST_CASE("any_tensor: memory of others is used in place and released once, after the last view", "[core]") {
  struct owner {
    float elements[4] = {1, 2, 3, 4};
    int released = 0;
  } memory;
  const auto release = [](void*, void* context) { ++static_cast<owner*>(context)->released; };
  AnyTensor view;
  {
    const AnyTensor t = AnyTensor::from_memory(dtype::float32, {2, 2}, memory.elements, release, &memory);
    CHECK(t.data_ptr() == reinterpret_cast<std::byte*>(memory.elements));
    memory.elements[2] = 30;
    CHECK(values(t) == numbers{1, 2, 30, 4});
    const tt::index_t stride[] = {2};
    view = t.with_layout({2}, stride, 1);
  }
  CHECK(memory.released == 0);
  CHECK(values(view) == numbers{2, 4});
  view = {};
  CHECK(memory.released == 1);
  CHECK_THROWS(AnyTensor::from_memory(dtype::float32, {2, -2}, memory.elements, release, &memory));
  CHECK(memory.released == 1);
}

// Kernels work on whole vectors; memory that ends where the tensor does must not be touched beyond.
TEST_CASE("any_tensor: nothing is read or written past the end of another's memory", "[core]") {
  for (tt::index_t n = 1; n < 40; ++n) {
    std::vector<float> in(std::size_t(n), 2.f), out(std::size_t(n) + 32, -1.f);
    std::vector<float> exact(in.begin(), in.end());   // a block of its own: AddressSanitizer sees its end
    const tt::Vector<float> x(AnyTensor::from_memory(dtype::float32, {n}, exact.data()));
    const tt::Vector<float> y = x * x + 1;
    CHECK(values(y) == numbers(std::size_t(n), 5));
    AnyTensor::from_memory(dtype::float32, {n}, out.data()).copy_(y);
    CHECK(std::count(out.begin(), out.end(), -1.f) == 32);
  }
}

TEST_CASE("any_tensor: copy_ writes into a part and leaves its neighbours as they are", "[core]") {
  for (tt::index_t n = 1; n < 20; ++n)
    for (tt::index_t first = 0; first < 3; ++first) {
      const auto base = tests::numbers<float, tt::Shape<tt::dyn>>({24});
      const auto before = values(base);
      const tt::index_t one = 1;
      const AnyTensor part = base.with_layout({n}, &one, first);
      part.copy_(AnyTensor::empty(dtype::float32, {n}).copy_(tt::full<float, tt::Shape<>>(9)));
      auto expected = before;
      std::fill_n(expected.begin() + first, n, 9);
      CHECK(values(base) == expected);
    }
}

TEST_CASE("any_tensor: copy_ converts, broadcasts, counts a version, and copes with overlap", "[core]") {
  const AnyTensor a = counting({6});
  const unsigned version = a.version();
  const tt::index_t one = 1;
  const AnyTensor early = a.with_layout({5}, &one, 0), late = a.with_layout({5}, &one, 1);
  late.copy_(early);
  CHECK(values(a) == numbers{0, 0, 1, 2, 3, 4});
  CHECK(a.version() == version + 1);
  CHECK(late.version() == a.version());
  const AnyTensor m = counting({2, 3});
  m.copy_(tests::numbers<bool, tt::Shape<2, 1>>({2, 1}));
  CHECK_THROWS_WITH(m.copy_(counting({2})), Contains("[2]") && Contains("[2, 3]"));
  CHECK_THROWS_WITH(counting({3}).copy_(m), Contains("do not fit into [3]"));
}

TEST_CASE("any_tensor: item converts the one element, and refuses more or none", "[core]") {
  CHECK(counting({1, 1}).item<double>() == 0);
  CHECK_THROWS_WITH(counting({2}).item<double>(), Contains("[2]") && Contains("not one element"));
  CHECK_THROWS(counting({0}).item<double>());
  CHECK_THROWS_WITH(AnyTensor().item<double>(), Contains("never given elements"));
}

TEST_CASE("any_tensor: as<>() checks dtype and extents", "[core]") {
  const AnyTensor a = counting({2, 3});
  const auto exact = a.as<std::int64_t, tt::Shape<2, 3>>();
  const auto loose = a.as<std::int64_t, tt::Shape<tt::dim("batch"), tt::dyn>>();
  CHECK(exact.storage() == a.storage());
  CHECK(loose(1, 2) == 5);
  CHECK_THROWS_WITH((a.as<float, tt::Shape<2, 3>>()), Contains("int64") && Contains("float32"));
  CHECK_THROWS_WITH((a.as<std::int64_t, tt::Shape<2, 4>>()), Contains("[2, 3]") && Contains("[2, 4]"));
  CHECK_THROWS((a.as<std::int64_t, tt::Shape<6>>()));
}

TEST_CASE("any_tensor: what was never given elements says so, whatever it is asked", "[core]") {
  const AnyTensor none;
  const tt::Vector<float> typed;
  const AnyTensor some = counting({2});
  CHECK_FALSE(none.defined());
  const auto says = [](auto f) { CHECK_THROWS_WITH(f(), Contains("never given elements")); };
  for (const AnyTensor& t : {none, static_cast<const AnyTensor&>(typed)}) {
    says([&] { (void)t.dtype(); });
    says([&] { (void)t.device(); });
    says([&] { (void)t.rank(); });
    says([&] { (void)t.sizes(); });
    says([&] { (void)t.size(0); });
    says([&] { (void)t.stride(0); });
    says([&] { (void)t.strides(); });
    says([&] { (void)t.numel(); });
    says([&] { (void)t.data_ptr(); });
    says([&] { (void)t.storage_offset(); });
    says([&] { (void)t.storage(); });
    says([&] { (void)t.version(); });
    says([&] { t.bump_version(); });
    says([&] { (void)t.node(); });
    says([&] { t.set_node({}); });
    says([&] { (void)t.is_contiguous(); });
    says([&] { (void)t.is_expanded(); });
    says([&] { (void)t.requires_grad(); });
    says([&] { (void)t.is_leaf(); });
    says([&] { t.requires_grad_(); });
    says([&] { (void)t.grad(); });
    says([&] { (void)t.detach(); });
    says([&] { (void)t.with_layout({}, nullptr, 0); });
    says([&] { (void)t.packed(); });
    says([&] { (void)t.copied(); });
    says([&] { t.copy_(some); });
    says([&] { some.copy_(t); });
    says([&] { (void)t.item<float>(); });
  }
  says([&] { (void)typed.data(); });
}
