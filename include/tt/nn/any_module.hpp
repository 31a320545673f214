// AnyModule: what hooks, files, optimisers and summaries see of a module. Ordinary code over one virtual walk.
#pragma once
#include <tt/nn/visitor.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tt::nn {

/// Names and tensors in the order of the modules' TT_MODULE lines; the names are PyTorch's.
using StateDict = std::vector<std::pair<std::string, AnyTensor>>;

namespace detail {
/// One call that hooks are to see, and a module's hooks. Tables of functions, not virtual ones, which g++ would guess and
/// compile into every caller: their code is made where a hook is registered (nn/hooks.hpp).
struct HookedCall {
  void (*input)(HookedCall&, const AnyTensor&);
  void (*output)(HookedCall&, const AnyTensor&);
  /// @return a single output, perhaps another one now; undefined where there are several
  AnyTensor (*run)(HookedCall&);
  void (*end)(HookedCall*);
};
struct Hooks {
  HookedCall* (*begin)(Hooks&, AnyModule&);  ///< null where no hook is left
  void (*remove)(Hooks&, int id);
  void (*end)(Hooks*);
};
/// The only owner of one of them. Not std::unique_ptr: <memory> costs each translation unit 20 ms.
template <class Pointee>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Pointee* p) : p_(p) {}
  Owner(Owner&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    Owner taken(std::move(other));
    std::swap(p_, taken.p_);
    return *this;
  }
  ~Owner() {
    if (p_) p_->end(p_);
  }
  Pointee* get() const { return p_; }
  Pointee* operator->() const { return p_; }
  Pointee& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  Pointee* p_ = nullptr;
};

}  // namespace detail

class AnyModule {
 public:
  AnyModule() = default;
  AnyModule(const AnyModule& other) : training_(other.training_) {}  // hooks belong to one object
  AnyModule(AnyModule&&) noexcept = default;
  AnyModule& operator=(const AnyModule& other) {
    training_ = other.training_;
    return *this;
  }
  AnyModule& operator=(AnyModule&&) noexcept = default;
  TT_NOINLINE virtual ~AnyModule() {}
  virtual void tt_walk(Visitor&) {}

  bool is_training() const { return training_; }
  /// Switches this module and all below it between training and evaluation.
  void train(bool on = true);
  /// In a forward() that wants the function of this name, write tt::eval(e).
  void eval() { train(false); }

  // Templates whose argument means nothing: what is no template, each file compiles, called or not. nn/state.hpp has them.
  template <int = 0> std::vector<std::pair<std::string, Parameter*>> named_parameters();
  template <int = 0> std::vector<Parameter*> parameters();
  template <int = 0> index_t num_parameters();
  /// The tensors themselves, not copies; without history.
  template <int = 0> StateDict state_dict();
  /// Copies every tensor, or, where names or extents differ, none and throws.
  template <int = 0> void load_state_dict(const StateDict& state);
  template <int = 0> void zero_grad();
  /// Puts parameters and buffers, and their gradients, on a device: net.to<tt::cuda>(). Optimisers of the module stay valid.
  template <device_tag Device>
  void to() {
    move_to(tt::detail::new_memory<Device>::get());
  }
  /// Whether parameters gather gradients: false freezes the module at run time.
  template <int = 0> void requires_grad_(bool on = true);

  /// hook(module, const std::vector<AnyTensor>& in, std::vector<AnyTensor>& out), called after forward with inputs and
  /// outputs, tuples flattened. A single output may be replaced.
  /// @return a number for remove_hook
  template <class Hook>
  int register_forward_hook(Hook hook);  // nn/hooks.hpp
  void remove_hook(int id) {
    if (hooks_) hooks_->remove(*hooks_, id);
  }
  detail::Hooks* hooks() const { return hooks_.get(); }

 private:
  template <int = 0> void move_to(const tt::detail::Memory* memory);

  bool training_ = true;
  detail::Owner<detail::Hooks> hooks_;  // null until the first one: a call costs one test
};

namespace detail {
template <class Function>
void each_parameter(AnyModule& m, Function f) {
  ParameterVisitor<Function> visitor(f);
  m.tt_walk(visitor);
}
}  // namespace detail

TT_NOINLINE inline void AnyModule::train(bool on) {
  struct Switch : Visitor {
    bool to;
  } visitor{{[](Visitor&, std::string_view, Parameter&) {},
             [](Visitor& v, std::string_view, AnyModule& m) { m.training_ = static_cast<Switch&>(v).to; }},
            on};
  training_ = on;
  tt_walk(visitor);
}

}  // namespace tt::nn
