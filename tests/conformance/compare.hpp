// Whether a result is the one that was stored.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <optional>
#include <string>
#include <vector>

namespace conformance {

/// |got - want| <= absolute + relative * |want|; both 0: equal values.
struct Tolerance {
  double relative = 0, absolute = 0;
};

struct Rules {
  Tolerance tolerance;
  bool skips_nan = false;    ///< gradients: where NaN is stored nothing is promised
  bool signed_zero = false;  ///< 0.0 and -0.0 differ
};

/// What is wrong with `got`; empty if nothing is. dtype and extents must be equal, then each element.
std::string difference(const tt::AnyTensor& got, const tt::AnyTensor& want, const Rules& rules);

/// For positions of an element along an axis of x, or in all of x: any that selects an equal value will do.
std::string index_difference(const tt::AnyTensor& got, const tt::AnyTensor& want, const tt::AnyTensor& x,
                             std::optional<tt::index_t> axis);

/// For vectors that are fixed up to sign or rotation: each result must have orthonormal vectors, and their product must be
/// that of the stored ones. The results are those of linalg.eigh (values, vectors) or of linalg.svd (U, S, Vh).
std::string gauge_difference(const std::vector<tt::AnyTensor>& got, const std::vector<tt::AnyTensor>& want,
                             Tolerance tolerance);

}  // namespace conformance
