// Functions with a backward of the user's own. https://pytorch.org/docs/stable/notes/extending.html
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/core/tensor.hpp>
#include <tt/dispatch/grad_mode.hpp>

#include <algorithm>
#include <tuple>

namespace tt {

namespace detail {
struct FunctionNode;
}

/// What forward leaves for backward.
class FunctionContext {
 public:
  /// Keeps tensors: inputs, outputs or others. They are checked for later changes in place, as the tape's own are.
  template <class... TensorType>
  void save_for_backward(const TensorType&... tensor) {
    static_assert((std::is_base_of_v<AnyTensor, TensorType> && ...), "tt::Function: only tensors are saved: eval() an expression");
    kept_.clear();
    (kept_.push_back({tensor.AnyTensor::detach(), detail::Saved(tensor.AnyTensor::detach()), nowhere}), ...);
  }
  /// Saved tensor i.
  TT_NOINLINE AnyTensor saved(int i) const {
    if (i < 0 || i >= int(kept_.size())) fail_index({"tt::Function: saved tensor ", i, " of ", kept_.size()});
    const Kept& one = kept_[std::size_t(i)];
    if (node_) one.saved.check(*node_);
    return one.tensor;
  }
  /// Saved tensor i under its type.
  template <class TensorType>
  TensorType saved(int i) const {
    const AnyTensor t = saved(i);
    if constexpr (expression<TensorType>)
      if (order_of<TensorType> <= 0 && t.requires_grad())
        fail({"tt::Function: saved tensor ", i, " has a history, for backward itself is differentiated: read it under the type of "
              "the gradient, or of its order"});
    return TensorType(t);
  }

  /// Whether tensor input i (others are not counted) requires a gradient; backward may leave out the others.
  bool needs_input_grad(int i) const { return std::size_t(i) < needs_.size() && needs_[std::size_t(i)]; }

  /// Outputs that backward receives no gradient for: they will not require one. They count as an output all the same, and
  /// their gradient is zero.
  template <class... TensorType>
  void mark_non_differentiable(const TensorType&... output) {
    (constant_.push_back(output.storage().get()), ...);
  }
  /// Inputs that forward wrote into and returns: the caller's tensor becomes the output. A leaf that requires a gradient
  /// is refused.
  template <class... TensorType>
  void mark_dirty(const TensorType&... input) {
    (dirty_.push_back(input.storage().get()), ...);
  }

 private:
  friend struct detail::FunctionNode;
  struct Kept {
    AnyTensor tensor;
    detail::Saved saved;
    int origin = nowhere;  ///< the input it is, or `result`
  };
  static constexpr int nowhere = -1, result = -2;
  std::vector<Kept> kept_;
  std::vector<char> needs_;
  std::vector<const Storage*> constant_, dirty_;
  const Node* node_ = nullptr;
};

namespace detail {

/// Gradients of all outputs lie one after another in one buffer of bytes, which is this node's gradient; each output has an
/// OutputNode that lays its part there. A single output is this node's own.
struct FunctionNode : Node {
  FunctionContext context;
  std::vector<Ref<Node>> input_nodes;  ///< of the tensor inputs
  struct Output {
    dtype type;
    dims size;
    index_t offset;  ///< bytes into the gradient
  };
  std::vector<Output> outputs;

  int inputs() const { return released ? 0 : int(input_nodes.size()); }
  Node* input(int i) const { return input_nodes[std::size_t(i)].get(); }
  void release() {
    released = true;
    input_nodes.clear();
    context.kept_.clear();
  }
  void visit_saved(SavedVisitor& visitor) {
    for (auto& one : context.kept_) visitor.visit(one.tensor, one.saved);
  }
  /// @return whether the call is recorded
  bool start(const std::vector<AnyTensor>& given) {
    bool any = false;
    for (const AnyTensor& t : given) {
      if (!t.defined()) no_elements("tt::Function");
      context.needs_.push_back(recording && t.requires_grad());
      any |= bool(context.needs_.back());
    }
    return any;
  }
  /// The user's backward.
  void (*call)(FunctionNode&, const std::vector<AnyTensor>& gradients, std::vector<AnyTensor>& results);

  TT_NOINLINE void backward(Engine& engine) {
    std::vector<AnyTensor> gradients, results;
    for (const Output& out : outputs) {
      AnyTensor g(make_body(out.type, out.size));
      row_major(out.size, g.body()->stride);
      g.body()->storage = gradient;
      g.body()->data = gradient->data + out.offset;
      gradients.push_back(std::move(g));
    }
    {
      const no_grad guard;
      call(*this, gradients, results);
    }
    gradients.clear();
    check_results(results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      Node* const to = input_nodes[i].get();
      const AnyTensor g = std::exchange(results[i], {});
      if (!to || !g.defined()) continue;
      if (!engine.reached(to)) engine.pass(to, gradient_storage(g));
      else add_gradient(engine.target(to).first, gradient_storage(g)->data, to->type, to->size.count());
    }
  }

  TT_NOINLINE void check_results(const std::vector<AnyTensor>& results) const {
    if (results.size() != input_nodes.size())
      fail({"tt::Function: backward of ", name, " returned ", results.size(), " gradients for ", input_nodes.size(), " tensor inputs"});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Node* const to = input_nodes[i].get();
      const AnyTensor& g = results[i];
      if (to && g.defined() && (g.dtype() != to->type || !(g.sizes() == to->size)))
        fail({"tt::Function: backward of ", name, " returned ", name_of(g.dtype()), " ", g.sizes(), " for input ", i, ", which is ",
              name_of(to->type), " ", to->size});
    }
  }
  /// Saved inputs and outputs with the history of what they are, or without: an output would keep its own node.
  TT_NOINLINE void lend_histories(bool on) {
    for (auto& one : context.kept_) {
      one.tensor = one.tensor.detach();
      if (on && one.origin != FunctionContext::nowhere)
        one.tensor.set_node(one.origin == FunctionContext::result ? Ref<Node>::share(this) : input_nodes[std::size_t(one.origin)]);
    }
  }

  /// Outputs as handles of their own; those that forward wrote in place are the caller's tensors.
  TT_NOINLINE static void own_handles(const FunctionContext& context, const std::vector<AnyTensor>& given, std::vector<AnyTensor>& out) {
    for (AnyTensor& t : out) {
      if (!t.defined()) no_elements("tt::Function: an output");
      AnyTensor fresh = t.detach();
      if (contains(context.dirty_, t))
        for (const AnyTensor& in : given)
          if (in.storage() == t.storage() && in.data_ptr() == t.data_ptr() && in.sizes() == t.sizes()) fresh = in;
      t = std::move(fresh);
    }
  }
  /// Ties the outputs to this node. @param given the caller's tensors
  TT_NOINLINE void record(const char* called, const std::vector<AnyTensor>& given, const std::vector<AnyTensor>& out) {
    name = called;
    context.node_ = this;
    for (const AnyTensor& t : given) {
      if (t.requires_grad() && t.body()->view && contains(context.dirty_, t))
        fail({"tt::Function: ", called, " writes into a view of a tracked tensor, which is not supported: return the result instead"});
      if (t.requires_grad() && t.is_leaf() && contains(context.dirty_, t))
        fail({"tt::Function: ", called, " writes into a leaf that requires a gradient; clone() it first"});
      input_nodes.push_back(t.node());
      after(t.node().get());
    }
    const auto same = [](const AnyTensor& a, const AnyTensor& b) {
      return a.storage() == b.storage() && a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() &&
             std::equal(a.strides(), a.strides() + a.rank(), b.strides());
    };
    for (auto& one : context.kept_) {
      for (std::size_t i = 0; i < given.size(); ++i)
        if (same(one.tensor, given[i])) one.origin = int(i);
      if (same(one.tensor, out[0])) one.origin = FunctionContext::result;
    }
    index_t bytes = 0;
    for (const AnyTensor& t : out) {
      outputs.push_back({t.dtype(), t.sizes(), bytes});
      bytes += (t.numel() * index_t(size_of(t.dtype())) + index_t(alignment) - 1) / index_t(alignment) * index_t(alignment);
    }
    if (out.size() == 1) {
      if (!differentiable(out[0])) return;
      refs.up();
      return attach(out[0], this, called);
    }
    type = dtype::uint8;
    size = dims{bytes};
    stamp();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!differentiable(out[i])) continue;
      auto* node = make_node<OutputNode>();
      node->function = Ref<Node>::share(this);
      node->offset = outputs[i].offset;
      node->after(this);
      attach(out[i], node, called);
    }
    if (watching) watching->recorded(*this);
  }

 private:
  static bool contains(const std::vector<const Storage*>& all, const AnyTensor& t) {
    return std::find(all.begin(), all.end(), t.storage().get()) != all.end();
  }
  bool differentiable(const AnyTensor& t) const { return is_differentiable(t.dtype()) && !contains(context.constant_, t); }

  struct OutputNode final : Node {
    Ref<Node> function;
    index_t offset = 0;
    int inputs() const { return released ? 0 : 1; }
    Node* input(int) const { return function.get(); }
    void release() {
      released = true;
      function = {};
    }
    void backward(Engine& engine) {
      std::memcpy(engine.zeroed_target(function.get()) + offset, gradient->data, std::size_t(size.count()) * size_of(type));
    }
  };
};

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
      detail::FunctionNode::own_handles(node.context, given, out);
      if (record) node.record(called(), given, out);
    } else {
      Derived function;
      FunctionContext context;
      forward<results>(function, context, out, x...);
      detail::FunctionNode::own_handles(context, given, out);
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
