#include <tt/io.hpp>
#include <tt/io/npz.hpp>

#include "../catch.hpp"
#include "../files.hpp"
#include "../tensors.hpp"

using tests::numbers;
using tests::same_bits;
using tt::AnyTensor;
using tt::NamedTensors;
using tt::Shape;
using tt::io::zip_method;

NamedTensors some() {
  return {{"weight", numbers<float, Shape<4, 3, 2>>({4, 3, 2})},
          {"flags", numbers<bool, Shape<7>>({7})},
          {"a/n\u00e4me", numbers<std::int64_t, Shape<>>({}, -9, 9)},
          {"zeros", tt::Tensor<double, Shape<100000>>(tt::zeros<double, Shape<100000>>())},
          {"", AnyTensor::empty(tt::dtype::float64, {2, 0, 3})}};
}
bool same(const NamedTensors& a, const NamedTensors& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i)
    equal = a[i].first == b[i].first && same_bits(a[i].second, b[i].second);
  return equal;
}
/// The bytes of an archive of some().
files::bytes archive(zip_method method, std::uint64_t zip64_from = 0xFFFFFFFF) {
  const files::temporary_folder folder;
  tt::io::write_file_atomically(folder / "x.npz", [&](tt::io::atomic_file& file) {
    tt::io::write_npz(tt::io::zip_writer(file, zip64_from), some(), method);
  });
  return files::read(folder / "x.npz");
}
/// The bytes of an archive of one member, to be put in order by hand.
files::bytes of_member(const std::string& name, const files::bytes& content, zip_method method = zip_method::stored) {
  const files::temporary_folder folder;
  tt::io::write_file_atomically(folder / "x.npz", [&](tt::io::atomic_file& file) {
    tt::io::zip_writer zip(file);
    const std::span<const std::uint8_t> parts[] = {content};
    zip.add(name, parts, method);
    zip.finish();
  });
  return files::read(folder / "x.npz");
}
/// Where the last record of a kind begins.
std::size_t record(const files::bytes& file, std::uint32_t kind) {
  for (std::size_t at = file.size() - 4;; --at) {
    std::uint32_t here = 0;
    for (std::size_t i = 4; i-- > 0;) here = here << 8 | file[at + i];
    if (here == kind) return at;
  }
}
void put(files::bytes& file, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) file[at + i] = std::uint8_t(value >> (8 * i) & 255);
}
NamedTensors read(const files::bytes& file, std::uint64_t limit = tt::io::inflate_limit) {
  return tt::io::parse_npz(file, "x.npz", limit);
}
void refuses(const files::bytes& file, const std::string& why) { CHECK_THROWS_WITH(read(file), Contains(why)); }

TEST_CASE("npz: what was saved comes back, stored, deflated and with sizes in 64 bits", "[io]") {
  const files::temporary_folder folder;
  tt::save_npz(some(), folder / "stored.npz");
  tt::save_npz(some(), folder / "deflated.npz", zip_method::deflated);
  CHECK(same(tt::load_npz(folder / "stored.npz"), some()));
  CHECK(same(tt::load_npz(folder / "deflated.npz"), some()));
  CHECK(files::read(folder / "deflated.npz").size() < 4000);  // of 800 KB, mostly zeros
  CHECK(same(read(archive(zip_method::stored, 0)), some()));
  CHECK(same(read(archive(zip_method::deflated, 0)), some()));
  CHECK(archive(zip_method::deflated) == archive(zip_method::deflated));  // no time of day in it
  tt::save_npz({}, folder / "empty.npz");
  CHECK(tt::load_npz(folder / "empty.npz").empty());

  CHECK_THROWS_WITH(tt::save_npz({{"a", some()[0].second}, {"a", some()[0].second}}, folder / "stored.npz"),
                    Contains("two tensors are called \"a\""));
  CHECK_THROWS_WITH(tt::save_npz({{"a", {}}}, folder / "stored.npz"), Contains("no elements to write"));
  CHECK_THROWS_WITH(tt::save_npz({{"\xff", some()[0].second}}, folder / "stored.npz"), Contains("not UTF-8"));
  CHECK(same(tt::load_npz(folder / "stored.npz"), some()));  // and the file before stays
  CHECK(folder.count() == 3);
}

TEST_CASE("npz: every truncation and every flipped bit of a small archive is refused or changes no number", "[io]") {
  const NamedTensors one{{"x", numbers<float, Shape<5>>({5})}};
  const files::temporary_folder folder;
  for (zip_method method : {zip_method::stored, zip_method::deflated}) {
    tt::save_npz(one, folder / "x.npz", method);
    const files::bytes whole = files::read(folder / "x.npz");
    for (std::size_t n = 0; n < whole.size(); ++n) {
      INFO("cut after " << n << " bytes");
      CHECK_THROWS_AS(read({whole.begin(), whole.begin() + std::ptrdiff_t(n)}), tt::Error);
    }
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      files::bytes broken = whole;
      broken[bit / 8] ^= std::uint8_t(1u << bit % 8);
      INFO("bit " << bit);
      try {
        const NamedTensors got = read(broken);
        REQUIRE(got.size() == 1);
        CHECK(same_bits(got[0].second, one[0].second));
      } catch (const tt::Error&) {
      }
    }
  }
}

TEST_CASE("npz: members that claim false sizes are refused before anything is allocated", "[io]") {
  const std::size_t big = 100000;
  const files::bytes zeros = of_member("x.npy", files::bytes(big), zip_method::deflated);
  const std::size_t central = record(zeros, tt::io::detail::zip_central);
  refuses(zeros, "does not begin with");  // it is no array, but it unpacks
  files::bytes file = zeros;
  put(file, central + 24, 0xFFFFFFF0, 4);
  refuses(file, "claims a size that no deflate expands to");
  put(file, central + 24, big - 1, 4);
  refuses(file, "its content is larger than the 99999 bytes allowed");
  put(file, central + 24, big + 1, 4);
  refuses(file, "it unpacks to 100000 bytes, and the directory says 100001");
  file = zeros;
  put(file, central + 16, 1, 4);
  refuses(file, "its checksum differs");
  CHECK_THROWS_WITH(read(zeros, big - 1), Contains("more than the 99999 bytes allowed"));
  CHECK_THROWS_WITH(read(zeros, big), Contains("does not begin with"));

  const files::bytes stored = of_member("x.npy", files::of("0123456789"));
  file = stored;
  const std::size_t directory = record(file, tt::io::detail::zip_central);
  put(file, directory + 24, 11, 4);
  refuses(file, "is stored, and its two sizes differ");
  put(file, directory + 20, 0xFFFFFFFF, 4), put(file, directory + 24, 0xFFFFFFFF, 4);
  refuses(file, "reaches past the directory");
}

TEST_CASE("npz: an archive that is not one, or that hides something, is refused", "[io]") {
  const files::bytes stored = of_member("x.npy", files::of("0123456789"));
  const std::size_t central = record(stored, tt::io::detail::zip_central);
  const std::size_t end = record(stored, tt::io::detail::zip_end);
  const auto changed = [&](std::size_t at, std::uint64_t value, std::size_t bytes) {
    files::bytes file = stored;
    put(file, at, value, bytes);
    return file;
  };
  refuses({}, "no end of a zip directory");
  refuses(files::of("PK"), "no end of a zip directory");
  refuses(changed(central + 8, 1, 2), "member \"x.npy\" is encrypted");
  refuses(changed(central + 10, 12, 2), "is compressed by method 12");
  refuses(changed(central + 42, 1, 4), "is not where the directory says");
  refuses(changed(central + 42, 4000, 4), "lies past the directory");
  refuses(changed(central + 46, 'y', 1), "has another name in its own header");
  refuses(changed(end + 4, 1, 2), "one of several volumes");
  refuses(changed(end + 10, 2, 2), "one of several volumes");
  refuses(changed(end + 12, 1, 4), "does not lie between");
  refuses(changed(end + 16, 4000, 4), "does not lie between");
  files::bytes twice = changed(end + 8, 2, 2);
  put(twice, end + 10, 2, 2);
  refuses(twice, "it ends inside its directory");
  files::bytes none = changed(end + 8, 0, 2);
  put(none, end + 10, 0, 2);
  refuses(none, "more bytes than members");
  // Two records of one member, as bombs have them: the same name, then another.
  twice.insert(twice.begin() + std::ptrdiff_t(end), stored.begin() + std::ptrdiff_t(central),
               stored.begin() + std::ptrdiff_t(end));
  put(twice, record(twice, tt::io::detail::zip_end) + 12, 2 * (end - central), 4);
  refuses(twice, "lie over each other");
  refuses(of_member("x.txt", files::of("0123456789")), "does not end in .npy");
  refuses(of_member("x.npy", files::of("0123456789")), "'x.npz: x.npy' as npy: it does not begin with");

  files::bytes commented = archive(zip_method::stored);
  put(commented, commented.size() - 2, 5, 2);
  for (char c : std::string("hello")) commented.push_back(std::uint8_t(c));
  CHECK(same(read(commented), some()));
}
