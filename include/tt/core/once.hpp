// A result that is computed once and then kept, by whichever thread comes first.
#pragma once
#include <tt/core/any_tensor.hpp>

namespace tt::detail {

/// Two places: what was computed without recording has no history, so it does not serve those who record.
class Once {
 public:
  Once() = default;
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;
  /// Instead of what would be computed. @pre no other thread looks
  Once& operator=(const AnyTensor& t) {
    forget();
    keep(true, t);
    return *this;
  }
  ~Once() { forget(); }
  bool defined() const { return body_[0].load(std::memory_order_acquire) || body_[1].load(std::memory_order_acquire); }
  /// Undefined where nothing is known that serves.
  AnyTensor get(bool recorded) const {
    TensorBody* body = body_[1].load(std::memory_order_acquire);
    if (!body && !recorded) body = body_[0].load(std::memory_order_acquire);
    return AnyTensor(Ref<TensorBody>::share(body));
  }
  /// @return what is kept: another thread may have been first
  AnyTensor keep(bool recorded, AnyTensor t) {
    TensorBody* none = nullptr;
    t.body()->refs.up();
    if (body_[recorded].compare_exchange_strong(none, t.body(), std::memory_order_acq_rel)) return t;
    t.body()->refs.down();
    return AnyTensor(Ref<TensorBody>::share(none));
  }

 private:
  void forget() {
    for (auto& body : body_) Ref<TensorBody>(body.exchange(nullptr, std::memory_order_acq_rel));
  }
  std::atomic<TensorBody*> body_[2]{};
};

}  // namespace tt::detail
