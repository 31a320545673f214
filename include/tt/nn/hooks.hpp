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

struct ForwardHooks : Hooks {
  std::vector<std::pair<int, tt::detail::Ref<ForwardHook>>> all;
  int next = 0;
  ForwardHooks();
};

struct ForwardCall : HookedCall {
  AnyModule& module;
  const ForwardHooks& hooks;
  std::vector<AnyTensor> in, out;

  ForwardCall(AnyModule& m, const ForwardHooks& h)
      : HookedCall{[](HookedCall& c, const AnyTensor& t) { static_cast<ForwardCall&>(c).in.push_back(t); },
                   [](HookedCall& c, const AnyTensor& t) { static_cast<ForwardCall&>(c).out.push_back(t); },
                   [](HookedCall& c) { return static_cast<ForwardCall&>(c).run_all(); },
                   [](HookedCall* c) { delete static_cast<ForwardCall*>(c); }},
        module(m),
        hooks(h) {}
  AnyTensor run_all() {
    const auto now = hooks.all;  // a hook may add or remove hooks
    for (const auto& [id, hook] : now) (*hook)(module, in, out);
    return out.size() == 1 ? out[0] : AnyTensor();
  }
};

inline ForwardHooks::ForwardHooks()
    : Hooks{[](Hooks& h, AnyModule& m) -> HookedCall* {
              auto& hooks = static_cast<ForwardHooks&>(h);
              return hooks.all.empty() ? nullptr : new ForwardCall(m, hooks);
            },
            [](Hooks& h, int id) { std::erase_if(static_cast<ForwardHooks&>(h).all, [id](const auto& entry) { return entry.first == id; }); },
            [](Hooks* h) { delete static_cast<ForwardHooks*>(h); }} {}

}  // namespace detail

TT_NOINLINE inline int AnyModule::add_forward_hook(detail::ForwardHook* hook) {
  tt::detail::Ref<detail::ForwardHook> owned(hook);
  if (!hooks_) hooks_ = detail::Owner<detail::Hooks>(new detail::ForwardHooks);
  auto& hooks = static_cast<detail::ForwardHooks&>(*hooks_);
  hooks.all.emplace_back(hooks.next, std::move(owned));
  return hooks.next++;
}
template <class Hook>
int AnyModule::register_forward_hook(Hook hook) {
  using tensors = std::vector<AnyTensor>;
  static_assert(std::is_invocable_v<Hook&, AnyModule&, const tensors&, tensors&>,
                "tt::nn: a forward hook takes a module, and the vectors of its inputs and outputs");
  return add_forward_hook(new detail::ForwardHookOf<Hook>(std::move(hook)));
}

}  // namespace tt::nn
