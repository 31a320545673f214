// What a person sees: progress, confusion matrix.
#pragma once
#include "net.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace digits {

/// One bar that is drawn over on a terminal, one plain line an epoch elsewhere.
class Progress {
 public:
  Progress(tt::index_t epochs, tt::index_t rows)
      : epochs_(epochs), rows_(rows), terminal_(isatty(STDOUT_FILENO) == 1) {}

  void epoch(tt::index_t done, double loss, double accuracy) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double rate = double(done * rows_) / seconds, left = seconds / double(done) * double(epochs_ - done);
    if (!terminal_) {
      std::printf("epoch %*ld/%ld  loss %.4f  accuracy %.4f  %.0f images/s  ETA %.1f s\n", width(), long(done),
                  long(epochs_), loss, accuracy, rate, left);
      return;
    }
    constexpr int length = 30;
    const int full = int(done * length / epochs_);
    const std::string bar = std::string(std::size_t(full), '#') + std::string(std::size_t(length - full), '.');
    std::printf("\r\033[K[%s] epoch %*ld/%ld  loss %.4f  accuracy %.4f  %.0f images/s  ETA %.1f s", bar.c_str(),
                width(), long(done), long(epochs_), loss, accuracy, rate, left);
    if (done == epochs_) std::printf("\n");
    std::fflush(stdout);
  }

 private:
  int width() const { return int(std::to_string(epochs_).size()); }
  tt::index_t epochs_, rows_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline double accuracy_of(const Labels& predicted, const Labels& labels) {
  const tt::Tensor right = tt::sum(predicted == labels);
  return double(right.item()) / double(labels.numel());
}

/// Rows are true digits, columns predicted ones.
inline void print_confusion(const Labels& predicted, const Labels& labels) {
  int count[10][10]{};
  for (tt::index_t i = 0; i < labels.numel(); ++i) ++count[labels(i)][predicted(i)];
  std::printf("\nconfusion matrix (rows: true digit, columns: predicted)\n      ");
  for (int p = 0; p < 10; ++p) std::printf("%4d", p);
  for (int t = 0; t < 10; ++t) {
    std::printf("\n  %d | ", t);
    for (int p = 0; p < 10; ++p) count[t][p] ? std::printf("%4d", count[t][p]) : std::printf("   .");
  }
  std::printf("\n\n");
}

}  // namespace digits
