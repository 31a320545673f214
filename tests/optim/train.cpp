// Whole training runs of another library: modules, loss, tape, optimiser and state in one number.
#include <tt/nn.hpp>
#include <tt/optim.hpp>

#include "../catch.hpp"
#include "../golden.hpp"
#include "../nn/doubles.hpp"

namespace nn = tt::nn;
using golden::json;
using golden::tolerance;
using Rows = tt::Tensor<double, tt::Dyn<double, 2>::shape>;
using Labels = tt::Vector<std::int64_t>;

/// Layers known at run time only, called "0", "1", .. as in a Sequential.
struct Chain : nn::AnyModule, nn::Callable<Chain> {
  std::vector<std::string> kinds;
  std::vector<nn::Linear<>> linear;  // one for each layer, whether it is linear or not

  explicit Chain(const json& layers) {
    for (const json& layer : layers) {
      const json& o = layer.at(1);
      kinds.push_back(layer.at(0));
      if (kinds.back() == "Linear")
        linear.emplace_back(o.at("in_features"), o.at("out_features"), o.value("bias", true));
      else linear.emplace_back(0, 0, false);
    }
  }
  void tt_walk(nn::Visitor& v) override {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] == "Linear") nn::walk_one(v, std::to_string(i), linear[i]);
  }
  template <class X>
  auto forward(const X& x) {
    tt::Tensor<double, Rows::shape, tt::cpu, nn::detail::layer_order(tt::order_of<X>)> h = x;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == "Linear") h = linear[i](h);
      else if (kinds[i] == "ReLU") h = relu(h);
      else if (kinds[i] == "Tanh") h = tanh(h);
      else h = sigmoid(h);
    }
    return h;
  }
};

/// Why a run cannot be repeated yet; empty if it can.
std::string missing(const json& s) {
  if (!s.contains("layers")) return "a model of named members";
  for (const json& layer : s.at("layers"))
    if (const std::string kind = layer.at(0); kind != "Linear" && kind != "ReLU" && kind != "Tanh" && kind != "Sigmoid")
      return "the layer " + kind;
  if (s.at("loss").at(0) != "CrossEntropyLoss" || !s.at("loss").at(1).empty()) return "the loss " + s.at("loss").dump();
  if (!s.at("scheduler").is_null()) return "the scheduler " + s.at("scheduler").at(0).get<std::string>();
  if (!s.at("clip_grad_norm").is_null()) return "gradient clipping";
  const std::string optimiser = s.at("optimizer").at(0);
  if (optimiser != "SGD" && optimiser != "Adam") return "the optimiser " + optimiser;
  for (const auto& [name, value] : s.at("optimizer").at(1).items())
    if (name == "amsgrad" || name == "maximize") return "the option " + name;
  return "";
}

void judge(const golden::file& file, const json& s, auto net) {
  const tolerance t(s.at("tol").at("out"));
  nn::StateDict start;
  for (const std::string name : s.at("state")) start.emplace_back(name, file.at(s, "init." + name));
  net.load_state_dict(start);
  const json& o = s.at("optimizer").at(1);
  const std::vector<double> betas = o.value("betas", std::vector<double>{0.9, 0.999});
  std::optional<tt::optim::SGD> sgd;
  std::optional<tt::optim::Adam> adam;
  if (s.at("optimizer").at(0) == "SGD")
    sgd.emplace(net, tt::optim::SGDOptions{.lr = o.value("lr", 1e-3),
                                           .momentum = o.value("momentum", 0.),
                                           .dampening = o.value("dampening", 0.),
                                           .weight_decay = o.value("weight_decay", 0.),
                                           .nesterov = o.value("nesterov", false)});
  else
    adam.emplace(net, tt::optim::AdamOptions{.lr = o.value("lr", 1e-3),
                                             .beta1 = betas.at(0),
                                             .beta2 = betas.at(1),
                                             .eps = o.value("eps", 1e-8),
                                             .weight_decay = o.value("weight_decay", 0.)});

  const tt::Dyn<double, 3> x(file.at(s, "x"));
  const tt::Dyn<std::int64_t, 2> y(file.at(s, "y"));
  tt::AnyTensor losses = tt::AnyTensor::empty(tt::dtype::float64, {x.size(0)});
  for (tt::index_t step = 0; step < x.size(0); ++step) {
    net.zero_grad();
    const tt::Tensor loss = tt::cross_entropy(net(Rows(tt::select<0>(x, step))), Labels(tt::select<0>(y, step)));
    tt::backward(loss);
    sgd ? sgd->step() : adam->step();
    reinterpret_cast<double*>(losses.data_ptr())[step] = loss.item();
  }
  CHECK(golden::difference(losses, file.at(s, "losses"), t) == "");
  for (const auto& [name, value] : net.state_dict())
    CHECK(golden::difference(value, file.at(s, "final." + name), t) == "");
  net.eval();
  CHECK(golden::difference(net.predict(Rows(tt::select<0>(x, 0))), file.at(s, "pred"), t) == "");
}

TEST_CASE("golden training runs of Linear, activations, cross-entropy, SGD and Adam", "[optim][golden]") {
  const auto shared = files::shared();
  if (!shared) {
    WARN("skipped: no folder of golden data (TT_SHARED, ../shared)");
    return;
  }
  int ran = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "golden" / "train")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem();
    const auto file = golden::file::open("train/" + name);
    for (const json& s : file->samples()) {
      INFO(name << ", sample " << s.at("k"));
      if (const std::string lack = missing(s); !lack.empty()) {
        WARN(name << " left out: tt has not yet " << lack);
        continue;
      }
      ++ran;
      judge(*file, s, tests::doubles(Chain(s.at("layers"))));
      using Mlp = nn::Sequential<nn::Linear<4, 8>, nn::ReLU, nn::Linear<8, 8>, nn::Tanh, nn::Linear<8, 3>>;
      if (name == "train.mlp_adam") judge(*file, s, tests::doubles(Mlp()));
    }
  }
  CHECK(ran > 0);
}
