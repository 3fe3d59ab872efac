/* The C interface: which kernel would run on a modelled B200, and why.
 *
 *   bazel run //examples:tuned_gemm_c
 */
#include "dispatch/tuned_gemm_c.h"

#include <stdio.h>

int main(void) {
  tiletune_options options;
  tiletune_problem problem;
  tiletune_choice choice;
  tiletune_gemm* gemm = NULL;

  tiletune_options_init(&options);
  options.modelled_device = "b200";
  if (tiletune_open(&options, &gemm) != TILETUNE_OK) {
    fprintf(stderr, "%s\n", tiletune_error());
    return 1;
  }
  tiletune_problem_init(&problem);
  problem.m = problem.n = problem.k = 4096;
  if (tiletune_choose(gemm, &problem, &choice) != TILETUNE_OK) {
    fprintf(stderr, "%s\n", tiletune_error());
    tiletune_close(gemm);
    return 1;
  }
  printf("4096 x 4096 x 4096: %s (%s)\n", choice.config,
         tiletune_why_name(choice.why));
  tiletune_close(gemm);
  return 0;
}
