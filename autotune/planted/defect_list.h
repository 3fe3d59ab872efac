// Which config has which defect, as text: what the environment of
// planted_autotune says.
//
//   DefectList list = *DefectList::Parse("hang:*o2zn*,one-nan:*queue*");
//   if (list.Of(ConfigKey(config)) == Defect::kHangs) Hang();
#ifndef TILETUNE_AUTOTUNE_PLANTED_DEFECT_LIST_H_
#define TILETUNE_AUTOTUNE_PLANTED_DEFECT_LIST_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/planted/defect.h"

namespace tiletune {

// Names as planted_test plants them: "skips-last-rows", "hangs", ...
std::string_view Name(Defect defect);
// All of them but kNone, in the order of the enum.
std::vector<Defect> AllDefects();
// Whether the kernel ends well and its result is wrong.
bool IsBug(Defect defect);

class DefectList {
 public:
  // "NAME:GLOB,NAME:GLOB,..."; InvalidArgument for an unknown name.
  static absl::StatusOr<DefectList> Parse(std::string_view text);

  // The defect of the first glob that matches; kNone without any.
  Defect Of(std::string_view config_key) const;

 private:
  std::vector<std::pair<Defect, std::string>> entries_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_PLANTED_DEFECT_LIST_H_
