// The golden files of NumPy's format.
#include "judge.hpp"
#include "tensor_file.hpp"

#include <tt/io/npz.hpp>
#include <tt/tensor.hpp>

#include <nlohmann/json.hpp>

namespace conformance {

using nlohmann::json;

namespace {

/// What a library of tensors may refuse: NumPy reads it, and it holds no numbers.
bool may_refuse(const std::string& name) { return name == "structured.npy" || name == "unicode_text.npy"; }

/// '<f8' without its order.
std::string numpy_type(tt::dtype type) {
  const tt::io::npy_type* const element = tt::io::npy_element(type);
  return element ? element->kind + std::to_string(element->size) : "none";
}

/// As expect.json writes an element: complex numbers as [re, im].
template <class Type>
json element_of(Type x) {
  if constexpr (tt::is_complex(tt::dtype_of<Type>)) return {x.real(), x.imag()};
  else if constexpr (tt::is_floating(tt::dtype_of<Type>)) return json(tt::detail::converted<double>(x));
  else return json(x);
}

std::string array_difference(const tt::AnyTensor& got, const json& want) {
  const std::string type = want.at("dtype").get<std::string>().substr(1);
  if (numpy_type(got.dtype()) != type) return "its elements are " + numpy_type(got.dtype()) + ", not " + type;
  if (json(std::vector<tt::index_t>(got.sizes().begin(), got.sizes().end())) != want.at("shape"))
    return "the extents are " + tt::to_string(got.sizes());
  const json& values = want.at("values");
  if (got.numel() != tt::index_t(values.size())) return "it has another number of elements";
  return tt::visit(got.dtype(), [&]<class Type>(Type) -> std::string {
    const auto* p = reinterpret_cast<const Type*>(got.data_ptr());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (element_of(p[i]) != values[i]) return "element " + std::to_string(i) + " is not " + values[i].dump();
    return "";
  });
}

std::string archive_difference(const std::vector<std::uint8_t>& file, const std::string& name, const json& want,
                               const json& arrays) {
  const tt::NamedTensors got = tt::io::parse_npz(file, name);
  if (got.size() != want.at("members").size()) return "it has " + std::to_string(got.size()) + " members";
  for (const json& member : want.at("members")) {
    const std::string called = member;
    const auto at = std::find_if(got.begin(), got.end(), [&](const auto& m) { return m.first + ".npy" == called; });
    if (at == got.end()) return "it has no member " + called;
    if (!arrays.contains(called)) continue;
    if (std::string wrong = array_difference(at->second, arrays.at(called)); !wrong.empty())
      return called + ": " + wrong;
  }
  return "";
}

Outcome judge_one(const std::vector<std::uint8_t>& file, const std::string& name, const json& want,
                  const json& arrays) {
  const bool reads = want.at("numpy") == "reads";
  try {
    const std::string wrong = want.contains("members")   ? archive_difference(file, name, want, arrays)
                              : !want.contains("values") ? (tt::io::parse_npy(file, name), std::string())
                                                         : array_difference(tt::io::parse_npy(file, name), want);
    if (!reads) return Outcome::failed("it was not refused");
    return wrong.empty() ? Outcome{} : Outcome::failed(wrong);
  } catch (const tt::not_implemented& e) {
    return Outcome::not_implemented(e.what());
  } catch (const tt::Error& e) {
    return !reads || may_refuse(name) ? Outcome{} : Outcome::failed(std::string("it was refused: ") + e.what());
  }
}

}  // namespace

FileReport judge_npy(const std::filesystem::path& folder, const json& expected) {
  FileReport report{"expect.json", "npy", {}, ""};
  for (const auto& [name, want] : expected.items())
    report.samples.push_back({name, judge_one(read_bytes(folder / name), name, want, expected)});
  return report;
}

}  // namespace conformance
