#include "report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace conformance {

namespace {

constexpr const char* words[] = {"passed", "failed", "not implemented"};

struct Totals {
  int count[3] = {};
  explicit Totals(const std::vector<FileReport>& reports) {
    for (const FileReport& report : reports)
      for (const Sample& s : report.samples) ++count[int(s.outcome.is)];
  }
};

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

}  // namespace

void print(const FileReport& report) {
  if (!report.unreadable.empty())
    return void(std::printf("UNREADABLE %s: %s\n", report.name.c_str(), report.unreadable.c_str()));
  const int passed = report.count(verdict::passed), missing = report.count(verdict::not_implemented);
  std::printf("%-55s %d/%zu", report.name.c_str(), passed, report.samples.size());
  std::printf(missing ? " (%d not implemented)\n" : "\n", missing);
  for (const Sample& s : report.samples)
    if (s.outcome.is == verdict::failed) std::printf("  FAILED %s: %s\n", s.name.c_str(), s.outcome.reason.c_str());
}

void write_json(const std::string& path, const std::string& backend, const std::vector<FileReport>& reports) {
  const Totals total(reports);
  nlohmann::json files = nlohmann::json::array();
  for (const FileReport& report : reports) files.push_back(to_json(report));
  const nlohmann::json all = {{"backend", backend},
                              {"passed", total.count[0]},
                              {"failed", total.count[1]},
                              {"not_implemented", total.count[2]},
                              {"files", files}};
  std::ofstream out(path);
  out << all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

int finish(const std::vector<FileReport>& reports) {
  const Totals total(reports);
  std::printf("%d passed, %d failed, %d not implemented\n", total.count[0], total.count[1], total.count[2]);
  const bool unreadable =
      std::any_of(reports.begin(), reports.end(), [](const FileReport& r) { return !r.unreadable.empty(); });
  return unreadable ? 2 : total.count[1] ? 1 : 0;
}

int run_main(const char* name, const char* usage, int count, char** word, int (*run)(const std::vector<std::string>&)) {
  const std::vector<std::string> arguments(word + 1, word + count);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) return std::fputs(usage, stdout), 0;
  try {
    return run(arguments);
  } catch (const usage_error& e) {
    std::fprintf(stderr, "%s: %s\n%s", name, e.what(), usage);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
  }
  return 2;
}

std::regex filter_of(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& e) {
    throw usage_error("the filter '" + text + "' is no regular expression: " + e.what());
  }
}

}  // namespace conformance
