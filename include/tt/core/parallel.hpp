// Threads. What a chunk is follows from the shape alone; which thread runs it is free. So results do not depend on the
// number of threads.
#pragma once
#include <tt/core/config.hpp>

#include <type_traits>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tt {

namespace detail {
inline int thread_count = 0;  // 0: not set, as many as OpenMP gives
}

/// For the whole process. No thread is started before a kernel is large enough for two.
inline void set_num_threads(int n) { detail::thread_count = n; }

/// Elements below which a second thread costs more than it brings.
inline constexpr index_t parallel_grain = 32768;

namespace detail::inline TT_KERNEL_BUILD {

/// How many threads kernels use: the machine's, or OMP_NUM_THREADS, unless set. 1 without OpenMP.
inline int get_num_threads() {
#ifdef _OPENMP
  return detail::thread_count > 0 ? detail::thread_count : omp_get_max_threads();
#else
  return 1;
#endif
}

TT_NOINLINE inline void run_chunks(index_t chunks, void (*run)(void*, index_t), void* context) {
#ifdef _OPENMP
  const int threads = get_num_threads();
  if (threads > 1 && chunks > 1 && !omp_in_parallel()) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (index_t c = 0; c < chunks; ++c) run(context, c);
    return;
  }
#endif
  for (index_t c = 0; c < chunks; ++c) run(context, c);
}

}  // namespace detail::inline TT_KERNEL_BUILD

using detail::get_num_threads;

/// f(c) for every chunk. f must not throw.
template <class Function>
void parallel_chunks(index_t chunks, Function&& f) {
  using plain = std::remove_reference_t<Function>;
  if (chunks == 1) return void(f(index_t(0)));
  detail::run_chunks(chunks, [](void* context, index_t c) { (*static_cast<plain*>(context))(c); }, &f);
}

}  // namespace tt
