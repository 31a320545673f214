// A module's parameters by name: lists, state_dict, load_state_dict.
#pragma once
#include <tt/autograd/leaf.hpp>
#include <tt/core/copy.hpp>
#include <tt/nn/any_module.hpp>

#include <algorithm>

namespace tt::nn {

template <int>
TT_NOINLINE std::vector<std::pair<std::string, Parameter*>> AnyModule::named_parameters() {
  std::vector<std::pair<std::string, Parameter*>> out;
  detail::each_parameter(*this, [&](std::string_view name, Parameter& p) {
    if (!p.buffer) out.emplace_back(name, &p);
  });
  return out;
}
template <int>
TT_NOINLINE std::vector<Parameter*> AnyModule::parameters() {
  std::vector<Parameter*> out;
  detail::each_parameter(*this, [&](std::string_view, Parameter& p) {
    if (!p.buffer) out.push_back(&p);
  });
  return out;
}
template <int>
TT_NOINLINE index_t AnyModule::num_parameters() {
  index_t n = 0;
  for (const Parameter* p : parameters()) n += p->value.numel();
  return n;
}
template <int>
TT_NOINLINE void AnyModule::zero_grad() {
  for (Parameter* p : parameters())
    if (p->value.requires_grad()) p->value.set_grad({});
}
template <int>
TT_NOINLINE void AnyModule::requires_grad_(bool on) {
  for (Parameter* p : parameters()) p->value.requires_grad_(on);
}

template <int>
TT_NOINLINE void AnyModule::move_to(const tt::detail::Memory* memory) {
  detail::each_parameter(*this, [&](std::string_view, Parameter& p) { tt::detail::move_leaf(p.value, memory); });
}

template <int>
TT_NOINLINE StateDict AnyModule::state_dict() {
  StateDict out;
  detail::each_parameter(*this, [&](std::string_view name, Parameter& p) { out.emplace_back(name, p.value.detach()); });
  return out;
}
template <int>
TT_NOINLINE void AnyModule::load_state_dict(const StateDict& state) {
  const auto named = [&](std::string_view name) {
    return std::find_if(state.begin(), state.end(), [&](const auto& entry) { return entry.first == name; });
  };
  std::string faults;
  const auto fault = [&](std::string_view name, const char* what) {
    (faults += faults.empty() ? "" : ", ").append(name) += what;
  };
  std::vector<std::string> own;
  detail::each_parameter(*this, [&](std::string_view name, Parameter& p) {
    own.emplace_back(name);
    const auto found = named(name);
    if (found == state.end() || !found->second.defined()) fault(name, " is missing");
    else if (!(found->second.sizes() == p.value.sizes()))
      fault(name, (" is " + to_string(found->second.sizes()) + " instead of " + to_string(p.value.sizes())).c_str());
  });
  for (auto entry = state.begin(); entry != state.end(); ++entry) {
    if (named(entry->first) != entry) fault(entry->first, " occurs twice");
    else if (std::find(own.begin(), own.end(), entry->first) == own.end())
      fault(entry->first, " is not part of the module");
  }
  if (!faults.empty()) fail({"tt::nn: load_state_dict: the state is another module's: ", faults});
  detail::each_parameter(*this, [&](std::string_view name, Parameter& p) {
    tt::detail::copy_elements(p.value.detach(), named(name)->second);
  });
}

}  // namespace tt::nn
