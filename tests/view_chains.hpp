// Chains of views drawn at random, for laws that hold for all of them. A second tensor that holds the positions 0, 1, .. of
// the base goes through the same chain: it says which element of the base each element of the view is.
#pragma once
#include "property.hpp"
#include "tensors.hpp"

#include <functional>

namespace tests {

/// One view of a tensor, drawn: every tensor of these extents gets the same one.
using View = std::function<tt::AnyTensor(const tt::AnyTensor&)>;

inline View any_view(const tt::dims& size, Draw& draw) {
  const int rank = size.rank;
  const tt::index_t n = size.count();
  if (rank == 0 || draw(0, 9) == 0) {
    if (rank < 6 && draw(0, 1)) return [at = draw(-rank - 1, rank)](const tt::AnyTensor& x) { return tt::unsqueeze(x, at); };
    const tt::dims to = draw.factors(n);
    return [to](const tt::AnyTensor& x) { return tt::reshape(x, to); };
  }
  const tt::index_t axis = draw(-rank, rank - 1), other = draw(-rank, rank - 1), extent = size[int(axis)];
  const tt::index_t start = draw(0, extent), length = draw(0, extent - start), step = draw(1, 3);
  switch (draw(0, 15)) {
    case 0: return [=](const tt::AnyTensor& x) { return tt::transpose(x, axis, other); };
    case 1: return [order = draw.order(rank)](const tt::AnyTensor& x) { return tt::permute(x, order); };
    case 2: return [=](const tt::AnyTensor& x) { return tt::movedim(x, axis, other); };
    case 3: return [=](const tt::AnyTensor& x) { return tt::squeeze(x, axis); };
    case 4: return [](const tt::AnyTensor& x) { return tt::squeeze(x); };
    case 5: return [=](const tt::AnyTensor& x) { return tt::slice(x, axis, start - extent, start + length, step); };
    case 6: return [=](const tt::AnyTensor& x) { return extent ? tt::select(x, axis, (start + 1) % extent) : tt::T(x); };
    case 7: return [=](const tt::AnyTensor& x) { return tt::narrow(x, axis, start, length); };
    case 8:
      if (rank < 2 || (axis - other) % rank == 0) return [](const tt::AnyTensor& x) { return tt::T(x); };
      return [=](const tt::AnyTensor& x) { return tt::diagonal(x, start - length, axis, other); };
    case 9:
      if (rank > 5 || n * length > 3000) return [=](const tt::AnyTensor& x) { return tt::narrow(x, axis, 0, length); };
      return [=](const tt::AnyTensor& x) { return tt::unfold(x, axis, length, step); };
    case 10: {
      tt::dims to = size;
      bool grows = false;
      for (tt::index_t& e : to.extent)
        if (&e < to.extent + rank && e == 1 && n < 500) e = draw(1, 3), grows = true;
      if (rank < 6 && n < 500 && !grows) {
        tt::dims wide{draw(1, 3)};
        for (tt::index_t e : to) wide.push_back(e);
        to = wide;
      }
      return [to](const tt::AnyTensor& x) { return tt::expand(x, to); };
    }
    case 11: return [to = draw.factors(n)](const tt::AnyTensor& x) { return tt::reshape(x, to); };
    case 12: {
      const tt::index_t first = draw(0, rank - 1), last = draw(first, rank - 1);
      return [=](const tt::AnyTensor& x) { return tt::flatten(x, first, last); };
    }
    case 13:
      if (rank > 3) return [](const tt::AnyTensor& x) { return tt::ravel(x); };
      return [=, to = draw.factors(extent)](const tt::AnyTensor& x) { return tt::unflatten(x, axis, to); };
    case 14: return [=](const tt::AnyTensor& x) { return tt::chunk(x, step + 1, axis).back(); };
    default: return [=](const tt::AnyTensor& x) { return tt::tensor_split(x, step + 1, axis).at(std::size_t(step)); };
  }
}

struct Chain {
  tt::dims base;
  std::vector<View> views;

  tt::AnyTensor operator()(tt::AnyTensor x) const {
    for (const View& v : views) x = v(x);
    return x;
  }
};

inline tt::AnyTensor positions(const tt::dims& size) {
  return tt::reshape(tt::AnyTensor(tt::arange<std::int64_t>(double(size.count()))), size);
}

inline Chain any_chain(Draw& draw) {
  Chain chain;
  for (tt::index_t i = draw(0, 4); i > 0; --i) chain.base.push_back(draw(draw(0, 9) ? 1 : 0, 5));
  tt::AnyTensor shape = positions(chain.base);
  for (tt::index_t i = draw(1, 6); i > 0; --i) {
    chain.views.push_back(any_view(shape.sizes(), draw));
    shape = chain.views.back()(shape);
  }
  return chain;
}

}  // namespace tests
