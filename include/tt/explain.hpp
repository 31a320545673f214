// The door to explain(): what evaluating an expression will do.
#pragma once
#include <tt/tensor.hpp>

#include <tt/dispatch/explain.hpp>
