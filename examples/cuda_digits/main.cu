// The network of examples/digits, trained on a CUDA device: step by step, or with --graph from a captured graph.
#include <tt/cuda.hpp>

#include <cstdio>
#include <optional>

#include "../digits/dataset.hpp"
#include "../digits/net.hpp"
#include "../digits/report.hpp"
#include "captured_step.hpp"
#include "options.hpp"

#include <tt/optim/cuda.hpp>

namespace digits {

/// Network, optimiser and the sum of losses, all on the device.
class Training {
 public:
  /// @param stream is current, and no default stream, since those cannot be captured
  Training(Net& net, const tt::gpu::StreamRef& stream, const DeviceOptions& o)
      : net_(net), sgd_(net, {.lr = o.lr, .momentum = 0.9}), stream_(stream), options_(o) {}
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;
  ~Training() { sgd_.zero_grad(); }  // gradients may lie in the graph's memory

  /// One pass over the rows. Returns their mean loss, which is read once.
  double epoch(tt::data::DataLoader<Images, Labels>& batches) {
    total_.zero_();
    for (auto [images, labels] : batches) take(images, labels);
    return double(total_.item()) / double(batches.rows());
  }
  void report() const {
    if (options_.graph) std::printf("%ld of %ld steps were launches of the graph\n", long(launches_), long(steps_));
  }

 private:
  void take(const Images& images, const Labels& labels) {
    const bool full = images.size(0) == options_.batch;
    if (options_.graph && full && steps_ > 0) {  // the last batch of an epoch may be smaller than the graph's
      if (!captured_) captured_.emplace(stream_, options_.batch, [this](const auto& x, const auto& y) { step(x, y); });
      (*captured_)(images, labels);
      ++launches_;
    } else {
      step(tt::to<tt::cuda>(images), tt::to<tt::cuda>(labels));
    }
    ++steps_;
  }
  void step(const DeviceImages& images, const DeviceLabels& labels) {
    const tt::Tensor loss = tt::cross_entropy(net_(images), labels);
    sgd_.zero_grad();
    tt::backward(loss);
    sgd_.step();
    total_ += loss.detach() * float(images.size(0));
  }

  Net& net_;
  tt::optim::SGD sgd_;
  tt::gpu::StreamRef stream_;
  DeviceOptions options_;
  tt::Tensor<float, tt::Shape<>, tt::cuda> total_{0.f};
  tt::index_t steps_ = 0, launches_ = 0;
  std::optional<CapturedStep> captured_;
};

void run(const DeviceOptions& o) {
  const Dataset d = read_dataset(o.data);
  tt::data::DataLoader batches({.batch_size = o.batch, .shuffle = true, .seed = o.seed}, d.train_images,
                               d.train_labels);
  if (o.graph && o.batch > batches.rows())
    tt::fail("option --graph needs a whole batch: --batch is " + std::to_string(o.batch) + ", and there are " +
             std::to_string(batches.rows()) + " training rows");
  if (!tt::gpu::is_available()) tt::fail("there is no CUDA device");

  const tt::gpu::Stream stream;
  const tt::gpu::StreamGuard guard(stream);
  tt::manual_seed(o.seed);
  Net net;
  std::printf("%ld training rows, %ld test rows, %ld parameters\n", long(d.train_labels.numel()),
              long(d.test_labels.numel()), long(net.num_parameters()));
  net.to<tt::cuda>();
  const DeviceImages test_images = tt::to<tt::cuda>(d.test_images);
  const auto predict = [&]() -> Labels { return tt::to<tt::cpu>(tt::eval(tt::argmax<1>(net.predict(test_images)))); };
  {
    Training training(net, stream, o);
    Progress progress(o.epochs, batches.rows());
    for (tt::index_t epoch = 1; epoch <= o.epochs; ++epoch) {
      const double loss = training.epoch(batches);
      progress.epoch(epoch, loss, accuracy_of(predict(), d.test_labels));
    }
    training.report();
  }
  const Labels predicted = predict();
  print_confusion(predicted, d.test_labels);
  std::printf("test accuracy: %.4f\n", accuracy_of(predicted, d.test_labels));
}

}  // namespace digits

int main(int count, char** argument) {
  try {
    const auto options = digits::parse_device_options(count, argument);
    options.help ? void(std::fputs(digits::device_usage, stdout)) : digits::run(options);
    return 0;
  } catch (const std::exception& fault) {
    std::fflush(stdout);
    std::fprintf(stderr, "cuda_digits: %s\n", fault.what());
    return 2;
  }
}
