// Schemas: PyTorch's text for an operation's parameters, and the binding of a call's arguments to them.
// https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func
#pragma once
#include <tt/dispatch/argument.hpp>

#include <span>

namespace tt::registry {

enum class parameter_kind : std::uint8_t {
  tensor,
  tensors,
  scalar,
  integer,
  integers,
  floating,
  boolean,
  string,
  dtype,
  device,
  layout,
  memory_format
};

/// "int[1]? dim=None": a kind, whether None may stand for it, and what stands for it where a call gives nothing.
struct Parameter {
  std::string name, type;
  parameter_kind kind = parameter_kind::tensor;
  bool optional = false;    ///< None is a value
  bool repeats = false;     ///< int[2]: one number stands for the list
  bool named_only = false;  ///< after the *
  bool has_default = false;
  Argument fallback;
};

/// One overload: "add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor". Its name ends at the bracket.
struct Schema {
  std::string text, name, returns;
  std::vector<Parameter> parameters;
};

/// The schema of a text; throws where the text is none.
Schema parse_schema(std::string_view text);

/// The arguments of one call under their parameters' names.
class Bound {
 public:
  Bound(const Schema& schema, std::vector<Argument> values) : schema_(&schema), values_(std::move(values)) {}

  const Schema& schema() const { return *schema_; }
  const Argument& operator[](std::size_t position) const { return values_[position]; }
  /// None where the overload has no such parameter.
  const Argument& operator[](std::string_view name) const;
  bool given(std::string_view name) const { return !(*this)[name].is_none(); }
  const AnyTensor& tensor(std::string_view name) const { return (*this)[name].tensor(); }
  std::int64_t integer(std::string_view name) const { return (*this)[name].get<std::int64_t>(); }
  bool boolean(std::string_view name) const { return (*this)[name].get<bool>(); }
  const std::string& string(std::string_view name) const { return (*this)[name].get<std::string>(); }
  std::vector<index_t> integers(std::string_view name) const;
  tt::dtype dtype_or(std::string_view name, tt::dtype otherwise) const {
    return given(name) ? (*this)[name].get<tt::dtype>() : otherwise;
  }

 private:
  const Schema* schema_;
  std::vector<Argument> values_;  ///< one for each parameter
};

/// Binds to the first overload that takes the arguments; throws, naming what does not fit, if there is none.
/// @param op the operation's name, for messages
Bound bind_arguments(std::string_view op, std::span<const Schema> overloads, std::span<const Argument> positional,
           std::span<const NamedArgument> named);

}  // namespace tt::registry
