// Ranges of NVTX, as a tool that is attached sees them: this file is one. No device is needed, but used where it is.
#include <tt/cuda.hpp>

#include <tt/cuda/nvtx.hpp>

#include "catch.hpp"
#include "tensors.hpp"

#include <thread>
#include <vector>

namespace {

using list = std::vector<std::string>;

thread_local list seen;  ///< "push NAME", "pop", "mark NAME"
thread_local int depth = 0;

int push(const char* name) {
  seen.push_back(std::string("push ") + name);
  return depth++;
}
int pop() {
  seen.push_back("pop");
  return --depth;
}
void mark(const char* name) { seen.push_back(std::string("mark ") + name); }

/// What an injection library exports: it puts its functions into NVTX's table.
int attach(NvtxGetExportTableFunc_t table_of) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  *table[NVTX_CBID_CORE_MarkA] = reinterpret_cast<NvtxFunctionPointer>(mark);
  return 1;
}

/// NVTX calls what this weak symbol of its headers names, before its first range.
const bool is_attached = [] {
  InitializeInjectionNvtx2_fnptr = attach;
  return true;
}();

template <class Function>
list seen_by(Function&& f) {
  seen.clear();
  f();
  CHECK(is_attached);
  CHECK(depth == 0);
  return seen;
}

const auto a = tests::numbers<float, tt::Shape<tt::dyn, 3>>({2, 3}), b = tt::clone(a);

}  // namespace

TEST_CASE("nvtx: ranges nest, and end with what they stand for") {
  const list got = seen_by([] {
    const tt::gpu::NvtxRange forward("forward");
    CHECK(tt::gpu::nvtx_range_push("inner") == 1);
    tt::gpu::nvtx_mark("here");
    CHECK(tt::gpu::nvtx_range_pop() == 1);
  });
  CHECK(got == list{"push forward", "push inner", "mark here", "pop", "pop"});
  CHECK(seen_by([] {
          try {
            const tt::gpu::NvtxRange range("fails");
            throw 1;
          } catch (int) {
          }
        }) == list{"push fails", "pop"});
}

TEST_CASE("nvtx: emit_nvtx marks every operation of the thread, while it lives") {
  CHECK(seen_by([] { tt::eval(a + b); }).empty());
  CHECK(seen_by([] {
          const tt::gpu::emit_nvtx marks;
          tt::eval(tanh(a * b + 1));
          tt::eval(tt::sum<0>(a));
          std::thread([] { CHECK(seen_by([] { tt::eval(a + b); }).empty()); }).join();
        }) == list{"push map tanh add mul", "pop", "push reduce sum", "pop"});
  CHECK(seen_by([] { tt::eval(a + b); }).empty());
}

TEST_CASE("nvtx: emit_nvtx tells the extents of operands, of numbers none") {
  CHECK(seen_by([] {
          const tt::gpu::emit_nvtx marks(true);
          tt::eval(a * 2 + tt::select<0>(b, 0));
          tt::zeros<float, tt::Shape<2>>();
        }) == list{"push view select, sizes = [[2, 3]]", "pop", "push map add mul, sizes = [[2, 3], [], [3]]", "pop",
                   "push create zeros, sizes = []", "pop"});
}

TEST_CASE("nvtx: an operation that fails ends its range") {
  const tt::Tensor<float, tt::Shape<tt::dyn>> x(tt::dims{2}), y(tt::dims{3});
  CHECK(seen_by([&] {
          const tt::gpu::emit_nvtx marks;
          CHECK_THROWS(tt::eval(tt::index_select<0>(x, tt::arange(5))));
        }) == list{"push create arange", "pop", "push index index_select", "pop"});
}

TEST_CASE("nvtx: operations on a device are marked") {
  if (!tt::gpu::is_available()) return;
  const auto x = tt::to<tt::cuda>(a), y = tt::to<tt::cuda>(b);
  CHECK(seen_by([&] {
          const tt::gpu::emit_nvtx marks(true);
          tt::eval(x + y);
          tt::eval(tt::sum(x));
        }) == list{"push map add, sizes = [[2, 3], [2, 3]]", "pop", "push reduce sum, sizes = [[2, 3]]", "pop"});
}
