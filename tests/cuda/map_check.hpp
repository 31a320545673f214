// A map on the device against the same map on the CPU: leaves are copied to the device as they lie in memory, the
// result is copied back.
#pragma once
#include "tensors.hpp"  // a door first: what follows is part of it

#include <tt/cuda/map.hpp>

#include "cuda/device_test.hpp"

#include <optional>

namespace tests {

/// The memory from a tensor's first element to its last on the device, and not a byte more; as far from an address that
/// all dtypes may have as on the host.
class OnDevice {
 public:
  explicit OnDevice(const tt::AnyTensor& t)
      : before_(std::size_t(t.data_ptr() - t.storage()->data) % 16), bytes_(span(t)), memory_(filled(t)) {}

  std::byte* data() const { return memory_.data() + before_; }
  /// Copies the elements, and what lies between them, over the tensor's.
  void copy_to(const tt::AnyTensor& t) const {
    const std::vector<std::byte> bytes = memory_.host();
    if (bytes_) std::memcpy(t.data_ptr(), bytes.data() + before_, bytes_);
  }

 private:
  static std::size_t span(const tt::AnyTensor& t) {
    if (t.numel() == 0) return 0;
    tt::index_t last = 0;
    for (int axis = 0; axis < t.rank(); ++axis) last += (t.size(axis) - 1) * t.stride(axis);
    return std::size_t(last + 1) * tt::size_of(t.dtype());
  }
  std::vector<std::byte> filled(const tt::AnyTensor& t) const {
    std::vector<std::byte> bytes((std::max)(before_ + bytes_, std::size_t(1)));
    if (bytes_) std::memcpy(bytes.data() + before_, t.data_ptr(), bytes_);
    return bytes;
  }

  std::size_t before_, bytes_;
  DeviceArray<std::byte> memory_;
};

/// How far results may be apart. A device joins products and sums in one rounding, and has functions of its own.
enum class Close { exact_on_host, approximate };

template <class Number>
bool close(Number got, Number want, Close how) {
  if constexpr (tt::is_complex(tt::dtype_of<Number>)) {
    return close(got.real(), want.real(), how) && close(got.imag(), want.imag(), how);
  } else if constexpr (!tt::is_floating(tt::dtype_of<Number>)) {
    return got == want;
  } else {
    const double a = double(got), b = double(want);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return std::signbit(a) == std::signbit(b) || how == Close::approximate;
    if (how == Close::exact_on_host && simulated) return false;
    constexpr bool is_half = std::is_same_v<Number, tt::half>;
    constexpr double unit = sizeof(Number) == 8 ? 1e-13 : sizeof(Number) == 4 ? 4e-6 : is_half ? 2e-3 : 2e-2;
    return std::abs(a - b) <= unit * (1 + std::abs(b));
  }
}
/// Compares two tensors of one dtype and shape.
inline void require_close(const tt::AnyTensor& got, const tt::AnyTensor& want, Close how) {
  REQUIRE(got.dtype() == want.dtype());
  REQUIRE(got.sizes() == want.sizes());
  const tt::AnyTensor x = got.packed(), y = want.packed();
  tt::visit(x.dtype(), [&]<class Stored>(Stored) {
    const auto* a = reinterpret_cast<const Stored*>(x.data_ptr());
    const auto* b = reinterpret_cast<const Stored*>(y.data_ptr());
    for (tt::index_t i = 0; i < x.numel(); ++i) {
      if (close(a[i], b[i], how)) continue;
      CAPTURE(i, tt::name_of(x.dtype()), values(x)[std::size_t(i)], values(y)[std::size_t(i)]);
      REQUIRE(close(a[i], b[i], how));
    }
  });
}

/// Few threads, each of which takes several elements.
inline constexpr tt::gpu::MapGrid few_threads{small_sizes_only ? 8 : 32, 3};

/// Program into a tensor `out` of any layout, on the device; on the CPU `kernel` writes into `want`, which is laid out
/// alike.
template <class Program, class Number>
void check_map(const tt::MapKernel& kernel, const tt::detail::Entry* entry, unsigned numbers, const tt::AnyTensor& out,
               const tt::AnyTensor& want, Close how) {
  constexpr int leaves = Program::leaves;
  const tt::detail::Space space{out.sizes()};
  tt::detail::run_map_into(kernel, entry, leaves, space, want, false);
  tt::Strided leaf[leaves];
  std::optional<OnDevice> memory[leaves];
  for (int k = 0; k < leaves; ++k) {
    tt::detail::lower_entry(leaf[k], entry[k], space, kernel.compute);
    if (entry[k].tensor) leaf[k].data = memory[k].emplace(*entry[k].tensor).data();
    REQUIRE((entry[k].tensor == nullptr) == (numbers >> k & 1));
  }
  const OnDevice result(out);
  tt::Region region{space.size, leaves, leaf, {}, nullptr};
  tt::detail::lower_tensor(region.out, out, space);
  region.out.data = result.data();
  tt::gpu::map<Program, Number>(region, numbers, few_threads);
  result.copy_to(out);
  require_close(out, want, how);
}

/// A new tensor whose elements are bytes that no result is made of, `before` elements behind the begin of its storage.
inline tt::AnyTensor unset(tt::dtype type, const tt::dims& size, tt::index_t before) {
  const tt::AnyTensor whole = tt::AnyTensor::empty(type, {size.count() + before});
  const std::size_t bytes = std::size_t(whole.numel()) * tt::size_of(type);
  if (bytes) std::memset(whole.data_ptr(), 0xab, bytes);
  const tt::AnyTensor out(tt::detail::make_body(type, size));
  tt::detail::row_major(size, out.body()->stride);
  out.body()->storage = whole.storage();
  out.body()->data = whole.data_ptr() + before * tt::index_t(tt::size_of(type));
  return out;
}

/// An expression on the device against the CPU, into a new tensor that lies `before` elements off.
template <class E>
void check(const E& e, Close how = Close::exact_on_host, tt::index_t before = 0) {
  in_every_order([&] {
    const tt::detail::Collected<typename E::held_type> collected(e.held);
    const tt::MapKernel& kernel = tt::detail::kernel_for<E>();
    const tt::dims size = tt::detail::iteration_space(collected.entry, E::leaves);
    check_map<tt::prog::forward_program<E>, tt::element_of<E::compute>>(
        kernel, collected.entry, tt::prog::root_numbers<E>, unset(kernel.value, size, before),
        unset(kernel.value, size, before), how);
  });
}

}  // namespace tests
