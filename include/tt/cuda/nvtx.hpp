// Ranges in the timelines of NVIDIA's tools (Nsight Systems, Nsight Compute), by NVTX 3. Where no tool is attached each
// costs a test of a pointer. They belong to the thread and nest; nothing here needs a device or a kernel.
#pragma once
#include <tt/core/message.hpp>
#include <tt/dispatch/mode.hpp>

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace tt::gpu {

/// Begins a range that ends at the matching nvtx_range_pop; how many are open around it, or a negative number where no
/// tool is attached.
/// https://pytorch.org/docs/stable/generated/torch.cuda.nvtx.range_push.html
inline int nvtx_range_push(const char* name) { return nvtxRangePushA(name); }
/// https://pytorch.org/docs/stable/generated/torch.cuda.nvtx.range_pop.html
inline int nvtx_range_pop() { return nvtxRangePop(); }
/// A point in time.
/// https://pytorch.org/docs/stable/generated/torch.cuda.nvtx.mark.html
inline void nvtx_mark(const char* name) { nvtxMarkA(name); }

/// A range for as long as it lives: `const gpu::NvtxRange range("forward");`
class NvtxRange {
 public:
  explicit NvtxRange(const char* name) { nvtx_range_push(name); }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange() { nvtx_range_pop(); }
};

namespace detail {

/// The kind of an operation and the ops in it, outermost first; numbers have extents [].
inline std::string nvtx_name(const Call& call, bool record_shapes) {
  std::string text(call.kind);
  for (const std::string_view name : call.names) (text += ' ') += name;
  if (!record_shapes) return text;
  text += ", sizes = [";
  const char* separator = "";
  for (const AnyTensor* const input : call.inputs) {
    text += separator;
    text += input && input->defined() ? to_string(input->sizes()) : "[]";
    separator = ", ";
  }
  return text += ']';
}

struct NvtxHandler final : DispatchHandler {
  bool record_shapes;
  explicit NvtxHandler(bool shapes) : record_shapes(shapes) {}
  AnyTensor operator()(const Call& call, Next next) override {
    const NvtxRange range(nvtx_name(call, record_shapes).c_str());
    return next();
  }
};

}  // namespace detail

/// Marks every operation of this thread while it lives, as "map tanh add mul" or, with their operands' extents,
/// "map tanh add mul, sizes = [[2, 3], [3]]". What runs within one fused kernel is one range; the tape's way back is no
/// operation of its own: give it a range around `backward`. It takes the place of another handler under the key of
/// profilers, which returns after it.
/// https://pytorch.org/docs/stable/autograd.html#torch.autograd.profiler.emit_nvtx
class emit_nvtx {
 public:
  explicit emit_nvtx(bool record_shapes = false) : handler_(record_shapes), guard_(dispatch_key::profiler, handler_) {}

 private:
  detail::NvtxHandler handler_;
  include_dispatch_key guard_;
};

}  // namespace tt::gpu
