// oneDNN (Debian libdnnl): matmul, 3x3 convolution with its preferred layouts, softmax, layer norm, gelu. OpenMP threads.
#include <omp.h>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "harness.hpp"

using namespace bench;
using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main(int argc, char** argv) {
  omp_set_num_threads(1);
  Runner r(argc, argv, "onednn", get_effective_cpu_isa() >= cpu_isa::avx512_core ? "avx512" : "avx2");
  omp_set_num_threads(r.threads);
  engine e(engine::kind::cpu, 0);
  stream s(e);
  auto mem = [&](memory::desc d) {
    memory m(d, e);
    fill((float*)m.get_data_handle(), d.get_size() / 4);
    return m;
  };

  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256}})
    r.run(name, [&, m = m, k = k, n = n] {
      memory::desc a({m, k}, dt::f32, tag::ab), b({k, n}, dt::f32, tag::ab), c({m, n}, dt::f32, tag::ab);
      auto p = matmul(matmul::primitive_desc(matmul::desc(a, b, c), e));
      auto A = mem(a), B = mem(b), C = mem(c);
      return [=, &s] {
        p.execute(s, {{DNNL_ARG_SRC, A}, {DNNL_ARG_WEIGHTS, B}, {DNNL_ARG_DST, C}});
        s.wait();
      };
    });
  r.run("cnn/conv3x3/8x64x28x28", [&] {  // blocked layouts, reorders not timed
    memory::desc x({8, 64, 28, 28}, dt::f32, tag::any), w({64, 64, 3, 3}, dt::f32, tag::any),
        y({8, 64, 28, 28}, dt::f32, tag::any);
    convolution_forward::primitive_desc pd(
        {prop_kind::forward_inference, algorithm::convolution_direct, x, w, y, {1, 1}, {1, 1}, {1, 1}}, e);
    auto p = convolution_forward(pd);
    auto X = mem(pd.src_desc()), Wt = mem(pd.weights_desc()), Y = mem(pd.dst_desc());
    return [=, &s] {
      p.execute(s, {{DNNL_ARG_SRC, X}, {DNNL_ARG_WEIGHTS, Wt}, {DNNL_ARG_DST, Y}});
      s.wait();
    };
  });
  r.run("nn/softmax_rows/512x1000", [&] {
    memory::desc d({512, 1000}, dt::f32, tag::ab);
    auto p = softmax_forward(softmax_forward::primitive_desc({prop_kind::forward_inference, d, 1}, e));
    auto X = mem(d), Y = mem(d);
    return [=, &s] {
      p.execute(s, {{DNNL_ARG_SRC, X}, {DNNL_ARG_DST, Y}});
      s.wait();
    };
  });
  r.run("nn/gelu_tanh/1e6", [&] {
    memory::desc d({1000000}, dt::f32, tag::a);
    auto p = eltwise_forward(
        eltwise_forward::primitive_desc({prop_kind::forward_inference, algorithm::eltwise_gelu_tanh, d, 0.f, 0.f}, e));
    auto X = mem(d), Y = mem(d);
    return [=, &s] {
      p.execute(s, {{DNNL_ARG_SRC, X}, {DNNL_ARG_DST, Y}});
      s.wait();
    };
  });
}
