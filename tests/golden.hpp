// Golden data: what another library computed, as pairs of NAME.json and NAME.safetensors (README in that folder).
#pragma once
#include <tt/io.hpp>

#include <nlohmann/json.hpp>

#include "files.hpp"
#include "tensors.hpp"

#include <cmath>
#include <map>

namespace golden {

using nlohmann::json;

struct tolerance {
  double relative = 0, absolute = 0;
  explicit tolerance(const json& pair) : relative(pair.at(0)), absolute(pair.at(1)) {}
};

/// One pair of files.
struct file {
  json content;
  std::map<std::string, tt::AnyTensor> tensors;

  /// @param name "modules/nn.Linear"; nothing where this machine has no golden data at all
  static std::optional<file> open(const std::string& name) {
    const auto shared = files::shared();
    if (!shared) return std::nullopt;
    const std::string path = (*shared / "golden" / name).string();
    file f;
    const files::bytes text = files::read(path + ".json");
    f.content = json::parse(text.begin(), text.end());
    for (auto& [key, value] : tt::load(path + ".safetensors")) f.tensors[key] = value;
    return f;
  }
  const json& samples() const { return content.at("samples"); }
  /// Tensor "in.0" of a sample, stored as "s<k>.in.0".
  const tt::AnyTensor& at(const json& sample, const std::string& name) const {
    return tensors.at("s" + std::to_string(sample.at("k").get<int>()) + "." + name);
  }
};

/// Empty if `got` is `want` within the tolerance, else what differs. Gradients are not compared where NaN is stored.
inline std::string difference(const tt::AnyTensor& got, const tt::AnyTensor& want, tolerance t, bool gradient = false) {
  if (!got.defined()) return "nothing was computed";
  if (got.dtype() != want.dtype()) return "the dtype is " + std::string(name_of(got.dtype()));
  if (!(got.sizes() == want.sizes()))
    return "the extents are " + to_string(got.sizes()) + ", not " + to_string(want.sizes());
  const auto g = tests::values(got), w = tests::values(want);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const bool both_nan = std::isnan(g[i]) && std::isnan(w[i]),
               near = std::abs(g[i] - w[i]) <= t.absolute + t.relative * std::abs(w[i]);
    if (g[i] != w[i] && !both_nan && !near && !(gradient && std::isnan(w[i])))
      return "element " + std::to_string(i) + " is " + std::to_string(g[i]) + ", not " + std::to_string(w[i]);
  }
  return "";
}

/// f(std::integral_constant<int, rank>) for a rank from Least to 5.
template <int Least = 0, class Function>
void with_rank(int rank, Function&& f) {
  const bool known = [&]<int... Rank>(std::integer_sequence<int, Rank...>) {
    return ((rank == Least + Rank && (f(std::integral_constant<int, Least + Rank>{}), true)) || ...);
  }(std::make_integer_sequence<int, 6 - Least>{});
  if (!known) throw std::runtime_error("golden: a sample of rank " + std::to_string(rank));
}

/// A leaf of known dtype and rank over the elements of a stored tensor.
template <class Number, int Rank>
tt::Variable<Number, tt::dynamic_shape<Rank>> leaf(const tt::AnyTensor& t) {
  return tt::Variable<Number, tt::dynamic_shape<Rank>>(t.copied()).requires_grad_();
}

}  // namespace golden
