// Argument: what an operation found by name takes and gives: a tensor, a number, a string, a dtype, a list, or nothing.
#pragma once
#include <tt/core/expression.hpp>

#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace tt {

class Argument {
 public:
  using List = std::vector<Argument>;

  /// Nothing: Python's None.
  Argument() = default;
  Argument(AnyTensor t) : value_(std::move(t)) {}  // NOLINT: conversions are the point
  template <std::derived_from<AnyTensor> TensorType>
  Argument(const TensorType& t) : value_(static_cast<const AnyTensor&>(t)) {}
  template <number Number>
  Argument(Number x) : value_(held(x)) {}
  Argument(const char* text) : value_(std::string(text)) {}
  Argument(std::string text) : value_(std::move(text)) {}
  Argument(tt::dtype type) : value_(type) {}
  Argument(List list) : value_(std::move(list)) {}
  Argument(std::initializer_list<index_t> list) : value_(List(list.begin(), list.end())) {}

  template <class Type>
  bool is() const {
    return std::holds_alternative<Type>(value_);
  }
  bool is_none() const { return is<std::monostate>(); }
  bool is_number() const { return is<bool>() || is<std::int64_t>() || is<double>(); }
  /// What the argument holds; throws if it holds something else.
  template <class Type>
  const Type& get() const {
    if (const Type* value = std::get_if<Type>(&value_)) return *value;
    fail({"tt: an argument is ", kind(), ", which is not what was asked for"});
  }
  const AnyTensor& tensor() const { return get<AnyTensor>(); }

  /// "Tensor", "int", "list", ...: as errors and schemas call it.
  std::string_view kind() const {
    constexpr std::string_view names[] = {"None", "Tensor", "bool", "int", "float", "str", "dtype", "list"};
    return names[value_.index()];
  }
  /// f(value) for whatever it holds.
  template <class Function>
  decltype(auto) visit(Function&& f) const {
    return std::visit(std::forward<Function>(f), value_);
  }

 private:
  template <class Number>
  static auto held(Number x) {
    if constexpr (std::is_same_v<Number, bool>) return x;
    else if constexpr (std::is_integral_v<Number>) {
      if (x > 0 && std::int64_t(x) < 0) detail::beyond_int64(double(x));
      return std::int64_t(x);
    }
    else return double(x);
  }

  std::variant<std::monostate, AnyTensor, bool, std::int64_t, double, std::string, tt::dtype, List> value_;
};

/// alpha=2 in a call.
struct NamedArgument {
  std::string name;
  Argument value;
};

}  // namespace tt
