// The place in the user's program that an error names: public calls note it while they run.
#pragma once

namespace tt {

/// A default argument of public calls: where they stand. As std::source_location, which clang 14 does not have.
struct place {
  const char* file;
  int line;
  static constexpr place current(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
  /// Of operators, which have no default arguments.
  static constexpr place unknown() { return {nullptr, 0}; }
};

namespace detail {
inline constinit thread_local place current_place{nullptr, 0};  // a copy: g++ 12 warns of a pointer to a default argument

/// Notes the place of the outermost call for as long as it runs.
class Noted {
 public:
  explicit Noted(const place& where) : outermost_(!current_place.file) {
    if (outermost_) current_place = where;
  }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;
  ~Noted() {
    if (outermost_) current_place.file = nullptr;
  }

 private:
  bool outermost_;
};
}  // namespace detail
}  // namespace tt
