// explain(): walks an expression as evaluation will, and writes down what it would do.
#pragma once
#include <tt/dispatch/batched.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/dispatch/explanation.hpp>
#include <tt/ops/views.hpp>

#include <algorithm>

namespace tt {

namespace detail {

/// About how many additions and multiplications an element costs.
template <class Op>
inline constexpr int flops_of = [] {
  if constexpr (requires { Op::flops; }) return Op::flops;
  else return 1;
}();

inline dims extents_of(const ContractBlock& b) {
  return b.batch ? batched_extents(b, stacked_extents(b.left.sizes(), b.right.sizes())) : product_extents(b);
}
inline index_t inner_extent(const ContractBlock& b) {
  const dims& left = b.left.sizes();
  return b.row ? left[-1] : left[b.kernel->left_transposed ? -2 : -1];
}

/// Walks a tree and gathers the explanation.
class Explainer {
 public:
  explicit Explainer(const Machine& machine) { out_.machine = machine; }
  Explanation take() { return std::move(out_); }

  /// A tree whose result is stored: tensors and leaves are.
  template <class E>
  void stored(const E& e, int depth) {
    if constexpr (std::is_base_of_v<AnyTensor, E>) leaf("tensor", e, depth);
    else if constexpr (is_literal<E>) line("number", dtype_of<value_t<E>>, {}, depth);
    else if constexpr (is_leaf<E>) leaf("tensor", e.read(), depth);
    else if constexpr (is_map<E>) map(e, depth);
    else if constexpr (is_contract<E>) product(e.block, depth);
    else if constexpr (is_transposed<E>) transposed(e, depth);
    else reduction(e, depth);
  }

 private:
  /// A kernel in the making.
  struct Kernel {
    std::string names;
    double per_element = 0;  ///< flops
    std::vector<std::pair<const void*, double>> inputs;  ///< bytes of each tensor, once

    void reads(const void* which, double bytes) {
      for (const auto& [known, b] : inputs)
        if (known == which) return;
      inputs.push_back({which, bytes});
    }
    void reads(const AnyTensor& t) { reads(t.body(), double(t.numel()) * double(size_of(t.dtype()))); }
    template <class Op>
    void add() {
      names += ' ' + std::string(Op::name);
      per_element += flops_of<Op>;
    }
  };

  std::size_t line(std::string text, tt::dtype type, const dims& size, int depth) {
    out_.tree.push_back({depth, std::move(text), type, size, -1});
    return out_.tree.size() - 1;
  }
  void leaf(const char* text, const AnyTensor& t, int depth) { line(text, t.dtype(), t.sizes(), depth); }

  /// The kernel is complete: its result is the node on this line.
  void run(const char* kind, const Kernel& k, double elements, std::size_t at) {
    const ExplainedNode& node = out_.tree[at];
    KernelCost cost{kind + k.names, k.per_element * elements, 0, double(node.size.count()) * double(size_of(node.type))};
    for (const auto& [which, bytes] : k.inputs) cost.bytes_read += bytes;
    out_.tree[at].kernel = int(out_.kernels.size());
    out_.kernels.push_back(std::move(cost));
  }
  /// Whether a materialising node was met before or has its result: it runs once.
  bool known(const void* block, bool has_result) {
    if (has_result || std::find(met_.begin(), met_.end(), block) != met_.end()) return true;
    met_.push_back(block);
    return false;
  }

  template <class Op, class... Child>
  void map(const Map<Op, Child...>& e, int depth) {
    using E = Map<Op, Child...>;
    if constexpr (epilogue<E>::is) {
      const auto& block = epilogue<E>::block(e.held);
      const AnyTensor* bias = epilogue<E>::bias(e.held);
      const bool alone = bias ? takes_bias(*block, *bias) : !block->batch && !block->result.defined() && block->refs.value() == 1;
      if (alone) return with_epilogue(e, depth);
      if constexpr (!std::is_void_v<typename epilogue<E>::activation>)
        if (bias) return activation_alone<Op>(epilogue<E>::below(e.held), depth);  // it does not fuse what it follows
    }
    Kernel k;
    const std::size_t at = line(std::string(Op::name), dtype_of<value_t<E>>, {}, depth);
    out_.tree[at].size = region(std::type_identity<E>(), e.held, depth, k);
    run("map", k, double(out_.tree[at].size.count()), at);
  }
  /// The ops and leaves below a node of which a region holds the operands: its extents.
  template <class Op, class A, class Operands>
  dims region(std::type_identity<Map<Op, A>>, const Operands& held, int depth, Kernel& k) {
    k.add<Op>();
    return child<A>(held.a, depth + 1, k);
  }
  template <class Op, class A, class B, class Operands>
  dims region(std::type_identity<Map<Op, A, B>>, const Operands& held, int depth, Kernel& k) {
    k.add<Op>();
    dims size = child<A>(held.a, depth + 1, k);
    broadcast_into(size, child<B>(held.b, depth + 1, k));
    return size;
  }
  template <class Op, class A, class B, class C, class Operands>
  dims region(std::type_identity<Map<Op, A, B, C>>, const Operands& held, int depth, Kernel& k) {
    k.add<Op>();
    dims size = child<A>(held.a, depth + 1, k);
    broadcast_into(size, child<B>(held.b, depth + 1, k));
    broadcast_into(size, child<C>(held.c, depth + 1, k));
    return size;
  }
  template <class E, class Part>
  dims child(const Part& part, int depth, Kernel& k) {
    const std::size_t at = out_.tree.size();
    if constexpr (is_held<Part>) {
      line(std::string(name_of_root(std::type_identity<E>())), dtype_of<value_t<E>>, {}, depth);
      out_.tree[at].size = region(std::type_identity<E>(), part, depth, k);
    } else if constexpr (is_apart<Part>) {
      return apart(part.e, depth, k);
    } else if constexpr (is_literal<E>) {
      line("number", dtype_of<value_t<E>>, {}, depth);
    } else {
      leaf("tensor", part.read(), depth);
      k.reads(part.tensor);
    }
    return out_.tree[at].size;
  }
  /// An operand that enters a region stored.
  template <class E>
  dims apart(const E& e, int depth, Kernel& k) {
    const std::size_t at = out_.tree.size();
    stored(e, depth);
    k.reads(identity(e), double(out_.tree[at].size.count()) * double(size_of(dtype_of<value_t<E>>)));
    return out_.tree[at].size;
  }
  template <class Op, class... Child>
  static std::string_view name_of_root(std::type_identity<Map<Op, Child...>>) { return Op::name; }
  template <class E>
  static const void* identity(const E& e) {
    if constexpr (is_contract<E>) return e.block.get();
    else if constexpr (requires { e.memo; }) return e.memo.get();
    else return &e;
  }

  template <class Op, class A>
  void activation_alone(const A& below, int depth) {
    Kernel k;
    const std::size_t at = line(std::string(Op::name), dtype_of<value_t<A>>, {}, depth);
    k.add<Op>();
    out_.tree[at].size = apart(below, depth + 1, k);
    run("map", k, double(out_.tree[at].size.count()), at);
  }
  /// act(product + bias): one kernel.
  template <class Op, class... Child>
  void with_epilogue(const Map<Op, Child...>& e, int depth) {
    Kernel k;
    const std::size_t at = line(std::string(Op::name), dtype_of<value_t<Map<Op, Child...>>>, {}, depth);
    k.add<Op>();
    if constexpr (sizeof...(Child) == 1 && (is_map<Child> && ...)) {  // the bias below an activation
      line("add", out_.tree[at].type, {}, depth + 1);
      k.add<ops::add>();
    }
    const int below = depth + 1 + int(out_.tree.size() - at - 1);
    const ContractBlock& b = *epilogue<Map<Op, Child...>>::block(e.held);
    const dims size = factors(b, below, k);
    if (const AnyTensor* bias = epilogue<Map<Op, Child...>>::bias(e.held)) leaf("tensor", *bias, below), k.reads(*bias);
    for (std::size_t i = at; int(i) < int(at) + below - depth; ++i) out_.tree[i].size = size;
    run("contract", k, double(size.count()), at);
  }
  /// The lines of a product and of its operands: its extents.
  dims factors(const ContractBlock& b, int depth, Kernel& k) {
    const dims size = extents_of(b);
    line("matmul", b.kernel->type, size, depth);
    leaf(b.kernel->left_transposed ? "tensor, transposed" : "tensor", b.left, depth + 1);
    leaf(b.kernel->right_transposed ? "tensor, transposed" : "tensor", b.right, depth + 1);
    if (b.bias.defined()) leaf("tensor, added", b.bias, depth + 1), k.reads(b.bias);
    k.names += " matmul";
    k.per_element += 2 * double(inner_extent(b));
    k.reads(b.left);
    k.reads(b.right);
    return size;
  }
  void product(const Ref<ContractBlock>& block, int depth) {
    if (known(block.get(), block->result.defined()))
      return void(line("matmul, known", block->kernel->type, extents_of(*block), depth));
    Kernel k;
    const std::size_t at = out_.tree.size();
    const dims size = factors(*block, depth, k);
    run("contract", k, double(size.count()), at);
  }
  template <class E>
  void transposed(const Transposed<E>& e, int depth) {  // a view: no kernel
    const AnyTensor& t = e.of.read();
    dims size = t.sizes();
    std::swap(size[-1], size[-2]);
    line("transpose", t.dtype(), size, depth);
    leaf("tensor", t, depth + 1);
  }

  /// The elementwise part below a reduction is joined as it is computed.
  template <class Op, class A, class ShapeType>
  void reduction(const Reduce<Op, A, ShapeType>& e, int depth) {
    using E = Reduce<Op, A, ShapeType>;
    const bool again = known(e.memo.get(), e.memo->value.defined());
    const std::size_t at = line(std::string(Op::name) + (again ? ", known" : ""), dtype_of<value_t<E>>, {}, depth);
    Kernel k, unused;
    k.add<Op>();
    constexpr bool arg = requires { Op::template better<int>(0, 0); };
    constexpr bool swallows = !arg && fuses<A, E::compute> && E::input == E::compute && !(selects<Op> && E::order > 0);
    const std::size_t kernels = out_.kernels.size();
    const dims size = [&] {
      if constexpr (swallows) return child<A>(e.a.held, depth + 1, k);
      else if constexpr (is_leaf<A>) return child<A>(e.a, depth + 1, k);
      else return apart(e.a, depth + 1, k);
    }();
    if (again) out_.tree.resize(at + 1), out_.kernels.resize(kernels);
    out_.tree[at].size = reduced(size, e.axes, e.keep);
    if (!again) run("reduce", k, double(size.count()), at);
  }

  Explanation out_;
  std::vector<const void*> met_;
};

}  // namespace detail

/// What evaluating an expression would do, without doing it: the tree, the kernels with the ops fused into each, the bytes
/// that each has to read and write (each tensor once), its arithmetic, and which of memory, arithmetic or the cost of the
/// call bounds its time on the machine. Backward is not counted. Print it: `std::cout << explain(relu(matmul(x, w) + b))`.
template <expression E>
Explanation explain(const E& e, const Machine& machine = {}) {
  detail::Explainer explainer(machine);
  explainer.stored(e, 0);
  return explainer.take();
}

}  // namespace tt
