// The walk over a module's parameters and children, names joined with dots as in PyTorch's state_dict.
#pragma once
#include <tt/nn/parameter.hpp>

#include <charconv>
#include <string_view>

namespace tt::nn {

class AnyModule;

/// A dotted name that grows and is cut as a walk goes down and up. A buffer of its own: string code would be compiled into
/// every translation unit that has a module.
class Path {
 public:
  std::string_view view() const { return {text_, size_}; }
  std::size_t size() const { return size_; }
  TT_NOINLINE void push(std::string_view name) {
    if (size_ + name.size() + 1 > sizeof text_) fail("tt::nn: a name of a parameter is longer than 1000 characters");
    if (size_) text_[size_++] = '.';
    std::memcpy(text_ + size_, name.data(), name.size());
    size_ += name.size();
  }
  void cut(std::size_t size) { size_ = size; }

 private:
  char text_[1000];
  std::size_t size_ = 0;
};

/// Sees every parameter (those without a value too) and every module. `name` is good until the call ends.
struct Visitor {
  Path path;
  virtual void parameter(std::string_view name, Parameter& p) = 0;
  virtual void module(std::string_view /*name*/, AnyModule& /*m*/) {}

 protected:
  ~Visitor() = default;
};

namespace detail {

/// "0", "1", ..: the names of a list's members.
struct PositionName {
  char text[20];
  std::size_t size;
  TT_NOINLINE explicit PositionName(std::size_t i) : size(std::size_t(std::to_chars(text, text + sizeof text, i).ptr - text)) {}
  operator std::string_view() const { return {text, size}; }  // NOLINT
};

template <class Function>
struct ParameterVisitor final : Visitor {
  Function f;
  explicit ParameterVisitor(Function g) : f(std::move(g)) {}
  void parameter(std::string_view name, Parameter& p) override {
    if (p.value.defined()) f(name, p);  // a layer without bias has none
  }
};

}  // namespace detail
}  // namespace tt::nn
