// The command line.
#pragma once
#include <tt/core/error.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace digits {

struct Options {
  std::string data = "examples/digits/data", out = "digits-out", load;
  tt::index_t epochs = 40, batch = 32;
  double lr = 2e-3;
  std::uint64_t seed = 1;
  int threads = 0;
  bool predict = false, help = false;
};

inline constexpr const char* usage =
    "digits: trains a network on 8x8 images of handwritten digits\n"
    "\n"
    "  --data DIR      folder with digits-images-idx3-ubyte.gz and digits-labels-idx1-ubyte.gz\n"
    "                  (default examples/digits/data)\n"
    "  --out DIR       where model.safetensors, metrics.csv and curve.svg go (default digits-out)\n"
    "  --epochs N      passes over the training rows (default 40)\n"
    "  --batch N       rows a step (default 32)\n"
    "  --lr X          learning rate of Adam (default 0.002)\n"
    "  --seed N        of the first weights and of the shuffles (default 1)\n"
    "  --threads N     threads for kernels (default: as many as the machine has)\n"
    "  --load FILE     start from these weights\n"
    "  --predict       do not train: judge the weights of --load\n"
    "  --help          this text\n";

namespace detail {

template <class Number>
Number whole(std::string_view option, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < least || value > most)
    tt::fail("option " + std::string(option) + " needs a whole number from " + std::to_string(least) + " to " +
             std::to_string(most) + ", not '" + std::string(text) + "'");
  return value;
}
inline double positive(std::string_view option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end || !std::isfinite(value) || value <= 0)
    tt::fail("option " + std::string(option) + " needs a positive number, not '" + text + "'");
  return value;
}

}  // namespace detail

inline Options parse(int count, char** argument) {
  Options o;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = argument[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= count || !*argument[i + 1]) tt::fail("option " + std::string(option) + " needs a value; see --help");
      return argument[++i];
    };
    if (option == "--help") o.help = true;
    else if (option == "--predict") o.predict = true;
    else if (option == "--data") o.data = value();
    else if (option == "--out") o.out = value();
    else if (option == "--load") o.load = value();
    else if (option == "--epochs") o.epochs = detail::whole<tt::index_t>(option, value(), 1, 1000000);
    else if (option == "--batch") o.batch = detail::whole<tt::index_t>(option, value(), 1, 1000000);
    else if (option == "--seed") o.seed = detail::whole<std::uint64_t>(option, value(), 0, UINT64_MAX);
    else if (option == "--threads") o.threads = detail::whole<int>(option, value(), 1, 1024);
    else if (option == "--lr") o.lr = detail::positive(option, value());
    else tt::fail("there is no option '" + std::string(option) + "'; see --help");
  }
  if (o.predict && o.load.empty() && !o.help) tt::fail("option --predict needs weights: give a file with --load");
  return o;
}

}  // namespace digits
