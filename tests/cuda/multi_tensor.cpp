// Optimiser steps and clipping over many tensors in few launches, held to PyTorch's formulas in double.
#include <tt/cuda/clip.hpp>
#include <tt/cuda/updates.hpp>

#include "cuda/device_test.hpp"

#include <limits>
#include <memory>

using tt::index_t;

namespace {

/// Tensors of `Arrays` arrays on the device, and the same numbers in double. The first array of each begins `shift`
/// elements into its memory; arrays from `zeros_from` on are 0.
template <class Number, int Arrays>
struct Tensors {
  std::vector<index_t> counts;
  int shift;
  std::vector<std::array<std::vector<double>, Arrays>> want;
  std::vector<std::array<std::unique_ptr<DeviceArray<Number>>, Arrays>> device;
  tt::gpu::TensorList<Number, Arrays> list;

  Tensors(std::vector<index_t> n, int first, int zeros_from) : counts(std::move(n)), shift(first) {
    for (std::size_t t = 0; t < counts.size(); ++t) {
      want.emplace_back();
      device.emplace_back();
      std::array<Number*, Arrays> data;
      for (int k = 0; k < Arrays; ++k) {
        const std::size_t begin = k == 0 ? std::size_t(shift) : 0, size = std::size_t(counts[t]) + begin;
        std::vector<Number> numbers(size + 1, Number(77));  // one more than belongs to it
        std::vector<double>& here = want.back()[std::size_t(k)];
        for (std::size_t i = begin; i < size; ++i) {
          numbers[i] = k >= zeros_from ? Number(0) : Number(std::sin(double(i * 7 + t * 3 + std::size_t(k))));
          here.push_back(double(numbers[i]));
        }
        device.back()[std::size_t(k)] = std::make_unique<DeviceArray<Number>>(numbers);
        data[std::size_t(k)] = device.back()[std::size_t(k)]->data() + begin;
      }
      list.add(counts[t], data);
    }
  }
  template <class Update>
  void update_here(const Update& update) {
    for (std::size_t t = 0; t < counts.size(); ++t)
      for (std::size_t i = 0; i < std::size_t(counts[t]); ++i) {
        std::array<double, Arrays> x;
        for (std::size_t k = 0; k < Arrays; ++k) x[k] = want[t][k][i];
        update(x);
        for (std::size_t k = 0; k < Arrays; ++k) want[t][k][i] = x[k];
      }
  }
  void check(double tolerance) const {
    for (std::size_t t = 0; t < counts.size(); ++t)
      for (std::size_t k = 0; k < Arrays; ++k) {
        const auto got = device[t][k]->host();
        const std::size_t begin = k == 0 ? std::size_t(shift) : 0;
        double worst = 0;
        for (std::size_t i = 0; i < want[t][k].size(); ++i) {
          const double x = want[t][k][i];
          worst = std::max(worst, std::abs(double(got[begin + i]) - x) / (1 + std::abs(x)));
        }
        INFO("tensor " << t << " of " << counts[t] << ", array " << k << ": " << worst);
        REQUIRE(worst <= tolerance);
        REQUIRE(got.back() == Number(77));
        if (begin > 0) REQUIRE(got.front() == Number(77));
      }
  }
};

/// Around the sizes of a packet and of a block, and none.
std::vector<index_t> some_counts() {
  if (small_sizes_only) return {3, 16385};
  return {1, 5, 0, 16384, 16385, 40003, 2};
}
template <class Number>
double tolerance() {
  return sizeof(Number) == 8 ? 1e-14 : 1e-6;
}

}  // namespace

TEMPLATE_TEST_CASE("Adam over tensors of all sizes", "[cuda]", float, double) {
  in_every_order([] {
    for (const int shift : {0, 1}) {
      Tensors<TestType, 4> tensors(some_counts(), shift, 2);
      for (const double t : {1., 2., 3.}) {
        using update = tt::gpu::AdamUpdate<TestType>;
        tensors.list.apply(update::of_step(t, 0.01, 0.9, 0.999, 1e-8, 0.1, t == 3), default_stream());
        tensors.update_here([&](std::array<double, 4>& x) {
          const double g = (t == 3 ? -x[1] : x[1]) + 0.1 * x[0];
          x[2] = 0.9 * x[2] + (1 - 0.9) * g;
          x[3] = 0.999 * x[3] + (1 - 0.999) * g * g;
          const double mean = x[2] / (1 - std::pow(0.9, t)), square = x[3] / (1 - std::pow(0.999, t));
          x[0] -= 0.01 * mean / (std::sqrt(square) + 1e-8);
        });
      }
      tensors.check(10 * tolerance<TestType>());
      if (small_sizes_only) return;
    }
  });
}

TEMPLATE_TEST_CASE("SGD, plain and with momentum", "[cuda]", float, double) {
  in_every_order([] {
    Tensors<TestType, 2> plain(some_counts(), 0, 2);
    plain.list.apply(tt::gpu::SgdUpdate<TestType>{TestType(0.1), TestType(0.01), -1}, default_stream());
    plain.update_here([](std::array<double, 2>& x) { x[0] -= 0.1 * (-x[1] + 0.01 * x[0]); });
    plain.check(tolerance<TestType>());
    if (small_sizes_only) return;
    for (const bool nesterov : {false, true}) {
      Tensors<TestType, 3> tensors(some_counts(), 0, 2);
      for (const bool first : {true, false}) {
        const double take = first ? 1 : 0.7;
        using update = tt::gpu::MomentumUpdate<TestType>;
        tensors.list.apply(update{TestType(0.1), TestType(0.01), 1, TestType(0.9), TestType(take), nesterov},
                           default_stream());
        tensors.update_here([&](std::array<double, 3>& x) {
          const double g = x[1] + 0.01 * x[0];
          x[2] = 0.9 * x[2] + take * g;
          x[0] -= 0.1 * (nesterov ? g + 0.9 * x[2] : x[2]);
        });
      }
      tensors.check(4 * tolerance<TestType>());
    }
  });
}

TEST_CASE("more tensors than one launch takes", "[cuda]") {
  const std::size_t many = small_sizes_only ? std::size_t(tt::gpu::TensorBatch<float, 4>::most) + 1 : 250;
  std::vector<index_t> counts(many, 0);
  for (std::size_t t = 0; t < many; ++t) counts[t] = small_sizes_only ? t % 10 == 0 || t + 1 == many : index_t(t % 5);
  Tensors<float, 4> tensors(counts, 0, 2);
  int launches = 0;
  index_t blocks = 0;
  tensors.list.each_batch([&](const auto&, std::uint32_t n) { ++launches, blocks += n; });
  REQUIRE(blocks == tensors.list.blocks());
  if (!small_sizes_only) REQUIRE(launches == 3);
  tensors.list.apply(tt::gpu::AdamUpdate<float>::of_step(1, 0.01, 0.9, 0.999, 1e-8, 0, false), default_stream());
  tensors.update_here([](std::array<double, 4>& x) {
    x[2] = 0.1 * x[1], x[3] = 0.001 * x[1] * x[1];
    x[0] -= 0.01 * x[1] / (std::abs(x[1]) + 1e-8);
  });
  tensors.check(1e-6);
}

TEST_CASE("gradients are clipped to a norm", "[cuda]") {
  in_every_order([] {
    for (const double most : {0.5, 1e6}) {
      Tensors<float, 1> gradients(some_counts(), 1, 1);
      double sum = 0;
      for (const auto& tensor : gradients.want)
        for (const double x : tensor[0]) sum += x * x;
      const std::vector<double> zeros(std::size_t(gradients.list.blocks()), 0.);
      const DeviceArray<double> workspace(zeros), norm({0.});
      tt::gpu::clip_gradients(gradients.list, most, workspace.data(), norm.data(), default_stream());
      REQUIRE(norm.host()[0] == Approx(std::sqrt(sum)).epsilon(1e-12));
      const double factor = most / (std::sqrt(sum) + 1e-6);
      gradients.update_here([&](std::array<double, 1>& x) { x[0] *= factor < 1 ? factor : 1; });
      gradients.check(1e-6);
    }
  });
}

TEST_CASE("a gradient that is no number makes all of them so; no gradients have the norm 0", "[cuda]") {
  const float no_number = std::numeric_limits<float>::quiet_NaN();
  const DeviceArray<float> a({1.f, 2.f}), b({no_number});
  const DeviceArray<double> workspace({0., 0.}), norm({7.});
  tt::gpu::TensorList<float, 1> list;
  tt::gpu::clip_gradients(list, 1, workspace.data(), norm.data(), default_stream());
  REQUIRE(norm.host()[0] == 0);
  list.add(2, {a.data()});
  list.add(1, {b.data()});
  tt::gpu::clip_gradients(list, 1, workspace.data(), norm.data(), default_stream());
  REQUIRE(std::isnan(norm.host()[0]));
  REQUIRE(std::isnan(a.host()[0]));
}
