#include <tt/io/gzip.hpp>

#include "../catch.hpp"
#include "../files.hpp"

using files::bytes;

/// One gzip member, made by zlib's own deflate.
bytes packed(const bytes& plain) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  bytes out(deflateBound(&stream, uLong(plain.size())));
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = uInt(plain.size());
  stream.next_out = out.data();
  stream.avail_out = uInt(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Text with repetitions and without: byte i is a hash of i, cut short.
bytes some_bytes(std::size_t n) {
  bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::uint8_t((i * 2654435761u >> 13) & (i % 3 ? 15 : 255));
  return out;
}

bytes operator+(bytes a, const bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_CASE("gunzip returns what was packed, for sizes around its steps", "[io]") {
  for (std::size_t n : {0u, 1u, 100u, 65535u, 65536u, 65537u, 300000u}) {
    INFO(n << " bytes");
    CHECK(tt::io::gunzip(packed(some_bytes(n)), "x.gz") == some_bytes(n));
  }
  CHECK(tt::io::gunzip(packed(some_bytes(500)) + packed({}) + packed(some_bytes(70000)), "x.gz") ==
        some_bytes(500) + some_bytes(70000));  // members follow each other
}

TEST_CASE("gunzip refuses every truncation and never returns less than the whole", "[io]") {
  const bytes whole = packed(some_bytes(300));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const bytes part(whole.begin(), whole.begin() + std::ptrdiff_t(n));
    INFO("cut after " << n << " bytes");
    CHECK_THROWS_WITH(tt::io::gunzip(part, "x.gz"),
                      Contains(n < 2 ? "'x.gz': it does not begin" : "'x.gz': it is truncated"));
  }
}

TEST_CASE("gunzip refuses a flipped bit in the data or its sums", "[io]") {
  const bytes plain = some_bytes(300), whole = packed(plain);
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    bytes broken = whole;
    broken[i / 8] ^= std::uint8_t(1u << i % 8);
    INFO("bit " << i);
    try {
      const bytes content = tt::io::gunzip(broken, "x.gz");
      CHECK(content == plain);  // so for the header's time and system, and the unused bits of the last byte of data
    } catch (const tt::Error&) {
    }
  }
  bytes broken = whole;
  broken[whole.size() - 6] ^= 1;
  CHECK_THROWS_WITH(tt::io::gunzip(broken, "x.gz"), Contains("corrupt (incorrect data check)"));
}

TEST_CASE("gunzip refuses what follows the data, and content above the limit", "[io]") {
  const bytes zeros = packed(bytes(1000000));  // about 1 KB
  CHECK_THROWS_WITH(tt::io::gunzip(zeros + bytes{7, 7, 7}, "x.gz"), Contains("3 bytes follow the end"));
  CHECK_THROWS_WITH(tt::io::gunzip(zeros, "x.gz", 999999), Contains("larger than the 999999 bytes allowed"));
  CHECK(tt::io::gunzip(zeros, "x.gz", 1000000).size() == 1000000);
}

TEST_CASE("read_file_or_gzip reads both kinds whatever they are called, and names a missing file", "[io]") {
  const files::temporary_folder folder;
  for (std::size_t n : {0u, 1u, 65536u, 200000u}) {
    files::write(folder / "plain.gz", some_bytes(n));
    files::write(folder / "packed", packed(some_bytes(n)));
    CHECK(tt::io::read_file_or_gzip(folder / "plain.gz") == some_bytes(n));
    CHECK(tt::io::read_file_or_gzip(folder / "packed") == some_bytes(n));
  }
  CHECK_THROWS_WITH(tt::io::read_file(folder / "none"),
                    Contains(folder / "none") && Contains("No such file or directory"));
  CHECK_THROWS_WITH(tt::io::read_file(folder.path.string()), Contains("Is a directory"));
  CHECK_THROWS_WITH(tt::io::read_file(folder / "plain.gz", 199999), Contains("larger than the 199999 bytes allowed"));
}
