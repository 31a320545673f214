// The runner from outside: counts, exit codes and the last line, on files written here.
#include <tt/io/safetensors_header.hpp>

#include "../catch.hpp"
#include "../files.hpp"
#include "../program.hpp"

#include <nlohmann/json.hpp>

#include <cstring>

using tests::Ran;
Ran run(const std::string& arguments) { return tests::run_program(std::string(TT_CONFORMANCE) + " " + arguments); }

/// Samples of neg on [1, -2], each with its own idea of the result.
struct Golden {
  std::string samples;
  std::vector<tt::io::safetensors_entry> entries;
  std::vector<double> data;
  int k = 0;

  void tensor(const std::string& name, const std::vector<double>& values) {
    entries.push_back({"s" + std::to_string(k) + "." + name, "F64", {tt::index_t(values.size())}});
    data.insert(data.end(), values.begin(), values.end());
  }
  void sample(const std::vector<double>& out, const std::vector<double>& grad, const std::string& dtype = "float64",
              const std::string& more = "") {
    tensor("in.0", {1, -2});
    tensor("out.0", out);
    tensor("cot.0", {3, 5});
    tensor("grad.0", grad);
    samples +=
        (k ? ",\n" : "") + ("{\"k\":" + std::to_string(k)) +
        R"(,"dtype":"float64","args":[{"t":0}],"kwargs":{},"in":[{"dtype":"float64","shape":[2],"grad":true}],)" +
        R"("tol":{"out":[0,0],"grad":[0,0]},)" +
        R"("out":[{"dtype":")" + dtype + R"(","shape":[2],"cot":true}],"grad":[0])" + more + "}";
    ++k;
  }
  void write(const std::string& path, const std::string& op = "neg") const {
    files::write(path + ".json",
                 files::of(R"({"op":")" + op + R"(","variant":"","kind":"op","samples":[)" + "\n" + samples + "]}"));
    files::bytes bytes = files::of(tt::io::safetensors_header_bytes(entries));
    const std::size_t head = bytes.size();
    bytes.resize(head + data.size() * sizeof(double));
    if (!data.empty()) std::memcpy(bytes.data() + head, data.data(), data.size() * sizeof(double));
    files::write(path + ".safetensors", bytes);
  }
};

TEST_CASE("runner: right passes; a wrong value, gradient, dtype or NaN fails; a gap is counted as one",
          "[conformance]") {
  const double nan_value = std::numeric_limits<double>::quiet_NaN();
  files::temporary_folder folder;
  Golden good, bad;
  good.sample({-1, 2}, {-3, -5});
  good.sample({-1, 2}, {-3, -5}, "float8_e5m2");
  good.sample({-1, 2}, {-3, -5}, "float64", R"(,"vec":[0],"hvp":[0])");
  good.write(folder / "neg");
  Golden missing;
  missing.sample({-1, 2}, {-3, -5});
  missing.write(folder / "unheard_of", "unheard_of");
  Ran ran = run(folder.path.string());
  INFO(ran.output);
  CHECK(ran.last_line == "1 passed, 0 failed, 3 not implemented");
  CHECK(ran.code == 0);

  bad.sample({-1, 2.5}, {-3, -5});
  bad.sample({-1, 2}, {-3, 5});
  bad.sample({-1, nan_value}, {-3, -5});
  bad.sample({-1, 2}, {-3, -5}, "float64", R"(,"raises":"RuntimeError")");
  bad.sample({-1, 2}, {-3, -5}, "float64", R"(,"grad_none":[0])");
  bad.sample({-1, 2, 3}, {-3, -5});
  bad.write(folder / "square.wrong");
  ran = run("--json " + (folder / "all.report") + " " + folder.path.string());
  INFO(ran.output);
  CHECK(ran.last_line == "1 passed, 6 failed, 3 not implemented");
  CHECK(ran.code == 1);
  CHECK_THAT(ran.output, Contains("FAILED s1: gradient of input 0: at [1] it is -5, not 5"));
  const auto report = nlohmann::json::parse(files::read(folder / "all.report"));
  CHECK(report.at("failed") == 6);
  CHECK(report.at("files").size() == 3);

  CHECK(run("--filter '^neg$' " + folder.path.string()).last_line == "1 passed, 0 failed, 2 not implemented");
  CHECK(run("--filter 'neg[.]json' " + folder.path.string()).code == 0);
}

TEST_CASE("runner: a result of another dtype fails", "[conformance]") {
  files::temporary_folder folder;
  Golden golden;
  golden.sample({-1, 2}, {-3, -5});
  golden.entries[1].dtype = "I64";  // s0.out.0: as wide as F64
  golden.write(folder / "neg");
  const Ran ran = run(folder.path.string());
  CHECK_THAT(ran.output, Contains("the dtype is float64, not int64"));
  CHECK(ran.code == 1);
}

TEST_CASE("runner: a file that cannot be read and a wrong command line give 2", "[conformance]") {
  files::temporary_folder folder;
  CHECK(run(folder.path.string()).last_line == "0 passed, 0 failed, 0 not implemented");
  Golden golden;
  golden.sample({-1, 2}, {-3, -5});
  golden.write(folder / "neg");
  files::write(folder / "neg.safetensors", files::of("short"));
  CHECK(run(folder.path.string()).code == 2);
  CHECK_THAT(run(folder.path.string()).output, Contains("UNREADABLE"));
  files::write(folder / "neg.json", files::of("{"));
  CHECK(run(folder.path.string()).code == 2);
  CHECK(run("--filter none " + folder.path.string()).code == 0);

  CHECK(run("").code == 2);
  CHECK(run(folder / "absent").code == 2);
  CHECK(run("--unknown " + folder.path.string()).code == 2);
  CHECK(run("--filter '(' " + folder.path.string()).code == 2);
  CHECK(run("--json " + (folder / "no/such/folder") + " --filter none " + folder.path.string()).code == 2);
  const Ran other = run("--backend cuda " + folder.path.string());
  CHECK(other.code == 2);
  CHECK_THAT(other.output, Contains("there is no backend 'cuda'"));
  CHECK(run("--help").code == 0);
}
