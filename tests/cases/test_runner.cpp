// The runner from outside: counts, exit codes and the last line, on files written here.
#include "../catch.hpp"
#include "../files.hpp"
#include "../program.hpp"

using tests::Ran;
Ran run(const std::string& arguments) { return tests::run_program(std::string(TT_CASES) + " " + arguments); }

/// A file with one case of these checks.
std::string file_of(const std::string& checks, const std::string& area = "shapes") {
  return R"({"format": "tt-cases-1", "cases": [{"id": "C99", "area": ")" + area +
         R"(", "title": "a title", "checks": [)" + checks + "]}]}";
}
/// [1, 2] + [x, nan], and what is expected of it.
std::string sum(const std::string& outcome, const std::string& more = "") {
  return R"({"name": "one", "op": "add", "inputs": {"a": {"dtype": "float32", "shape": [2], "data": [1, 2]},)"
         R"( "b": {"dtype": "float32", "shape": [2], "data": [0.1, "nan"]}},)" +
         more + outcome + "}";
}
std::string expecting(const std::string& data, const std::string& more = "", const std::string& shape = "[2]") {
  return R"("expect": {"y": {"dtype": "float64", "shape": )" + shape + R"(, "data": )" + data + "}}" + more;
}

TEST_CASE("cases runner: values, errors, what is allowed besides, and what has no adapter", "[cases]") {
  const files::temporary_folder folder;
  const auto outcome = [&](const std::string& check) {
    files::write(folder / "x.json", files::of(file_of(check)));
    const Ran ran = run(folder / "x.json");
    const int failed = ran.last_line == "0 passed, 1 failed, 0 not implemented";
    CHECK(ran.code == failed);
    return failed                                                     ? "failed"
           : ran.last_line == "1 passed, 0 failed, 0 not implemented" ? "passed"
           : ran.last_line == "0 passed, 0 failed, 1 not implemented" ? "not implemented"
                                                                      : "something else";
  };
  CHECK(outcome(sum(expecting("[1.1, \"nan\"]", ", \"rtol\": 1e-6"))) == std::string("passed"));
  CHECK(outcome(sum(expecting("[1.1, \"nan\"]"))) ==
        std::string("failed"));  // without tolerance equal, and 0.1f is not 0.1
  CHECK(outcome(sum(expecting("[1.1, 2]", ", \"rtol\": 1e-6"))) == std::string("failed"));
  CHECK(outcome(sum(expecting("[1.1, \"nan\"]", ", \"atol\": 1e-6", "[1, 2]"))) == std::string("failed"));
  CHECK(outcome(sum(R"("expect": {"z": 1})")) == std::string("not implemented"));
  CHECK(outcome(sum(R"("error": "no")")) == std::string("failed"));
  CHECK(outcome(sum(R"("error": "no", "also_allowed": {"reads": true})")) == std::string("passed"));
  CHECK(outcome(sum(R"("error": "no", "rtol": 1e-6, "also_allowed": {"value": [1.1, "nan"]})")) ==
        std::string("passed"));
  CHECK(outcome(sum(R"("error": "no", "rtol": 1e-6, "also_allowed": {"value": [1.2, "nan"]})")) ==
        std::string("failed"));
  CHECK(outcome(sum(expecting("[1.1, \"nan\"]", ", \"rtol\": 1e-6"), R"("args": {"unheard": 1},)")) ==
        std::string("not implemented"));

  const std::string a = R"("inputs": {"a": {"dtype": "float32", "shape": [2], "fill": 1}, )";
  const std::string refused = a + R"("b": {"dtype": "float32", "shape": [3], "arange_from": 0}}, )";
  const auto add = [](const std::string& rest) { return R"({"name": "one", "op": "add", )" + rest + "}"; };
  CHECK(outcome(add(refused + R"("error": "they do not broadcast")")) == std::string("passed"));
  CHECK(outcome(add(refused + R"("expect": {"y": 1})")) == std::string("failed"));
  CHECK(outcome(add(refused + R"("expect": {"y": 1}, "also_allowed": {"throws": "any"})")) == std::string("passed"));
  CHECK(outcome(add(a + R"("b": {"dtype": "quaternion", "shape": [2], "fill": 1}}, "error": "never")")) ==
        std::string("not implemented"));
  CHECK(outcome(R"({"name": "one", "op": "unheard_of", "error": "never"})") == std::string("not implemented"));
  const std::string shape =
      R"({"name": "one", "op": "reshape_shape", "inputs": {"x": {"dtype": "int64", "shape": [4], "fill": 7}},)"
      R"( "args": {"shape": [2, -1]}, "expect": {"shape": )";
  CHECK(outcome(shape + "[2, 2]}}") == std::string("passed"));
  CHECK(outcome(shape + "[2, 3]}}") == std::string("failed"));
  CHECK(outcome(R"({"name": "one", "op": "sum", "inputs": {"x": {"dtype": "bool", "shape": [4], "fill": true}}, )"
                R"("expect": {"y": {"dtype": "int64", "shape": [], "data": [4]}}})") == std::string("passed"));
  CHECK(outcome(R"({"name": "one", "op": "sum", "inputs": {"x": {"dtype": "float32", "shape": [4], "fill": 1}}, )"
                R"("expect": {"y": {"dtype": "int64", "shape": [], "data": [4]}}})") == std::string("failed"));
  CHECK(outcome(R"({"name": "one", "op": "safetensors_read_bytes", "inputs": {"hex": "02000000000000007b7d"}, )"
                R"("expect": {"tensors": "a"}})") == std::string("failed"));
}

TEST_CASE("cases runner: filters, areas, files that cannot be read and wrong command lines", "[cases]") {
  const files::temporary_folder folder;
  const std::string x = folder / "x.json";
  files::write(x, files::of(file_of(sum(expecting("[1.1, \"nan\"]", ", \"rtol\": 1e-6")))));
  CHECK(run(x + " " + x).last_line == "2 passed, 0 failed, 0 not implemented");
  CHECK(run("--filter '^C99 a' --area lifetime --area shapes " + x).last_line ==
        "1 passed, 0 failed, 0 not implemented");
  CHECK(run("--filter C98 " + x).last_line == "0 passed, 0 failed, 0 not implemented");
  CHECK(run("--area lifetime " + x).last_line == "0 passed, 0 failed, 0 not implemented");
  CHECK(run("--json " + (folder / "report") + " " + x).code == 0);
  CHECK_THAT(std::string(reinterpret_cast<const char*>(files::read(folder / "report").data())),
             Contains("\"passed\": 1"));

  CHECK(run("").code == 2);
  CHECK(run(folder / "absent").code == 2);
  CHECK(run("--unknown " + x).code == 2);
  CHECK(run("--filter '(' " + x).code == 2);
  CHECK(run("--area").code == 2);
  files::write(x, files::of(file_of(R"({"name": "no op"})")));
  CHECK(run(x).code == 2);
  CHECK_THAT(run(x).output, Contains("UNREADABLE"));
  files::write(x, files::of("{"));
  CHECK(run(x).code == 2);
  CHECK(run("--help").code == 0);
}
