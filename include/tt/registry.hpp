// The door to operations by name. A program that uses it links tt::registry, where the rows are compiled.
#pragma once
#include <tt/dispatch/registry.hpp>
