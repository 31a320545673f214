// Times of work on a device, and the lines of JSON that say them.
#pragma once
#include <tt/cuda/event.hpp>
#include <tt/cuda/stream.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

/// Median milliseconds of f() in the current stream, by events around each of 20 calls that follow on three others.
template <class Function>
double milliseconds(Function&& f) {
  constexpr int before = 3, rounds = 20;
  const tt::gpu::StreamRef stream = tt::gpu::current_stream();
  for (int i = 0; i < before; ++i) f();
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    tt::gpu::Event begin(tt::gpu::Event::Timing::on), end(tt::gpu::Event::Timing::on);
    begin.record(stream);
    f();
    end.record(stream);
    end.synchronize();
    times.push_back(double(begin.elapsed_time(end)));
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

/// {"name": .., "value": .., "unit": ..} and, where it is held against something, against what, the ratio, the goal.
inline void report(const std::string& name, double value, const char* unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name.c_str(), value, unit);
  std::fflush(stdout);
}
inline void report(const std::string& name, double value, const char* unit, const char* against, double ratio,
                   double goal) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", ", name.c_str(), value, unit);
  std::printf("\"against\": \"%s\", \"ratio\": %.4f, \"goal\": %g, \"met\": %s}\n", against, ratio, goal,
              ratio >= goal ? "true" : "false");
  std::fflush(stdout);
}
