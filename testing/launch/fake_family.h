// Test only: a family of kernels that counts what is asked of it and launches
// nothing. Whoever links it has it for every architecture.
//
//   FakeFamily::Reset();
//   FakeFamily::prepares = true;
//   EXPECT_TRUE(LaunchGemm(problem, config, ...).ok());
//   EXPECT_EQ(FakeFamily::enqueued, 1);
#ifndef TILETUNE_TESTING_LAUNCH_FAKE_FAMILY_H_
#define TILETUNE_TESTING_LAUNCH_FAKE_FAMILY_H_

#include <cstddef>

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"

namespace tiletune {

// State of the process, as a family is plain functions.
struct FakeFamily {
  // What it is to be like.
  static bool linked;
  static bool prepares;  // has `prepare`, and not only `launch`
  static size_t workspace_needed;
  static absl::Status prepare_status;
  static absl::Status enqueue_status;

  // What was asked of it.
  static int launched;  // with `launch`
  static int prepared;  // with `prepare`
  static int reused;    // of these, with an earlier launch at hand
  static int enqueued;
  static GemmProblem last_problem;
  static const void* last_a;  // that was launched or enqueued
  static GpuStream last_stream;

  static void Reset();
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_FAKE_FAMILY_H_
