// Running a program from a test: its exit code and what it prints.
#pragma once
#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace tests {

struct Ran {
  int code;
  std::string output, last_line;
};
/// Through the shell; standard output and errors together.
inline Ran run_program(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  Ran ran;
  for (char part[4096]; std::size_t n = std::fread(part, 1, sizeof part, pipe);) ran.output.append(part, n);
  ran.code = WEXITSTATUS(pclose(pipe));
  std::string text = ran.output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  ran.last_line = text.substr(text.rfind('\n') + 1);
  return ran;
}

}  // namespace tests
