// Tensor: dtype, extents, device and order of differentiation in the type. A face over AnyTensor; it adds no data.
#pragma once
#include <tt/core/copy.hpp>
#include <tt/core/expression.hpp>
#include <tt/core/recording.hpp>
#include <tt/core/nested.hpp>

#include <concepts>
#include <span>

namespace tt {

namespace error {
template <class Operands>
inline constexpr bool tracked_into_plain = false;
template <int>
struct order {};
}  // namespace error

namespace detail {
/// Writes on the tape, if something is tracked and recording is on (autograd/write.hpp).
inline void write_tracked(const AnyTensor& out, const AnyTensor& value);

[[noreturn]] TT_NOINLINE inline void elements_elsewhere(const AnyTensor& x, device wanted) {
  fail({"tt::Tensor: the elements are on ", name_of(x.device()), ", the type asks for ", name_of(wanted), ": copy them with to<Device>(x)"});
}
/// A tensor that is to stand under these types: checked, and without its history where they have none.
TT_NOINLINE inline AnyTensor under_types(AnyTensor x, dtype type, const dims& extents, bool plain, device where) {
  if (!x.defined()) return x;
  check_face(x.dtype(), x.sizes(), type, extents);
  const Memory* const memory = x.body()->storage->memory;
  if ((memory ? memory->where : device::cpu) != where) [[unlikely]] elements_elsewhere(x, where);
  if (plain && x.node()) return x.detach();
  return x;
}
/// The value of an expression, to stand under these types. Without the expression's own, so that whoever evaluates
/// compiles a call.
TT_NOINLINE inline AnyTensor evaluate_at(const place& where, AnyTensor (*evaluate)(const void* expression),
                                         const void* e, dtype type, const dims& extents, bool plain, device on) {
  const Noted noted(where);
  return under_types(evaluate(e), type, extents, plain, on);
}
}  // namespace detail

/// A handle: copies share the elements, `=` rebinds, clone() copies, functions ending in `_` and `+=` write through.
/// Order 1 can be differentiated once, 0 never grows a tape, `frozen` keeps whatever it meets from growing one.
template <class Type, class ShapeType, class Device, int Order>
class Tensor : public AnyTensor, public expression_base {
  static_assert(element<Type>, "tt::Tensor: the element type must be float, double, half, bfloat16, bool, an intN_t or uintN_t, or std::complex of float or double");
  static_assert(order_is_included<Order>, "tt::Tensor: orders above 1 need #include <tt/autograd/second_order.hpp>, which has 2 and 3");
  static_assert(Order <= 1 || std::is_floating_point_v<Type>, "tt::Tensor: float and double have orders above 1, other types do not");
  static_assert(Order <= 0 || is_differentiable(dtype_of<Type>), "tt::Variable: only floating and complex tensors can be differentiated");

 public:
  using value_type = Type;
  using shape = ShapeType;
  using device_type = Device;
  static constexpr int order = Order;

  /// Without elements and extents; defined() is false.
  Tensor() = default;
  /// New, with unset elements.
  explicit Tensor(const dims& size) : AnyTensor(AnyTensor::empty(dtype_of<Type>, size, detail::new_memory<Device>::get())) {
    detail::check_face(dtype_of<Type>, size, dtype_of<Type>, ShapeType::value);
  }
  /// The elements: {1, 2} for a vector, {{1, 2, 3}, {4, 5, 6}} for a matrix, and so on; extents are counted where the
  /// type has none. To give extents instead write Vector<float>(dims{3}).
  explicit Tensor(std::initializer_list<detail::written_t<Type>> elements)
    requires(ShapeType::rank <= 1)
      : Tensor(ShapeType::rank == 0 ? dims{} : dims{index_t(elements.size())}, elements) {}
  explicit Tensor(detail::nested_t<Type, ShapeType::rank> elements)
    requires(ShapeType::rank > 1)
  {
    dims size;
    detail::nested_extents<Type, ShapeType::rank>(size, elements);
    if constexpr (ShapeType::is_static && ShapeType::rank == 2) {
      if (elements.size() == 1 && size.extent[1] == ShapeType::value.count()) {  // all in one list, as below
        *this = Tensor(*elements.begin());
        return;
      }
    }
    fill_new(size, [&](Type* to) { detail::copy_nested<Type, ShapeType::rank>(to, size, 0, elements); });
  }
  /// The elements of a static shape row by row, in one list: Tensor<float, Shape<2, 2>>{{1, 2, 3, 4}}.
  /// A template, so that {{1}, {2}} is a matrix of two rows.
  template <int = 0>
  explicit Tensor(std::initializer_list<detail::written_t<Type>> elements)
    requires(ShapeType::is_static && ShapeType::rank > 1)
      : Tensor(ShapeType::value, elements) {}
  /// The elements row by row.
  Tensor(const dims& size, std::span<const Type> elements) {
    fill_new(size, [&](Type* to) {
      check_count(size, elements.size());
      std::copy(elements.begin(), elements.end(), to);
    });
  }
  /// A vector of these elements, copied.
  explicit Tensor(std::span<const Type> elements)
    requires(ShapeType::rank == 1)
      : Tensor(dims{index_t(elements.size())}, elements) {}
  /// Takes a tensor of this dtype and these extents under these types; throws otherwise.
  explicit Tensor(AnyTensor any)
      : AnyTensor(detail::under_types(std::move(any), dtype_of<Type>, ShapeType::value, Order <= 0, Device::id)) {}
  /// Evaluates an expression, or takes a tensor whose extents and order fit.
  template <expression E>
    requires(!std::is_same_v<std::remove_cvref_t<E>, Tensor>)
  Tensor(const E& e, const place& where = place::current()) {  // NOLINT: conversion is the point
    static_assert(std::is_same_v<value_t<E>, Type>, "tt: the expression has another dtype than the tensor: cast it with to<T>()");
    static_assert(std::is_same_v<device_t<E>, Device>, "tt: the expression is on another device than the tensor: copy it with to<Device>(x)");
    static_assert(stores(shape_t<E>::value, ShapeType::value), "tt: the extents of the expression do not fit the tensor's type");
    constexpr bool keeps_tape = (std::max)(order_of<E>, 0) <= (std::max)(Order, 0);
    static_assert(keeps_tape || error::tracked_into_plain<error::operands<error::order<order_of<E>>, error::order<Order>>>,
                  "tt: a tracked expression needs a tracked tensor: write `Tensor y = ...` or Variable<...>, or detach()");
    if constexpr (keeps_tape)
      AnyTensor::operator=(detail::evaluate_at(where, [](const void* x) { return evaluate(*static_cast<const E*>(x)); }, &e,
                                               dtype_of<Type>, ShapeType::value, Order <= 0, Device::id));
  }

  /// The first element; of a device's tensor an address there.
  Type* data() const { return reinterpret_cast<Type*>(device_ptr()); }
  Type item() const {
    if constexpr (!on_the_host) return AnyTensor::item<Type>();
    check_single();
    return detail::loaded(data());
  }
  /// The element at an index, unchecked but for the number of axes. Who writes through it calls bump_version() after, or
  /// neither the tape nor a waiting expression notices.
  template <std::integral... Index>
    requires(sizeof...(Index) == std::size_t(ShapeType::rank))
  Type& operator()(Index... index) const {
    static_assert(on_the_host, "tt: the host does not reach the elements of a tensor on CUDA: copy it with to<tt::cpu>(x)");
    index_t at = 0;
    [[maybe_unused]] int axis = 0;
    ((at += index_t(index) * body_->stride[axis++]), ...);
    return reinterpret_cast<Type*>(body_->data)[at];
  }

  /// The same elements, outside the tape.
  Tensor<Type, ShapeType, Device> detach() const { return Tensor<Type, ShapeType, Device>(AnyTensor::detach()); }
  Tensor<Type, ShapeType, Device> grad() const {
    static_assert(Order > 0, "tt::grad: a plain tensor gathers no gradient: make it a Variable");
    return Tensor<Type, ShapeType, Device>(AnyTensor::grad());
  }
  const Tensor& requires_grad_(bool on = true) const {
    static_assert(Order > 0, "tt::requires_grad_: a plain tensor gathers no gradient: make it a Variable");
    AnyTensor::requires_grad_(on);
    return *this;
  }
  /// As of AnyTensor; the hook takes a tensor of these extents and one order less, and returns nothing, an expression or a tensor.
  template <class Hook>
  RemovableHandle register_hook(Hook hook) const;          // autograd/hooks.hpp

  /// Writes an expression into the elements; a view changes what it views. Of a Variable it is recorded: gradients go to what
  /// was written, through every view. Leaves that require a gradient are written under no_grad or through detach() only.
  template <operand E>
  const Tensor& copy_(const E& e, const place& where = place::current()) const;  // dispatch/write.hpp
  template <operand E> const Tensor& operator+=(const E& e) const { return add_(e, place::unknown()); }
  template <operand E> const Tensor& operator-=(const E& e) const { return sub_(e, place::unknown()); }
  template <operand E> const Tensor& operator*=(const E& e) const { return mul_(e, place::unknown()); }
  template <operand E> const Tensor& operator/=(const E& e) const { return div_(e, place::unknown()); }
  template <operand E>
  const Tensor& add_(const E& e, const place& where = place::current()) const {
    return copy_(*this + e, where);
  }
  template <operand E>
  const Tensor& sub_(const E& e, const place& where = place::current()) const {
    return copy_(*this - e, where);
  }
  template <operand E>
  const Tensor& mul_(const E& e, const place& where = place::current()) const {
    return copy_(before_write() * e, where);
  }
  template <operand E>
  const Tensor& div_(const E& e, const place& where = place::current()) const {
    return copy_(before_write() / e, where);
  }
  /// Any elementwise op of this tensor and e.., written into it: exp_(x) is x.map_<ops::exp>().
  template <class Op, operand... E>
  const Tensor& map_(const E&... e) const;                 // dispatch/write.hpp
  const Tensor& fill_(number auto value, const place& where = place::current()) const {
    const detail::Noted noted(where);
    const Type element = detail::element_from<Type>(value);
    const auto one = AnyTensor::from_memory(dtype_of<Type>, {}, const_cast<Type*>(&element));
    if constexpr (Order > 0) detail::write_tracked(*this, one);
    else detail::copy_elements(*this, one);
    return *this;
  }
  const Tensor& zero_(const place& where = place::current()) const { return fill_(0, where); }

  /// A named tensor is rebound; assigning to a temporary, as slice() returns it, writes through.
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  const Tensor& operator=(const Tensor& other) && { return copy_(other, place::unknown()); }
  template <operand E>
    requires(!std::is_same_v<std::remove_cvref_t<E>, Tensor>)
  const Tensor& operator=(const E& e) && {
    return copy_(e, place::unknown());
  }
  ~Tensor() = default;

  /// Only said outright, and only of one element: `if (bool(t))`, float(t).
  template <element Value>
  explicit operator Value() const {
    return AnyTensor::item<Value>();
  }

 private:
  static constexpr bool on_the_host = Device::id == tt::device::cpu;

  Tensor(const dims& size, std::initializer_list<detail::written_t<Type>> elements) {
    fill_new(size, [&](Type* to) {
      check_count(size, elements.size());
      std::transform(elements.begin(), elements.end(), to, [](auto x) { return Type(x); });
    });
  }
  /// Becomes a new tensor that write(elements) fills on the host.
  template <class Write>
  void fill_new(const dims& size, const Write& write) {
    if constexpr (on_the_host) {
      *this = Tensor(size);
      write(data());
    } else {
      const Tensor<Type, ShapeType> here(size);
      write(here.data());
      AnyTensor::operator=(detail::in_memory(here, detail::new_memory<Device>::get()));
    }
  }
  static void check_count(const dims& size, std::size_t elements) {
    if (index_t(elements) != size.count()) fail({"tt::Tensor: ", elements, " elements for the extents ", size});
  }
  /// This tensor as an operand of what overwrites it: on the tape a copy, for backward reads the old elements.
  decltype(auto) before_write() const {
    if constexpr (Order > 0) {
      if (!detail::recording) return Tensor(*this);
      AnyTensor old = copied();
      old.set_node(node());
      return Tensor(std::move(old));
    } else {
      return (*this);
    }
  }
};

template <expression E>
Tensor(const E&) -> Tensor<value_t<E>, shape_t<E>, device_t<E>, order_of<E>>;

/// A tensor under types: what functions ending in _ write into. They return it.
template <class Candidate>
concept typed_tensor = expression<Candidate> && std::derived_from<std::remove_cvref_t<Candidate>, AnyTensor>;

/// A tensor that can be differentiated.
template <class Type, class ShapeType, class Device = cpu, int Order = 1>
using Variable = Tensor<Type, ShapeType, Device, Order>;
template <class Type>
using Scalar = Tensor<Type, Shape<>>;
template <class Type>
using Vector = Tensor<Type, Shape<dyn>>;
template <class Type>
using Matrix = Tensor<Type, Shape<dyn, dyn>>;
template <class Type, int Rank>
using Dyn = Tensor<Type, dynamic_shape<Rank>>;

template <element Type, class ShapeType, class Device, int Order>
Tensor<Type, ShapeType, Device, Order> AnyTensor::as() const {
  return Tensor<Type, ShapeType, Device, Order>(*this);
}

/// `e` as a stored tensor. Use it where an elementwise expression is read more than once.
template <expression E>
auto eval(const E& e, const place& where = place::current()) {
  const detail::Noted noted(where);
  return Tensor<value_t<E>, shape_t<E>, device_t<E>, order_of<E>>(e);
}

}  // namespace tt
