// What few nodes have beside their operands. A node without any of it pays one comparison with null a run.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/dispatch/grad_mode.hpp>

#include <vector>

namespace tt::detail {

/// A function that sees a gradient, and returns what takes its place or an undefined tensor.
struct GradientHook {
  Count refs;
  bool removed = false;

  virtual AnyTensor operator()(const AnyTensor& gradient) = 0;
  virtual ~GradientHook() = default;
};
TT_NOINLINE inline void destroy(GradientHook* hook) { delete hook; }

/// A saved tensor in the form that a user's function gave it.
struct PackedTensor {
  Count refs;
  virtual AnyTensor unpack() const = 0;
  virtual ~PackedTensor() = default;
};
TT_NOINLINE inline void destroy(PackedTensor* packed) { delete packed; }

struct Extras final : NodeExtras {
  std::vector<Ref<GradientHook>> hooks;
  bool retains = false;
  Ref<Storage> retained;
  std::vector<Ref<PackedTensor>> packed;  ///< of the tensors that visit_saved shows, in its order
  place where{nullptr, 0};                ///< of the call that recorded the node, in anomaly mode
};

inline Extras& extras_of(Node& node) {
  if (!node.extras) node.extras = new Extras;
  return static_cast<Extras&>(*node.extras);
}
inline Ref<Storage> retained_gradient(const Node* node) {
  return node && node->extras ? static_cast<Extras*>(node->extras)->retained : Ref<Storage>();
}

/// A buffer of a node's gradient as a tensor.
TT_NOINLINE inline AnyTensor gradient_tensor(const Node& node, const Ref<Storage>& buffer) {
  AnyTensor g(make_body(node.type, node.size));
  row_major(node.size, g.body()->stride);
  g.body()->storage = buffer;
  g.body()->data = buffer->data;
  return g;
}
/// A tensor as a buffer that nodes can read: contiguous from its start, with a spare vector.
inline Ref<Storage> gradient_storage(const AnyTensor& g) {
  const bool fits = g.is_contiguous() && g.storage_offset() == 0 && g.storage()->spare;
  return fits ? g.storage() : g.copied().storage();
}

inline void add_gradient(std::byte* to, const std::byte* from, dtype type, index_t n) {
  visit_floating(type, [&]<class Number>(Number) {
    auto* a = reinterpret_cast<Number*>(to);
    const auto* b = reinterpret_cast<const Number*>(from);
    for (index_t i = 0; i < n; ++i) a[i] += b[i];
  });
}

/// All of a node's gradient has arrived: shows it to the hooks, and keeps it where that was asked for.
TT_NOINLINE inline void run_hooks(Node& node, Ref<Storage>& gradient) {
  auto& extras = static_cast<Extras&>(*node.extras);
  const no_grad guard;
  const auto now = extras.hooks;  // a hook may add and remove hooks
  for (const auto& hook : now) {
    if (hook->removed) continue;
    const AnyTensor other = (*hook)(gradient_tensor(node, gradient));
    if (!other.defined()) continue;
    if (other.dtype() != node.type || !(other.sizes() == node.size))
      fail({"tt::register_hook: a hook returned ", name_of(other.dtype()), " ", other.sizes(), " for a gradient that is ",
            name_of(node.type), " ", node.size});
    gradient = gradient_storage(other);
  }
  std::erase_if(extras.hooks, [](const auto& hook) { return hook->removed; });
  if (!extras.retains) return;
  if (!extras.retained) {
    extras.retained = gradient;  // who writes on into a buffer with two owners copies it first
    return;
  }
  const AnyTensor sum = gradient_tensor(node, extras.retained).copied();
  add_gradient(sum.data_ptr(), gradient->data, node.type, node.size.count());
  extras.retained = sum.storage();
}

[[noreturn]] TT_NOINLINE inline void graph_was_freed(const Node& node) {
  fail({"tt::backward: the graph through ", node.name, " was freed by an earlier backward; call it with retain_graph the first time"});
}

/// NaN in backward is an error on this thread.
inline constinit thread_local bool anomaly = false;

inline bool has_nan(const Node& node, const Ref<Storage>& gradient) {
  bool found = false;
  if (!is_floating(node.type)) return found;
  visit_floating(node.type, [&]<class Number>(Number) {
    const auto* g = reinterpret_cast<const Number*>(gradient->data);
    for (index_t i = 0, n = node.size.count(); i < n; ++i) found |= g[i] != g[i];
  });
  return found;
}
/// The op, or the ops of a fused region: "sum (of log, sub)".
[[noreturn]] TT_NOINLINE inline void nan_found(const Node& node, int input) {
  std::string ops(node.name);
  const auto [names, count] = node.fused();
  const int inner = count > 0 && names[0] == ops ? 1 : 0;
  for (int i = inner; i < count; ++i) ops.append(i == inner ? " (of " : ", ").append(names[i]);
  if (count > inner) ops += ")";
  const place where = node.extras ? static_cast<const Extras*>(node.extras)->where : place{nullptr, 0};
  if (!where.file) fail({"tt::detect_anomaly: backward of ", ops, " gave NaN to its operand ", input});
  fail({"tt::detect_anomaly: backward of ", ops, " gave NaN to its operand ", input, "; it was recorded at ", where.file, ":", where.line});
}

}  // namespace tt::detail
