// Functions with a backward of the user's own. https://pytorch.org/docs/stable/notes/extending.html
#pragma once
#include <tt/autograd/function_node.hpp>

#include <tuple>

namespace tt {

namespace detail {

/// Expressions are stored first; forward sees tensors without history, and others as they are.
template <class Argument>
decltype(auto) stored_argument(const Argument& x) {
  if constexpr (expression<Argument> && !std::is_base_of_v<AnyTensor, Argument>) return eval(x);
  else return (x);
}
template <class Argument>
decltype(auto) plain_argument(const Argument& x) {
  if constexpr (std::is_base_of_v<AnyTensor, Argument>) return x.detach();
  else return (x);
}
template <class Argument>
inline constexpr bool is_tensor_argument = std::is_base_of_v<AnyTensor, Argument> || is_expression<Argument>;
template <class Argument>
constexpr int order_of_argument(int order) {
  if constexpr (expression<Argument>) return join_orders(order, order_of<Argument>);
  else if constexpr (std::is_base_of_v<AnyTensor, Argument>) return join_orders(order, 1);
  else return order;
}

/// A result of forward as a tensor; of a function's, with the order of its inputs.
template <class Result>
auto stored_result(const Result& r) {
  if constexpr (expression<Result>) return eval(r);
  else return r;
}
template <int Order, class Result>
struct result_of { using type = AnyTensor; };
template <int Order, class Type, class ShapeType, class Device, int Own>
struct result_of<Order, Tensor<Type, ShapeType, Device, Own>> {
  static_assert(Own <= 0, "tt::Function: forward returned a tracked tensor: it must compute with its arguments only");
  using type = Tensor<Type, ShapeType, Device, is_differentiable(dtype_of<Type>) ? Order : (std::min)(Order, 0)>;
};

/// The results of forward or backward, as a list; std::tuple and std::vector have several.
template <class Result>
struct results {
  using stored = std::tuple<decltype(stored_result(std::declval<const Result&>()))>;
  static constexpr bool one = true, dynamic = false;
  static void append(std::vector<AnyTensor>& to, const Result& r) { to.push_back(AnyTensor(stored_result(r))); }
};
template <class... Result>
struct results<std::tuple<Result...>> {
  using stored = std::tuple<decltype(stored_result(std::declval<const Result&>()))...>;
  static constexpr bool one = false, dynamic = false;
  static void append(std::vector<AnyTensor>& to, const std::tuple<Result...>& all) {
    std::apply([&](const auto&... r) { (to.push_back(AnyTensor(stored_result(r))), ...); }, all);
  }
};
template <>
struct results<std::vector<AnyTensor>> {
  static constexpr bool one = false, dynamic = true;
  static void append(std::vector<AnyTensor>& to, const std::vector<AnyTensor>& all) { to.insert(to.end(), all.begin(), all.end()); }
};

template <class Kind>
void function_recorded(Kind& node, RecordedRun& run, const AnyTensor& gradient);  // autograd/second_order.hpp

template <class Derived, class Results, int Order>
struct FunctionNodeOf final : FunctionNode {
  Derived function;

  FunctionNodeOf() {
    call = [](FunctionNode& n, const std::vector<AnyTensor>& gradients, std::vector<AnyTensor>& out) {
      static_cast<FunctionNodeOf&>(n).backward_into(gradients, out);
    };
  }
  void backward_into(const std::vector<AnyTensor>& gradients, std::vector<AnyTensor>& out) {
    if constexpr (Results::dynamic) {
      collect(function.backward(context, gradients), out);
    } else {
      [&]<std::size_t... At>(std::index_sequence<At...>) {
        collect(function.backward(context, std::tuple_element_t<At, typename Results::stored>(gradients[At])...), out);
      }(std::make_index_sequence<std::tuple_size_v<typename Results::stored>>{});
    }
  }
  void backward_recorded(RecordedRun& run, const AnyTensor& g)
    requires(Order > 1 && Results::one)
  {
    function_recorded(*this, run, g);
  }
  /// The user's backward on a gradient of one order less, so that what it computes is recorded.
  void backward_with_history(const AnyTensor& g, std::vector<AnyTensor>& out) {
    using output = std::tuple_element_t<0, typename Results::stored>;
    if constexpr (expression<output>)
      collect(function.backward(context, Tensor<value_t<output>, shape_t<output>, device_t<output>, Order - 1>(g)), out);
    else collect(function.backward(context, g), out);
  }
  template <class Result>
  static void collect(const Result& r, std::vector<AnyTensor>& out) { results<Result>::append(out, r); }
};

}  // namespace detail

/// Base of an operation with forward and backward of its own, struct Mine : tt::Function<Mine>:
///   auto forward(FunctionContext&, arguments...)   sees tensors without history; returns a tensor, an expression, a
///                                                  std::tuple of them, or std::vector<AnyTensor>
///   auto backward(FunctionContext&, gradients...)  one gradient an output (a std::vector if forward returned one), zeros
///                                                  where none arrived; returns one an input tensor, in the same forms; an
///                                                  undefined AnyTensor means none
/// Both may be static; otherwise members live from forward to backward. `name`, if there is one, is the operation's.
/// With inputs of order 2 and one output, a backward that takes gradients of any order (const auto&) is differentiated too.
template <class Derived>
struct Function {
  template <class... Argument>
  static auto apply(const Argument&... x) {
    constexpr int order = [] {
      int joined = 0;
      ((joined = detail::order_of_argument<Argument>(joined)), ...);
      return joined;
    }();
    static_assert((detail::is_tensor_argument<Argument> || ...), "tt::Function: apply needs a tensor among its arguments");
    return run<order>(detail::stored_argument(x)...);
  }

 private:
  static constexpr const char* called() {
    if constexpr (requires { Derived::name; }) return Derived::name;
    else return "Function";
  }
  template <int Order, class... Argument>
  static auto run(const Argument&... x) {
    using result = decltype(std::declval<Derived&>().forward(std::declval<FunctionContext&>(), detail::plain_argument(x)...));
    using results = detail::results<std::remove_cvref_t<result>>;
    std::vector<AnyTensor> given, out;
    (append(given, x), ...);
    if constexpr (Order > 0) {
      const detail::Ref<Node> owner(detail::make_node<detail::FunctionNodeOf<Derived, results, Order>>());
      auto& node = static_cast<detail::FunctionNodeOf<Derived, results, Order>&>(*owner);
      const bool record = node.start(given);
      forward<results>(node.function, node.context, out, x...);
      detail::FunctionNode::own_handles(called(), node.context, given, out);
      if (record) node.record(called(), given, out);
    } else {
      Derived function;
      FunctionContext context;
      forward<results>(function, context, out, x...);
      detail::FunctionNode::own_handles(called(), context, given, out);
    }
    if constexpr (results::dynamic) {
      return out;
    } else {
      return [&]<std::size_t... At>(std::index_sequence<At...>) {
        using stored = typename results::stored;
        if constexpr (results::one) return typename detail::result_of<Order, std::tuple_element_t<0, stored>>::type(out[0]);
        else return std::tuple<typename detail::result_of<Order, std::tuple_element_t<At, stored>>::type...>(
            typename detail::result_of<Order, std::tuple_element_t<At, stored>>::type(out[At])...);
      }(std::make_index_sequence<std::tuple_size_v<typename results::stored>>{});
    }
  }
  template <class Results, class... Argument>
  static void forward(Derived& function, FunctionContext& context, std::vector<AnyTensor>& out, const Argument&... x) {
    const no_grad guard;
    Results::append(out, function.forward(context, detail::plain_argument(x)...));
  }
  template <class Argument>
  static void append(std::vector<AnyTensor>& to, const Argument& x) {
    if constexpr (std::is_base_of_v<AnyTensor, Argument>) to.push_back(x);
  }
};

}  // namespace tt
