// Forward hooks: what is compiled only where one is registered.
#pragma once
#include <tt/nn/any_module.hpp>

namespace tt::nn {

namespace detail {

class ForwardHooks final : public Hooks {
 public:
  int add(ForwardHook hook) {
    hooks_.emplace_back(next_, std::move(hook));
    return next_++;
  }
  void remove(int id) override {
    std::erase_if(hooks_, [id](const auto& entry) { return entry.first == id; });
  }
  HookedCall* begin(AnyModule& m) override { return hooks_.empty() ? nullptr : new Call(m, *this); }

 private:
  struct Call final : HookedCall {
    AnyModule& module;
    const ForwardHooks& hooks;
    std::vector<AnyTensor> in, out;

    Call(AnyModule& m, const ForwardHooks& h) : module(m), hooks(h) {}
    void input(const AnyTensor& t) override { in.push_back(t); }
    void output(const AnyTensor& t) override { out.push_back(t); }
    AnyTensor run() override {
      const auto now = hooks.hooks_;  // a hook may add or remove hooks
      for (const auto& [id, hook] : now) hook(module, in, out);
      return out.size() == 1 ? out[0] : AnyTensor();
    }
  };
  std::vector<std::pair<int, ForwardHook>> hooks_;
  int next_ = 0;
};

}  // namespace detail

TT_NOINLINE inline int AnyModule::register_forward_hook(ForwardHook hook) {
  if (!hooks_) hooks_ = std::make_unique<detail::ForwardHooks>();
  return static_cast<detail::ForwardHooks&>(*hooks_).add(std::move(hook));
}

}  // namespace tt::nn
