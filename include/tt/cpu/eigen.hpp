// What the CPU's kernels use of Eigen: its packets, and the packing and block kernel of products. Matrices and expressions
// are left to those who include them, before this file or after it: without them, and the parts of the standard library that
// only they need, a file compiles in two thirds of the time. Eigen's files are named as Eigen 3.4 has them, in its order;
// where that is not so, or where a library or a device may take Eigen's place, <Eigen/Core> is included as a whole.
#pragma once
#if defined(__GNUC__)
#pragma GCC system_header  // its warnings are never the user's
#endif
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined operand of its own AVX-512 intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(EIGEN_CORE_H) || __has_include(<Eigen/src/Core/InternalHeaderCheck.h>) || !defined(__x86_64__) || \
    defined(__CUDACC__) || defined(__HIPCC__) || defined(SYCL_LANGUAGE_VERSION) || defined(EIGEN_USE_BLAS) || \
    defined(EIGEN_USE_MKL) || defined(EIGEN_USE_MKL_ALL)
#if defined(__CUDACC__) && !defined(EIGEN_NO_CUDA)
#define EIGEN_NO_CUDA  // no device pass sees Eigen, and the host's has its vectors
#endif
#include <Eigen/Core>
#else
#include <Eigen/src/Core/util/DisableStupidWarnings.h>
#include <Eigen/src/Core/util/Macros.h>
#include <Eigen/src/Core/util/ConfigureVectorization.h>
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
namespace Eigen {
using std::ptrdiff_t;
using std::size_t;
}  // namespace Eigen
#include <Eigen/src/Core/util/Constants.h>
#include <Eigen/src/Core/util/Meta.h>
#include <Eigen/src/Core/util/ForwardDeclarations.h>
#include <Eigen/src/Core/util/StaticAssert.h>
#include <Eigen/src/Core/util/XprHelper.h>
#include <Eigen/src/Core/util/Memory.h>
#include <Eigen/src/Core/util/IntegralConstant.h>
#include <Eigen/src/Core/util/SymbolicIndex.h>
#include <Eigen/src/Core/NumTraits.h>
#include <Eigen/src/Core/MathFunctions.h>
#include <Eigen/src/Core/GenericPacketMath.h>
#include <Eigen/src/Core/MathFunctionsImpl.h>
#include <Eigen/src/Core/arch/Default/ConjHelper.h>
#include <Eigen/src/Core/arch/Default/Half.h>
#include <Eigen/src/Core/arch/Default/BFloat16.h>
#include <Eigen/src/Core/arch/Default/TypeCasting.h>
#include <Eigen/src/Core/arch/Default/GenericPacketMathFunctionsFwd.h>
#if defined(EIGEN_VECTORIZE_SSE)
#include <Eigen/src/Core/arch/SSE/PacketMath.h>
#include <Eigen/src/Core/arch/SSE/TypeCasting.h>
#include <Eigen/src/Core/arch/SSE/Complex.h>
#endif
#if defined(EIGEN_VECTORIZE_AVX)
#include <Eigen/src/Core/arch/AVX/PacketMath.h>
#include <Eigen/src/Core/arch/AVX/TypeCasting.h>
#include <Eigen/src/Core/arch/AVX/Complex.h>
#endif
#if defined(EIGEN_VECTORIZE_AVX512)
#include <Eigen/src/Core/arch/AVX512/PacketMath.h>
#include <Eigen/src/Core/arch/AVX512/TypeCasting.h>
#include <Eigen/src/Core/arch/AVX512/Complex.h>
#endif
#if defined(EIGEN_VECTORIZE_SSE)
#include <Eigen/src/Core/arch/SSE/MathFunctions.h>
#endif
#if defined(EIGEN_VECTORIZE_AVX)
#include <Eigen/src/Core/arch/AVX/MathFunctions.h>
#endif
#if defined(EIGEN_VECTORIZE_AVX512)
#include <Eigen/src/Core/arch/AVX512/MathFunctions.h>
#endif
#include <Eigen/src/Core/arch/Default/Settings.h>
#include <Eigen/src/Core/arch/Default/GenericPacketMathFunctions.h>
#include <Eigen/src/Core/DenseCoeffsBase.h>
#include <Eigen/src/Core/util/BlasUtil.h>
#include <Eigen/src/Core/products/GeneralBlockPanelKernel.h>
#include <Eigen/src/Core/util/ReenableStupidWarnings.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
