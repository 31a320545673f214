// Types, operations, evaluation on the CPU, the tape; nothing of it used.
#include <tt/tensor.hpp>
