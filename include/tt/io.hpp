// The door to files: safetensors, npy, and writing a file whole or not at all. What needs zlib is by itself: tt/io/gzip.hpp
// and tt/io/npz.hpp.
#pragma once
#include <tt/io/npy.hpp>
#include <tt/io/safetensors.hpp>
#include <tt/tensor.hpp>
