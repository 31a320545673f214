// The door to the tape's tools: grad(), a backward of one's own, hooks, the graph, checkpoint, anomaly mode. backward() and
// no_grad need <tt/tensor.hpp> only. Derivatives of derivatives: <tt/autograd/second_order.hpp>.
#pragma once
#include <tt/tensor.hpp>

#include <tt/autograd/checkpoint.hpp>
#include <tt/autograd/function.hpp>
#include <tt/autograd/grad.hpp>
#include <tt/autograd/grad_fn.hpp>
#include <tt/autograd/hooks.hpp>
#include <tt/autograd/watch.hpp>
