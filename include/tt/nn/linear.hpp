// Linear: x W' + b.
#pragma once
#include <tt/dispatch/contract.hpp>
#include <tt/dispatch/evaluate.hpp>
#include <tt/nn/rule.hpp>

#include <cmath>

namespace tt::nn {

namespace detail {

/// The untyped body: parameters, walk, first values. A further size compiles next to nothing.
struct LinearBody : AnyModule {
  Parameter weight, bias;

  TT_NOINLINE LinearBody(index_t in, index_t out, bool with_bias) {
    const double bound = in > 0 ? 1 / std::sqrt(double(in)) : 0;
    weight = Parameter(uniform({out, in}, bound));
    if (with_bias) bias = Parameter(uniform({out}, bound));
  }
  TT_NOINLINE void tt_walk(Visitor& v) override {
    walk_one(v, "weight", weight);
    walk_one(v, "bias", bias);
  }
  /// The call, not yet run: an activation may still join it.
  TT_NOINLINE tt::detail::Ref<tt::detail::ContractBlock> call(const AnyTensor& x, const ContractKernel& kernel) const {
    const AnyTensor& w = weight.value;
    if (w.dtype() != kernel.type)
      fail({"tt::nn::Linear: the parameters are ", name_of(w.dtype()), ", the input ", name_of(kernel.type)});
    if (x.rank() == 0 || x.size(-1) != w.size(1))
      fail({"tt::nn::Linear: expected ", w.size(1), " as the last extent, got ", x.sizes()});
    return tt::detail::make_contract_block(&kernel, x, w, bias.value);
  }
};

}  // namespace detail

/// y = x W' + b over the last axis; weight [out, in] and bias [out] start uniform in +-1 / sqrt(in).
/// https://pytorch.org/docs/stable/generated/torch.nn.Linear.html
template <index_t In = dyn, index_t Out = dyn>
struct Linear : detail::LinearBody, Callable<Linear<In, Out>> {
  static constexpr linear_rule rule{In, Out};

  Linear()
    requires(In >= 0 && Out >= 0)
      : Linear(In, Out) {}
  Linear(index_t in, index_t out, bool with_bias = true) : detail::LinearBody(in, out, with_bias) {
    if (!fits(in, In) || !fits(out, Out)) fail("tt::nn::Linear: the sizes differ from those of the type");
  }

  template <expression X>
  auto forward(const X& x) const {
    constexpr bool floats = std::is_floating_point_v<value_t<X>>;
    static_assert(floats || tt::error::wrong_dtype<tt::error::operands<Linear, tt::error::got<value_t<X>>>>,
                  "tt::nn::Linear: the input must be float or double: cast it with to<float>()");
    using number = std::conditional_t<floats, value_t<X>, float>;
    constexpr int order = detail::layer_order(order_of<X>);
    const auto& kernel = backend<device_t<X>>::template contract<number, false, true, (order > 0)>();
    return Contract<number, output_shape<Linear, shape_t<X>>, device_t<X>, order>(this->call(evaluate(x), kernel));
  }
};
Linear(index_t, index_t) -> Linear<>;

}  // namespace tt::nn
