// Drawing: what ops/random.hpp calls and dispatch/random.hpp runs.
#pragma once
#include <tt/core/random.hpp>
#include <tt/core/tensor.hpp>

namespace tt::detail {

inline void draw_uniform(const AnyTensor& x, double from, double to, Generator& generator);
inline void draw_normal(const AnyTensor& x, double mean, double std, Generator& generator);
inline void draw_exponential(const AnyTensor& x, double rate, Generator& generator);
inline AnyTensor draw_bernoulli(const AnyTensor& probabilities, dtype type, Generator& generator);
inline AnyTensor draw_integers(dtype type, std::int64_t low, std::int64_t high, const dims& size, Generator& generator);
inline AnyTensor draw_permutation(index_t n, Generator& generator);
inline AnyTensor draw_multinomial(const AnyTensor& weights, index_t samples, bool replacement, Generator& generator);
inline void check_dropout(double p) {
  if (!(p >= 0 && p <= 1)) fail({"tt::dropout: ", p, " is no probability"});
}
inline AnyTensor draw_dropout(dtype type, const dims& size, double p, Generator& generator);

}  // namespace tt::detail
