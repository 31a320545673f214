// promotion.json: the dtypes that results have.
#include "judge.hpp"

#include <tt/registry.hpp>
#include <tt/tensor.hpp>

#include <nlohmann/json.hpp>

namespace conformance {

using nlohmann::json;
using tt::Argument;

namespace {

tt::AnyTensor ones(const std::string& type, const tt::dims& size) {
  return tt::ones(tt::dtype_named(type), size);
}

/// Whether the call gives the dtype, or is refused where it must be.
template <class Call>
Outcome judged(const json& want, Call&& call) {
  try {
    const Argument result = call();
    const std::string got(tt::name_of(result.is<Argument::List>() ? result.get<Argument::List>().at(0).tensor().dtype()
                                                                  : result.tensor().dtype()));
    return want == got ? Outcome{} : Outcome::failed("the dtype is " + got + ", not " + want.get<std::string>());
  } catch (const tt::not_implemented& e) {
    return Outcome::not_implemented(e.what());
  } catch (const tt::Error& e) {
    return want == "refused" ? Outcome{} : Outcome::failed(std::string("it was refused: ") + e.what());
  }
}

/// An in-place form is allowed where the call goes through.
template <class Call>
Outcome allowed(const json& want, Call&& call) {
  try {
    call();
    return want.get<bool>() ? Outcome{} : Outcome::failed("it was not refused");
  } catch (const tt::not_implemented& e) {
    return Outcome::not_implemented(e.what());
  } catch (const tt::Error& e) {
    return !want.get<bool>() ? Outcome{} : Outcome::failed(std::string("it was refused: ") + e.what());
  }
}

Argument literal(const std::string& kind) {
  return kind == "bool" ? Argument(true) : kind == "int" ? Argument(1) : Argument(1.0);
}

}  // namespace

FileReport judge_promotion(const json& tables) {
  FileReport report{"promotion.json", "promotion", {}, ""};
  const auto add = [&](const std::string& name, Outcome outcome) {
    report.samples.push_back({name, std::move(outcome)});
  };
  const auto each_pair = [&](const std::string& name, const json& table, auto&& judge) {
    for (const auto& [a, row] : table.items())
      for (const auto& [b, want] : row.items()) add(name + "." + a + "." + b, judge(a, b, want));
  };
  for (const auto& [name, table] : tables.items()) {
    if (name == "tensor_tensor" || name == "tensor_0d") {
      const tt::dims second = name == "tensor_0d" ? tt::dims{} : tt::dims{2};
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return judged(want, [&] { return tt::call("add", {ones(a, {2}), ones(b, second)}); });
      });
    } else if (name == "tensor_scalar") {
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return judged(want, [&] { return tt::call("add", {ones(a, {2}), literal(b)}); });
      });
    } else if (name == "matmul") {
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return judged(want, [&] { return tt::call("matmul", {ones(a, {2, 2}), ones(b, {2, 2})}); });
      });
    } else if (name == "cat") {
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return judged(want, [&] { return tt::call("cat", {Argument(Argument::List{ones(a, {2}), ones(b, {2})})}); });
      });
    } else if (name == "where") {
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return judged(want, [&] { return tt::call("where", {ones("bool", {2}), ones(a, {2}), ones(b, {2})}); });
      });
    } else if (name == "inplace_allowed") {
      each_pair(name, table, [&](const auto& a, const auto& b, const json& want) {
        return allowed(want, [&] { return tt::call("add_", {ones(a, {2}), ones(b, {2})}); });
      });
    } else if (name == "binary") {
      for (const auto& [op, rows] : table.items())
        each_pair(name + "." + op, rows, [&, o = op](const auto& a, const auto& b, const json& want) {
          return judged(want, [&] { return tt::call(o, {ones(a, {2}), ones(b, {2})}); });
        });
    } else if (name == "unary") {
      each_pair(name, table, [&](const auto& op, const auto& a, const json& want) {
        const bool along_axis = op == "softmax" || op == "cumsum";
        return judged(want, [&] {
          return along_axis ? tt::call(op, {ones(a, {2}), 0}) : tt::call(op, {ones(a, {2})});
        });
      });
    } else {
      throw std::runtime_error("promotion.json has a table '" + name + "', which this runner does not know");
    }
  }
  return report;
}

}  // namespace conformance
