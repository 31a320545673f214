// Creation: tensors from nothing but a dtype, extents and a rule. dispatch/create.hpp runs it.
#pragma once
#include <tt/core/random.hpp>
#include <tt/core/tensor.hpp>

namespace tt::detail {

/// All elements one value: `floating` for floating dtypes and for bool (is it 0), `integer` for the others.
inline AnyTensor create_full(dtype type, const dims& size, double floating, std::int64_t integer);
inline AnyTensor create_zeros(dtype type, const dims& size);
inline AnyTensor create_arange(dtype type, double start, double end, double step);
template <template <class> class Distribution>
AnyTensor create_random(std::string_view name, dtype type, const dims& size, Generator& generator);

}  // namespace tt::detail
