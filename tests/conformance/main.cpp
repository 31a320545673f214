// tt_conformance: compares the operations of the registry with golden data, and counts.
#include "judge.hpp"
#include "report.hpp"

#include <algorithm>
#include <optional>

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

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw usage_error(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--json") options.json = value();
    else if (words[i] == "--backend") options.backend = value();
    else if (words[i] == "--filter") options.filter = filter_of(value());
    else if (words[i].starts_with("-")) throw usage_error("there is no option " + words[i]);
    else options.folders.emplace_back(words[i]);
  }
  if (options.backend != "cpu") throw usage_error("there is no backend '" + options.backend + "', only cpu");
  if (options.folders.empty()) throw usage_error("no folder is given");
  for (const fs::path& folder : options.folders)
    if (!fs::is_directory(folder)) throw usage_error("'" + folder.string() + "' is no folder");
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

int run(const std::vector<std::string>& words) {
  const Options options = parse(words);
  std::vector<FileReport> reports;
  for (const fs::path& path : files_below(options)) {
    reports.push_back(judge_file(path));
    print(reports.back());
  }
  if (!options.json.empty()) write_json(options.json, options.backend, reports);
  return finish(reports);
}

}  // namespace

int main(int count, char** word) { return run_main("tt_conformance", usage, count, word, run); }
