// Scores to probabilities and their logarithms, along one axis; the losses use them too.
#pragma once
#include "table.hpp"

namespace tt::registry {

AnyTensor any_softmax(const AnyTensor& x, detail::AxisSet axis);
AnyTensor any_log_softmax(const AnyTensor& x, detail::AxisSet axis);

}  // namespace tt::registry
