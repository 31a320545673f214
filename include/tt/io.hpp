// The door to files: safetensors, and writing a file whole or not at all. Gzip needs zlib and is by itself: tt/io/gzip.hpp.
#pragma once
#include <tt/io/safetensors.hpp>
#include <tt/tensor.hpp>
