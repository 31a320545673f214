// tt, eagerly, as a user writes it. Workloads with /threaded at the end run once the process has had a second thread,
// which makes reference counts atomic for good; all others run before.
#include <tt/optim.hpp>
#include <tt/tensor.hpp>

#include <memory>
#include <thread>

#include "../../networks.hpp"
#include "harness.hpp"

using namespace bench;
using tt::Matrix, tt::Vector;
using Leaf = tt::Variable<float, tt::Shape<tt::dyn>>;

static Vector<float> vec(long n, unsigned seed = 1) {
  Vector<float> v(tt::dims{n});
  fill(v.data(), size_t(n), seed);
  return v;
}
static Matrix<float> mat(long rows, long columns, unsigned seed = 1) {
  Matrix<float> m({rows, columns});
  fill(m.data(), size_t(rows * columns), seed);
  return m;
}
static Leaf leaf(long n, unsigned seed) {
  Leaf v(static_cast<const tt::AnyTensor&>(vec(n, seed)));
  v.requires_grad_();
  return v;
}

template <tt::index_t In>
using Batch = tt::Tensor<float, tt::Shape<batch, In>>;
using Labels = tt::Tensor<std::int64_t, tt::Shape<batch>>;

/// One step: forward, cross-entropy, backward, SGD.
template <class Net, tt::index_t In>
static auto trainer(long rows) {
  struct State {
    Net net;
    tt::optim::SGD sgd{net, {.lr = 1e-3}};
    Batch<In> x;
    Labels y;
  };
  auto s = std::make_shared<State>();
  s->x = Batch<In>({rows, In});
  fill(s->x.data(), size_t(rows * In));
  s->y = Labels(tt::dims{rows});
  for (long i = 0; i < rows; ++i) s->y(i) = i % 10;
  return [s] {
    tt::Tensor loss = tt::cross_entropy(s->net(s->x), s->y);
    s->sgd.zero_grad();
    tt::backward(loss);
    s->sgd.step();
    keep(loss.item());
  };
}

static void small_operations(Runner& r, const std::string& variant) {
  for (auto [s, n] : {std::pair{"1", 1}, {"16", 16}}) {
    r.run("op/add/" + std::string(s) + variant, [n = n] {
      auto x = vec(n, 1), y = vec(n, 2);
      return [=] {
        tt::Tensor z = x + y;
        keep(z.data());
      };
    });
    r.run("op/add_grad/" + std::string(s) + variant, [n = n] {
      auto x = leaf(n, 1), y = leaf(n, 2);
      return [=] {
        tt::Tensor z = x + y;
        keep(z.data());
      };
    });
  }
  r.run("train/mlp64-32-10/b16" + variant, [] { return trainer<Small, 64>(16); });
}

int main(int argc, char** argv) {
  Runner r(argc, argv, "tt");
  tt::set_num_threads(r.threads);
  small_operations(r, "");

  // Into an existing tensor, and as a new one: there the pool hands the same block out each time.
  for (auto [s, n] : {std::pair{"1e3", 1000}, {"1e5", 100000}, {"1e7", 10000000}}) {
    r.run(std::string("ew/tanh_chain/") + s, [n = n] {
      auto a = vec(n, 1), b = vec(n, 2), c = vec(n, 3), d = vec(n, 4), y = vec(n);
      return [=] {
        y.copy_(tanh(a * b + c) * d);
        clobber();
      };
    });
    r.run(std::string("ew/tanh_chain/") + s + "/new", [n = n] {
      auto a = vec(n, 1), b = vec(n, 2), c = vec(n, 3), d = vec(n, 4);
      return [=] {
        tt::Tensor y = tanh(a * b + c) * d;
        keep(y.data());
      };
    });
    r.run(std::string("ew/arith_chain/") + s, [n = n] {
      auto a = vec(n, 1), b = vec(n, 2), c = vec(n, 3), d = vec(n, 4), y = vec(n);
      return [=] {
        y.copy_((a + b) * c - d);
        clobber();
      };
    });
    r.run(std::string("ew/arith_chain/") + s + "/new", [n = n] {
      auto a = vec(n, 1), b = vec(n, 2), c = vec(n, 3), d = vec(n, 4);
      return [=] {
        tt::Tensor y = (a + b) * c - d;
        keep(y.data());
      };
    });
  }
  for (auto [s, n] : {std::pair{"1e3", 1000}, {"1e6", 1000000}})
    r.run(std::string("bwd/tanh_chain/") + s, [n = n] {
      auto a = leaf(n, 1), b = leaf(n, 2), c = leaf(n, 3), d = leaf(n, 4);
      auto gy = vec(n, 5);
      return [=] {
        tt::Tensor y = tanh(a * b + c) * d;
        for (const auto& x : {&a, &b, &c, &d}) x->set_grad({});
        tt::backward(y, gy);
        clobber();
      };
    });
  r.run("nn/bias_relu/1024x1024", [] {
    auto x = mat(1024, 1024);
    auto b = vec(1024, 2);
    return [=] {
      tt::Tensor y = relu(x + b);
      keep(y.data());
    };
  });
  r.run("nn/gelu_tanh/1e6", [] {
    auto x = vec(1000000);
    return [=] {
      tt::Tensor y = 0.5f * x * (1.f + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
      keep(y.data());
    };
  });
  r.run("nn/softmax_rows/512x1000", [] {
    auto x = mat(512, 1000);
    return [=] {
      tt::Tensor y = tt::softmax<1>(x);
      keep(y.data());
    };
  });
  r.run("red/sum_all/2048x2048", [] {
    auto x = mat(2048, 2048);
    return [=] {
      tt::Tensor y = tt::sum(x);
      keep(y.data());
    };
  });
  r.run("red/sum_axis0/2048x2048", [] {
    auto x = mat(2048, 2048);
    return [=] {
      tt::Tensor y = tt::sum<0>(x);
      keep(y.data());
    };
  });
  r.run("red/sum_axis1/2048x2048", [] {
    auto x = mat(2048, 2048);
    return [=] {
      tt::Tensor y = tt::sum<1>(x);
      keep(y.data());
    };
  });
  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256}})
    r.run(name, [m = m, k = k, n = n] {
      auto a = mat(m, k, 1), b = mat(k, n, 2);
      return [=] {
        tt::Tensor c = matmul(a, b);
        keep(c.data());
      };
    });
  r.run("train/mlp784-256-128-10/b64", [] { return trainer<Large, 784>(64); });

  std::thread([] {}).join();
  small_operations(r, "/threaded");
}
