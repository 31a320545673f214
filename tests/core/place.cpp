// Errors name the place in the user's program that asked for what failed.
#include <tt/tensor.hpp>

#include "../catch.hpp"

namespace {

template <class Function>
std::string message_of(Function f) {
  try {
    f();
  } catch (const tt::Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}
std::string here(int line) { return "place.cpp:" + std::to_string(line) + ")"; }

}  // namespace

TEST_CASE("an error says where the evaluation, view or index stands", "[core]") {
  const tt::Vector<float> a = tt::arange<float>(3), b = tt::arange<float>(4);
  CHECK_THAT(message_of([&] { tt::Tensor c = a + b; }), Contains(here(__LINE__)));
  CHECK_THAT(message_of([&] { (void)tt::eval(exp(a) + b); }), Contains(here(__LINE__)));
  CHECK_THAT(message_of([&] { (void)tt::select<0>(b, 7); }), Contains(here(__LINE__)));
  CHECK_THAT(message_of([&] { (void)tt::reshape(b, {3, 2}); }), Contains(here(__LINE__)));
  CHECK_THAT(message_of([&] { (void)tt::gather<0>(b, tt::arange(9)); }), Contains(here(__LINE__)));
}

TEST_CASE("the place is forgotten when the call is over, also when it threw", "[core]") {
  (void)message_of([] { (void)tt::select<0>(tt::arange(2), 5); });
  CHECK_THAT(message_of([] { tt::AnyTensor::empty(tt::dtype::float32, {2}).item<float>(); }), !Contains("place.cpp"));
}
