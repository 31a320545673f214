// Files that may be compressed with gzip (RFC 1952). Needs zlib: the target tt::gzip.
#pragma once
#include <tt/io/read_file.hpp>

#include <zlib.h>

#include <algorithm>
#include <span>

namespace tt::io {

/// What a compressed file may grow to unless the caller says otherwise. Deflate expands up to 1032 times, so that a
/// file of a few megabytes could fill the memory.
inline constexpr std::size_t gunzip_limit = std::size_t{1} << 30;

inline bool is_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

namespace detail {

/// One stream of zlib, released on every way out.
struct inflater : z_stream {
  inflater() : z_stream{} {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2_(this, gzip_only, ZLIB_VERSION, int(sizeof(z_stream))) != Z_OK)
      fail("tt: zlib cannot start: no memory, or its library is older than its header");
  }
  ~inflater() { inflateEnd(this); }
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
};

}  // namespace detail

/// The content of a gzip file of one or more members. `name` is what errors call the file.
inline std::vector<std::uint8_t> gunzip(std::span<const std::uint8_t> packed, const std::string& name,
                                        std::size_t limit = gunzip_limit) {
  const auto refuse = [&](const std::string& what) { fail("tt: cannot decompress '" + name + "': " + what); };
  constexpr std::size_t step = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::vector<std::uint8_t> out;
  std::size_t used = 0, read = 0;
  do {
    if (!is_gzip(packed.subspan(read)))
      refuse(read ? std::to_string(packed.size() - read) + " bytes follow the end of the compressed data"
                  : "it does not begin with the bytes 1f 8b of a gzip file");
    detail::inflater stream;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      // There is room for one byte past the limit, so that content of exactly the limit passes.
      if (used == out.size()) out.resize((std::min)((std::max)(used * 2, std::size_t{65536}) - 1, limit) + 1);
      const std::size_t in_step = (std::min)(packed.size() - read, step);
      const std::size_t out_step = (std::min)(out.size() - used, step);
      stream.next_in = const_cast<Bytef*>(packed.data() + read);  // zlib only reads it
      stream.avail_in = uInt(in_step);
      stream.next_out = out.data() + used;
      stream.avail_out = uInt(out_step);
      status = inflate(&stream, Z_NO_FLUSH);
      read += in_step - stream.avail_in;
      used += out_step - stream.avail_out;
      if (used > limit) refuse("its content is larger than the " + std::to_string(limit) + " bytes allowed");
      if (status == Z_MEM_ERROR) refuse("no memory is left");
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        refuse(std::string("the data are corrupt (") + (stream.msg ? stream.msg : "no reason given") + ")");
      if (status != Z_STREAM_END && read == packed.size() && stream.avail_out > 0)
        refuse("it is truncated: its " + std::to_string(packed.size()) + " bytes end inside the compressed data");
    }
  } while (read < packed.size());
  out.resize(used);
  return out;
}

/// The content of a file, decompressed if it is gzip by its first two bytes, whatever its name.
inline std::vector<std::uint8_t> read_file_or_gzip(const std::string& path, std::size_t limit = gunzip_limit) {
  std::vector<std::uint8_t> bytes = read_file(path, limit);
  return is_gzip(bytes) ? gunzip(bytes, path, limit) : bytes;
}

}  // namespace tt::io
