// How a family of operations writes its rows: schemas and a function each, and a fold over lists of elementwise ops.
#pragma once
#include <tt/dispatch/any_contract.hpp>
#include <tt/dispatch/any_map.hpp>
#include <tt/dispatch/any_reduce.hpp>
#include <tt/dispatch/any_scan.hpp>
#include <tt/registry.hpp>
#include <tt/ops.hpp>

#include <map>

namespace tt::registry {

/// Rows on their way into the registry. A row replaces an earlier one of its name.
class Table {
 public:
  struct Entry {
    const char* schemas;  ///< a line for each overload; the first one's name is the row's
    Argument (*run)(const Bound&);
  };
  void add(std::initializer_list<Entry> entries) {
    for (const Entry& e : entries) add(e.schemas, e.run);
  }
  void add(std::string_view schemas, Argument (*run)(const Bound&));

  /// A row for every op of a list, add(ops::arithmetic{}), and one that writes the result into the first operand: add_.
  template <class... Op>
  void add(op_list<Op...> list, bool in_place = true) {
    for_each_op(list, [this, in_place]<class One>(One) {
      this->add(elementwise_schemas(One::name, detail::arity_of<One>, detail::has_condition<One>), elementwise<One>);
      if (in_place && !detail::has_condition<One>) in_place_.emplace_back(One::name);
    });
  }

  std::vector<Row> take();

 private:
  template <class Op>
  static Argument elementwise(const Bound& a);
  static std::string elementwise_schemas(std::string_view name, int arity, bool condition);
  void add_in_place(const std::string& name);

  std::map<std::string, Row> rows_;
  std::vector<std::string> in_place_;  ///< rows that have a form ending in _
};

/// A tensor or a number, as an operand.
inline AnyOperand operand(const Argument& a) {
  if (a.is<bool>()) return a.get<bool>();
  if (a.is<std::int64_t>()) return a.get<std::int64_t>();
  if (a.is<double>()) return a.get<double>();
  return a.tensor();
}

template <class Op>
Argument Table::elementwise(const Bound& a) {
  const auto at = [&](std::size_t i) { return operand(a[i]); };
  if constexpr (detail::arity_of<Op> == 1) return any_map<Op>(at(0));
  else if constexpr (detail::arity_of<Op> == 2) return any_map<Op>(at(0), at(1));
  else return any_map<Op>(at(0), at(1), at(2));
}

/// The set of axes of an argument: of nothing and of an empty list, all.
detail::AxisSet axes_of(const Bound& a, std::string_view name, int rank);
/// Extents, for factories and views.
dims extents_of(const Bound& a, std::string_view name);
/// Throws not_implemented.
[[noreturn]] void not_yet(std::string_view op, const std::string& what);
/// Refuses what no kernel has yet: layouts, other devices, pinned memory.
void check_placement(const Bound& a);
/// self in a dtype and in the channels-last format that a call names, row-major with axis 1 last: itself where it is so
/// and no copy is asked for. Undefined where the call names another format or none.
AnyTensor channels_last(const Bound& a, dtype type, bool copy);
/// What a factory made, as a leaf where that was asked for; its placement is checked.
Argument placed(const Bound& a, const AnyTensor& made);
// What every factory takes after its own parameters.
#define TT_PLACEMENT                                                                                   \
  "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? " \
  "requires_grad=None"
#define TT_PLACEMENT_LIKE TT_PLACEMENT ", MemoryFormat? memory_format=None) -> Tensor"

/// Runs the row without the _ and writes its result into self: the row of relu_ is that of relu.
Argument in_place(const Bound& a);

// The families, each in a translation unit of its own.
void add_arithmetic(Table&);
void add_comparison(Table&);
void add_functions(Table&);
void add_random(Table&);
void add_reductions(Table&);
void add_moments(Table&);
void add_scans(Table&);
void add_contractions(Table&);
void add_views(Table&);
void add_indexing(Table&);
void add_copies(Table&);
void add_creation(Table&);
void add_casts(Table&);
void add_softmax(Table&);
void add_losses(Table&);
void add_writing(Table&);

}  // namespace tt::registry
