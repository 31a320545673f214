// The bytes of a file. Apart from gzip.hpp, because it needs no library.
#pragma once
#include <tt/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace tt::io {

/// The system's word for an errno value, as strerror gives it.
inline std::string reason(int error_number) { return std::generic_category().message(error_number); }

/// All bytes of a file. Also reads what has no length beforehand (pipes), hence by pieces.
inline std::vector<std::uint8_t> read_file(const std::string& path,
                                           std::size_t limit = (std::numeric_limits<std::size_t>::max)()) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail("tt: cannot open '" + path + "': " + reason(errno));
  std::vector<std::uint8_t> bytes;
  for (std::size_t used = 0;;) {
    if (used == bytes.size()) bytes.resize(used < 32768 ? 65536 : used * 2);
    used += std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
    if (used > limit)
      fail("tt: cannot read '" + path + "': it is larger than the " + std::to_string(limit) + " bytes allowed");
    if (used == bytes.size()) continue;
    if (std::ferror(file.get())) fail("tt: cannot read '" + path + "': " + reason(errno));
    bytes.resize(used);
    return bytes;
  }
}

}  // namespace tt::io
