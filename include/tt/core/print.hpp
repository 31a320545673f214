// Tensors as text.
#pragma once
#include <tt/core/expression.hpp>

#include <cstdio>
#include <ostream>

namespace tt {

namespace detail {

/// Rows and columns beyond this many at either end are left out of large tensors.
inline constexpr index_t edge_items = 3, summarised_above = 1000;

/// "1.5-2j", as Python writes it.
inline void complex_text(char* text, std::size_t size, double real, double imaginary) {
  std::snprintf(text, size, "%.6g%+.6gj", real, imaginary);
}
TT_NOINLINE inline std::string element_text(const std::byte* p, dtype t) {
  char text[64];
  visit(t, [&]<class Type>(Type) {
    const Type x = loaded(reinterpret_cast<const Type*>(p));
    if constexpr (std::is_same_v<Type, bool>) std::snprintf(text, sizeof text, "%s", x ? "true" : "false");
    else if constexpr (is_complex(dtype_of<Type>)) complex_text(text, sizeof text, double(x.real()), double(x.imag()));
    else if constexpr (std::is_same_v<Type, std::uint64_t>) std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(x));
    else if constexpr (std::is_integral_v<Type>) std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
    else if (x != x) std::snprintf(text, sizeof text, "nan");  // whatever its sign
    else std::snprintf(text, sizeof text, "%.*g", std::is_same_v<Type, double> ? 10 : std::is_same_v<Type, float> ? 6 : 4, double(x));
  });
  return text;
}

/// Each axis but the last starts new lines; elements are right-aligned to the widest.
struct Printer {
  const AnyTensor& tensor;
  bool summarise;
  std::size_t width = 0;

  template <class Function>
  void each_shown(int axis, Function&& f) const {
    const index_t n = tensor.sizes()[axis];
    for (index_t i = 0; i < n; ++i) {
      if (summarise && n > 2 * edge_items && i == edge_items) {
        f(index_t(-1));
        i = n - edge_items;
      }
      f(i);
    }
  }
  index_t step(int axis) const { return tensor.strides()[axis] * index_t(size_of(tensor.dtype())); }
  void measure(int axis, const std::byte* p) {
    if (axis == tensor.rank()) {
      width = (std::max)(width, element_text(p, tensor.dtype()).size());
      return;
    }
    each_shown(axis, [&](index_t i) {
      if (i >= 0) measure(axis + 1, p + i * step(axis));
    });
  }
  void write(std::string& out, int axis, const std::byte* p) const {
    if (axis == tensor.rank()) {
      const std::string text = element_text(p, tensor.dtype());
      out.append(width - text.size(), ' ') += text;
      return;
    }
    out += '[';
    bool first = true;
    each_shown(axis, [&](index_t i) {
      if (!first) {
        out += ',';
        if (axis + 1 == tensor.rank()) out += ' ';
        else out.append(1, '\n').append(std::size_t(axis) + 8, ' ');
      }
      first = false;
      i < 0 ? void(out += "...") : write(out, axis + 1, p + i * step(axis));
    });
    out += ']';
  }
};

}  // namespace detail

/// "tensor([[1, 2], [3, 4]], float32)", one line a row; the middle of more than 1000 elements is left out. Elements on a
/// device are copied to be read.
TT_NOINLINE inline std::string to_string(const AnyTensor& t) {
  if (!t.defined()) return "tensor(undefined)";
  const AnyTensor here = t.on_host();
  detail::Printer printer{here, t.numel() > detail::summarised_above};
  std::string out = "tensor(";
  if (t.numel()) printer.measure(0, here.data_ptr());
  printer.write(out, 0, here.data_ptr());
  out += ", ";
  out += name_of(t.dtype());
  if (t.numel() == 0) out += ", " + to_string(t.sizes());
  if (t.device() != device::cpu) out.append(", ") += name_of(t.device());
  if (t.requires_grad()) out += t.is_leaf() ? ", requires_grad" : ", tracked";
  return out += ')';
}
inline std::ostream& operator<<(std::ostream& out, const AnyTensor& t) { return out << to_string(t); }
/// As messages write extents: [2, 3].
inline std::ostream& operator<<(std::ostream& out, const dims& size) { return out << to_string(size); }
/// An expression is evaluated to be printed.
template <expression E>
  requires(!std::is_base_of_v<AnyTensor, E>)
std::ostream& operator<<(std::ostream& out, const E& e) {
  return out << to_string(evaluate(e));
}

}  // namespace tt
