// Memory for time: what a part of a network saves for backward is thrown away and computed again when backward needs it.
#pragma once
#include <tt/autograd/watch.hpp>
#include <tt/core/random.hpp>
#include <tt/core/tensor.hpp>

#include <tuple>

namespace tt {

namespace detail {

/// The call that is run again, and what it saves then.
struct CheckpointCall {
  Count refs;
  std::vector<AnyTensor> saved;  ///< in the order of saving; each is given out once
  std::size_t count = 0;         ///< how many the first run saved
  Generator generator = default_generator();
  struct Given {
    int argument;
    AnyTensor tensor;
    unsigned version;
  };
  std::vector<Given> given;  ///< the tensors among the arguments, as they were

  /// An argument, or each of a list of tensors.
  template <class Argument>
  void keep_version(int argument, const Argument& x) {
    if constexpr (std::is_base_of_v<AnyTensor, Argument>) keep_version_of(argument, x);
    else if constexpr (requires { x.begin() != x.end(); })
      for (const auto& one : x) keep_version(argument, one);
  }
  virtual void run() = 0;
  virtual ~CheckpointCall() = default;

  TT_NOINLINE AnyTensor take(std::size_t i) {
    if (i >= saved.size() || !saved[i].defined()) run_again();
    return std::exchange(saved[i], {});
  }

 private:
  TT_NOINLINE void keep_version_of(int argument, const AnyTensor& x) {
    if (x.defined()) given.push_back({argument, x, x.version()});
  }
  /// What was written since would be taken for what the first run saw.
  void check_versions() const {
    for (const Given& x : given)
      if (x.tensor.version() != x.version)
        fail({"tt::checkpoint: argument ", x.argument, ", a tensor with the extents ", x.tensor.sizes(),
              ", was changed in place before backward ran the function again: it is at version ", x.tensor.version(),
              ", and was given at version ", x.version});
  }
  void run_again() {
    check_versions();
    saved.clear();
    struct Random {  // the numbers of the first run, once more
      Generator before;
      explicit Random(const Generator& then) : before(std::exchange(default_generator(), then)) {}
      ~Random() { default_generator() = before; }
    } random(generator);
    const enable_grad on;
    {
      const auto keep = [this](const AnyTensor& t) {
        saved.push_back(t);
        return 0;
      };
      const saved_tensors_hooks hooks(keep, [](int) { return AnyTensor(); });
      run();
    }
    if (saved.size() != count)
      fail({"tt::checkpoint: the function saved ", saved.size(), " tensors when it was run again, and ", count,
            " at first: it must do the same each time"});
  }
};
TT_NOINLINE inline void destroy(CheckpointCall* call) { delete call; }

}  // namespace detail

/// f(x...) without what its operations save for backward: when backward first needs a part of that, f is run again, with the
/// random numbers of the first run. f must do the same both times. Parameters that f uses but does not take as arguments
/// receive their gradients as ever. What f returns is evaluated. Arguments that are written in place before backward are
/// an error; what f captures is not looked at.
/// https://pytorch.org/docs/stable/checkpoint.html
template <class Function, class... Argument>
auto checkpoint(const Function& f, const Argument&... x) {
  struct Again final : detail::CheckpointCall {
    Function function;
    std::tuple<Argument...> arguments;
    Again(const Function& g, const Argument&... a) : function(g), arguments(a...) {
      [[maybe_unused]] int argument = 0;
      (keep_version(argument++, a), ...);
    }
    auto value() {
      const auto stored = [](auto&& y) {
        if constexpr (is_expression<decltype(y)>) return eval(y);
        else return y;
      };
      return std::apply([&](const Argument&... a) { return stored(function(a...)); }, arguments);
    }
    void run() override { (void)value(); }
  };
  auto* call = new Again(f, x...);
  const detail::Ref<detail::CheckpointCall> owner(call);
  const auto drop = [&](const AnyTensor&) { return call->count++; };
  const saved_tensors_hooks hooks(drop, [owner](std::size_t i) { return owner->take(i); });
  return call->value();
}

}  // namespace tt
