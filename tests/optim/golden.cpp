#include <tt/optim.hpp>

#include "../catch.hpp"
#include "../golden.hpp"

#include <set>

namespace optim = tt::optim;
using golden::json;
using golden::tolerance;
using tt::AnyTensor;

/// Row t of a tensor [steps, ..], in memory of its own.
AnyTensor step_of(const AnyTensor& all, tt::index_t t) {
  tt::dims size;
  for (int i = 1; i < all.rank(); ++i) size.push_back(all.sizes()[i]);
  return all.with_layout(size, all.strides() + 1, t * all.strides()[0]).copied();
}

optim::SGD make(const optim::SGD*, std::vector<AnyTensor> p, const json& o) {
  return optim::SGD(std::move(p), {.lr = o.value("lr", 1e-3),
                                   .momentum = o.value("momentum", 0.),
                                   .dampening = o.value("dampening", 0.),
                                   .weight_decay = o.value("weight_decay", 0.),
                                   .nesterov = o.value("nesterov", false),
                                   .maximize = o.value("maximize", false)});
}
optim::Adam make(const optim::Adam*, std::vector<AnyTensor> p, const json& o) {
  const std::vector<double> betas = o.value("betas", std::vector<double>{0.9, 0.999});
  return optim::Adam(std::move(p), {.lr = o.value("lr", 1e-3),
                                    .beta1 = betas.at(0),
                                    .beta2 = betas.at(1),
                                    .eps = o.value("eps", 1e-8),
                                    .weight_decay = o.value("weight_decay", 0.),
                                    .maximize = o.value("maximize", false)});
}

/// Every step of every sample whose options are among `known`; at least one.
template <class Optimiser>
void judge(const std::string& name, const std::set<std::string>& known) {
  const auto file = golden::file::open("optim/optim." + name);
  if (!file) {
    WARN("skipped: no folder of golden data (TT_SHARED, ../shared)");
    return;
  }
  int ran = 0, left = 0;
  for (const json& s : file->samples()) {
    INFO("optim." << name << ", sample " << s.at("k") << " " << s.at("kwargs"));
    bool can = true;
    for (const auto& [option, value] : s.at("kwargs").items())
      can &= known.contains(option) || value == json(false) || value.is_null();
    if (!can) {
      ++left;
      continue;
    }
    ++ran;
    std::vector<AnyTensor> p, gradients, trajectory;
    for (int i = 0; i < s.at("params"); ++i) {
      const std::string k = std::to_string(i);
      p.push_back(file->at(s, "init." + k).copied());
      p.back().requires_grad_();
      gradients.push_back(file->at(s, "gradseq." + k));
      trajectory.push_back(file->at(s, "traj." + k));
    }
    auto optimiser = make(static_cast<Optimiser*>(nullptr), p, s.at("kwargs"));
    const std::set<int> without = s.at("no_grad_steps_of_1");
    for (int t = 0; t < s.at("steps"); ++t) {
      INFO("step " << t);
      optimiser.zero_grad();
      for (std::size_t i = 0; i < p.size(); ++i)
        if (i != 1 || !without.contains(t)) p[i].set_grad(step_of(gradients[i], t));
      optimiser.step();
      for (std::size_t i = 0; i < p.size(); ++i)
        CHECK(golden::difference(p[i], step_of(trajectory[i], t), tolerance(s.at("tol").at("out"))) == "");
    }
  }
  CHECK(ran > 0);
  if (left)
    WARN("optim." << name << ": " << ran << " trajectories judged, " << left << " need options that tt has not yet");
}

TEST_CASE("golden trajectories: SGD", "[optim][golden]") {
  judge<optim::SGD>("SGD", {"lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize"});
}

TEST_CASE("golden trajectories: Adam", "[optim][golden]") {
  judge<optim::Adam>("Adam", {"lr", "betas", "eps", "weight_decay", "maximize"});
}
