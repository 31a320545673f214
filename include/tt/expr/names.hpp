// What the ops of a program are called.
#pragma once
#include <tt/expr/program.hpp>

#include <string_view>

namespace tt::detail {

/// Depth-first names of a program's ops, for profiler, errors and modes.
template <class Program>
struct op_names {
  static constexpr int count = 0;
  static constexpr void write(std::string_view*&) {}
};
template <class Op, class... Child>
struct op_names<prog::op<Op, Child...>> {
  static constexpr int count = (op_names<Child>::count + ... + 1);
  static constexpr void write(std::string_view*& to) {
    *to++ = Op::name;
    (op_names<Child>::write(to), ...);
  }
};
template <class Program>
inline constexpr auto names_of = [] {
  struct Names {
    std::string_view name[std::size_t(op_names<Program>::count + 1)];
  } names{};
  std::string_view* to = names.name;
  op_names<Program>::write(to);
  *to = "copy";
  return names;
}();

}  // namespace tt::detail
