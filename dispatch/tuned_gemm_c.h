/* tuned_gemm.h for C (C99 and newer) and for whoever calls C.
 *
 *   tiletune_gemm* gemm = NULL;
 *   if (tiletune_open(NULL, &gemm) != TILETUNE_OK) puts(tiletune_error());
 *   tiletune_problem p; tiletune_problem_init(&p); p.m = p.n = p.k = 4096;
 *   tiletune_arguments x; tiletune_arguments_init(&x); x.a = a; ...
 *   size_t bytes; tiletune_workspace_bytes(gemm, &p, &bytes);
 *   ... cudaMalloc(&workspace, bytes) ...
 *   tiletune_prepare_workspace(gemm, workspace, bytes, stream);     (once)
 *   int code = tiletune_run(gemm, &p, &x, workspace, bytes, stream, NULL);
 *
 * With NULL and 0 for the workspace, configs that need one are passed over.
 * Meanings, defaults, units and thread safety are those of tuned_gemm.h,
 * kernels/problem.h and kernels/gemm.h. No function throws.
 */
#ifndef TILETUNE_DISPATCH_TUNED_GEMM_C_H_
#define TILETUNE_DISPATCH_TUNED_GEMM_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tiletune_gemm tiletune_gemm;
typedef struct tiletune_prepared tiletune_prepared;

/* The canonical status codes of Abseil and gRPC, those that occur here. */
enum {
  TILETUNE_OK = 0,
  TILETUNE_INVALID_ARGUMENT = 3,
  TILETUNE_NOT_FOUND = 5,
  TILETUNE_FAILED_PRECONDITION = 9,
  TILETUNE_UNIMPLEMENTED = 12,
  TILETUNE_INTERNAL = 13,
  TILETUNE_UNAVAILABLE = 14
};

/* DataType, Layout, Activation, Bias, Scaling and Why, in their order. */
enum {
  TILETUNE_BF16,
  TILETUNE_FP16,
  TILETUNE_FP32,
  TILETUNE_FP8_E4M3,
  TILETUNE_FP8_E5M2
};
enum { TILETUNE_TN, TILETUNE_NN, TILETUNE_NT, TILETUNE_TT };
enum { TILETUNE_NO_ACTIVATION, TILETUNE_RELU, TILETUNE_GELU, TILETUNE_SILU };
enum { TILETUNE_NO_BIAS, TILETUNE_BIAS_PER_ROW, TILETUNE_BIAS_PER_COLUMN };
enum {
  TILETUNE_NO_SCALING,
  TILETUNE_SCALE_PER_TENSOR,
  TILETUNE_SCALE_PER_ROW_COLUMN,
  TILETUNE_SCALE_BLOCK_128 /* laid out as kernels/scale_layout.h says */
};
enum {
  TILETUNE_PINNED,
  TILETUNE_TUNED,
  TILETUNE_SYSTEM,
  TILETUNE_NEAREST,
  TILETUNE_PREDICTED,
  TILETUNE_DEFAULT
};

/* The value of a leading dimension or batch stride that means "packed". */
#define TILETUNE_PACKED (-1)

typedef struct {
  int64_t m, n, k, batch;
  int32_t a_type, b_type, c_type, d_type;
  int32_t layout;
  int64_t lda, ldb, ldc, ldd;
  int64_t batch_stride_a, batch_stride_b, batch_stride_c, batch_stride_d;
  int32_t pointer_alignment; /* bytes */
  int32_t scaling;
  int32_t reads_c, bias, activation, amax;
} tiletune_problem;

typedef struct {
  const void *a, *b, *c;
  void* d;
  const void* bias;
  float alpha, beta;
  const float *alpha_device, *beta_device;
  const float *scale_a, *scale_b, *scale_d;
  float* amax_d;
} tiletune_arguments;

typedef struct {
  const char* user_database;   /* NULL: the default path; "": none */
  const char* system_database; /* NULL: $TILETUNE_SYSTEM_DB; "": none */
  int32_t device_ordinal;
  const char* modelled_device; /* such as "b200": nothing can run then */
  const char* policy;          /* NULL: "cold-graph-busy0" */
  int32_t batch_invariant;     /* 1: equal rows of A give equal bits at any M */
  void (*warn)(void* warn_data, const char* text); /* NULL: stderr */
  void* warn_data;
} tiletune_options;

typedef struct {
  char config[128]; /* ConfigKey() */
  int32_t why;
  size_t workspace_bytes; /* 0 on a modelled device, where nothing runs */
  double expected_ns;     /* 0: unknown */
} tiletune_choice;

/* What a program that sets no field means. */
void tiletune_options_init(tiletune_options* options);
void tiletune_problem_init(tiletune_problem* problem);
void tiletune_arguments_init(tiletune_arguments* arguments);

/* `options` may be NULL. On success *gemm must be closed one day. */
int tiletune_open(const tiletune_options* options, tiletune_gemm** gemm);
void tiletune_close(tiletune_gemm* gemm); /* NULL is no error */

/* `stream` is a cudaStream_t; `ran` may be NULL. */
int tiletune_run(tiletune_gemm* gemm, const tiletune_problem* problem,
                 const tiletune_arguments* arguments, void* workspace,
                 size_t workspace_bytes, void* stream, tiletune_choice* ran);
int tiletune_choose(tiletune_gemm* gemm, const tiletune_problem* problem,
                    tiletune_choice* choice);
int tiletune_workspace_bytes(tiletune_gemm* gemm,
                             const tiletune_problem* problem, size_t* bytes);
/* Once for each workspace, before its first use: enqueues the writing of the
 * zeros that kernels count on. A GEMM in a workspace without them may give
 * wrong results and TILETUNE_OK (dispatch/workspace.h). */
int tiletune_prepare_workspace(tiletune_gemm* gemm, void* workspace,
                               size_t workspace_bytes, void* stream);
/* What tiletune_run would enqueue, made ready to be launched any number of
 * times (kernels/prepared_gemm.h). `chosen` may be NULL. On success *prepared
 * must be closed one day; it does not need `gemm` any more. */
int tiletune_prepare(tiletune_gemm* gemm, const tiletune_problem* problem,
                     const tiletune_arguments* arguments, void* workspace,
                     size_t workspace_bytes, tiletune_prepared** prepared,
                     tiletune_choice* chosen);
int tiletune_prepared_launch(const tiletune_prepared* prepared, void* stream);
/* Other operands, from the next launch on; not while another thread launches.
 * The workspace stays. */
int tiletune_prepared_set_arguments(tiletune_prepared* prepared,
                                    const tiletune_arguments* arguments);
void tiletune_prepared_close(
    tiletune_prepared* prepared); /* NULL is no error */

/* 1 when the databases had changed, else 0. */
int tiletune_reload(tiletune_gemm* gemm);

/* "tuned", ...; "unknown" for no value of the enumeration. */
const char* tiletune_why_name(int32_t why);
/* The message of this thread's last call that did not return TILETUNE_OK;
 * valid until its next such call. */
const char* tiletune_error(void);

#ifdef __cplusplus
}
#endif

#endif /* TILETUNE_DISPATCH_TUNED_GEMM_C_H_ */
