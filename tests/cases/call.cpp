#include "call.hpp"

#include <tt/tensor.hpp>

namespace cases {

const tt::Argument& Call::at(const std::string& name) const {
  if (!given(name)) throw tt::not_implemented("an adapter without '" + name + "' is not implemented");
  return values_.at(name);
}

double Call::number(const std::string& name) const {
  const tt::Argument& a = at(name);
  return a.is<std::int64_t>() ? double(a.get<std::int64_t>()) : a.get<double>();
}

std::vector<double> Call::numbers(const std::string& name) const {
  std::vector<double> list;
  for (const tt::Argument& one : at(name).get<tt::Argument::List>())
    list.push_back(one.is<std::int64_t>() ? double(one.get<std::int64_t>()) : one.get<double>());
  return list;
}

tt::dims Call::extents(const std::string& name) const {
  tt::dims size;
  for (const tt::Argument& one : at(name).get<tt::Argument::List>()) size.push_back(one.get<std::int64_t>());
  return size;
}

std::vector<std::uint8_t> Call::bytes(const std::string& name) const {
  const std::string& hex = text(name);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(std::uint8_t(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string Call::unread() const {
  for (const auto& [name, value] : values_)
    if (!read_.contains(name)) return name;
  return "";
}

tt::AnyTensor converted(const tt::AnyTensor& t, tt::dtype type) {
  if (t.dtype() == type) return t;
  const tt::AnyTensor to = tt::AnyTensor::empty(type, t.sizes());
  to.copy_(t);
  return to;
}

const Adapters& adapters() {
  static const Adapters all = [] {
    Adapters table;
    add_shapes(table);
    add_aliasing(table);
    add_lifetime(table);
    add_autograd(table);
    add_second_order(table);
    add_files(table);
    return table;
  }();
  return all;
}

}  // namespace cases
