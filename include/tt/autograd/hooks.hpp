// Hooks on the gradients of single tensors. https://pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html
#pragma once
#include <tt/autograd/leaf.hpp>
#include <tt/autograd/watched.hpp>
#include <tt/core/tensor.hpp>

namespace tt {

/// Takes a hook away again. It may be dropped, and may outlive tensor and graph.
class RemovableHandle {
 public:
  RemovableHandle() = default;
  explicit RemovableHandle(detail::Ref<detail::GradientHook> hook) : hook_(std::move(hook)) {}
  void remove() {
    if (hook_) hook_->removed = true;
    hook_ = {};
  }

 private:
  detail::Ref<detail::GradientHook> hook_;
};

namespace detail {

TT_NOINLINE inline Node& tracked_node(const char* who, const AnyTensor& t) {
  if (!t.defined()) no_elements(who);
  if (!t.requires_grad()) fail({who, ": the tensor requires no gradient"});
  return *t.node();
}
TT_NOINLINE inline Ref<GradientHook> add_hook(const AnyTensor& t, GradientHook* hook) {
  Ref<GradientHook> own(hook);
  extras_of(tracked_node("tt::register_hook", t)).hooks.push_back(own);
  return own;
}

/// A user's function as a hook. Gradient is what it takes.
template <class Gradient, class Function>
struct GradientHookOf final : GradientHook {
  Function function;
  explicit GradientHookOf(Function f) : function(std::move(f)) {}
  AnyTensor operator()(const AnyTensor& g) override {
    const auto call = [&] { return function(Gradient(g)); };
    using result = decltype(call());
    if constexpr (std::is_void_v<result>) {
      call();
      return {};
    } else if constexpr (is_expression<result>) {
      return evaluate(call());
    } else {
      static_assert(std::is_convertible_v<result, AnyTensor>,
                    "tt::register_hook: a hook returns nothing, a tensor or an expression");
      return call();
    }
  }
};

}  // namespace detail

template <class Hook>
RemovableHandle AnyTensor::register_hook(Hook hook) const {
  return RemovableHandle(detail::add_hook(*this, new detail::GradientHookOf<AnyTensor, Hook>(std::move(hook))));
}
template <class Type, class ShapeType, class Device, int Order>
template <class Hook>
RemovableHandle Tensor<Type, ShapeType, Device, Order>::register_hook(Hook hook) const {
  static_assert(Order > 0, "tt::register_hook: a plain tensor gathers no gradient: make it a Variable");
  using gradient = Tensor<Type, ShapeType, Device, (std::max)(Order - 1, 0)>;
  static_assert(std::is_invocable_v<Hook&, gradient>, "tt::register_hook: the hook must take a tensor of these extents and an order less");
  return RemovableHandle(detail::add_hook(*this, new detail::GradientHookOf<gradient, Hook>(std::move(hook))));
}

TT_NOINLINE inline void AnyTensor::retain_grad() const {
  Node& node = detail::tracked_node("tt::retain_grad", *this);
  if (!node.is_leaf) detail::extras_of(node).retains = true;
}
inline bool AnyTensor::retains_grad() const {
  return defined() && node() && node()->extras && static_cast<detail::Extras&>(*node()->extras).retains;
}

}  // namespace tt
