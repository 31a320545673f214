// libtorch eager mode. Results are new tensors, as a PyTorch user writes them.
// TT_BENCH_WARM_MALLOC=1 keeps big blocks in the heap (no mmap/munmap a call): shows what a caching CPU allocator would save.
#include <malloc.h>
#include <torch/torch.h>

#include "harness.hpp"

using namespace bench;
namespace F = torch::nn::functional;
using torch::Tensor;

static Tensor rnd(at::IntArrayRef s) { return torch::rand(s) * 2 - 1; }

struct LeNet : torch::nn::Module {
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  torch::nn::Linear f1{nullptr}, f2{nullptr}, f3{nullptr};
  LeNet() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 6, 5).padding(2)));
    c2 = register_module("c2", torch::nn::Conv2d(6, 16, 5));
    f1 = register_module("f1", torch::nn::Linear(400, 120));
    f2 = register_module("f2", torch::nn::Linear(120, 84));
    f3 = register_module("f3", torch::nn::Linear(84, 10));
  }
  Tensor forward(Tensor x) {
    x = torch::max_pool2d(torch::relu(c1(x)), 2);
    x = torch::max_pool2d(torch::relu(c2(x)), 2);
    return f3(torch::relu(f2(torch::relu(f1(x.flatten(1))))));
  }
};

template <class Model>
static auto trainer(Model m, Tensor x, Tensor y) {
  auto opt = std::make_shared<torch::optim::SGD>(m->parameters(), 1e-3);
  return [=]() mutable {
    opt->zero_grad();
    auto loss = F::cross_entropy(m->forward(x), y);
    loss.backward();
    opt->step();
  };
}

int main(int argc, char** argv) {
  if (std::getenv("TT_BENCH_WARM_MALLOC")) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 1 << 28);
  }
  torch::manual_seed(1);
  Runner r(argc, argv, std::getenv("TT_BENCH_WARM_MALLOC") ? "torch_warm" : "torch", at::get_cpu_capability());
  at::set_num_threads(r.threads);
  torch::NoGradGuard* no_grad = new torch::NoGradGuard;

  for (auto [s, n] : {std::pair{"1e3", 1000}, {"1e5", 100000}, {"1e7", 10000000}}) {
    r.run(std::string("ew/tanh_chain/") + s, [n = n] {
      auto a = rnd({n}), b = rnd({n}), c = rnd({n}), d = rnd({n});
      return [=] {
        Tensor y = torch::tanh(a * b + c) * d;
        clobber();
      };
    });
    r.run(std::string("ew/arith_chain/") + s, [n = n] {
      auto a = rnd({n}), b = rnd({n}), c = rnd({n}), d = rnd({n});
      return [=] {
        Tensor y = (a + b) * c - d;
        clobber();
      };
    });
  }
  r.run("nn/bias_relu/1024x1024", [] {
    auto x = rnd({1024, 1024}), b = rnd({1024});
    return [=] {
      Tensor y = torch::relu(x + b);
      clobber();
    };
  });
  r.run("nn/gelu_tanh/1e6", [] {
    auto x = rnd({1000000});
    return [=] {
      Tensor y = at::gelu(x, "tanh");
      clobber();
    };
  });
  {
    auto x = rnd({2048, 2048});
    r.run("red/sum_all/2048x2048", [=] {
      return [=] {
        Tensor y = x.sum();
        clobber();
      };
    });
    r.run("red/sum_axis0/2048x2048", [=] {
      return [=] {
        Tensor y = x.sum(0);
        clobber();
      };
    });
    r.run("red/sum_axis1/2048x2048", [=] {
      return [=] {
        Tensor y = x.sum(1);
        clobber();
      };
    });
    r.run("red/meanvar_rows/2048x2048", [=] {
      return [=] {
        auto y = at::var_mean(x, {1});
        clobber();
      };
    });
  }
  r.run("nn/softmax_rows/512x1000", [] {
    auto x = rnd({512, 1000});
    return [=] {
      Tensor y = torch::softmax(x, 1);
      clobber();
    };
  });
  r.run("nn/layernorm/512x768", [] {
    auto x = rnd({512, 768}), g = rnd({768}), b = rnd({768});
    return [=] {
      Tensor y = torch::layer_norm(x, {768}, g, b);
      clobber();
    };
  });
  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256}})
    r.run(name, [m = m, k = k, n = n] {
      auto a = rnd({m, k}), b = rnd({k, n});
      return [=] {
        Tensor c = torch::mm(a, b);
        clobber();
      };
    });
  for (auto [name, n] : {std::pair{"mm/small/4", 4}, {"mm/small/8", 8}, {"mm/small/16", 16}})
    r.run(
        name,
        [n = n] {
          auto a = rnd({64, n, n}), b = rnd({64, n, n});  // batched: torch's best case
          return [=] {
            Tensor c = torch::bmm(a, b);
            clobber();
          };
        },
        64);
  r.run("cnn/conv3x3/8x64x28x28", [] {
    auto x = rnd({8, 64, 28, 28}), w = rnd({64, 64, 3, 3});
    return [=] {
      Tensor y = torch::conv2d(x, w, {}, 1, 1);
      clobber();
    };
  });
  r.run("cnn/lenet_fwd/b32", [] {
    auto m = std::make_shared<LeNet>();
    auto x = rnd({32, 1, 28, 28});
    return [=] {
      Tensor y = m->forward(x);
      clobber();
    };
  });
  r.run("attn/sdpa/4x8x128x64", [] {
    auto q = rnd({4, 8, 128, 64}), k = rnd({4, 8, 128, 64}), v = rnd({4, 8, 128, 64});
    return [=] {
      Tensor y = at::scaled_dot_product_attention(q, k, v);
      clobber();
    };
  });
  for (auto [s, n] : {std::pair{"1", 1}, {"16", 16}})
    r.run(std::string("op/add/") + s, [n = n] {
      auto x = rnd({n}), y = rnd({n});
      return [=] {
        Tensor z = x + y;
        clobber();
      };
    });

  delete no_grad;  // from here on autograd records
  for (auto [s, n] : {std::pair{"1", 1}, {"16", 16}})
    r.run(std::string("op/add_grad/") + s, [n = n] {
      auto x = rnd({n}).requires_grad_(), y = rnd({n}).requires_grad_();
      return [=] {
        Tensor z = x + y;
        clobber();
      };
    });
  r.run("bwd/tanh_chain/1e6", [] {
    const int n = 1000000;
    std::vector<Tensor> in;
    for (int i = 0; i < 4; ++i) in.push_back(rnd({n}).requires_grad_());
    auto gy = rnd({n});
    return [=] {
      Tensor y = torch::tanh(in[0] * in[1] + in[2]) * in[3];
      auto g = torch::autograd::grad({y}, in, {gy});
      clobber();
    };
  });
  r.run("train/mlp784-256-128-10/b64", [] {
    auto m = torch::nn::Sequential(torch::nn::Linear(784, 256), torch::nn::ReLU(), torch::nn::Linear(256, 128),
                                   torch::nn::ReLU(), torch::nn::Linear(128, 10));
    return trainer(m, rnd({64, 784}), torch::randint(10, {64}, torch::kLong));
  });
  r.run("train/mlp64-32-10/b16", [] {
    auto m = torch::nn::Sequential(torch::nn::Linear(64, 32), torch::nn::ReLU(), torch::nn::Linear(32, 10));
    return trainer(m, rnd({16, 64}), torch::randint(10, {16}, torch::kLong));
  });
  r.run("cnn/lenet_train/b32", [] {
    return trainer(std::make_shared<LeNet>(), rnd({32, 1, 28, 28}), torch::randint(10, {32}, torch::kLong));
  });
}
