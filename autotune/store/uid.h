// Names for rows that no other machine will make again.
//
//   std::string uid = MakeUid();   // "9f86d081884c7d659a2feaa0c55ad015"
//   assert(uid.size() == 32);
//   measurement.uid = uid;
//   run.uid = MakeUid();
#ifndef TILETUNE_AUTOTUNE_STORE_UID_H_
#define TILETUNE_AUTOTUNE_STORE_UID_H_

#include <string>

namespace tiletune {

// 128 random bits in hex, from the operating system: processes forked from
// one parent do not repeat each other.
std::string MakeUid();

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_UID_H_
