// Module: base of a network. `struct Net : nn::Module<Net>` with a TT_MODULE(members...) line and a forward().
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/dispatch/contract.hpp>
#include <tt/nn/any_module.hpp>

#include <tuple>

namespace tt::nn {

// ---- the walk over a module's members ----

TT_NOINLINE inline void walk_one(Visitor& v, std::string_view name, Parameter& p) {
  const std::size_t before = v.path.size();
  v.path.push(name);
  v.parameter(v, v.path.view(), p);
  v.path.cut(before);
}
TT_NOINLINE inline void walk_one(Visitor& v, std::string_view name, AnyModule& m) {
  const std::size_t before = v.path.size();
  v.path.push(name);
  if (v.module) v.module(v, v.path.view(), m);
  m.tt_walk(v);
  v.path.cut(before);
}
/// A list of modules: names are positions.
template <class M>
void walk_one(Visitor& v, std::string_view name, std::vector<M>& list) {
  const std::size_t before = v.path.size();
  v.path.push(name);
  for (std::size_t i = 0; i < list.size(); ++i) walk_one(v, detail::PositionName(i), list[i]);
  v.path.cut(before);
}

namespace detail {

// A bool, not a concept: clang would add its reasons to the message below.
template <class Member>
inline constexpr bool walkable = requires(Visitor& v, Member& m) { walk_one(v, std::string_view(), m); };

/// Takes the next name off a list as the preprocessor spelled it; a private `weight_` is "weight" in files.
TT_NOINLINE inline std::string_view next_name(std::string_view& names) {
  const auto comma = names.find(','), first = names.find_first_not_of(' ');
  std::string_view name = names.substr(first, comma - first);
  names.remove_prefix(comma == names.npos ? names.size() : comma + 1);
  if (name.back() == '_') name.remove_suffix(1);
  return name;
}
struct WalkMembers {
  Visitor& visitor;
  template <class... Member>
  void operator()([[maybe_unused]] std::string_view names, Member&... member) const {
    constexpr bool all = (walkable<Member> && ...);
    static_assert(all, "tt::nn: TT_MODULE lists a member that is no parameter, module or list of modules");
    if constexpr (all) (walk_one(visitor, next_name(names), member), ...);
  }
};

/// The only friend a module has.
struct Access {
  template <class M>
  static auto owner(M& m) -> decltype(*m.tt_owner());
  template <class M>
  static constexpr bool has_line = requires(M& m) { requires std::is_same_v<decltype(Access::owner(m)), M&>; };
  template <class M, class Function>
  static auto members(M& m, Function f) {
    return m.tt_members(f);
  }
};

// ---- calling ----

struct fine {};
/// What a call of a layer with these inputs is: `fine`, or the operands of an error message. Layers with a rule
/// specialise it.
template <class Layer, class... In>
struct verdict {
  using type = fine;
};
template <class Verdict>
inline constexpr bool the_shapes_fit = std::is_same_v<Verdict, fine>;
template <class Verdict>
constexpr void must_fit() {
  static_assert(the_shapes_fit<Verdict>,
                "tt::nn: this layer cannot take its input; expected<> and got<> are the extents");
}

/// f(tensor) for every tensor of an expression or a tuple of them.
template <class T, class Function>
void each_tensor(const T& t, Function&& f) {
  if constexpr (expression<T>) f(evaluate(t));
  else if constexpr (requires { std::tuple_size<T>::value; })
    std::apply([&](const auto&... e) { (each_tensor(e, f), ...); }, t);
}

/// What a call hands on: a contraction as it is, so that an activation can still join it; anything else stored, so that
/// types do not grow from layer to layer.
template <class Y>
auto settled(Y&& y) {
  using plain = std::remove_cvref_t<Y>;
  if constexpr (!expression<plain> || tt::detail::is_contract<plain> || std::is_base_of_v<AnyTensor, plain>)
    return plain(std::forward<Y>(y));
  else return tt::eval(y);
}
/// Shows an output to the hooks of its call. What they put in its place must be of its type.
TT_NOINLINE inline void hook_output(HookedCall& call, tt::detail::ContractBlock& y, dtype type, const dims& size) {
  call.output(call, tt::detail::product_of(y));
  const AnyTensor other = call.run(call);
  if (!other.defined()) return;
  tt::detail::check_face(other.dtype(), other.sizes(), type, size);
  y.result = other;
}
template <class Y>
void hook_output(HookedCall& call, Y& y) {
  if constexpr (tt::detail::is_contract<Y>) {
    hook_output(call, *y.block, dtype_of<value_t<Y>>, shape_t<Y>::value);
  } else {
    each_tensor(y, [&](const AnyTensor& t) { call.output(call, t); });
    const AnyTensor other = call.run(call);
    if constexpr (expression<Y>)
      if (other.defined()) y = Y(other);
  }
}

/// The input of a network that only predicts: no parameter it meets is tracked, and no backward is compiled.
template <class In>
auto as_frozen(const In& x) {
  if constexpr (expression<In>) return Tensor<value_t<In>, shape_t<In>, device_t<In>, frozen>(evaluate(x));
  else return x;
}
template <class Out>
auto as_plain(const Out& y) {
  if constexpr (expression<Out>) return Tensor<value_t<Out>, shape_t<Out>, device_t<Out>>(evaluate(y));
  else if constexpr (requires { std::tuple_size<Out>::value; })
    return std::apply([](const auto&... e) { return std::tuple(as_plain(e)...); }, y);
  else return y;
}

}  // namespace detail

/// Gives a layer or module, an AnyModule, its operator(). Not a class between the two, which would have a destructor
/// and a table of virtual functions of its own.
template <class Derived>
struct Callable {
  template <class... In>
  auto operator()(In&&... in) {
    using verdict = typename detail::verdict<Derived, std::remove_cvref_t<In>...>;
#ifdef __CUDACC__  // nvcc prints no operands of an assertion, but those of the function around it
    detail::must_fit<typename verdict::type>();
#else              // directly here: every further level costs three lines on clang
    static_assert(detail::the_shapes_fit<typename verdict::type>,
                  "tt::nn: this layer cannot take its input; expected<> and got<> are the extents");
#endif
    if constexpr (!detail::the_shapes_fit<typename verdict::type>) {
      return typename verdict::result{};
    } else {
      auto& self = static_cast<Derived&>(*this);
      const detail::Owner<detail::HookedCall> seen(self.hooks() ? self.hooks()->begin(*self.hooks(), self) : nullptr);
      if (seen) [[unlikely]] (detail::each_tensor(in, [&](const AnyTensor& t) { seen->input(*seen, t); }), ...);
      auto y = detail::settled(self.forward(std::forward<In>(in)...));
      if (seen) [[unlikely]] detail::hook_output(*seen, y);
      return y;
    }
  }

  /// The output as plain tensors, without a tape and without code for one.
  template <class... In>
  auto predict(const In&... in) {
    return detail::as_plain((*this)(detail::as_frozen(in)...));
  }
};

/// Base of every module. Base: another module to extend, `struct Wider : nn::Module<Wider, Net>`.
template <class Derived, class Base = AnyModule>
struct Module : Base, Callable<Derived> {
  using Base::Base;
  using Callable<Derived>::operator();
  using Callable<Derived>::predict;
  using tt_derived = Derived;
  using tt_base = Base;

  void tt_walk(Visitor& v) override {
    constexpr bool own = detail::Access::has_line<Derived>;
    static_assert(own, "tt::nn: a module needs a line TT_MODULE(members...) of its own");
    if constexpr (own) {
      Base::tt_walk(v);
      detail::Access::members(static_cast<Derived&>(*this), detail::WalkMembers{v});
    }
  }
};

/// Parameters that a default-constructed M has but its TT_MODULE lines forget; a test checks that it is 0.
template <class M>
long unlisted() {
  const long before = detail::Alive::count();
  M m;
  struct Walked : Visitor {
    long count;
  } walked{{[](Visitor& v, std::string_view, Parameter&) { ++static_cast<Walked&>(v).count; }, nullptr}, 0};
  const long alive = detail::Alive::count() - before;
  m.tt_walk(walked);
  return alive - walked.count;
}

}  // namespace tt::nn

/// The one line of a module: its parameters, buffers and children, in any place of the class; changes no access.
#define TT_MODULE(...)                                                                                     \
  friend struct ::tt::nn::detail::Access;                                                                  \
  auto tt_owner() -> decltype(this) {                                                                      \
    using tt_me = std::remove_pointer_t<decltype(this)>;                                                   \
    static_assert(std::is_same_v<typename tt_me::tt_derived, tt_me>,                                       \
                  "tt::nn: write struct Me : nn::Module<Me>, or nn::Module<Me, Base> to extend a module"); \
    return this;                                                                                           \
  }                                                                                                        \
  template <class TtFunction>                                                                              \
  auto tt_members(TtFunction tt_function) {                                                                \
    return tt_function(#__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);                                           \
  }
