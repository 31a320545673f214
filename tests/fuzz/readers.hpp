// The readers of files that strangers send, and valid files for each.
#pragma once
#include <tt/data/idx.hpp>
#include <tt/io.hpp>
#include <tt/io/npz.hpp>

#include "../files.hpp"
#include "../tensors.hpp"

#include <functional>

namespace fuzz {

using files::bytes;

struct reader {
  const char* name;
  void (*read)(const bytes&);
  std::vector<bytes> (*seeds)();
  /// What may be allocated at once while a file of so many bytes is read. Deflated members may grow.
  std::size_t (*allowance)(std::size_t size);
};

inline std::size_t some_times(std::size_t size) { return 32 * size + (std::size_t(1) << 17); }
inline constexpr std::size_t inflate_limit = std::size_t(1) << 20;
inline std::size_t limit(std::size_t size) { return 16 * inflate_limit + 32 * size; }

/// A tensor of each dtype and of some extents.
inline std::vector<tt::AnyTensor> tensors() {
  std::vector<tt::AnyTensor> all;
  for (int t = 0; t < tt::dtype_count; ++t)
    for (const tt::dims& size : {tt::dims{}, tt::dims{3}, tt::dims{2, 0, 2}, tt::dims{2, 3, 4}}) {
      const tt::AnyTensor x = tt::AnyTensor::empty(tt::dtype(t), size);
      std::memset(x.data_ptr(), t == 0 ? 1 : 0x41, std::size_t(x.numel()) * tt::size_of(x.dtype()));
      all.push_back(x);
    }
  return all;
}

/// What a writer puts into a file.
template <class Write>
bytes written(Write&& write) {
  const files::temporary_folder folder;
  write(folder / "x");
  return files::read(folder / "x");
}

inline std::vector<bytes> npy_seeds() {
  std::vector<bytes> seeds;
  for (const tt::AnyTensor& t : tensors()) {
    if (!tt::io::npy_element(t.dtype())) continue;
    seeds.push_back(written([&](const std::string& path) { tt::save_npy(t, path); }));
    bytes other = seeds.back();  // the same header of version 2, columns first, big endian
    std::string text(other.begin(), other.end());
    if (const auto at = text.find("False"); at != text.npos) text.replace(at, 5, "True ");
    if (const auto at = text.find('<'); at != text.npos) text[at] = '>';
    text[6] = 2;
    text.insert(10, 2, '\0');
    seeds.push_back(files::of(text));
  }
  return seeds;
}
inline std::vector<bytes> npz_seeds() {
  tt::NamedTensors named;
  for (const tt::AnyTensor& t : tensors())
    if (tt::io::npy_element(t.dtype()) && t.rank() != 3)
      named.emplace_back(std::string(tt::name_of(t.dtype())) + std::to_string(t.rank()), t);
  std::vector<bytes> seeds;
  for (const auto method : {tt::io::zip_method::stored, tt::io::zip_method::deflated}) {
    seeds.push_back(written([&](const std::string& path) { tt::save_npz({named[0]}, path, method); }));
    seeds.push_back(written([&](const std::string& path) { tt::save_npz(named, path, method); }));
    seeds.push_back(written([&](const std::string& path) {
      tt::io::write_file_atomically(path, [&](tt::io::atomic_file& file) {
        tt::io::write_npz(tt::io::zip_writer(file, 0), {named[1], named[2]}, method);
      });
    }));
  }
  return seeds;
}
inline std::vector<bytes> safetensors_seeds() {
  tt::NamedTensors named;
  std::vector<bytes> seeds;
  for (const tt::AnyTensor& t : tensors()) {
    if (t.dtype() == tt::dtype::complex128) continue;  // the format has no name for it
    named.emplace_back("t" + std::to_string(named.size()), t);
    seeds.push_back(written([&](const std::string& path) { tt::save({named.back()}, path); }));
  }
  seeds.push_back(written([&](const std::string& path) { tt::save(named, path); }));
  seeds.push_back(written([&](const std::string& path) { tt::save({}, path); }));
  return seeds;
}
inline std::vector<bytes> idx_seeds() {
  return {{0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9},
          {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255},
          {0, 0, 8, 1, 0, 0, 0, 0}};
}

inline constexpr reader readers[] = {
    {"npy", [](const bytes& b) { tt::io::parse_npy(b, "x"); }, npy_seeds, some_times},
    {"npz", [](const bytes& b) { tt::io::parse_npz(b, "x", inflate_limit); }, npz_seeds, limit},
    {"safetensors", [](const bytes& b) { tt::io::parse_safetensors(b, "x"); }, safetensors_seeds, some_times},
    {"idx", [](const bytes& b) { tt::data::parse_idx(b, "x"); }, idx_seeds, some_times},
};

}  // namespace fuzz
