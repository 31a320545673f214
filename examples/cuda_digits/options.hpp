// The command line.
#pragma once
#include "../digits/options.hpp"

namespace digits {

struct DeviceOptions {
  std::string data = "examples/digits/data";
  tt::index_t epochs = 40, batch = 32;
  double lr = 0.1;
  std::uint64_t seed = 1;
  bool graph = false, help = false;
};

inline constexpr const char* device_usage =
    "cuda_digits: trains a network on 8x8 images of handwritten digits, on a CUDA device\n"
    "\n"
    "  --data DIR      folder with digits-images-idx3-ubyte.gz and digits-labels-idx1-ubyte.gz\n"
    "                  (default examples/digits/data)\n"
    "  --graph         capture one step as a graph and launch it for every further batch\n"
    "  --epochs N      passes over the training rows (default 40)\n"
    "  --batch N       rows a step (default 32)\n"
    "  --lr X          learning rate of SGD with momentum 0.9 (default 0.1)\n"
    "  --seed N        of the first weights and of the shuffles (default 1)\n"
    "  --help          this text\n";

inline DeviceOptions parse_device_options(int count, char** argument) {
  DeviceOptions o;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = argument[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= count || !*argument[i + 1]) tt::fail("option " + std::string(option) + " needs a value; see --help");
      return argument[++i];
    };
    if (option == "--help") o.help = true;
    else if (option == "--graph") o.graph = true;
    else if (option == "--data") o.data = value();
    else if (option == "--epochs") o.epochs = detail::whole<tt::index_t>(option, value(), 1, 1000000);
    else if (option == "--batch") o.batch = detail::whole<tt::index_t>(option, value(), 1, 1000000);
    else if (option == "--seed") o.seed = detail::whole<std::uint64_t>(option, value(), 0, UINT64_MAX);
    else if (option == "--lr") o.lr = detail::positive(option, value());
    else tt::fail("there is no option '" + std::string(option) + "'; see --help");
  }
  return o;
}

}  // namespace digits
