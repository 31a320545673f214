// Indexing by tensors: gather, index_select and their like. dispatch/index.hpp runs them.
#pragma once
#include <tt/expr/view.hpp>

namespace tt::detail {

/// For every element of the result, in order, the element of the row-major input it was taken from.
using Positions = Ref<Storage>;
using RecordIndex = void (*)(const AnyTensor& out, const AnyTensor& input, const Positions&, std::string_view name);

inline AnyTensor run_gather(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record);
inline AnyTensor run_index_select(const AnyTensor& x, index_t along, const AnyTensor& index, RecordIndex record);

}  // namespace tt::detail
