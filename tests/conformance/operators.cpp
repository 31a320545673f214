// Samples of operators: forward, views, refusals, backward.
#include "arguments.hpp"
#include "compare.hpp"
#include "judge.hpp"
#include "tensor_file.hpp"

#include <tt/tensor.hpp>

#include <nlohmann/json.hpp>

namespace conformance {

using nlohmann::json;

tt::AnyTensor (*place_input)(const tt::AnyTensor& input) = nullptr;
void (*settle)() = nullptr;

namespace {

/// The inputs of a sample and what their memory held before the call.
struct Inputs {
  std::vector<tt::AnyTensor> tensors;
  std::vector<std::vector<std::byte>> before;

  static std::vector<std::byte> memory(const tt::AnyTensor& t) {
    const tt::Storage& s = *t.storage();
    if (!s.memory) return {s.data, s.data + s.bytes};
    std::vector<std::byte> bytes(s.bytes);
    s.memory->download(*s.memory, bytes.data(), s.data, s.bytes);
    return bytes;
  }
  /// Inputs may be read, not written.
  std::string changed() const {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (memory(tensors[i]) != before[i]) return "the call changed input " + std::to_string(i);
    return "";
  }
};

class OperatorSample {
 public:
  OperatorSample(const json& file, const json& sample, const TensorFile& tensors)
      : sample_(sample), stored_(tensors), prefix_("s" + std::to_string(sample.at("k").get<int>()) + ".") {
    op_ = file.at("op");
    signed_zero_ = op_ == "signbit" || op_ == "copysign";
    pools_ = op_.find("pool") != op_.npos;
  }

  Outcome judge(const tt::registry::Row& row) {
    const bool must_refuse = sample_.contains("raises");
    try {
      for (const json& out : sample_.value("out", json::array()))
        if (out.contains("dtype")) tt::dtype_named(out.at("dtype").get<std::string>());
      make_inputs();
      auto positional = to_arguments(sample_.at("args"), inputs_.tensors);
      if (op_ == "where" && positional.size() == 3)
        std::swap(positional[0], positional[1]);  // stored as x.where(condition, y)
      const auto named = to_named_arguments(sample_.at("kwargs"), inputs_.tensors);
      const tt::registry::Bound bound = tt::registry::bind_arguments(row.name, row.overloads, positional, named);
      flatten(row.run(bound));
      if (settle) settle();
      if (must_refuse) return Outcome::failed("the call was not refused");
      if (std::string wrong = compare_outputs(bound); !wrong.empty()) return Outcome::failed(wrong);
      if (std::string wrong = inputs_.changed(); !wrong.empty()) return Outcome::failed(wrong);
      if (std::string wrong = compare_gradients(); !wrong.empty()) return Outcome::failed(wrong);
    } catch (const tt::not_implemented& e) {
      return Outcome::not_implemented(e.what());
    } catch (const unreadable&) {
      throw;
    } catch (const json::exception&) {
      throw;
    } catch (const std::exception& e) {
      if (must_refuse) return {};
      return Outcome::failed(std::string("it was refused: ") + e.what());
    }
    if (sample_.contains("hvp")) return Outcome::not_implemented("second derivatives are not implemented yet");
    return {};
  }

 private:
  void make_inputs() {
    const json& in = sample_.at("in");
    for (std::size_t i = 0; i < in.size(); ++i) {
      tt::dtype_named(in[i].at("dtype").get<std::string>());
      tt::AnyTensor t = stored("in", i);
      if (in[i].contains("stride"))
        t = laid_out(t, in[i].at("stride").get<std::vector<tt::index_t>>(), in[i].value("offset", tt::index_t(0)),
                     in[i].at("storage"));
      if (place_input) t = place_input(t);
      if (in[i].value("grad", false)) t.requires_grad_();
      inputs_.before.push_back(Inputs::memory(t));
      inputs_.tensors.push_back(std::move(t));
    }
  }

  tt::AnyTensor stored(const char* what, std::size_t i) const {
    return stored_.get(prefix_ + what + "." + std::to_string(i));
  }

  void flatten(const tt::Argument& result) {
    if (!result.is<tt::Argument::List>()) return outputs_.push_back(result);
    for (const tt::Argument& one : result.get<tt::Argument::List>()) flatten(one);
  }

  Tolerance tolerance(const char* what) const {
    const auto tol = sample_.find("tol");
    if (tol == sample_.end() || !tol->contains(what)) return {};
    return {tol->at(what).at(0), tol->at(what).at(1)};
  }

  std::string compare_outputs(const tt::registry::Bound& bound) const {
    const json& out = sample_.at("out");
    if (outputs_.size() != out.size())
      return "there are " + std::to_string(outputs_.size()) + " results, not " + std::to_string(out.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
      std::string wrong =
          out[j].contains("value") ? compare_number(outputs_[j], out[j].at("value")) : compare_output(bound, out[j], j);
      if (!wrong.empty()) return "result " + std::to_string(j) + ": " + wrong;
    }
    return "";
  }

  static std::string compare_number(const tt::Argument& got, const json& want) {
    const tt::Argument stored = to_argument(want, {});
    if (got.kind() != stored.kind()) return "it is " + std::string(got.kind()) + ", not " + std::string(stored.kind());
    const auto value = [](const tt::Argument& a) {
      return a.is<bool>()           ? double(a.get<bool>())
             : a.is<std::int64_t>() ? double(a.get<std::int64_t>())
                                    : a.get<double>();
    };
    return value(got) == value(stored) ? "" : "the value is another one";
  }

  std::string compare_output(const tt::registry::Bound& bound, const json& out, std::size_t j) const {
    if (!outputs_[j].is<tt::AnyTensor>()) return "it is " + std::string(outputs_[j].kind()) + ", not Tensor";
    const tt::AnyTensor result = outputs_[j].tensor(), got = result.on_host(), want = stored("out", j);
    const std::string check = out.value("check", "");
    if (check == "index") {
      if (pools_) throw tt::not_implemented("positions in a pooled plane are not compared yet");
      const auto axis = bound["dim"].is<std::int64_t>() ? std::optional(bound.integer("dim")) : std::nullopt;
      return index_difference(got, want, inputs_.tensors.at(0).on_host(), axis);
    }
    if (check == "gauge") {
      std::vector<tt::AnyTensor> all, kept;
      for (std::size_t i = 0; i < outputs_.size(); ++i)
        all.push_back(outputs_[i].tensor().on_host()), kept.push_back(stored("out", i));
      return gauge_difference(all, kept, tolerance("out"));
    }
    if (!check.empty()) throw tt::not_implemented("there is no check named '" + check + "' yet");
    if (std::string wrong = difference(got, want, {tolerance("out"), false, signed_zero_}); !wrong.empty())
      return wrong;
    return out.contains("view") ? compare_view(result, out.at("view")) : "";
  }

  /// A view shares its input's memory, at the same place and with the same strides.
  std::string compare_view(const tt::AnyTensor& got, const json& view) const {
    const tt::AnyTensor& base = inputs_.tensors.at(view.at("of").get<std::size_t>());
    if (!(got.storage() == base.storage())) return "it is a copy, not a view";
    if (got.storage_offset() != view.at("offset").get<tt::index_t>()) return "as a view it begins at another element";
    for (int i = 0; i < got.rank(); ++i)
      if (got.sizes()[i] > 1 && got.strides()[i] != view.at("stride").at(std::size_t(i)).get<tt::index_t>())
        return "as a view it has another stride along axis " + std::to_string(i);
    return "";
  }

  std::string compare_gradients() const {
    const json& out = sample_.at("out");
    std::vector<std::size_t> roots;
    for (std::size_t j = 0; j < out.size(); ++j)
      if (out[j].value("cot", false)) roots.push_back(j);
    for (std::size_t j : roots)
      if (!outputs_[j].tensor().requires_grad()) return "result " + std::to_string(j) + " is not on the tape";
    for (std::size_t j : roots) {
      const tt::AnyTensor cotangent = stored("cot", j);
      tt::detail::backward_from(outputs_[j].tensor(), place_input ? place_input(cotangent) : cotangent, j != roots.back());
    }
    for (const json& i : sample_.value("grad", json::array())) {
      const tt::AnyTensor got = inputs_.tensors.at(i.get<std::size_t>()).grad();
      std::string wrong = got.defined()
                              ? difference(got.on_host(), stored("grad", i.get<std::size_t>()), {tolerance("grad"), true, false})
                              : "there is none";
      if (!wrong.empty()) return "gradient of input " + i.dump() + ": " + wrong;
    }
    for (const json& i : sample_.value("grad_none", json::array()))
      if (inputs_.tensors.at(i.get<std::size_t>()).grad().defined())
        return "input " + i.dump() + " must receive no gradient";
    return "";
  }

  const json& sample_;
  const TensorFile& stored_;
  std::string prefix_, op_;
  bool signed_zero_ = false, pools_ = false;
  Inputs inputs_;
  std::vector<tt::Argument> outputs_;
};

}  // namespace

FileReport judge_operator(const std::filesystem::path& path, const json& file) {
  FileReport report{path.filename().string(), "op", {}, ""};
  const TensorFile tensors(std::filesystem::path(path).replace_extension(".safetensors"));
  const std::string op = file.at("op"), variant = file.value("variant", "");
  const std::string name = variant.empty() ? op : op + "." + variant;
  const tt::registry::Row* row = tt::registry::find(name);
  for (const json& sample : file.at("samples")) {
    const std::string k = "s" + std::to_string(sample.at("k").get<int>());
    if (!row) report.samples.push_back({k, Outcome::not_implemented("there is no operation named '" + name + "' yet")});
    else report.samples.push_back({k, OperatorSample(file, sample, tensors).judge(*row)});
  }
  return report;
}

}  // namespace conformance
