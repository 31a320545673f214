// What became of a sample, and of all samples of a file.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace conformance {

enum class verdict { passed, failed, not_implemented };

/// `reason` is empty for what passed.
struct Outcome {
  verdict is = verdict::passed;
  std::string reason;

  static Outcome failed(std::string why) { return {verdict::failed, std::move(why)}; }
  static Outcome not_implemented(std::string why) { return {verdict::not_implemented, std::move(why)}; }
};

struct Sample {
  std::string name;  ///< "s3", a file's name, or the path of a table's entry
  Outcome outcome;
};

struct FileReport {
  std::string name;
  std::string kind;  ///< "op", "module", "malformed", "promotion", ...
  std::vector<Sample> samples;
  std::string unreadable;  ///< why the file could not be read

  int count(verdict v) const {
    int n = 0;
    for (const Sample& s : samples) n += s.outcome.is == v;
    return n;
  }
};

}  // namespace conformance
