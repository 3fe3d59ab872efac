// Whether two databases of independent tunes chose alike.
//
//   Agreement a = *Compare(*one, *other);
//   printf("%d of %zu\n", a.same + a.tied, a.shapes.size());
//   for (const ShapeAgreement& s : a.shapes)
//     if (s.kind == AgreementKind::kDiffer) Print(s.problem);
//
// Two tunes of one GPU need not choose the same config to be right: where
// several tie, either's noise decides. They agree where the choice of one is
// in the tie set of the other.
#ifndef TILETUNE_AUTOTUNE_STUDY_AGREEMENT_H_
#define TILETUNE_AUTOTUNE_STUDY_AGREEMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"

namespace tiletune {

enum class AgreementKind {
  kSame,    // the same config
  kTied,    // another, which is in the other's tie set
  kDiffer,  // neither
};

struct ShapeAgreement {
  std::string device;
  std::string problem;
  MeasurementPolicy policy;
  std::string one, other;  // the winners' keys
  AgreementKind kind = AgreementKind::kDiffer;
  // How much slower `other` is than `one` in the first database, and `one` than
  // `other` in the second; infinite where that one was not in the final.
  double loss_in_one = 0;
  double loss_in_other = 0;
};

struct Agreement {
  std::vector<ShapeAgreement> shapes;  // those that both have tuned
  int same = 0;
  int tied = 0;
  int differ = 0;
};

// Errors are the stores'.
absl::StatusOr<Agreement> Compare(const Store& one, const Store& other);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STUDY_AGREEMENT_H_
