// autotune agree: do two tunes of the same shapes choose alike?
#include <cmath>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/text_table.h"
#include "autotune/study/agreement.h"

namespace tiletune {
namespace {

std::string Loss(double loss) {
  return std::isinf(loss) ? "not in its final"
                          : absl::StrFormat("%+.2f %%", 100 * loss);
}

}  // namespace

int RunAgree(const Options& options) {
  if (options.files.size() != 1) {
    return Fail(absl::InvalidArgumentError(
        "agree needs another database: autotune agree --db=ONE.db OTHER.db"));
  }
  const auto one = OpenStore(options, Store::Mode::kReadOnly);
  if (!one.ok()) return Fail(one.status());
  Options with = options;
  with.db = options.files[0];
  const auto other = OpenStore(with, Store::Mode::kReadOnly);
  if (!other.ok()) return Fail(other.status());
  const absl::StatusOr<Agreement> agreement = Compare(**one, **other);
  if (!agreement.ok()) return Fail(agreement.status());
  if (agreement->shapes.empty()) {
    const absl::StatusOr<std::string> note = OtherBuildsNote(**one, {});
    if (!note.ok()) return Fail(note.status());
    return Fail(absl::NotFoundError(absl::StrCat(
        (*one)->path(), " and ", (*other)->path(), " share no tuned shape",
        note->empty() ? "" : "; ", *note)));
  }
  TextTable table({"problem", "policy", "one", "other", "other's in one",
                   "one's in other", ""});
  for (const ShapeAgreement& s : agreement->shapes) {
    if (s.kind == AgreementKind::kSame) continue;
    table.Add({s.problem, PolicyKey(s.policy), s.one, s.other,
               Loss(s.loss_in_one), Loss(s.loss_in_other),
               s.kind == AgreementKind::kTied ? "tied" : "differ"});
  }
  if (agreement->same < static_cast<int>(agreement->shapes.size())) {
    std::fputs(table.ToString().c_str(), stdout);
  }
  const int agreed = agreement->same + agreement->tied;
  std::printf(
      "%zu shapes: %d with the same winner, %d inside the other's tie set, "
      "%d differ: %.1f %% agree\n",
      agreement->shapes.size(), agreement->same, agreement->tied,
      agreement->differ, 100.0 * agreed / agreement->shapes.size());
  return 0;
}

}  // namespace tiletune
