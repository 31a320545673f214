// One training step as a graph: captured once, launched for every batch of the same size.
#pragma once
#include <tt/cuda.hpp>

#include "../digits/net.hpp"

namespace digits {

using DeviceImages = tt::Tensor<float, tt::Shape<batch, 64>, tt::cuda>;
using DeviceLabels = tt::Tensor<std::int64_t, tt::Shape<batch>, tt::cuda>;

/// Owns the tensors that the graph reads and the memory in which it works: nobody else gets that while it lives.
class CapturedStep {
 public:
  /// Captures step(images, labels) of batches of so many rows. What lives on from step to step, as an optimiser's
  /// moments do, must be there before: take one step first.
  template <class Step>
  CapturedStep(const tt::gpu::StreamRef& stream, tt::index_t rows, Step step)
      : stream_(stream), images_(tt::dims{rows, 64}), labels_(tt::dims{rows}) {
    const PrivatePool open(pool_);
    graph_.capture(stream_, [&] { step(images_, labels_); });
  }
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;
  ~CapturedStep() {
    graph_.reset();
    if (pool_ >= 0) tt::gpu::allocator().release_private_pool(pool_);
  }

  void operator()(const Images& images, const Labels& labels) {
    tt::AnyTensor(images_).copy_(images);
    tt::AnyTensor(labels_).copy_(labels);
    graph_.replay(stream_);
  }

 private:
  /// What is allocated meanwhile is the graph's.
  struct PrivatePool {
    explicit PrivatePool(int& number) { number = tt::gpu::allocator().begin_private_pool(); }
    PrivatePool(const PrivatePool&) = delete;
    PrivatePool& operator=(const PrivatePool&) = delete;
    ~PrivatePool() { tt::gpu::allocator().end_private_pool(); }
  };

  tt::gpu::StreamRef stream_;
  DeviceImages images_;
  DeviceLabels labels_;
  tt::gpu::Graph graph_;
  int pool_ = -1;
};

}  // namespace digits
