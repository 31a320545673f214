// What tests of indexing on the device share: tensors of the host, laid out alike on the device.
#pragma once
#include "cuda/map_check.hpp"

#include <tt/cuda/index_view.hpp>

#include <deque>

namespace tests {

/// The device's side of tensors, as long as it lives.
class Mirror {
 public:
  tt::gpu::DeviceView of(const tt::AnyTensor& t) {
    tt::gpu::DeviceView view{memory_.emplace_back(t).data(), t.dtype(), t.sizes(), {}};
    for (int axis = 0; axis < t.rank(); ++axis) view.stride[axis] = t.stride(axis);
    return view;
  }
  /// Brings back what `of` made of a tensor, which was the n-th.
  void copy_to(const tt::AnyTensor& t, std::size_t n) const { memory_[n].copy_to(t); }

 private:
  std::deque<OnDevice> memory_;
};

/// Indices in [0, end), each some times, as a tensor.
inline tt::AnyTensor indices(const tt::dims& size, tt::index_t end, tt::dtype type = tt::dtype::int64,
                             std::uint64_t seed = 5) {
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype::int64, size);
  for (tt::index_t i = 0; i < t.numel(); ++i)
    reinterpret_cast<std::int64_t*>(t.data_ptr())[i] = number<std::int64_t>(i, 0, double(end), seed);
  return type == tt::dtype::int64 ? t : tt::detail::copied_as(t, type);
}
inline tt::AnyTensor index_of(const tt::dims& size, const std::vector<std::int64_t>& values) {
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype::int64, size);
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int64_t*>(t.data_ptr()));
  return t;
}
/// Test numbers of any dtype.
inline tt::AnyTensor filled(tt::dtype type, const tt::dims& size, double low = -3, double high = 3) {
  const tt::AnyTensor t = tt::AnyTensor::empty(type, size);
  tt::visit(type, [&]<class Stored>(Stored) {
    auto* p = reinterpret_cast<Stored*>(t.data_ptr());
    for (tt::index_t i = 0; i < t.numel(); ++i) {
      if constexpr (tt::is_complex(tt::dtype_of<Stored>)) {
        using Real = typename Stored::value_type;
        p[i] = {number<Real>(2 * i, low, high), number<Real>(2 * i + 1, low, high)};
      } else {
        p[i] = number<Stored>(i, low, high);
      }
    }
  });
  return t;
}

}  // namespace tests
