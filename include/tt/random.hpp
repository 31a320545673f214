// The door to random numbers beside rand and randn: randint, randperm, uniform_, normal_, exponential_, bernoulli,
// multinomial, dropout.
#pragma once
#include <tt/tensor.hpp>

#include <tt/dispatch/random.hpp>
#include <tt/ops/random.hpp>
