// Creation: tensors from nothing but a dtype, extents and a rule.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/core/walk.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/ops/creation.hpp>

#include <cmath>

namespace tt::detail {

/// f(tensor) fills a new one.
template <class Fill>
AnyTensor run_create(std::string_view name, dtype type, const dims& size, Fill&& fill, const Memory* memory = nullptr) {
  return dispatched({"create", {&name, 1}, {}}, [&] {
    AnyTensor out = AnyTensor::empty(type, size, memory);
    fill(out);
    return out;
  });
}

/// f(numbers, count) computes a new one in Number's dtype; it is converted where another is wanted.
template <class Number, class Fill>
AnyTensor create_wide(std::string_view name, dtype type, const dims& size, Fill&& fill) {
  return run_create(name, type, size, [&](const AnyTensor& out) {
    const AnyTensor wide = type == dtype_of<Number> ? out : AnyTensor::empty(dtype_of<Number>, size);
    fill(reinterpret_cast<Number*>(wide.data_ptr()), wide.numel());
    if (type != dtype_of<Number>) copy_elements(out, wide);
  });
}

inline AnyTensor create_full(dtype type, const dims& size, const Constant& c, const Memory* memory) {
  return run_create("full", type, size, [&](const AnyTensor& out) {
    if (memory) {
      Move all;
      all.push_back(out.numel(), 0, 1);
      if (out.numel()) memory->fill(*memory, all, out.device_ptr(), type, create_full(type, {}, c).data_ptr(), type);
      return;
    }
    alignas(word16) std::byte element[sizeof(word16)];
    visit(type, [&]<class Type>(Type) {
      constexpr dtype own = dtype_of<Type>;
      Type value;
      if constexpr (is_complex(own)) value = converted<Type>(std::complex(c.floating, c.imaginary));
      else if constexpr (is_integral(own) && own != dtype::boolean) value = converted<Type>(c.integer);
      else value = converted<Type>(c.floating);
      std::memcpy(element, &value, sizeof value);
    });
    visit_word(size_of(type), [&]<class Word>(Word word) {
      std::memcpy(&word, element, sizeof word);
      std::byte* to = out.data_ptr();
      for (index_t i = 0, n = out.numel(); i < n; ++i, to += sizeof word) std::memcpy(to, &word, sizeof word);
    });
  }, memory);
}
inline AnyTensor create_zeros(dtype type, const dims& size, const Memory* memory) {
  return run_create("zeros", type, size, [](const AnyTensor& out) { zero_elements(out); }, memory);
}

inline AnyTensor create_empty(dtype type, const dims& size, const Memory* memory) {
  return run_create("empty", type, size, [](const AnyTensor&) {}, memory);
}

/// A vector of rule(0), rule(1), .., of double or int64, converted.
template <class Rule>
AnyTensor create_sequence(std::string_view name, dtype type, index_t n, Rule&& rule) {
  using Number = decltype(rule(index_t(0)));
  if (type == dtype::boolean) fail({"tt::", name, ": bools are no sequence of numbers"});
  return create_wide<Number>(name, type, {n}, [&](Number* p, index_t) {
    for (index_t i = 0; i < n; ++i) p[i] = rule(i);
  });
}

/// Each number is start + i * step, so that errors do not add up.
inline AnyTensor create_arange(dtype type, const Constant& start, const Constant& end, const Constant& step) {
  const double from = start.floating, to = end.floating, by = step.floating;
  if (!(std::isfinite(from) && std::isfinite(to) && std::isfinite(by)))
    fail("tt::arange: start, end and step must be finite");
  const auto is_whole = [](const Constant& c) { return c.floating == double(c.integer); };
  const bool whole_numbers = is_integral(type) && is_whole(start) && is_whole(end) && is_whole(step);
  if (by == 0 || (is_integral(type) && step.integer == 0)) fail("tt::arange: the step must not be 0");
  if ((to - from) / by < 0) fail("tt::arange: the step leads away from the end");
  index_t count;
  if (whole_numbers) {
    index_t span;
    if (__builtin_sub_overflow(end.integer, start.integer, &span)) fail("tt::arange: too many elements");
    count = span / step.integer + (span % step.integer != 0);
  } else {
    const double wanted = std::ceil((to - from) / by);
    if (wanted > 1e15) fail("tt::arange: too many elements");
    count = index_t(wanted);
  }
  if (is_integral(type))
    return create_sequence("arange", type, count,
                           [&](index_t i) { return std::int64_t(start.integer + i * step.integer); });
  return create_sequence("arange", type, count, [&](index_t i) { return from + double(i) * by; });
}

/// From both ends towards the middle, so that the last number is exactly the end. Integer dtypes start and end on
/// integers.
template <class Map>
AnyTensor create_spaced(std::string_view name, dtype type, const Constant& start, const Constant& end, index_t steps,
                        Map&& map) {
  if (steps < 0) fail({"tt::", name, ": ", steps, " steps: there cannot be fewer than none"});
  const double from = is_differentiable(type) ? start.floating : double(start.integer);
  const double to = is_differentiable(type) ? end.floating : double(end.integer);
  const double step = steps > 1 ? (to - from) / double(steps - 1) : 0;
  return create_sequence(name, type, steps, [&](index_t i) {
    return map(i < steps / 2 || steps == 1 ? from + step * double(i) : to - step * double(steps - 1 - i));
  });
}
inline AnyTensor create_linspace(dtype type, const Constant& start, const Constant& end, index_t steps) {
  return create_spaced("linspace", type, start, end, steps, [](double x) { return x; });
}
inline AnyTensor create_logspace(dtype type, const Constant& start, const Constant& end, index_t steps, double base) {
  return create_spaced("logspace", type, start, end, steps, [base](double x) { return std::pow(base, x); });
}

inline AnyTensor create_eye(dtype type, index_t rows, index_t columns) {
  return run_create("eye", type, {rows, columns}, [&](const AnyTensor& out) {
    if (out.numel() == 0) return;
    std::memset(out.data_ptr(), 0, std::size_t(out.numel()) * size_of(type));
    const index_t step = columns + 1;
    copy_elements(out.with_layout({(std::min)(rows, columns)}, &step, 0), create_full(type, {}, Constant(1)));
  });
}

/// f(first, last): the columns of a row that belong to a triangle. @pre |diagonal| <= rows + columns
inline std::pair<index_t, index_t> triangle_columns(index_t row, index_t columns, index_t diagonal, triangle part) {
  const index_t edge = std::clamp<index_t>(row + diagonal + (part == triangle::lower), 0, columns);
  return part == triangle::lower ? std::pair(index_t(0), edge) : std::pair(edge, columns);
}

inline AnyTensor create_triangle(dtype type, index_t rows, index_t columns, index_t diagonal, triangle part) {
  const char* const name = part == triangle::lower ? "tril_indices" : "triu_indices";
  if (rows < 0 || columns < 0) fail({"tt::", name, ": a matrix cannot have the extents ", rows, " and ", columns});
  if (!is_integral(type) || type == dtype::boolean) fail({"tt::", name, ": indices are integers, not ", name_of(type)});
  index_t stride[2];
  row_major({rows, columns}, stride);  // refuses what memory cannot hold
  diagonal = std::clamp(diagonal, -(rows + columns), rows + columns);
  index_t n = 0;
  for (index_t i = 0; i < rows; ++i) {
    const auto [first, last] = triangle_columns(i, columns, diagonal, part);
    n += last - first;
  }
  return create_wide<std::int64_t>(name, type, {2, n}, [&](std::int64_t* row, index_t) {
    auto* column = row + n;
    for (index_t i = 0; i < rows; ++i) {
      const auto [first, last] = triangle_columns(i, columns, diagonal, part);
      for (index_t j = first; j < last; ++j) *row++ = i, *column++ = j;
    }
  });
}

}  // namespace tt::detail

namespace tt {

inline AnyTensor zeros(dtype type, const dims& size) { return detail::create_zeros(type, size); }
inline AnyTensor ones(dtype type, const dims& size) { return detail::create_full(type, size, detail::Constant(1)); }
inline AnyTensor empty(dtype type, const dims& size) { return detail::create_empty(type, size); }
inline AnyTensor eye(dtype type, index_t rows, index_t columns) { return detail::create_eye(type, rows, columns); }
inline AnyTensor tril_indices(dtype type, index_t rows, index_t columns, index_t offset) {
  return detail::create_triangle(type, rows, columns, offset, detail::triangle::lower);
}
inline AnyTensor triu_indices(dtype type, index_t rows, index_t columns, index_t offset) {
  return detail::create_triangle(type, rows, columns, offset, detail::triangle::upper);
}

}  // namespace tt
