// The tensors of a safetensors file by name, and inputs laid out as a sample asks.
#pragma once
#include <tt/core/any_tensor.hpp>
#include <tt/io/safetensors_header.hpp>

#include <filesystem>
#include <map>

namespace conformance {

/// A file that is not there, or not what it should be: the run cannot judge it.
class unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path);

class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& path);
  /// A copy of a tensor; not_implemented if tt lacks its dtype.
  tt::AnyTensor get(const std::string& name) const;

 private:
  std::string path_;
  std::vector<std::uint8_t> bytes_;
  std::map<std::string, tt::io::safetensors_entry> entries_;
};

/// The elements of `values` under other strides in a storage with gaps: NaN in floats, true in bools, 12 in integers.
tt::AnyTensor laid_out(const tt::AnyTensor& values, const std::vector<tt::index_t>& stride, tt::index_t offset,
                       tt::index_t storage);

}  // namespace conformance
