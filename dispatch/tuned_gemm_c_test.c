/* The C interface from a C program. Exits with 0 when all of it holds. */
#include "dispatch/tuned_gemm_c.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                               \
  do {                                                                  \
    if (!(condition)) {                                                 \
      ++failures;                                                       \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, \
              __LINE__, #condition, tiletune_error());                  \
    }                                                                   \
  } while (0)

static void CountWarning(void* count, const char* text) {
  (void)text;
  ++*(int*)count;
}

static tiletune_gemm* OpenModelled(int* warnings) {
  tiletune_options options;
  tiletune_gemm* gemm = NULL;
  tiletune_options_init(&options);
  options.user_database = "/no/such/folder/x.db";
  options.system_database = "";
  options.modelled_device = "b200";
  options.policy = "warm-stream-busy0";
  options.warn = CountWarning;
  options.warn_data = warnings;
  EXPECT(tiletune_open(&options, &gemm) == TILETUNE_OK);
  return gemm;
}

static void ChoosesForAModelledDevice(void) {
  int warnings = 0;
  size_t bytes = 1;
  tiletune_problem problem;
  tiletune_choice choice;
  tiletune_gemm* gemm = OpenModelled(&warnings);
  EXPECT(gemm != NULL);
  EXPECT(warnings == 1);
  tiletune_problem_init(&problem);
  problem.m = problem.n = problem.k = 4096;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_OK);
  EXPECT(choice.why == TILETUNE_DEFAULT);
  EXPECT(strcmp(tiletune_why_name(choice.why), "default") == 0);
  EXPECT(strchr(choice.config, ' ') != NULL);
  EXPECT(tiletune_workspace_bytes(gemm, &problem, &bytes) == TILETUNE_OK);
  EXPECT(tiletune_prepare_workspace(gemm, NULL, 0, NULL) == TILETUNE_OK);
  EXPECT(tiletune_prepare_workspace(gemm, NULL, 512, NULL) != TILETUNE_OK);
  EXPECT(tiletune_reload(gemm) == 0);
  tiletune_close(gemm);
}

/* Few tiles with a long K: split, unless every M must sum in one order. */
static void BatchInvarianceForbidsSplits(void) {
  int invariant;
  for (invariant = 0; invariant < 2; ++invariant) {
    tiletune_options options;
    tiletune_problem problem;
    tiletune_choice choice;
    tiletune_gemm* gemm = NULL;
    tiletune_options_init(&options);
    options.user_database = options.system_database = "";
    options.modelled_device = "b200";
    options.batch_invariant = invariant;
    EXPECT(tiletune_open(&options, &gemm) == TILETUNE_OK);
    tiletune_problem_init(&problem);
    problem.m = problem.n = 128;
    problem.k = 65536;
    EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_OK);
    EXPECT((strcmp(strrchr(choice.config, ' '), " k1") == 0) == invariant);
    tiletune_close(gemm);
  }
}

static void NothingRunsOnAModelledDevice(void) {
  int warnings = 0;
  tiletune_problem problem;
  tiletune_arguments arguments;
  tiletune_prepared* prepared = (tiletune_prepared*)&problem;
  tiletune_gemm* gemm = OpenModelled(&warnings);
  tiletune_problem_init(&problem);
  tiletune_arguments_init(&arguments);
  EXPECT(arguments.alpha == 1.0f);
  problem.m = problem.n = problem.k = 64;
  EXPECT(tiletune_run(gemm, &problem, &arguments, NULL, 0, NULL, NULL) ==
         TILETUNE_FAILED_PRECONDITION);
  EXPECT(strstr(tiletune_error(), "modelled") != NULL);
  EXPECT(tiletune_prepare(gemm, &problem, &arguments, NULL, 0, &prepared,
                          NULL) == TILETUNE_FAILED_PRECONDITION);
  EXPECT(prepared == NULL);
  tiletune_close(gemm);
}

/* With no GPU, no driver or no CUDA in this build there is a reason. */
static void ARealDeviceOpensOrIsUnavailable(void) {
  tiletune_options options;
  tiletune_gemm* gemm = NULL;
  int code;
  tiletune_options_init(&options);
  options.user_database = options.system_database = "";
  code = tiletune_open(&options, &gemm);
  EXPECT(code == TILETUNE_OK || code == TILETUNE_UNAVAILABLE);
  EXPECT((gemm != NULL) == (code == TILETUNE_OK));
  EXPECT(code == TILETUNE_OK || strstr(tiletune_error(), "CUDA") != NULL);
  tiletune_close(gemm);
}

static void BadCallsAreErrors(void) {
  int warnings = 0;
  tiletune_problem problem;
  tiletune_choice choice;
  tiletune_options options;
  tiletune_gemm* gemm = OpenModelled(&warnings);
  tiletune_problem_init(&problem);
  problem.m = problem.n = problem.k = 64;
  EXPECT(tiletune_choose(NULL, &problem, &choice) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(strcmp(tiletune_error(), "gemm is null") == 0);
  EXPECT(tiletune_choose(gemm, NULL, &choice) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_choose(gemm, &problem, NULL) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_run(gemm, &problem, NULL, NULL, 0, NULL, NULL) ==
         TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_prepare(gemm, &problem, NULL, NULL, 0, NULL, NULL) ==
         TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_prepared_launch(NULL, NULL) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_prepared_set_arguments(NULL, NULL) ==
         TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_prepare_workspace(NULL, NULL, 0, NULL) ==
         TILETUNE_INVALID_ARGUMENT);
  tiletune_prepared_close(NULL);
  problem.layout = 17;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_INVALID_ARGUMENT);
  problem.layout = -1;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_INVALID_ARGUMENT);
  problem.layout = TILETUNE_TN;
  problem.a_type = problem.b_type = TILETUNE_FP8_E4M3;
  problem.scaling = TILETUNE_SCALE_BLOCK_128;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_OK);
  problem.scaling = TILETUNE_SCALE_BLOCK_128 + 1;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_INVALID_ARGUMENT);
  problem.scaling = TILETUNE_NO_SCALING;
  problem.m = -5;
  EXPECT(tiletune_choose(gemm, &problem, &choice) == TILETUNE_INVALID_ARGUMENT);
  tiletune_close(gemm);

  tiletune_options_init(&options);
  options.modelled_device = "abacus";
  EXPECT(tiletune_open(&options, &gemm) == TILETUNE_NOT_FOUND);
  EXPECT(gemm == NULL);
  options.modelled_device = "b200";
  options.policy = "lukewarm";
  EXPECT(tiletune_open(&options, &gemm) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(tiletune_open(NULL, NULL) == TILETUNE_INVALID_ARGUMENT);
  EXPECT(strcmp(tiletune_why_name(99), "unknown") == 0);
  tiletune_close(NULL);
}

int main(void) {
  ChoosesForAModelledDevice();
  BatchInvarianceForbidsSplits();
  NothingRunsOnAModelledDevice();
  ARealDeviceOpensOrIsUnavailable();
  BadCallsAreErrors();
  if (failures == 0) puts("all of it holds");
  return failures != 0;
}
