// Held against std::mdspan where there is one, and against a type with its members everywhere.
#include <tt/mdspan.hpp>

#include "../catch.hpp"
#include "../tensors.hpp"

using tests::values;
using tt::dyn;
using tt::Shape;
using list = std::vector<double>;

namespace {

template <std::size_t... Extents>
struct extents {
  std::array<tt::index_t, sizeof...(Extents)> at;
  explicit extents(std::array<tt::index_t, sizeof...(Extents)> a) : at(a) {}
};

/// What std::mdspan<Type, std::extents<index_t, Extents...>, std::layout_stride> has.
template <class Type, std::size_t... Extents>
struct Spanned {
  using element_type = Type;
  using value_type = std::remove_const_t<Type>;
  using index_type = tt::index_t;
  using extents_type = extents<Extents...>;
  struct mapping_type {
    extents_type size;
    std::array<tt::index_t, sizeof...(Extents)> step;
    mapping_type(const extents_type& e, std::array<tt::index_t, sizeof...(Extents)> s) : size(e), step(s) {}
  };
  Type* data;
  mapping_type mapping;

  Spanned(Type* p, const mapping_type& m) : data(p), mapping(m) {}
  static constexpr std::size_t rank() { return sizeof...(Extents); }
  static constexpr std::size_t static_extent(std::size_t i) {
    constexpr std::size_t all[] = {Extents...};
    return all[i];
  }
  tt::index_t extent(std::size_t i) const { return mapping.size.at[i]; }
  tt::index_t stride(std::size_t i) const { return mapping.step[i]; }
  Type* data_handle() const { return data; }
};
constexpr std::size_t any = std::size_t(-1);

template <class Dynamic, class Static>
void check_both_ways() {
  float memory[] = {1, 2, 3, 4, 5, 6};
  using mapping = typename Static::mapping_type;
  const Static columns(memory, mapping(typename Static::extents_type(std::array<tt::index_t, 2>{2, 3}),
                                       std::array<tt::index_t, 2>{1, 2}));
  const auto t = tt::from_mdspan(columns);
  static_assert(std::is_same_v<tt::shape_t<decltype(t)>, Shape<2, dyn>>);
  CHECK(values(t) == list{1, 3, 5, 2, 4, 6});
  t(1, 2) = 60;
  CHECK(memory[5] == 60);

  const auto m = tests::numbers<float, Shape<dyn, dyn>>({3, 2});
  const tt::Tensor turned = tt::transpose<0, 1>(m);
  const auto out = tt::to_mdspan<Dynamic>(turned);
  CHECK((out.extent(0) == 2 && out.extent(1) == 3 && out.stride(0) == 1 && out.stride(1) == 2));
  CHECK(out.data_handle() == m.data());
  CHECK(tests::same_bits(tt::from_mdspan(out), turned));
  CHECK_THROWS_WITH(tt::to_mdspan<Static>(m), Contains("[3, 2]"));
}

}  // namespace

TEST_CASE("mdspan: a type with its members shares elements both ways", "[interop]") {
  check_both_ways<Spanned<float, any, any>, Spanned<float, 2, any>>();
}
#if defined(__cpp_lib_mdspan)
TEST_CASE("mdspan: std::mdspan shares elements both ways", "[interop]") {
  check_both_ways<std::mdspan<float, std::extents<tt::index_t, any, any>, std::layout_stride>,
                  std::mdspan<float, std::extents<tt::index_t, 2, any>, std::layout_stride>>();
}
#endif
