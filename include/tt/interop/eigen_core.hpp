// Eigen's matrices and expressions; their warnings are never the user's.
#pragma once
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include <Eigen/Core>
