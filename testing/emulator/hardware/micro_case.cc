#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {

MicroCase Case(const std::string& theme, const std::string& kernel,
               size_t out_bytes) {
  MicroCase c;
  c.name = kernel;
  c.theme = theme;
  c.kernel = kernel;
  c.out_bytes = out_bytes;
  return c;
}

std::ostream& operator<<(std::ostream& stream, const MicroCase& c) {
  return stream << c.theme << ".cu " << c.kernel << " " << c.name;
}

std::vector<MicroCase> AllCases() {
  std::vector<MicroCase> all;
  for (const auto& part : {TmaLoadCases(), TmaStoreCases(), CopyCases(),
                           WgmmaCases(), WarpCases(), ScalarCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace tiletune::micro
