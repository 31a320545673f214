// The networks whose training step is measured: its time in peers/, its heap calls in warm_step.cpp.
#pragma once
#include <tt/nn.hpp>

constexpr tt::index_t batch = tt::dim("batch");

struct Small : tt::nn::Module<Small> {
  tt::nn::Linear<64, 32> fc1;
  tt::nn::Linear<32, 10> fc2;
  TT_MODULE(fc1, fc2)
  auto forward(const auto& x) { return fc2(relu(fc1(x))); }
};
struct Large : tt::nn::Module<Large> {
  tt::nn::Linear<784, 256> fc1;
  tt::nn::Linear<256, 128> fc2;
  tt::nn::Linear<128, 10> fc3;
  TT_MODULE(fc1, fc2, fc3)
  auto forward(const auto& x) { return fc3(relu(fc2(relu(fc1(x))))); }
};
