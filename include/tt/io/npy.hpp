// .npy files: one array, as NumPy's load and save read and write it.
#pragma once
#include <tt/core/tensor.hpp>
#include <tt/io/atomic_file.hpp>
#include <tt/io/elements.hpp>
#include <tt/io/npy_header.hpp>
#include <tt/io/read_file.hpp>

namespace tt {

namespace io {
/// The array in the bytes of a .npy file or member, which errors call `name`, in row-major order.
TT_NOINLINE inline AnyTensor parse_npy(std::span<const std::uint8_t> file, const std::string& name) {
  const npy_header header = read_npy_header(file, name);
  const auto elements = file.subspan(header.begin, header.end - header.begin);
  const dims& shape = header.shape;
  if (!header.fortran_order || shape.rank < 2)
    return tensor_of_bytes(header.element.type, shape, elements, header.big_endian);
  dims reversed;  // the same bytes, read row by row
  for (int axis = shape.rank; axis-- > 0;) reversed.push_back(shape.extent[axis]);
  const AnyTensor t = tensor_of_bytes(header.element.type, reversed, elements, header.big_endian);
  index_t stride[max_rank];
  for (int axis = 0; axis < shape.rank; ++axis) stride[axis] = t.strides()[shape.rank - 1 - axis];
  return t.with_layout(shape, stride, 0).packed();
}
}  // namespace io

/// The array of a .npy file: versions 1.0 to 3.0, either byte order, rows or columns first (the result is row-major).
/// Give it types with .as<float, Shape<dyn, 3>>(). Throws before anything is handed out if the file is damaged, and
/// not_implemented for numbers that tt does not have.
TT_NOINLINE inline AnyTensor load_npy(const std::string& path) { return io::parse_npy(io::read_file(path), path); }

/// Writes the file whole or not at all: a file that stood there before stays if anything fails.
TT_NOINLINE inline void save_npy(const AnyTensor& t, const std::string& path) {
  if (!t.defined()) fail("tt::save_npy: the tensor has no elements to write");
  const AnyTensor packed = t.on_host().packed();
  const std::string header = io::npy_header_bytes(packed.dtype(), packed.sizes());
  io::write_file_atomically(path, [&](io::atomic_file& file) {
    file.write(header);
    file.write(io::bytes_of(packed));
  });
}

}  // namespace tt
