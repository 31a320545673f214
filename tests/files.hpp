// What tests of files share: a folder that vanishes, whole files in one call, and the folder of golden data.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace files {

using bytes = std::vector<std::uint8_t>;

inline bytes of(const std::string& text) { return bytes(text.begin(), text.end()); }

inline bytes read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + path.string());
  return bytes(std::istreambuf_iterator<char>(in), {});
}
inline void write(const std::filesystem::path& path, const bytes& content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()), std::streamsize(content.size()));
}

/// An empty folder, removed with everything in it at the end of the scope.
struct temporary_folder {
  std::filesystem::path path;
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tt-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name);
    path = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::size_t count() const {
    return std::size_t(std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
  }
};

/// The folder of golden data, where this machine has it: named by the build, else by the environment, else ../shared.
/// A test may skip only if there is none; a folder that lacks the test's files fails it.
inline std::optional<std::filesystem::path> shared() {
#ifdef TT_SHARED_DIR
  const std::filesystem::path folder = TT_SHARED_DIR;
#else
  const char* named = std::getenv("TT_SHARED");
  const std::filesystem::path folder = named ? named : "../shared";
#endif
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

}  // namespace files
