// An explanation: the tree of an expression, the kernels that will run it, and what each has to move and to compute.
#pragma once
#include <tt/core/any_tensor.hpp>

#include <iosfwd>
#include <sstream>
#include <string>
#include <vector>

namespace tt {

/// What a machine can do, for explain(). The defaults are those of one core of a usual server.
struct Machine {
  double bytes_per_second = 10e9;  ///< to and from memory
  double flops_per_second = 50e9;
  double seconds_per_kernel = 50e-9;  ///< to find extents, take a result's memory and begin
};

/// What bounds the time of a kernel from below.
enum class limit { memory, arithmetic, call };

/// One kernel of an explanation.
struct KernelCost {
  std::string name;      ///< its kind and the ops in it, outermost first
  double flops = 0;      ///< additions, multiplications and comparisons; an exp counts as the 20 that make it
  double bytes_read = 0, bytes_written = 0;

  double seconds(const Machine& machine, limit what) const {
    switch (what) {
      case limit::memory: return (bytes_read + bytes_written) / machine.bytes_per_second;
      case limit::arithmetic: return flops / machine.flops_per_second;
      case limit::call: return machine.seconds_per_kernel;
    }
    return 0;
  }
  /// The largest of the three times.
  limit limited_by(const Machine& machine) const {
    limit most = limit::call;
    for (limit other : {limit::memory, limit::arithmetic})
      if (seconds(machine, other) > seconds(machine, most)) most = other;
    return most;
  }
};

/// A node of the explained tree. Nodes of one kernel are fused: none but the topmost is stored.
struct ExplainedNode {
  int depth;
  std::string text;   ///< the op, or what leaf it is
  tt::dtype type;
  dims size;
  int kernel;         ///< position in Explanation::kernels; -1: stored already
};

struct Explanation {
  std::vector<ExplainedNode> tree;  ///< depth first
  std::vector<KernelCost> kernels;  ///< in the order in which they run
  Machine machine;

  double flops() const { return sum([](const KernelCost& k) { return k.flops; }); }
  double bytes() const { return sum([](const KernelCost& k) { return k.bytes_read + k.bytes_written; }); }
  /// A lower bound: what the limits of the machine allow.
  double seconds() const {
    return sum([&](const KernelCost& k) { return k.seconds(machine, k.limited_by(machine)); });
  }

 private:
  template <class Function>
  double sum(Function&& f) const {
    double total = 0;
    for (const KernelCost& k : kernels) total += f(k);
    return total;
  }
};

namespace detail {

/// 25.7 M: three digits and the power of a thousand.
TT_NOINLINE inline std::string amount(double x, const char* unit) {
  static constexpr const char* powers[] = {"", "k", "M", "G", "T", "P"};
  int power = 0;
  for (; x >= 999.5 && power < 5; ++power) x /= 1000;
  std::ostringstream out;
  out.precision(3);
  out << x << ' ' << powers[power] << unit;
  return out.str();
}
TT_NOINLINE inline std::string duration(double seconds) {
  std::ostringstream out;
  out.precision(3);
  if (seconds < 1e-6) out << seconds * 1e9 << " ns";
  else if (seconds < 1e-3) out << seconds * 1e6 << " us";
  else if (seconds < 1) out << seconds * 1e3 << " ms";
  else out << seconds << " s";
  return out.str();
}
inline const char* name_of(limit what) {
  return what == limit::memory ? "memory" : what == limit::arithmetic ? "arithmetic" : "the call itself";
}
TT_NOINLINE inline std::string extents(const dims& size) {
  std::string text = "[";
  for (int i = 0; i < size.rank; ++i) text += (i ? ", " : "") + std::to_string(size.extent[i]);
  return text + "]";
}

}  // namespace detail

/// The tree with the number of the kernel that stores each node, then a line for each kernel.
TT_NOINLINE inline std::string to_string(const Explanation& e) {
  std::string text;
  for (const ExplainedNode& node : e.tree) {
    std::string line(std::size_t(2 * node.depth), ' ');
    line += node.text;
    line.resize((std::max)(line.size() + 2, std::size_t(32)), ' ');
    line += std::string(name_of(node.type)) + ' ' + detail::extents(node.size);
    if (node.kernel >= 0) line.resize((std::max)(line.size() + 2, std::size_t(60)), ' '), line += '#' + std::to_string(node.kernel + 1);
    text += line + '\n';
  }
  int number = 0;
  for (const KernelCost& k : e.kernels) {
    const limit by = k.limited_by(e.machine);
    text += '#' + std::to_string(++number) + ' ' + k.name + ": " + detail::amount(k.flops, "flop") + ", reads " + detail::amount(k.bytes_read, "B") +
            ", writes " + detail::amount(k.bytes_written, "B") + ", at least " + detail::duration(k.seconds(e.machine, by)) + ", limited by " +
            detail::name_of(by) + '\n';
  }
  return text + "in all: " + std::to_string(e.kernels.size()) + (e.kernels.size() == 1 ? " kernel, " : " kernels, ") +
         detail::amount(e.flops(), "flop") + ", " + detail::amount(e.bytes(), "B") + ", at least " + detail::duration(e.seconds()) + '\n';
}
inline std::ostream& operator<<(std::ostream& out, const Explanation& e) { return out << to_string(e); }

}  // namespace tt
