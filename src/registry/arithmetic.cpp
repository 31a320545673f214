// Arithmetic: of tensors and numbers, with alpha, and powers.
#include "table.hpp"

namespace tt::registry {

namespace {

/// An operand times alpha, in the dtype of the result, which alpha has no say in.
Argument scaled(const Bound& a, std::string_view name) {
  const Argument &x = a[name], &alpha = a["alpha"];
  const AnyOperand both[] = {operand(a["self"]), operand(a["other"])};
  const dtype result = detail::promoted(both, 2).type;
  if (alpha.is<double>() && !is_floating(result))
    fail({"tt::", a.schema().name, ": alpha must not be floating where the operands are integers"});
  if (alpha.is<bool>() && result != dtype::boolean)
    fail({"tt::", a.schema().name, ": alpha must not be bool where the operands are not"});
  const double factor = operand(alpha).entry().constant.floating;
  if (factor == 1) return x;
  if (x.is<AnyTensor>() && result == dtype::boolean) return any_map<ops::mul>(x.tensor(), factor != 0);
  if (x.is<AnyTensor>()) return any_map<ops::mul>(any_cast(x.tensor(), result), operand(alpha));
  if (x.is<double>() || alpha.is<double>()) return operand(x).entry().constant.floating * factor;
  return math::times(operand(x).entry().constant.integer, operand(alpha).entry().constant.integer);
}

Argument sum_of_two(const Bound& a) {
  const Argument other = scaled(a, "other");
  return any_map<ops::add>(operand(a["self"]), operand(other));
}

/// left - alpha * right. PyTorch refuses bools on either side, whatever the other side is.
Argument difference(const Bound& a, std::string_view left, std::string_view right) {
  if (operand(a[left]).dtype() == dtype::boolean || operand(a[right]).dtype() == dtype::boolean)
    fail({"tt::", a.schema().name, ": a difference is not defined for bool: cast it, or use a comparison"});
  const Argument taken = scaled(a, right);
  return any_map<ops::sub>(operand(a[left]), operand(taken));
}

template <class Op>
Argument of_two(const Bound& a) {
  return any_map<Op>(operand(a["self"]), operand(a["other"]));
}

Argument quotient(const Bound& a) {
  if (!a.given("rounding_mode")) return of_two<ops::div>(a);
  const std::string& mode = a.string("rounding_mode");
  if (mode == "floor") return of_two<ops::floor_divide>(a);
  if (mode == "trunc") return of_two<ops::trunc_divide>(a);
  fail({"tt::div: rounding_mode must be None, 'floor' or 'trunc', not '", mode, "'"});
}

Argument power(const Bound& a) {
  const AnyOperand both[] = {operand(a["self"]), operand(a["exponent"])};
  const Argument& exponent = a["exponent"];
  if (exponent.is<std::int64_t>() && exponent.get<std::int64_t>() < 0 && !is_floating(detail::promoted(both, 2).type))
    fail("tt::pow: an integer to a negative integer power is not an integer: cast the base");
  return any_map<ops::pow>(both[0], both[1]);
}

}  // namespace

void add_arithmetic(Table& table) {
  table.add(ops::arithmetic{});
  table.add(ops::bitwise{});
  table.add(ops::division{});
  // Those that take numbers on both sides, or more than their operands, or no numbers at all.
  table.add({
      {"add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
       "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor\n"
       "add.Numbers(Scalar self, Scalar other, *, Scalar alpha=1) -> Tensor\n"
       "add.ScalarSelf(Scalar self, Tensor other, *, Scalar alpha=1) -> Tensor",
       sum_of_two},
      {"sub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
       "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor\n"
       "sub.Numbers(Scalar self, Scalar other, *, Scalar alpha=1) -> Tensor\n"
       "sub.ScalarSelf(Scalar self, Tensor other, *, Scalar alpha=1) -> Tensor",
       [](const Bound& a) { return difference(a, "self", "other"); }},
      {"rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
       "rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
       [](const Bound& a) { return difference(a, "other", "self"); }},
      {"mul(Tensor self, Tensor other) -> Tensor\n"
       "mul.Scalar(Tensor self, Scalar other) -> Tensor\n"
       "mul.Numbers(Scalar self, Scalar other) -> Tensor\n"
       "mul.ScalarSelf(Scalar self, Tensor other) -> Tensor",
       of_two<ops::mul>},
      {"div(Tensor self, Tensor other, *, str? rounding_mode=None) -> Tensor\n"
       "div.Scalar(Tensor self, Scalar other, *, str? rounding_mode=None) -> Tensor\n"
       "div.Numbers(Scalar self, Scalar other, *, str? rounding_mode=None) -> Tensor\n"
       "div.ScalarSelf(Scalar self, Tensor other, *, str? rounding_mode=None) -> Tensor",
       quotient},
      {"true_divide(Tensor self, Tensor other) -> Tensor\n"
       "true_divide.Scalar(Tensor self, Scalar other) -> Tensor\n"
       "true_divide.Numbers(Scalar self, Scalar other) -> Tensor\n"
       "true_divide.ScalarSelf(Scalar self, Tensor other) -> Tensor",
       quotient},
      {"floor_divide(Tensor self, Tensor other) -> Tensor\n"
       "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor\n"
       "floor_divide.Numbers(Scalar self, Scalar other) -> Tensor\n"
       "floor_divide.ScalarSelf(Scalar self, Tensor other) -> Tensor",
       of_two<ops::floor_divide>},
      {"remainder(Tensor self, Tensor other) -> Tensor\n"
       "remainder.Scalar(Tensor self, Scalar other) -> Tensor\n"
       "remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
       of_two<ops::remainder>},
      {"pow(Tensor self, Tensor exponent) -> Tensor\n"
       "pow.Scalar(Scalar self, Tensor exponent) -> Tensor\n"
       "pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
       power},
      {"minimum(Tensor self, Tensor other) -> Tensor",
       [](const Bound& a) -> Argument { return any_map<ops::minimum>(a.tensor("self"), a.tensor("other")); }},
      {"maximum(Tensor self, Tensor other) -> Tensor",
       [](const Bound& a) -> Argument { return any_map<ops::maximum>(a.tensor("self"), a.tensor("other")); }},
      {"bitwise_not(Tensor self) -> Tensor",
       [](const Bound& a) -> Argument {
         const AnyTensor& self = a.tensor("self");
         return self.dtype() == dtype::boolean ? any_map<ops::eq>(self, false) : any_map<ops::bitwise_not>(self);
       }},
      {"positive(Tensor self) -> Tensor",
       [](const Bound& a) -> Argument {
         if (a.tensor("self").dtype() == dtype::boolean) fail("tt::positive: it is not defined for bool");
         return a.tensor("self");
       }},
  });
}

}  // namespace tt::registry
