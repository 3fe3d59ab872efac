// Test only: code that must neither allocate nor call the system. Whoever links
// it has every operator new counted.
//
//   const int64_t before = AllocationsSoFar();
//   Launch();
//   EXPECT_EQ(AllocationsSoFar(), before);
//   EXPECT_EQ(StatusWithoutSystemCalls([] { Launch(); }), 0);
#ifndef TILETUNE_TESTING_LAUNCH_HOT_PATH_H_
#define TILETUNE_TESTING_LAUNCH_HOT_PATH_H_

#include <cstdint>
#include <functional>

namespace tiletune {

int64_t AllocationsSoFar();

// The wait status of a child that ran `body` under a filter which kills it at
// its first system call: 0 when it made none.
int StatusWithoutSystemCalls(const std::function<void()>& body);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_HOT_PATH_H_
