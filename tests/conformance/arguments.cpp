#include "arguments.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace conformance {

using nlohmann::json;

namespace {

tt::Argument from_object(const json& value, const std::vector<tt::AnyTensor>& inputs) {
  if (value.size() != 1)
    throw tt::not_implemented("arguments of the form " + value.dump() + " are not implemented yet");
  const std::string& key = value.begin().key();
  const json& inside = value.begin().value();
  if (key == "t") return inputs.at(inside.get<std::size_t>());
  if (key == "tuple") return to_arguments(inside, inputs);
  if (key == "dtype") return tt::dtype_named(inside.get<std::string>());
  if (key == "tuple") return to_arguments(inside, inputs);  // only an index tells it from a list
  if (key == "memory_format") return inside.get<std::string>();
  if (key == "f") {
    const double infinity = std::numeric_limits<double>::infinity();
    return inside == "nan" ? std::numeric_limits<double>::quiet_NaN() : inside == "inf" ? infinity : -infinity;
  }
  throw tt::not_implemented("arguments of the form {\"" + key + "\": ..} are not implemented yet");
}

}  // namespace

tt::Argument to_argument(const json& value, const std::vector<tt::AnyTensor>& inputs) {
  switch (value.type()) {
    case json::value_t::null: return {};
    case json::value_t::boolean: return value.get<bool>();
    case json::value_t::number_integer:
    case json::value_t::number_unsigned: return value.get<std::int64_t>();
    case json::value_t::number_float: return value.get<double>();
    case json::value_t::string: return value.get<std::string>();
    case json::value_t::array: return to_arguments(value, inputs);
    default: return from_object(value, inputs);
  }
}

std::vector<tt::Argument> to_arguments(const json& list, const std::vector<tt::AnyTensor>& inputs) {
  std::vector<tt::Argument> arguments;
  for (const json& value : list) arguments.push_back(to_argument(value, inputs));
  return arguments;
}

std::vector<tt::NamedArgument> to_named_arguments(const json& object, const std::vector<tt::AnyTensor>& inputs) {
  std::vector<tt::NamedArgument> arguments;
  for (const auto& [name, value] : object.items()) arguments.push_back({name, to_argument(value, inputs)});
  return arguments;
}

}  // namespace conformance
