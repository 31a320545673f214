// The header of a safetensors file (github.com/huggingface/safetensors, README "Format"): 8 bytes of length, little
// endian; that many bytes of JSON; then the data of all tensors, without gap or overlap.
// What the reference implementation (0.8) refuses is refused. So is what it overlooks: keys that the format does not
// know, a name that occurs twice with no data the first time, arrays in place of the keys, extents above 2^63 - 1.
#pragma once
#include <tt/io/json_text.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace tt::io {

/// One tensor: its data are the bytes begin .. end of the file, counted from the file's first byte.
struct safetensors_entry {
  std::string name, dtype;
  std::vector<index_t> shape;
  std::size_t begin = 0, end = 0;
};

struct safetensors_header {
  std::vector<safetensors_entry> tensors;  // in the order of the header
  std::map<std::string, std::string> metadata;
};

/// As the reference has it: a longer header is refused before any of it is read.
inline constexpr std::uint64_t safetensors_max_header = 100'000'000;

/// Bits of one element, since the smallest types are packed; 0 for a name that the format does not have.
constexpr unsigned safetensors_bits(std::string_view dtype) {
  struct row {
    std::string_view name;
    unsigned bits;
  };
  constexpr row rows[] = {{"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
                          {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
                          {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
                          {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
                          {"I64", 64},        {"U64", 64}};
  for (const row& r : rows)
    if (r.name == dtype) return r.bits;
  return 0;
}

namespace detail {

/// Bytes of a tensor; the sentence says why there is no such number, and is empty where there is one.
struct data_size {
  std::uint64_t bytes = 0;
  std::string problem;
};
inline data_size safetensors_size(const safetensors_entry& t) {
  const unsigned element = safetensors_bits(t.dtype);
  if (element == 0) return {0, "has the dtype " + json_quote(t.dtype) + ", which the format does not know"};
  std::uint64_t bits = 1;  // the product of the extents first: it must not overflow even before an extent of 0
  for (index_t extent : t.shape) {
    if (extent < 0) return {0, "has a negative extent"};
    if (__builtin_mul_overflow(bits, static_cast<std::uint64_t>(extent), &bits))
      return {0, "has extents whose product overflows 64 bits"};
  }
  if (__builtin_mul_overflow(bits, std::uint64_t{element}, &bits)) return {0, "has a size that overflows 64 bits"};
  if (bits % 8 != 0) return {0, "ends inside a byte"};
  return {bits / 8, ""};
}

/// How an error names a tensor. Names can be long and unfit to print.
inline std::string tensor_called(const std::string& name) {
  if (name.size() > 100) return "the tensor with a name of " + std::to_string(name.size()) + " bytes";
  return "tensor " + json_quote(name);
}

/// {"dtype": .., "shape": [..], "data_offsets": [.., ..]}, each once, in any order. Offsets count from the data.
inline safetensors_entry read_safetensors_entry(json_scanner& json, std::string name) {
  safetensors_entry t{std::move(name), {}, {}, 0, 0};
  bool has_dtype = false, has_shape = false, has_offsets = false;
  const auto once = [&](bool& seen, const std::string& key) {
    if (std::exchange(seen, true)) json.refuse(tensor_called(t.name) + " has " + json_quote(key) + " twice");
  };
  json.object([&](const std::string& key) {
    if (key == "dtype") {
      once(has_dtype, key);
      t.dtype = json.string();
    } else if (key == "shape") {
      once(has_shape, key);
      json.array([&] { t.shape.push_back(json.extent()); });
    } else if (key == "data_offsets") {
      once(has_offsets, key);
      json.expect('[');
      t.begin = json.whole_number();
      json.expect(',');
      t.end = json.whole_number();
      json.expect(']');
    } else {
      json.refuse(tensor_called(t.name) + " has a key that is none of dtype, shape, data_offsets");
    }
  });
  if (!has_dtype || !has_shape || !has_offsets)
    json.refuse(tensor_called(t.name) + " lacks its " + (!has_dtype ? "dtype" : !has_shape ? "shape" : "data_offsets"));
  return t;
}

/// The first name that occurs twice.
inline const std::string* twice_named(std::span<const safetensors_entry> tensors) {
  std::set<std::string_view> names;
  for (const safetensors_entry& t : tensors)
    if (!names.insert(t.name).second) return &t.name;
  return nullptr;
}

}  // namespace detail

/// Reads the header in the bytes of a whole file, which errors call `path`.
/// @post the ranges of the tensors, sorted, follow each other from the end of the header to the end of the file, each
///       as long as its dtype and shape say
inline safetensors_header read_safetensors_header(std::span<const std::uint8_t> file, const std::string& path) {
  const std::string subject = "tt: cannot read '" + path + "' as safetensors";
  const auto refuse = [&](const std::string& what) { fail(subject + ": " + what); };
  if (file.size() < 8)
    refuse("it has " + std::to_string(file.size()) + " bytes, fewer than the 8 that give the header's length");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | file[static_cast<std::size_t>(i)];
  if (length > safetensors_max_header)
    refuse("its header would have " + std::to_string(length) + " bytes, and at most " +
           std::to_string(safetensors_max_header) + " are read");
  if (length > file.size() - 8) refuse("it ends inside its header of " + std::to_string(length) + " bytes");

  const std::string_view text(reinterpret_cast<const char*>(file.data()) + 8, static_cast<std::size_t>(length));
  if (!is_utf8(text)) refuse("its header is not UTF-8");
  safetensors_header header;
  json_scanner json(text, subject);
  bool has_metadata = false;
  json.object([&](std::string name) {
    if (name != "__metadata__") {
      header.tensors.push_back(detail::read_safetensors_entry(json, std::move(name)));
      return;
    }
    if (std::exchange(has_metadata, true)) json.refuse("\"__metadata__\" occurs twice");
    json.object([&](std::string key) { header.metadata[std::move(key)] = json.string(); });
  });
  json.expect_end();
  if (const auto* name = detail::twice_named(header.tensors)) refuse(detail::tensor_called(*name) + " occurs twice");

  const std::size_t data = 8 + text.size();
  std::vector<std::size_t> order(header.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto range = [&](std::size_t i) { return std::pair(header.tensors[i].begin, header.tensors[i].end); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return range(a) < range(b); });
  std::size_t expected = 0;
  for (std::size_t i : order) {
    safetensors_entry& t = header.tensors[i];
    const auto refuse_tensor = [&](const std::string& what) { refuse(detail::tensor_called(t.name) + " " + what); };
    if (t.begin != expected || t.end < t.begin)
      refuse_tensor("has the data_offsets [" + std::to_string(t.begin) + ", " + std::to_string(t.end) +
                    "], and must begin at " + std::to_string(expected) + " and not end before");
    const detail::data_size size = detail::safetensors_size(t);
    if (!size.problem.empty()) refuse_tensor(size.problem);
    if (size.bytes != t.end - t.begin)
      refuse_tensor("needs " + std::to_string(size.bytes) +
                    " bytes by its dtype and shape, and its data_offsets span " + std::to_string(t.end - t.begin));
    expected = t.end;
    t.begin += data;
    t.end += data;
  }
  if (expected != file.size() - data)
    refuse("its header describes " + std::to_string(expected) + " bytes of data, and " +
           std::to_string(file.size() - data) + " are there");
  return header;
}

/// The bytes that come before the data: length and JSON, padded with spaces to a multiple of 8. The data of the
/// tensors must follow in the order given; `begin` and `end` are not read. Who mixes dtypes should give the widest
/// first, as the reference does, so that every tensor is aligned. Hugging Face's transformers expect {"format", "pt"}.
inline std::string safetensors_header_bytes(std::span<const safetensors_entry> tensors,
                                            const std::map<std::string, std::string>& metadata = {}) {
  const auto refuse = [](const std::string& what) { fail("tt: cannot write safetensors: " + what); };
  const auto quote = [&](const std::string& text) {
    if (!is_utf8(text)) refuse("a name or a metadata text is not UTF-8");
    return json_quote(text);
  };
  std::string json = "{";
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) json += quote(key) + ":" + quote(value) + ",";
    json.back() = '}';
    json += ',';
  }
  if (const auto* name = detail::twice_named(tensors)) refuse(detail::tensor_called(*name) + " occurs twice");
  std::uint64_t at = 0;
  for (const safetensors_entry& t : tensors) {
    if (t.name == "__metadata__") refuse("no tensor can be called \"__metadata__\"");
    const detail::data_size size = detail::safetensors_size(t);
    if (!size.problem.empty()) refuse(detail::tensor_called(t.name) + " " + size.problem);
    json += quote(t.name) + ":{\"dtype\":\"" + t.dtype + "\",\"shape\":[";
    for (std::size_t axis = 0; axis < t.shape.size(); ++axis) {
      if (axis) json += ',';
      json += std::to_string(t.shape[axis]);
    }
    json += "],\"data_offsets\":[" + std::to_string(at) + ",";
    if (__builtin_add_overflow(at, size.bytes, &at)) refuse("the data overflow 64 bits");
    json += std::to_string(at) + "]},";
  }
  if (json.back() == ',') json.pop_back();
  json += '}';
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (json.size() > safetensors_max_header) refuse("the header has more than 100 MB, which no reader takes");
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(static_cast<unsigned char>(json.size() >> (8 * i) & 0xFF));
  return bytes += json;
}

}  // namespace tt::io
