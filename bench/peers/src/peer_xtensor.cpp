// xtensor with xsimd, no TBB: one thread only.
#define XTENSOR_USE_XSIMD
#include <memory>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "harness.hpp"

using namespace bench;
template <size_t R>
using T = xt::xtensor<float, R>;
template <size_t R>
static std::shared_ptr<T<R>> rnd(std::array<size_t, R> s) {
  auto p = std::make_shared<T<R>>(s);
  fill(p->data(), p->size());
  return p;
}

int main(int argc, char** argv) {
  Runner r(argc, argv, "xtensor");
  if (r.threads != 1) return 0;
  for (auto [s, n] : {std::pair{"1e3", size_t(1000)}, {"1e5", size_t(100000)}, {"1e7", size_t(10000000)}}) {
    r.run(std::string("ew/tanh_chain/") + s, [n = n] {
      auto a = rnd<1>({n}), b = rnd<1>({n}), c = rnd<1>({n}), d = rnd<1>({n}), y = rnd<1>({n});
      return [=] {
        xt::noalias(*y) = xt::tanh(*a * *b + *c) * *d;
        clobber();
      };
    });
    r.run(std::string("ew/arith_chain/") + s, [n = n] {
      auto a = rnd<1>({n}), b = rnd<1>({n}), c = rnd<1>({n}), d = rnd<1>({n}), y = rnd<1>({n});
      return [=] {
        xt::noalias(*y) = (*a + *b) * *c - *d;
        clobber();
      };
    });
  }
  r.run("nn/bias_relu/1024x1024", [] {
    auto x = rnd<2>({1024, 1024}), y = rnd<2>({1024, 1024});
    auto b = rnd<1>({1024});
    return [=] {
      xt::noalias(*y) = xt::maximum(*x + *b, 0.f);
      clobber();
    };
  });
  r.run("nn/gelu_tanh/1e6", [] {
    auto x = rnd<1>({1000000}), y = rnd<1>({1000000});
    return [=] {
      xt::noalias(*y) = 0.5f * *x * (1.f + xt::tanh(0.79788456f * (*x + 0.044715f * *x * *x * *x)));
      clobber();
    };
  });
  r.run("red/sum_all/2048x2048", [] {
    auto x = rnd<2>({2048, 2048});
    return [=] {
      float s = xt::sum<float>(*x, xt::evaluation_strategy::immediate)();
      keep(s);
    };
  });
  r.run("red/sum_axis0/2048x2048", [] {
    auto x = rnd<2>({2048, 2048});
    auto y = rnd<1>({2048});
    return [=] {
      *y = xt::sum<float>(*x, {0}, xt::evaluation_strategy::immediate);
      clobber();
    };
  });
  r.run("red/sum_axis1/2048x2048", [] {
    auto x = rnd<2>({2048, 2048});
    auto y = rnd<1>({2048});
    return [=] {
      *y = xt::sum<float>(*x, {1}, xt::evaluation_strategy::immediate);
      clobber();
    };
  });
  r.run("nn/softmax_rows/512x1000", [] {
    auto x = rnd<2>({512, 1000}), y = rnd<2>({512, 1000});
    return [=] {
      for (size_t i = 0; i < 512; ++i) {
        auto xi = xt::row(*x, i);
        auto yi = xt::row(*y, i);
        float m = xt::amax(xi)();
        xt::noalias(yi) = xt::exp(xi - m);
        float s = xt::sum<float>(yi)();
        yi *= 1.f / s;
      }
      clobber();
    };
  });
  for (auto [s, n] : {std::pair{"1", size_t(1)}, {"16", size_t(16)}})
    r.run(std::string("op/add/") + s, [n = n] {
      auto x = rnd<1>({n}), y = rnd<1>({n});
      return [=] {
        T<1> z = *x + *y;
        keep(z.data());
      };
    });
}
