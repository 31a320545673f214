// Messages of errors, from pieces.
#pragma once
#include <tt/core/shape.hpp>

#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace tt {

/// A piece of a message: text, a number or extents. Sentences are put together out of line, so that the many places that
/// may fail cost a caller nothing but a table of pieces.
class Piece {
 public:
  Piece(const char* text) : Piece(std::string_view(text)) {}          // NOLINT: conversions are the point
  Piece(std::string_view text) : data_(text.data()), value_(std::int64_t(text.size())), kind_(Kind::text) {}  // NOLINT
  Piece(const std::string& text) : Piece(std::string_view(text)) {}   // NOLINT
  template <class Number>
    requires(std::is_integral_v<Number>)
  Piece(Number n) : data_(nullptr), value_(std::int64_t(n)), kind_(Kind::number) {}  // NOLINT
  Piece(double x) : data_(nullptr), value_(0), real_(x), kind_(Kind::real) {}  // NOLINT
  Piece(const dims& d) : data_(&d), value_(0), kind_(Kind::extents) {}     // NOLINT
  void append_to(std::string& out) const {
    char digits[32];
    switch (kind_) {
      case Kind::text: out.append(static_cast<const char*>(data_), std::size_t(value_)); break;
      case Kind::number: out += std::to_string(value_); break;
      case Kind::real:
        std::snprintf(digits, sizeof digits, "%.9g", real_);
        out += digits;
        break;
      case Kind::extents: out += to_string(*static_cast<const dims*>(data_)); break;
    }
  }

 private:
  enum class Kind : std::uint8_t { text, number, real, extents };
  const void* data_;
  std::int64_t value_;
  double real_ = 0;
  Kind kind_;
};
using Pieces = std::initializer_list<Piece>;

TT_NOINLINE inline std::string joined(Pieces pieces) {
  std::string out;
  for (const Piece& p : pieces) p.append_to(out);
  return out;
}
[[noreturn]] TT_NOINLINE inline void fail(Pieces pieces) { throw Error(joined(pieces)); }
[[noreturn]] TT_NOINLINE inline void fail_index(Pieces pieces) { throw IndexError(joined(pieces)); }

}  // namespace tt
