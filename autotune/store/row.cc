#include "autotune/store/row.h"

namespace tiletune {
namespace {

template <typename T>
T As(const Value* value) {
  const T* found = value == nullptr ? nullptr : std::get_if<T>(value);
  return found == nullptr ? T{} : *found;
}

}  // namespace

void Row::Replace(std::string_view name, Value value) {
  for (auto& column : columns_) {
    if (column.first == name) column.second = std::move(value);
  }
}

const Value* Row::Find(std::string_view name) const {
  for (const auto& column : columns_) {
    if (column.first == name) return &column.second;
  }
  return nullptr;
}

int64_t Row::Integer(std::string_view name) const {
  return As<int64_t>(Find(name));
}

double Row::Real(std::string_view name) const {
  const Value* value = Find(name);
  if (value != nullptr && std::holds_alternative<int64_t>(*value)) {
    return static_cast<double>(std::get<int64_t>(*value));
  }
  return As<double>(value);
}

std::string Row::Text(std::string_view name) const {
  return As<std::string>(Find(name));
}

std::vector<float> Row::Floats(std::string_view name) const {
  return As<std::vector<float>>(Find(name));
}

}  // namespace tiletune
