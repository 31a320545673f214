// The digits network trained on the device: step by step, from a captured graph, and with batches that another stream
// brings. Its losses are the CPU's.
#include <tt/cuda.hpp>

#include "../../examples/digits/dataset.hpp"
#include "cuda/device_test.hpp"

#include <tt/optim/cuda.hpp>

namespace {

using digits::Net, digits::batch;
using Images = tt::Tensor<float, tt::Shape<batch, 64>, tt::cuda>;
using Labels = tt::Tensor<std::int64_t, tt::Shape<batch>, tt::cuda>;

// ThreadSanitizer takes its time for each thread of a kernel.
constexpr int steps = small_sizes_only ? 2 : 20;
constexpr tt::index_t rows = small_sizes_only ? 4 : 32;
constexpr tt::optim::SGDOptions options{.lr = 0.1, .momentum = 0.9};

/// The same network for all: the CPU's first values.
Net first_net() {
  tt::manual_seed(5);
  return Net();
}
digits::Images images_of(const digits::Dataset& d, int step) {
  return tt::contiguous(tt::slice(d.train_images, 0, step * rows, (step + 1) * rows));
}
digits::Labels labels_of(const digits::Dataset& d, int step) {
  return tt::contiguous(tt::slice(d.train_labels, 0, step * rows, (step + 1) * rows));
}

template <class X, class Y>
tt::Tensor<float, tt::Shape<>, tt::device_t<X>> train_step(Net& net, tt::optim::SGD& sgd, const X& x, const Y& y) {
  const tt::Tensor loss = tt::cross_entropy(net(x), y);
  sgd.zero_grad();
  tt::backward(loss);
  sgd.step();
  return loss.detach();
}

const digits::Dataset& dataset() {
  static const digits::Dataset d = digits::read_dataset("examples/digits/data");
  return d;
}
const std::vector<double>& losses_of_the_cpu() {
  static const std::vector<double> losses = [] {
    Net net = first_net();
    tt::optim::SGD sgd(net, options);
    std::vector<double> all;
    for (int step = 0; step < steps; ++step)
      all.push_back(double(train_step(net, sgd, images_of(dataset(), step), labels_of(dataset(), step)).item()));
    return all;
  }();
  return losses;
}
void check_losses(const std::vector<double>& got) {
  const std::vector<double>& want = losses_of_the_cpu();
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i, got[i], want[i]);
    REQUIRE(std::abs(got[i] - want[i]) <= 1e-5 * (1 + std::abs(want[i])));
  }
  REQUIRE((small_sizes_only || want.back() < want.front()));
}

}  // namespace

TEST_CASE("The digits network learns on the device what it learns on the CPU") {
  in_every_order([] {
    Net net = first_net();
    net.to<tt::cuda>();
    tt::optim::SGD sgd(net, options);
    std::vector<double> losses;
    for (int step = 0; step < steps; ++step) {
      const Images x = tt::to<tt::cuda>(images_of(dataset(), step));
      const Labels y = tt::to<tt::cuda>(labels_of(dataset(), step));
      losses.push_back(double(train_step(net, sgd, x, y).item()));
    }
    check_losses(losses);
  });
}

TEST_CASE("The digits network learns from a captured graph") {
  in_every_order([] {
    const tt::gpu::Stream stream;
    const tt::gpu::StreamGuard guard(stream);
    Net net = first_net();
    net.to<tt::cuda>();
    tt::optim::SGD sgd(net, options);
    // What the graph reads and writes again and again.
    const Images x = tt::to<tt::cuda>(images_of(dataset(), 0));
    const Labels y = tt::to<tt::cuda>(labels_of(dataset(), 0));
    std::vector<double> losses{double(train_step(net, sgd, x, y).item())};  // makes the moments, which later steps keep

    tt::gpu::CachingAllocator& allocator = tt::gpu::allocator();
    const int pool = allocator.begin_private_pool();
    tt::gpu::Graph graph;
    tt::Tensor<float, tt::Shape<>, tt::cuda> loss;
    graph.capture(stream, [&] { loss = train_step(net, sgd, x, y); });
    allocator.end_private_pool();
    for (int step = 1; step < steps; ++step) {
      tt::AnyTensor(x).copy_(images_of(dataset(), step));
      tt::AnyTensor(y).copy_(labels_of(dataset(), step));
      graph.replay(stream);
      losses.push_back(double(loss.item()));
    }
    check_losses(losses);
    loss = {};
    sgd.zero_grad();  // gradients lie in the graph's memory
    stream.synchronize();
    graph.reset();
    allocator.release_private_pool(pool);
  });
}

TEST_CASE("The digits network learns from batches that another stream brings") {
  in_every_order([] {
    const tt::gpu::Stream work, copies;
    Net net = first_net();
    net.to<tt::cuda>();
    tt::gpu::StreamRef(work).wait_stream(tt::gpu::current_stream());
    tt::optim::SGD sgd(net, options);
    std::vector<tt::Tensor<float, tt::Shape<>, tt::cuda>> losses;
    for (int step = 0; step < steps; ++step) {
      Images x;
      Labels y;
      {
        const tt::gpu::StreamGuard guard(copies);
        x = tt::to<tt::cuda>(images_of(dataset(), step));
        y = tt::to<tt::cuda>(labels_of(dataset(), step));
      }
      const tt::gpu::StreamGuard guard(work);
      tt::gpu::StreamRef(work).wait_stream(copies);
      tt::gpu::record_stream(x, work);
      tt::gpu::record_stream(y, work);
      losses.push_back(train_step(net, sgd, x, y));
    }
    const tt::gpu::StreamGuard guard(work);
    std::vector<double> all;
    for (const auto& loss : losses) all.push_back(double(loss.item()));
    check_losses(all);
    sgd.zero_grad();
    work.synchronize();
  });
}
