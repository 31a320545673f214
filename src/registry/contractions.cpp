// Products of matrices and vectors.
#include "table.hpp"

namespace tt::registry {

namespace {

void check_rank(const Bound& a, std::string_view name, int rank) {
  const AnyTensor& t = a.tensor(name);
  if (t.rank() != rank)
    fail({"tt::", a.schema().name, ": '", name, "' must have ", rank, (rank == 1 ? " axis" : " axes"),
          ", not the extents ", t.sizes()});
}

/// A factor of an integer product loses its fraction.
Argument factor(const Argument& number, dtype type) {
  if (is_floating(type) || !number.is<double>()) return number;
  return std::int64_t(number.get<double>());
}

/// beta * self + alpha * product. A beta of 0 takes self out, NaN and all, and leaves it a gradient of 0.
AnyTensor added(const Bound& a, const AnyTensor& product) {
  const AnyTensor& self = a.tensor("self");
  const Argument alpha = factor(a["alpha"], product.dtype()), beta = factor(a["beta"], product.dtype());
  if (self.dtype() != product.dtype())
    fail({"tt::", a.schema().name, ": the operands must have one dtype, not ", name_of(self.dtype()), " and ",
          name_of(product.dtype())});
  dims space = product.sizes();
  detail::broadcast_into(space, self.sizes());
  if (!(space == product.sizes()))
    fail({"tt::", a.schema().name, ": the extents ", self.sizes(), " do not broadcast to ", product.sizes()});
  const auto scaled = [](const AnyTensor& x, const AnyOperand& by) {
    return by.entry().constant.floating == 1 ? x : any_map<ops::mul>(x, by);
  };
  const AnyTensor right = scaled(product, operand(alpha));
  if (operand(beta).entry().constant.floating != 0) return any_map<ops::add>(scaled(self, operand(beta)), right);
  const AnyTensor no = detail::create_full(dtype::boolean, {}, detail::Constant(false));
  const AnyTensor never = detail::in_memory(no, product.memory());
  return any_map<ops::add>(any_map<ops::where>(never, self, 0), right);
}

Argument inner_product(const Bound& a) {
  const AnyTensor &x = a.tensor("self"), &y = a.tensor("other");
  if (x.rank() == 0 || y.rank() == 0) return any_map<ops::mul>(x, y);
  const AnyTensor product =
      any_matmul(detail::as_rows(x, detail::record_view), detail::as_rows(y, detail::record_view), true);
  return detail::reshape_view(product, detail::inner_extents(x.sizes(), y.sizes()), detail::record_view);
}

}  // namespace

void add_contractions(Table& table) {
  table.add({
      {"matmul(Tensor self, Tensor other) -> Tensor",
       [](const Bound& a) -> Argument { return any_matmul(a.tensor("self"), a.tensor("other")); }},
      {"mm(Tensor self, Tensor mat2) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "self", 2), check_rank(a, "mat2", 2);
         return any_matmul(a.tensor("self"), a.tensor("mat2"));
       }},
      {"mv(Tensor self, Tensor vec) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "self", 2), check_rank(a, "vec", 1);
         return any_matmul(a.tensor("self"), a.tensor("vec"));
       }},
      {"dot(Tensor self, Tensor tensor) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "self", 1), check_rank(a, "tensor", 1);
         return any_matmul(a.tensor("self"), a.tensor("tensor"));
       }},
      {"bmm(Tensor self, Tensor mat2) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "self", 3), check_rank(a, "mat2", 3);
         detail::check_bmm(a.tensor("self"), a.tensor("mat2"));
         return any_matmul(a.tensor("self"), a.tensor("mat2"));
       }},
      {"outer(Tensor self, Tensor vec2) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "self", 1), check_rank(a, "vec2", 1);
         return any_map<ops::mul>(detail::reshape_view(a.tensor("self"), {-1, 1}, detail::record_view),
                                  a.tensor("vec2"));
       }},
      {"inner(Tensor self, Tensor other) -> Tensor", inner_product},
      {"addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "mat1", 2), check_rank(a, "mat2", 2);
         return added(a, any_matmul(a.tensor("mat1"), a.tensor("mat2")));
       }},
      {"addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
       [](const Bound& a) -> Argument {
         check_rank(a, "mat", 2), check_rank(a, "vec", 1);
         return added(a, any_matmul(a.tensor("mat"), a.tensor("vec")));
       }},
      {"nn.functional.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
       [](const Bound& a) -> Argument {
         const AnyTensor* bias = a.given("bias") ? &a.tensor("bias") : nullptr;
         return any_matmul(a.tensor("input"), a.tensor("weight"), true, bias);
       }},
  });
}

}  // namespace tt::registry
