// What kernels do to whole tensors: copies between layouts and dtypes, and sums of gradients. Including this file gives
// them to all files of the program.
#pragma once
#include <tt/cuda/map.hpp>
#include <tt/cuda/memory.hpp>
#include <tt/cuda/move.hpp>
#include <tt/cuda/reduce.hpp>
#include <tt/cuda/workspace.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/reductions.hpp>

namespace tt::gpu::detail {

#if TT_CUDA_KERNELS

/// f(number): what elements of these dtypes are converted by way of. It holds every value of both, or of what they share.
template <class Function>
void visit_wide(dtype a, dtype b, Function&& f) {
  if (is_complex(a) || is_complex(b)) f(std::complex<double>());
  else if (is_floating(a) || is_floating(b)) f(double());
  else f(std::int64_t());
}
/// f(number): what gradients of a dtype are computed in.
template <class Function>
void visit_gradient(dtype type, Function&& f) {
  if (type == dtype::complex128) f(std::complex<double>());
  else if (type == dtype::complex64) f(std::complex<float>());
  else if (type == dtype::float64) f(double());
  else f(float());
}

inline Strided laid_out(std::byte* data, dtype type, index_t at, const index_t* stride, int rank) {
  Strided s;
  s.data = data + at * index_t(size_of(type));
  s.type = type;
  s.spare = false;
  std::copy_n(stride, rank, s.stride);
  return s;
}

TT_NOINLINE inline void move_by_kernel(const Memory& m, const Move& move, std::byte* to, dtype to_type, const std::byte* from,
                                       dtype from_type) {
  if (to_type == from_type) return run_move(move, from, to, size_of(to_type), stream_of(m));
  Strided leaf = laid_out(const_cast<std::byte*>(from), from_type, move.from_at, move.from, move.size.rank);
  Region r{move.size, 1, &leaf, laid_out(to, to_type, move.to_at, move.to, move.size.rank), nullptr};
  visit_wide(to_type, from_type, [&]<class Number>(Number) { map<prog::copy, Number>(r, 0); });
}
/// The element travels as a parameter of the kernel, so that a graph keeps it.
TT_NOINLINE inline void fill_by_kernel(const Memory&, const Move& move, std::byte* to, dtype to_type, const std::byte* host,
                                       dtype from_type) {
  const int rank = move.size.rank;
  constexpr index_t still[max_rank] = {};
  visit_wide(from_type, from_type, [&]<class Number>(Number) {
    Number number;
    tt::detail::convert_row(reinterpret_cast<std::byte*>(&number), dtype_of<Number>, 1, host, from_type, 1, 1);
    Strided leaf = laid_out(reinterpret_cast<std::byte*>(&number), dtype_of<Number>, 0, still, rank);
    Region r{move.size, 1, &leaf, laid_out(to, to_type, move.to_at, move.to, rank), nullptr};
    map<prog::copy, Number>(r, 0b1);
  });
}
template <class Number>
void add_elements(const Move& move, std::byte* to, dtype to_type, const std::byte* from, dtype from_type) {
  const int rank = move.size.rank;
  const Strided sum = laid_out(to, to_type, move.to_at, move.to, rank);
  Strided leaf[2] = {sum, laid_out(const_cast<std::byte*>(from), from_type, move.from_at, move.from, rank)};
  Region r{move.size, 2, leaf, sum, nullptr};
  map<prog::op<ops::add, prog::copy, prog::copy>, Number>(r, 0);
}
/// Axes along which indices meet in `to` are summed first.
TT_NOINLINE inline void add_sums(const Move& move, std::byte* to, const std::byte* from, dtype type) {
  Move kept;
  kept.to_at = move.to_at;
  Strided sums{};
  index_t count = 1;
  for (int i = move.size.rank - 1; i >= 0; --i) {
    sums.stride[i] = move.to[i] == 0 ? 0 : count;
    if (move.to[i] != 0) count *= move.size.extent[i];
  }
  for (int i = 0; i < move.size.rank; ++i)
    if (move.to[i] != 0) kept.push_back(move.size.extent[i], sums.stride[i], move.to[i]);
  visit_gradient(type, [&]<class Number>(Number) {
    Workspace workspace;
    sums.type = dtype_of<Number>;
    sums.data = static_cast<std::byte*>(workspace(std::size_t(count) * sizeof(Number)));
    Strided leaf = laid_out(const_cast<std::byte*>(from), type, move.from_at, move.from, move.size.rank);
    Region r{move.size, 1, &leaf, sums, nullptr};
    reduce<ops::sum, prog::copy, Number>(r, 0, count, 1, workspace);
    add_elements<Number>(kept, to, type, sums.data, sums.type);
  });
}
TT_NOINLINE inline void add_by_kernel(const Memory&, const Move& move, std::byte* to, const std::byte* from, dtype type) {
  for (int i = 0; i < move.size.rank; ++i)
    if (move.to[i] == 0 && move.size.extent[i] > 1) return add_sums(move, to, from, type);
  visit_gradient(type, [&]<class Number>(Number) { add_elements<Number>(move, to, type, from, type); });
}
TT_NOINLINE inline void divide_by_kernel(const Memory&, std::byte* to, const std::byte* from, dtype type, index_t n, double by) {
  const index_t step = 1, still = 0;
  std::complex<double> divisor = by;
  Strided leaf[2] = {laid_out(const_cast<std::byte*>(from), type, 0, &step, 1),
                     laid_out(reinterpret_cast<std::byte*>(&divisor), dtype::complex128, 0, &still, 1)};
  Region r{{n}, 2, leaf, laid_out(to, type, 0, &step, 1), nullptr};
  visit_gradient(type, [&]<class Number>(Number) { map<prog::op<ops::div, prog::copy, prog::copy>, Number>(r, 0b10); });
}

/// In each file that has kernels: they are of that file alone.
static const bool kernels_are_there = [] {
  memory_kernels = {move_by_kernel, fill_by_kernel, add_by_kernel, divide_by_kernel};
  return true;
}();

#endif

}  // namespace tt::gpu::detail
