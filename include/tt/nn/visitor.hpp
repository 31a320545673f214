// The walk over a module's parameters and children, names joined with dots as in PyTorch's state_dict.
#pragma once
#include <tt/nn/parameter.hpp>

#include <charconv>
#include <string_view>

namespace tt::nn {

class AnyModule;

/// A dotted name that grows and is cut as a walk goes down and up. A buffer of its own: string code would be compiled
/// into every translation unit that has a module.
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

/// Sees every parameter (those without a value too) and every module. `name` is good until the call ends. Pointers, not
/// virtual functions: g++ would compile every walk there is into whoever has a module.
struct Visitor {
  void (*parameter)(Visitor&, std::string_view name, Parameter& p);
  void (*module)(Visitor&, std::string_view name, AnyModule& m);  ///< null where they do not matter
  Path path{};
};

namespace detail {

/// "0", "1", ..: the names of a list's members.
struct PositionName {
  char text[20];
  std::size_t size;
  TT_NOINLINE explicit PositionName(std::size_t i)
      : size(std::size_t(std::to_chars(text, text + sizeof text, i).ptr - text)) {}
  operator std::string_view() const { return {text, size}; }  // NOLINT
};

template <class Function>
struct ParameterVisitor : Visitor {
  Function& f;
  explicit ParameterVisitor(Function& g) : Visitor{&ParameterVisitor::see, nullptr}, f(g) {}
  static void see(Visitor& v, std::string_view name, Parameter& p) {
    if (p.value.defined()) static_cast<ParameterVisitor&>(v).f(name, p);  // a layer without bias has none
  }
};

}  // namespace detail
}  // namespace tt::nn
