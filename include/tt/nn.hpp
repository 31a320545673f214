// The door to networks: modules, layers, state.
#pragma once
#include <tt/nn/module.hpp>  // first: compilers put the way of inclusion before its messages

#include <tt/nn/activation.hpp>
#include <tt/nn/hooks.hpp>
#include <tt/nn/linear.hpp>
#include <tt/nn/sequential.hpp>
#include <tt/nn/state.hpp>
#include <tt/tensor.hpp>
