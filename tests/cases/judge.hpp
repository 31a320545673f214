// Judging the checks of a file of cases.
#pragma once
#include "../conformance/outcome.hpp"

#include <filesystem>
#include <functional>

namespace cases {

/// A report for each case that `wanted(id and title, area)` takes; one that says why, where the file cannot be read.
std::vector<conformance::FileReport> judge(const std::filesystem::path& path,
                                           const std::function<bool(const std::string&, const std::string&)>& wanted);

}  // namespace cases
