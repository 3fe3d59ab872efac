// Something that holds SMs while samples are taken, and the rule for those
// samples: what it did not last for ran alone for a while, and does not count.
//
//   std::unique_ptr<SmHolder> holder = Tenant();   // or null: an idle GPU
//   absl::Status s = TakeBeside(holder.get(), [&] { return Sample(&times); });
//   if (s.ok()) Use(times);
#ifndef TILETUNE_AUTOTUNE_MEASURE_SM_HOLDER_H_
#define TILETUNE_AUTOTUNE_MEASURE_SM_HOLDER_H_

#include <functional>

#include "absl/status/status.h"

namespace tiletune {

class SmHolder {
 public:
  virtual ~SmHolder() = default;

  // Holds its SMs when it returns.
  virtual absl::Status Enter() = 0;
  // Whether it has let go of them by itself.
  virtual bool HasEnded() = 0;
  // Lets go of them. OK where it holds none.
  virtual absl::Status Leave() = 0;
};

// Calls `take` while `holder` (null: nobody) holds its SMs. Errors are those of
// Enter, then `take` has not been called, of `take` and of Leave, the first of
// them; DeadlineExceeded if the holder had ended before `take` had.
absl::Status TakeBeside(SmHolder* holder,
                        const std::function<absl::Status()>& take);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_SM_HOLDER_H_
