// Typed views of every dtype, of ranks 0 to 5, with static, run-time and named extents: their types fit what they hold,
// and the elements are those of the view without static types.
#include "../typed.hpp"

using tests::same_bits;
using tt::AnyTensor;
using tt::dyn;
using tt::index_t;

namespace {

template <class Type>
AnyTensor elements(const tt::dims& size) {
  const AnyTensor t = AnyTensor::empty(tt::dtype_of<Type>, size);
  for (std::size_t i = 0; i < std::size_t(t.numel()) * sizeof(Type); ++i)
    t.data_ptr()[i] = std::is_same_v<Type, bool> ? std::byte(i % 2) : std::byte(i * 5 + 1);
  return t;
}

/// Typed like its elements, and the same as the view of any tensor.
template <class View>
void agree(const View& typed, const AnyTensor& any) {
  CHECK(tt::fits(typed.sizes(), tt::shape_t<View>::value));
  CHECK(same_bits(AnyTensor(typed), any));
  CHECK(typed.storage() == any.storage());
}

template <class Type, class ShapeType>
void views(const AnyTensor& any) {
  const auto x = any.as<Type, ShapeType>();
  agree(tt::eval(tt::T(x)), tt::T(any));
  agree(tt::unsqueeze<0>(x), tt::unsqueeze(any, 0));
  agree(tt::unsqueeze<-1>(x), tt::unsqueeze(any, -1));
  agree(tt::squeeze<0>(tt::unsqueeze<0>(x)), any);
  agree(tt::flatten(x), tt::flatten(any));
  agree(tt::reshape<-1>(x), tt::reshape(any, {-1}));
  agree(tt::expand_as(x, tt::unsqueeze<0>(x)), tt::unsqueeze(any, 0));
  if constexpr (ShapeType::rank >= 1) {
    agree(tt::select<-1>(x, 1), tt::select(any, -1, 1));
    agree(tt::select<0, 1>(x), tt::select(any, 0, 1));
    agree(tt::slice<0>(x, 1, 9), tt::slice(any, 0, 1, 9));
    agree(tt::slice<-1, 0, 9, 2>(x), tt::slice(any, -1, 0, 9, 2));
    agree(tt::narrow<0, 1, 1>(x), tt::narrow(any, 0, 1, 1));
    agree(tt::unfold<-1, 2>(x), tt::unfold(any, -1, 2));
    agree(tt::movedim<0, -1>(x), tt::movedim(any, 0, -1));
    agree(tt::unbind(x)[1], tt::unbind(any)[1]);
    agree(tt::split_with_sizes<0, 1, 1>(tt::narrow<0, 0, 2>(x))[1], tt::narrow(any, 0, 1, 1));
  }
  if constexpr (ShapeType::rank >= 2) {
    agree(tt::transpose<0, -1>(x), tt::transpose(any, 0, -1));
    agree(tt::diagonal<0, 0, -1>(x), tt::diagonal(any, 0, 0, -1));
    agree(tt::flatten<0, 1>(x), tt::flatten(any, 0, 1));
  }
}
template <class Type, class Shapes>
void kinds() {
  const AnyTensor any = elements<Type>(Shapes::size());
  INFO(tt::name_of(any.dtype()) << " " << tt::to_string(any.sizes()));
  views<Type, typename Shapes::fixed>(any);
  views<Type, typename Shapes::dynamic>(any);
  views<Type, typename Shapes::named>(any);
}

}  // namespace

TEST_CASE("view types: ranks 0 to 5, extents known at any time", "[ops]") {
  tests::each_rank([]<class Sizes>(Sizes) { kinds<float, Sizes>(); });
}

TEST_CASE("view types: every dtype", "[ops]") {
  tests::each_stored([]<class Type>(Type) {
    views<Type, tt::Shape<2, dyn, tt::dim("four")>>(elements<Type>({2, 3, 4}));
  });
}
