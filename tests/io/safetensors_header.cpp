#include <tt/io/safetensors_header.hpp>

#include "../catch.hpp"
#include "../files.hpp"

#include <nlohmann/json.hpp>

using files::bytes;
using tt::io::read_safetensors_header;
using tt::io::safetensors_entry;

/// A whole file: the length of the header, the header, `data` bytes of zero.
bytes file_of(const std::string& header, std::size_t data) {
  bytes file(8);
  for (std::size_t i = 0; i < 8; ++i) file[i] = std::uint8_t(std::uint64_t{header.size()} >> (8 * i));
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + data);
  return file;
}
bytes operator+(bytes a, const bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Tensor "a" with two floats, as one member of the header.
const std::string entry = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
std::string with_entry(const std::string& inside) { return "{\"a\":{" + inside + "}}"; }

void refuses(const std::string& header, const std::string& why, std::size_t data = 8) {
  INFO(header);
  CHECK_THROWS_WITH(read_safetensors_header(file_of(header, data), "dir/x"),
                    Contains("tt: cannot read 'dir/x' as safetensors: ") && Contains(why));
}
tt::io::safetensors_header reads(const std::string& header, std::size_t data = 8) {
  INFO(header);
  tt::io::safetensors_header result;
  CHECK_NOTHROW(result = read_safetensors_header(file_of(header, data), "x"));
  return result;
}

std::string hex(const bytes& file, const safetensors_entry& t) {
  std::string text;
  for (std::size_t i = t.begin; i < t.end; ++i)
    ((text += "0123456789abcdef"[file[i] >> 4]) += "0123456789abcdef"[file[i] & 15]);
  return text;
}

TEST_CASE("safetensors header: the golden files are read or refused as by the reference", "[io]") {
  const auto shared = files::shared();
  if (!shared) {
    WARN("skipped: no folder of golden data (TT_SHARED, ../shared)");
    return;
  }
  const auto folder = *shared / "golden" / "malformed";
  const auto expect = nlohmann::json::parse(files::read(folder / "expect.json")).at("files");
  CHECK(expect.size() >= 30);
  for (const auto& [name, want] : expect.items()) {
    INFO(name << ": " << want.at("note"));
    const bytes file = files::read(folder / name);
    std::optional<tt::io::safetensors_header> got;
    try {
      got = read_safetensors_header(file, name);
    } catch (const tt::Error& error) {
      CHECK_THAT(error.what(), Contains("'" + name + "'"));
    }
    const bool reads = want.at("referee") == "reads";
    if (name != "extra_key.safetensors" && name != "leading_space.safetensors") CHECK(got.has_value() == reads);
    if (!got || !reads) continue;
    CHECK(got->tensors.size() == want.at("tensors").size());
    for (const safetensors_entry& t : got->tensors) {
      const auto& tensor = want.at("tensors").at(t.name);
      CHECK(t.dtype == tensor.at("dtype"));
      CHECK(t.shape == tensor.at("shape").get<std::vector<tt::index_t>>());
      CHECK(hex(file, t) == tensor.at("bytes"));
    }
  }
}

TEST_CASE("safetensors header: names take every escape of JSON", "[io]") {
  const auto name = [](const std::string& text) {
    return reads("{\"" + text + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})").tensors.at(0).name;
  };
  CHECK(name("") == "");
  CHECK(name(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(name(R"(\u0041\u00e9\u20AC)") == "A\xc3\xa9\xe2\x82\xac");
  CHECK(name(R"(\ud83d\ude00)") == "\xf0\x9f\x98\x80");
  CHECK(name(R"(\u0000)") == std::string(1, '\0'));
  CHECK(name("\x7f\xc3\xa9\xf4\x8f\xbf\xbf") == "\x7f\xc3\xa9\xf4\x8f\xbf\xbf");
}

TEST_CASE("safetensors header: what is no JSON or no UTF-8 is refused", "[io]") {
  for (const char* escape : {R"(\ud800)", R"(\udc00)", R"(\ud800\u0041)", R"(\ud800\ud800)", R"(\ud800x)"})
    refuses("{\"" + std::string(escape) + "\":{}}", "surrogate");
  for (const char* escape : {R"(\x)", R"(\u12)", R"(\u12g4)", R"(\U0041)"})
    refuses("{\"" + std::string(escape) + "\":{}}", "at byte");
  refuses("{\"a\tb\":{}}", "control character");
  refuses("{\"a", "a string does not end");
  refuses("{" + entry + ",}", "'\"' is missing");
  refuses("{" + entry + "} x", "follows the end of the object");
  refuses("{" + entry + "}" + std::string(1, '\0'), "follows the end of the object");
  refuses("{" + entry + "/**/}", "'}' is missing");
  refuses("\xef\xbb\xbf{" + entry + "}", "'{' is missing");
  refuses(std::string(100000, '['), "'{' is missing");
  refuses(with_entry("\"shape\":" + std::string(100000, '[')), "whole number");
  for (const char* text :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xff"})
    refuses("{\"" + std::string(text) + "\":{}}", "not UTF-8");
  reads(" \t\n\r{ \n" + entry + " }  \n\t\r");
}

TEST_CASE("safetensors header: numbers are whole, not negative and fit", "[io]") {
  const auto shape = [](const std::string& s) {
    return with_entry(R"("dtype":"F32","data_offsets":[0,8],"shape":)" + s);
  };
  for (const char* s :
       {"[2.0]", "[2e0]", "[02]", "[-2]", "[-0]", "[+2]", "[null]", "[\"2\"]", "[2,]", "[,2]", "[2", "2", "null"})
    refuses(shape(s), "at byte");
  refuses(shape("[18446744073709551616]"), "does not fit 64 bits");
  refuses(shape("[18446744073709551615]"), "above 2^63 - 1");
  refuses(shape("[9223372036854775807,4]"), "overflows 64 bits");
  refuses(shape("[4611686018427387904]"), "overflows 64 bits");  // the bits, not the elements
  refuses(shape("[4294967296,4294967296,0]"), "overflows 64 bits");
  refuses(shape("[3]"), "needs 12 bytes by its dtype and shape, and its data_offsets span 8");
  CHECK(reads(shape("[ 1 , 2 ,1]")).tensors.at(0).shape == std::vector<tt::index_t>{1, 2, 1});
}

TEST_CASE("safetensors header: a tensor has its three keys once, and a name of its own", "[io]") {
  refuses(with_entry(R"("dtype":"F32","shape":[2])"), "lacks its data_offsets");
  refuses(with_entry(R"("dtype":"F32","data_offsets":[0,8])"), "lacks its shape");
  refuses(with_entry(""), "lacks its dtype");
  refuses(with_entry(R"("dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8])"), "has \"dtype\" twice");
  refuses(with_entry(R"("dtype":"f32","shape":[2],"data_offsets":[0,8])"),
          "the dtype \"f32\", which the format does not know");
  refuses(with_entry(R"("dtype":"F4","shape":[15],"data_offsets":[0,8])"), "ends inside a byte");
  refuses("{" + entry + R"(,"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}})", "tensor \"a\" occurs twice");
  refuses("{\"__metadata__\":{},\"__metadata__\":{}," + entry + "}", "\"__metadata__\" occurs twice");
  refuses("{\"__metadata__\":{\"k\":1}," + entry + "}", "'\"' is missing");
  CHECK(reads("{\"__metadata__\":{\"k\":\"v\"}," + entry + "}").metadata ==
        std::map<std::string, std::string>{{"k", "v"}});
  CHECK(reads("{}", 0).tensors.empty());
}

TEST_CASE("safetensors header: the data are covered without gap, overlap or rest", "[io]") {
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}";
  };
  CHECK(reads(two("[4,8]", "[0,4]")).tensors.at(0).name == "a");  // the order of the header is kept
  refuses(two("[0,4]", "[3,7]"), "must begin at 4");
  refuses(two("[0,4]", "[5,9]"), "must begin at 4");
  refuses(two("[0,4]", "[4,3]"), "not end before");
  refuses(two("[0,4]", "[4,8,9]"), "']' is missing");
  refuses(two("[0,4]", "[4,8]"), "describes 8 bytes of data, and 9 are there", 9);
  refuses(two("[0,4]", "[4,8]"), "describes 8 bytes of data, and 7 are there", 7);
}

TEST_CASE("safetensors header: its length is checked before anything is read", "[io]") {
  const auto length = [](std::uint64_t n) {
    bytes file = file_of("{}", 0);
    for (std::size_t i = 0; i < 8; ++i) file[i] = std::uint8_t(n >> (8 * i));
    return file;
  };
  CHECK_THROWS_WITH(read_safetensors_header(bytes{}, "x"), Contains("it has 0 bytes"));
  CHECK_THROWS_WITH(read_safetensors_header(length(3), "x"), Contains("ends inside its header of 3 bytes"));
  CHECK_THROWS_WITH(read_safetensors_header(length(100'000'001), "x"), Contains("at most 100000000"));
  CHECK_THROWS_WITH(read_safetensors_header(length(~std::uint64_t{0}), "x"), Contains("18446744073709551615 bytes"));
}

TEST_CASE("safetensors header: what is written is read back, aligned to 8 bytes", "[io]") {
  const std::vector<safetensors_entry> tensors = {{"fc1.weight", "F32", {64, 10}},
                                                  {"\xc3\xa9 \"\\\n\x01", "F64", {}},
                                                  {"none", "I64", {0, 3}},
                                                  {"packed", "F4", {6}}};
  const std::size_t sizes[] = {2560, 8, 0, 3};
  for (const std::map<std::string, std::string>& metadata :
       {std::map<std::string, std::string>{},
        std::map<std::string, std::string>{{"format", "pt"}, {"quote\"", "\n"}}}) {
    const std::string header = tt::io::safetensors_header_bytes(tensors, metadata);
    CHECK(header.size() % 8 == 0);
    const auto back = read_safetensors_header(files::of(header) + bytes(2571), "x");
    CHECK(back.metadata == metadata);
    REQUIRE(back.tensors.size() == tensors.size());
    std::size_t at = header.size();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      CHECK(back.tensors[i].name == tensors[i].name);
      CHECK(back.tensors[i].dtype == tensors[i].dtype);
      CHECK(back.tensors[i].shape == tensors[i].shape);
      CHECK(back.tensors[i].begin == at);
      CHECK(back.tensors[i].end == (at += sizes[i]));
    }
  }
  CHECK(read_safetensors_header(files::of(tt::io::safetensors_header_bytes({})), "x").tensors.empty());
}

TEST_CASE("safetensors header: what could not be read back is not written", "[io]") {
  const auto refusal = [](const std::vector<safetensors_entry>& tensors, const std::string& why) {
    CHECK_THROWS_WITH(tt::io::safetensors_header_bytes(tensors),
                      Contains("tt: cannot write safetensors: ") && Contains(why));
  };
  refusal({{"a", "F32", {2}}, {"a", "F32", {2}}}, "tensor \"a\" occurs twice");
  refusal({{"__metadata__", "F32", {2}}}, "called \"__metadata__\"");
  refusal({{"a\xff", "F32", {2}}}, "not UTF-8");
  refusal({{"a", "float32", {2}}}, "does not know");
  refusal({{"a", "F32", {-2}}}, "negative extent");
  refusal({{"a", "F32", {INT64_MAX, 4}}}, "overflows");
}

TEST_CASE("safetensors header: truncated and flipped files are refused or read, never worse", "[io]") {
  const std::vector<safetensors_entry> tensors = {{"a\n\xc3\xa9", "F32", {2}}, {"b", "BF16", {3, 0}}, {"c", "U8", {3}}};
  const bytes file = files::of(tt::io::safetensors_header_bytes(tensors, {{"format", "pt"}})) + bytes(11);
  for (std::size_t n = 0; n < file.size(); ++n)
    CHECK_THROWS_AS(read_safetensors_header(bytes(file.begin(), file.begin() + std::ptrdiff_t(n)), "x"), tt::Error);
  std::size_t read = 0;
  for (std::size_t i = 0; i < file.size() * 8; ++i) {
    bytes flipped = file;
    flipped[i / 8] ^= std::uint8_t(1u << i % 8);
    INFO("bit " << i);
    try {
      for (const safetensors_entry& t : read_safetensors_header(flipped, "x").tensors) CHECK(t.end <= file.size());
      ++read;
    } catch (const tt::Error&) {
    }
  }
  CHECK(read > 88);  // at least the flips in the data
}
