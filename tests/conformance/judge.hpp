// One function for each form of golden file. Each gives an outcome for every sample in it.
#pragma once
#include "outcome.hpp"

#include <tt/core/any_tensor.hpp>

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace conformance {

/// Puts an input of a sample, laid out as it is, where operations are to run. Null: they run on the host.
extern tt::AnyTensor (*place_input)(const tt::AnyTensor& input);
/// Throws what a call that has returned found wrong later. Null: nothing.
extern void (*settle)();

/// `samples` of an operator; the tensors lie beside the JSON file.
FileReport judge_operator(const std::filesystem::path& path, const nlohmann::json& file);
/// `promotion.json`: an entry of a table is a sample.
FileReport judge_promotion(const nlohmann::json& tables);
/// `expect.json` of safetensors files beside it: a file is a sample.
FileReport judge_malformed(const std::filesystem::path& folder, const nlohmann::json& expected);
/// `expect.json` of .npy and .npz files beside it: a file is a sample.
FileReport judge_npy(const std::filesystem::path& folder, const nlohmann::json& expected);

/// Whatever golden file this is; nothing where it is none. Never throws for what is in a file.
FileReport judge_file(const std::filesystem::path& path);
/// Whether a file's name and place are those of a golden file.
bool may_be_golden(const std::filesystem::path& path);

}  // namespace conformance
