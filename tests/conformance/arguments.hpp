// From JSON to the arguments of a call.
#pragma once
#include <tt/registry.hpp>

#include <nlohmann/json_fwd.hpp>

namespace conformance {

/// A sample's argument; {"t": i} is inputs[i]. Forms that only indexing has are refused as not implemented.
tt::Argument to_argument(const nlohmann::json& value, const std::vector<tt::AnyTensor>& inputs);
std::vector<tt::Argument> to_arguments(const nlohmann::json& list, const std::vector<tt::AnyTensor>& inputs);
std::vector<tt::NamedArgument> to_named_arguments(const nlohmann::json& object,
                                                  const std::vector<tt::AnyTensor>& inputs);

}  // namespace conformance
