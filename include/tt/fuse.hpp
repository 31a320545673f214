// The door to fuse(): several assignments in one pass, for optimisers and simulations of one's own.
#pragma once
#include <tt/tensor.hpp>

#include <tt/cpu/several.hpp>
#include <tt/dispatch/fuse.hpp>
