// Reported faults of other libraries that no single call shows, by the id of their case: who owns what for how long,
// what happens to a file, on another thread or stack. The checks with numbers are run by tt_cases.
#include <tt/data/idx.hpp>
#include <tt/io.hpp>

#include "../catch.hpp"
#include "../files.hpp"
#include "../tensors.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>

using tests::numbers;
using tests::same_bits;
using tests::values;
using tt::dyn;
using Vector = tt::Shape<dyn>;
using Matrix = tt::Shape<dyn, dyn>;
using list = std::vector<double>;

namespace {
tt::Matrix<float> counting(tt::index_t rows, tt::index_t columns) {
  tt::Matrix<float> m(tt::dims{rows, columns});
  for (tt::index_t i = 0; i < m.numel(); ++i) m.data()[i] = float(i);
  return m;
}
}  // namespace

TEST_CASE("C02 cross-entropy of near ties among large scores keeps its digits", "[cases]") {
  tt::Variable<float, tt::Shape<4>> x{{7999.990234375f, 8000, 2, 1}};
  x.requires_grad_();
  const tt::Tensor loss = tt::cross_entropy(x, tt::Scalar<std::int64_t>({}, std::array{std::int64_t(0)}));
  tt::backward(loss);
  CHECK(loss.item() == Approx(0.6980419139).epsilon(2e-6));
  CHECK(x.grad()(0) == Approx(-0.5024413868).epsilon(2e-6));
  CHECK(x.grad()(1) == Approx(0.5024413868).epsilon(2e-6));
}

TEST_CASE("C10 nothing to choose from is an error that says so; softmax of no rows has no rows", "[cases]") {
  const auto none = tt::zeros<float, Matrix>({0, 3});
  CHECK_THROWS_AS(tt::eval(tt::amax<0>(none)), tt::IndexError);
  CHECK_THROWS_WITH(tt::eval(tt::argmax<0>(none)), Contains("argmax") && Contains("[0, 3]"));
  CHECK(tt::eval(tt::amax<1>(none)).numel() == 0);
  CHECK(tt::softmax<1>(none).sizes() == tt::dims{0, 3});
  CHECK(tt::log_softmax<0>(none).numel() == 0);
  CHECK(std::isnan(tt::eval(tt::mean(tt::zeros<float, Vector>({0}))).item()));
}

TEST_CASE("C11 a vector times its own column is the product of all pairs, whatever the extents say", "[cases]") {
  const tt::Tensor<double, tt::Shape<3>> v{{0.125, 1, -0.125}};
  const tt::Tensor outer = v * tt::reshape<3, 1>(v);
  static_assert(std::is_same_v<decltype(outer)::shape, tt::Shape<3, 3>>);
  const auto fixed = numbers<double, tt::Shape<2, 2>>({2, 2});
  CHECK_THROWS_WITH(static_cast<const tt::AnyTensor&>(fixed).copy_(numbers<double, tt::Shape<3, 2, 2>>({3, 2, 2})),
                    Contains("[3, 2, 2]") && Contains("[2, 2]"));
}

TEST_CASE("C12 axes of a tensor without axes are 0 and -1", "[cases]") {
  const tt::Scalar<float> x({}, std::array{3.f});
  CHECK(tt::eval(tt::sum<0>(x)).item() == 3);
  CHECK(tt::eval(tt::sum<-1>(x)).item() == 3);
  CHECK_THROWS_WITH(tt::sum(x, 1), Contains("axis 1") && Contains("0 axes"));
  CHECK(tt::unsqueeze<-1>(x).sizes() == tt::dims{1});
}

TEST_CASE("C13 steps are positive; what is flipped is read reversed by whatever comes next", "[cases]") {
  const auto m = counting(3, 4);
  CHECK_THROWS_WITH(tt::slice<0>(m, -1, -4, -1), Contains("the step must be positive, not -1"));
  const tt::Tensor r = tt::flip<0>(m);
  CHECK(values(r + m) == list{8, 10, 12, 14, 8, 10, 12, 14, 8, 10, 12, 14});
  const tt::Tensor part = tt::slice<1>(tt::flip<1>(r), 0, 3, 2);
  CHECK(values(tt::sum<1>(part)) == list{20, 12, 4});
  CHECK(values(tt::contiguous(tt::transpose(part))) == list{11, 7, 3, 9, 5, 1});
}

TEST_CASE("C14 writing through what the right side reads is as if it were read first", "[cases]") {
  tt::Tensor<float, tt::Shape<3>> r{{1, 2, 3}};
  r += tt::select<0>(r, 0);
  CHECK(values(r) == list{2, 3, 4});
  const auto m = counting(3, 3);
  m.copy_(tt::matmul(m, m));
  CHECK(values(m) == list{15, 18, 21, 42, 54, 66, 69, 90, 111});
}

TEST_CASE("C15 slices that overlap give the same bits on one thread and on several", "[cases]") {
  const auto divided = [](int threads) {
    const int before = tt::get_num_threads();
    tt::set_num_threads(threads);
    const auto a = numbers<float, Vector>({200000}, 1, 3);
    tt::slice<0>(a, 1, a.numel()) /= tt::slice<0>(a, 0, -1);
    tt::set_num_threads(before);
    return a;
  };
  const auto one = divided(1), original = numbers<float, Vector>({200000}, 1, 3);
  CHECK(same_bits(one, divided(4)));
  for (tt::index_t i : {1, 2, 99999, 199999}) CHECK(one(i) == original(i) / original(i - 1));
}

TEST_CASE("C16 a view in which several indices reach one element is read-only", "[cases]") {
  const tt::Scalar<double> x({}, std::array{0.5});
  const tt::AnyTensor y = tt::expand<3>(x);
  CHECK_THROWS_WITH(y.copy_(numbers<double, tt::Shape<3>>({3})), Contains("expanded") && Contains("read-only"));
  CHECK(x.item() == 0.5);
  CHECK(values(tt::cos(tt::expand<3>(x))) == list(3, std::cos(0.5)));
  CHECK(tt::expand(x, {tt::index_t(1) << 31, tt::index_t(1) << 31}).numel() == tt::index_t(1) << 62);
  CHECK_THROWS_WITH(tt::expand(x, {tt::index_t(1) << 32, tt::index_t(1) << 32}), Contains("overflows 64 bits"));
}

namespace {
/// What the report's member function returns: an expression of a member and a local number.
struct Signal {
  tt::Vector<float> data;
  auto shaped() const {
    const float c = 0.25f;
    const auto scaled = data * c;
    return tt::square(scaled + 1);
  }
};
using Shaped = decltype(std::declval<Signal>().shaped());
}  // namespace

TEST_CASE("C17 an expression that is stored anywhere keeps what it was built from", "[cases]") {
  const list want{1.5625, 2.25};
  const auto make = [] { return Signal{tt::Vector<float>({2}, std::array{1.f, 2.f})}.shaped(); };
  const struct { Shaped e; } held{make()};
  CHECK(values(held.e) == want);
  std::vector<Shaped> many;
  for (int i = 0; i < 20; ++i) many.push_back(make());  // moves on growth
  CHECK(values(many[0]) == want);
  CHECK(values(many[19] - many[0]) == list{0, 0});
  const auto lambda = [e = make()] { return tt::eval(e); };
  CHECK(values(lambda()) == want);
  std::function<tt::Vector<float>()> erased;
  {
    const auto e = make();
    erased = [e] { return tt::eval(e); };
  }
  CHECK(values(erased()) == want);
  const auto pointer = std::make_unique<Shaped>(make());
  CHECK(values(*pointer + *pointer) == list{3.125, 4.5});
}

TEST_CASE("C18 a view keeps the elements alive, and sees what is written through the owner", "[cases]") {
  tt::Matrix<float> owner = counting(2, 2);
  const tt::Tensor row = tt::select<0>(owner, 1);
  owner = counting(2, 2) * 10;
  CHECK(values(row) == list{2, 3});
  const tt::Tensor now = tt::select<0>(owner, 1);
  owner += 1;
  CHECK(values(now) == list{21, 31});
  const tt::Matrix<float> moved = std::move(owner);
  CHECK(values(now) == list{21, 31});
  tt::Vector<float> last;
  {
    const auto local = counting(2, 2);
    last = tt::select<0>(tt::transpose<0, 1>(local), 1);
  }
  CHECK(values(last) == list{1, 3});
  std::vector<tt::Matrix<float>> container{counting(2, 2)};
  const tt::Tensor inside = tt::select<0>(container[0], 0);
  for (int i = 0; i < 20; ++i) container.push_back(counting(2, 2));  // reallocates
  container[0] += 5;
  CHECK(values(inside) == list{5, 6});
}

TEST_CASE("C21 what backward needs is checked through every alias, and nothing else is", "[cases]") {
  tt::Variable<float, tt::Shape<3>> a{{1, 2, 3}};
  a.requires_grad_();
  const tt::Tensor y = tt::sigmoid(a);
  tt::slice<0>(y.detach(), 0, 1) = 0;
  CHECK_THROWS_WITH(tt::backward(tt::sum(y)), Contains("sigmoid") && Contains("[3]") && Contains("version"));
}

namespace {
constexpr int depth = 100000;
using Chain = tt::Variable<double, tt::Shape<>>;
Chain chain(const Chain& x) {
  Chain y = x;
  for (int i = 0; i < depth; ++i) y = y + y * 1e-6;
  return y;
}
void* drop_and_differentiate(void* result) {
  Chain x({}, std::array{1.0});
  x.requires_grad_();
  chain(x);  // is dropped without backward
  tt::backward(chain(x));
  *static_cast<double*>(result) = x.grad().item();
  return nullptr;
}
}  // namespace

TEST_CASE("C22 a very deep graph is dropped and differentiated on a stack of 256 KiB", "[cases]") {
  pthread_attr_t small;
  pthread_attr_init(&small);
  REQUIRE(pthread_attr_setstacksize(&small, 256 * 1024) == 0);
  double gradient = 0;
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &small, drop_and_differentiate, &gradient) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  CHECK(gradient == Approx(1.105170862808).epsilon(1e-9));
}

TEST_CASE("C34 a header of 2000 nested brackets is refused", "[cases]") {
  for (const char bracket : {'[', '{'}) {
    const std::string header = "{\"a\":" + std::string(2000, bracket);
    files::bytes file(8);
    for (std::size_t i = 0; i < 8; ++i) file[i] = std::uint8_t(header.size() >> (8 * i) & 255);
    file.insert(file.end(), header.begin(), header.end());
    CHECK_THROWS_AS(tt::io::parse_safetensors(file, "x"), tt::Error);
  }
}

TEST_CASE("C35 the last good checkpoint survives whatever ends the next save", "[cases]") {
  const files::temporary_folder folder;
  const std::string path = folder / "model.safetensors";
  const tt::NamedTensors good{{"w", counting(20, 30)}}, next{{"w", counting(30, 40)}};
  tt::save(good, path);
  const auto kept = [&] {
    const tt::NamedTensors back = tt::load(path);
    return back.size() == 1 && same_bits(back[0].second, good[0].second);
  };
  SECTION("its second tensor cannot be written") {
    CHECK_THROWS_AS(tt::save({{"w", counting(2, 2)}, {"v", tt::AnyTensor()}}, path), tt::Error);
    CHECK(folder.count() == 1);
  }
  SECTION("the process is killed after 100 bytes") {
    const pid_t child = fork();
    if (child == 0) {
      tt::io::write_file_atomically(path, [](tt::io::atomic_file& file) {
        file.write(std::string(100, 'x'));
        raise(SIGKILL);
      });
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.path))  // what is left is no checkpoint by its name
      CHECK((entry.path() == path || entry.path().extension() == ".tmp"));
    tt::save(next, path);  // and stands in nobody's way
    tt::save(good, path);
  }
  SECTION("the disk is full") {  // a limit on the size of files stands for it
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1000, limit.rlim_max};
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
      tt::save(next, path);
    } catch (const tt::Error& error) {
      message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    CHECK_THAT(message, Contains("cannot write"));
    CHECK(folder.count() == 1);
  }
  CHECK(kept());
}

TEST_CASE("C35 errors of IDX files name the magic numbers, the bytes needed and there, and gzip", "[cases]") {
  const auto error = [](const files::bytes& file, std::size_t axes) -> std::string {
    try {
      tt::data::parse_idx(file, "dir/x", axes);
    } catch (const tt::Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK_THAT(error({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7}, 1),
             Contains("2051") && Contains("2049 is wanted"));
  CHECK_THAT(error({0, 0, 8, 1, 0, 0, 0, 1, 7}, 3), Contains("'dir/x'") && Contains("2049, and 2051 is wanted"));
  CHECK_THAT(error(files::of("<?xml version=\"1.0\"?>"), 3), Contains("1010792557"));
  CHECK_THAT(error({0x1f, 0x8b, 8, 0}, 3), Contains("gzip"));
  CHECK_THAT(error({0, 0, 8, 3, 0, 0, 0xea, 0x60, 0, 0, 0, 28, 0, 0, 0, 28, 1, 2}, 3),
             Contains("need 47040000 bytes, and 2 follow"));
  CHECK_THAT(error({0, 0, 8}, 3), Contains("3 bytes, fewer than the 4"));
  const files::bytes overflowing{0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  CHECK_THAT(error(overflowing, 3), Contains("overflow 64 bits"));
}
