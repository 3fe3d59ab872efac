// A row as named values: what moves between files, text and structs. For the
// files of this folder only.
//
//   Row row;
//   row.Set("device", std::string("cc9.0 ..."));
//   row.Set("sm_count", int64_t{132});
//   absl::Status bound = statement.BindNamed(row);   // ":device", ":sm_count"
#ifndef TILETUNE_AUTOTUNE_STORE_ROW_H_
#define TILETUNE_AUTOTUNE_STORE_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tiletune {

// std::monostate is NULL; a vector of floats is a BLOB of them.
using Value = std::variant<std::monostate, int64_t, double, std::string,
                           std::vector<float>>;

class Row {
 public:
  void Set(std::string_view name, Value value) {
    columns_.emplace_back(std::string(name), std::move(value));
  }

  // The column must be there.
  void Replace(std::string_view name, Value value);

  // nullptr when there is no such column.
  const Value* Find(std::string_view name) const;

  // The column as the type asked for; 0 or empty when it is absent or of
  // another type, so that a damaged file cannot make these fail.
  int64_t Integer(std::string_view name) const;
  double Real(std::string_view name) const;
  std::string Text(std::string_view name) const;
  std::vector<float> Floats(std::string_view name) const;

  const std::vector<std::pair<std::string, Value>>& columns() const {
    return columns_;
  }

 private:
  std::vector<std::pair<std::string, Value>> columns_;  // in SELECT's order
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_ROW_H_
