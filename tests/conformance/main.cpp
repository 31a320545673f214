// tt_conformance: compares the operations of the registry with golden data, and counts.
#include "judge.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <regex>

namespace {

using namespace conformance;
namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: tt_conformance [--json FILE] [--filter REGEX] [--backend NAME] DIR...\n"
    "Runs the golden files below each DIR. Exit code 1 if a sample failed, 2 if a file cannot be read.\n"
    "  --json FILE      writes the outcome of every sample\n"
    "  --filter REGEX   only files in whose name (with or without .json) the expression is found\n"
    "  --backend NAME   where operations run; there is only cpu\n";

struct Options {
  std::string json, backend = "cpu";
  std::optional<std::regex> filter;
  std::vector<fs::path> folders;
};

/// Throws what is wrong with the command line.
Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw std::runtime_error(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--json") options.json = value();
    else if (words[i] == "--backend") options.backend = value();
    else if (words[i] == "--filter") {
      try {
        options.filter = std::regex(value());
      } catch (const std::regex_error& e) {
        throw std::runtime_error("the filter '" + words[i] + "' is no regular expression: " + e.what());
      }
    } else if (words[i].starts_with("-")) throw std::runtime_error("there is no option " + words[i]);
    else options.folders.emplace_back(words[i]);
  }
  if (options.backend != "cpu") throw std::runtime_error("there is no backend '" + options.backend + "', only cpu");
  if (options.folders.empty()) throw std::runtime_error("no folder is given");
  for (const fs::path& folder : options.folders)
    if (!fs::is_directory(folder)) throw std::runtime_error("'" + folder.string() + "' is no folder");
  return options;
}

std::vector<fs::path> files_below(const Options& options) {
  std::vector<fs::path> all;
  for (const fs::path& folder : options.folders) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      const std::string name = path.filename().string(), stem = path.stem().string();
      if (!may_be_golden(path)) continue;
      if (!options.filter || std::regex_search(name, *options.filter) || std::regex_search(stem, *options.filter))
        files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

constexpr const char* words[] = {"passed", "failed", "not implemented"};

void print(const FileReport& report) {
  if (!report.unreadable.empty())
    return void(std::printf("UNREADABLE %s: %s\n", report.name.c_str(), report.unreadable.c_str()));
  const int passed = report.count(verdict::passed), missing = report.count(verdict::not_implemented);
  std::printf("%-55s %d/%zu", report.name.c_str(), passed, report.samples.size());
  std::printf(missing ? " (%d not implemented)\n" : "\n", missing);
  for (const Sample& s : report.samples)
    if (s.outcome.is == verdict::failed) std::printf("  FAILED %s: %s\n", s.name.c_str(), s.outcome.reason.c_str());
}

nlohmann::json to_json(const FileReport& report) {
  nlohmann::json samples = nlohmann::json::array();
  for (const Sample& s : report.samples) {
    samples.push_back({{"name", s.name}, {"result", words[int(s.outcome.is)]}});
    if (!s.outcome.reason.empty()) samples.back()["reason"] = s.outcome.reason;
  }
  nlohmann::json file = {{"file", report.name}, {"kind", report.kind}, {"samples", samples}};
  if (!report.unreadable.empty()) file["unreadable"] = report.unreadable;
  return file;
}

int run(const Options& options) {
  int total[3] = {};
  bool unreadable = false;
  nlohmann::json files = nlohmann::json::array();
  for (const fs::path& path : files_below(options)) {
    const FileReport report = judge_file(path);
    print(report);
    files.push_back(to_json(report));
    unreadable |= !report.unreadable.empty();
    for (const Sample& s : report.samples) ++total[int(s.outcome.is)];
  }
  if (!options.json.empty()) {
    const nlohmann::json all = {{"backend", options.backend},
                                {"passed", total[0]},
                                {"failed", total[1]},
                                {"not_implemented", total[2]},
                                {"files", files}};
    std::ofstream out(options.json);
    out << all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write '" + options.json + "'");
  }
  std::printf("%d passed, %d failed, %d not implemented\n", total[0], total[1], total[2]);
  return unreadable ? 2 : total[1] ? 1 : 0;
}

}  // namespace

int main(int count, char** word) {
  const std::vector<std::string> arguments(word + 1, word + count);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) return std::fputs(usage, stdout), 0;
  Options options;
  try {
    options = parse(arguments);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tt_conformance: %s\n%s", e.what(), usage);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tt_conformance: %s\n", e.what());
    return 2;
  }
}
