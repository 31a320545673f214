// Eigen 3.4 Array/Matrix, idiomatic expressions assigned into existing storage. Threads reach its matrix product only.
#include <Eigen/Dense>
#include <memory>

#include "harness.hpp"
#include "mlp_eigen.hpp"

using namespace bench;
using Arr = Eigen::ArrayXf;
using Arr2 = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class A>
static std::shared_ptr<A> rnd(int r, int c = 1, unsigned seed = 1) {
  auto p = std::make_shared<A>();
  if constexpr (A::ColsAtCompileTime == 1) p->resize(r);
  else p->resize(r, c);
  fill(p->data(), size_t(r) * c, seed);
  return p;
}

// 4-, 8-, 16-square fixed products
template <int N>
static void small(Runner& r, const char* name) {
  r.run(
      name,
      [] {
        using M = Eigen::Matrix<float, N, N, Eigen::RowMajor>;
        auto a = std::make_shared<std::vector<M, Eigen::aligned_allocator<M>>>(64, M::Random());
        auto b = std::make_shared<std::vector<M, Eigen::aligned_allocator<M>>>(64, M::Random());
        auto c = std::make_shared<std::vector<M, Eigen::aligned_allocator<M>>>(64);
        return [=] {
          for (int i = 0; i < 64; ++i) (*c)[i].noalias() = (*a)[i] * (*b)[i];
          clobber();
        };
      },
      64);
}

// valid KxK convolution of one padded CHW image by im2col (patch-major columns): cols is [C*K*K, OH*OW]
static void im2col(const float* x, int C, int H, int W, int K, int pad, float* cols) {
  int OH = H + 2 * pad - K + 1, OW = W + 2 * pad - K + 1;
  for (int c = 0; c < C; ++c)
    for (int ki = 0; ki < K; ++ki)
      for (int kj = 0; kj < K; ++kj)
        for (int i = 0; i < OH; ++i, cols += OW) {
          int si = i + ki - pad;
          if (si < 0 || si >= H) {
            std::fill(cols, cols + OW, 0.f);
            continue;
          }
          int lo = std::max(0, pad - kj), hi = std::min(OW, W + pad - kj);
          std::fill(cols, cols + lo, 0.f);
          std::copy(x + (c * H + si) * W + lo + kj - pad, x + (c * H + si) * W + hi + kj - pad, cols + lo);
          std::fill(cols + hi, cols + OW, 0.f);
        }
}
static void conv(const Mat& x, int C, int H, int W, int K, int pad, const Mat& w, Mat& cols, Mat& y) {
  int OH = H + 2 * pad - K + 1, OW = W + 2 * pad - K + 1;
  cols.resize(C * K * K, OH * OW);
  y.resize(x.rows(), w.rows() * OH * OW);
  for (int n = 0; n < x.rows(); ++n) {
    im2col(x.row(n).data(), C, H, W, K, pad, cols.data());
    Eigen::Map<Mat>(y.row(n).data(), w.rows(), OH * OW).noalias() = w * cols;
  }
}
static void bias_relu_pool(const Mat& y, const Row& b, int O, int H, int W, Mat& out) {
  out.resize(y.rows(), O * H / 2 * W / 2);
  for (int n = 0; n < y.rows(); ++n)
    for (int o = 0; o < O; ++o)
      for (int i = 0; i < H / 2; ++i) {
        const float* p = y.row(n).data() + (o * H + 2 * i) * W;
        float* q = out.row(n).data() + (o * H / 2 + i) * (W / 2);
        for (int j = 0; j < W / 2; ++j)
          q[j] = std::max(0.f,
                          b[o] + std::max(std::max(p[2 * j], p[2 * j + 1]), std::max(p[W + 2 * j], p[W + 2 * j + 1])));
      }
}

int main(int argc, char** argv) {
  Runner r(argc, argv, "eigen");
  Eigen::setNbThreads(r.threads);

  for (auto [s, n] : {std::pair{"1e3", 1000}, {"1e5", 100000}, {"1e7", 10000000}}) {
    r.run(std::string("ew/tanh_chain/") + s, [n = n] {
      auto a = rnd<Arr>(n, 1, 1), b = rnd<Arr>(n, 1, 2), c = rnd<Arr>(n, 1, 3), d = rnd<Arr>(n, 1, 4), y = rnd<Arr>(n);
      return [=] {
        *y = (*a * *b + *c).tanh() * *d;
        clobber();
      };
    });
    r.run(std::string("ew/arith_chain/") + s, [n = n] {
      auto a = rnd<Arr>(n, 1, 1), b = rnd<Arr>(n, 1, 2), c = rnd<Arr>(n, 1, 3), d = rnd<Arr>(n, 1, 4), y = rnd<Arr>(n);
      return [=] {
        *y = (*a + *b) * *c - *d;
        clobber();
      };
    });
  }
  r.run("nn/bias_relu/1024x1024", [] {
    auto x = rnd<Mat>(1024, 1024), y = rnd<Mat>(1024, 1024);
    auto b = std::make_shared<Row>(Row::Random(1024));
    return [=] {
      *y = (x->rowwise() + *b).cwiseMax(0.f);
      clobber();
    };
  });
  r.run("nn/gelu_tanh/1e6", [] {
    auto x = rnd<Arr>(1000000), y = rnd<Arr>(1000000);
    return [=] {
      *y = 0.5f * *x * (1.f + (0.79788456f * (*x + 0.044715f * x->cube())).tanh());
      clobber();
    };
  });
  r.run("red/sum_all/2048x2048", [] {
    auto x = rnd<Arr2>(2048, 2048);
    return [=] { keep(x->sum()); };
  });
  r.run("red/sum_axis0/2048x2048", [] {
    auto x = rnd<Mat>(2048, 2048);
    auto y = std::make_shared<Row>(2048);
    return [=] {
      *y = x->colwise().sum();
      clobber();
    };
  });
  r.run("red/sum_axis1/2048x2048", [] {
    auto x = rnd<Arr2>(2048, 2048);
    auto y = rnd<Arr>(2048);
    return [=] {
      *y = x->rowwise().sum();
      clobber();
    };
  });
  r.run("red/meanvar_rows/2048x2048", [] {
    auto x = rnd<Arr2>(2048, 2048);
    auto m = rnd<Arr>(2048), v = rnd<Arr>(2048);
    return [=] {
      *m = x->rowwise().mean();
      for (int i = 0; i < 2048; ++i) (*v)[i] = (x->row(i) - (*m)[i]).square().sum() / 2047.f;
      clobber();
    };
  });
  r.run("nn/softmax_rows/512x1000", [] {
    auto x = rnd<Arr2>(512, 1000), y = rnd<Arr2>(512, 1000);
    return [=] {
      for (int i = 0; i < 512; ++i) {
        y->row(i) = (x->row(i) - x->row(i).maxCoeff()).exp();
        y->row(i) *= 1.f / y->row(i).sum();
      }
      clobber();
    };
  });
  r.run("nn/layernorm/512x768", [] {
    auto x = rnd<Arr2>(512, 768), y = rnd<Arr2>(512, 768), g = rnd<Arr2>(1, 768), b = rnd<Arr2>(1, 768);
    return [=] {
      for (int i = 0; i < 512; ++i) {
        float m = x->row(i).mean();
        float v = (x->row(i) - m).square().mean();
        y->row(i) = (x->row(i) - m) * (1.f / std::sqrt(v + 1e-5f)) * g->row(0) + b->row(0);
      }
      clobber();
    };
  });
  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256}})
    r.run(name, [=, m = m, k = k, n = n] {
      auto a = rnd<Mat>(m, k), b = rnd<Mat>(k, n), c = rnd<Mat>(m, n);
      return [=] {
        c->noalias() = *a * *b;
        clobber();
      };
    });
  small<4>(r, "mm/small/4");
  small<8>(r, "mm/small/8");
  small<16>(r, "mm/small/16");
  r.run("train/mlp784-256-128-10/b64", [] {
    auto m = std::make_shared<MlpEigen>(std::vector{784, 256, 128, 10}, 64);
    return [=] { keep(m->step()); };
  });
  r.run("train/mlp784-256-128-10/b64/stored", [] {
    auto m = std::make_shared<MlpEigen>(std::vector{784, 256, 128, 10}, 64, true);
    return [=] { keep(m->step()); };
  });
  r.run("train/mlp64-32-10/b16", [] {
    auto m = std::make_shared<MlpEigen>(std::vector{64, 32, 10}, 16);
    return [=] { keep(m->step()); };
  });
  r.run("cnn/conv3x3/8x64x28x28", [] {
    auto x = rnd<Mat>(8, 64 * 784), w = rnd<Mat>(64, 64 * 9);
    auto cols = std::make_shared<Mat>(), y = std::make_shared<Mat>();
    return [=] {
      conv(*x, 64, 28, 28, 3, 1, *w, *cols, *y);
      clobber();
    };
  });
  r.run("cnn/lenet_fwd/b32", [] {
    struct S {
      Mat x = Mat::Random(32, 784), w1 = Mat::Random(6, 25), w2 = Mat::Random(16, 150), f1 = Mat::Random(400, 120),
          f2 = Mat::Random(120, 84), f3 = Mat::Random(84, 10), cols, c1, p1, c2, p2, h1, h2, z;
      Row b1 = Row::Random(6), b2 = Row::Random(16), g1 = Row::Random(120), g2 = Row::Random(84), g3 = Row::Random(10);
    };
    auto s = std::make_shared<S>();
    return [=] {
      conv(s->x, 1, 28, 28, 5, 2, s->w1, s->cols, s->c1);
      bias_relu_pool(s->c1, s->b1, 6, 28, 28, s->p1);
      conv(s->p1, 6, 14, 14, 5, 0, s->w2, s->cols, s->c2);
      bias_relu_pool(s->c2, s->b2, 16, 10, 10, s->p2);
      s->h1.noalias() = s->p2 * s->f1;
      s->h1 = (s->h1.rowwise() + s->g1).cwiseMax(0.f);
      s->h2.noalias() = s->h1 * s->f2;
      s->h2 = (s->h2.rowwise() + s->g2).cwiseMax(0.f);
      s->z.noalias() = s->h2 * s->f3;
      s->z.rowwise() += s->g3;
      clobber();
    };
  });
  // Forward saves tanh; backward in blocks that stay in L1.
  for (auto [name, n] : {std::pair{"bwd/tanh_chain/1e3", 1000}, {"bwd/tanh_chain/1e6", 1000000}})
    r.run(name, [n = n] {
      struct S {
        Arr a, b, c, d, y, t, gy, ga, gb, gc, gd;
      };
      auto s = std::make_shared<S>();
      unsigned seed = 1;
      for (Arr* p : {&s->a, &s->b, &s->c, &s->d, &s->gy, &s->y, &s->t, &s->ga, &s->gb, &s->gc, &s->gd}) {
        p->resize(n);
        fill(p->data(), n, seed++);
      }
      return [=] {
        auto& [a, b, c, d, y, t, gy, ga, gb, gc, gd] = *s;
        for (int i = 0; i < n; i += 1000) {
          auto T = t.segment(i, 1000);
          T = (a.segment(i, 1000) * b.segment(i, 1000) + c.segment(i, 1000)).tanh();
          y.segment(i, 1000) = T * d.segment(i, 1000);
        }
        for (int i = 0; i < n; i += 1000) {
          auto T = t.segment(i, 1000);
          auto G = gy.segment(i, 1000);
          auto C = gc.segment(i, 1000);
          gd.segment(i, 1000) = G * T;
          C = G * d.segment(i, 1000) * (1.f - T * T);
          ga.segment(i, 1000) = C * b.segment(i, 1000);
          gb.segment(i, 1000) = C * a.segment(i, 1000);
        }
        clobber();
      };
    });
  for (auto [s, n] : {std::pair{"1", 1}, {"16", 16}})
    r.run(std::string("op/add/") + s, [n = n] {
      auto x = rnd<Arr>(n), y = rnd<Arr>(n);
      return [=] {
        Arr z = *x + *y;
        keep(z.data());
      };
    });
  r.run("attn/sdpa/4x8x128x64", [] {
    struct S {
      Mat q = Mat::Random(32 * 128, 64), k = Mat::Random(32 * 128, 64), v = Mat::Random(32 * 128, 64), o{32 * 128, 64},
          p{128, 128};
    };
    auto s = std::make_shared<S>();
    return [=] {
      for (int h = 0; h < 32; ++h) {
        s->p.noalias() = s->q.middleRows(h * 128, 128) * s->k.middleRows(h * 128, 128).transpose();
        for (int i = 0; i < 128; ++i) {
          auto row = s->p.row(i).array();
          row = (0.125f * (row - row.maxCoeff())).exp();
          row *= 1.f / row.sum();
        }
        s->o.middleRows(h * 128, 128).noalias() = s->p * s->v.middleRows(h * 128, 128);
      }
      clobber();
    };
  });
}
