// Forward hooks: what is compiled only where one is registered.
#pragma once
#include <tt/nn/any_module.hpp>

namespace tt::nn {

namespace detail {

struct ForwardHooks : Hooks {
  std::vector<std::pair<int, ForwardHook>> all;
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
    for (const auto& [id, hook] : now) hook(module, in, out);
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

TT_NOINLINE inline int AnyModule::register_forward_hook(ForwardHook hook) {
  if (!hooks_) hooks_ = detail::Owner<detail::Hooks>(new detail::ForwardHooks);
  auto& hooks = static_cast<detail::ForwardHooks&>(*hooks_);
  hooks.all.emplace_back(hooks.next, std::move(hook));
  return hooks.next++;
}

}  // namespace tt::nn
