// The door to optimisers.
#pragma once
#include <tt/optim/adam.hpp>
#include <tt/optim/sgd.hpp>
