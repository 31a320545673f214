// A network with double parameters, for derivatives and golden data: new leaves in place of the float ones.
#pragma once
#include <tt/nn.hpp>

namespace tests {

inline tt::AnyTensor as(tt::dtype type, const tt::AnyTensor& from) {
  tt::AnyTensor t = tt::AnyTensor::empty(type, from.sizes());
  t.copy_(from.detach());
  return t;
}
template <class M>
M doubles(M module) {
  for (tt::nn::Parameter* p : module.parameters()) *p = tt::nn::Parameter(as(tt::dtype::float64, p->value));
  return module;
}

}  // namespace tests
