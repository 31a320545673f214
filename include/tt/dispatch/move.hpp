// Running copies that rearrange: moves by the inputs' layouts in memory fill a new tensor; the same moves by row-major
// layouts are what the tape keeps.
#pragma once
#include <tt/dispatch/grad_mode.hpp>
#include <tt/dispatch/mode.hpp>
#include <tt/expr/move.hpp>

#include <bit>
#include <vector>

namespace tt::detail {

/// A callable for the time of a call, so that what takes it is no template: that would be compiled for each operation
/// of this room, called or not.
template <class Result, class... Argument>
class Callback {
 public:
  template <class Function>
  Callback(const Function& f)  // NOLINT: conversion is the point
      : function_(&f),
        call_([](const void* g, Argument... x) -> Result { return (*static_cast<const Function*>(g))(x...); }) {}
  Result operator()(Argument... x) const { return call_(function_, x...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Argument...);
};
using Rewrite = Callback<void, ViewLayout&>;

/// The result of a rearrangement while it is filled.
class Mover {
 public:
  /// @param moves how many will follow, at most
  TT_NOINLINE Mover(const dims& size, std::span<const AnyTensor> inputs, int moves, RecordMove record)
      : out(AnyTensor::empty(inputs[0].dtype(), size, inputs[0].memory())), inputs_(inputs) {
    row_major(size, stride);
    for (const AnyTensor& x : inputs)
      if (x.memory() != out.memory()) fail({"tt: tensors on ", name_of(out.device()), " and on ", name_of(x.device()), " are joined: copy them to one device with to<Device>(x)"});
    if (!record || !recording) return;
    for (const AnyTensor& x : inputs)
      if (x.requires_grad()) record_ = record;
    if (record_) list_.entries = make_storage(std::size_t(moves) * sizeof(MoveList::Entry));
  }
  /// For results that moves do not fill.
  void zero() const {
    zero_elements(out);
  }
  /// One move: rewrite(layout) makes of an input's layout the one that is read, whose axes are written with the strides
  /// `to` from element `to_at` on.
  TT_NOINLINE void move(int input, const index_t* to, index_t to_at, Rewrite rewrite) {
    const AnyTensor& x = inputs_[std::size_t(input)];
    ViewLayout v;
    v.size = x.sizes();
    std::copy_n(x.strides(), x.rank(), v.stride);
    rewrite(v);
    if (v.size.count()) move_within(out.memory(), merged(between(v, to, to_at)), out.device_ptr(), x.device_ptr(), out.dtype());
    if (!record_ || !x.requires_grad()) return;
    ViewLayout gradient;
    gradient.size = x.sizes();
    row_major(x.sizes(), gradient.stride);
    rewrite(gradient);
    new (list_.begin() + list_.count++) MoveList::Entry{input, merged(between(gradient, to, to_at))};
  }
  /// @param once every element of an input was moved exactly once
  AnyTensor finish(const char* name, bool once) {
    list_.once = once;
    if (record_) record_(out, inputs_, list_, name);
    return out;
  }

  AnyTensor out;
  index_t stride[max_rank];  ///< of the result

 private:
  static Move between(const ViewLayout& from, const index_t* to, index_t to_at) {
    Move m;
    m.size = from.size;
    std::copy_n(from.stride, from.size.rank, m.from);
    std::copy_n(to, from.size.rank, m.to);
    m.from_at = from.offset, m.to_at = to_at;
    return m;
  }

  std::span<const AnyTensor> inputs_;
  RecordMove record_ = nullptr;
  MoveList list_;
};

/// f() under the active keys.
TT_NOINLINE inline AnyTensor dispatched_moves(const char* name, std::span<const AnyTensor> inputs,
                                              Callback<AnyTensor> f) {
  if (!modes.active) [[likely]]
    return f();
  std::vector<const AnyTensor*> pointers(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) pointers[i] = &inputs[i];
  const std::string_view op = name;
  return dispatched({"move", {&op, 1}, pointers}, f);
}

/// All of one input in one move.
TT_NOINLINE inline AnyTensor moved_whole(const char* name, const AnyTensor& x, const dims& size, bool once,
                                         RecordMove record, Rewrite rewrite) {
  return dispatched_moves(name, {&x, 1}, [&] {
    Mover mover(size, {&x, 1}, 1, record);
    mover.move(0, mover.stride, 0, rewrite);
    return mover.finish(name, once);
  });
}

}  // namespace tt::detail
