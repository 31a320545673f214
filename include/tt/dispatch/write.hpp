// Writing through: copy_, fill_, += and their like put elements into a tensor that exists, and so into what it views.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/core/overlap.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/expr/reads.hpp>
#include <tt/ops/arithmetic.hpp>
#include <tt/ops/casts.hpp>

namespace tt {

namespace detail {

/// Whether reading a leaf while writing `out` is safe: it lies elsewhere, or element by element in the same places.
inline bool may_read_while_writing(const AnyTensor& leaf, const AnyTensor& out, const dims& space) {
  if (!overlap(*leaf.storage(), *out.storage())) return true;
  if (leaf.device_ptr() != out.device_ptr() || leaf.dtype() != out.dtype()) return false;
  index_t from[max_rank], to[max_rank];
  lay_over(from, space, leaf.sizes(), leaf.strides());
  lay_over(to, space, out.sizes(), out.strides());
  for (int i = 0; i < space.rank; ++i)
    if (space.extent[i] > 1 && from[i] != to[i]) return false;
  return true;
}

/// Refuses to write a region into a tensor that is read-only or has not its extents.
TT_NOINLINE inline void check_region_fits(const Entry* entry, int count, const AnyTensor& out) {
  if (out.is_expanded()) fail("tt: an expanded view is read-only: several of its indices reach one element");
  dims space = out.sizes();
  for (int i = 0; i < count; ++i)
    if (entry[i].tensor) broadcast_into(space, entry[i].tensor->sizes());
  if (!(space == out.sizes())) fail({"tt: the extents ", space, " of the expression do not fit into ", out.sizes()});
}

/// Writes a region into `out`. Its values are first what their own type makes of them: rounded, or wrapped.
TT_NOINLINE inline void write_map(const MapKernel& k, const Entry* entry, int count, const AnyTensor& out) {
  const bool exact = k.value == k.compute || k.value == dtype::boolean || k.value == out.dtype();
  const TensorBody* layout = flat_layout(entry, count);
  if (layout && layout->size == out.sizes() && out.is_contiguous() && exact && !modes.active) [[likely]] {
    bool apart = true;
    for (int i = 0; i < count; ++i)
      apart &= !entry[i].tensor || !overlap(*entry[i].tensor->storage(), *out.storage()) ||
               (entry[i].tensor->device_ptr() == out.device_ptr() && entry[i].tensor->dtype() == out.dtype());
    if (apart) {
      run_map_into(k, entry, count, flat_space(*layout), out, ends_storage(out));
      out.bump_version();
      return;
    }
  }
  check_region_fits(entry, count, out);
  const dims& space = out.sizes();
  bool direct = exact;
  for (int i = 0; i < count; ++i) direct &= !entry[i].tensor || may_read_while_writing(*entry[i].tensor, out, space);
  if (direct) {
    const EntryInputs inputs(entry, count);
    dispatched({"write", {k.names, std::size_t(k.name_count)}, {inputs.tensor, std::size_t(count)}}, [&] {
      run_map_into(k, entry, count, {space}, out, ends_storage(out));
      return out;
    });
    out.bump_version();
  } else {
    const no_grad guard;
    copy_elements(out, run_map(k, entry, count));
  }
}

template <class E>
void write_into(const AnyTensor& out, const E& e) {
  if constexpr (is_map<E>) {
    const Collected<typename E::held_type> c(e.held);
    write_map(kernel_for<E>(), c.entry, E::leaves, out);
  } else {
    copy_elements(out, evaluate(e));
  }
}

}  // namespace detail

template <class Type, class ShapeType, class Device, int Order>
template <operand E>
const Tensor<Type, ShapeType, Device, Order>& Tensor<Type, ShapeType, Device, Order>::copy_(const E& e,
                                                                                         const place& where) const {
  const detail::Noted noted(where);
  using node = detail::node_t<E>;
  static_assert(category_of(dtype_of<value_t<node>>) <= category_of(dtype_of<Type>),
                "tt: the result is of a higher category than the tensor that is written: cast it with to<T>()");
  static_assert(order_of<node> <= 0 || Order > 0, "tt: writing into a plain tensor is not recorded: detach() what is tracked, or write into a Variable");
  if constexpr (number<E>) {
    fill_(e, where);
  } else if constexpr (Order > 0) {
    if (detail::recording) detail::write_tracked(*this, evaluate(to<Type>(e)));
    else detail::write_into(*this, e);
  } else if constexpr (order_of<node> <= 0) {
    detail::write_into(*this, e);
  }
  return *this;
}

namespace detail {
/// Whether backward of an op of this many operands reads the first one, which its in-place form overwrites.
template <class Op, int Operands>
inline constexpr bool reads_first = [] {
  return []<int... Which>(std::integer_sequence<int, Which...>) {
    return ((prog::operand_reads<Op, Which> & 1) | ...) != 0;
  }(std::make_integer_sequence<int, Operands>{});
}();
}  // namespace detail

template <class Type, class ShapeType, class Device, int Order>
template <class Op, operand... E>
const Tensor<Type, ShapeType, Device, Order>& Tensor<Type, ShapeType, Device, Order>::map_(const E&... e) const {
  static_assert(!is_complex(dtype_of<Type>) || detail::rule_of<Op> != result_rule::real,
                "tt: the result is real and the tensor complex: store it in a real tensor instead of writing it in place");
  if constexpr (detail::reads_first<Op, 1 + int(sizeof...(E))>)
    return copy_(map_of<Op>(before_write(), e...), place::unknown());
  else return copy_(map_of<Op>(*this, e...), place::unknown());
}

}  // namespace tt
