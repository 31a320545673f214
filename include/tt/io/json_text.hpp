// The little JSON (RFC 8259) that a file header needs: strict reading from left to right, and quoting.
#pragma once
#include <tt/io/text_scanner.hpp>

namespace tt::io {

/// Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr bool is_utf8(std::string_view text) {
  struct row {
    unsigned lead_low, lead_high, second_low, second_high;
    std::size_t length;
  };
  constexpr row rows[] = {{0x00, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                          {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                          {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  const auto within = [&](std::size_t i, unsigned low, unsigned high) {
    const unsigned byte = static_cast<unsigned char>(text[i]);
    return low <= byte && byte <= high;
  };
  for (std::size_t i = 0; i < text.size();) {
    const row* r = rows;
    while (r != std::end(rows) && !within(i, r->lead_low, r->lead_high)) ++r;
    if (r == std::end(rows) || r->length > text.size() - i) return false;
    if (r->length > 1 && !within(i + 1, r->second_low, r->second_high)) return false;
    for (std::size_t k = 2; k < r->length; ++k)
      if (!within(i + k, 0x80, 0xBF)) return false;
    i += r->length;
  }
  return true;
}

/// A JSON string literal. Errors show names that come from a file in this form too: no control character gets through.
inline std::string json_quote(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (code < 0x20 || code == 0x7F) {
      quoted += {'\\', 'u', '0', '0', hex[code >> 4], hex[code & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

/// Reads JSON.
class json_scanner : public text_scanner {
 public:
  /// @pre is_utf8(text)
  using text_scanner::text_scanner;

  /// Calls member(name) before each value of an object; member then reads the value.
  template <class Member>
  void object(Member&& member) {
    expect('{');
    if (take('}')) return;
    do {
      std::string name = string();
      expect(':');
      member(std::move(name));
    } while (take(','));
    expect('}');
  }
  /// Calls element() before each value of an array; element then reads the value.
  template <class Element>
  void array(Element&& element) {
    expect('[');
    if (take(']')) return;
    do element();
    while (take(','));
    expect(']');
  }

  std::string string() {
    expect('"');
    std::string value;
    for (;;) {
      const char c = next();
      if (c == '"') return value;
      if (static_cast<unsigned char>(c) < 0x20) refuse("a control character stands in a string");
      if (c == '\\') {
        append_escaped(value);
      } else {
        value += c;
      }
    }
  }

 private:
  std::uint32_t four_hex_digits() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = next();
      const char lower = 'A' <= c && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      const std::size_t digit = std::string_view("0123456789abcdef").find(lower);
      if (digit == std::string_view::npos) refuse("\\u is not followed by four hexadecimal digits");
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  /// What follows a backslash. A code point above U+FFFF is written as two surrogates, which count only as a pair.
  void append_escaped(std::string& value) {
    constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const char c = next();
    if (const std::size_t i = escapes.find(c); i != std::string_view::npos) {
      value += meanings[i];
      return;
    }
    if (c != 'u') refuse("a backslash is not followed by an escape of JSON");
    std::uint32_t code = four_hex_digits();
    if (0xD800 <= code && code < 0xE000) {
      const bool pair = code < 0xDC00 && next() == '\\' && next() == 'u';
      const std::uint32_t low = pair ? four_hex_digits() : 0;
      if (low < 0xDC00 || 0xE000 <= low) refuse("a surrogate stands without the other of its pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(value, code);
  }

  static void append_utf8(std::string& value, std::uint32_t code) {
    const auto append = [&](std::uint32_t byte) { value += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) return append(code);
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    append(lead[more] | code >> (6 * more));
    for (int shift = 6 * (more - 1); shift >= 0; shift -= 6) append(0x80 | (code >> shift & 0x3F));
  }
};

}  // namespace tt::io
