// Exceptions: one sentence that says what is wrong and, where known, what would be right.
#pragma once
#include <tt/core/config.hpp>

#include <stdexcept>
#include <string>

namespace tt {

/// Base of all errors of the library. what() is one sentence that names the operation and the operands.
class Error : public std::runtime_error {
 public:
  explicit Error(const char* message) : std::runtime_error(message) {}
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// An operation exists but not for these arguments (dtype, form, device).
class not_implemented : public Error {
 public:
  using Error::Error;
};

/// An index or a label lies outside its axis.
class IndexError : public Error {
 public:
  using Error::Error;
};

[[noreturn]] TT_NOINLINE inline void fail(const char* message) { throw Error(message); }
[[noreturn]] TT_NOINLINE inline void fail(const std::string& message) { throw Error(message); }

}  // namespace tt
