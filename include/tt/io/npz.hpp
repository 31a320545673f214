// .npz files: named arrays, as NumPy's load, savez and savez_compressed read and write them. Needs zlib: the target
// tt::gzip.
#pragma once
#include <tt/io/npy.hpp>
#include <tt/io/zip_writer.hpp>

#include <set>

namespace tt {

namespace io {
/// The arrays in the bytes of an archive, which errors call `path`. Members must be called NAME.npy.
TT_NOINLINE inline NamedTensors parse_npz(std::span<const std::uint8_t> file, const std::string& path,
                                          std::uint64_t limit = inflate_limit) {
  constexpr std::string_view ending = ".npy";
  NamedTensors out;
  for (const zip_entry& entry : read_zip_directory(file, path, limit)) {
    const std::string& name = entry.name;
    if (!is_utf8(name) || !std::string_view(name).ends_with(ending))
      fail("tt: cannot read '" + path + "' as npz: a member's name is not UTF-8 or does not end in .npy");
    out.emplace_back(name.substr(0, name.size() - ending.size()),
                     parse_npy(read_zip_member(file, entry, path), path + ": " + name));
  }
  return out;
}

/// Adds the tensors to an archive and ends it.
TT_NOINLINE inline void write_npz(zip_writer zip, const NamedTensors& tensors, zip_method method) {
  std::set<std::string_view> names;
  for (const auto& [name, t] : tensors) {
    if (!t.defined()) fail("tt::save_npz: " + name + " has no elements to write");
    if (!is_utf8(name)) fail("tt::save_npz: a name is not UTF-8");
    if (!names.insert(name).second) fail("tt::save_npz: two tensors are called " + json_quote(name));
    const AnyTensor packed = t.on_host().packed();
    const std::string header = npy_header_bytes(packed.dtype(), packed.sizes());
    const std::span<const std::uint8_t> parts[] = {
        {reinterpret_cast<const std::uint8_t*>(header.data()), header.size()}, bytes_of(packed)};
    zip.add(name + ".npy", parts, method);
  }
  zip.finish();
}
}  // namespace io

/// All arrays of an archive, in the order of its directory; throws before anything is handed out if the file is
/// damaged. Compressed members may unpack to `limit` bytes together, 1 GiB unless said otherwise.
TT_NOINLINE inline NamedTensors load_npz(const std::string& path, std::uint64_t limit = io::inflate_limit) {
  return io::parse_npz(io::read_file(path), path, limit);
}

/// Writes the archive whole or not at all; `deflated` as savez_compressed, stored as savez.
TT_NOINLINE inline void save_npz(const NamedTensors& tensors, const std::string& path,
                                 io::zip_method method = io::zip_method::stored) {
  io::write_file_atomically(path, [&](io::atomic_file& file) { io::write_npz(io::zip_writer(file), tensors, method); });
}

}  // namespace tt
