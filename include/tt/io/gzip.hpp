// Files that may be compressed with gzip (RFC 1952). Needs zlib: the target tt::gzip.
#pragma once
#include <tt/io/inflate.hpp>
#include <tt/io/read_file.hpp>

namespace tt::io {

inline bool is_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/// The content of a gzip file of one or more members. `name` is what errors call the file.
inline std::vector<std::uint8_t> gunzip(std::span<const std::uint8_t> packed, const std::string& name,
                                        std::size_t limit = inflate_limit) {
  const auto refuse = [&](const std::string& what) { fail("tt: cannot decompress '" + name + "': " + what); };
  std::vector<std::uint8_t> out;
  std::size_t used = 0, read = 0;
  do {
    if (!is_gzip(packed.subspan(read)))
      refuse(read ? std::to_string(packed.size() - read) + " bytes follow the end of the compressed data"
                  : "it does not begin with the bytes 1f 8b of a gzip file");
    detail::inflate_stream(deflate_format::gzip, packed, read, out, used, limit, refuse);
  } while (read < packed.size());
  out.resize(used);
  return out;
}

/// The content of a file, decompressed if it is gzip by its first two bytes, whatever its name.
inline std::vector<std::uint8_t> read_file_or_gzip(const std::string& path, std::size_t limit = inflate_limit) {
  std::vector<std::uint8_t> bytes = read_file(path, limit);
  return is_gzip(bytes) ? gunzip(bytes, path, limit) : bytes;
}

}  // namespace tt::io
