#include <tt/nn.hpp>

#include "../catch.hpp"
#include "../golden.hpp"

namespace nn = tt::nn;
using golden::json;
using golden::tolerance;

/// Forward and backward of one sample: f(x) for a leaf of the sample's dtype and rank, which is Least or more.
template <int Least = 0, class Function>
void judge_call(const golden::file& file, const json& s, Function&& f) {
  const tt::AnyTensor& stored = file.at(s, "in.0");
  const tolerance out(s.at("tol").at("out")), grad(s.at("tol").at("grad"));
  const auto run = [&]<class Number>(Number) {
    golden::with_rank<Least>(stored.rank(), [&]<int Rank>(std::integral_constant<int, Rank>) {
      const auto x = golden::leaf<Number, Rank>(stored);
      const auto y = tt::Tensor(f(x));
      CHECK(golden::difference(y, file.at(s, "out.0"), out) == "");
      tt::backward(y, tt::Tensor<Number, tt::shape_t<decltype(y)>>(file.at(s, "cot.0")));
      CHECK(golden::difference(x.AnyTensor::grad(), file.at(s, "grad.0"), grad, true) == "");
    });
  };
  if (stored.dtype() == tt::dtype::float64) run(double{});
  else run(float{});
}
/// f(file, sample) for each sample; f says whether it ran. At least one must.
template <class Function>
void judge(const std::string& name, Function&& f) {
  const auto file = golden::file::open("modules/nn." + name);
  if (!file) {
    WARN("skipped: no folder of golden data (TT_SHARED, ../shared)");
    return;
  }
  int ran = 0, left = 0;
  for (const json& s : file->samples()) {
    INFO("nn." << name << ", sample " << s.at("k"));
    (f(*file, s) ? ran : left)++;
  }
  CHECK(ran > 0);
  if (left) WARN("nn." << name << ": " << ran << " samples judged, " << left << " need options that tt has not yet");
}
template <class Layer>
bool judge_activation(const golden::file& file, const json& s) {
  Layer layer;
  judge_call(file, s, [&](const auto& x) { return layer(x); });
  return true;
}

TEST_CASE("golden modules: Linear", "[nn][golden]") {
  judge("Linear", [](const golden::file& file, const json& s) {
    const auto& sizes = s.at("ctor").at("args");
    nn::Linear fc(sizes.at(0), sizes.at(1), s.at("ctor").at("kwargs").value("bias", true));
    std::vector<std::string> names;
    for (const auto& [name, p] : fc.named_parameters()) {
      *p = nn::Parameter(file.at(s, "param." + name).copied());
      names.push_back(name);
    }
    CHECK(json(names) == s.at("param"));
    judge_call<1>(file, s, [&](const auto& x) { return fc(x); });
    for (const auto& [name, p] : fc.named_parameters())
      CHECK(golden::difference(p->value.grad(), file.at(s, "pgrad." + name), tolerance(s.at("tol").at("grad")), true) ==
            "");
    return true;
  });
}

TEST_CASE("golden modules: ReLU, Tanh, Sigmoid", "[nn][golden]") {
  judge("ReLU", judge_activation<nn::ReLU>);
  judge("Tanh", judge_activation<nn::Tanh>);
  judge("Sigmoid", judge_activation<nn::Sigmoid>);
}

TEST_CASE("golden modules: CrossEntropyLoss with labels, as a function", "[nn][golden]") {
  judge("CrossEntropyLoss", [](const golden::file& file, const json& s) {
    const json& options = s.at("ctor").at("kwargs");
    for (const auto& [name, value] : options.items())
      if (name != "reduction" && name != "ignore_index") return false;
    const tt::AnyTensor& labels = file.at(s, "in.1");
    if (labels.dtype() != tt::dtype::int64) return false;
    const std::string how = options.value("reduction", "mean");
    const std::int64_t ignored = options.value("ignore_index", -100);
    const auto judge_with = [&]<tt::reduction How>(std::integral_constant<tt::reduction, How>) {
      judge_call<1>(file, s, [&](const auto& x) {
        const tt::Tensor<std::int64_t, tt::dynamic_shape<tt::rank_of<decltype(x)> - 1>> y(labels);
        return tt::cross_entropy<How>(x, y, ignored);
      });
    };
    if (how == "mean") judge_with(std::integral_constant<tt::reduction, tt::reduction::mean>{});
    else if (how == "sum") judge_with(std::integral_constant<tt::reduction, tt::reduction::sum>{});
    else judge_with(std::integral_constant<tt::reduction, tt::reduction::none>{});
    return true;
  });
}
