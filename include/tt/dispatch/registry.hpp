// The registry: every operation by name, with its schema and one function over arguments. The rows are compiled in the
// library tt::registry (src/registry); including this instantiates none.
#pragma once
#include <tt/dispatch/schema.hpp>

namespace tt {

namespace registry {

/// One operation. `run` takes bound arguments and gives a tensor, or a list of results. It records on the tape where an
/// operand requires a gradient.
struct Row {
  std::string name;
  std::vector<Schema> overloads;
  Argument (*run)(const Bound&) = nullptr;

  Argument operator()(std::span<const Argument> positional, std::span<const NamedArgument> named = {}) const {
    return run(bind_arguments(name, overloads, positional, named));
  }
  /// The schemas, a line each.
  std::string schema() const {
    std::string text;
    for (const Schema& s : overloads) text += (text.empty() ? "" : "\n") + s.text;
    return text;
  }
};

/// All rows, in the order of their names.
std::span<const Row> rows();
/// The row of a name, or of a name with an overload at its end ("add.Tensor"); null if there is none.
const Row* find(std::string_view name);

}  // namespace registry

/// An operation by name: call("add", {a, b}, {{"alpha", 2}}).tensor(). Throws not_implemented where there is none.
Argument call(std::string_view name, const std::vector<Argument>& positional,
              const std::vector<NamedArgument>& named = {});

}  // namespace tt
