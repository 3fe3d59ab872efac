#include "testing/blackwell/case_flags.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"

namespace tiletune {

CaseFlags::CaseFlags(const std::vector<std::string>& words,
                     const std::set<std::string>& known,
                     const std::set<std::string>& switches) {
  for (const std::string& word : words) {
    if (word.rfind("--", 0) != 0) {
      names_.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string flag =
        word.substr(2, has_value ? equals - 2 : std::string::npos);
    if (known.count(flag) == 0) {
      Fail("there is no flag --", flag, "; there are --",
           absl::StrJoin(known, ", --"));
    } else if (!has_value && switches.count(flag) == 0) {
      Fail("--", flag, " needs a value: --", flag, "=...");
    } else if (!values_.emplace(flag, has_value ? word.substr(equals + 1) : "")
                    .second) {
      Fail("--", flag, " is there twice");
    }
  }
}

std::string CaseFlags::ValueOf(const std::string& flag,
                               const std::string& otherwise) const {
  const auto at = values_.find(flag);
  return at == values_.end() ? otherwise : at->second;
}

void CaseFlags::ReadChoice(const std::string& flag,
                           const std::vector<std::string>& choices,
                           std::string* value) {
  if (!Has(flag)) return;
  *value = values_[flag];
  if (std::count(choices.begin(), choices.end(), *value) == 0) {
    Fail("--", flag, "=", *value, ": ", absl::StrJoin(choices, " or "));
  }
}

bool CaseFlags::ReadWhole(const std::string& flag, int64_t least, int64_t most,
                          int64_t* number) {
  if (!Has(flag)) return false;
  const std::string& text = values_[flag];
  if (absl::SimpleAtoi(text, number) && *number >= least && *number <= most) {
    return true;
  }
  Fail("--", flag, "=", text, ": a whole number from ", least, " to ", most);
  return false;
}

bool CaseFlags::ReadNumber(const std::string& flag, double least, double most,
                           double* number) {
  if (!Has(flag)) return false;
  const std::string& text = values_[flag];
  if (absl::SimpleAtod(text, number) && *number >= least && *number <= most) {
    return true;
  }
  Fail("--", flag, "=", text, ": a number from ", least, " to ", most);
  return false;
}

}  // namespace tiletune
