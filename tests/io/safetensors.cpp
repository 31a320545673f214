#include <tt/io.hpp>

#include "../catch.hpp"
#include "../files.hpp"
#include "../tensors.hpp"

#include <cmath>
#include <limits>

using tests::numbers;
using tests::same_bits;
using tt::AnyTensor;
using tt::dims;
using tt::dyn;
using tt::NamedTensors;
using tt::Shape;

NamedTensors some() {
  const double inf = std::numeric_limits<double>::infinity();
  return {{"flags", numbers<bool, Shape<7>>({7})},
          {"bytes", numbers<std::uint8_t, Shape<2, 3>>({2, 3}, 0, 256)},
          {"weight", numbers<float, Shape<4, 3, 2>>({4, 3, 2})},
          {"odd values", tt::Tensor<double, Shape<6>>{{inf, -inf, std::nan(""), -0.0, 5e-324, 1.7e308}}},
          {"big", tt::Tensor<std::int64_t, Shape<3>>{{INT64_MIN, INT64_MAX, -1}}},
          {"one", numbers<float, Shape<>>({})},
          {"none", AnyTensor::empty(tt::dtype::float64, {2, 0, 3})},
          {"a \"name\"\n\u00e4", numbers<std::uint8_t, Shape<1>>({1}, 0, 256)}};
}
const AnyTensor* find(const NamedTensors& all, const std::string& name) {
  for (const auto& [key, value] : all)
    if (key == name) return &value;
  return nullptr;
}

TEST_CASE("safetensors: every dtype, no axes and no elements come back bit for bit under their names", "[io]") {
  const files::temporary_folder folder;
  tt::save(some(), folder / "x.safetensors");
  const NamedTensors back = tt::load(folder / "x.safetensors");
  CHECK(back.size() == some().size());
  for (const auto& [name, value] : some()) {
    INFO(name);
    REQUIRE(find(back, name));
    CHECK(same_bits(*find(back, name), value));
  }
  tt::save({}, folder / "empty.safetensors");
  CHECK(tt::load(folder / "empty.safetensors").empty());
}

TEST_CASE("safetensors: every tensor lies at a multiple of its element size, equal sizes in the order given", "[io]") {
  const files::temporary_folder folder;
  tt::save(some(), folder / "x.safetensors");
  const files::bytes file = files::read(folder / "x.safetensors");
  for (const auto& entry : tt::io::read_safetensors_header(file, "x").tensors)
    CHECK(entry.begin * 8 % tt::io::safetensors_bits(entry.dtype) == 0);
  std::string names;
  for (const auto& [name, value] : tt::load(folder / "x.safetensors")) names += name[0];
  CHECK(names == "obnwofba");  // doubles and int64 first: odd, big, none; then float; then bytes
}

TEST_CASE("safetensors: views are saved as the rows one sees", "[io]") {
  const files::temporary_folder folder;
  const auto m = numbers<float, Shape<4, 6>>({4, 6});
  const AnyTensor turned = tt::eval(tt::transpose(m)), part = tt::slice<1>(m, 1, 6, 2), row = tt::select<0>(m, 2);
  const AnyTensor gaps = tests::scattered(AnyTensor(numbers<bool, Shape<3, 3>>({3, 3})));
  const tt::index_t stride[] = {0, 1};
  const AnyTensor expanded = row.with_layout({3, 6}, stride, 0);
  const NamedTensors views{{"turned", turned}, {"part", part}, {"row", row}, {"gaps", gaps}, {"expanded", expanded}};
  tt::save(views, folder / "x.safetensors");
  const NamedTensors back = tt::load(folder / "x.safetensors");
  for (const auto& [name, value] : views) {
    INFO(name);
    CHECK(same_bits(*find(back, name), value));
    CHECK(find(back, name)->is_contiguous());
  }
  CHECK(tests::values(*find(back, "turned"))[1] == tests::values(m)[6]);
}

TEST_CASE("safetensors: saving the tensors that were loaded gives the same file", "[io]") {
  const files::temporary_folder folder;
  tt::save(some(), folder / "a.safetensors");
  tt::save(tt::load(folder / "a.safetensors"), folder / "b.safetensors");
  CHECK(files::read(folder / "a.safetensors") == files::read(folder / "b.safetensors"));
}

TEST_CASE("safetensors: a file stays as it is when its successor cannot be written", "[io]") {
  const files::temporary_folder folder;
  const std::string path = folder / "x.safetensors";
  tt::save(some(), path);
  const files::bytes before = files::read(path);
  const auto refused = [&](const NamedTensors& tensors, const std::string& what) {
    CHECK_THROWS_WITH(tt::save(tensors, path), Contains(what));
    CHECK(files::read(path) == before);
    CHECK(folder.count() == 1);
  };
  const AnyTensor x = numbers<float, Shape<2>>({2});
  refused({{"x", x}, {"y", AnyTensor()}}, "tt::save: y has no elements to write");
  refused({{"x", x}, {"x", x}}, "tensor \"x\" occurs twice");
  refused({{"__metadata__", x}}, "no tensor can be called");
  refused({{"\xff", x}}, "not UTF-8");
  CHECK_THROWS_WITH(tt::save({{"x", x}}, folder / "none/x.safetensors"), Contains("No such file or directory"));
}

TEST_CASE("safetensors: a truncated or a longer file is refused, whatever its length, and bools are 0 or 1", "[io]") {
  const files::temporary_folder folder;
  const std::string path = folder / "x.safetensors";
  tt::save({{"f", numbers<bool, Shape<3>>({3})}, {"w", numbers<float, Shape<2>>({2})}}, path);
  files::bytes file = files::read(path);
  for (std::size_t n = 0; n < file.size(); ++n) {
    files::write(path, files::bytes(file.begin(), file.begin() + std::ptrdiff_t(n)));
    CHECK_THROWS_WITH(tt::load(path), Contains("cannot read '" + path + "' as safetensors"));
  }
  file.push_back(0);
  files::write(path, file);
  CHECK_THROWS_AS(tt::load(path), tt::Error);
  file.pop_back();
  file.back() = 2;
  files::write(path, file);
  const AnyTensor flags = *find(tt::load(path), "f");
  CHECK(flags.data_ptr()[2] == std::byte(1));
  CHECK_THROWS_WITH(tt::load(folder / "none"), Contains("cannot open") && Contains("No such file or directory"));
  CHECK_THROWS_AS(tt::load(folder.path.string()), tt::Error);
}

TEST_CASE("safetensors: every dtype comes back bit for bit, but complex128, which the format has no name for", "[io]") {
  const files::temporary_folder folder;
  for (int i = 0; i < tt::dtype_count; ++i) {
    const AnyTensor t = tt::zeros(tt::dtype(i), {3, 2});
    t.copy_(tt::arange<std::int64_t>(6).with_layout({3, 2}, std::array<tt::index_t, 2>{2, 1}.data(), 0));
    INFO(tt::name_of(t.dtype()));
    if (t.dtype() == tt::dtype::complex128) {
      CHECK_THROWS_WITH(tt::save({{"t", t}}, folder / "t.safetensors"), Contains("complex128"));
      continue;
    }
    tt::save({{"t", t}}, folder / "t.safetensors");
    const AnyTensor back = tt::load(folder / "t.safetensors").at(0).second;
    REQUIRE(back.dtype() == t.dtype());
    CHECK(std::memcmp(back.data_ptr(), t.data_ptr(), 6 * tt::size_of(t.dtype())) == 0);
  }
}

TEST_CASE("safetensors: dtypes and ranks that tt has not are refused by name", "[io]") {
  const files::temporary_folder folder;
  const auto with = [&](const tt::io::safetensors_entry& entry, std::size_t bytes) {
    std::string file = tt::io::safetensors_header_bytes(std::span(&entry, 1));
    file.resize(file.size() + bytes);
    files::write(folder / "x.safetensors", files::of(file));
    return tt::load(folder / "x.safetensors");
  };
  CHECK_THROWS_AS(with({"h", "F8_E5M2", {4}, 0, 0}, 4), tt::not_implemented);
  CHECK_THROWS_WITH(with({"h", "F8_E4M3", {4}, 0, 0}, 4), Contains("h holds elements of type F8_E4M3, which tt has not yet"));
  CHECK_THROWS_WITH(with({"r", "F32", std::vector<tt::index_t>(17, 1), 0, 0}, 4), Contains("r has more than 16 axes"));
  CHECK(with({"r", "F32", std::vector<tt::index_t>(16, 1), 0, 0}, 4)[0].second.rank() == 16);
}

TEST_CASE("safetensors: Python's safetensors reads what tt writes, and tt what Python writes", "[io][python]") {
  if (std::system("python3 -c 'import numpy, safetensors.numpy' 2> /dev/null") != 0) {
    WARN("skipped: python3 with numpy and safetensors is not installed");
    return;
  }
  const files::temporary_folder folder;
  tt::save(some(), folder / "x.safetensors");
  const std::string script =
      "from safetensors.numpy import load_file, save_file\n"
      "x = load_file('x.safetensors')\n"
      "assert str(x['weight'].dtype) == 'float32' and x['weight'].shape == (4, 3, 2), x['weight']\n"
      "assert x['big'].tolist() == [-2**63, 2**63 - 1, -1] and x['one'].shape == () and x['none'].shape == (2, 0, 3)\n"
      "assert x['flags'].dtype == bool and x['a \"name\"\\n\\u00e4'].dtype == 'uint8'\n"
      "save_file(x, 'y.safetensors', metadata={'by': 'python'})\n";
  files::write(folder / "check.py", files::of(script));
  REQUIRE(std::system(("cd '" + folder.path.string() + "' && python3 check.py").c_str()) == 0);
  const NamedTensors back = tt::load(folder / "y.safetensors");
  CHECK(back.size() == some().size());
  for (const auto& [name, value] : some()) {
    INFO(name);
    REQUIRE(find(back, name));
    CHECK(same_bits(*find(back, name), value));
  }
}
