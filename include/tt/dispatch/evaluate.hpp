// evaluate(): every expression becomes a tensor here. Each kind adds an overload of `materialise` beside its own run.
#pragma once
#include <tt/dispatch/contract.hpp>
#include <tt/dispatch/map.hpp>
#include <tt/dispatch/reduce.hpp>
#include <tt/expr/program.hpp>

namespace tt {

namespace detail {

template <class TensorType>
AnyTensor materialise(const Leaf<TensorType>& leaf) {
  return leaf.read();
}

template <class E>
constexpr const MapKernel& kernel_for() {
  using forward = prog::forward_program<E>;
  if constexpr (E::order > 0)
    return backend<device_t<E>>::template map<E::compute, dtype_of<value_t<E>>, forward, prog::backward_program<E>, E::order>();
  else
    return backend<device_t<E>>::template map<E::compute, dtype_of<value_t<E>>, forward, forward>();
}

template <int Count>
struct Stored {
  AnyTensor own[Count];
};
template <>
struct Stored<0> {
  static constexpr AnyTensor* own = nullptr;
};
/// The entries of a region, and the tensors of the operands that had to be stored.
template <class Operands>
struct Collected : Stored<Operands::stored> {
  Entry entry[Operands::leaves];
  explicit Collected(const Operands& held) {
    Sink sink{entry, this->own};
    held.collect(sink);
  }
};
template <class Operands>
TT_NOINLINE AnyTensor run_region(const MapKernel& k, const Operands& held) {
  const Collected<Operands> c(held);
  return run_map(k, c.entry, Operands::leaves);
}

// ---- reductions ----

inline void record_sum(const AnyTensor&, const MapKernel&, const ReduceKernel&, const Entry*, int, const dims&, AxisSet);      // autograd/reduce.hpp
inline void record_extreme(const AnyTensor&, const MapKernel&, const ReduceKernel&, const Entry*, int, const dims&, AxisSet);  // autograd/reduce.hpp

/// The copy kernel of a stored operand: a reduction's region when nothing is fused into it.
template <class Device, dtype Compute, bool Track, int Order = 1>
constexpr const MapKernel& bare_kernel() {
  return backend<Device>::template map<Compute, Compute, prog::leaf<false>, prog::leaf<Track>, Order>();
}

template <class Op, class A, class ShapeType>
AnyTensor reduce_now(const Reduce<Op, A, ShapeType>& e) {
  using E = Reduce<Op, A, ShapeType>;
  using Device = device_t<E>;
  if constexpr (requires { Op::template better<int>(0, 0); }) {
    return run_arg(backend<Device>::template arg<Op, E::input>(), evaluate(e.a), e.axes, e.keep);
  } else {
    constexpr bool tracked = E::order > 0;
    constexpr RecordReduce record = !tracked ? nullptr : selects<Op> ? record_extreme : record_sum;
    if constexpr (fuses<A, E::compute> && E::input == E::compute && !(selects<Op> && tracked)) {
      constexpr const ReduceKernel& k = backend<Device>::template reduce<Op, E::compute, prog::forward_program<A>>();
      const Collected<typename A::held_type> c(e.a.held);
      return run_reduce(kernel_for<A>(), k, c.entry, A::leaves, e.axes, e.keep, dtype_of<value_t<E>>, selects<Op>, record);
    } else {
      constexpr const ReduceKernel& k = backend<Device>::template reduce<Op, E::compute>();
      const AnyTensor stored = evaluate(e.a);
      const Entry entry{&stored, stored.version(), {}};
      return run_reduce(bare_kernel<Device, E::compute, tracked && !selects<Op>, (std::max)(E::order, 1)>(), k, &entry, 1, e.axes, e.keep,
                        dtype_of<value_t<E>>, selects<Op>, record);
    }
  }
}
}  // namespace detail

// An overload for each kind; they are found by the namespace of their argument.

template <class Op, class... Child>
AnyTensor materialise(const Map<Op, Child...>& e) {
  using E = Map<Op, Child...>;
  if constexpr (detail::epilogue<E>::is) {
    using activation = typename detail::epilogue<E>::activation;
    const auto& block = detail::epilogue<E>::block(e.held);
    const AnyTensor* bias = detail::epilogue<E>::bias(e.held);
    const bool takes_bias = !bias || detail::takes_bias(*block, *bias);
    if constexpr (std::is_void_v<activation>) {
      if (takes_bias) return detail::run_contract(*block, bias, nullptr);
    } else {
      const auto& act = backend<device_t<E>>::template activation<value_t<E>, activation, (E::order > 0)>();
      if (takes_bias) return detail::run_epilogue(block, bias, act);
      else return detail::launch_activation(*block->kernel, evaluate(detail::epilogue<E>::below(e.held)), act);
    }
  }
  if constexpr (!detail::epilogue<E>::is || std::is_same_v<Op, ops::add>) return detail::run_region(detail::kernel_for<E>(), e.held);
}

template <class Type, class ShapeType, class Device, int Order>
AnyTensor materialise(const Contract<Type, ShapeType, Device, Order>& e) {
  return detail::product_of(*e.block);
}

template <class Op, class A, class ShapeType>
AnyTensor materialise(const Reduce<Op, A, ShapeType>& e) {
  const bool recorded = Reduce<Op, A, ShapeType>::order > 0 && detail::recording;
  AnyTensor known = e.memo->value.get(recorded);
  return known.defined() ? known : e.memo->value.keep(recorded, detail::reduce_now(e));
}

template <class E>
AnyTensor evaluate(const E& e) {
  if constexpr (!std::is_base_of_v<AnyTensor, E>) return materialise(e);
  else if (e.defined()) return e;
  else detail::no_elements("tt");
}

}  // namespace tt
