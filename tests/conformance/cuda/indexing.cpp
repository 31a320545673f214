#include <tt/cuda/indexing.hpp>
