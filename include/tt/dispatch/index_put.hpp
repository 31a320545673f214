// Running index_put: which value goes where, then a copy with the values in it.
#pragma once
#include <tt/dispatch/index.hpp>
#include <tt/dispatch/lower.hpp>

#include <array>
#include <vector>

namespace tt::detail {

/// Where the elements of x[index..] lie, and the values that go there.
TT_NOINLINE inline Placement place_values(const AnyTensor& x, std::span<const AnyTensor> index,
                                          const AnyTensor& values) {
  static constexpr std::string_view name = "index_put";
  const int axes = int(index.size());
  if (axes == 0 || axes > x.rank()) fail({"tt::index_put: ", axes, " indices for a tensor with ", x.rank(), " axes"});
  dims target;
  for (const AnyTensor& i : index) broadcast_into(target, i.sizes());
  const int head = target.rank;
  for (int i = axes; i < x.rank(); ++i) target.push_back(x.sizes()[i]);
  dims both = target;
  broadcast_into(both, values.sizes());
  if (!(both == target)) fail({"tt::index_put: values ", values.sizes(), " do not broadcast to the places ", target});

  std::vector<AnyTensor> position;
  std::vector<std::array<index_t, max_rank>> step(index.size());
  index_t x_stride[max_rank], packed[max_rank], value_step[max_rank];
  row_major(x.sizes(), x_stride);
  row_major(values.sizes(), packed);
  lay_over(value_step, target, values.sizes(), packed);
  dims places = target;
  places.rank = head;
  for (std::size_t k = 0; k < index.size(); ++k) {
    position.push_back(index_as_int64(name, index[k]));
    row_major(position[k].sizes(), packed);
    lay_over(step[k].data(), places, position[k].sizes(), packed);
  }
  Placement p;
  p.count = target.count();
  p.to = make_storage(std::size_t(p.count) * sizeof(index_t));
  p.from = make_storage(std::size_t(p.count) * sizeof(index_t));
  auto *to = reinterpret_cast<index_t*>(p.to->data), *from = reinterpret_cast<index_t*>(p.from->data);
  index_t at[max_rank]{};
  for (index_t i = 0; i < p.count; ++i) {
    index_t element = 0, value = 0;
    for (std::size_t k = 0; k < index.size(); ++k) {
      index_t offset = 0;
      for (int a = 0; a < head; ++a) offset += at[a] * step[k][std::size_t(a)];
      const index_t given = reinterpret_cast<const std::int64_t*>(position[k].data_ptr())[offset];
      const index_t extent = x.sizes()[int(k)];
      if (given < -extent || given >= extent) index_outside(name, given, extent);
      element += (given < 0 ? given + extent : given) * x_stride[k];
    }
    for (int a = head; a < target.rank; ++a) element += at[a] * x_stride[axes + a - head];
    for (int a = 0; a < target.rank; ++a) value += at[a] * value_step[a];
    to[i] = element, from[i] = value;
    for (int a = target.rank - 1; a >= 0; --a) {
      if (++at[a] < target.extent[a]) break;
      at[a] = 0;
    }
  }
  return p;
}

/// A mask stands for the positions where it is true: as many indices as it has axes.
inline std::vector<AnyTensor> without_masks(const AnyTensor& x, std::span<const AnyTensor> index) {
  std::vector<AnyTensor> all;
  for (const AnyTensor& one : index) {
    if (one.dtype() != dtype::boolean) {
      all.push_back(one);
      continue;
    }
    const AnyTensor mask = one.packed();
    const auto* chosen = reinterpret_cast<const unsigned char*>(mask.data_ptr());  // not 0 is true
    const index_t count = mask.numel() - std::count(chosen, chosen + mask.numel(), 0);
    const std::size_t first = all.size();
    index_t inner = 1;
    for (int axis = mask.rank() - 1; axis >= 0; inner *= mask.sizes()[axis--]) {
      const int of_x = int(first) + axis;
      if (of_x >= x.rank() || x.sizes()[of_x] != mask.sizes()[axis])
        fail({"tt::index_put: a mask ", mask.sizes(), " does not lie on the axes of ", x.sizes()});
      const AnyTensor positions = AnyTensor::empty(dtype::int64, {count});
      auto* to = reinterpret_cast<std::int64_t*>(positions.data_ptr());
      for (index_t i = 0; i < mask.numel(); ++i)
        if (chosen[i]) *to++ = i / inner % mask.sizes()[axis];
      all.insert(all.begin() + std::ptrdiff_t(first), positions);
    }
  }
  return all;
}

/// x[index[0], index[1], ..] = values in a copy, in order; with `add` they are added to what is there.
/// https://pytorch.org/docs/stable/generated/torch.index_put.html
inline AnyTensor run_index_put(const AnyTensor& x, std::span<const AnyTensor> index, const AnyTensor& values,
                               AddAt add, RecordPut record) {
  static constexpr std::string_view name = "index_put";
  const AnyTensor* const inputs[] = {&x, &values};
  return dispatched({"index", {&name, 1}, inputs}, [&] {
    if (x.dtype() != values.dtype())
      fail({"tt::index_put: the values are ", name_of(values.dtype()), ", the tensor is ", name_of(x.dtype()),
            ": cast them"});
    Placement p = place_values(x, without_masks(x, index), values);
    p.accumulate = add != nullptr;
    AnyTensor out = x.copied();
    const AnyTensor packed = values.packed();
    const auto *to = reinterpret_cast<const index_t*>(p.to->data),
               *from = reinterpret_cast<const index_t*>(p.from->data);
    if (add) {
      add(out.data_ptr(), to, packed.data_ptr(), from, p.count);
    } else {
      visit_word(size_of(x.dtype()), [&]<class Word>(Word) {
        auto* a = reinterpret_cast<Word*>(out.data_ptr());
        const auto* v = reinterpret_cast<const Word*>(packed.data_ptr());
        for (index_t i = 0; i < p.count; ++i) std::memcpy(&a[to[i]], &v[from[i]], sizeof(Word));
      });
    }
    if (record && recording && (x.requires_grad() || values.requires_grad())) record(out, x, values, p);
    return out;
  });
}

}  // namespace tt::detail
