// The worker's side of the worker process: serves a bench over two file
// descriptors until the tuner closes them.
//
//   // in the process that the tuner started:
//   std::unique_ptr<Bench> bench = OpenTheDevice();
//   return ServeBench(bench.get(), STDIN_FILENO, STDOUT_FILENO);
#ifndef TILETUNE_AUTOTUNE_WORKER_WORKER_H_
#define TILETUNE_AUTOTUNE_WORKER_WORKER_H_

#include "autotune/measure/bench.h"

namespace tiletune {

// Answers each request line with one reply line. Returns 0 when `in` ends.
// After a trial that crashed the device context it answers and returns 1: the
// context is gone, and only a new process gets a new one.
int ServeBench(Bench* bench, int in, int out);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_WORKER_WORKER_H_
