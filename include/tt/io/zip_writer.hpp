// Writing the zip container. Needs zlib: the target tt::gzip.
#pragma once
#include <tt/io/atomic_file.hpp>
#include <tt/io/zip.hpp>

namespace tt::io {

/// Writes an archive member by member; finish() must come last.
class zip_writer {
 public:
  /// @param zip64_from sizes and places from here on are written in 64 bits
  explicit zip_writer(atomic_file& file, std::uint64_t zip64_from = detail::in_zip64)
      : file_(file), zip64_from_(zip64_from) {}

  /// The parts, one after the other, as one member.
  void add(const std::string& name, std::span<const std::span<const std::uint8_t>> parts, zip_method method) {
    if (name.size() > 0xFFFF) fail("tt: cannot write zip: a name has more than 65535 bytes");
    zip_entry entry{name, method, 0, 0, 0, at_, 0};
    uLong crc = 0;
    for (const auto& part : parts) {
      crc = crc32_z(crc, part.data(), part.size());
      entry.size += part.size();
    }
    entry.crc = std::uint32_t(crc);
    std::vector<std::uint8_t> packed;
    if (method == zip_method::deflated) packed = deflate_raw(parts);
    entry.packed_size = method == zip_method::deflated ? packed.size() : entry.size;

    record_ = {};
    number(detail::zip_local, 4);
    describe(entry, false);
    flush();
    if (method == zip_method::deflated) write(packed);
    else
      for (const auto& part : parts) write(part);
    entries_.push_back(std::move(entry));
  }

  void finish() {
    const std::uint64_t begin = at_;
    for (const zip_entry& entry : entries_) {
      record_ = {};
      number(detail::zip_central, 4);
      number(45, 2);  // made by: version 4.5, which has zip64
      describe(entry, true);
      flush();
    }
    const std::uint64_t size = at_ - begin, count = entries_.size();
    record_ = {};
    const bool big = count >= 0xFFFF || size >= zip64_from_ || begin >= zip64_from_;
    if (big) {
      const std::uint64_t here = at_;
      number(detail::zip64_end, 4), number(44, 8);  // bytes that follow
      number(45, 2), number(45, 2), number(0, 4), number(0, 4);
      number(count, 8), number(count, 8), number(size, 8), number(begin, 8);
      number(detail::zip64_locator, 4), number(0, 4), number(here, 8), number(1, 4);
    }
    number(detail::zip_end, 4), number(0, 4);
    const std::uint64_t shown = big ? 0xFFFF : count;
    number(shown, 2), number(shown, 2);
    number(big ? detail::in_zip64 : size, 4), number(big ? detail::in_zip64 : begin, 4), number(0, 2);
    flush();
  }

 private:
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) record_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i) & 0xFF));
  }
  /// What the local header and the directory say alike. The date is 1980-01-01, the format's first, so that equal
  /// arrays make equal files.
  void describe(const zip_entry& e, bool central) {
    const bool big_sizes = e.size >= zip64_from_ || e.packed_size >= zip64_from_,
               big_at = central && e.at >= zip64_from_;
    const std::uint64_t extra = big_sizes || big_at ? 4u + (big_sizes ? 16u : 0u) + (big_at ? 8u : 0u) : 0u;
    const bool ascii =
        std::all_of(e.name.begin(), e.name.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
    number(extra ? 45 : 20, 2), number(ascii ? 0 : 1 << 11, 2), number(std::uint64_t(e.method), 2);
    number(0, 2), number(1 << 5 | 1, 2), number(e.crc, 4);
    number(big_sizes ? detail::in_zip64 : e.packed_size, 4), number(big_sizes ? detail::in_zip64 : e.size, 4);
    number(e.name.size(), 2), number(extra, 2);
    if (central) number(0, 2), number(0, 8), number(big_at ? detail::in_zip64 : e.at, 4);
    record_ += e.name;
    if (!extra) return;
    number(detail::zip64_extra, 2), number(extra - 4, 2);
    if (big_sizes) number(e.size, 8), number(e.packed_size, 8);
    if (big_at) number(e.at, 8);
  }
  void write(std::span<const std::uint8_t> bytes) {
    file_.write(bytes);
    at_ += bytes.size();
  }
  void flush() {
    file_.write(std::string_view(record_));
    at_ += record_.size();
  }

  atomic_file& file_;
  std::uint64_t zip64_from_, at_ = 0;
  std::string record_;
  std::vector<zip_entry> entries_;
};

}  // namespace tt::io
