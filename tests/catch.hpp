// The one door to Catch2, for tests only: version 2 or 3, whichever is installed. Catch::Approx,
// Approx and Contains (text in a message) mean the same in both.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

#include <string>

using Catch::Approx;
inline auto Contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
#else
#include <catch2/catch.hpp>   // Approx is global here

namespace Catch {
using Detail::Approx;
}
using Catch::Matchers::Contains;
#endif
