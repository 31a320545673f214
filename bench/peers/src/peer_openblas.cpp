// OpenBLAS sgemm; it picks its kernel from the CPU (leave OPENBLAS_CORETYPE unset).
#include <cblas.h>
#include <memory>

#include "harness.hpp"

using namespace bench;
extern "C" char* openblas_get_corename();

int main(int argc, char** argv) {
  Runner r(argc, argv, "openblas", openblas_get_corename());
  openblas_set_num_threads(r.threads);
  for (auto [name, m, k, n] : {std::tuple{"mm/sgemm/64", 64, 64, 64},
                               {"mm/sgemm/256", 256, 256, 256},
                               {"mm/sgemm/1024", 1024, 1024, 1024},
                               {"mm/linear/64x784x256", 64, 784, 256},
                               {"mm/small/4", 4, 4, 4},
                               {"mm/small/8", 8, 8, 8},
                               {"mm/small/16", 16, 16, 16}})
    r.run(name, [m = m, k = k, n = n] {
      auto a = std::make_shared<std::vector<float>>(m * k), b = std::make_shared<std::vector<float>>(k * n),
           c = std::make_shared<std::vector<float>>(m * n);
      fill(a->data(), a->size());
      fill(b->data(), b->size());
      return [=] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a->data(), k, b->data(), n, 0, c->data(), n);
        clobber();
      };
    });
}
