// The one place Eigen is included from, so that its warnings are never the user's.
#pragma once
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined operand of its own AVX-512 intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Core>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
