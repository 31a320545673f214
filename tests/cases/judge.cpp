#include "judge.hpp"

#include "../conformance/arguments.hpp"
#include "../conformance/compare.hpp"
#include "../conformance/tensor_file.hpp"
#include "call.hpp"

#include <tt/tensor.hpp>

#include <nlohmann/json.hpp>

#include <limits>

namespace cases {

using conformance::Outcome;
using conformance::unreadable;
using nlohmann::json;

namespace {

double real(const json& value) {
  if (value.is_number()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf" || value == "-inf") return value == "inf" ? infinity : -infinity;
  throw unreadable("an element is " + value.dump());
}

/// {"dtype", "shape", and "data", "fill" or "arange_from"}; the values are rounded to the dtype.
tt::AnyTensor tensor_of(const json& form) {
  tt::dims size;
  for (const json& extent : form.at("shape")) size.push_back(extent.get<tt::index_t>());
  const tt::AnyTensor t = tt::AnyTensor::empty(tt::dtype_named(form.at("dtype").get<std::string>()), size);
  if (form.contains("data") && tt::index_t(form.at("data").size()) != t.numel())
    throw unreadable("a tensor of the extents " + tt::to_string(size) + " has " +
                     std::to_string(form.at("data").size()) + " elements");
  tt::visit(t.dtype(), [&]<class Type>(Type) {
    auto* to = reinterpret_cast<Type*>(t.data_ptr());
    const auto element = [](const json& value) {
      if (value.is_boolean()) return tt::detail::converted<Type>(value.get<bool>());
      if constexpr (std::is_integral_v<Type>) return tt::detail::converted<Type>(value.get<std::int64_t>());
      else return tt::detail::converted<Type>(real(value));
    };
    if (form.contains("fill")) return void(std::fill_n(to, t.numel(), element(form.at("fill"))));
    for (tt::index_t i = 0; i < t.numel(); ++i)
      to[i] = form.contains("arange_from") ? element(form.at("arange_from").get<std::int64_t>() + i)
                                           : element(form.at("data")[std::size_t(i)]);
  });
  return t;
}

bool is_tensor(const json& value) { return value.is_object() && value.contains("dtype") && value.contains("shape"); }

Call call_of(const json& check) {
  Results values;
  for (const char* part : {"inputs", "args"}) {
    if (!check.contains(part)) continue;
    for (const auto& [name, value] : check.at(part).items())
      values[name] = is_tensor(value) ? tt::Argument(tensor_of(value)) : conformance::to_argument(value, {});
  }
  return Call(std::move(values));
}

std::string tensor_difference(const tt::AnyTensor& got, const json& want, conformance::Tolerance tolerance) {
  if (!got.defined()) return "there is none";
  const tt::AnyTensor stored = tensor_of(want);
  const bool cast = tt::is_floating(stored.dtype()) && tt::is_floating(got.dtype());
  return conformance::difference(cast ? converted(got, stored.dtype()) : got, stored, {tolerance, false, false});
}

/// Numbers of a list, of a list of lists, or one.
void flatten(const json& value, std::vector<double>& out) {
  if (!value.is_array()) return out.push_back(real(value));
  for (const json& one : value) flatten(one, out);
}
void flatten(const tt::Argument& value, std::vector<double>& out) {
  if (value.is<tt::Argument::List>()) {
    for (const tt::Argument& one : value.get<tt::Argument::List>()) flatten(one, out);
  } else if (value.is<tt::AnyTensor>()) {
    const tt::AnyTensor flat = converted(value.tensor(), tt::dtype::float64).packed();
    const auto* p = reinterpret_cast<const double*>(flat.data_ptr());
    out.insert(out.end(), p, p + flat.numel());
  } else {
    out.push_back(value.is<std::int64_t>() ? double(value.get<std::int64_t>()) : value.get<double>());
  }
}

std::string shown(const std::vector<double>& list) { return json(list).dump(); }

/// What is wrong with a result; empty if nothing is. Lists of numbers are compared as such, whatever held them.
std::string difference(const tt::Argument& got, const json& want, conformance::Tolerance tolerance) {
  if (is_tensor(want))
    return got.is<tt::AnyTensor>() ? tensor_difference(got.tensor(), want, tolerance) : "it is no tensor";
  if (want.is_string())
    return got.is<std::string>() && got.get<std::string>() == want ? "" : "it is another text than " + want.dump();
  std::vector<double> a, b;
  flatten(got, a);
  flatten(want, b);
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i)
    equal = a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]) ||
            std::abs(a[i] - b[i]) <= tolerance.absolute + tolerance.relative * std::abs(b[i]);
  return equal ? "" : "it is " + shown(a) + ", not " + shown(b);
}

Outcome judge_results(const Results& results, const json& check) {
  const conformance::Tolerance tolerance{check.value("rtol", 0.0), check.value("atol", 0.0)};
  const json also = check.value("also_allowed", json::object());
  if (also.contains("value"))
    for (const auto& [name, got] : results)
      if (difference(got, also.at("value"), tolerance).empty()) return {};
  if (check.contains("error"))
    return also.contains("reads") ? Outcome{} : Outcome::failed("it was not refused: " + check.at("error").dump());
  for (const auto& [name, want] : check.at("expect").items()) {
    const auto got = results.find(name);
    if (got == results.end()) return Outcome::not_implemented("the adapter gives no '" + name + "'");
    if (std::string wrong = difference(got->second, want, tolerance); !wrong.empty())
      return Outcome::failed(name + ": " + wrong);
  }
  return {};
}

Outcome judge_check(const json& check) {
  const std::string op = check.at("op");
  const auto adapter = adapters().find(op);
  if (adapter == adapters().end()) return Outcome::not_implemented("there is no adapter for '" + op + "' yet");
  try {
    const Call call = call_of(check);
    const Results results = adapter->second(call);
    if (const std::string name = call.unread(); !name.empty())
      return Outcome::not_implemented("the adapter does not know '" + name + "'");
    return judge_results(results, check);
  } catch (const tt::not_implemented& e) {
    return Outcome::not_implemented(e.what());
  } catch (const tt::Error& e) {
    const bool may_throw = check.contains("error") || check.value("also_allowed", json::object()).contains("throws");
    return may_throw ? Outcome{} : Outcome::failed(std::string("it was refused: ") + e.what());
  }
}

}  // namespace

std::vector<conformance::FileReport> judge(const std::filesystem::path& path,
                                           const std::function<bool(const std::string&, const std::string&)>& wanted) {
  std::vector<conformance::FileReport> reports;
  try {
    const json file = json::parse(conformance::read_bytes(path));
    for (const json& one : file.at("cases")) {
      const std::string name = one.at("id").get<std::string>() + " " + one.value("title", ""), area = one.at("area");
      if (!wanted(name, area)) continue;
      reports.push_back({name, area, {}, ""});
      for (const json& check : one.at("checks")) {
        const Outcome outcome = judge_check(check);
        reports.back().samples.push_back({check.at("name"), outcome});
      }
    }
  } catch (const std::exception& e) {
    reports.push_back({path.string(), "", {}, e.what()});
  }
  return reports;
}

}  // namespace cases
