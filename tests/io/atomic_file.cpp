#include <tt/io/atomic_file.hpp>

#include "../catch.hpp"
#include "../files.hpp"

#include <sys/resource.h>
#include <csignal>

namespace fs = std::filesystem;
using tt::io::atomic_file;
using tt::io::write_file_atomically;

TEST_CASE("write_file_atomically makes a file, or replaces one and keeps its permissions", "[io]") {
  const files::temporary_folder folder;
  const std::string path = folder / "x.txt";
  write_file_atomically(path, "first");
  CHECK(files::read(path) == files::of("first"));

  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  const files::bytes a = files::of("sec"), b, c = files::of("ond");
  const std::vector<std::span<const std::uint8_t>> parts = {a, b, c};
  write_file_atomically(path, parts);
  CHECK(files::read(path) == files::of("second"));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));

  write_file_atomically(path, [](atomic_file& file) {
    for (int i = 0; i < 1000; ++i) file.write("third ");
  });
  CHECK(fs::file_size(path) == 6000);
  CHECK(folder.count() == 1);
}

TEST_CASE("write_file_atomically works on a name without folder, and writes through a symbolic link", "[io]") {
  const files::temporary_folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  write_file_atomically("target", "one");
  fs::create_symlink("target", "link");
  write_file_atomically("link", "two");
  fs::current_path(before);
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(files::read(folder / "target") == files::of("two"));
  CHECK(folder.count() == 2);
}

TEST_CASE("write_file_atomically that fails leaves the file and the folder as they were", "[io]") {
  const files::temporary_folder folder;
  const std::string path = folder / "x.txt";
  write_file_atomically(path, "old");
  const auto unchanged = [&] { return files::read(path) == files::of("old") && folder.count() == 1; };

  SECTION("the content cannot be made") {
    CHECK_THROWS_WITH(write_file_atomically(path,
                                            [](atomic_file& file) {
                                              file.write("half");
                                              throw std::runtime_error("no more");
                                            }),
                      "no more");
    CHECK(unchanged());
  }
  SECTION("commit is not called") {
    atomic_file(path).write("half");
    CHECK(unchanged());
  }
  SECTION("the disk takes no more") {  // a limit on the size of files stands for a full disk
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1000, limit.rlim_max};
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
      write_file_atomically(path, std::string(5000, 'x'));
    } catch (const tt::Error& error) {
      message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    CHECK(message == "tt: cannot write '" + path + "': File too large");
    CHECK(unchanged());
  }
}

TEST_CASE("write_file_atomically says in one sentence why it cannot write", "[io]") {
  const files::temporary_folder folder;
  const auto refusal = [](const std::string& path, const std::string& why) {
    CHECK_THROWS_WITH(write_file_atomically(path, "x"), "tt: cannot write '" + path + "': " + why);
  };
  write_file_atomically(folder / "file", "old");
  refusal(folder / "none/x.txt", "No such file or directory");
  refusal(folder / "file/x.txt", "Not a directory");
  refusal(folder.path.string(), "it is a folder or a device, not a file");
  refusal("/dev/null", "it is a folder or a device, not a file");
  refusal("", "No such file or directory");
  if (geteuid() != 0) {  // root may write everywhere
    fs::permissions(folder / "file", fs::perms::owner_read);
    refusal(folder / "file", "Permission denied");
    fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
    refusal(folder / "x.txt", "Permission denied");
    fs::permissions(folder.path, fs::perms::owner_all);
  }
  CHECK(files::read(folder / "file") == files::of("old"));
  CHECK(folder.count() == 1);
}
