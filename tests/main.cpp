// Catch2's main, compiled once for all tests (version 2; version 3 brings its own).
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
