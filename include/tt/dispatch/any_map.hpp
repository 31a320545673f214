// Elementwise operations, copies and casts on tensors whose dtypes are known at run time only. Promotion, programs and
// kernels are those of typed expressions, one op a program, with every leaf ready to be tracked.
#pragma once
#include <tt/dispatch/map.hpp>
#include <tt/expr/program.hpp>

#include <utility>

namespace tt {

/// A tensor or a number for the time of a call. The tensor must outlive it.
class AnyOperand {
 public:
  AnyOperand(const AnyTensor& t) : tensor_(&t), type_(checked(t).dtype()) {}  // NOLINT: conversions are the point
  template <number Number>
  AnyOperand(Number x)  // NOLINT
      : constant_(x), type_(dtype_of<value_t<detail::literal_t<Number>>>) {}

  const AnyTensor* tensor() const { return tensor_; }
  tt::dtype dtype() const { return type_; }
  promotion_operand promotes_as() const {
    return {type_, !tensor_               ? promotion_level::literal
                   : tensor_->rank() == 0 ? promotion_level::no_axes
                                          : promotion_level::axes};
  }
  detail::Entry entry() const { return {tensor_, tensor_ ? tensor_->version() : 0, constant_}; }

 private:
  static const AnyTensor& checked(const AnyTensor& t) {
    if (!t.defined()) detail::no_elements("tt::any_map");
    return t;
  }

  const AnyTensor* tensor_ = nullptr;
  detail::Constant constant_;
  tt::dtype type_;
};

namespace detail {

/// One op's kernels by the dtype that its operands are promoted to; null where it is not defined.
struct AnyMap {
  std::string_view name;
  result_rule rule;
  bool divides;    ///< an integer divisor of 0 is refused
  bool condition;  ///< the first operand is bool and takes no part in promotion
  const MapKernel* kernel[dtype_count];
};

/// How many operands Op takes.
template <class Op>
inline constexpr int arity_of = [] {
  if constexpr (requires { Op::apply(1.0); }) return 1;
  else if constexpr (requires { Op::apply(1.0, 1.0); }) return 2;
  else return 3;
}();

/// The leaf of an operand. Not an alias: nvcc loses the pack that is expanded over one.
template <std::size_t, bool Tracked>
struct operand_leaf {
  using type = prog::leaf<Tracked>;
};

template <class Op, class Device, dtype Type, std::size_t... Operand>
constexpr const MapKernel* any_map_kernel(std::index_sequence<Operand...>) {
  constexpr dtype value = value_dtype(rule_of<Op>, Type);
  if constexpr (operand_dtype(rule_of<Op>, {Type, promotion_level::axes}) != Type || !accepts<Op>(Type)) return nullptr;
  else {
    using forward = prog::op<Op, typename operand_leaf<Operand, false>::type...>;
    using backward =
        prog::op<Op, typename operand_leaf<Operand, is_differentiable(value) && !(has_condition<Op> && Operand == 0)>::type...>;
    return &backend<Device>::template map<compute_dtype(Type), value, forward, backward>();
  }
}
template <class Op, class Device, std::size_t... Type>
constexpr AnyMap make_any_map(std::index_sequence<Type...>) {
  constexpr auto operands = std::make_index_sequence<std::size_t(arity_of<Op>)>{};
  constexpr bool divides = requires { Op::refuses_zero; };
  return {Op::name, rule_of<Op>, divides, has_condition<Op>, {any_map_kernel<Op, Device, dtype(Type)>(operands)...}};
}
template <class Op, class Device>
inline constexpr AnyMap any_map_of = make_any_map<Op, Device>(std::make_index_sequence<std::size_t(dtype_count)>{});

/// The kernels of another device, for tensors that lie there. Null until a file that has them is part of the program
/// (cuda/by_name.hpp); then the host's refuse such tensors.
template <class Op>
inline constinit const AnyMap* any_map_elsewhere = nullptr;
inline constinit const MapKernel* const* any_casts_elsewhere = nullptr;

inline bool lies_elsewhere(const AnyTensor& x) { return x.defined() && x.memory(); }
inline bool lies_elsewhere(const AnyOperand* operand, int count) {
  for (int i = 0; i < count; ++i)
    if (operand[i].tensor() && operand[i].tensor()->memory()) return true;
  return false;
}

/// The kernels for tensors that lie where x lies.
template <class Op>
const AnyMap& any_map_for(const AnyTensor& x) {
  return any_map_elsewhere<Op> && lies_elsewhere(x) ? *any_map_elsewhere<Op> : any_map_of<Op, cpu>;
}

/// The dtype that the operands from `first` on are promoted to.
inline promotion_operand promoted(const AnyOperand* operand, int count, int first = 0) {
  promotion_operand p = operand[first].promotes_as();
  for (int i = first + 1; i < count; ++i) p = promote(p, operand[i].promotes_as());
  return p;
}

TT_NOINLINE inline AnyTensor run_any_map(const AnyMap& op, const AnyOperand* operand, int count) {
  const auto refuse = [&](const std::string& why) { fail({"tt::", op.name, ": ", why}); };
  if (op.condition && operand[0].dtype() != dtype::boolean)
    refuse("the condition must be bool, not " + std::string(name_of(operand[0].dtype())));
  const dtype type = operand_dtype(op.rule, promoted(operand, count, op.condition ? 1 : 0));
  const MapKernel* kernel = op.kernel[int(type)];
  if (!kernel) refuse("it is not defined for the dtype " + std::string(name_of(type)) + " of its operands: cast them");
  Entry entry[3]{};
  for (int i = 0; i < count; ++i) entry[i] = operand[i].entry();
  if (op.divides && is_integral(type)) check_divisor(op.name, entry[1]);
  return run_map(*kernel, entry, count);
}

/// Copies from every dtype to every dtype.
template <class Device, dtype From, dtype To>
constexpr const MapKernel* any_cast_kernel() {
  constexpr dtype compute = wider_compute(compute_dtype(From), compute_dtype(To));
  constexpr bool tracked = is_differentiable(From) && is_differentiable(To);
  return &backend<Device>::template map<compute, To, prog::leaf<false>, prog::leaf<tracked>>();
}
template <class Device, std::size_t... Pair>
constexpr auto any_cast_kernels(std::index_sequence<Pair...>) {
  struct Table {
    const MapKernel* kernel[sizeof...(Pair)];
  };
  return Table{
      {any_cast_kernel<Device, dtype(Pair / std::size_t(dtype_count)), dtype(Pair % std::size_t(dtype_count))>()...}};
}
template <class Device>
inline constexpr auto any_casts =
    any_cast_kernels<Device>(std::make_index_sequence<std::size_t(dtype_count* dtype_count)>{});

template <class Device>
AnyTensor copy_as(const AnyTensor& x, dtype to) {
  if (!x.defined()) no_elements("tt::copy");
  const Entry entry{&x, x.version(), {}};
  const MapKernel* const* casts = any_casts<Device>.kernel;
  if (lies_elsewhere(x) && any_casts_elsewhere) casts = any_casts_elsewhere;
  return run_map(*casts[int(x.dtype()) * dtype_count + int(to)], &entry, 1);
}

}  // namespace detail

/// Op over tensors and numbers, wherever they lie: any_map<ops::add>(x, 2). A number takes part in promotion as in an expression.
template <class Op, class Device = cpu, class... Operand>
AnyTensor any_map(const Operand&... x) {
  static_assert(sizeof...(Operand) == std::size_t(detail::arity_of<Op>),
                "tt::any_map: the op takes another number of operands");
  const AnyOperand operands[] = {AnyOperand(x)...};
  constexpr int count = int(sizeof...(Operand));
  const detail::AnyMap* op = &detail::any_map_of<Op, Device>;
  if (detail::any_map_elsewhere<Op> && detail::lies_elsewhere(operands, count)) op = detail::any_map_elsewhere<Op>;
  return detail::run_any_map(*op, operands, count);
}

/// A row-major copy, on the tape.
template <class Device = cpu>
AnyTensor any_clone(const AnyTensor& x) {
  return detail::copy_as<Device>(x, x.dtype());
}
/// x in another dtype; itself where it has it already.
template <class Device = cpu>
AnyTensor any_cast(const AnyTensor& x, dtype to) {
  return x.defined() && x.dtype() == to ? x : detail::copy_as<Device>(x, to);
}

}  // namespace tt
