// Between tensors and std::mdspan, and whatever has its members: extents, strides and a pointer, all without copying.
#pragma once
#include <tt/interop/containers.hpp>

#include <array>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace tt {

namespace detail {
/// std::mdspan with strides, or a type like it. https://eel.is/c++draft/mdspan.overview
template <class Span>
concept mdspan_like = requires(const Span& m) {
  { Span::rank() } -> std::convertible_to<std::size_t>;
  { m.extent(0) } -> std::convertible_to<index_t>;
  { m.stride(0) } -> std::convertible_to<index_t>;
  { *m.data_handle() } -> std::convertible_to<typename Span::value_type>;
};
/// Extents that an mdspan has in its type stay in the tensor's.
template <class Span>
struct extents_of_mdspan {
  static constexpr dims value = [] {
    dims d;
    for (std::size_t i = 0; i < Span::rank(); ++i)
      d.push_back(Span::static_extent(i) == std::size_t(-1) ? dyn : index_t(Span::static_extent(i)));
    return d;
  }();
};
}  // namespace detail

/// A tensor over the elements of an mdspan, which must outlive it. Elements must not be const: copy those.
template <detail::mdspan_like Span>
auto from_mdspan(const Span& m) {
  using type = typename Span::element_type;
  static_assert(element<type>, "tt::from_mdspan: the elements must be of one of tt's types, and not const");
  dims size;
  index_t stride[max_rank]{};
  for (std::size_t i = 0; i < Span::rank(); ++i) {
    stride[i] = index_t(m.stride(i));
    size.push_back(index_t(m.extent(i)));
  }
  return detail::over_memory<type, shape_from<detail::extents_of_mdspan<Span>>>(std::to_address(m.data_handle()), size,
                                                                                stride);
}

/// The tensor as an mdspan of your type, with std::layout_stride or a layout like it: valid while a tensor over the
/// elements lives.
template <detail::mdspan_like Span, class Type, class ShapeType, int Order>
Span to_mdspan(const Tensor<Type, ShapeType, cpu, Order>& t) {
  static_assert(Span::rank() == std::size_t(ShapeType::rank), "tt::to_mdspan: the mdspan has another number of axes");
  static_assert(std::is_same_v<std::remove_const_t<typename Span::element_type>, Type>,
                "tt::to_mdspan: the mdspan has another element type");
  if (!t.defined()) detail::no_elements("tt::to_mdspan");
  using index = typename Span::index_type;
  std::array<index, std::size_t(ShapeType::rank)> extent, stride;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (Span::static_extent(i) != std::size_t(-1) && Span::static_extent(i) != std::size_t(t.sizes()[int(i)]))
      fail({"tt::to_mdspan: the mdspan's static extents do not fit ", t.sizes()});
    extent[i] = index(t.sizes()[int(i)]);
    stride[i] = index(t.strides()[i]);
  }
  return Span(t.data(), typename Span::mapping_type(typename Span::extents_type(extent), stride));
}

}  // namespace tt
