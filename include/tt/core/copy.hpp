// Copies between layouts and dtypes, outside the tape. Within one dtype elements are moved by size, so that nothing is
// compiled for each.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/core/convert.hpp>
#include <tt/core/move.hpp>
#include <tt/core/overlap.hpp>

namespace tt {

namespace detail {
/// Runs a merged move of elements of one dtype within one memory.
inline void move_within(const Memory* memory, const Move& m, std::byte* to, const std::byte* from, dtype type) {
  if (memory) memory->move(*memory, m, to, type, from, type);
  else run_move(m, from, to, size_of(type));
}
}  // namespace detail

TT_NOINLINE inline AnyTensor AnyTensor::copied() const {
  const AnyTensor out = empty(dtype(), sizes(), memory());
  detail::Move m;
  for (int i = 0; i < rank(); ++i) m.push_back(sizes().extent[i], strides()[i], out.strides()[i]);
  if (numel()) detail::move_within(memory(), detail::merged(m), out.device_ptr(), device_ptr(), dtype());
  return out;
}
inline AnyTensor AnyTensor::packed() const { return is_contiguous() ? *this : copied(); }

/// All that lies between the first and the last element comes over, and is put in order here: no kernel is needed.
TT_NOINLINE inline AnyTensor AnyTensor::on_host() const {
  if (!memory()) return *this;
  if (numel() == 0) return empty(dtype(), sizes());
  index_t first = 0, last = 0;
  for (int i = 0; i < rank(); ++i) (strides()[i] < 0 ? first : last) += (sizes().extent[i] - 1) * strides()[i];
  const AnyTensor span = empty(dtype(), {last - first + 1});
  const index_t item = index_t(size_of(dtype()));
  memory()->download(*memory(), span.device_ptr(), device_ptr() + first * item, std::size_t(span.numel() * item));
  return span.with_layout(sizes(), strides(), -first).packed();
}

namespace detail {

/// Holds every value of a dtype.
template <element Stored>
using widest = std::conditional_t<is_complex(dtype_of<Stored>), std::complex<double>,
                                  std::conditional_t<is_floating(dtype_of<Stored>), double,
                                                     std::conditional_t<dtype_of<Stored> == dtype::uint64, std::uint64_t, std::int64_t>>>;

/// to[j * to_step] = from[j * from_step], converted by way of the widest number: 15 loops read and 60 write, where 225 would
/// convert.
TT_NOINLINE inline void convert_row(std::byte* to, dtype to_type, index_t to_step, const std::byte* from, dtype from_type,
                                    index_t from_step, index_t n) {
  constexpr index_t block = 256;
  alignas(16) std::byte buffer[block * sizeof(std::complex<double>)];
  for (; n > 0; n -= block) {
    const index_t m = (std::min)(n, block);
    visit(from_type, [&]<class Stored>(Stored) {
      const auto* p = reinterpret_cast<const Stored*>(from);
      auto* wide = reinterpret_cast<widest<Stored>*>(buffer);
      for (index_t j = 0; j < m; ++j) wide[j] = converted<widest<Stored>>(loaded(p + j * from_step));
    });
    const auto narrow = [&](const auto* wide) { unpack_row(wide, to, to_type, to_step, m); };
    if (is_complex(from_type)) narrow(reinterpret_cast<const std::complex<double>*>(buffer));
    else if (is_floating(from_type)) narrow(reinterpret_cast<const double*>(buffer));
    else if (from_type == dtype::uint64) narrow(reinterpret_cast<const std::uint64_t*>(buffer));
    else narrow(reinterpret_cast<const std::int64_t*>(buffer));
    to += m * to_step * index_t(size_of(to_type));
    from += m * from_step * index_t(size_of(from_type));
  }
}

/// PyTorch's rule: `from` has no more axes than `to`, and each of its extents is to's or 1.
TT_NOINLINE inline void check_written(const AnyTensor& to, const AnyTensor& from) {
  if (!to.defined() || !from.defined()) no_elements("tt::copy_");
  if (to.is_expanded()) fail("tt::copy_: an expanded view is read-only: several of its indices reach one element");
  const dims &a = from.sizes(), &b = to.sizes();
  bool fits = a.rank <= b.rank;
  for (int i = 1; fits && i <= a.rank; ++i) fits = a[-i] == 1 || a[-i] == b[-i];
  if (!fits) fail({"tt::copy_: the extents ", a, " do not fit into ", b});
}

/// Writes zeros into a new tensor.
inline void zero_elements(const AnyTensor& t) {
  if (t.numel()) zero_bytes(t.memory(), t.device_ptr(), std::size_t(t.numel()) * size_of(t.dtype()));
}

/// The elements in another memory; itself if they are there. No history.
TT_NOINLINE inline AnyTensor in_memory(const AnyTensor& x, const Memory* memory) {
  if (x.memory() == memory) return x;
  const AnyTensor here = x.on_host().packed();
  if (!memory) return here;
  const AnyTensor out = AnyTensor::empty(x.dtype(), x.sizes(), memory);
  if (x.numel()) memory->upload(*memory, out.device_ptr(), here.data_ptr(), std::size_t(x.numel()) * size_of(x.dtype()));
  return out;
}

inline AnyTensor copied_as(const AnyTensor& x, dtype type);

/// What copy_() does, outside the tape.
TT_NOINLINE inline void copy_elements(const AnyTensor& to, const AnyTensor& from) {
  check_written(to, from);
  to.bump_version();
  if (to.numel() == 0) return;
  AnyTensor source = overlap(*from.storage(), *to.storage()) ? from.copied() : from;  // they may overlap
  if (source.memory() != to.memory()) [[unlikely]] {
    if (!source.memory() && source.numel() == 1) {
      Move all;
      for (int i = 0; i < to.rank(); ++i) all.push_back(to.sizes().extent[i], 0, to.strides()[i]);
      return to.memory()->fill(*to.memory(), merged(all), to.device_ptr(), to.dtype(), source.data_ptr(), source.dtype());
    }
    if (!source.memory() && source.dtype() != to.dtype()) source = copied_as(source, to.dtype());
    source = in_memory(source, to.memory());
  }
  Move each;
  for (int i = 0, j = source.rank() - to.rank(); i < to.rank(); ++i, ++j) {
    const bool broadcast = j < 0 || source.sizes().extent[j] == 1;
    each.push_back(to.sizes().extent[i], broadcast ? 0 : source.strides()[j], to.strides()[i]);
  }
  const Move move = merged(each);
  const dtype to_type = to.dtype(), from_type = source.dtype();
  if (const Memory* memory = to.memory()) [[unlikely]]
    return memory->move(*memory, move, to.device_ptr(), to_type, source.device_ptr(), from_type);
  if (to_type == from_type && to_type != dtype::boolean)  // a bool of others may be any byte; what is written is 0 or 1
    return run_move(move, source.data_ptr(), to.data_ptr(), size_of(to_type));
  each_part(move, [&](const Move& part) {
    each_row(part, [&](index_t f, index_t t, index_t n, index_t f_step, index_t t_step) {
      convert_row(to.data_ptr() + t * index_t(size_of(to_type)), to_type, t_step, source.data_ptr() + f * index_t(size_of(from_type)),
                  from_type, f_step, n);
    });
  });
}
/// A row-major copy in another dtype. No history.
inline AnyTensor copied_as(const AnyTensor& x, dtype type) {
  const AnyTensor out = AnyTensor::empty(type, x.sizes(), x.memory());
  copy_elements(out, x);
  return out;
}

}  // namespace detail
}  // namespace tt
