// What the runners print and write, and how they end.
#pragma once
#include "outcome.hpp"

#include <regex>
#include <stdexcept>

namespace conformance {

/// One line for a file, and one for each failed sample.
void print(const FileReport& report);
/// The outcome of every sample as JSON; throws if `path` cannot be written.
void write_json(const std::string& path, const std::string& backend, const std::vector<FileReport>& reports);
/// Prints the last line, "N passed, N failed, N not implemented". @return the exit code: 2 if a file could not be read, 1 if
/// a sample failed
int finish(const std::vector<FileReport>& reports);

/// main() of a runner: run(words of the command line), which throws what is wrong with them as usage_error.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
int run_main(const char* name, const char* usage, int count, char** word, int (*run)(const std::vector<std::string>&));

/// An option's value as a regular expression.
std::regex filter_of(const std::string& text);

}  // namespace conformance
