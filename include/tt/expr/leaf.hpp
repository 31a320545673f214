// What trees of an elementwise region begin with: tensors and numbers, with and without their static types.
#pragma once
#include <tt/core/recording.hpp>
#include <tt/core/tensor.hpp>

namespace tt::detail {

[[noreturn]] TT_NOINLINE inline void changed_in_place(const AnyTensor& t) {
  fail({"tt: a tensor with the extents ", t.sizes(), " was changed in place after the expression that reads it was built; evaluate the expression first, or clone() the tensor"});
}

/// A number in an expression: exact for integers, and of int64, double, bool or complex as C++ wrote it.
struct Constant {
  double floating = 0, imaginary = 0;  ///< together a complex<double>
  std::int64_t integer = 0;

  Constant() = default;
  template <number Number>
  explicit Constant(Number x) {
    if constexpr (is_short_float<Number>) floating = double(float(x)), integer = whole(floating);
    else if constexpr (real_number<Number>) floating = double(x), integer = whole(x);
    else floating = double(x.real()), imaginary = double(x.imag()), integer = whole(x.real());
  }
};
/// A leaf on its way down: a tensor and the version it had when the expression was built, or a number.
struct Entry {
  const AnyTensor* tensor;
  unsigned version;
  Constant constant;
};
/// Where collect() writes: leaves in order, and the tensors of operands that had to be stored.
struct Sink {
  Entry* entry;
  AnyTensor* own;
};

/// What is built without recording is not recorded later either, wherever it is evaluated.
inline AnyTensor as_recorded(AnyTensor t) {
  if (!recording && t.defined() && t.requires_grad()) [[unlikely]] t = t.detach();
  return t;
}

/// A tensor in an expression, whatever its type.
struct LeafData {
  static constexpr int leaves = 1, stored = 0;
  AnyTensor tensor;
  unsigned version;

  LeafData(const AnyTensor& t, bool tracks) : tensor(t), version(checked_version(t)) { note_recording(tracks); }
  LeafData(AnyTensor&& t, bool tracks) : tensor(std::move(t)), version(checked_version(tensor)) { note_recording(tracks); }
  void collect(Sink& sink) const { *sink.entry++ = {&tensor, version, {}}; }
  /// The tensor, if it is still what it was when the expression was built.
  const AnyTensor& read() const {
    if (tensor.version() != version) changed_in_place(tensor);
    return tensor;
  }

 private:
  void note_recording(bool tracks) {
    if (tracks && !recording) [[unlikely]] tensor = as_recorded(std::move(tensor));
  }
  static unsigned checked_version(const AnyTensor& t) {
    if (!t.defined()) no_elements("tt");
    return t.version();
  }
};
/// A number in an expression, whatever its type.
struct LiteralData {
  static constexpr int leaves = 1, stored = 0;
  Constant constant;

  void collect(Sink& sink) const { *sink.entry++ = {nullptr, 0, constant}; }
};

/// A tensor under its static types.
template <class TensorType>
struct Leaf : expression_base, LeafData {
  using value_type = typename TensorType::value_type;
  using shape = typename TensorType::shape;
  using device_type = typename TensorType::device_type;
  static constexpr int order = TensorType::order;

  explicit Leaf(const AnyTensor& t) : LeafData(t, order > 0) {}
  explicit Leaf(AnyTensor&& t) : LeafData(std::move(t), order > 0) {}
};

/// A C++ number in an expression: it has no extents and promotes weakly.
template <class Type>
struct Literal : expression_base, LiteralData {
  using value_type = Type;
  using shape = Shape<>;
  using device_type = void;
  static constexpr int order = 0;
};
template <class Type>
using literal_t = Literal<std::conditional_t<std::is_same_v<Type, bool>, bool,
                                             std::conditional_t<std::is_integral_v<Type>, std::int64_t,
                                                                std::conditional_t<is_complex_number<Type>, std::complex<float>, float>>>>;

template <class E>
inline constexpr bool is_literal = false;
template <class Type>
inline constexpr bool is_literal<Literal<Type>> = true;
template <class E>
inline constexpr bool is_leaf = is_literal<E>;
template <class TensorType>
inline constexpr bool is_leaf<Leaf<TensorType>> = true;

template <class X>
struct node_of { using type = X; };
template <class Type, class ShapeType, class Device, int Order>
struct node_of<Tensor<Type, ShapeType, Device, Order>> { using type = Leaf<Tensor<Type, ShapeType, Device, Order>>; };
template <number Number>
struct node_of<Number> { using type = literal_t<Number>; };
/// What stands for an operand in a tree: a leaf for a tensor, a literal for a number, a tree for itself.
template <class X>
using node_t = typename node_of<std::remove_cvref_t<X>>::type;

template <class X>
node_t<X> to_node(X&& x) {
  if constexpr (number<X>)
    return {{}, {Constant(x)}};
  else
    return node_t<X>(std::forward<X>(x));
}

}  // namespace tt::detail
