// What an op gives depends on the elements alone: not on strides, on how much of the shape is static, or on where an
// operand was broadcast from.
#include "../catch.hpp"
#include "../op_families.hpp"

using tests::same_bits;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;

namespace {

/// Contiguous operands against the same elements elsewhere. 300 x 7 and 7 x 300: short and long rows, packed in pieces.
template <class Op, class Number>
void check_layouts() {
  INFO(Op::name << " of " << tt::name_of(tt::dtype_of<Number>));
  for (const tt::dims& size :
       {tt::dims{300, 7}, tt::dims{7, 300}, tt::dims{1, 5}, tt::dims{5, 1}, tt::dims{1, 1}, tt::dims{0, 3}}) {
    const auto a = tests::operand_of<Op, Number, Matrix>(size, 0), b = tests::operand_of<Op, Number, Matrix>(size, 1),
               c = tests::operand_of<Op, Number, Matrix>(size, 2);
    const tt::Tensor y = tests::call<Op>(a, b, c);
    CHECK(same_bits(tests::call<Op>(tests::scattered(a), tests::scattered(b), tests::scattered(c)), y));
    CHECK(same_bits(tests::call<Op>(a, tests::scattered(b), c), y));
    const auto turned = [](const auto& x) {
      return tt::Tensor(tt::transpose<0, 1>(tt::clone(tt::transpose<0, 1>(x))));
    };
    CHECK(same_bits(tests::call<Op>(turned(a), b, turned(c)), y));
    CHECK(same_bits(tests::call<Op>(turned(a), turned(b), turned(c)), y));
    const auto whole = size[0] + 1;
    const auto sliced = [&](const auto& x) {   // rows 1 .. of a tensor with one more
      const auto wide = tt::full<Number, Matrix>({whole, size[1]}, 1);
      tt::slice<0>(wide, 1, whole) = x;
      return tt::Tensor(tt::slice<0>(wide, 1, whole));
    };
    CHECK(same_bits(tests::call<Op>(sliced(a), b, sliced(c)), y));
  }
  const auto stepped = [](int k) { return tt::slice<0>(tests::operand_of<Op, Number, Vector>({3000}, k), 2, 2900, 7); };
  const tt::Tensor a = tt::clone(stepped(0)), b = tt::clone(stepped(1)), c = tt::clone(stepped(2));
  CHECK(same_bits(tests::call<Op>(stepped(0), stepped(1), stepped(2)), tests::call<Op>(a, b, c)));
}

template <class Op, class Number>
void check_static() {
  using Shape = tt::Shape<3, 5>;
  using Named = tt::Shape<tt::dim("row"), 5>;
  const tt::dims size{3, 5};
  const auto as = [&]<class ShapeType>(ShapeType, int k) { return tests::operand_of<Op, Number, ShapeType>(size, k); };
  const tt::Tensor fixed = tests::call<Op>(as(Shape{}, 0), as(Shape{}, 1), as(Shape{}, 2));
  static_assert(std::is_same_v<typename decltype(fixed)::shape, Shape>);
  const tt::Tensor named = tests::call<Op>(as(Named{}, 0), as(Named{}, 1), as(Named{}, 2));
  static_assert(std::is_same_v<typename decltype(named)::shape, Named>);
  const tt::Tensor mixed = tests::call<Op>(as(Matrix{}, 0), as(Named{}, 1), as(Shape{}, 2));
  CHECK(same_bits(fixed, named));
  CHECK(same_bits(fixed, mixed));
}

/// Each operand as scalar, row, column and full matrix in turn, against operands that were copied out first.
template <class Op, class Number>
void check_broadcast() {
  const tt::dims kinds[] = {{}, {1, 1}, {70}, {1, 70}, {9, 1}, {9, 70}};
  const auto operand = [&](const tt::dims& size, int k) -> tt::AnyTensor {
    return tests::operand_of<Op, Number, tt::Shape<dyn>>({size.count()}, k);
  };
  const auto shaped = [&](const tt::dims& size, int k) {
    return operand(size, k).with_layout(size, tt::AnyTensor::empty(tt::dtype_of<Number>, size).strides(), 0);
  };
  for (const tt::dims& left : kinds)
    for (const tt::dims& right : kinds) {
      const tt::dims both = tt::broadcast(tt::broadcast(left, right), tt::dims{1, 1});
      const auto expanded = [&](const tt::AnyTensor& x) {
        const auto full = tt::AnyTensor::empty(x.dtype(), both);
        full.copy_(x);
        return full.template as<Number, Matrix>();
      };
      const auto check = [&](const auto& a, const auto& b) {
        INFO(Op::name << ' ' << tt::to_string(left) << ' ' << tt::to_string(right));
        const tt::Tensor y = tests::call<Op>(a, b, a), want = tests::call<Op>(expanded(a), expanded(b), expanded(a));
        CHECK(same_bits(tt::reshape(y, {want.numel()}), tt::reshape(want, {want.numel()})));
      };
      const tt::AnyTensor a = shaped(left, 0), b = shaped(right, 1);
      // Ranks are types: two axes throughout but for the scalar and the row.
      if (left.rank == 2 && right.rank == 2) check(a.as<Number, Matrix>(), b.as<Number, Matrix>());
      if (left.rank == 1 && right.rank == 2) check(a.as<Number, Vector>(), b.as<Number, Matrix>());
      if (left.rank == 2 && right.rank == 1) check(a.as<Number, Matrix>(), b.as<Number, Vector>());
      if (left.rank == 0 && right.rank == 2) check(a.as<Number, tt::Shape<>>(), b.as<Number, Matrix>());
      if (left.rank == 2 && right.rank == 0) check(a.as<Number, Matrix>(), b.as<Number, tt::Shape<>>());
    }
}

}  // namespace

TEST_CASE("ops: strided, transposed, sliced and stepped operands give the same bits as contiguous ones", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    check_layouts<Op, float>();
    check_layouts<Op, double>();
    if constexpr (tests::keeps_integers<Op>) check_layouts<Op, std::int64_t>();
  });
}
TEST_CASE("ops: static, named and dynamic extents give the same bits", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) { check_static<Op, float>(); });
}
TEST_CASE("ops: scalars, rows, columns and outer products broadcast as if they had been copied out", "[ops]") {
  tests::for_each_map_op([]<class Op>(Op) {
    if constexpr (tests::arity<Op> > 1) check_broadcast<Op, double>();
  });
}

TEST_CASE("ops: a vector of n and a column of m make m x n, up to the largest rank", "[ops]") {
  const tt::Tensor<double, tt::Shape<3>> row{{1, 2, 3}};
  const tt::Tensor<double, tt::Shape<2, 1>> column{{10, 20}};
  CHECK(tests::values(row + column) == std::vector<double>{11, 12, 13, 21, 22, 23});
  CHECK(tests::values(column + row) == std::vector<double>{11, 12, 13, 21, 22, 23});
  tt::dims deep, flat;
  for (int i = 0; i < tt::max_rank; ++i) deep.push_back(i % 5 == 0 ? 3 : 1), flat.push_back(i % 5 == 1 ? 2 : 1);
  const auto a = tests::numbers<double, tt::dynamic_shape<16>>(deep),
             b = tests::numbers<double, tt::dynamic_shape<16>>(flat);
  const tt::Tensor y = a * b;
  CHECK(y.numel() == 81 * 8);
  CHECK(y.is_contiguous());
  CHECK(tests::values(tt::sum(y))[0] == Approx(tests::values(tt::sum(a))[0] * tests::values(tt::sum(b))[0]));
}

TEST_CASE("ops: extents that do not broadcast at run time are refused with both shapes", "[ops]") {
  const tt::Matrix<float> a({2, 3}), b({2, 4}), none({0, 3}), two({2, 3});
  CHECK_THROWS_WITH(tt::eval(a + b), Contains("[2, 3]") && Contains("[2, 4]") && Contains("do not broadcast"));
  CHECK_THROWS(tt::eval(none + two));
  const tt::Tensor<float, tt::Shape<4>> four = tt::zeros<float, tt::Shape<4>>();
  CHECK_THROWS(tt::eval(a + four));
}
