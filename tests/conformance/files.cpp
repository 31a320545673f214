// Which golden file is which, and those that are about files.
#include "judge.hpp"
#include "tensor_file.hpp"

#include <nlohmann/json.hpp>

namespace conformance {

using nlohmann::json;

namespace {

std::string hex(const std::vector<std::uint8_t>& file, const tt::io::safetensors_entry& t) {
  std::string text;
  for (std::size_t i = t.begin; i < t.end; ++i)
    ((text += "0123456789abcdef"[file[i] >> 4]) += "0123456789abcdef"[file[i] & 15]);
  return text;
}

Outcome judge_header(const std::vector<std::uint8_t>& file, const std::string& name, const json& want) {
  const bool either = name == "extra_key.safetensors" || name == "leading_space.safetensors";
  const bool reads = want.at("referee") == "reads";
  tt::io::safetensors_header header;
  try {
    header = tt::io::read_safetensors_header(file, name);
  } catch (const tt::Error& e) {
    return either || !reads ? Outcome{} : Outcome::failed(std::string("it was refused: ") + e.what());
  }
  if (!reads) return either ? Outcome{} : Outcome::failed("it was not refused");
  const json& tensors = want.at("tensors");
  if (header.tensors.size() != tensors.size()) return Outcome::failed("it has another number of tensors");
  for (const auto& t : header.tensors) {
    if (!tensors.contains(t.name)) return Outcome::failed("it has no tensor '" + t.name + "'");
    const json& stored = tensors.at(t.name);
    if (stored.at("dtype") != t.dtype || stored.at("shape") != json(t.shape) || stored.at("bytes") != hex(file, t))
      return Outcome::failed("tensor '" + t.name + "' is another one");
  }
  return {};
}

/// Samples of a kind that nothing runs yet.
FileReport not_yet(const std::string& name, const std::string& kind, const json& samples) {
  FileReport report{name, kind, {}, ""};
  for (const auto& [key, sample] : samples.items())
    report.samples.push_back({sample.contains("k") ? "s" + sample.at("k").dump() : key,
                              Outcome::not_implemented("files of the kind '" + kind + "' are not run yet")});
  return report;
}

FileReport judge_json(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::vector<std::uint8_t> text = read_bytes(path);
  const json file = json::parse(text);
  if (name == "promotion.json") return judge_promotion(file);
  if (name == "expect.json") {
    const json& files = file.at("files");
    if (!files.empty() && files.begin()->contains("referee")) return judge_malformed(path.parent_path(), files);
    return judge_npy(path.parent_path(), files);
  }
  const std::string kind = file.value("kind", "op");
  if (kind == "op") return judge_operator(path, file);
  return not_yet(name, kind, file.at("samples"));
}

}  // namespace

FileReport judge_malformed(const std::filesystem::path& folder, const json& expected) {
  FileReport report{"expect.json", "malformed", {}, ""};
  for (const auto& [name, want] : expected.items())
    report.samples.push_back({name, judge_header(read_bytes(folder / name), name, want)});
  return report;
}

bool may_be_golden(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".json" && name != "manifest.json";
}

FileReport judge_file(const std::filesystem::path& path) {
  try {
    FileReport report = judge_json(path);
    report.name = (path.parent_path().filename() / path.filename()).string();
    return report;
  } catch (const std::exception& e) {
    return {path.string(), "", {}, e.what()};
  }
}

}  // namespace conformance
