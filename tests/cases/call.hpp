// A check's operation: its inputs and arguments by name, its results by name, and the table of what runs them.
#pragma once
#include <tt/registry.hpp>

#include <map>
#include <set>

namespace cases {

/// What an operation gives: tensors, numbers, lists of numbers, texts.
using Results = std::map<std::string, tt::Argument>;

/// The inputs and arguments of a check. What an adapter does not read it does not know: see unread().
class Call {
 public:
  explicit Call(Results values) : values_(std::move(values)) {}

  bool given(const std::string& name) const {
    read_.insert(name);
    return values_.contains(name);
  }
  /// Throws not_implemented if it is not there.
  const tt::Argument& at(const std::string& name) const;
  const tt::AnyTensor& tensor(const std::string& name) const { return at(name).tensor(); }
  tt::index_t integer(const std::string& name) const { return at(name).get<std::int64_t>(); }
  bool boolean(const std::string& name) const { return at(name).get<bool>(); }
  const std::string& text(const std::string& name) const { return at(name).get<std::string>(); }
  double number(const std::string& name) const;
  std::vector<double> numbers(const std::string& name) const;
  tt::dims extents(const std::string& name) const;
  /// The bytes of an input written in hex.
  std::vector<std::uint8_t> bytes(const std::string& name) const;
  /// A name that was given and that nobody asked for; empty if there is none.
  std::string unread() const;

 private:
  Results values_;
  mutable std::set<std::string> read_;
};

using Adapter = Results (*)(const Call&);
using Adapters = std::map<std::string, Adapter>;

// By area of the cases, each in a translation unit of its own.
void add_shapes(Adapters&);
void add_aliasing(Adapters&);
void add_lifetime(Adapters&);
void add_autograd(Adapters&);
void add_second_order(Adapters&);
void add_files(Adapters&);

const Adapters& adapters();

/// The elements in another dtype, off the tape.
tt::AnyTensor converted(const tt::AnyTensor& t, tt::dtype type);

}  // namespace cases
