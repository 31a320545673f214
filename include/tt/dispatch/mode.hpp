// Dispatch keys: what may look at, change or record an operation before a device runs it.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <span>

namespace tt {

/// Outermost first. After them come Autograd (the kernels' record function) and the device.
enum class dispatch_key : std::uint8_t { autocast, tracer, profiler };
inline constexpr int dispatch_keys = 3;

/// One operation on its way to a device: a fused region, a reduction, a contraction, ...
struct Call {
  std::string_view kind;                        ///< "map", "reduce", "contract", "view", "move", "index", "scan", "create"
  std::span<const std::string_view> names;      ///< the ops in it, outermost first
  std::span<const AnyTensor* const> inputs;     ///< leaves; null for literals
};

/// Goes on to the next key, in the end to the device.
class Next {
 public:
  Next(AnyTensor (*run)(void*), void* context) : run_(run), context_(context) {}
  AnyTensor operator()() const { return run_(context_); }

 private:
  AnyTensor (*run_)(void*);
  void* context_;
};

/// Sees each operation of this thread while it is included. Call `next()` for the result; it may be replaced.
struct DispatchHandler {
  virtual AnyTensor operator()(const Call& call, Next next) = 0;

 protected:
  ~DispatchHandler() = default;
};

namespace detail {
struct ThreadModes {
  unsigned active = 0;  ///< bit k: key k has a handler and is not excluded
  DispatchHandler* handler[dispatch_keys] = {};
};
inline constinit thread_local ThreadModes modes;
}  // namespace detail

/// Includes a handler under a key for as long as the guard lives; an earlier one returns after it.
class include_dispatch_key {
 public:
  include_dispatch_key(dispatch_key key, DispatchHandler& handler) : key_(int(key)), before_(detail::modes) {
    detail::modes.handler[key_] = &handler;
    detail::modes.active |= 1u << key_;
  }
  include_dispatch_key(const include_dispatch_key&) = delete;
  include_dispatch_key& operator=(const include_dispatch_key&) = delete;
  ~include_dispatch_key() { detail::modes = before_; }

 private:
  int key_;
  detail::ThreadModes before_;
};

/// Passes a key by for as long as the guard lives.
class exclude_dispatch_key {
 public:
  explicit exclude_dispatch_key(dispatch_key key) : before_(detail::modes.active) {
    detail::modes.active &= ~(1u << int(key));
  }
  exclude_dispatch_key(const exclude_dispatch_key&) = delete;
  exclude_dispatch_key& operator=(const exclude_dispatch_key&) = delete;
  ~exclude_dispatch_key() { detail::modes.active = before_; }

 private:
  unsigned before_;
};

namespace detail {

/// Runs the outermost active handler with itself switched off, so that it may use tensors.
TT_NOINLINE inline AnyTensor through_modes(const Call& call, Next device) {
  struct Keep {
    unsigned active = modes.active;
    ~Keep() { modes.active = active; }
  } keep;
  if (!keep.active) return device();
  int key = 0;
  while (!(keep.active >> key & 1)) ++key;
  modes.active = keep.active & (~0u << (key + 1));
  struct Rest {
    const Call& call;
    Next device;
  } rest{call, device};
  return (*modes.handler[key])(call, Next(
      [](void* context) {
        auto* r = static_cast<Rest*>(context);
        return through_modes(r->call, r->device);
      },
      &rest));
}

/// f() under the active keys. One load where there are none.
template <class Function>
TT_INLINE AnyTensor dispatched(const Call& call, Function&& f) {
  if (!modes.active) [[likely]] return f();
  using plain = std::remove_reference_t<Function>;
  return through_modes(call, Next([](void* g) { return (*static_cast<plain*>(g))(); }, const_cast<void*>(static_cast<const void*>(&f))));
}

}  // namespace detail
}  // namespace tt
