// gradcheck: are the gradients of a function those that central differences show?
#pragma once
#include <tt/autograd/backward.hpp>
#include <tt/core/philox.hpp>

#include <cmath>
#include <span>

namespace tt {

/// Agreement within absolute + relative * |difference quotient|, over steps of +-step.
struct gradcheck_options {
  double step = 1e-6, absolute = 1e-6, relative = 1e-5;
};

namespace detail {

/// The function under test with its inputs bound.
struct GradcheckCall {
  AnyTensor (*run)(const void*);
  const void* context;
  AnyTensor operator()() const { return run(context); }
};

/// The weight of an element of the result in the scalar that is differentiated: no two alike, so that nothing cancels.
inline double gradcheck_weight(index_t i) { return 0.5 + philox::draw<philox::uniform<double>>(20, std::uint64_t(i)); }

TT_NOINLINE inline double gradcheck_value(const GradcheckCall& f) {
  const AnyTensor y = f().packed();
  const auto* p = reinterpret_cast<const double*>(y.data_ptr());
  double total = 0;
  for (index_t i = 0; i < y.numel(); ++i) total += gradcheck_weight(i) * p[i];
  return total;
}
TT_NOINLINE inline std::string gradcheck_element(dims size, index_t flat) {
  for (int axis = size.rank - 1; axis >= 0; --axis) {
    const index_t extent = size.extent[axis];
    size.extent[axis] = flat % extent;
    flat /= extent;
  }
  return to_string(size);
}

/// @pre the inputs are contiguous and nobody else's
TT_NOINLINE inline void run_gradcheck(const GradcheckCall& f, std::span<const AnyTensor* const> inputs,
                                      const gradcheck_options& o) {
  const AnyTensor y = f();
  AnyTensor weights = AnyTensor::empty(dtype::float64, y.sizes());
  for (index_t i = 0; i < y.numel(); ++i) reinterpret_cast<double*>(weights.data_ptr())[i] = gradcheck_weight(i);
  backward_from(y, weights, false);
  const no_grad guard;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const AnyTensor& x = *inputs[k];
    if (!x.requires_grad()) continue;
    const AnyTensor g = x.grad();
    auto* p = reinterpret_cast<double*>(x.data_ptr());
    for (index_t i = 0; i < x.numel(); ++i) {
      const double before = p[i], derived = g.defined() ? reinterpret_cast<const double*>(g.data_ptr())[i] : 0;
      p[i] = before + o.step;
      const double above = gradcheck_value(f);
      p[i] = before - o.step;
      const double quotient = (above - gradcheck_value(f)) / (2 * o.step);
      p[i] = before;
      if (!(std::abs(derived - quotient) <= o.absolute + o.relative * std::abs(quotient)))
        fail({"tt::gradcheck: input ", k, ", element ", gradcheck_element(x.sizes(), i), ": backward gives ", derived,
              ", central differences ", quotient});
    }
  }
}

template <expression X>
X gradcheck_input(const X& x) {
  if constexpr (order_of<X> > 0) {
    if (!x.requires_grad()) return x;
    X own(x.AnyTensor::detach().copied());
    own.requires_grad_();
    return own;
  } else {
    return x;
  }
}

}  // namespace detail

/// Whether backward() through f(inputs...) gives the derivatives that central differences give, towards every element of
/// every input that requires a gradient; these must be double. f returns a tensor or an expression of any shape. True, or
/// an Error that names the input, the element and both values. The inputs' own elements and gradients stay as they are.
/// https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
template <class Function, expression... X>
bool gradcheck(const gradcheck_options& options, const Function& f, const X&... inputs) {
  static_assert(((order_of<X> <= 0 || std::is_same_v<value_t<X>, double>) && ...),
                "tt::gradcheck: the inputs must be double; differences of floats show nothing");
  const auto check = [&](const X&... own) {
    const auto call = [&] {
      const auto y = f(own...);
      static_assert(order_of<decltype(y)> > 0 && std::is_same_v<value_t<decltype(y)>, double>,
                    "tt::gradcheck: the function must return a tracked double expression");
      return evaluate(y);
    };
    const AnyTensor* const all[] = {&own...};
    detail::run_gradcheck({[](const void* c) { return (*static_cast<const decltype(call)*>(c))(); }, &call}, all,
                          options);
  };
  check(detail::gradcheck_input(inputs)...);
  return true;
}
template <class Function, expression... X>
  requires(!std::is_same_v<Function, gradcheck_options>)
bool gradcheck(const Function& f, const X&... inputs) {
  return gradcheck(gradcheck_options{}, f, inputs...);
}

}  // namespace tt
