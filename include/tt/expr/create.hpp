// Creation: tensors from nothing but a dtype, extents and a rule. dispatch/create.hpp runs it.
#pragma once
#include <tt/core/random.hpp>
#include <tt/expr/map.hpp>

namespace tt::detail {

/// All elements one value: the number as floating, complex and bool dtypes read it, or as integers do.
inline AnyTensor create_full(dtype type, const dims& size, const Constant& value, const Memory* memory = nullptr);
inline AnyTensor create_zeros(dtype type, const dims& size, const Memory* memory = nullptr);
inline AnyTensor create_empty(dtype type, const dims& size, const Memory* memory = nullptr);
/// start, start + step, .. before end. An int64 result counts in integers, any other in double.
inline AnyTensor create_arange(dtype type, const Constant& start, const Constant& end, const Constant& step);
/// `steps` numbers from start to end, evenly.
inline AnyTensor create_linspace(dtype type, const Constant& start, const Constant& end, index_t steps);
/// base to the power of those numbers.
inline AnyTensor create_logspace(dtype type, const Constant& start, const Constant& end, index_t steps, double base);
/// Ones on the diagonal, zeros beside it.
inline AnyTensor create_eye(dtype type, index_t rows, index_t columns);
/// What of a matrix is meant: on and below a diagonal, or on and above it.
enum class triangle : bool { lower, upper };
/// Row and column of each element of a triangle, in row-major order: two rows of an integer dtype.
inline AnyTensor create_triangle(dtype type, index_t rows, index_t columns, index_t diagonal, triangle part);
template <template <class> class Distribution>
AnyTensor create_random(std::string_view name, dtype type, const dims& size, Generator& generator);
template <class Type, template <class> class Distribution>
AnyTensor create_drawn(std::string_view name, const dims& size, Generator& generator);

}  // namespace tt::detail
