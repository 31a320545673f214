// Reading a text header from left to right: what JSON and the literals of Python have in common.
#pragma once
#include <tt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tt::io {

/// Builds no tree: the caller says what must come next, and anything else is refused. Nesting goes only as deep as the
/// caller's own calls, so no input exhausts the stack.
class text_scanner {
 public:
  /// `subject` begins every error: "tt: cannot read 'x'", say. The text must outlive the scanner.
  text_scanner(std::string_view text, std::string subject) : text_(text), subject_(std::move(subject)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    fail(subject_ + ": " + what + ", at byte " + std::to_string(at_) + " of the header");
  }

  /// Takes the character if it comes next, white space aside.
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// The same for a word.
  bool take(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse(std::string("'") + c + "' is missing");
  }
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) refuse("something follows the end of the object");
  }

  /// From 0 to 2^64 - 1, written without sign, point, exponent or leading zeros.
  std::uint64_t whole_number() {
    skip_space();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && '0' <= text_[at_] && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, std::uint64_t(text_[at_] - '0'), &value))
        refuse("a number does not fit 64 bits");
    if (at_ == begin) refuse("a whole number, not negative, is missing");
    if (text_[begin] == '0' && at_ > begin + 1) refuse("a number begins with 0");
    if (at_ < text_.size() && is_one_of(".eE", text_[at_])) refuse("a number is not written as a whole one");
    return value;
  }
  /// What an axis can have: 0 to 2^63 - 1.
  index_t extent() {
    const std::uint64_t value = whole_number();
    if (value > INT64_MAX) refuse("an extent is above 2^63 - 1");
    return static_cast<index_t>(value);
  }

 protected:
  static constexpr bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
  void skip_space() {
    while (at_ < text_.size() && is_one_of(" \t\n\r", text_[at_])) ++at_;
  }
  /// The next character of a string, white space too.
  char next() {
    if (at_ == text_.size()) refuse("a string does not end");
    return text_[at_++];
  }

 private:
  std::string_view text_;
  std::string subject_;
  std::size_t at_ = 0;
};

}  // namespace tt::io
