// safetensors files: named tensors, as Python's safetensors and PyTorch read and write them.
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/io/atomic_file.hpp>
#include <tt/io/elements.hpp>
#include <tt/io/read_file.hpp>
#include <tt/io/safetensors_header.hpp>

namespace tt {

namespace io::detail {
/// Empty for complex128: the format has no name for it.
inline std::string_view safetensors_dtype(dtype t) {
  constexpr std::string_view names[] = {"BOOL", "U8",  "I8",   "I16", "I32", "I64", "U16", "U32",
                                        "U64",  "F16", "BF16", "F32", "F64", "C64", ""};
  return names[std::size_t(t)];
}
inline dtype dtype_of_safetensors(std::string_view name, const std::string& where) {
  for (int i = 0; i < dtype_count; ++i)
    if (safetensors_dtype(dtype(i)) == name) return dtype(i);
  throw not_implemented("tt::load: " + where + " holds elements of type " + std::string(name) +
                        ", which tt has not yet");
}
}  // namespace io::detail

/// Writes the file whole or not at all: a file that stood there before stays if anything fails. Wider elements come
/// first, so that every tensor is aligned.
TT_NOINLINE inline void save(NamedTensors tensors, const std::string& path) {
  std::vector<io::safetensors_entry> entries;
  std::vector<AnyTensor> packed;
  for (const auto& [name, t] : tensors)
    if (!t.defined()) fail("tt::save: " + name + " has no elements to write");
    else if (io::detail::safetensors_dtype(t.dtype()).empty())
      fail("tt::save: " + name + " is complex128, which safetensors has no name for: cast it to complex64");
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return size_of(a.second.dtype()) > size_of(b.second.dtype()); });
  for (const auto& [name, t] : tensors) {
    entries.push_back(
        {name, std::string(io::detail::safetensors_dtype(t.dtype())), {t.sizes().begin(), t.sizes().end()}, 0, 0});
    packed.push_back(t.on_host().packed());
  }
  const std::string header = io::safetensors_header_bytes(entries, {{"format", "pt"}});
  std::vector<std::span<const std::uint8_t>> parts{
      {reinterpret_cast<const std::uint8_t*>(header.data()), header.size()}};
  for (const AnyTensor& t : packed) parts.push_back(io::bytes_of(t));
  io::write_file_atomically(path, std::span<const std::span<const std::uint8_t>>(parts));
}

namespace io {
/// The tensors in the bytes of a safetensors file, which errors call `name`.
TT_NOINLINE inline NamedTensors parse_safetensors(std::span<const std::uint8_t> file, const std::string& name) {
  NamedTensors out;
  for (const safetensors_entry& entry : read_safetensors_header(file, name).tensors) {
    const std::string where = name + ": " + entry.name;
    if (entry.shape.size() > std::size_t(max_rank)) fail("tt::load: " + where + " has more than 16 axes");
    dims size;
    for (index_t e : entry.shape) size.push_back(e);
    const auto elements = file.subspan(entry.begin, entry.end - entry.begin);
    out.emplace_back(entry.name,
                     tensor_of_bytes(detail::dtype_of_safetensors(entry.dtype, where), size, elements, false));
  }
  return out;
}
}  // namespace io

/// All tensors of a file; throws before anything is handed out if the file is damaged.
TT_NOINLINE inline NamedTensors load(const std::string& path) {
  return io::parse_safetensors(io::read_file(path), path);
}

}  // namespace tt
