// Operations of the area files: readers on bytes.
#include "call.hpp"

#include <tt/data/idx.hpp>
#include <tt/io.hpp>

namespace cases {

namespace {

/// "a:float32[2, 3], b:int64[]"
Results safetensors_read_bytes(const Call& c) {
  std::string text;
  for (const auto& [name, t] : tt::io::parse_safetensors(c.bytes("hex"), "case"))
    text += (text.empty() ? "" : ", ") + name + ":" + std::string(tt::name_of(t.dtype())) + tt::to_string(t.sizes());
  return {{"tensors", text}};
}

Results npy_read_bytes(const Call& c) { return {{"y", tt::io::parse_npy(c.bytes("hex"), "case")}}; }

/// Images have three axes, labels one.
Results idx_read_bytes(const Call& c) {
  const std::string& kind = c.text("kind");
  if (kind != "images" && kind != "labels") throw tt::not_implemented("there is no kind '" + kind + "' of IDX file");
  const auto array = tt::data::parse_idx(c.bytes("hex"), "case", kind == "images" ? 3 : 1);
  tt::dims size;
  for (tt::index_t extent : array.extents) size.push_back(extent);
  return {{"y", tt::io::tensor_of_bytes(tt::dtype::uint8, size, array.bytes, false)}};
}

}  // namespace

void add_files(Adapters& table) {
  table.insert({{"safetensors_read_bytes", safetensors_read_bytes},
                {"npy_read_bytes", npy_read_bytes},
                {"idx_read_bytes", idx_read_bytes}});
}

}  // namespace cases
