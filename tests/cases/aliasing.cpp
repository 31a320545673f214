// Operations of the area aliasing: assignments whose right side reads what the left side writes.
#include "typed.hpp"

namespace cases {

namespace {

using tt::AnyTensor;
using tt::Argument;
using tt::slice;

/// The copy of an input that the adapter may write.
template <class Type, int Rank>
auto own(const Call& c, const char* name) {
  return tt::clone(typed<Type, Rank>(c.tensor(name)));
}

Results assign_transpose(const Call& c) {
  return with_number(c.tensor("x"), [&]<class Type>(Type) -> Results {
    auto x = own<Type, 2>(c, "x");
    x = tt::transpose(x);
    return {{"x", x}};
  });
}
Results assign_add_transpose(const Call& c) {
  return with_number(c.tensor("a"), [&]<class Type>(Type) -> Results {
    auto a = own<Type, 2>(c, "a");
    a = a + tt::transpose(a);
    return {{"a", a}};
  });
}
Results iadd_transpose(const Call& c) {
  return with_number(c.tensor("a"), [&]<class Type>(Type) -> Results {
    const auto a = own<Type, 2>(c, "a");
    a += tt::transpose(a);
    return {{"a", a}};
  });
}
Results assign_matvec(const Call& c) {
  return with_floating(c.tensor("v"), [&]<class Type>(Type) -> Results {
    auto v = own<Type, 1>(c, "v");
    v = tt::matmul(typed<Type, 2>(c.tensor("m")), v);
    return {{"v", v}};
  });
}
Results assign_minus_mean(const Call& c) {
  return with_floating(c.tensor("b"), [&]<class Type>(Type) -> Results {
    auto b = own<Type, 1>(c, "b");
    b = b - tt::mean(b);
    return {{"b", b}};
  });
}
Results assign_plus_first(const Call& c) {
  return with_number(c.tensor("r"), [&]<class Type>(Type) -> Results {
    auto r = own<Type, 1>(c, "r");
    r = r + tt::select<0>(r, 0);
    return {{"r", r}};
  });
}
/// x[::2] = x[1::2]
Results assign_even_from_odd(const Call& c) {
  return with_number(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = own<Type, 1>(c, "x");
    slice<0>(x, 0, x.numel(), 2) = slice<0>(x, 1, x.numel(), 2);
    return {{"x", x}};
  });
}
/// x[:, 1:] = x[:, :-1]
Results assign_shift_axis1(const Call& c) {
  return with_number(c.tensor("x"), [&]<class Type>(Type) -> Results {
    const auto x = own<Type, 2>(c, "x");
    slice<1>(x, 1, x.size(1)) = slice<1>(x, 0, -1);
    return {{"x", x}};
  });
}
/// x[...] = x with its first axis reversed.
Results assign_flip(const Call& c) {
  const AnyTensor x = c.tensor("x").copied();
  x.copy_(tt::call("flip", {x, Argument{0}}).tensor());
  return {{"x", x}};
}
/// a[1:] /= a[:-1]
Results idiv_shifted(const Call& c) {
  return with_floating(c.tensor("a"), [&]<class Type>(Type) -> Results {
    const auto a = own<Type, 1>(c, "a");
    slice<0>(a, 1, a.numel()) /= slice<0>(a, 0, -1);
    return {{"a", a}};
  });
}
/// a[:, 1:] |= a[:, :-1]
Results ior_shifted_columns(const Call& c) {
  const AnyTensor a = c.tensor("a").copied();
  const tt::index_t n = a.size(1);
  const AnyTensor to = tt::call("slice", {a, 1, 1, n}).tensor(), from = tt::call("slice", {a, 1, 0, n - 1}).tensor();
  to.copy_(tt::call("bitwise_or", {to, from}).tensor());
  return {{"a", a}};
}
/// target[...] = source
Results assign_into_view(const Call& c) {
  const AnyTensor target = c.tensor("target").copied();
  target.copy_(c.tensor("source"));
  return {{"target", target}};
}
/// x = x + scale * L[row]
Results add_scaled_row(const Call& c) {
  return with_floating(c.tensor("x"), [&]<class Type>(Type) -> Results {
    auto x = own<Type, 1>(c, "x");
    const auto rows = typed<Type, 2>(c.tensor("L"));
    x = x + tt::select<0>(rows, c.integer("row")) * c.number("scale");
    return {{"y", x}};
  });
}

AnyTensor expanded(const Call& c) { return tt::call("expand", {c.tensor("x"), c.at("shape")}).tensor(); }
Results expand_then_cos(const Call& c) { return {{"y", tt::call("cos", {expanded(c)})}}; }
Results expand_then_inplace_cos(const Call& c) {
  const AnyTensor y = expanded(c);
  y.copy_(tt::call("cos", {y}).tensor());
  return {{"y", y}};
}
Results masked_fill_broadcast(const Call& c) {
  return {{"y", tt::call("masked_fill", {c.tensor("x"), c.tensor("mask"), c.at("value")})}};
}

}  // namespace

void add_aliasing(Adapters& table) {
  table.insert({{"assign_transpose", assign_transpose},
                {"assign_add_transpose", assign_add_transpose},
                {"iadd_transpose", iadd_transpose},
                {"assign_matvec", assign_matvec},
                {"assign_minus_mean", assign_minus_mean},
                {"assign_plus_first", assign_plus_first},
                {"assign_even_from_odd", assign_even_from_odd},
                {"assign_shift_axis1", assign_shift_axis1},
                {"assign_flip", assign_flip},
                {"idiv_shifted", idiv_shifted},
                {"ior_shifted_columns", ior_shifted_columns},
                {"assign_into_view", assign_into_view},
                {"add_scaled_row", add_scaled_row},
                {"expand_then_cos", expand_then_cos},
                {"expand_then_inplace_cos", expand_then_inplace_cos},
                {"masked_fill_broadcast", masked_fill_broadcast}});
}

}  // namespace cases
