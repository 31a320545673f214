// What tests of the tape's tools run on: vectors of doubles that gather gradients.
#pragma once
#include "../tensors.hpp"

using Vector = tt::Shape<tt::dyn>;
using Leaf = tt::Variable<double, Vector>;
using list = std::vector<double>;

inline Leaf ones(tt::index_t n) {
  Leaf x = tt::ones<double, Vector>({n});
  x.requires_grad_();
  return x;
}
