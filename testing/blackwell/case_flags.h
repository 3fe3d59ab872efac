// CaseFlags: words such as --m=300, read by name. The first error is kept, so
// that many can be read before one looks.
//
// Use it in case_request.cc.
//
//   CaseFlags flags({"kernel", "--m=300"}, {"m", "list"}, {"list"});
//   flags.Read("m", 0, 1 << 20, &problem.m);
//   flags.ReadName("layout", &ParseLayout, &problem.layout);
//   if (!flags.status().ok()) return flags.status();
#ifndef TILETUNE_TESTING_BLACKWELL_CASE_FLAGS_H_
#define TILETUNE_TESTING_BLACKWELL_CASE_FLAGS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace tiletune {

class CaseFlags {
 public:
  // `known` are the flags there are; those of `switches` need no value.
  CaseFlags(const std::vector<std::string>& words,
            const std::set<std::string>& known,
            const std::set<std::string>& switches);

  // What is no flag.
  const std::vector<std::string>& names() const { return names_; }
  bool Has(const std::string& flag) const { return values_.count(flag) != 0; }
  std::string ValueOf(const std::string& flag,
                      const std::string& otherwise) const;

  // InvalidArgument: the first thing that was wrong, and what would be right.
  const absl::Status& status() const { return status_; }
  template <typename... Parts>
  void Fail(const Parts&... parts) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat(parts...));
  }

  // Each leaves `*value` as it is where the flag is not given. A whole number
  // within [least, most]:
  template <typename Integer>
  void Read(const std::string& flag, int64_t least, int64_t most,
            Integer* value) {
    int64_t number = 0;
    if (ReadWhole(flag, least, most, &number)) {
      *value = static_cast<Integer>(number);
    }
  }
  // Any number within [least, most].
  template <typename Real>
  void ReadReal(const std::string& flag, double least, double most,
                Real* value) {
    double number = 0;
    if (ReadNumber(flag, least, most, &number)) {
      *value = static_cast<Real>(number);
    }
  }
  // A name that `parse` knows.
  template <typename Enum>
  void ReadName(const std::string& flag,
                absl::StatusOr<Enum> (*parse)(std::string_view), Enum* value) {
    if (!Has(flag)) return;
    const absl::StatusOr<Enum> parsed = parse(values_[flag]);
    if (parsed.ok()) {
      *value = *parsed;
    } else {
      Fail("--", flag, ": ", std::string(parsed.status().message()));
    }
  }
  // One of `choices`.
  void ReadChoice(const std::string& flag,
                  const std::vector<std::string>& choices, std::string* value);

 private:
  bool ReadWhole(const std::string& flag, int64_t least, int64_t most,
                 int64_t* number);
  bool ReadNumber(const std::string& flag, double least, double most,
                  double* number);

  std::vector<std::string> names_;
  std::map<std::string, std::string> values_;
  absl::Status status_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_CASE_FLAGS_H_
