#include <tt/dlpack.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

#include <memory>

using tests::numbers;
using tests::same_bits;
using tests::values;
using tt::dyn;
using tt::Shape;
namespace dlpack = tt::dlpack;
using list = std::vector<double>;

namespace {

/// A producer as another library would write it: it owns its elements and counts how often it is let go.
template <class Struct>
struct Producer {
  std::vector<float> elements{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> shape, strides;
  Struct managed{};
  int released = 0;

  explicit Producer(std::vector<std::int64_t> extents, std::vector<std::int64_t> steps = {})
      : shape(std::move(extents)), strides(std::move(steps)) {
    managed.manager_ctx = this;
    managed.deleter = [](Struct* self) { ++static_cast<Producer*>(self->manager_ctx)->released; };
    managed.dl_tensor.data = elements.data();
    managed.dl_tensor.device = {dlpack::device_type::cpu, 0};
    managed.dl_tensor.ndim = std::int32_t(shape.size());
    managed.dl_tensor.dtype = {dlpack::type_code::floating, 32, 1};
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.empty() ? nullptr : strides.data();
    if constexpr (requires { managed.version; }) managed.version = {1, 3};
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  auto handle() { return std::unique_ptr<Struct, dlpack::Release<Struct>>(&managed); }
};
using Versioned = Producer<dlpack::ManagedVersioned>;

}  // namespace

TEST_CASE("dlpack: a producer's elements are shared and let go once, when the last tensor is gone", "[interop]") {
  const auto check = []<class Struct>(std::type_identity<Struct>) {
    Producer<Struct> p({2, 3});
    {
      tt::AnyTensor view;
      {
        const auto x = tt::from_dlpack(p.handle()).template as<float, Shape<2, 3>>();
        CHECK(values(x) == list{1, 2, 3, 4, 5, 6});
        x *= 2;
        CHECK(p.elements[5] == 12);
        view = tt::select<0>(x, 1);
      }
      CHECK(p.released == 0);
      CHECK(values(view) == list{8, 10, 12});
    }
    CHECK(p.released == 1);
  };
  check(std::type_identity<dlpack::ManagedVersioned>{});
  check(std::type_identity<dlpack::Managed>{});
}

TEST_CASE("dlpack: strides, offsets, no axes and no elements", "[interop]") {
  Versioned columns({2, 3}, {1, 2}), offset({2}, {2}), single({}), none({0, 3});
  offset.managed.dl_tensor.byte_offset = 8;
  none.managed.dl_tensor.data = nullptr;
  single.managed.dl_tensor.shape = nullptr;
  CHECK(values(tt::from_dlpack(columns.handle())) == list{1, 3, 5, 2, 4, 6});
  CHECK(values(tt::from_dlpack(offset.handle())) == list{3, 5});
  CHECK(values(tt::from_dlpack(single.handle())) == list{1});
  CHECK(tt::from_dlpack(none.handle()).sizes() == tt::dims{0, 3});
  CHECK((columns.released == 1 && offset.released == 1 && single.released == 1 && none.released == 1));
}

TEST_CASE("dlpack: read-only elements are copied and let go", "[interop]") {
  Versioned p({6});
  p.managed.flags = dlpack::flag_read_only;
  const auto x = tt::from_dlpack(p.handle()).as<float, Shape<6>>();
  CHECK(p.released == 1);
  x.fill_(0);
  CHECK(p.elements[0] == 1);
}

TEST_CASE("dlpack: what cannot be read is refused and stays the handle's", "[interop]") {
  const auto refused = [](auto change, const char* why) {
    Versioned p({2, 3}, {3, 1});
    change(p.managed);
    {
      auto handle = p.handle();
      CHECK_THROWS_WITH(tt::from_dlpack(std::move(handle)), Contains(why));
      CHECK(bool(handle));
      CHECK(p.released == 0);
    }
    CHECK(p.released == 1);
  };
  using M = dlpack::ManagedVersioned;
  refused([](M& m) { m.version.major = 2; }, "version 2");
  refused([](M& m) { m.dl_tensor.device.type = dlpack::device_type::cuda; }, "device");
  refused([](M& m) { m.dl_tensor.dtype.bits = 4; }, "4 bits");
  refused([](M& m) { m.dl_tensor.dtype.lanes = 4; }, "4 lanes");
  refused([](M& m) { m.dl_tensor.dtype.code = dlpack::type_code::opaque; }, "code 3");
  refused([](M& m) { m.dl_tensor.ndim = 17; }, "17 axes");
  refused([](M& m) { m.dl_tensor.ndim = -1; }, "-1 axes");
  refused([](M& m) { m.dl_tensor.shape = nullptr; }, "no shape");
  refused([](M& m) { m.dl_tensor.data = nullptr; }, "no elements");
  refused([](M& m) { m.dl_tensor.byte_offset = 2; }, "aligned");
  refused([](M& m) { m.dl_tensor.shape[0] = -2; }, "-2");
  refused([](M& m) { m.dl_tensor.shape[0] = std::int64_t(1) << 60; }, "more than memory");
  refused([](M& m) { m.dl_tensor.strides[0] = std::int64_t(1) << 60; }, "more than memory");
  refused([](M& m) { m.dl_tensor.strides[1] = -1; }, "negative");
  CHECK_THROWS_AS(tt::from_dlpack(dlpack::Handle()), tt::Error);
  CHECK_THROWS_AS(tt::from_dlpack(dlpack::UnversionedHandle()), tt::Error);
}

// Memory runs out at every step of the import in turn: blocks that are held for reuse are all there is.
TEST_CASE("dlpack: the deleter is called once wherever taking the elements over fails", "[interop]") {
  for (std::size_t blocks : {0u, 1u, 2u}) {
    tt::empty_cache();
    {
      float element = 0;
      std::vector<tt::AnyTensor> held(blocks);
      for (tt::AnyTensor& t : held) t = tt::AnyTensor::from_memory(tt::dtype::float32, {1}, &element);
    }
    Versioned p({2, 3}, {3, 1});
    {
      auto handle = p.handle();
      tt::AnyTensor x;
      try {
        const tt::no_alloc_scope closed;
        x = tt::from_dlpack(std::move(handle));
      } catch (const tt::Error&) {
      }
      CHECK(bool(handle) != x.defined());
      CHECK(p.released == 0);
    }
    CHECK(p.released == 1);
  }
}

TEST_CASE("dlpack: bools of any byte are true, but for 0", "[interop]") {
  Versioned p({4});
  unsigned char bytes[] = {0, 1, 2, 255};
  p.managed.dl_tensor.data = bytes;
  p.managed.dl_tensor.dtype = {dlpack::type_code::boolean, 8, 1};
  const auto x = tt::from_dlpack(p.handle()).as<bool, Shape<4>>();
  CHECK(values(tt::to<std::int64_t>(x)) == list{0, 1, 1, 1});
  CHECK(tt::eval(tt::sum(x)).item() == 3);
}

TEST_CASE("dlpack: a consumer sees extents, strides and elements, and keeps them alive", "[interop]") {
  auto base = numbers<double, Shape<dyn, dyn>>({3, 4});
  const auto want = values(tt::transpose<0, 1>(base));
  dlpack::Handle handle = tt::to_dlpack(tt::transpose<0, 1>(base));
  const auto* first = base.data();
  base = {};
  const dlpack::Tensor& t = handle->dl_tensor;
  CHECK((handle->version.major == 1 && handle->flags == 0));
  CHECK((t.data == first && t.byte_offset == 0 && t.ndim == 2));
  CHECK((t.device.type == dlpack::device_type::cpu && t.device.id == 0));
  CHECK((t.dtype.code == dlpack::type_code::floating && t.dtype.bits == 64 && t.dtype.lanes == 1));
  CHECK((t.shape[0] == 4 && t.shape[1] == 3 && t.strides[0] == 1 && t.strides[1] == 4));
  list got;
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      got.push_back(static_cast<double*>(t.data)[i * t.strides[0] + j * t.strides[1]]);
  CHECK(got == want);
  dlpack::ManagedVersioned* raw = handle.release();  // as a consumer takes it
  raw->deleter(raw);
}

TEST_CASE("dlpack: there and back shares the elements, for every dtype", "[interop]") {
  const auto check = []<class Type>(Type) {
    const auto x = numbers<Type, Shape<dyn, dyn>>({2, 3}, -9, 9);
    const tt::AnyTensor versioned = tt::from_dlpack(tt::to_dlpack(x)),
                        old = tt::from_dlpack(tt::to_dlpack_unversioned(x));
    CHECK(same_bits(versioned, x));
    CHECK(same_bits(old, x));
    CHECK((versioned.data_ptr() == tt::AnyTensor(x).data_ptr() && old.data_ptr() == versioned.data_ptr()));
  };
  for (int i = 0; i < tt::dtype_count; ++i) tt::visit(tt::dtype(i), check);
  CHECK(tt::from_dlpack(tt::to_dlpack(tt::zeros<float, Shape<0, 2>>())).sizes() == tt::dims{0, 2});
  CHECK(tt::from_dlpack(tt::to_dlpack(tt::Scalar<std::int64_t>{5})).item<std::int64_t>() == 5);
}

TEST_CASE("dlpack: what must not be written says so, what is tracked is not handed out", "[interop]") {
  const tt::Vector<float> v{1, 2};
  CHECK(tt::to_dlpack(v, true)->flags == dlpack::flag_read_only);
  const auto [rows, columns] = tt::meshgrid(v, v);
  CHECK(tt::to_dlpack(rows)->flags == dlpack::flag_read_only);
  CHECK_THROWS_WITH(tt::to_dlpack(tests::leaf<float, Shape<2>>({2})), Contains("detach()"));
  CHECK_THROWS_AS(tt::to_dlpack(tt::AnyTensor()), tt::Error);
}

// As a dlpack.h of somebody else would declare it.
namespace other {
struct DLTensor {
  void* data;
  struct {
    std::int32_t device_type, device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  struct {
    std::uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
}  // namespace other

TEST_CASE("dlpack: the structures of another header pass as ours", "[interop]") {
  const tt::Vector<float> v{1, 2};
  auto* out = dlpack::release<other::DLManagedTensorVersioned>(tt::to_dlpack(v));
  CHECK((out->version.major == 1 && out->dl_tensor.shape[0] == 2 && out->dl_tensor.dtype.code == 2));
  CHECK(values(tt::from_dlpack(dlpack::adopt(out))) == list{1, 2});
  auto* old = dlpack::release<other::DLManagedTensor>(tt::to_dlpack_unversioned(v));
  CHECK(old->dl_tensor.data == v.data());
  CHECK(values(tt::from_dlpack(dlpack::adopt(old))) == list{1, 2});
}
