// Files that appear whole or not at all. POSIX: rename replaces a file of the same folder in one step.
#pragma once
#include <tt/io/read_file.hpp>  // reason

#include <atomic>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tt::io {

/// Collects the new content of `path` in a temporary of the same folder. Unless commit() returns, the destructor
/// removes the temporary, and what `path` named before is untouched. A file that is replaced hands on its permissions;
/// where `path` is a symbolic link to a file, that file is replaced.
class atomic_file {
 public:
  explicit atomic_file(std::string path) : path_(std::move(path)), target_(path_) {
    struct stat existing {};
    const bool exists = ::stat(path_.c_str(), &existing) == 0;
    if (exists) {
      if (!S_ISREG(existing.st_mode)) refuse("it is a folder or a device, not a file");
      if (::access(path_.c_str(), W_OK) != 0) refuse(reason(errno));
      char* const real = ::realpath(path_.c_str(), nullptr);
      if (!real) refuse(reason(errno));
      target_ = real;
      std::free(real);
    }
    const std::string folder = target_.substr(0, target_.rfind('/') + 1);
    do {  // a name may be left over from a process that was killed
      static std::atomic<unsigned> serial{0};
      temporary_ = folder + ".tt-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) refuse(reason(errno));
    if (exists) ::fchmod(descriptor_, existing.st_mode & 0777);  // may fail: not every file system has permissions
  }
  ~atomic_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  void write(const void* data, std::size_t size) {
    for (auto* at = static_cast<const char*>(data); size > 0;) {
      const ssize_t written = ::write(descriptor_, at, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse(reason(errno));
      at += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  void write(std::span<const std::uint8_t> bytes) { write(bytes.data(), bytes.size()); }
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Makes the content durable, then gives it its name: a crash leaves the old file or the new one.
  void commit() {
    if (::fsync(descriptor_) != 0) refuse(reason(errno));
    if (::close(std::exchange(descriptor_, -1)) != 0) refuse(reason(errno));
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(reason(errno));
    temporary_.clear();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { fail("tt: cannot write '" + path_ + "': " + why); }

  std::string path_, target_, temporary_;
  int descriptor_ = -1;
};

/// Calls fill(file), which writes the content with file.write(..); if it throws, nothing has happened.
template <class Fill>
requires requires(Fill& fill, atomic_file& file) { fill(file); }
void write_file_atomically(const std::string& path, Fill&& fill) {
  atomic_file file(path);
  fill(file);
  file.commit();
}

inline void write_file_atomically(const std::string& path, std::string_view text) {
  write_file_atomically(path, [&](atomic_file& file) { file.write(text); });
}

/// The parts, one after the other.
inline void write_file_atomically(const std::string& path, std::span<const std::span<const std::uint8_t>> parts) {
  write_file_atomically(path, [&](atomic_file& file) {
    for (const auto& part : parts) file.write(part);
  });
}

}  // namespace tt::io
