#include <tt/io.hpp>

#include "../catch.hpp"
#include "../files.hpp"
#include "../tensors.hpp"

#include <cmath>

using tests::numbers;
using tests::same_bits;
using tt::AnyTensor;
using tt::Shape;

/// A file of version 1.0 with this dict, unpadded, and these bytes after it.
files::bytes npy(const std::string& dict, const files::bytes& data = {}, std::uint8_t major = 1) {
  files::bytes file = files::of("\x93NUMPY");
  file.insert(file.end(), {major, 0});
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file.push_back(std::uint8_t(dict.size() >> (8 * i) & 255));
  file.insert(file.end(), dict.begin(), dict.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}
std::string dict(const std::string& shape, const std::string& descr = "'|u1'", const std::string& order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}
AnyTensor read(const files::bytes& file) { return tt::io::parse_npy(file, "x.npy"); }
void refuses(const files::bytes& file, const std::string& why) {
  CHECK_THROWS_WITH(read(file), Contains("tt: cannot read 'x.npy' as npy: ") && Contains(why));
}

TEST_CASE("npy: every dtype, no axes, sixteen axes and no elements come back bit for bit", "[io]") {
  const files::temporary_folder folder;
  const double inf = std::numeric_limits<double>::infinity();
  const AnyTensor all[] = {numbers<bool, Shape<7>>({7}),
                           numbers<std::uint8_t, Shape<2, 3>>({2, 3}, 0, 256),
                           numbers<float, Shape<4, 3, 2>>({4, 3, 2}),
                           tt::Tensor<double, Shape<6>>{{inf, -inf, std::nan(""), -0.0, 5e-324, 1.7e308}},
                           tt::Tensor<std::int64_t, Shape<3>>{{INT64_MIN, INT64_MAX, -1}},
                           numbers<float, Shape<>>({}),
                           numbers<double, Shape<1>>({1}),
                           AnyTensor::empty(tt::dtype::float64, {2, 0, 3}),
                           AnyTensor::empty(tt::dtype::boolean, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0})};
  for (const AnyTensor& t : all) {
    INFO(tt::name_of(t.dtype()) << tt::to_string(t.sizes()));
    tt::save_npy(t, folder / "x.npy");
    CHECK(same_bits(tt::load_npy(folder / "x.npy"), t));
    CHECK(tt::io::read_npy_header(files::read(folder / "x.npy"), "x").begin % 64 == 0);
  }
  const auto grid = numbers<float, Shape<4, 3>>({4, 3});
  tt::save_npy(tests::scattered(grid), folder / "x.npy");  // a view is saved as the rows one sees
  CHECK(same_bits(tt::load_npy(folder / "x.npy").as<float, Shape<tt::dyn, 3>>(), grid));
  CHECK_THROWS_WITH(tt::save_npy({}, folder / "x.npy"), Contains("no elements"));
  CHECK(same_bits(tt::load_npy(folder / "x.npy"), grid));  // and the file before stays
}

TEST_CASE("npy: columns first and big endian are read as the same array", "[io]") {
  const AnyTensor want = tt::Tensor<std::int64_t, Shape<2, 3>>{{1, 2, 3, 4, 5, 256}};
  files::bytes little, big, columns;
  const auto append = [](files::bytes& to, std::int64_t x, bool reversed) {
    for (int i = 0; i < 8; ++i) to.push_back(std::uint8_t(x >> (8 * (reversed ? 7 - i : i)) & 255));
  };
  for (std::int64_t x : {1, 2, 3, 4, 5, 256}) append(little, x, false), append(big, x, true);
  for (std::int64_t x : {1, 4, 2, 5, 3, 256}) append(columns, x, true);
  CHECK(same_bits(read(npy(dict("(2, 3)", "'<i8'"), little)), want));
  CHECK(same_bits(read(npy(dict("(2, 3)", "'>i8'"), big)), want));
  CHECK(same_bits(read(npy(dict("(2, 3)", "'>i8'", "True"), columns)), want));
  CHECK(read(npy(dict("(2, 3)", "'>i8'", "True"), columns)).is_contiguous());
  for (std::uint8_t major = 1; major <= 3; ++major)
    CHECK(same_bits(read(npy(dict("(2, 3)", "'<i8'"), little, major)), want));
  const auto flags = read(npy(dict("(3,)", "'|b1'"), {0, 2, 255}));  // any byte but 0 is true
  CHECK(tests::values<int>(flags) == std::vector<int>{0, 1, 1});
}

TEST_CASE("npy: the dict is read as Python writes it, and nothing else is", "[io]") {
  for (const char* text : {"{\"descr\":\"|u1\",\"fortran_order\":False,\"shape\":(2,)}",
                           " \t{'shape': (2L,),\n'fortran_order'"
                           ": False , 'descr' :'|u1'  ,  }  \n",
                           "{'descr': 'u1', 'fortran_order': True, 'shape': ( 2 , )}"})
    CHECK(tests::values<int>(read(npy(text, {7, 9}))) == std::vector<int>{7, 9});
  CHECK(read(npy(dict("()"), {7})).item<std::uint8_t>() == 7);
  CHECK(read(npy(dict("(1,)"), {7, 8, 9})).numel() == 1);  // more may follow, as in NumPy

  refuses(npy(dict("(2)"), {7, 9}), "the shape is a number, not a tuple, at byte");
  refuses(npy(dict("2"), {7, 9}), "'(' is missing");
  refuses(npy(dict("[2]"), {7, 9}), "'(' is missing");
  refuses(npy(dict("(2, -1)"), {7, 9}), "a whole number, not negative, is missing");
  refuses(npy(dict("(,)"), {7, 9}), "a whole number, not negative, is missing");
  refuses(npy(dict("(2.0,)"), {7, 9}), "not written as a whole one");
  refuses(npy(dict("(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"), {7}), "more than 16 axes");
  refuses(npy(dict("(2,)", "'|u1'", "__import__('os')"), {7, 9}), "neither True nor False");
  refuses(npy(dict("(2,)", "'|u1'", "1"), {7, 9}), "neither True nor False");
  refuses(npy(dict("(2,)", "'|u1', 'descr': '|u1'"), {7, 9}), "the key \"descr\" occurs twice");
  refuses(npy(dict("(2,), 'x': 1"), {7, 9}), "the key \"x\" is none of descr, fortran_order, shape");
  refuses(npy("{'descr': '|u1', 'shape': (2,)}", {7, 9}), "the key fortran_order is missing");
  refuses(npy(dict("(2,)") + "+0", {7, 9}), "something follows the end");
  refuses(npy("{'descr\\x00': 1}"), "something else than plain ASCII");
  refuses(npy("{'descr"), "a string does not end");
  refuses(npy("{"), "a string is missing");
  refuses(npy("{'descr': '|u1' 'shape'"), "'}' is missing");
  refuses(npy(dict("(2,)", "'|O'"), {7, 9}), "pickled Python objects, which are never executed");
  refuses(npy(dict("(2,)", "'<U2'"), {7, 9}), "elements are of type \"<U2\"");
  refuses(npy(dict("(2,)", "''"), {7, 9}), "elements are of type \"\"");
  refuses(npy(dict("(2,)", "[('a', '<i4')]"), {7, 9}), "structures");
  CHECK_THROWS_AS(read(npy(dict("(2,)", "'<f16'"), {7, 9})), tt::not_implemented);
}

TEST_CASE("npy: what the header promises must be there", "[io]") {
  refuses(npy(dict("(4,)"), {1, 2, 3}), "its extents [4] need 4 bytes, and 3 follow the header");
  refuses(npy(dict("(4294967296, 4294967296, 0)")), "overflow 64 bits");
  refuses(npy(dict("(9223372036854775808,)")), "an extent is above 2^63 - 1");
  refuses(npy(dict("(1152921504606846976, 4)", "'<f8'")), "overflow 64 bits");
  CHECK(read(npy(dict("(1099511627776, 0)"))).numel() == 0);
  const files::bytes whole = npy(dict("(2,)"), {7, 9});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    INFO("cut after " << n << " bytes");
    CHECK_THROWS_AS(read({whole.begin(), whole.begin() + std::ptrdiff_t(n)}), tt::Error);
  }
  refuses(npy(dict("(2,)"), {7, 9}, 0), "its version is 0.0");
  refuses(npy(dict("(2,)"), {7, 9}, 4), "its version is 4.0");
  files::bytes other = whole;
  other[7] = 1;
  refuses(other, "its version is 1.1");
  other = whole;
  other[1] = 'n';
  refuses(other, "does not begin with");
  refuses(npy(dict("(2,)") + std::string(20000, ' '), {7, 9}), "at most 10000 are read");
}
