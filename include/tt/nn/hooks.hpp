// Forward hooks: what is compiled only where one is registered.
#pragma once
#include <tt/nn/any_module.hpp>

namespace tt::nn {

namespace detail {

/// A user's function. Not std::function: <functional> costs each translation unit 35 ms.
struct ForwardHook {
  tt::detail::Count refs;

  virtual void operator()(AnyModule& m, const std::vector<AnyTensor>& in, std::vector<AnyTensor>& out) = 0;
  virtual ~ForwardHook() = default;
};
TT_NOINLINE inline void destroy(ForwardHook* hook) { delete hook; }
template <class Function>
struct ForwardHookOf final : ForwardHook {
  Function function;
  explicit ForwardHookOf(Function f) : function(std::move(f)) {}
  void operator()(AnyModule& m, const std::vector<AnyTensor>& in, std::vector<AnyTensor>& out) override {
    function(m, in, out);
  }
};

/// The hooks of a module, and a call that they see. Hook is always ForwardHook: a template, so that a file that registers none
/// compiles nothing of them.
template <class Hook>
struct ForwardHooks : Hooks {
  std::vector<std::pair<int, tt::detail::Ref<Hook>>> all;
  int next = 0;

  struct Call : HookedCall {
    AnyModule& module;
    const ForwardHooks& hooks;
    std::vector<AnyTensor> in, out;

    Call(AnyModule& m, const ForwardHooks& h)
        : HookedCall{[](HookedCall& c, const AnyTensor& t) { static_cast<Call&>(c).in.push_back(t); },
                     [](HookedCall& c, const AnyTensor& t) { static_cast<Call&>(c).out.push_back(t); },
                     [](HookedCall& c) { return static_cast<Call&>(c).run_all(); },
                     [](HookedCall* c) { delete static_cast<Call*>(c); }}, module(m), hooks(h) {}
    AnyTensor run_all() {
      const auto now = hooks.all;  // a hook may add or remove hooks
      for (const auto& [id, hook] : now) (*hook)(module, in, out);
      return out.size() == 1 ? out[0] : AnyTensor();
    }
  };

  ForwardHooks()
      : Hooks{[](Hooks& h, AnyModule& m) -> HookedCall* {
                auto& hooks = static_cast<ForwardHooks&>(h);
                return hooks.all.empty() ? nullptr : new Call(m, hooks);
              },
              [](Hooks& h, int id) { std::erase_if(static_cast<ForwardHooks&>(h).all, [id](const auto& entry) { return entry.first == id; }); },
              [](Hooks* h) { delete static_cast<ForwardHooks*>(h); }} {}

  int add(Hook* hook) {
    tt::detail::Ref<Hook> owned(hook);
    all.emplace_back(next, std::move(owned));
    return next++;
  }
};

}  // namespace detail

template <class Hook>
int AnyModule::register_forward_hook(Hook hook) {
  using tensors = std::vector<AnyTensor>;
  static_assert(std::is_invocable_v<Hook&, AnyModule&, const tensors&, tensors&>,
                "tt::nn: a forward hook takes a module, and the vectors of its inputs and outputs");
  using hooks = detail::ForwardHooks<detail::ForwardHook>;
  if (!hooks_) hooks_ = detail::Owner<detail::Hooks>(new hooks);
  return static_cast<hooks&>(*hooks_).add(new detail::ForwardHookOf<Hook>(std::move(hook)));
}

}  // namespace tt::nn
