// The dtypes that kernels do not compute in: small integers wrap on store, 16-bit floats are rounded once.
#include "../catch.hpp"
#include "../op_families.hpp"

using tests::values;
using tt::dyn;
template <class Type>
using V = tt::Tensor<Type, tt::Shape<dyn>>;
template <class Type>
using M = tt::Tensor<Type, tt::Shape<dyn, dyn>>;

namespace {

/// One dtype after the other.
template <class... Type, class Function>
void for_types(Function&& f) {
  (f(Type{}), ...);
}

}  // namespace

TEST_CASE("narrow: every op of 16-bit floats is the float op, rounded once", "[ops]") {
  for_types<tt::half, tt::bfloat16>([]<class Narrow>(Narrow) {
    tests::for_each_map_op([]<class Op>(Op) {
      const auto a = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({77}, 0);
      const auto b = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({77}, 1);
      const auto c = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({77}, 2);
      if constexpr (tests::accepts<Op>(tt::dtype_of<Narrow>)) {
        const auto got = tt::eval(tests::call<Op>(a, b, c));
        const auto wide = tt::eval(tests::call<Op>(tt::to<float>(a), tt::to<float>(b), tt::to<float>(c)));
        static_assert(tests::compares<Op> || std::is_same_v<tt::value_t<decltype(got)>, Narrow>);
        INFO(Op::name << " " << tt::name_of(tt::dtype_of<Narrow>));
        CHECK(tests::same_bits(got, tt::to<tt::value_t<decltype(got)>>(wide)));
        CHECK(tests::same_bits(got, tt::eval(tests::call<Op>(tests::scattered(a), tests::scattered(b), tests::scattered(c)))));
      }
    });
  });
}

TEST_CASE("narrow: every op of small integers is the int64 op, wrapped", "[ops]") {
  for_types<std::int8_t, std::int16_t, std::int32_t>([]<class Narrow>(Narrow) {
    tests::for_each_map_op([]<class Op>(Op) {
      if constexpr (tests::accepts<Op>(tt::dtype_of<Narrow>) && tests::keeps_integers<Op>) {
        const auto a = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({50}, 0) * 41;
        const auto b = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({50}, 1);
        const auto c = tests::operand_of<Op, Narrow, tt::Shape<dyn>>({50}, 2);
        const auto got = tt::eval(tests::call<Op>(a, b, c));
        const auto wide = tests::call<Op>(tt::to<std::int64_t>(a), tt::to<std::int64_t>(b), tt::to<std::int64_t>(c));
        INFO(Op::name << " " << tt::name_of(tt::dtype_of<Narrow>));
        CHECK(tests::same_bits(got, tt::to<tt::value_t<decltype(got)>>(wide)));
      }
    });
    const V<Narrow> most({2}, std::array{(std::numeric_limits<Narrow>::max)(), (std::numeric_limits<Narrow>::min)()});
    CHECK(values<std::int64_t>(most + 1)[0] == (std::numeric_limits<Narrow>::min)());
    CHECK(values<std::int64_t>(tt::sum(most))[0] == -1);
    CHECK(tt::eval(tt::argmax(most)).item() == 0);
    CHECK(values<std::int64_t>(tt::amin(most))[0] == (std::numeric_limits<Narrow>::min)());
  });
}

TEST_CASE("narrow: sums of 16-bit floats are kept wide and rounded once, gradients are 16-bit", "[ops]") {
  for_types<tt::half, tt::bfloat16>([]<class Narrow>(Narrow) {
    const auto x = tests::numbers<Narrow, tt::Shape<dyn, dyn>>({40, 25}, -1, 2);
    const auto wide = tt::to<float>(x);
    CHECK(tests::same_bits(tt::sum(x), tt::to<Narrow>(tt::sum(wide))));
    CHECK(tests::same_bits(tt::mean<0>(x), tt::to<Narrow>(tt::mean<0>(wide))));
    CHECK(tests::same_bits(tt::amax<1>(x), tt::to<Narrow>(tt::amax<1>(wide))));
    CHECK(tests::same_bits(tt::argmax<1>(x), tt::argmax<1>(wide)));
    const auto y = tests::numbers<Narrow, tt::Shape<dyn, dyn>>({25, 7}, -1, 1, 2);
    CHECK(tests::same_bits(tt::matmul(x, y), tt::to<Narrow>(tt::matmul(wide, tt::to<float>(y)))));

    auto leaf = tests::leaf<Narrow, tt::Shape<dyn, dyn>>({6, 5}, 0.25, 2);
    tt::Variable<float, tt::Shape<dyn, dyn>> wide_leaf = tt::to<float>(leaf.detach());
    wide_leaf.requires_grad_();
    backward(tt::sum(exp(leaf) * leaf));
    backward(tt::sum(exp(wide_leaf) * wide_leaf));
    static_assert(std::is_same_v<tt::value_t<decltype(leaf.grad())>, Narrow>);
    const double unit = std::is_same_v<Narrow, tt::half> ? 0x1p-9 : 0x1p-6;  // exp(x) is stored between the two ops
    for (std::size_t i = 0; i < 30; ++i)
      CHECK(values(leaf.grad())[i] == Approx(values(wide_leaf.grad())[i]).epsilon(unit));
    leaf.set_grad({});
    backward(tt::sum(tt::matmul(leaf, tt::transpose<0, 1>(leaf))) + tt::sum(tt::amax<1>(leaf)));
    CHECK(leaf.grad().dtype() == tt::dtype_of<Narrow>);
    CHECK(values(leaf.grad())[0] == Approx(2 * values(tt::sum<0>(wide_leaf.detach()))[0]).margin(1.1));
  });
}

TEST_CASE("narrow: mixed dtypes promote as PyTorch's, and unsigned ones are only stored and cast", "[ops]") {
  static_assert(std::is_same_v<tt::value_t<decltype(V<tt::half>() + V<tt::bfloat16>())>, float>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<std::uint8_t>() + V<std::int8_t>())>, std::int16_t>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<std::int32_t>() * 2.5)>, float>);
  static_assert(std::is_same_v<tt::value_t<decltype(V<tt::half>() * 2.5)>, tt::half>);
  static_assert(std::is_same_v<tt::value_t<decltype(exp(V<std::int16_t>()))>, float>);
  static_assert(std::is_same_v<tt::value_t<decltype(exp(V<tt::bfloat16>()))>, tt::bfloat16>);
  static_assert(!tests::accepts<tt::ops::add>(tt::dtype::uint32) && !tests::accepts<tt::ops::eq>(tt::dtype::uint64));
  const V<std::uint64_t> large({3}, std::array<std::uint64_t, 3>{0, UINT64_MAX, std::uint64_t(1) << 63});
  CHECK(values(tt::to<double>(large)) == std::vector<double>{0, 0x1p64, 0x1p63});
  CHECK(values<std::int64_t>(tt::to<std::int64_t>(large)) == std::vector<std::int64_t>{0, -1, INT64_MIN});
  CHECK(values<std::uint64_t>(tt::to<std::uint64_t>(V<double>({2}, std::array{0x1p63, -1.}))) ==
        std::vector<std::uint64_t>{std::uint64_t(1) << 63, UINT64_MAX});
  CHECK(values(tt::to<std::uint16_t>(V<float>({2}, std::array{65537.f, -1.f}))) == std::vector<double>{1, 65535});
}

TEST_CASE("narrow: every dtype can be cast to every other, and back where nothing is lost", "[ops]") {
  const tt::AnyTensor small = tt::arange<std::int64_t>(12);
  for (int i = 0; i < tt::dtype_count; ++i)
    for (int j = 0; j < tt::dtype_count; ++j) {
      const tt::dtype a = tt::dtype(i), b = tt::dtype(j);
      const tt::AnyTensor x = tt::AnyTensor::empty(a, {3, 4}), y = tt::AnyTensor::empty(b, {3, 4});
      x.copy_(small.with_layout({3, 4}, std::array<tt::index_t, 2>{4, 1}.data(), 0));
      y.copy_(tests::scattered(x));
      CHECK(tt::to_string(y).find(tt::name_of(b)) != std::string::npos);
      const auto got = values(y);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const bool to_bool = a == tt::dtype::boolean || b == tt::dtype::boolean;
        if (got[k] != (to_bool ? double(k > 0) : double(k))) FAIL(tt::name_of(a) << " to " << tt::name_of(b) << " at " << k);
      }
    }
}
