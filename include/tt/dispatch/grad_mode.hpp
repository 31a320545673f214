// Whether operations are recorded, for each thread.
#pragma once
#include <tt/core/recording.hpp>

namespace tt {

inline bool is_grad_enabled() { return detail::recording; }

namespace detail {
template <bool On>
class grad_guard {
 public:
  grad_guard() : before_(recording) { recording = On; }
  grad_guard(const grad_guard&) = delete;
  grad_guard& operator=(const grad_guard&) = delete;
  ~grad_guard() { recording = before_; }

 private:
  bool before_;
};
}  // namespace detail

/// Nothing is recorded on this thread while the guard lives: `tt::no_grad guard;`
using no_grad = detail::grad_guard<false>;
/// Recording again, inside no_grad.
using enable_grad = detail::grad_guard<true>;

}  // namespace tt
