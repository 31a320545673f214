// The door to data: loaders and the IDX format.
#pragma once
#include <tt/data/idx.hpp>
#include <tt/data/loader.hpp>
#include <tt/tensor.hpp>
