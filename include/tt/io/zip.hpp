// Reading the zip container (PKWARE APPNOTE 6.3) as far as archives of arrays need it: members stored or deflated,
// zip64 for what passes 4 GiB. Not encrypted, not in several volumes. Needs zlib: the target tt::gzip.
#pragma once
#include <tt/io/inflate.hpp>
#include <tt/io/json_text.hpp>

#include <string>

namespace tt::io {

enum class zip_method : std::uint16_t { stored = 0, deflated = 8 };

/// One member, by the archive's directory.
struct zip_entry {
  std::string name;
  zip_method method = zip_method::stored;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0, size = 0;  ///< bytes in the archive, and once unpacked
  std::uint64_t at = 0;                     ///< of the member's local header
  std::size_t begin = 0;                    ///< of its data
};

namespace detail {

inline constexpr std::uint32_t zip_local = 0x04034b50, zip_central = 0x02014b50, zip_end = 0x06054b50,
                               zip64_end = 0x06064b50, zip64_locator = 0x07064b50;
inline constexpr std::uint16_t zip64_extra = 1;
inline constexpr std::uint32_t in_zip64 = 0xFFFFFFFF;  ///< the number is in the zip64 field instead

/// Numbers of an archive, from left to right, none past the end.
class zip_cursor {
 public:
  zip_cursor(std::span<const std::uint8_t> bytes, const std::string& subject) : rest_(bytes), subject_(subject) {}

  [[noreturn]] void refuse(const std::string& what) const { fail(subject_ + ": " + what); }
  std::span<const std::uint8_t> take(std::uint64_t n) {
    if (n > rest_.size()) refuse("it ends inside its directory or a member's header");
    const auto taken = rest_.first(std::size_t(n));
    rest_ = rest_.subspan(std::size_t(n));
    return taken;
  }
  template <class Number>
  Number number() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof(Number));
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
    return Number(value);
  }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string text(std::size_t n) {
    const auto bytes = take(n);
    return {bytes.begin(), bytes.end()};
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::uint8_t> rest_;
  const std::string& subject_;
};

struct zip_directory {
  std::uint64_t at = 0, size = 0, count = 0;
};

/// The end of the directory is the archive's last record but for a comment of up to 64 KiB.
inline zip_directory find_zip_directory(std::span<const std::uint8_t> file, const std::string& subject) {
  constexpr std::size_t record = 22, locator = 20;
  const auto from = [&](std::size_t at) { return zip_cursor(file.subspan(at), subject); };
  std::size_t end = file.size();
  for (std::size_t comment = 0; comment <= 0xFFFF && comment + record <= file.size(); ++comment) {
    const std::size_t at = file.size() - record - comment;
    if (from(at).u32() == zip_end && from(at + 20).u16() == comment) {
      end = at;
      break;
    }
  }
  if (end == file.size()) from(0).refuse("it has no end of a zip directory");
  zip_cursor in = from(end + 4);
  const unsigned disk = in.u16(), first_disk = in.u16();
  const std::uint16_t here = in.u16();
  zip_directory directory;
  directory.count = in.u16();
  directory.size = in.u32();
  directory.at = in.u32();
  const bool moved = directory.count == 0xFFFF || directory.size == in_zip64 || directory.at == in_zip64;
  if (disk != 0 || first_disk != 0 || here != directory.count) in.refuse("it is one of several volumes");
  if (moved && end >= locator && from(end - locator).u32() == zip64_locator) {
    zip_cursor where = from(end - locator + 8);
    const std::uint64_t at = where.u64();
    if (at > file.size()) in.refuse("its zip64 directory lies past its end");
    zip_cursor big = from(std::size_t(at));
    if (big.u32() != zip64_end) big.refuse("its zip64 directory is not where it should be");
    big.take(28);  // size of this record, versions, disks, members on this disk
    directory.count = big.u64();
    directory.size = big.u64();
    directory.at = big.u64();
    end = std::size_t(at);
  }
  if (directory.at > end || directory.size != end - directory.at)
    in.refuse("its directory does not lie between its members and its end");
  return directory;
}

/// Sizes and place of a member that passes 4 GiB, in the order in which the record left them out.
inline void read_zip64(zip_cursor extra, zip_entry& entry) {
  const bool has_size = entry.size == in_zip64, has_packed = entry.packed_size == in_zip64,
             has_at = entry.at == in_zip64;
  if (!has_size && !has_packed && !has_at) return;
  while (extra.left() > 0) {
    const std::uint16_t kind = extra.u16(), size = extra.u16();
    if (kind != zip64_extra) {
      extra.take(size);
      continue;
    }
    if (has_size) entry.size = extra.u64();
    if (has_packed) entry.packed_size = extra.u64();
    if (has_at) entry.at = extra.u64();
    return;
  }
}

}  // namespace detail

/// The members by the directory in the bytes of an archive, which errors call `path`.
/// @post the data of all members lie between the archive's begin and its directory, none over another; names differ;
///       none claims to be more than deflate can expand to, nor do they all together be more than `limit`
inline std::vector<zip_entry> read_zip_directory(std::span<const std::uint8_t> file, const std::string& path,
                                                 std::uint64_t limit = inflate_limit) {
  const std::string subject = "tt: cannot read '" + path + "' as zip";
  const detail::zip_directory directory = detail::find_zip_directory(file, subject);
  const auto members = file.first(std::size_t(directory.at));
  detail::zip_cursor in(file.subspan(std::size_t(directory.at), std::size_t(directory.size)), subject);
  std::vector<zip_entry> entries;
  std::uint64_t unpacked = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (in.u32() != detail::zip_central) in.refuse("its directory has a record of another kind");
    in.take(4);  // versions
    zip_entry entry;
    const unsigned flags = in.u16(), method = in.u16();
    in.take(4);  // time
    entry.crc = in.u32();
    entry.packed_size = in.u32();
    entry.size = in.u32();
    const std::size_t name = in.u16(), extra = in.u16(), comment = in.u16();
    in.take(8);  // disk, attributes
    entry.at = in.u32();
    entry.name = in.text(name);
    const std::string called = "member " + json_quote(is_utf8(entry.name) ? entry.name : "?");
    detail::read_zip64({in.take(extra), subject}, entry);
    in.take(comment);

    if (flags & 1) in.refuse(called + " is encrypted");
    if (method != unsigned(zip_method::stored) && method != unsigned(zip_method::deflated))
      in.refuse(called + " is compressed by method " + std::to_string(method) +
                ", and only stored and deflated are read");
    entry.method = zip_method(method);
    if (entry.method == zip_method::stored && entry.size != entry.packed_size)
      in.refuse(called + " is stored, and its two sizes differ");
    constexpr std::uint64_t most = 1032;  // what deflate's longest match makes of its shortest codes
    if (entry.size / most > entry.packed_size) in.refuse(called + " claims a size that no deflate expands to");
    if (entry.method == zip_method::deflated && (entry.size > limit || (unpacked += entry.size) > limit))
      in.refuse("its members would unpack to more than the " + std::to_string(limit) + " bytes allowed");

    if (entry.at > members.size()) in.refuse(called + " lies past the directory");
    detail::zip_cursor local(members.subspan(std::size_t(entry.at)), subject);
    if (local.u32() != detail::zip_local) in.refuse(called + " is not where the directory says");
    local.take(22);  // the same as in the directory, or left out there and following the data
    const std::size_t local_name = local.u16(), local_extra = local.u16();
    if (local.text(local_name) != entry.name) in.refuse(called + " has another name in its own header");
    local.take(local_extra);
    entry.begin = members.size() - local.left();
    if (entry.packed_size > local.left()) in.refuse(called + " reaches past the directory");
    entries.push_back(std::move(entry));
  }
  if (in.left() > 0) in.refuse("its directory has more bytes than members");

  std::vector<const zip_entry*> order;
  for (const zip_entry& e : entries) order.push_back(&e);
  std::sort(order.begin(), order.end(), [](const zip_entry* a, const zip_entry* b) { return a->at < b->at; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->begin + order[i - 1]->packed_size > order[i]->at) in.refuse("its members lie over each other");
  std::sort(order.begin(), order.end(), [](const zip_entry* a, const zip_entry* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->name == order[i]->name) in.refuse("two members have one name");
  return entries;
}

/// The content of a member, its checksum compared.
inline std::vector<std::uint8_t> read_zip_member(std::span<const std::uint8_t> file, const zip_entry& entry,
                                                 const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    fail("tt: cannot read member " + json_quote(is_utf8(entry.name) ? entry.name : "?") + " of '" + path +
         "': " + what);
  };
  const auto packed = file.subspan(entry.begin, std::size_t(entry.packed_size));
  std::vector<std::uint8_t> out;
  if (entry.method == zip_method::stored) {
    out.assign(packed.begin(), packed.end());
  } else {
    std::size_t read = 0, used = 0;
    detail::inflate_stream(deflate_format::raw, packed, read, out, used, std::size_t(entry.size), refuse);
    if (read != packed.size()) refuse("something follows the end of the compressed data");
    if (used != entry.size)
      refuse("it unpacks to " + std::to_string(used) + " bytes, and the directory says " + std::to_string(entry.size));
    out.resize(used);
  }
  if (std::uint32_t(crc32_z(0, out.data(), out.size())) != entry.crc)
    refuse("its checksum differs: the data are damaged");
  return out;
}

}  // namespace tt::io
