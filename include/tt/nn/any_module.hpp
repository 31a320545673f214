// AnyModule: what hooks, files, optimisers and summaries see of a module. Ordinary code over one virtual walk.
#pragma once
#include <tt/nn/parameter.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tt::nn {

class AnyModule;

/// Names and tensors in the order of the modules' TT_MODULE lines; the names are PyTorch's.
using StateDict = std::vector<std::pair<std::string, AnyTensor>>;

/// Walks a module's parameters and children, names joined with dots. Parameters without a value are walked too.
struct Visitor {
  std::string prefix;
  virtual void parameter(const std::string& name, Parameter& p) = 0;
  virtual void module(const std::string& /*name*/, AnyModule& /*m*/) {}

 protected:
  ~Visitor() = default;
};

/// Called after forward with inputs and outputs, tuples flattened. A single output may be replaced.
using ForwardHook = std::function<void(AnyModule&, const std::vector<AnyTensor>& in, std::vector<AnyTensor>& out)>;

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
  virtual ~AnyModule() = default;
  virtual void tt_walk(Visitor&) {}

  bool is_training() const { return training_; }
  /// Switches this module and all below it between training and evaluation.
  void train(bool on = true);
  void eval() { train(false); }

  std::vector<std::pair<std::string, Parameter*>> named_parameters();
  std::vector<Parameter*> parameters();
  index_t num_parameters();
  /// The tensors themselves, not copies; without history.
  StateDict state_dict();
  /// Copies every tensor, or, where names or extents differ, none and throws.
  void load_state_dict(const StateDict& state);
  void zero_grad();
  /// Whether parameters gather gradients: false freezes the module at run time.
  void requires_grad_(bool on = true);

  /// @return a number for remove_hook
  int register_forward_hook(ForwardHook hook);
  void remove_hook(int id);
  bool has_hooks() const { return hooks_ && !hooks_->forward.empty(); }
  void run_hooks(const std::vector<AnyTensor>& in, std::vector<AnyTensor>& out) {
    const auto now = hooks_->forward;  // a hook may add or remove hooks
    for (const auto& [id, hook] : now) hook(*this, in, out);
  }

 private:
  struct Hooks {
    std::vector<std::pair<int, ForwardHook>> forward;
    int next = 0;
  };
  bool training_ = true;
  std::unique_ptr<Hooks> hooks_;  // null until the first one: a call costs one test
};

namespace detail {

template <class Function>
struct ParameterVisitor final : Visitor {
  Function f;
  explicit ParameterVisitor(Function g) : f(std::move(g)) {}
  void parameter(const std::string& name, Parameter& p) override {
    if (p.value.defined()) f(name, p);   // a layer without bias has none
  }
};
template <class Function>
void each_parameter(AnyModule& m, Function f) {
  ParameterVisitor<Function> visitor(std::move(f));
  m.tt_walk(visitor);
}

}  // namespace detail

TT_NOINLINE inline void AnyModule::train(bool on) {
  struct Switch final : Visitor {
    bool to = true;
    void parameter(const std::string&, Parameter&) override {}
    void module(const std::string&, AnyModule& m) override { m.training_ = to; }
  } visitor;
  visitor.to = training_ = on;
  tt_walk(visitor);
}
TT_NOINLINE inline std::vector<std::pair<std::string, Parameter*>> AnyModule::named_parameters() {
  std::vector<std::pair<std::string, Parameter*>> out;
  detail::each_parameter(*this, [&](const std::string& name, Parameter& p) {
    if (!p.buffer) out.emplace_back(name, &p);
  });
  return out;
}
TT_NOINLINE inline std::vector<Parameter*> AnyModule::parameters() {
  std::vector<Parameter*> out;
  detail::each_parameter(*this, [&](const std::string&, Parameter& p) {
    if (!p.buffer) out.push_back(&p);
  });
  return out;
}
inline index_t AnyModule::num_parameters() {
  index_t n = 0;
  for (const Parameter* p : parameters()) n += p->value.numel();
  return n;
}
TT_NOINLINE inline StateDict AnyModule::state_dict() {
  StateDict out;
  detail::each_parameter(*this, [&](const std::string& name, Parameter& p) { out.emplace_back(name, p.value.detach()); });
  return out;
}
TT_NOINLINE inline void AnyModule::load_state_dict(const StateDict& state) {
  const auto named = [&](const std::string& name) {
    return std::find_if(state.begin(), state.end(), [&](const auto& entry) { return entry.first == name; });
  };
  std::string faults;
  std::vector<std::string> own;
  detail::each_parameter(*this, [&](const std::string& name, Parameter& p) {
    own.push_back(name);
    const auto found = named(name);
    if (found == state.end() || !found->second.defined()) faults += ", " + name + " is missing";
    else if (!(found->second.sizes() == p.value.sizes()))
      faults += ", " + name + " is " + to_string(found->second.sizes()) + " instead of " + to_string(p.value.sizes());
  });
  for (auto entry = state.begin(); entry != state.end(); ++entry) {
    if (named(entry->first) != entry) faults += ", " + entry->first + " occurs twice";
    else if (std::find(own.begin(), own.end(), entry->first) == own.end())
      faults += ", " + entry->first + " is not part of the module";
  }
  if (!faults.empty()) fail({"tt::nn: load_state_dict: the state is another module's: ", faults.substr(2)});
  detail::each_parameter(*this, [&](const std::string& name, Parameter& p) { p.value.detach().copy_(named(name)->second); });
}
TT_NOINLINE inline void AnyModule::zero_grad() {
  for (Parameter* p : parameters())
    if (p->value.requires_grad()) p->value.set_grad({});
}
TT_NOINLINE inline void AnyModule::requires_grad_(bool on) {
  for (Parameter* p : parameters()) p->value.requires_grad_(on);
}
TT_NOINLINE inline int AnyModule::register_forward_hook(ForwardHook hook) {
  if (!hooks_) hooks_ = std::make_unique<Hooks>();
  hooks_->forward.emplace_back(hooks_->next, std::move(hook));
  return hooks_->next++;
}
TT_NOINLINE inline void AnyModule::remove_hook(int id) {
  if (hooks_) std::erase_if(hooks_->forward, [id](const auto& entry) { return entry.first == id; });
}

}  // namespace tt::nn
