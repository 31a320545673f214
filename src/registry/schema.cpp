// Parsing schemas and binding arguments to them.
#include <tt/dispatch/schema.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tt::registry {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The parts of a list between commas that stand in no bracket.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (!trimmed(text).empty()) parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A literal as schemas write it; an enumerator (contiguous_format) counts as a string.
Argument literal(std::string_view text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return text == "True";
  if (text.front() == '[') {
    Argument::List list;
    for (std::string_view part : split(text.substr(1, text.size() - 2))) list.push_back(literal(part));
    return list;
  }
  if (const auto integer = whole<std::int64_t>(text)) return *integer;
  if (const auto floating = whole<double>(text)) return *floating;
  if (text.front() == '\'' || text.front() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::optional<parameter_kind> kind_of(std::string_view type, bool list) {
  struct Name {
    std::string_view type;
    bool list;
    parameter_kind kind;
  };
  using enum parameter_kind;
  static constexpr Name names[] = {
      {"Tensor", false, tensor}, {"Tensor", true, tensors}, {"Scalar", false, scalar},
      {"int", false, integer},   {"int", true, integers},   {"float", false, floating},
      {"bool", false, boolean},  {"str", false, string},    {"ScalarType", false, dtype},
      {"Device", false, device}, {"Layout", false, layout}, {"MemoryFormat", false, memory_format}};
  for (const Name& n : names)
    if (n.type == type && n.list == list) return n.kind;
  return std::nullopt;
}

Parameter parse_parameter(std::string_view text, bool named_only) {
  Parameter p;
  p.named_only = named_only;
  if (const auto equals = text.find('='); equals != text.npos) {
    p.has_default = true;
    p.fallback = literal(trimmed(text.substr(equals + 1)));
    text = trimmed(text.substr(0, equals));
  }
  const auto space = text.rfind(' ');
  if (space == text.npos) fail({"tt: the parameter '", text, "' of a schema has no type or no name"});
  p.name = text.substr(space + 1);
  std::string_view type = trimmed(text.substr(0, space));
  p.type = type;
  if (type.ends_with('?')) p.optional = true, type.remove_suffix(1);
  const auto bracket = type.find('[');
  const bool list = bracket != type.npos;
  p.repeats = list && !type.ends_with("[]");
  const auto base = type.substr(0, std::min(bracket, type.find('(')));  // of Tensor(a): aliasing is not read
  const auto kind = kind_of(base, list);
  if (!kind) fail({"tt: the type '", p.type, "' of a schema is not known"});
  p.kind = *kind;
  return p;
}

/// The argument as the parameter holds it; none where it does not fit.
std::optional<Argument> fitted(const Parameter& p, const Argument& a) {
  using enum parameter_kind;
  const auto if_true = [&](bool fits) { return fits ? std::optional(a) : std::nullopt; };
  const auto all = [&](auto&& fits) {
    if (!a.is<Argument::List>()) return false;
    const auto& list = a.get<Argument::List>();
    return std::all_of(list.begin(), list.end(), fits);
  };
  const auto is_tensor = [](const Argument& one) { return one.is<AnyTensor>() && one.tensor().defined(); };
  const auto is_integer = [](const Argument& one) { return one.is<std::int64_t>(); };
  if (a.is_none()) return if_true(p.optional);
  switch (p.kind) {
    case tensor: return if_true(is_tensor(a));
    case tensors: return if_true(all(is_tensor));
    case scalar: return if_true(a.is_number());
    case integer: return if_true(is_integer(a));
    case integers:
      if (p.repeats && is_integer(a)) return Argument(Argument::List{a});
      return if_true(all(is_integer));
    case floating:
      if (a.is<std::int64_t>()) return Argument(double(a.get<std::int64_t>()));
      return if_true(a.is<double>());
    case boolean: return if_true(a.is<bool>());
    case dtype: return if_true(a.is<tt::dtype>());
    default: return if_true(a.is<std::string>());
  }
}

/// Whether the last of the positional parameters is a list without a default, whose elements a call may also give one
/// by one, as Python's methods allow: reshape(x, 2, 3).
bool gathers(const std::vector<Parameter>& parameters, std::size_t i) {
  const Parameter& p = parameters[i];
  const bool list = p.kind == parameter_kind::tensors || (p.kind == parameter_kind::integers && !p.repeats);
  return list && !p.named_only && !p.has_default && (i + 1 == parameters.size() || parameters[i + 1].named_only);
}

/// The values of one overload, or why it does not take the arguments.
struct Attempt {
  std::vector<Argument> values;
  std::string fault;
};
Attempt attempt(const Schema& schema, std::span<const Argument> positional, std::span<const NamedArgument> named) {
  const auto& parameters = schema.parameters;
  Attempt result{std::vector<Argument>(parameters.size()), ""};
  std::vector<bool> set(parameters.size());
  const auto assign = [&](std::size_t i, const Argument& a) {
    auto value = fitted(parameters[i], a);
    if (!value)
      result.fault = "'" + parameters[i].name + "' must be " + parameters[i].type + ", not " + std::string(a.kind());
    else result.values[i] = std::move(*value);
    if (set[i]) result.fault = "'" + parameters[i].name + "' is given twice";
    set[i] = true;
  };
  for (std::size_t i = 0; i < positional.size() && result.fault.empty(); ++i) {
    if (i < parameters.size() && gathers(parameters, i) && !positional[i].is<Argument::List>()) {
      assign(i, Argument::List(positional.begin() + std::ptrdiff_t(i), positional.end()));
      break;
    }
    if (i < parameters.size() && !parameters[i].named_only) assign(i, positional[i]);
    else result.fault = std::to_string(positional.size()) + " positional arguments are too many";
  }
  for (const NamedArgument& n : named) {
    if (!result.fault.empty()) break;
    std::size_t i = 0;
    while (i < parameters.size() && parameters[i].name != n.name) ++i;
    if (i < parameters.size()) assign(i, n.value);
    else result.fault = "there is no parameter '" + n.name + "'";
  }
  for (std::size_t i = 0; i < parameters.size() && result.fault.empty(); ++i) {
    if (set[i]) continue;
    if (!parameters[i].has_default) result.fault = "'" + parameters[i].name + "' is missing";
    result.values[i] = parameters[i].fallback;
  }
  return result;
}

}  // namespace

Schema parse_schema(std::string_view text) {
  const auto refuse = [&](const char* why) { fail({"tt: '", text, "' is no schema: ", why}); };
  Schema s;
  s.text = text;
  const auto open = text.find('('), arrow = text.rfind("->");
  if (open == text.npos || arrow == text.npos) refuse("name(parameters) -> results is the form");
  const std::string_view head = trimmed(text.substr(0, arrow));
  if (!head.ends_with(')')) refuse("the list of parameters does not end");
  s.name = text.substr(0, open);
  s.returns = trimmed(text.substr(arrow + 2));
  bool named_only = false;
  for (std::string_view part : split(head.substr(open + 1, head.size() - open - 2))) {
    if (part == "*") {
      named_only = true;
      continue;
    }
    Parameter p = parse_parameter(part, named_only);
    if (p.has_default) {
      const auto fallback = fitted(p, p.fallback);
      if (!fallback) refuse("a default is not of its parameter's type");
      p.fallback = *fallback;
    }
    s.parameters.push_back(std::move(p));
  }
  return s;
}

const Argument& Bound::operator[](std::string_view name) const {
  static const Argument none;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (schema_->parameters[i].name == name) return values_[i];
  return none;
}

std::vector<index_t> Bound::integers(std::string_view name) const {
  std::vector<index_t> list;
  if (!given(name)) return list;
  for (const Argument& one : (*this)[name].get<Argument::List>()) list.push_back(one.get<std::int64_t>());
  return list;
}

Bound bind_arguments(std::string_view op, std::span<const Schema> overloads, std::span<const Argument> positional,
                     std::span<const NamedArgument> named) {
  std::string faults;
  for (const Schema& schema : overloads) {
    Attempt a = attempt(schema, positional, named);
    if (a.fault.empty()) return Bound(schema, std::move(a.values));
    faults += "\n  " + schema.text + ": " + a.fault;
  }
  fail({"tt::", op, ": the arguments do not fit:", faults});
}

}  // namespace tt::registry
