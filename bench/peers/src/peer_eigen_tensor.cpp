// Eigen unsupported Tensor, row-major, ThreadPoolDevice of N threads (N=1: one pool thread).
#define EIGEN_USE_THREADS
#include <memory>
#include <unsupported/Eigen/CXX11/Tensor>

#include "harness.hpp"

using namespace bench;
template <int R>
using T = Eigen::Tensor<float, R, Eigen::RowMajor>;
template <int R, class... D>
static std::shared_ptr<T<R>> rnd(D... d) {
  auto p = std::make_shared<T<R>>(d...);
  fill(p->data(), p->size());
  return p;
}
using I1 = Eigen::array<Eigen::Index, 1>;
using I2 = Eigen::array<Eigen::Index, 2>;

int main(int argc, char** argv) {
  Runner r(argc, argv, "eigen_tensor");
  Eigen::ThreadPool pool(r.threads);
  Eigen::ThreadPoolDevice dev(&pool, r.threads);
  auto* D = &dev;

  for (auto [s, n] : {std::pair{"1e3", 1000}, {"1e5", 100000}, {"1e7", 10000000}}) {
    r.run(std::string("ew/tanh_chain/") + s, [=, n = n] {
      auto a = rnd<1>(n), b = rnd<1>(n), c = rnd<1>(n), d = rnd<1>(n), y = rnd<1>(n);
      return [=] {
        y->device(*D) = (*a * *b + *c).tanh() * *d;
        clobber();
      };
    });
    r.run(std::string("ew/arith_chain/") + s, [=, n = n] {
      auto a = rnd<1>(n), b = rnd<1>(n), c = rnd<1>(n), d = rnd<1>(n), y = rnd<1>(n);
      return [=] {
        y->device(*D) = (*a + *b) * *c - *d;
        clobber();
      };
    });
  }
  r.run("nn/bias_relu/1024x1024", [=] {
    auto x = rnd<2>(1024, 1024), y = rnd<2>(1024, 1024), b = rnd<2>(1, 1024);
    return [=] {
      y->device(*D) = (*x + b->broadcast(I2{1024, 1})).cwiseMax(0.f);
      clobber();
    };
  });
  r.run("nn/gelu_tanh/1e6", [=] {
    auto x = rnd<1>(1000000), y = rnd<1>(1000000);
    return [=] {
      y->device(*D) = 0.5f * *x * ((0.79788456f * (*x + 0.044715f * *x * *x * *x)).tanh() + 1.f);
      clobber();
    };
  });
  r.run("red/sum_all/2048x2048", [=] {
    auto x = rnd<2>(2048, 2048);
    auto y = std::make_shared<T<0>>();
    return [=] {
      y->device(*D) = x->sum();
      clobber();
    };
  });
  r.run("red/sum_axis0/2048x2048", [=] {
    auto x = rnd<2>(2048, 2048);
    auto y = rnd<1>(2048);
    return [=] {
      y->device(*D) = x->sum(I1{0});
      clobber();
    };
  });
  r.run("red/sum_axis1/2048x2048", [=] {
    auto x = rnd<2>(2048, 2048);
    auto y = rnd<1>(2048);
    return [=] {
      y->device(*D) = x->sum(I1{1});
      clobber();
    };
  });
  r.run("nn/softmax_rows/512x1000", [=] {
    auto x = rnd<2>(512, 1000), y = rnd<2>(512, 1000);
    auto m = rnd<1>(512);
    return [=] {
      I2 col{512, 1}, bc{1, 1000};
      m->device(*D) = x->maximum(I1{1});
      y->device(*D) = (*x - m->reshape(col).broadcast(bc)).exp();
      m->device(*D) = y->sum(I1{1}).inverse();
      y->device(*D) = *y * m->reshape(col).broadcast(bc);
      clobber();
    };
  });
  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256}})
    r.run(name, [=, m = m, k = k, n = n] {
      auto a = rnd<2>(m, k), b = rnd<2>(k, n), c = rnd<2>(m, n);
      return [=] {
        Eigen::array<Eigen::IndexPair<int>, 1> dims{Eigen::IndexPair<int>(1, 0)};
        c->device(*D) = a->contract(*b, dims);
        clobber();
      };
    });
  for (auto [s, n] : {std::pair{"1", 1}, {"16", 16}})
    r.run(std::string("op/add/") + s, [n = n] {
      auto x = rnd<1>(n), y = rnd<1>(n);
      return [=] {
        T<1> z = *x + *y;
        keep(z.data());
      };
    });
}
