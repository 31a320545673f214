// Deflate (RFC 1951), both ways. Needs zlib: the target tt::gzip.
#pragma once
#include <tt/core/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tt::io {

/// What compressed data may grow to unless the caller says otherwise. Deflate expands up to 1032 times, so that a file
/// of a few megabytes could fill the memory.
inline constexpr std::size_t inflate_limit = std::size_t{1} << 30;

/// How zlib is told what surrounds the data.
enum class deflate_format : int { raw = -MAX_WBITS, gzip = 16 + MAX_WBITS };

namespace detail {

inline constexpr std::size_t zlib_step = std::size_t{1} << 30;  // zlib counts in 32 bits

/// One stream of zlib, released on every way out.
struct inflater : z_stream {
  explicit inflater(deflate_format format) : z_stream{} {
    if (inflateInit2_(this, int(format), ZLIB_VERSION, int(sizeof(z_stream))) != Z_OK)
      fail("tt: zlib cannot start: no memory, or its library is older than its header");
  }
  ~inflater() { inflateEnd(this); }
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
};
struct deflater : z_stream {
  deflater() : z_stream{} {
    constexpr int memory = 8;
    if (deflateInit2_(this, Z_DEFAULT_COMPRESSION, Z_DEFLATED, int(deflate_format::raw), memory, Z_DEFAULT_STRATEGY,
                      ZLIB_VERSION, int(sizeof(z_stream))) != Z_OK)
      fail("tt: zlib cannot start: no memory, or its library is older than its header");
  }
  ~deflater() { deflateEnd(this); }
  deflater(const deflater&) = delete;
  deflater& operator=(const deflater&) = delete;
};

/// Appends one stream that begins at packed[read] to the first `used` bytes of `out`; both move on. `out` grows with
/// what really comes, not with what a header states. refuse(sentence) must throw.
template <class Refuse>
void inflate_stream(deflate_format format, std::span<const std::uint8_t> packed, std::size_t& read,
                    std::vector<std::uint8_t>& out, std::size_t& used, std::size_t limit, const Refuse& refuse) {
  inflater stream(format);
  for (int status = Z_OK; status != Z_STREAM_END;) {
    // There is room for one byte past the limit, so that content of exactly the limit passes.
    if (used == out.size()) out.resize((std::min)((std::max)(used * 2, std::size_t{65536}) - 1, limit) + 1);
    const std::size_t in_step = (std::min)(packed.size() - read, zlib_step);
    const std::size_t out_step = (std::min)(out.size() - used, zlib_step);
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
}

}  // namespace detail

/// The parts, one after the other, as one raw stream.
inline std::vector<std::uint8_t> deflate_raw(std::span<const std::span<const std::uint8_t>> parts) {
  detail::deflater stream;
  std::vector<std::uint8_t> out;
  std::size_t used = 0;
  const auto run = [&](std::span<const std::uint8_t> part, int flush) {
    for (std::size_t read = 0;;) {
      if (used == out.size()) out.resize((std::max)(used * 2, std::size_t{65536}));
      const std::size_t in_step = (std::min)(part.size() - read, detail::zlib_step);
      const std::size_t out_step = (std::min)(out.size() - used, detail::zlib_step);
      stream.next_in = const_cast<Bytef*>(part.data() + read);  // zlib only reads it
      stream.avail_in = uInt(in_step);
      stream.next_out = out.data() + used;
      stream.avail_out = uInt(out_step);
      const int status = deflate(&stream, flush);
      read += in_step - stream.avail_in;
      used += out_step - stream.avail_out;
      if (status == Z_STREAM_ERROR) fail("tt: zlib cannot compress");
      if (flush == Z_FINISH ? status == Z_STREAM_END : read == part.size() && stream.avail_out > 0) return;
    }
  };
  for (const auto& part : parts)
    if (!part.empty()) run(part, Z_NO_FLUSH);
  run({}, Z_FINISH);
  out.resize(used);
  return out;
}

}  // namespace tt::io
