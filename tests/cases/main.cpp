// tt_cases: runs the checks of reported faults, and counts.
#include "../conformance/report.hpp"
#include "judge.hpp"

#include <optional>

namespace {

using namespace conformance;

constexpr const char* usage =
    "usage: tt_cases [--json FILE] [--filter REGEX] [--area NAME]... FILE...\n"
    "Runs the checks of each FILE. Exit code 1 if one failed, 2 if a file cannot be read.\n"
    "  --json FILE      writes the outcome of every check\n"
    "  --filter REGEX   only cases in whose id and title the expression is found\n"
    "  --area NAME      only cases of this area, or of these: shapes, aliasing, lifetime, autograd, files, ...\n";

int run(const std::vector<std::string>& words) {
  std::string json;
  std::optional<std::regex> filter;
  std::vector<std::string> areas, files;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw usage_error(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--json") json = value();
    else if (words[i] == "--filter") filter = filter_of(value());
    else if (words[i] == "--area") areas.push_back(value());
    else if (words[i].starts_with("-")) throw usage_error("there is no option " + words[i]);
    else files.push_back(words[i]);
  }
  if (files.empty()) throw usage_error("no file is given");
  std::vector<FileReport> reports;
  for (const std::string& file : files)
    for (FileReport& report : cases::judge(file, [&](const std::string&name, const std::string&area) {
           const bool in_area = areas.empty() || std::find(areas.begin(), areas.end(), area) != areas.end();
           return in_area && (!filter || std::regex_search(name, *filter));
         })) {
      print(report);
      reports.push_back(std::move(report));
    }
  if (!json.empty()) write_json(json, "cpu", reports);
  return finish(reports);
}

}  // namespace

int main(int count, char** word) { return run_main("tt_cases", usage, count, word, run); }
