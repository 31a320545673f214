// The backward of a region read a second time: the same formulas, with tensors of one order less as values. Every op is then
// one small operation that is recorded itself. What is compiled are ops x number types, not expressions, and it ends because
// the order falls.
#pragma once
#include <tt/autograd/contract.hpp>
#include <tt/autograd/map.hpp>
#include <tt/autograd/reduce.hpp>
#include <tt/autograd/view.hpp>
#include <tt/cpu/backend.hpp>
#include <tt/expr/pull.hpp>
#include <tt/ops/comparison.hpp>
#include <tt/ops/division.hpp>
#include <tt/ops/exponential.hpp>
#include <tt/ops/hyperbolic.hpp>
#include <tt/ops/reductions.hpp>
#include <tt/ops/trigonometric.hpp>

namespace tt::detail {

/// What a node can ask of a backward run that is recorded. Gradients are tensors with a history.
struct RecordedRun {
  /// Whether there is something at or below a node whose gradient is asked for.
  virtual bool wants(Node* node) const = 0;
  /// Adds to a node's gradient what is summed, or repeated, to its extents and cast to its dtype.
  virtual void give(Node* to, const AnyTensor& gradient) = 0;
  virtual AnyTensor multiply(const AnyTensor& a, const AnyTensor& b) = 0;

 protected:
  ~RecordedRun() = default;
};
[[noreturn]] TT_NOINLINE inline void differentiated_once(const Node& node) {
  fail({"tt::grad: ", node.name, " can be differentiated once: it has no second derivative here, or was recorded at order 1; "
        "where one is enough, take grad(with_order<1>(y), x)"});
}

template <class Op, class Number, int Order, class... Value>
AnyTensor recorded_op(const Value&... x);

/// f(float{}) or f(double{}): what has orders above 1.
template <class Function>
void visit_recorded(dtype t, Function&& f) {
  if (t == dtype::float32) return f(float{});
  if (t == dtype::float64) return f(double{});
  fail({"tt::grad: float32 and float64 have second derivatives, ", name_of(t), " has none: cast it"});
}

/// A value of a formula: a tensor that can be differentiated Order times, or a number.
template <class Number, int Order>
class Recorded {
 public:
  Recorded() = default;  ///< what the formula does not read
  explicit Recorded(AnyTensor t) : tensor_(std::move(t)) {}
  template <number Plain>
  explicit Recorded(Plain x) : constant_(x) {}
  explicit Recorded(const Constant& c) : constant_(c) {}

  Entry entry() const {
    return tensor_.defined() ? Entry{&tensor_, tensor_.version(), {}} : Entry{nullptr, 0, constant_};
  }
  AnyTensor tensor() const {
    if (tensor_.defined()) return tensor_;
    AnyTensor t = AnyTensor::empty(dtype_of<Number>, {});
    *reinterpret_cast<Number*>(t.data_ptr()) = Number(constant_.floating);
    return t;
  }

  friend Recorded operator+(const Recorded& a, const Recorded& b) { return apply<ops::add>(a, b); }
  friend Recorded operator-(const Recorded& a, const Recorded& b) { return apply<ops::sub>(a, b); }
  friend Recorded operator*(const Recorded& a, const Recorded& b) { return apply<ops::mul>(a, b); }
  friend Recorded operator/(const Recorded& a, const Recorded& b) { return apply<ops::div>(a, b); }
  friend Recorded operator-(const Recorded& x) { return apply<ops::neg>(x); }
  // The vocabulary of formulas (core/math.hpp), as far as slopes use it.
  friend Recorded exp(const Recorded& x) { return apply<ops::exp>(x); }
  friend Recorded log(const Recorded& x) { return apply<ops::log>(x); }
  friend Recorded sqrt(const Recorded& x) { return apply<ops::sqrt>(x); }
  friend Recorded sin(const Recorded& x) { return apply<ops::sin>(x); }
  friend Recorded cos(const Recorded& x) { return apply<ops::cos>(x); }
  friend Recorded tanh(const Recorded& x) { return apply<ops::tanh>(x); }
  friend Recorded pow(const Recorded& a, const Recorded& b) { return apply<ops::pow>(a, b); }
  friend Recorded floor_divide(const Recorded& a, const Recorded& b) { return apply<ops::floor_divide>(a, b); }
  friend Recorded trunc_divide(const Recorded& a, const Recorded& b) { return apply<ops::trunc_divide>(a, b); }
  friend Recorded less(const Recorded& a, const Recorded& b) { return apply<ops::lt>(a, b); }
  friend Recorded less_equal(const Recorded& a, const Recorded& b) { return apply<ops::le>(a, b); }
  friend Recorded equal(const Recorded& a, const Recorded& b) { return apply<ops::eq>(a, b); }
  friend Recorded choose(const Recorded& c, const Recorded& a, const Recorded& b) { return apply<ops::where>(c, a, b); }

  template <class Op, class... Value>
  static Recorded apply(const Value&... x) {
    return Recorded(recorded_op<Op, Number, Order>(x...));
  }

 private:
  AnyTensor tensor_;
  Constant constant_;
};

template <std::size_t>
using forward_leaf = prog::leaf<false>;
template <class Op, class Operands>
struct recorded_programs;
template <class Op, std::size_t... Operand>
struct recorded_programs<Op, std::index_sequence<Operand...>> {
  using forward = prog::op<Op, forward_leaf<Operand>...>;
  using backward = prog::op<Op, prog::leaf<rule_of<Op> != result_rule::boolean && !(has_condition<Op> && Operand == 0)>...>;
};
/// One op as an operation of its own. Truth values are numbers here.
template <class Op, class Number, int Order, class... Value>
AnyTensor recorded_op(const Value&... x) {
  using programs = recorded_programs<Op, std::index_sequence_for<Value...>>;
  constexpr dtype type = dtype_of<Number>;
  const Entry entry[] = {x.entry()...};
  return run_map(backend<cpu>::map<type, type, typename programs::forward, typename programs::backward, Order>(), entry,
                 int(sizeof...(Value)));
}

/// The node whose backward is recorded, its leaves as values.
template <class V>
struct RecordedLeaves {
  MapNode& node;
  RecordedRun& run;

  V operator()(int k) const {
    MapNode::Kept& one = node.kept[k];
    if (one.keeps == MapNode::Keeps::constant) return V(one.constant);
    if (one.keeps == MapNode::Keeps::nothing) return V();
    one.saved.check(node);
    AnyTensor t = node.kept_tensor(one);
    t.set_node(one.saved.node);
    return V(std::move(t));
  }
};

/// A program run back. Values are computed where a slope reads them.
template <class V, class Program, int First>
struct Sweep;

template <class V, bool Tracked, int First>
struct Sweep<V, prog::leaf<Tracked>, First> {
  using leaves = RecordedLeaves<V>;
  V value(const leaves& l) { return l(First); }
  bool wanted(const leaves& l) const { return Tracked && l.run.wants(l.node.kept[First].saved.node.get()); }
  void backward(const leaves& l, const V& g, const V* taken) {
    if constexpr (Tracked) l.run.give(l.node.kept[First].saved.node.get(), (taken ? choose(*taken, g, V(0)) : g).tensor());
  }
};

template <class V, class Op, int First, class... Child>
struct Sweeps;
template <class V, class Op, int First>
struct Sweeps<V, Op, First> {};
template <class V, class Op, int First, class A, class... Rest>
struct Sweeps<V, Op, First, A, Rest...> {
  Sweep<V, A, First> head;
  Sweeps<V, Op, First + A::leaves, Rest...> tail;
};
template <int At>
auto& sweep_of(auto& all) {
  if constexpr (At == 0) return all.head;
  else return sweep_of<At - 1>(all.tail);
}

template <class V, class Op, class... Child, int First>
struct Sweep<V, prog::op<Op, Child...>, First> {
  using leaves = RecordedLeaves<V>;
  static constexpr int arity = int(sizeof...(Child));
  static constexpr auto operands = std::make_index_sequence<sizeof...(Child)>{};
  static constexpr bool tracked[] = {Child::tracked...};
  Sweeps<V, Op, First, Child...> child;
  V known;
  bool is_known = false;

  V value(const leaves& l) {
    if (std::exchange(is_known, true)) return known;
    [&]<std::size_t... At>(std::index_sequence<At...>) { known = V::template apply<Op>(sweep_of<At>(child).value(l)...); }(operands);
    return known;
  }
  bool wanted(const leaves& l) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) { return ((tracked[At] && sweep_of<At>(child).wanted(l)) || ...); }(operands);
  }
  void backward(const leaves& l, const V& g, const V* taken) {
    [&]<std::size_t... At>(std::index_sequence<At...>) { (to<int(At)>(l, g, taken), ...); }(operands);
  }

 private:
  template <int Which>
  void to(const leaves& l, const V& g, const V* taken) {
    if constexpr (tracked[Which]) {
      auto& operand = sweep_of<Which>(child);
      if (!operand.wanted(l)) return;
      const V pulled = pull<Which>(l, g, operands);
      if constexpr (has_condition<Op>) {  // below a branch only what took it counts: 0 times an infinite slope is NaN
        const V all = taken ? *taken : V(1), c = sweep_of<0>(child).value(l);
        const V here = Which == 1 ? choose(c, all, V(0)) : choose(c, V(0), all);
        operand.backward(l, pulled, &here);
      } else {
        operand.backward(l, pulled, taken);
      }
    }
  }
  /// Only what the slope reads is computed: all operands mean the output too.
  template <int Which, std::size_t... At>
  V pull(const leaves& l, const V& g, std::index_sequence<At...>) {
    constexpr unsigned reads = prog::operand_reads<Op, Which>;
    constexpr bool output_only = arity == 1 && undone_from_output<Op>;
    constexpr bool all = (((1u << arity) - 1) & ~reads) == 0;
    const V y = all ? value(l) : V();
    return prog::pull<Op, Which>(g, y, (!output_only && (reads >> At & 1) ? sweep_of<int(At)>(child).value(l) : V())...);
  }
};

template <class Number, class Program, int Order>
void recorded_map(Node& n, RecordedRun& run, const AnyTensor& gradient) {
  using V = Recorded<Number, Order - 1>;
  auto& node = static_cast<MapNode&>(n);
  const RecordedLeaves<V> leaves{node, run};
  Sweep<V, Program, 0> sweep;
  if constexpr (prog::undo_of<Program>::exists) {
    if (node.undoes) {  // the output is kept, and this node is what it came from
      node.kept[0].saved.check(node);
      AnyTensor y = node.kept_tensor(node.kept[0]);
      y.set_node(Ref<Node>::share(&node));
      sweep.known = V(std::move(y));
      sweep.is_known = true;
    }
  }
  if (sweep.wanted(leaves)) sweep.backward(leaves, V(gradient), nullptr);
}

}  // namespace tt::detail
