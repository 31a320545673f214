// Between tensors and what else holds elements: memory of somebody else, std::vector, std::span.
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/ops/creation.hpp>

#include <concepts>
#include <vector>

namespace tt {

namespace detail {
/// A view of foreign memory with strides of its own, whose owner ends with the last tensor.
inline AnyTensor strided_memory(dtype type, const dims& size, void* data, const index_t* stride,
                                void (*release)(void*, void*) = nullptr, void* owner = nullptr) {
  index_t packed[max_rank], span = row_major(size, packed) > 0;
  bool overflow = false;
  for (int i = 0; span && i < size.rank; ++i) {
    if (stride[i] < 0) fail("tt: foreign memory must be given by its first element: a stride is negative");
    index_t reach;
    overflow |= __builtin_mul_overflow(size.extent[i] - 1, stride[i], &reach);
    overflow |= __builtin_add_overflow(span, reach, &span);
  }
  if (overflow || span > index_t(1) << 42)
    fail({"tt: extents ", size, " with these strides are more than memory can hold"});
  AnyTensor out(make_body(type, size));
  std::copy_n(stride, size.rank, out.body()->stride);
  take_memory(*out.body(), span, data, release, owner);
  return out;
}
template <class Type, class ShapeType>
Tensor<Type, ShapeType> over_memory(Type* data, const dims& size, const index_t* stride) {
  check_face(dtype_of<Type>, size, dtype_of<Type>, ShapeType::value);
  return Tensor<Type, ShapeType>(strided_memory(dtype_of<Type>, size, data, stride));
}
}  // namespace detail

/// A tensor over memory that is not copied and must outlive it: from_blob<Shape<2, 3>>(p), from_blob<Shape<dyn, 3>>(p,
/// {n, 3}). Row-major, without gaps. Null is refused unless there are no elements. Bytes of bools other than 0 and 1
/// are true to every operation; who reads them through the pointer sees what is there.
template <class ShapeType, element Type>
Tensor<Type, ShapeType> from_blob(Type* data, const dims& size = detail::static_extents<ShapeType>()) {
  return Tensor<Type, ShapeType>(AnyTensor::from_memory(dtype_of<Type>, size, data));
}
/// The same with the distances between neighbours along each axis, in elements and not negative.
template <class ShapeType, element Type>
Tensor<Type, ShapeType> from_blob(Type* data, const dims& size, const dims& strides) {
  if (strides.rank != size.rank) fail({"tt::from_blob: ", strides.rank, " strides for the extents ", size});
  return detail::over_memory<Type, ShapeType>(data, size, strides.extent);
}
/// The same; `release(data)` is called once, when the last tensor over the memory is gone, on the thread that lets it
/// go. It is not called where from_blob throws.
template <class ShapeType, element Type, std::invocable<Type*> Release>
Tensor<Type, ShapeType> from_blob(Type* data, const dims& size, Release release) {
  detail::check_face(dtype_of<Type>, size, dtype_of<Type>, ShapeType::value);
  struct Owner {
    Release* release;
    ~Owner() { delete release; }
  } owner{new Release(std::move(release))};
  const AnyTensor t = AnyTensor::from_memory(
      dtype_of<Type>, size, data,
      [](void* memory, void* context) {
        const Owner own{static_cast<Release*>(context)};
        (*own.release)(static_cast<Type*>(memory));
      },
      owner.release);
  owner.release = nullptr;
  return Tensor<Type, ShapeType>(t);
}

/// A vector that takes over the elements of a std::vector, without copying them.
template <element Type>
requires(!std::is_same_v<Type, bool>) Vector<Type> from_vector(std::vector<Type>&& elements) {
  auto* const data = elements.data();
  const index_t n = index_t(elements.size());
  return from_blob<Shape<dyn>>(data, {n}, [own = std::move(elements)](Type*) {});
}
/// The packed bools of std::vector<bool>, one byte each. A template, so that only who calls it compiles that vector.
template <std::same_as<bool> Type = bool>
Vector<bool> from_vector(const std::vector<Type>& elements) {
  Vector<bool> out(dims{index_t(elements.size())});
  std::copy(elements.begin(), elements.end(), out.data());
  return out;
}

/// The elements in row-major order, copied.
template <expression X>
std::vector<value_t<X>> to_vector(const X& x) {
  const AnyTensor flat = evaluate(x).packed();
  const auto* p = reinterpret_cast<const value_t<X>*>(flat.data_ptr());
  if constexpr (std::is_same_v<value_t<X>, bool>) {
    std::vector<bool> out;
    for (index_t i = 0; i < flat.numel(); ++i) out.push_back(detail::loaded(p + i));
    return out;
  } else {
    return std::vector<value_t<X>>(p, p + flat.numel());
  }
}

/// The elements of a contiguous tensor, row by row, where they lie: valid while a tensor over them lives. Who writes
/// through it calls bump_version() after.
template <class Type, class ShapeType, int Order>
std::span<Type> to_span(const Tensor<Type, ShapeType, cpu, Order>& t) {
  if (!t.defined()) detail::no_elements("tt::to_span");
  if (!t.is_contiguous())
    fail({"tt::to_span: a tensor with the extents ", t.sizes(), " has gaps between its elements: use contiguous()"});
  return {t.data(), std::size_t(t.numel())};
}

}  // namespace tt
