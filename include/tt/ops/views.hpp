// Views of another order or number of axes: transpose, t, mT, T, permute, movedim, squeeze, unsqueeze. Axes are
// arguments of the template, so that the result's extents are known where the operand's are, or of the call.
#pragma once
#include <tt/expr/contract.hpp>
#include <tt/expr/view.hpp>

namespace tt {

namespace detail {

template <int Order>
inline constexpr RecordView view_record = Order > 0 ? record_view : nullptr;
template <class X>
inline constexpr RecordView tape_of = view_record<order_of<X>>;

template <class X, class ShapeType>
using view_of = Tensor<value_t<X>, ShapeType, device_t<X>, order_of<X>>;
template <class X, int Rank>
using dynamic_view_of = view_of<X, dynamic_shape<Rank>>;

template <class ShapeType, int First, int Second>
struct swapped_axes {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    std::swap(d.extent[repaired_axis(First, d.rank)], d.extent[repaired_axis(Second, d.rank)]);
    return d;
  }();
};
template <class ShapeType>
struct reversed_axes {
  static constexpr dims value = [] {
    dims d = ShapeType::value;
    for (int i = 0; i < d.rank; ++i) d.extent[i] = ShapeType::value[-1 - i];
    return d;
  }();
};
template <class ShapeType, int From, int To>
struct moved_axis {
  static constexpr dims value = [] {
    const int rank = ShapeType::rank, from = repaired_axis(From, rank), to = repaired_axis(To, rank);
    dims d = ShapeType::value;
    for (int i = from; i < to; ++i) std::swap(d.extent[i], d.extent[i + 1]);
    for (int i = from; i > to; --i) std::swap(d.extent[i], d.extent[i - 1]);
    return d;
  }();
};
/// The axes that go: of those named the ones that are 1 or not known; where none is named, all that are 1.
template <class ShapeType, AxisSet Named, bool All>
struct squeezed_axes {
  static constexpr AxisSet gone = [] {
    AxisSet set = 0;
    for (int i = 0; i < ShapeType::rank; ++i) {
      const index_t e = ShapeType::value.extent[i];
      if (e == 1 || (!All && e < 0 && (Named >> i & 1))) set |= (All || (Named >> i & 1)) ? AxisSet(1) << i : 0;
    }
    return set;
  }();
  static constexpr dims value = reduced(ShapeType::value, gone, false);
};
template <class ShapeType, int Axis>
struct with_axis {
  static constexpr dims value = [] {
    const int at = repaired_axis(Axis, ShapeType::rank + 1);
    dims d;
    for (int i = 0; i <= ShapeType::rank; ++i) {
      if (i == at) d.push_back(1);
      if (i < ShapeType::rank) d.push_back(ShapeType::value.extent[i]);
    }
    return d;
  }();
};

}  // namespace detail

template <class E>
AnyTensor materialise(const Transposed<E>& e) {
  return detail::transpose_view(evaluate(e.of), -1, -2, detail::view_record<E::order>);
}
template <class E>
auto Transposed<E>::view() const {
  return Tensor<value_type, shape, device_type, order>(materialise(*this));
}

/// The last two axes exchanged. Free in a product; anywhere else a view.
template <expression X>
auto transpose(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::transpose: the tensor needs two axes");
  if constexpr (rank_of<X> == 2)
    return Transposed<
        std::conditional_t<is_expression<X> && std::is_base_of_v<AnyTensor, X>, X, detail::view_of<X, shape_t<X>>>>(
        eval(x));
  else if constexpr (rank_of<X> > 2) return transpose<-1, -2>(x);
  else return eval(x);
}
/// Two axes exchanged.
template <int First, int Second, expression X>
auto transpose(const X& x) {
  detail::check_axis<X, First>();
  detail::check_axis<X, Second>();
  using shape = shape_from<detail::swapped_axes<shape_t<X>, First, Second>>;
  return detail::view_of<X, shape>(detail::transpose_view(evaluate(x), First, Second, detail::tape_of<X>));
}
template <expression X>
auto transpose(const X& x, int first, int second, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X>>(detail::transpose_view(evaluate(x), first, second, detail::tape_of<X>));
}
/// transpose of a matrix, as PyTorch's t(); a tensor with fewer axes as it is.
template <expression X>
auto t(const X& x) {
  static_assert(rank_of<X> <= 2, "tt::t: the tensor must be a matrix: of more axes mT() exchanges the last two");
  if constexpr (rank_of<X> == 2) return transpose(x);
  else return eval(x);
}
/// The last two axes exchanged: each matrix of a batch transposed.
template <expression X>
auto mT(const X& x) {
  static_assert(rank_of<X> >= 2, "tt::mT: the tensor must be a matrix or a batch of matrices");
  if constexpr (rank_of<X> >= 2) return transpose(x);
  else return eval(x);
}
/// All axes in the opposite order, as NumPy's T.
template <expression X>
auto T(const X& x) {
  if constexpr (rank_of<X> < 2) return eval(x);
  else if constexpr (rank_of<X> == 2) return transpose(x);
  else
    return detail::view_of<X, shape_from<detail::reversed_axes<shape_t<X>>>>(
        detail::reversed_view(evaluate(x), detail::tape_of<X>));
}

/// Axis k of the result is axis Axes[k] of x.
/// https://pytorch.org/docs/stable/generated/torch.permute.html
template <int... Axes, expression X>
auto permute(const X& x) {
  (detail::check_axis<X, Axes>(), ...);
  constexpr bool all = std::popcount(((detail::AxisSet(1) << repaired_axis(Axes, rank_of<X>)) | ... | 0)) == rank_of<X>;
  static_assert((sizeof...(Axes) == std::size_t(rank_of<X>) && all) || ((normal_axis(Axes, rank_of<X>) < 0) || ...),
                "tt::permute: each axis must be named once");
  const index_t axes[] = {Axes..., 0};
  using shape = Shape<shape_t<X>::value.extent[repaired_axis(Axes, rank_of<X>)]...>;
  return detail::view_of<X, shape>(detail::permute_view(evaluate(x), {axes, sizeof...(Axes)}, detail::tape_of<X>));
}
template <expression X, std::size_t Rank>
auto permute(const X& x, const index_t (&axes)[Rank], const place& where = place::current()) {
  const detail::Noted noted(where);
  static_assert(Rank == std::size_t(rank_of<X>), "tt::permute: each axis must be named once");
  return detail::dynamic_view_of<X, rank_of<X>>(detail::permute_view(evaluate(x), axes, detail::tape_of<X>));
}

/// Axis From becomes axis To; the others keep their order.
/// https://pytorch.org/docs/stable/generated/torch.movedim.html
template <int From, int To, expression X>
auto movedim(const X& x) {
  detail::check_axis<X, From>();
  detail::check_axis<X, To>();
  using shape = shape_from<detail::moved_axis<shape_t<X>, From, To>>;
  const index_t from = From, to = To;
  return detail::view_of<X, shape>(detail::movedim_view(evaluate(x), {&from, 1}, {&to, 1}, detail::tape_of<X>));
}
template <expression X>
auto movedim(const X& x, index_t from, index_t to, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X>>(
      detail::movedim_view(evaluate(x), {&from, 1}, {&to, 1}, detail::tape_of<X>));
}
/// Axis from[k] becomes axis to[k].
template <expression X, std::size_t Count>
auto movedim(const X& x, const index_t (&from)[Count], const index_t (&to)[Count],
             const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X>>(detail::movedim_view(evaluate(x), from, to, detail::tape_of<X>));
}

/// Without the named axes, or without all axes that the type knows to be 1. A static extent other than 1 stays, as in
/// PyTorch; of one known at run time only it is an error there, since the type has lost it.
/// https://pytorch.org/docs/stable/generated/torch.squeeze.html
template <int... Axes, expression X>
auto squeeze(const X& x, const place& where = place::current()) {
  const detail::Noted noted(where);
  using rule = detail::squeezed_axes<shape_t<X>, detail::static_axes<rank_of<X>, Axes...>(), sizeof...(Axes) == 0>;
  return detail::view_of<X, shape_from<rule>>(detail::squeeze_view(evaluate(x), rule::gone, true, detail::tape_of<X>));
}

/// A new axis of extent 1 before axis Axis, which may be one past the last (-1).
template <int Axis, expression X>
auto unsqueeze(const X& x) {
  (void)detail::static_axes<rank_of<X> + 1, Axis>();
  using shape = shape_from<detail::with_axis<shape_t<X>, Axis>>;
  return detail::view_of<X, shape>(
      detail::unsqueeze_view(evaluate(x), repaired_axis(Axis, rank_of<X> + 1), detail::tape_of<X>));
}
template <expression X>
auto unsqueeze(const X& x, int axis, const place& where = place::current()) {
  const detail::Noted noted(where);
  return detail::dynamic_view_of<X, rank_of<X> + 1>(detail::unsqueeze_view(evaluate(x), axis, detail::tape_of<X>));
}

}  // namespace tt
