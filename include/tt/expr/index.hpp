// Indexing by tensors: gather, index_select and their like. dispatch/index.hpp runs them.
#pragma once
#include <tt/expr/view.hpp>

#include <span>

namespace tt::detail {

/// For every element of the result, in order, the element of the row-major input it was taken from.
using Positions = Ref<Storage>;
using RecordIndex = void (*)(const AnyTensor& out, const AnyTensor& input, const Positions&, std::string_view name);

inline AnyTensor run_gather(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record);
inline AnyTensor run_index_select(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record);

/// Values put at positions of a tensor: of every value that is put, in row-major order over the target, its element in the
/// result and its element in the row-major values.
struct Placement {
  Positions to, from;
  index_t count = 0;
  bool accumulate = false;
};
using RecordPut = void (*)(const AnyTensor& out, const AnyTensor& x, const AnyTensor& values, const Placement&);

/// to[at[i]] += from[which[i]] for i < n: compiled for the dtype that the caller has.
using AddAt = void (*)(std::byte* to, const index_t* at, const std::byte* from, const index_t* which, index_t n);
inline AnyTensor run_index_put(const AnyTensor& x, std::span<const AnyTensor> index, const AnyTensor& values, AddAt add,
                               RecordPut record);

}  // namespace tt::detail
