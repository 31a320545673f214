#include <tt/data/idx.hpp>

#include "../catch.hpp"
#include "../files.hpp"

#if __has_include(<zlib.h>)
#include <tt/io/gzip.hpp>
#endif

using files::bytes;
using tt::data::parse_idx;

const bytes small = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 10, 11, 12, 13, 14, 15};  // uint8, 2 x 3

bytes with(bytes file, std::size_t at, std::uint8_t value) {
  file.at(at) = value;
  return file;
}

TEST_CASE("idx: extents and elements come out as they stand", "[data]") {
  const auto array = parse_idx(small, "x");
  CHECK(array.code == 8);
  CHECK(array.element_size == 1);
  CHECK(array.extents == std::vector<tt::index_t>{2, 3});
  CHECK(array.bytes == bytes{10, 11, 12, 13, 14, 15});
  CHECK(parse_idx(bytes{0, 0, 8, 1, 0, 0, 0, 0}, "x").extents == std::vector<tt::index_t>{0});
}

TEST_CASE("idx: a wrong file is refused in one sentence that names it", "[data]") {
  const auto refusal = [](const bytes& file, const std::string& what) {
    CHECK_THROWS_WITH(parse_idx(file, "dir/x"), Contains("cannot read 'dir/x' as IDX: ") && Contains(what));
  };
  refusal({}, "0 bytes");
  refusal({0x1f, 0x8b, 8, 0}, "still compressed");
  refusal(with(small, 0, 1), "two zero bytes");
  refusal(with(small, 2, 0x0d), "holds float32 elements, and only uint8 is read");
  refusal(with(small, 2, 0x0a), "element code 10 is none");
  refusal(with(small, 3, 0), "0 axes");
  refusal(with(small, 3, 17), "17 axes");
  refusal(with(small, 3, 9), "ends inside its header of 40 bytes");
  refusal(with(small, 7, 3), "extents 3 x 3 need 9 bytes, and 6 follow");
  refusal(with(small, 7, 1), "3 bytes follow the 3 of its extents 1 x 3");
  bytes huge = {0, 0, 8, 3};
  huge.resize(16, 0xff);
  refusal(huge, "overflow 64 bits: 4294967295 x 4294967295 x 4294967295");
}

TEST_CASE("idx: every truncation is refused; a flipped bit is refused or changes one element", "[data]") {
  for (std::size_t n = 0; n < small.size(); ++n)
    CHECK_THROWS_AS(parse_idx(bytes(small.begin(), small.begin() + std::ptrdiff_t(n)), "x"), tt::Error);
  for (std::size_t i = 0; i < small.size() * 8; ++i) {
    const bytes flipped = with(small, i / 8, small[i / 8] ^ std::uint8_t(1u << i % 8));
    INFO("bit " << i);
    if (i / 8 < 12) {
      CHECK_THROWS_AS(parse_idx(flipped, "x"), tt::Error);
    } else {
      CHECK(parse_idx(flipped, "x").bytes.size() == 6);
    }
  }
}

#if __has_include(<zlib.h>)
TEST_CASE("idx: the digits are 1797 images of 8 x 8 with values to 16 and labels to 9", "[data]") {
  const auto shared = files::shared();
  if (!shared) {
    WARN("skipped: no folder of golden data (TT_SHARED, ../shared)");
    return;
  }
  const auto load = [&](const std::string& name) {
    const std::string path = (*shared / "data" / "digits" / name).string();
    return parse_idx(tt::io::read_file_or_gzip(path), path);
  };
  const auto images = load("digits-images-idx3-ubyte.gz"), labels = load("digits-labels-idx1-ubyte.gz");
  CHECK(images.extents == std::vector<tt::index_t>{1797, 8, 8});
  CHECK(labels.extents == std::vector<tt::index_t>{1797});
  CHECK(*std::max_element(images.bytes.begin(), images.bytes.end()) == 16);
  CHECK(*std::max_element(labels.bytes.begin(), labels.bytes.end()) == 9);
  CHECK(std::vector<int>(labels.bytes.begin(), labels.bytes.begin() + 10) ==
        std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}
#endif
