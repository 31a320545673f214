// Rows of any dtype and stride to and from the contiguous rows that kernels compute on.
#pragma once
#include <tt/dispatch/kernel.hpp>

#include <cstring>

namespace tt::cpu_kernels {

/// C++'s conversion, but to bool by "is not 0" and from floating to uint8 through int64, so that it wraps.
template <class To, class From>
TT_INLINE To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) return x != From(0);
  else if constexpr (std::is_same_v<To, std::uint8_t> && std::is_floating_point_v<From>) return To(std::int64_t(x));
  else return To(x);
}

/// row[j] = Number(from[j * stride]).
template <class Number>
TT_NOINLINE void pack_row(Number* row, const std::byte* from, dtype type, index_t stride, index_t n) {
  visit(type, [&]<class Stored>(Stored) {
    const auto* p = reinterpret_cast<const Stored*>(from);
    for (index_t j = 0; j < n; ++j) row[j] = converted<Number>(p[j * stride]);
  });
}

/// to[j * stride] = row[j], converted.
template <class Number>
TT_NOINLINE void unpack_row(const Number* row, std::byte* to, dtype type, index_t stride, index_t n) {
  visit(type, [&]<class Stored>(Stored) {
    auto* p = reinterpret_cast<Stored*>(to);
    for (index_t j = 0; j < n; ++j) p[j * stride] = converted<Stored>(row[j]);
  });
}
/// to[j * stride] += row[j]. Gradients only, hence floating.
template <class Number>
TT_NOINLINE void add_row(const Number* row, std::byte* to, dtype type, index_t stride, index_t n) {
  visit_floating(type, [&]<class Stored>(Stored) {
    auto* p = reinterpret_cast<Stored*>(to);
    for (index_t j = 0; j < n; ++j) p[j * stride] += Stored(row[j]);
  });
}

}  // namespace tt::cpu_kernels
