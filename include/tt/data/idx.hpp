// The IDX format of MNIST (yann.lecun.com/exdb/mnist): two zero bytes, element code, rank, rank big-endian 32-bit
// extents, then the elements in row-major order.
#pragma once
#include <tt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tt::data {

/// An array as the file holds it: byte i is element i in row-major order.
struct idx_array {
  std::uint8_t code = 0;         // 0x08: unsigned byte
  std::size_t element_size = 0;  // in bytes
  std::vector<index_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// The element types that the format knows; empty for another code.
constexpr std::string_view idx_element_name(std::uint8_t code) {
  switch (code) {
    case 0x08: return "uint8";
    case 0x09: return "int8";
    case 0x0b: return "int16";
    case 0x0c: return "int32";
    case 0x0d: return "float32";
    case 0x0e: return "float64";
    default: return "";
  }
}

/// The array in the bytes of a file, which errors call `name`. Reads unsigned bytes, what image and label files hold.
/// @param axes how many there must be: 3 for images, 1 for labels; 0 takes 1 to 16
/// @post bytes.size() == element_size * product of the extents
inline idx_array parse_idx(std::span<const std::uint8_t> file, const std::string& name, std::size_t axes = 0) {
  const auto refuse = [&](const std::string& what) { fail("tt: cannot read '" + name + "' as IDX: " + what); };
  if (file.size() >= 2 && file[0] == 0x1f && file[1] == 0x8b) refuse("it is still compressed with gzip");
  if (file.size() < 4) refuse("it has " + std::to_string(file.size()) + " bytes, fewer than the 4 of the magic number");
  if (file[0] != 0 || file[1] != 0)
    refuse("it does not begin with two zero bytes: its magic number is " +
           std::to_string(std::uint32_t(file[0]) << 24 | std::uint32_t(file[1]) << 16 | std::uint32_t(file[2]) << 8 |
                          file[3]));

  idx_array array;
  array.code = file[2];
  const std::string_view element = idx_element_name(array.code);
  if (element.empty()) refuse("its element code " + std::to_string(array.code) + " is none of the format's");
  if (array.code != 0x08) refuse("it holds " + std::string(element) + " elements, and only uint8 is read");
  array.element_size = 1;

  const std::size_t rank = file[3];
  if (rank == 0 || rank > std::size_t(max_rank))
    refuse("it has " + std::to_string(rank) + " axes, and 1 to " + std::to_string(max_rank) + " are read");
  if (axes != 0 && rank != axes)
    refuse("its magic number is " + std::to_string(0x800 + rank) + ", and " + std::to_string(0x800 + axes) +
           " is wanted: it has " + std::to_string(rank) + " axes, not " + std::to_string(axes));
  const std::size_t header = 4 + 4 * rank;
  if (file.size() < header)
    refuse("it ends inside its header of " + std::to_string(header) + " bytes, after " + std::to_string(file.size()));

  std::uint64_t size = array.element_size;
  std::string shape;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::uint8_t* at = file.data() + 4 + 4 * axis;
    std::uint64_t extent = 0;
    for (int i = 0; i < 4; ++i) extent = extent << 8 | at[i];
    array.extents.push_back(index_t(extent));
    shape += (axis ? " x " : "") + std::to_string(extent);
    if (__builtin_mul_overflow(size, extent, &size)) refuse("its extents overflow 64 bits: " + shape);
  }
  const std::uint64_t have = file.size() - header;
  if (have < size)
    refuse("it is truncated: its extents " + shape + " need " + std::to_string(size) + " bytes, and " +
           std::to_string(have) + " follow the header");
  if (have > size)
    refuse(std::to_string(have - size) + " bytes follow the " + std::to_string(size) + " of its extents " + shape);
  array.bytes.assign(file.begin() + std::ptrdiff_t(header), file.end());
  return array;
}

}  // namespace tt::data
