// Whether operations are recorded, for each thread.
#pragma once
#include <tt/core/recording.hpp>

namespace tt {

inline bool is_grad_enabled() { return detail::recording; }

/// Recording on this thread is on or off while the guard lives: `tt::set_grad_enabled guard(training);`
class [[nodiscard]] set_grad_enabled {
 public:
  explicit set_grad_enabled(bool on) : before_(detail::recording) { detail::recording = on; }
  set_grad_enabled(const set_grad_enabled&) = delete;
  set_grad_enabled& operator=(const set_grad_enabled&) = delete;
  ~set_grad_enabled() { detail::recording = before_; }

 private:
  bool before_;
};

/// Nothing is recorded on this thread while the guard lives: `tt::no_grad guard;`
struct [[nodiscard]] no_grad : set_grad_enabled {
  no_grad() : set_grad_enabled(false) {}
};
/// Recording again, inside no_grad.
struct [[nodiscard]] enable_grad : set_grad_enabled {
  enable_grad() : set_grad_enabled(true) {}
};

}  // namespace tt
