// Steps of optimisers over parameters on CUDA, for the current stream: all parameters in a few launches.
#pragma once
#include <tt/cuda/multi_tensor.hpp>
#include <tt/cuda/updates.hpp>
#include <tt/optim/adam.hpp>
#include <tt/optim/sgd.hpp>

#include <array>

namespace tt::optim::detail {

#if TT_CUDA_KERNELS

template <class Number, int Arrays, class Update>
void step_on_device(std::span<const DeviceParameter> parameters, const Update& update) {
  gpu::TensorList<Number, Arrays> list;
  for (const DeviceParameter& p : parameters) {
    std::array<Number*, Arrays> arrays;
    for (int k = 0; k < Arrays; ++k) arrays[std::size_t(k)] = reinterpret_cast<Number*>(p.array[k]);
    list.add(p.count, arrays);
  }
  list.apply(update, gpu::current_stream());
}
template <class Number>
void sgd_of(std::span<const DeviceParameter> parameters, const SGDOptions& o, bool first) {
  const auto lr = Number(o.lr), decay = Number(o.weight_decay), sign = Number(o.maximize ? -1 : 1);
  if (o.momentum == 0) return step_on_device<Number, 2>(parameters, gpu::SgdUpdate<Number>{lr, decay, sign});
  const auto take = Number(first ? 1 : 1 - o.dampening);
  step_on_device<Number, 3>(parameters,
                            gpu::MomentumUpdate<Number>{lr, decay, sign, Number(o.momentum), take, o.nesterov});
}
template <class Number>
void adam_of(std::span<const DeviceParameter> parameters, const AdamOptions& o, double t) {
  step_on_device<Number, 4>(parameters, gpu::AdamUpdate<Number>::of_step(t, o.lr, o.beta1, o.beta2, o.eps,
                                                                         o.weight_decay, o.maximize));
}

/// In each file that has kernels: they are of that file alone.
static const bool steps_are_there = [] {
  device_steps.sgd = [](dtype type, std::span<const DeviceParameter> parameters, const SGDOptions& o, bool first) {
    (type == dtype::float32 ? sgd_of<float> : sgd_of<double>)(parameters, o, first);
  };
  device_steps.adam = [](dtype type, std::span<const DeviceParameter> parameters, const AdamOptions& o, double t) {
    (type == dtype::float32 ? adam_of<float> : adam_of<double>)(parameters, o, t);
  };
  return true;
}();

#endif

}  // namespace tt::optim::detail
