// Rows of any dtype and stride to and from the contiguous rows that kernels compute on.
#pragma once
#include <tt/dispatch/kernel.hpp>

#include <cstring>

namespace tt::cpu_kernels {

using detail::converted;
using detail::loaded;
using detail::unpack_row;

/// row[j] = Number(from[j * stride]).
template <class Number>
TT_NOINLINE void pack_row(Number* row, const std::byte* from, dtype type, index_t stride, index_t n) {
  visit(type, [&]<class Stored>(Stored) {
    const auto* p = reinterpret_cast<const Stored*>(from);
    for (index_t j = 0; j < n; ++j) row[j] = converted<Number>(loaded(p + j * stride));
  });
}

/// to[j * stride] += row[j], rounded once. Of gradients only.
template <class Number>
TT_NOINLINE void add_row(const Number* row, std::byte* to, dtype type, index_t stride, index_t n) {
  visit_differentiable(type, [&]<class Stored>(Stored) {
    auto* p = reinterpret_cast<Stored*>(to);
    using sum = std::conditional_t<sizeof(Stored) == 2, float, Stored>;
    for (index_t j = 0; j < n; ++j)
      p[j * stride] = converted<Stored>(converted<sum>(p[j * stride]) + converted<sum>(row[j]));
  });
}

}  // namespace tt::cpu_kernels
