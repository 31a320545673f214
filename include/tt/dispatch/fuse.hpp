// fuse(): several assignments in one pass over the elements.
#pragma once
#include <tt/dispatch/write.hpp>
#include <tt/expr/assign.hpp>

#include <algorithm>
#include <utility>

namespace tt {

namespace detail {

/// One assignment below its types: the kernel that could run it alone, its leaves, and where it writes.
struct Statement {
  const MapKernel* kernel;
  Entry* entry;
  int count;
  const AnyTensor* out;
};

[[noreturn]] TT_NOINLINE inline void not_recorded() {
  fail("tt::fuse: its assignments are not recorded for backward: call it under no_grad, or detach() what is tracked");
}

/// Statements in their order. What one will write is announced by a version before the next is lowered, and taken back if
/// that one is refused, since nothing was written.
struct Statements {
  Statement statement[max_assignments];
  int announced = 0;
  bool checked = false;  ///< all of them: from here on they are written

  Statements() = default;
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;
  ~Statements() {
    for (int i = 0; !checked && i < announced; ++i) --statement[i].out->storage()->version;
  }
};

/// After a statement's leaves were collected: leaves that earlier statements write are to be read as they will be then,
/// all others must be what they were when the expression was built.
TT_NOINLINE inline void check_statement(Statements& all) {
  const Statement* const statement = all.statement;
  const int position = all.announced;
  const Statement& mine = statement[position];
  bool tracked = mine.out->requires_grad();
  for (int i = 0; i < mine.count; ++i) {
    Entry& entry = mine.entry[i];
    if (!entry.tensor) continue;
    tracked |= entry.tensor->requires_grad();
    for (int j = 0; j < position; ++j) entry.version += statement[j].out->storage() == entry.tensor->storage();
    if (entry.version != entry.tensor->version()) changed_in_place(*entry.tensor);
  }
  if (recording && tracked) not_recorded();
  check_region_fits(mine.entry, mine.count, *mine.out);
  mine.out->bump_version();
  ++all.announced;
}

/// The bytes of a row-major tensor.
struct Bytes {
  const std::byte *begin, *end;
  explicit Bytes(const AnyTensor& t) : begin(t.data_ptr()), end(begin + t.numel() * index_t(size_of(t.dtype()))) {}
  bool apart(const Bytes& other) const { return end <= other.begin || other.end <= begin; }
};

/// Whether a pass over all elements in order does what the statements do one after another: everything is laid out alike,
/// and what is written is read, if at all, in the same places.
TT_NOINLINE inline bool one_pass(dtype type, const Statement* statement, int statements) {
  const dims& size = statement[0].out->sizes();
  const auto in_place = [&](const AnyTensor& t) { return t.dtype() == type && t.is_contiguous() && t.sizes() == size; };
  const auto meets_itself_only = [&](const AnyTensor& t, bool moves) {
    const Bytes mine(t);
    for (int s = 0; s < statements; ++s) {
      const Bytes written(*statement[s].out);
      if (!(moves && mine.begin == written.begin) && !mine.apart(written)) return false;
    }
    return true;
  };
  for (int s = 0; s < statements; ++s)
    if (!in_place(*statement[s].out)) return false;
  for (int s = 0; s < statements; ++s) {
    if (!meets_itself_only(*statement[s].out, true)) return false;
    for (int i = 0; i < statement[s].count; ++i) {
      const AnyTensor* leaf = statement[s].entry[i].tensor;
      if (!leaf) continue;
      const bool moves = in_place(*leaf);
      if ((!moves && leaf->numel() != 1) || !meets_itself_only(*leaf, moves)) return false;
    }
  }
  return true;
}

TT_NOINLINE inline void run_in_one_pass(const SeveralKernel& several, const Statement* statement, int statements) {
  FlatOperand operand[max_assignments * (max_leaves + 1)];
  const AnyTensor* input[max_assignments * max_leaves];
  std::string_view name[max_assignments];
  const dims& size = statement[0].out->sizes();
  int count = 0;
  for (int s = 0; s < statements; ++s) {
    name[s] = statement[s].kernel->names[0];
    for (int i = 0; i < statement[s].count; ++i, ++count) {
      Entry& entry = statement[s].entry[i];
      input[count] = entry.tensor;
      if (entry.tensor) operand[count] = {entry.tensor->data_ptr(), entry.tensor->dtype(), !(entry.tensor->sizes() == size)};
      else operand[count] = {constant_data(entry.constant, several.type), constant_dtype(several.type), true};
    }
  }
  for (int s = 0; s < statements; ++s) operand[count + s] = {statement[s].out->data_ptr(), several.type, false};
  dispatched({"write", {name, std::size_t(statements)}, {input, std::size_t(count)}}, [&] {
    several.drive(several.row, operand, count, statements, size.count());
    return *statement[0].out;
  });
}

TT_NOINLINE inline void run_statements(const SeveralKernel& several, const Statement* statement, int statements) {
  if (one_pass(several.type, statement, statements)) return run_in_one_pass(several, statement, statements);
  for (int s = 0; s < statements; ++s) {
    for (int i = 0; i < statement[s].count; ++i)
      if (statement[s].entry[i].tensor) statement[s].entry[i].version = statement[s].entry[i].tensor->version();
    write_map(*statement[s].kernel, statement[s].entry, statement[s].count, *statement[s].out);
  }
}

/// A tree lowered that is assigned to elements of the dtype Target: an elementwise one as it is, all others as one leaf.
template <class E, dtype Target>
struct LoweredTree : Collected<typename E::held_type> {
  static constexpr int leaves = E::leaves;
  static constexpr dtype compute = E::compute, value = dtype_of<value_t<E>>;
  using program = prog::forward_program<E>;
  explicit LoweredTree(const E& e) : Collected<typename E::held_type>(e.held) {}
};
template <class E, dtype Target>
  requires(!is_map<E>)
struct LoweredTree<E, Target> {
  static constexpr int leaves = 1;
  static constexpr dtype compute = compute_dtype(is_literal<E> ? Target : dtype_of<value_t<E>>), value = compute;
  using program = prog::copy;
  AnyTensor own;
  Entry entry[1];
  explicit LoweredTree(const E& e) {
    Sink sink{entry, &own};
    if constexpr (is_leaf<E>) e.collect(sink);
    else collect_stored(e, sink);
  }
};

template <class Assigned>
using lowered_tree = LoweredTree<typename Assigned::source, dtype_of<value_t<typename Assigned::target>>>;

/// One of several, in its turn: its tree is lowered after the statements before it have announced what they write.
template <std::size_t Position, class Assigned>
struct LoweredStatement : lowered_tree<Assigned> {
  using tree = lowered_tree<Assigned>;
  LoweredStatement(const Assigned& a, Statements& all) : tree(a.from) {
    all.statement[Position] = {&backend<device_t<typename Assigned::target>>::template map<tree::compute, tree::value, typename tree::program, typename tree::program>(),
                           this->entry, tree::leaves, &a.to};
    check_statement(all);
  }
};
template <class Positions, class... Assigned>
struct LoweredStatements;
template <std::size_t... Position, class... Assigned>
struct LoweredStatements<std::index_sequence<Position...>, Assigned...> : LoweredStatement<Position, Assigned>... {
  explicit LoweredStatements(Statements& all, const Assigned&... a) : LoweredStatement<Position, Assigned>(a, all)... {}
};

/// Whether an assignment computes and stores one dtype, without rounding or wrapping.
template <class Assigned, dtype Type>
inline constexpr bool stays_in = dtype_of<value_t<typename Assigned::target>> == Type && lowered_tree<Assigned>::compute == Type &&
                                 lowered_tree<Assigned>::value == Type;
template <class Assigned>
using assigned_program = prog::assigned<typename lowered_tree<Assigned>::program, prog::root_numbers<typename Assigned::source>>;

template <class First, class... Rest>
void fuse_one_dtype(const First& first, const Rest&... rest) {
  Statements all;
  const LoweredStatements<std::index_sequence_for<First, Rest...>, First, Rest...> lowered(all, first, rest...);
  all.checked = true;
  using target = typename First::target;
  run_statements(backend<device_t<target>>::template several<dtype_of<value_t<target>>, assigned_program<First>, assigned_program<Rest>...>(),
                 all.statement, 1 + int(sizeof...(Rest)));
}

/// f of what the elementwise part of a tree ends in: a LeafData for each tensor, a LiteralData for each number, and every other
/// expression as it is.
template <class E, class Function>
void each_operand(E& e, const Function& f) {
  using node = std::remove_const_t<E>;
  if constexpr (is_map<node>) {
    each_operand(e.held, f);
  } else if constexpr (is_held<node>) {
    each_operand(e.a, f);
    if constexpr (requires { e.b; }) each_operand(e.b, f);
    if constexpr (requires { e.c; }) each_operand(e.c, f);
  } else if constexpr (is_apart<node>) {
    each_operand(e.e, f);
  } else if constexpr (std::is_base_of_v<LeafData, node>) {
    using leaf = std::conditional_t<std::is_const_v<E>, const LeafData, LeafData>;
    f(static_cast<leaf&>(e));
  } else {
    f(e);
  }
}
/// Whether something a tree reads requires a gradient; of what has to be stored first its type says so.
template <class E>
bool may_be_tracked(const E& e) {
  bool tracked = false;
  each_operand(e, [&]<class Operand>(const Operand& operand) {
    if constexpr (std::is_same_v<Operand, LeafData>) tracked |= operand.read().requires_grad();
    else if constexpr (is_expression<Operand>) tracked |= order_of<Operand> > 0;
  });
  return tracked;
}
template <class TensorType, class E>
void fuse_alone(Assignment<TensorType, E>& a) {
  each_operand(a.from, []<class Operand>(Operand& operand) {
    if constexpr (std::is_same_v<Operand, LeafData>) operand.version = operand.tensor.version();
  });
  const no_grad guard;
  write_into(a.to, a.from);
}
/// Where values are rounded or wrapped on the way, each assignment runs by itself.
template <class... Assigned>
void fuse_one_by_one(Assigned&... assigned) {
  bool tracked = false;
  ((tracked |= assigned.to.requires_grad(), tracked |= may_be_tracked(assigned.from)), ...);
  if (recording && tracked) not_recorded();
  (fuse_alone(assigned), ...);
}

}  // namespace detail

/// Several assignments in one pass over the elements: fuse(into(m) = b1 * m + g, into(p) -= lr * m). They do what they would
/// do one after another: an expression reads what those before it have written (a sum, a product or another part of it that
/// has to be stored may not: it is refused). One pass it is where everything has one of the dtypes that kernels compute in
/// and is contiguous with equal extents, beside numbers and single elements. Each extent is a broadcast of the tensor's that
/// is written, as in copy_(). Not recorded: where something requires a gradient, call it under no_grad.
template <class... Assigned>
  requires(detail::is_assignment<Assigned> && ...)
void fuse(Assigned... assigned) {
  static_assert(sizeof...(Assigned) >= 1 && sizeof...(Assigned) <= max_assignments, "tt::fuse: one to eight assignments");
  constexpr dtype type = (std::min)({dtype_of<value_t<typename Assigned::target>>...});
  if constexpr ((detail::stays_in<Assigned, type> && ...)) detail::fuse_one_dtype(assigned...);
  else detail::fuse_one_by_one(assigned...);
}

}  // namespace tt
