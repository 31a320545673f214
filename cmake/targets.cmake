# tt::tt needs a compiler, threads and Eigen's headers, and links nothing else. Whatever needs more has its own target.

# Eigen's own config file, or else just its headers. Asking for 3.4 by find_package would refuse Eigen 5.
find_package(Eigen3 CONFIG QUIET)
if(NOT TARGET Eigen3::Eigen)
  find_path(TT_EIGEN_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)
  add_library(Eigen3::Eigen INTERFACE IMPORTED)
  target_include_directories(Eigen3::Eigen INTERFACE ${TT_EIGEN_INCLUDE_DIR})
elseif(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "tt needs Eigen 3.4 or later; ${Eigen3_DIR} has ${Eigen3_VERSION}")
endif()
find_package(Threads REQUIRED)

add_library(tt INTERFACE)
add_library(tt::tt ALIAS tt)
target_compile_features(tt INTERFACE cxx_std_20)
target_include_directories(tt INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(tt INTERFACE Eigen3::Eigen Threads::Threads)

# CPU loops on several threads. Without OpenMP the target is empty and the loops run on one.
add_library(tt_openmp INTERFACE)
add_library(tt::openmp ALIAS tt_openmp)
find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  target_link_libraries(tt_openmp INTERFACE OpenMP::OpenMP_CXX)
endif()

# All instructions of the machine that compiles; the program may not run on an older one.
add_library(tt_native INTERFACE)
add_library(tt::native ALIAS tt_native)
target_compile_options(tt_native INTERFACE -march=native)

# Reading gzip files. Only there when zlib is: ask with if(TARGET tt::gzip).
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  add_library(tt_gzip INTERFACE)
  add_library(tt::gzip ALIAS tt_gzip)
  target_link_libraries(tt_gzip INTERFACE ZLIB::ZLIB)
endif()

# CUDA's headers and run time, for what includes <tt/cuda/...>. Only there when it is wanted and the toolkit is installed:
# ask with if(TARGET tt::cuda). No driver or device is needed to build.
if(TT_CUDA STREQUAL "AUTO")
  find_package(CUDAToolkit QUIET)
elseif(TT_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
if(TT_CUDA AND CUDAToolkit_FOUND)
  add_library(tt_cuda INTERFACE)
  add_library(tt::cuda ALIAS tt_cuda)
  target_link_libraries(tt_cuda INTERFACE tt CUDA::cudart)
  target_include_directories(tt_cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  # Products on a device. The library has hundreds of megabytes: who does not multiply does not link it.
  if(TARGET CUDA::cublas AND TARGET CUDA::cublasLt)
    add_library(tt_cublas INTERFACE)
    add_library(tt::cublas ALIAS tt_cublas)
    target_link_libraries(tt_cublas INTERFACE tt_cuda CUDA::cublas CUDA::cublasLt)
  endif()
elseif(TT_CUDA)
  message(STATUS "tt::cuda: not there, because no CUDA toolkit was found")
endif()
