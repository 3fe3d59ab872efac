// A database of many tuned problems, for the tests of speed.
//
//   TemporaryFolder folder;
//   std::vector<GemmProblem> problems =
//       TuneMany(folder.File("many.db"), 20000, TestDevice());
//   // each of them is a hit now
#ifndef TILETUNE_DISPATCH_MANY_PROBLEMS_H_
#define TILETUNE_DISPATCH_MANY_PROBLEMS_H_

#include <string>
#include <vector>

#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// Makes the file with `count` winners, in one transaction. Aborts when it
// cannot.
std::vector<GemmProblem> TuneMany(const std::string& path, int count,
                                  const DeviceFacts& device);

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_MANY_PROBLEMS_H_
