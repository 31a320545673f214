// What every expression tells about itself in its type, and the door through which it becomes a tensor.
#pragma once
#include <tt/core/any_tensor.hpp>

namespace tt {

/// The order of a tensor that is never differentiated: parameters of a network that only predicts, and what follows.
inline constexpr int frozen = -1;

/// Orders above 1 are for those who ask for them: autograd/second_order.hpp.
template <int Order>
inline constexpr bool order_is_included = Order <= 1;

/// How often the result can be differentiated: the most of its operands, but one frozen operand freezes it.
constexpr int join_orders(int a, int b) { return a < 0 || b < 0 ? frozen : (std::max)(a, b); }

/// Base of all expressions. Each has value_type, shape, device and order; none holds a reference.
struct expression_base {};

template <class Candidate>
inline constexpr bool is_expression = std::is_base_of_v<expression_base, std::remove_cvref_t<Candidate>>;
template <class Candidate>
concept expression = is_expression<Candidate>;
namespace detail {
template <class Type>
inline constexpr bool is_complex_number = std::is_same_v<Type, std::complex<float>> || std::is_same_v<Type, std::complex<double>>;
}
/// What an elementwise function takes beside an expression: a C++ number.
template <class Candidate>
concept real_number = std::is_arithmetic_v<std::remove_cvref_t<Candidate>>;
template <class Candidate>
concept number = real_number<Candidate> || detail::is_complex_number<std::remove_cvref_t<Candidate>> ||
                 detail::is_short_float<std::remove_cvref_t<Candidate>>;
template <class Candidate>
concept operand = expression<Candidate> || number<Candidate>;

template <class E>
using value_t = typename std::remove_cvref_t<E>::value_type;
template <class E>
using shape_t = typename std::remove_cvref_t<E>::shape;
template <class E>
using device_t = typename std::remove_cvref_t<E>::device_type;
template <class E>
inline constexpr int order_of = std::remove_cvref_t<E>::order;
template <class E>
inline constexpr int rank_of = shape_t<E>::rank;

/// The one door: every expression becomes a tensor here (dispatch/evaluate.hpp).
template <class E>
AnyTensor evaluate(const E& e);

/// A device's kernels. cpu/backend.hpp has the CPU's; a device of a user's own specialises it for its tag.
template <class Device>
struct backend;

}  // namespace tt
