// Nodes that are looked at as they are recorded and run: hooks on gradients, kept gradients, saved tensors in a form of the
// user's, anomaly mode, a run towards chosen tensors. Compiled only where one of these is asked for: the engine and the
// nodes hold pointers to what is here.
#pragma once
#include <tt/autograd/engine.hpp>
#include <tt/autograd/selection.hpp>
#include <tt/dispatch/grad_mode.hpp>

namespace tt::detail {

inline void run_watched(Node& node, Engine& engine);

/// The gradient as the hooks of a node leave it.
TT_NOINLINE inline AnyTensor shown_to_hooks(const Node& node, Extras& extras, AnyTensor gradient) {
  const auto now = extras.hooks;  // a hook may add and remove hooks
  for (const auto& hook : now) {
    if (hook->removed) continue;
    const AnyTensor other = (*hook)(gradient);
    if (!other.defined()) continue;
    if (other.dtype() != node.type || !(other.sizes() == node.size))
      fail({"tt::register_hook: a hook returned ", name_of(other.dtype()), " ", other.sizes(), " for a gradient that is ",
            name_of(node.type), " ", node.size});
    gradient = other;
  }
  std::erase_if(extras.hooks, [](const auto& hook) { return hook->removed; });
  return gradient;
}
/// All of a node's gradient has arrived: shows it to the hooks, and keeps it where that was asked for.
TT_NOINLINE inline void run_hooks(Node& node, Ref<Storage>& gradient) {
  auto& extras = static_cast<Extras&>(*node.extras);
  if (!extras.hooks.empty()) {
    const no_grad guard;
    gradient = gradient_storage(shown_to_hooks(node, extras, gradient_tensor(node, gradient)));
  }
  if (!extras.retains) return;
  if (!extras.retained) {
    extras.retained = gradient;  // who writes on into a buffer with two owners copies it first
    return;
  }
  const AnyTensor sum = gradient_tensor(node, extras.retained).copied();
  add_gradient(sum.data_ptr(), gradient->data, node.type, node.size.count());
  extras.retained = sum.storage();
}

/// A tensor that keeps its gradient does so with what is written into it; hooks stay with the value they were given for.
inline void move_retained(Node& before, Node& now);

TT_NOINLINE inline Extras& extras_of(Node& node) {
  if (!node.extras)
    node.extras = new Extras{{[](NodeExtras* e) { delete static_cast<Extras*>(e); }, run_watched, run_hooks, move_retained},
                             {}, false, {}, {}, {nullptr, 0}};
  return static_cast<Extras&>(*node.extras);
}

inline void move_retained(Node& before, Node& now) {
  auto& old = static_cast<Extras&>(*before.extras);
  if (!old.retains) return;
  Extras& extras = extras_of(now);
  extras.retains = std::exchange(old.retains, false);
  extras.retained = std::move(old.retained);
}

/// NaN in backward is an error on this thread.
inline constinit thread_local bool anomaly = false;

inline bool has_nan(const Node& node, const Ref<Storage>& gradient) {
  bool found = false;
  if (!is_differentiable(node.type)) return found;
  visit_floating(real_dtype(node.type), [&]<class Number>(Number) {
    const auto* g = reinterpret_cast<const Number*>(gradient->data);
    for (index_t i = 0, n = node.size.count() * parts_of(node.type); i < n; ++i) found |= g[i] != g[i];
  });
  return found;
}
/// The op, or the ops of a fused region: "sum (of log, sub)".
[[noreturn]] TT_NOINLINE inline void nan_found(const Node& node, int input) {
  std::string ops(node.name);
  const auto [names, count] = node.kind->fused(node);
  const int inner = count > 0 && names[0] == ops ? 1 : 0;
  for (int i = inner; i < count; ++i) ops.append(i == inner ? " (of " : ", ").append(names[i]);
  if (count > inner) ops += ")";
  const place where = node.extras ? static_cast<const Extras*>(node.extras)->where : place{nullptr, 0};
  if (!where.file) fail({"tt::detect_anomaly: backward of ", ops, " gave NaN to its operand ", input});
  fail({"tt::detect_anomaly: backward of ", ops, " gave NaN to its operand ", input, "; it was recorded at ", where.file, ":", where.line});
}
/// Refuses NaN in what a node has sent on.
inline void check_anomaly(const Node& node, Engine& engine) {
  for (int i = 0; i < node.kind->inputs(node); ++i) {
    Node* const input = node.kind->input(node, i);
    if (!input) continue;
    const Ref<Storage>& gradient = engine.arrived(input);
    if (gradient && has_nan(*input, gradient)) nan_found(node, i);
  }
}

/// A user's way of keeping tensors (autograd/watch.hpp).
struct SavedHooks {
  virtual Ref<PackedTensor> pack(const AnyTensor& kept) = 0;

 protected:
  ~SavedHooks() = default;
};
inline constinit thread_local SavedHooks* saved_hooks = nullptr;

/// A node was recorded while somebody watches.
TT_NOINLINE inline void note_recorded(Node& node) {
  if (anomaly && current_place.file) extras_of(node).where = current_place;
  if (!saved_hooks || !node.kind->visit_saved) return;
  struct Pack : SavedVisitor {
    Node& of;
    SavedHooks& hooks;
  } pack{{[](SavedVisitor& v, const AnyTensor& kept) {
           auto& self = static_cast<Pack&>(v);
           const no_grad guard;
           struct Off {
             SavedHooks* before = std::exchange(saved_hooks, nullptr);
             ~Off() { saved_hooks = before; }
           } off;
           extras_of(self.of).packed.push_back(self.hooks.pack(kept));
           return AnyTensor();
         }},
         node,
         *saved_hooks};
  node.kind->visit_saved(node, pack);
}

/// Takes everything out.
inline void take_out(Node& node) {
  SavedVisitor out{[](SavedVisitor&, const AnyTensor&) { return AnyTensor(); }};
  node.kind->visit_saved(node, out);
}
/// Puts back what was packed.
inline void unpack(Node& node, const std::vector<Ref<PackedTensor>>& packed) {
  struct Unpack : SavedVisitor {
    const Ref<PackedTensor>* next;
  } visitor{{[](SavedVisitor& v, const AnyTensor& kept) {
              AnyTensor t = (*static_cast<Unpack&>(v).next++)->unpack();
              if (!t.defined() || t.dtype() != kept.dtype() || !(t.sizes() == kept.sizes()))
                fail({"tt::saved_tensors_hooks: unpack must give a tensor of ", name_of(kept.dtype()), " ", kept.sizes(), " again"});
              return t;
            }},
            packed.data()};
  node.kind->visit_saved(node, visitor);
}

/// In the place of backward and release.
inline void run_watched(Node& node, Engine& engine) {
  auto* const chosen = engine.selection ? engine.selection->find(&node) : nullptr;
  if (engine.selection && !chosen) return;
  auto* extras = static_cast<Extras*>(node.extras);
  if (extras) run_hooks(node, node.gradient);
  if (chosen) {
    if (chosen->wanted) chosen->gradient = gradient_tensor(node, node.gradient);
    if (!chosen->further) return;
  }
  if (node.released) graph_was_freed(node);
  const bool packed = extras && !extras->packed.empty();
  if (packed) unpack(node, extras->packed);
  node.kind->backward(node, engine);
  if (anomaly) check_anomaly(node, engine);
  if (!engine.retain) {
    if (packed) extras->packed.clear();
    node.kind->release(node);
  } else if (packed) {
    take_out(node);
  }
}
inline constexpr Watch watch{note_recorded, run_watched};

}  // namespace tt::detail
