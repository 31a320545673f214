// Guards that watch the tape of this thread: anomaly mode, and functions that say how saved tensors are kept.
#pragma once
#include <tt/autograd/watched.hpp>

namespace tt {

/// While the guard lives, an operation whose backward sends a NaN on is an error that names it, and the place where it was
/// recorded if that was under a guard too. `tt::detect_anomaly guard;`
/// https://pytorch.org/docs/stable/autograd.html#anomaly-detection
class [[nodiscard]] detect_anomaly {
 public:
  explicit detect_anomaly(bool on = true) : anomaly_(detail::anomaly), watching_(detail::watching) {
    detail::anomaly = on;
    detail::watching = on || detail::saved_hooks ? &detail::watch : nullptr;
  }
  detect_anomaly(const detect_anomaly&) = delete;
  detect_anomaly& operator=(const detect_anomaly&) = delete;
  ~detect_anomaly() { detail::anomaly = anomaly_, detail::watching = watching_; }

 private:
  bool anomaly_;
  const detail::Watch* watching_;
};

/// While the guard lives, each tensor that an operation of this thread saves for backward is given to pack(AnyTensor),
/// and what that returns is kept in its place; backward calls unpack on it, once a run, and must get the same elements,
/// dtype and extents. The innermost guard counts. To keep tensors in half the precision, on disk, or not at all.
/// https://pytorch.org/docs/stable/autograd.html#saved-tensors-hooks
template <class Pack, class Unpack>
class [[nodiscard]] saved_tensors_hooks final : detail::SavedHooks {
 public:
  saved_tensors_hooks(Pack pack_function, Unpack unpack_function)
      : pack_(std::move(pack_function)), unpack_(std::move(unpack_function)), hooks_(detail::saved_hooks), watching_(detail::watching) {
    detail::saved_hooks = this;
    detail::watching = &detail::watch;
  }
  saved_tensors_hooks(const saved_tensors_hooks&) = delete;
  saved_tensors_hooks& operator=(const saved_tensors_hooks&) = delete;
  ~saved_tensors_hooks() { detail::saved_hooks = hooks_, detail::watching = watching_; }

 private:
  using value = std::decay_t<decltype(std::declval<Pack&>()(std::declval<const AnyTensor&>()))>;
  struct Packed final : detail::PackedTensor {
    value kept;
    Unpack function;
    Packed(value v, Unpack f) : kept(std::move(v)), function(std::move(f)) {}
    AnyTensor unpack() const override { return function(kept); }
  };
  detail::Ref<detail::PackedTensor> pack(const AnyTensor& kept) override {
    return detail::Ref<detail::PackedTensor>(new Packed(pack_(kept), unpack_));
  }

  Pack pack_;
  Unpack unpack_;
  detail::SavedHooks* hooks_;
  const detail::Watch* watching_;
};

}  // namespace tt
