// Contractions: products of matrices, with an optional bias. A contraction is one counted block that keeps its result;
// an activation that follows it is taken along as an epilogue.
#pragma once
#include <tt/core/once.hpp>
#include <tt/expr/reads.hpp>

namespace tt::ops { struct add; }

namespace tt {

struct ContractKernel;

/// An op that can follow a product block by block and be undone from its output.
struct ActivationKernel {
  std::string_view name;
  void (*forward)(std::byte* y, index_t row_stride, index_t rows, index_t columns);
  void (*backward)(const std::byte* y, const std::byte* gradient, std::byte* out, index_t n);  ///< null where nothing tracks
};

namespace detail {

struct ContractBlock;
struct Stacks;
/// How a product of stacks of matrices is run, and recorded: null where nothing can be tracked. A product of two
/// matrices has none, so that it compiles nothing of this.
struct BatchedProduct {
  AnyTensor (*run)(const ContractBlock&);
  void (*record)(const AnyTensor& out, const ContractBlock&, const Stacks&);
  BackwardRecorded recorded;  ///< null at order 1
};
inline AnyTensor run_batched(const ContractBlock&);  // dispatch/batched.hpp

/// What is multiplied, and the product once it is known. Copies of the expression share it.
struct ContractBlock {
  Count refs;
  std::uint16_t size_class = 0;
  bool column = false;  ///< the right operand is a vector: the last axis of the result goes
  bool row = false;     ///< the left operand is a vector
  AnyTensor left, right, bias;
  unsigned left_version = 0, right_version = 0, bias_version = 0;
  const ContractKernel* kernel = nullptr;
  const BatchedProduct* batch = nullptr;  ///< of stacks of matrices; takes neither bias nor activation along
  Once result;

  /// The operands are what they were when the expression was built.
  void check() const {
    if (left.version() != left_version) changed_in_place(left);
    if (right.version() != right_version) changed_in_place(right);
    if (bias.defined() && bias.version() != bias_version) changed_in_place(bias);
  }
};
TT_NOINLINE inline void destroy(ContractBlock* block) { end_block(block); }
inline Ref<ContractBlock> make_contract_block(const ContractKernel* kernel, AnyTensor left, AnyTensor right, AnyTensor bias = {}) {
  auto* block = make_block<ContractBlock>();
  block->left_version = left.version(), block->right_version = right.version();
  if (bias.defined()) block->bias_version = bias.version();
  block->left = as_recorded(std::move(left));
  block->right = as_recorded(std::move(right));
  block->bias = as_recorded(std::move(bias));
  block->kernel = kernel;
  return Ref<ContractBlock>(block);
}

}  // namespace detail

/// A product that has not been stored yet. Its operands have, so that its type does not grow with them.
template <class Type, class ShapeType, class Device, int Order>
struct Contract : expression_base {
  using value_type = Type;
  using shape = ShapeType;
  using device_type = Device;
  static constexpr int order = Order;
  detail::Ref<detail::ContractBlock> block;

  explicit Contract(detail::Ref<detail::ContractBlock> b) : block(std::move(b)) {}
};

/// transpose(x) of the last two axes, until it is stored: a contraction takes it as a flag. What is written into it is written
/// through the view that it is.
template <class E>
struct Transposed : expression_base {
  struct swapped {
    static constexpr dims value = [] {
      dims d = shape_t<E>::value;
      std::swap(d[-1], d[-2]);
      return d;
    }();
  };
  using value_type = value_t<E>;
  using shape = shape_from<swapped>;
  using device_type = device_t<E>;
  static constexpr int order = E::order;
  detail::Leaf<E> of;

  explicit Transposed(E e) : of(std::move(e)) {}

  auto view() const;  // ops/views.hpp
  template <class... Index> auto& operator()(Index... index) const { return view()(index...); }
  template <operand X> auto operator+=(const X& x) const { return view() += x; }
  template <operand X> auto operator-=(const X& x) const { return view() -= x; }
  template <operand X> auto operator*=(const X& x) const { return view() *= x; }
  template <operand X> auto operator/=(const X& x) const { return view() /= x; }
  template <operand X> auto copy_(const X& x) const { return view().copy_(x); }
  template <operand X> auto add_(const X& x) const { return view().add_(x); }
  template <operand X> auto sub_(const X& x) const { return view().sub_(x); }
  template <operand X> auto mul_(const X& x) const { return view().mul_(x); }
  template <operand X> auto div_(const X& x) const { return view().div_(x); }
  template <number X> auto fill_(X x) const { return view().fill_(x); }
  auto zero_() const { return view().zero_(); }

  Transposed(const Transposed&) = default;
  Transposed(Transposed&&) noexcept = default;
  Transposed& operator=(const Transposed&) & = default;
  Transposed& operator=(Transposed&&) & noexcept = default;
  auto operator=(const Transposed& other) && { return view().copy_(other); }
  template <operand X>
    requires(!std::is_same_v<X, Transposed>)
  auto operator=(const X& x) && {
    return view().copy_(x);
  }
};

namespace detail {

template <class E>
inline constexpr bool is_transposed = false;
template <class E>
inline constexpr bool is_transposed<Transposed<E>> = true;
template <class E>
inline constexpr bool is_contract = false;
template <class Type, class ShapeType, class Device, int Order>
inline constexpr bool is_contract<Contract<Type, ShapeType, Device, Order>> = true;

/// An expression that is a contraction with what it takes along: +bias of rank 1, then one activation. Product and bias are
/// found in what the expression holds.
template <class E>
struct epilogue {
  static constexpr bool is = false;
};
template <class Type, class ShapeType, class Device, int Order>
struct epilogue<Contract<Type, ShapeType, Device, Order>> {
  using expression = Contract<Type, ShapeType, Device, Order>;
  static constexpr bool is = Order <= 1;  // above, each op keeps a node of its own, which can be differentiated again
  using activation = void;
  static const Ref<ContractBlock>& block(const Apart<expression>& held) { return held.e.block; }
  static const AnyTensor* bias(const Apart<expression>&) { return nullptr; }
};
// A tracked bias joins a tracked product only: the kernels of another were chosen without anything that records.
template <class Product, class Bias>
  requires(is_contract<Product> && Bias::shape::rank == 1 && Product::shape::rank >= 2 &&
           std::is_same_v<value_t<Product>, value_t<Bias>> && (Bias::order <= 0 || Product::order > 0) && Bias::order <= 1 &&
           Product::order <= 1)
struct epilogue<Map<ops::add, Product, Leaf<Bias>>> {
  using expression = Map<ops::add, Product, Leaf<Bias>>;
  using held_type = typename expression::held_type;
  static constexpr bool is = true;
  using activation = void;
  static const Ref<ContractBlock>& block(const held_type& held) { return held.a.e.block; }
  static const AnyTensor* bias(const held_type& held) { return &held.b.read(); }
  static const Ref<ContractBlock>& block(const Apart<expression>& held) { return block(held.e.held); }
  static const AnyTensor* bias(const Apart<expression>& held) { return bias(held.e.held); }
};
template <class Op, class A>
  requires(epilogue<A>::is && std::is_void_v<typename epilogue<A>::activation> && undone_from_output<Op> &&
           std::is_same_v<value_t<Map<Op, A>>, value_t<A>>)
struct epilogue<Map<Op, A>> {
  using held_type = typename Map<Op, A>::held_type;
  static constexpr bool is = true;
  using activation = Op;
  static const Ref<ContractBlock>& block(const held_type& held) { return epilogue<A>::block(held.a); }
  static const AnyTensor* bias(const held_type& held) { return epilogue<A>::bias(held.a); }
  /// What the activation is applied to.
  static A below(const held_type& held) {
    if constexpr (is_apart<decltype(held.a)>) return held.a.e;
    else return {{}, held.a};
  }
};

}  // namespace detail
}  // namespace tt
