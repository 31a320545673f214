// tt_conformance: compares the operations of the registry with golden data, and counts.
#include "judge.hpp"
#include "report.hpp"

#include <algorithm>
#include <optional>

#ifdef TT_CUDA_SIM
#include "cuda.hpp"
#else
#include <unistd.h>
#endif

namespace {

using namespace conformance;
namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: tt_conformance [--json FILE] [--filter REGEX] [--backend NAME] DIR...\n"
    "Runs the golden files below each DIR. Exit code 1 if a sample failed, 2 if a file cannot be read.\n"
    "  --json FILE      writes the outcome of every sample\n"
    "  --filter REGEX   only files in whose name (with or without .json) the expression is found\n"
    "  --backend NAME   where operations run: cpu, or cuda-sim, CUDA's kernels on the tests' executor\n";

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
  if (options.backend != "cpu" && options.backend != "cuda-sim")
    throw usage_error("there is no backend '" + options.backend + "', only cpu and cuda-sim");
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

#ifndef TT_CUDA_SIM
/// The rows of CUDA are in a program of their own, beside this one. It takes this one's place.
void use_cuda(const std::vector<std::string>& words) {
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "tt_conformance_cuda").string();
  std::vector<char*> arguments{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw usage_error("the backend cuda-sim is not there: it takes the CUDA toolkit, and the target tt_conformance_cuda");
}
#else
void use_cuda(const std::vector<std::string>&) { place_input = place_on_cuda, settle = settle_cuda; }
#endif

int run(const std::vector<std::string>& words) {
  const Options options = parse(words);
  if (options.backend == "cuda-sim") use_cuda(words);
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
