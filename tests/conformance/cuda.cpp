#include "cuda.hpp"

#include <tt/cuda/index_errors.hpp>
#include <tt/cuda/memory.hpp>

namespace conformance {

tt::AnyTensor place_on_cuda(const tt::AnyTensor& t) {
  const tt::detail::Memory* memory = tt::detail::new_memory<tt::cuda>::get();
  const tt::Storage& here = *t.storage();
  tt::AnyTensor there(tt::detail::make_body(t.dtype(), t.sizes()));
  tt::detail::TensorBody& body = *there.body();
  std::copy_n(t.strides(), t.rank(), body.stride);
  body.storage = tt::detail::make_storage(here.bytes, memory);
  memory->upload(*memory, body.storage->data, here.data, here.bytes);
  body.data = body.storage->data + (t.data_ptr() - here.data);
  return there;
}

void settle_cuda() { tt::gpu::check_index_errors(tt::gpu::current_stream()); }

}  // namespace conformance
