// Scans: cumsum and its like. Along one axis each element of the result is joined from those up to its own place, or
// tells where among those the best one is.
#pragma once
#include <tt/core/tensor.hpp>

namespace tt {

/// A tensor and the result of its scan: rows along one axis, and the axes around them. Strides count elements; those of
/// a scan from the end are negative.
struct ScanSpace {
  dims around;                ///< the other axes
  index_t length;             ///< of a row
  const std::byte* from;
  std::byte* to;
  dtype from_type, to_type;
  index_t from_step, to_step; ///< along a row
  index_t from_stride[max_rank], to_stride[max_rank];  ///< along the axes around it
};

/// What a gradient is made of where the slopes follow from the elements: all row-major and of one dtype.
struct ScanBack {
  dims size;
  int axis;
  dtype type;
  const std::byte *x, *y, *gradient;
  std::byte* to;
};

/// One scan in one compute type. An accumulator begins as the neutral element and carries what was joined before.
struct ScanKernel {
  std::string_view name;
  dtype accumulator;
  void (*fill)(void* accumulators, index_t n);
  void (*row)(void* accumulator, void* values, index_t n);       ///< values[i] becomes the join of all up to it
  void (*columns)(void* accumulators, void* values, index_t n);  ///< values[i] becomes accumulators[i] joined with it
  void (*drive)(const ScanKernel&, const ScanSpace&);
  void (*back)(const ScanBack&);  ///< null where all slopes are 1: the gradient is the same scan from the end
};

/// The positions of the best elements up to each place of `columns` rows of n, which lie side by side. @pre n > 0
struct PositionScanKernel {
  std::string_view name;
  void (*scan)(const std::byte* first, std::int64_t* to, index_t n, index_t columns);
};

namespace detail {

/// Null where nothing can be tracked, so that no node is compiled.
using RecordScan = void (*)(const AnyTensor& out, const AnyTensor& x, const ScanKernel&, int axis, bool from_end);
// autograd/scan.hpp
inline void record_scan(const AnyTensor& out, const AnyTensor& x, const ScanKernel&, int axis, bool from_end);

/// dispatch/scan.hpp. @param result the dtype of the result
inline AnyTensor run_scan(const ScanKernel& k, const AnyTensor& x, index_t along, dtype result, bool from_end,
                          RecordScan record);
inline AnyTensor run_position_scan(const PositionScanKernel& k, const AnyTensor& x, index_t along);

}  // namespace detail
}  // namespace tt
