#include "testing/hopper/family_answer.h"

#include "testing/hopper/family_run.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {

std::string FamilyAnswerOfFp64(const FamilyCase& c) {
  HostOperands host(c.problem);
  host.FillSmallIntegers(kFamilySeed);
  HostArguments arguments = host.arguments();
  arguments.alpha = c.alpha;
  arguments.beta = c.beta;
  WriteReference(c.problem, ComputeReference(c.problem, arguments),
                 host.d().data());
  return DescribeFamilyAnswer(host.d());
}

}  // namespace tiletune
