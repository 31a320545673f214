#include "tensor_file.hpp"

#include <tt/io/safetensors.hpp>
#include <tt/tensor.hpp>

#include <limits>

namespace conformance {

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
  try {
    return tt::io::read_file(path.string());
  } catch (const std::exception& e) {
    throw unreadable(e.what());
  }
}

TensorFile::TensorFile(const std::filesystem::path& path) : path_(path.string()), bytes_(read_bytes(path)) {
  try {
    for (auto& t : tt::io::read_safetensors_header(bytes_, path_).tensors) entries_[t.name] = t;
  } catch (const tt::Error& e) {
    throw unreadable(e.what());
  }
}

tt::AnyTensor TensorFile::get(const std::string& name) const {
  const auto at = entries_.find(name);
  if (at == entries_.end()) throw unreadable("'" + path_ + "' has no tensor '" + name + "'");
  const tt::io::safetensors_entry& entry = at->second;
  const tt::dtype type = tt::io::detail::dtype_of_safetensors(entry.dtype, entry.name);
  tt::dims size;
  for (tt::index_t extent : entry.shape) size.push_back(extent);
  tt::AnyTensor t = tt::AnyTensor::empty(type, size);
  std::copy(bytes_.begin() + std::ptrdiff_t(entry.begin), bytes_.begin() + std::ptrdiff_t(entry.end),
            reinterpret_cast<std::uint8_t*>(t.data_ptr()));
  return t;
}

tt::AnyTensor laid_out(const tt::AnyTensor& values, const std::vector<tt::index_t>& stride, tt::index_t offset,
                       tt::index_t storage) {
  if (int(stride.size()) != values.rank())
    throw unreadable("a view has " + std::to_string(stride.size()) + " strides for " + std::to_string(values.rank()) +
                     " axes");
  tt::index_t last = offset;
  for (int i = 0; i < values.rank(); ++i) last += (values.sizes()[i] - 1) * stride[std::size_t(i)];
  if (values.numel() && (offset < 0 || last >= storage)) throw unreadable("a view reaches past its storage");
  const tt::AnyTensor memory = tt::AnyTensor::empty(values.dtype(), {storage});
  tt::visit(values.dtype(), [&]<class Type>(Type) {
    const Type gap = std::is_same_v<Type, bool> || std::is_integral_v<Type>
                         ? tt::detail::converted<Type>(std::int64_t(12))
                         : tt::detail::converted<Type>(std::numeric_limits<double>::quiet_NaN());
    auto* to = reinterpret_cast<Type*>(memory.data_ptr());
    std::fill_n(to, storage, gap);
    const auto* from = reinterpret_cast<const Type*>(values.data_ptr());
    const tt::dims& size = values.sizes();
    for (tt::index_t i = 0; i < values.numel(); ++i) {
      tt::index_t rest = i, at = offset;
      for (int axis = size.rank - 1; axis >= 0; --axis) {
        at += rest % size[axis] * stride[std::size_t(axis)];
        rest /= size[axis];
      }
      to[at] = from[i];
    }
  });
  return memory.with_layout(values.sizes(), stride.data(), offset);
}

}  // namespace conformance
