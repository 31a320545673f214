// exchange IN OUT: reads every .npy and .npz file of a folder and writes it again into another, archives both stored
// (NAME.npz) and deflated (deflated_NAME.npz), and with all sizes in 64 bits (zip64_NAME.npz). Prints what is refused.
#include <tt/io.hpp>
#include <tt/io/npz.hpp>

#include <cstdio>
#include <filesystem>

int main(int count, char** word) {
  if (count != 3) return std::fputs("usage: exchange IN OUT\n", stderr), 2;
  const std::filesystem::path out = word[2];
  for (const auto& entry : std::filesystem::directory_iterator(word[1])) {
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    try {
      if (entry.path().extension() == ".npz") {
        const tt::NamedTensors arrays = tt::load_npz(path);
        tt::save_npz(arrays, out / name);
        tt::save_npz(arrays, out / ("deflated_" + name), tt::io::zip_method::deflated);
        tt::io::write_file_atomically(out / ("zip64_" + name), [&](tt::io::atomic_file& file) {
          tt::io::write_npz(tt::io::zip_writer(file, 0), arrays, tt::io::zip_method::stored);
        });
      } else {
        tt::save_npy(tt::load_npy(path), out / name);
      }
    } catch (const tt::Error& e) {
      std::printf("%s: %s\n", name.c_str(), e.what());
    }
  }
}
