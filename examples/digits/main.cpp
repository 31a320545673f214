// Trains a small network on real handwritten digits, judges it, and writes weights, figures and a curve.
#include <tt/io.hpp>
#include <tt/optim.hpp>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "curve.hpp"
#include "dataset.hpp"
#include "net.hpp"
#include "options.hpp"
#include "report.hpp"

namespace digits {

/// Writes all results, each file whole or not at all.
class Results {
 public:
  explicit Results(std::string folder) : folder_(std::move(folder)) {
    std::error_code fault;
    std::filesystem::create_directories(folder_, fault);
    if (fault) tt::fail("cannot make the folder " + folder_ + ": " + fault.message());
    for (const char* file : {"/model.safetensors", "/metrics.csv", "/curve.svg"})
      tt::io::atomic_file(folder_ + file);  // finds what cannot be written before the work is done
  }
  void epoch(double loss, double accuracy) {
    loss_.push_back(loss);
    accuracy_.push_back(accuracy);
  }
  void write(Net& net) const {
    tt::save(net.state_dict(), folder_ + "/model.safetensors");
    std::string table = "epoch,loss,test_accuracy\n";
    for (std::size_t i = 0; i < loss_.size(); ++i) {
      char line[80];
      std::snprintf(line, sizeof line, "%zu,%.6f,%.6f\n", i + 1, loss_[i], accuracy_[i]);
      table += line;
    }
    tt::io::write_file_atomically(folder_ + "/metrics.csv", table);
    tt::io::write_file_atomically(folder_ + "/curve.svg", curve_svg(loss_, accuracy_));
    std::printf("wrote %s/model.safetensors, metrics.csv and curve.svg\n", folder_.c_str());
  }

 private:
  std::string folder_;
  std::vector<double> loss_, accuracy_;
};

Labels predict(Net& net, const Images& images) { return tt::argmax<1>(net.predict(images)); }

void train(Net& net, const Dataset& d, const Options& o, Results& results) {
  tt::data::DataLoader batches({.batch_size = o.batch, .shuffle = true, .seed = o.seed}, d.train_images,
                               d.train_labels);
  tt::optim::Adam adam(net, {.lr = o.lr});
  Progress progress(o.epochs, batches.rows());
  for (tt::index_t epoch = 1; epoch <= o.epochs; ++epoch) {
    double total = 0;
    for (auto [images, labels] : batches) {
      tt::Tensor loss = tt::cross_entropy(net(images), labels);
      adam.zero_grad();
      tt::backward(loss);
      adam.step();
      total += double(loss.item()) * double(labels.numel());
    }
    const double loss = total / double(batches.rows()),
                 accuracy = accuracy_of(predict(net, d.test_images), d.test_labels);
    results.epoch(loss, accuracy);
    progress.epoch(epoch, loss, accuracy);
  }
}

void run(const Options& o) {
  if (o.threads) tt::set_num_threads(o.threads);
  const Dataset d = read_dataset(o.data);
  tt::manual_seed(o.seed);
  Net net;
  if (!o.load.empty()) net.load_state_dict(tt::load(o.load));
  std::optional<Results> results;
  if (!o.predict) results.emplace(o.out);
  std::printf("%ld training rows, %ld test rows, %ld parameters\n", long(d.train_labels.numel()),
              long(d.test_labels.numel()), long(net.num_parameters()));
  if (results) {
    train(net, d, o, *results);
    results->write(net);
  }
  const Labels predicted = predict(net, d.test_images);
  print_confusion(predicted, d.test_labels);
  std::printf("test accuracy: %.4f\n", accuracy_of(predicted, d.test_labels));
}

}  // namespace digits

int main(int count, char** argument) {
  try {
    const auto options = digits::parse(count, argument);
    options.help ? void(std::fputs(digits::usage, stdout)) : digits::run(options);
    return 0;
  } catch (const std::exception& fault) {
    std::fflush(stdout);
    std::fprintf(stderr, "digits: %s\n", fault.what());
    return 2;
  }
}
