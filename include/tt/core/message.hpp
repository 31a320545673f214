// Messages of errors, from pieces. Built with C's means, out of line: streams and string sums would be compiled into every
// translation unit that can fail.
#pragma once
#include <tt/core/place.hpp>
#include <tt/core/shape.hpp>

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace tt {

namespace detail {

/// A sentence of at most 1023 characters; what does not fit is cut off.
struct Sentence {
  char text[1024];
  std::size_t size = 0;

  TT_NOINLINE void add(const char* from, std::size_t n) {
    n = (std::min)(n, sizeof text - 1 - size);
    std::memcpy(text + size, from, n);
    size += n;
    text[size] = 0;
  }
  void add(const char* from) { add(from, std::strlen(from)); }
  TT_NOINLINE void add(std::int64_t n) {
    char digits[24];
    add(digits, std::size_t(std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(n))));
  }
  TT_NOINLINE void add(double x) {
    char digits[32];
    add(digits, std::size_t(std::snprintf(digits, sizeof digits, "%.9g", x)));
  }
  /// "[3, batch, 5]": names decoded, "?" for dyn. What is no name is a number: who gives extents may give any.
  /// @param plain all are numbers, as strides and steps are
  TT_NOINLINE void add(const dims& d, bool plain = false) {
    add("[");
    for (int i = 0; i < d.rank; ++i) {
      if (i) add(", ");
      const index_t e = d.extent[i];
      if (plain || e >= 0 || !add_name(e)) add(std::int64_t(e));
    }
    add("]");
  }
  bool add_name(index_t e) {
    if (!is_named(e)) return add(e == dyn ? "?" : "any"), true;
    char name[10];
    int first = 10;
    for (index_t rest = -e; rest > 0; rest /= 128) {
      const char letter = char(rest % 128);
      if (first == 0 || letter < ' ' || letter > '~') return false;
      name[--first] = letter;
    }
    return add(name + first, std::size_t(10 - first)), true;
  }
};

}  // namespace detail

/// Numbers, one for each axis, that are no extents: strides, steps, axes.
struct Numbers {
  const dims& of;
};

/// A piece of a message: text, a number, extents or numbers.
class Piece {
 public:
  // Conversions are the point.
  Piece(const char* text) : Piece(std::string_view(text)) {}                                                     // NOLINT
  Piece(std::string_view text) : data_(text.data()), value_(std::int64_t(text.size())), kind_(Kind::text) {}     // NOLINT
  Piece(const std::string& text) : Piece(std::string_view(text)) {}                                              // NOLINT
  template <class Number>
    requires(std::is_integral_v<Number>)
  Piece(Number n) : data_(nullptr), value_(std::int64_t(n)), kind_(Kind::number) {}                              // NOLINT
  Piece(double x) : data_(nullptr), value_(0), real_(x), kind_(Kind::real) {}                                    // NOLINT
  Piece(const dims& d) : data_(&d), value_(0), kind_(Kind::extents) {}                                           // NOLINT

  Piece(const Numbers& n) : data_(&n.of), value_(0), kind_(Kind::numbers) {}                                     // NOLINT

  void append_to(detail::Sentence& out) const {
    switch (kind_) {
      case Kind::text: return out.add(static_cast<const char*>(data_), std::size_t(value_));
      case Kind::number: return out.add(value_);
      case Kind::real: return out.add(real_);
      case Kind::extents: return out.add(*static_cast<const dims*>(data_));
      case Kind::numbers: return out.add(*static_cast<const dims*>(data_), true);
    }
  }

 private:
  enum class Kind : std::uint8_t { text, number, real, extents, numbers };
  const void* data_;
  std::int64_t value_;
  double real_ = 0;
  Kind kind_;
};
using Pieces = std::initializer_list<Piece>;

namespace detail {
TT_NOINLINE inline void join(Sentence& out, Pieces pieces) {
  for (const Piece& p : pieces) p.append_to(out);
  if (!current_place.file) return;
  out.add(" (at ");
  out.add(current_place.file);
  out.add(":");
  out.add(std::int64_t(current_place.line));
  out.add(")");
}
}  // namespace detail

[[noreturn]] TT_NOINLINE inline void fail(Pieces pieces) {
  detail::Sentence sentence;
  detail::join(sentence, pieces);
  throw Error(sentence.text);
}
[[noreturn]] TT_NOINLINE inline void fail_index(Pieces pieces) {
  detail::Sentence sentence;
  detail::join(sentence, pieces);
  throw IndexError(sentence.text);
}
[[noreturn]] TT_NOINLINE inline void fail_not_implemented(Pieces pieces) {
  detail::Sentence sentence;
  detail::join(sentence, pieces);
  throw not_implemented(sentence.text);
}

namespace detail {
/// Where an unsigned number of C++ is used as an int64, as integers are, and is not one.
[[noreturn]] TT_NOINLINE inline void beyond_int64(double x) {
  fail({"tt: the number ", x, " is more than an int64 holds: write it as a floating number"});
}
}  // namespace detail

/// "[3, batch, 5]".
inline std::string to_string(const dims& d) {
  detail::Sentence sentence;
  sentence.add(d);
  return sentence.text;
}

}  // namespace tt
