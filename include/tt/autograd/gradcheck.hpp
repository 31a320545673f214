// gradcheck: are the gradients of a function those that central differences show?
#pragma once
#include <tt/autograd/backward.hpp>
#include <tt/core/philox.hpp>

#include <cmath>
#include <tuple>

namespace tt {

/// Agreement within atol + rtol * |difference quotient|, over steps of +-eps.
struct gradcheck_options {
  double eps = 1e-6, atol = 1e-6, rtol = 1e-5;
  bool raise_exception = true;  ///< otherwise false is returned where they differ
};

namespace detail {

/// The function under test with its inputs bound. `run` appends its results.
struct GradcheckCall {
  void (*run)(const void*, std::vector<AnyTensor>& results);
  const void* context;
  std::vector<AnyTensor> operator()() const {
    std::vector<AnyTensor> results;
    run(context, results);
    return results;
  }
};

/// double or complex<double>: differences of narrower numbers show nothing.
template <class Type>
inline constexpr bool is_checked_type = std::is_same_v<Type, double> || std::is_same_v<Type, std::complex<double>>;
/// How many real numbers a tensor of them is made of. A complex one is its parts, and so is its gradient: towards
/// z = x + i y the gradient of a real scalar is d/dx + i d/dy, PyTorch's convention.
inline index_t real_count(const AnyTensor& t) { return t.numel() * parts_of(t.dtype()); }

/// The weight of real number i of result k in the scalar that is differentiated: no two alike, so that nothing cancels.
inline double gradcheck_weight(std::size_t k, index_t i) {
  return 0.5 + philox::draw<philox::uniform<double>>(20 + k, std::uint64_t(i));
}

TT_NOINLINE inline double gradcheck_value(const GradcheckCall& f) {
  double total = 0;
  const std::vector<AnyTensor> results = f();
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!results[k].requires_grad()) continue;
    const AnyTensor y = results[k].packed();
    const auto* p = reinterpret_cast<const double*>(y.data_ptr());
    for (index_t i = 0; i < real_count(y); ++i) total += gradcheck_weight(k, i) * p[i];
  }
  return total;
}
/// "[2, 0]", and which part of a complex number. @param i among the real numbers
TT_NOINLINE inline std::string gradcheck_element(const AnyTensor& x, index_t i) {
  const bool complex = is_complex(x.dtype());
  dims size = x.sizes();
  index_t flat = complex ? i / 2 : i;
  for (int axis = size.rank - 1; axis >= 0; --axis) {
    const index_t extent = size.extent[axis];
    size.extent[axis] = flat % extent;
    flat /= extent;
  }
  return to_string(size) + (!complex ? "" : i % 2 ? ", imaginary part" : ", real part");
}

/// @pre the inputs are contiguous and nobody else's
TT_NOINLINE inline bool run_gradcheck(const char* who, const GradcheckCall& f, std::span<const AnyTensor* const> inputs,
                                      const gradcheck_options& o) {
  const std::vector<AnyTensor> results = f();
  bool tracked = false;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const AnyTensor& y = results[k];
    if (!y.requires_grad()) continue;
    tracked = true;
    const AnyTensor weights = AnyTensor::empty(y.dtype(), y.sizes());
    auto* const w = reinterpret_cast<double*>(weights.data_ptr());
    for (index_t i = 0; i < real_count(y); ++i) w[i] = gradcheck_weight(k, i);
    backward_from(y, weights, true);
  }
  if (!tracked) fail({who, ": no result depends on an input that requires a gradient"});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const AnyTensor& x = *inputs[k];
    if (!x.requires_grad()) continue;
    const AnyTensor g = x.grad();
    auto* p = reinterpret_cast<double*>(x.data_ptr());
    for (index_t i = 0; i < real_count(x); ++i) {
      const double before = p[i], derived = g.defined() ? reinterpret_cast<const double*>(g.data_ptr())[i] : 0;
      p[i] = before + o.eps;
      const double above = gradcheck_value(f);
      p[i] = before - o.eps;
      const double quotient = (above - gradcheck_value(f)) / (2 * o.eps);
      p[i] = before;
      if (std::abs(derived - quotient) <= o.atol + o.rtol * std::abs(quotient)) continue;
      if (!o.raise_exception) return false;
      fail({who, ": input ", k, ", element ", gradcheck_element(x, i), ": backward gives ", derived,
            ", central differences ", quotient});
    }
  }
  return true;
}

/// An input of the caller's as a leaf of its own, of Order at least; one that requires no gradient, or cannot, as it is.
template <int Order, expression X>
auto gradcheck_input(const X& x) {
  if constexpr (order_of<X> > 0) {
    Tensor<value_t<X>, shape_t<X>, device_t<X>, (std::max)(order_of<X>, Order)> own(
        x.requires_grad() ? x.AnyTensor::detach().copied() : x.AnyTensor::detach());
    own.requires_grad_(x.requires_grad());
    return own;
  } else {
    return x;
  }
}

template <expression E>
void append_results(std::vector<AnyTensor>& to, const E& y) {
  static_assert(is_checked_type<value_t<E>>,
                "tt::gradcheck: the function must return double or complex<double>, in a tensor or an expression");
  to.push_back(evaluate(y));
}
template <class... E>
void append_results(std::vector<AnyTensor>& to, const std::tuple<E...>& all) {
  std::apply([&](const E&... y) { (append_results(to, y), ...); }, all);
}

template <class Result>
inline constexpr bool is_tracked_result = false;
template <expression E>
inline constexpr bool is_tracked_result<E> = order_of<E> > 0;
template <class... E>
inline constexpr bool is_tracked_result<std::tuple<E...>> = (is_tracked_result<E> || ...);

template <int Order, class Function, expression... X>
bool check_gradients(const char* who, const gradcheck_options& options, const Function& f, const X&... inputs) {
  static_assert(((order_of<X> <= 0 || is_checked_type<value_t<X>>) && ...),
                "tt::gradcheck: the inputs must be double or complex<double>; differences of floats show nothing");
  const auto check = [&](const auto&... own) {
    const auto call = [&](std::vector<AnyTensor>& results) {
      const auto y = f(own...);
      static_assert(is_tracked_result<std::remove_cvref_t<decltype(y)>>, "tt::gradcheck: the function must return something tracked");
      append_results(results, y);
    };
    const AnyTensor* const all[] = {&own...};
    return run_gradcheck(who, {[](const void* c, std::vector<AnyTensor>& r) { (*static_cast<const decltype(call)*>(c))(r); }, &call},
                         all, options);
  };
  return check(gradcheck_input<Order>(inputs)...);
}

}  // namespace detail

/// Whether backward() through f(inputs...) gives the derivatives that central differences give, towards every element of
/// every input that requires a gradient; these must be double or complex<double>, whose real and imaginary parts are
/// moved one by one. f returns a tensor or an expression of these types and of any shape, or a std::tuple of them;
/// results that require no gradient do not count. True, or an Error that names the input, the element and both values.
/// The inputs' own elements and gradients stay as they are.
/// https://pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
template <class Function, expression... X>
bool gradcheck(const gradcheck_options& options, const Function& f, const X&... inputs) {
  return detail::check_gradients<1>("tt::gradcheck", options, f, inputs...);
}
template <class Function, expression... X>
  requires(!std::is_same_v<Function, gradcheck_options>)
bool gradcheck(const Function& f, const X&... inputs) {
  return gradcheck(gradcheck_options{}, f, inputs...);
}

}  // namespace tt
