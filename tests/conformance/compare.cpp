#include "compare.hpp"

#include <tt/tensor.hpp>

#include <cmath>
#include <sstream>

namespace conformance {

namespace {

std::string shapes_differ(const tt::AnyTensor& got, const tt::AnyTensor& want) {
  if (got.dtype() != want.dtype())
    return "the dtype is " + std::string(tt::name_of(got.dtype())) + ", not " + std::string(tt::name_of(want.dtype()));
  if (!(got.sizes() == want.sizes()))
    return "the extents are " + tt::to_string(got.sizes()) + ", not " + tt::to_string(want.sizes());
  return "";
}

std::string position(tt::index_t i, const tt::dims& size) {
  tt::dims at = size;
  for (int axis = size.rank - 1; axis >= 0; --axis) {
    at[axis] = i % size[axis];
    i /= size[axis];
  }
  return tt::to_string(at);
}

template <class Number>
bool close_numbers(Number got, Number want, const Rules& rules) {
  double off;
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(want)) return rules.skips_nan || std::isnan(got);
    if (rules.signed_zero && got == 0 && want == 0) return std::signbit(got) == std::signbit(want);
    if (!std::isfinite(got) || !std::isfinite(want)) return got == want;
    off = std::abs(double(got) - double(want));
  } else {
    off = double(got > want ? std::uint64_t(got) - std::uint64_t(want) : std::uint64_t(want) - std::uint64_t(got));
  }
  return off <= rules.tolerance.absolute + rules.tolerance.relative * std::abs(double(want));
}
template <class Number>
bool close(Number got, Number want, const Rules& rules) {
  if constexpr (tt::is_complex(tt::dtype_of<Number>))
    return close(got.real(), want.real(), rules) && close(got.imag(), want.imag(), rules);
  else if constexpr (std::is_same_v<Number, tt::half> || std::is_same_v<Number, tt::bfloat16>)
    return close(float(got), float(want), rules);
  else return close_numbers(got, want, rules);
}

}  // namespace

std::string difference(const tt::AnyTensor& got, const tt::AnyTensor& want, const Rules& rules) {
  if (std::string wrong = shapes_differ(got, want); !wrong.empty()) return wrong;
  const tt::AnyTensor flat = got.packed(), stored = want.packed();
  return tt::visit(got.dtype(), [&]<class Type>(Type) -> std::string {
    const auto* a = reinterpret_cast<const Type*>(flat.data_ptr());
    const auto* b = reinterpret_cast<const Type*>(stored.data_ptr());
    for (tt::index_t i = 0, n = got.numel(); i < n; ++i) {
      if (close(a[i], b[i], rules)) continue;
      std::ostringstream text;
      text.precision(17);
      text << "at " << position(i, got.sizes()) << " it is ";
      if constexpr (tt::is_complex(tt::dtype_of<Type>)) text << a[i] << ", not " << b[i];
      else text << +a[i] << ", not " << +b[i];
      return text.str();
    }
    return "";
  });
}

std::string index_difference(const tt::AnyTensor& got, const tt::AnyTensor& want, const tt::AnyTensor& x,
                             std::optional<tt::index_t> dim) {
  if (std::string wrong = shapes_differ(got, want); !wrong.empty()) return wrong;
  if (got.dtype() != tt::dtype::int64) return "an index must be int64";
  const tt::AnyTensor flat = x.packed(), chosen = got.packed(), stored = want.packed();
  const tt::dims& size = x.sizes();
  const bool whole = !dim || size.rank == 0;
  const int axis = whole ? 0 : tt::normal_axis(*dim, size.rank);
  if (axis < 0) return "there is no such axis";
  const bool kept = got.rank() == x.rank();
  const tt::index_t extent = whole ? x.numel() : size[axis];
  const auto* g = reinterpret_cast<const std::int64_t*>(chosen.data_ptr());
  const auto* w = reinterpret_cast<const std::int64_t*>(stored.data_ptr());
  return tt::visit(x.dtype(), [&]<class Type>(Type) -> std::string {
    const auto* value = reinterpret_cast<const Type*>(flat.data_ptr());
    for (tt::index_t i = 0; i < got.numel(); ++i) {
      if (g[i] < 0 || g[i] >= extent)
        return "index " + std::to_string(g[i]) + " is outside " + std::to_string(extent) + " elements";
      if (w[i] < 0 || w[i] >= extent)
        return "the stored index " + std::to_string(w[i]) + " is outside " + std::to_string(extent) + " elements";
      const auto selected = [&](std::int64_t index) {
        if (whole) return value[index];
        tt::index_t rest = i, at = 0, stride = 1;
        for (int a = size.rank - 1; a >= 0; --a) {
          tt::index_t p = index;
          if (a != axis || kept) {
            const tt::index_t n = a == axis ? got.sizes()[a] : size[a];
            if (a != axis) p = rest % n;
            rest /= n;
          }
          at += p * stride;
          stride *= size[a];
        }
        return value[at];
      };
      if (!close(selected(g[i]), selected(w[i]), {}))
        return "at " + position(i, got.sizes()) + " index " + std::to_string(g[i]) +
               " selects another value than index " + std::to_string(w[i]);
    }
    return "";
  });
}

}  // namespace conformance
