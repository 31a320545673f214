// The header of a .npy file (numpy.org/doc/stable/reference/generated/numpy.lib.format.html): \x93NUMPY, version,
// length, then a Python dict of descr, fortran_order and shape. It is read by a grammar of just that and never
// evaluated.
#pragma once
#include <tt/io/elements.hpp>
#include <tt/io/json_text.hpp>

namespace tt::io {

/// As NumPy has it (max_header_size): a longer header is refused before any of it is read.
inline constexpr std::size_t npy_max_header = 10'000;

/// NumPy's letter and size for an element type: '<f8' is kind f, 8 bytes, little endian. It has no bfloat16.
struct npy_type {
  char kind;
  unsigned size;
  tt::dtype type;
};
inline constexpr npy_type npy_types[] = {
    {'b', 1, dtype::boolean}, {'u', 1, dtype::uint8},   {'u', 2, dtype::uint16},  {'u', 4, dtype::uint32},
    {'u', 8, dtype::uint64},  {'i', 1, dtype::int8},    {'i', 2, dtype::int16},   {'i', 4, dtype::int32},
    {'i', 8, dtype::int64},   {'f', 2, dtype::float16}, {'f', 4, dtype::float32}, {'f', 8, dtype::float64},
    {'c', 8, dtype::complex64}, {'c', 16, dtype::complex128},
};

/// The row of an element type; null where NumPy has none.
constexpr const npy_type* npy_element(dtype type) {
  for (const npy_type& t : npy_types)
    if (t.type == type) return &t;
  return nullptr;
}

struct npy_header {
  npy_type element;
  bool big_endian = false, fortran_order = false;
  dims shape;
  std::size_t begin = 0, end = 0;  ///< the bytes of the file that are elements
};

namespace detail {

/// The dict, as Python writes literals: strings in either kind of quotes, True and False, tuples of whole numbers,
/// which Python 2 ended in L.
class npy_scanner : public text_scanner {
 public:
  using text_scanner::text_scanner;

  void read(npy_header& header) {
    bool has_descr = false, has_order = false, has_shape = false;
    const auto once = [&](bool& seen, const std::string& key) {
      if (std::exchange(seen, true)) refuse("the key " + json_quote(key) + " occurs twice");
    };
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        descr(header);
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = tuple();
      } else {
        refuse("the key " + json_quote(key) + " is none of descr, fortran_order, shape");
      }
      if (take(',')) continue;
      expect('}');
      break;
    }
    expect_end();
    if (!has_descr || !has_order || !has_shape)
      refuse(std::string("the key ") + (!has_descr ? "descr" : !has_order ? "fortran_order" : "shape") + " is missing");
  }

 private:
  std::string string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'' && !take(quote)) refuse("a string is missing");
    std::string text;
    for (char c; (c = next()) != quote; text += c)
      if (c < ' ' || c > '~' || c == '\\') refuse("a string holds something else than plain ASCII");
    return text;
  }
  bool boolean() {
    if (take("True")) return true;
    if (!take("False")) refuse("fortran_order is neither True nor False");
    return false;
  }
  dims tuple() {
    dims shape;
    bool comma = false;
    expect('(');
    while (!take(')')) {
      if (shape.rank == max_rank) refuse("it has more than 16 axes");
      shape.push_back(extent());
      take('L');
      if (!take(',')) {
        expect(')');
        if (!comma) refuse("the shape is a number, not a tuple");
        break;
      }
      comma = true;
    }
    return shape;
  }
  void descr(npy_header& header) {
    if (take('[')) refuse("its elements are structures, which tensors do not hold");
    const std::string text = string();
    const bool has_order = !text.empty() && std::string_view("<>=|").find(text[0]) != std::string_view::npos;
    const std::string_view type = std::string_view(text).substr(has_order ? 1 : 0);
    if (type.substr(0, 1) == "O") refuse("its elements are pickled Python objects, which are never executed");
    header.big_endian = has_order && text[0] != '|' && text[0] != '=' ? text[0] == '>' : host_is_big_endian;
    for (const npy_type& t : npy_types)
      if (type == t.kind + std::to_string(t.size)) return void(header.element = t);
    const bool number = type.size() > 1 && std::string_view("biufc").find(type[0]) != std::string_view::npos &&
                        type.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (number) throw not_implemented("tt: numpy's elements of type " + json_quote(text) + " are not in tt");
    refuse("its elements are of type " + json_quote(text) + ", which tensors do not hold");
  }
};

}  // namespace detail

/// Reads the header in the bytes of a file or of a member of an archive, which errors call `name`. What follows the
/// elements is not looked at, as NumPy has it: several arrays may follow each other in a file.
/// @post end - begin is the size of the elements, and both lie in the file
inline npy_header read_npy_header(std::span<const std::uint8_t> file, const std::string& name) {
  const std::string subject = "tt: cannot read '" + name + "' as npy";
  const auto refuse = [&](const std::string& what) { fail(subject + ": " + what); };
  constexpr std::uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (file.size() < 10 || !std::equal(std::begin(magic), std::end(magic), file.begin()))
    refuse("it does not begin with \\x93NUMPY, a version and a length");
  const unsigned major = file[6], minor = file[7];
  if (major < 1 || major > 3 || minor != 0)
    refuse("its version is " + std::to_string(major) + "." + std::to_string(minor) +
           ", and 1.0, 2.0 and 3.0 are known");
  const std::size_t prefix = major == 1 ? 10 : 12;
  if (file.size() < prefix) refuse("it ends inside its length");
  std::size_t length = 0;
  for (std::size_t i = prefix; i-- > 8;) length = length << 8 | file[i];
  if (length > npy_max_header)
    refuse("its header would have " + std::to_string(length) + " bytes, and at most " + std::to_string(npy_max_header) +
           " are read");
  if (length > file.size() - prefix) refuse("it ends inside its header of " + std::to_string(length) + " bytes");

  npy_header header;
  detail::npy_scanner({reinterpret_cast<const char*>(file.data()) + prefix, length}, subject).read(header);
  header.begin = prefix + length;
  std::size_t size = header.element.size;  // an extent of 0 may not hide that the others overflow
  bool empty = false;
  for (const index_t extent : header.shape) {
    empty |= extent == 0;
    if (__builtin_mul_overflow(size, std::size_t(extent ? extent : 1), &size))
      refuse("its extents " + to_string(header.shape) + " overflow 64 bits");
  }
  if (empty) size = 0;
  if (size > file.size() - header.begin)
    refuse("its extents " + to_string(header.shape) + " need " + std::to_string(size) + " bytes, and " +
           std::to_string(file.size() - header.begin) + " follow the header");
  header.end = header.begin + size;
  return header;
}

/// What comes before the elements of a row-major array: version 1.0, padded so that they begin at a multiple of 64.
inline std::string npy_header_bytes(dtype type, const dims& shape) {
  const npy_type* const element = npy_element(type);
  if (!element) fail({"tt: cannot write npy: NumPy has no elements of type ", name_of(type), ": cast them first"});
  const char order = element->size == 1 ? '|' : host_is_big_endian ? '>' : '<';
  std::string dict = std::string("{'descr': '") + order + element->kind + std::to_string(element->size) +
                     "', 'fortran_order': False, 'shape': (";
  for (const index_t extent : shape) dict += std::to_string(extent) + ", ";
  if (shape.rank > 1) dict.resize(dict.size() - 2);
  else if (shape.rank == 1) dict.pop_back();  // (3,)
  dict += "), }";
  constexpr std::size_t prefix = 10;
  dict.resize((prefix + dict.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  dict += '\n';
  return std::string("\x93NUMPY\x01", 7) + '\0' + static_cast<char>(static_cast<unsigned char>(dict.size() & 0xFF)) +
         static_cast<char>(static_cast<unsigned char>(dict.size() >> 8)) + dict;
}

}  // namespace tt::io
