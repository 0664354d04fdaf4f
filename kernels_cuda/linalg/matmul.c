/* MatMul, BatchMatMul, BatchMatMulV2. */
#include "kernels_cuda/linalg/matmul.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/linalg/matmul_shape.h"
#include "kernels_cuda/cwise/launch.h"
#include "kernels_cuda/linalg/gemm_launch.h"
#include "kernels_cuda/reduce/launch.h"

typedef struct matmul_state {
  const tfc_function* multiply[GEMM_TILES];
  const tfc_function* sum; /* of partial products */
  int flags;
} matmul_state;

static int read_op(tfc_construction* c, void* state) {
  const bool batch = strcmp(c->op_type, "MatMul") != 0;
  const int32_t dtype = c->input_dtypes[0] % TFC_REF;
  matmul_state* s = state;
  void* flags;
  TFC_TRY(
      matmul_flags(c, batch ? "adj_x" : "transpose_a", batch ? "adj_y" : "transpose_b", &flags));
  s->flags = (int)(intptr_t)flags;
  TFC_TRY(tfc_find_gemm(c, "linalg/matmul", "MatMul", dtype, s->multiply));
  return tfc_find_function(c, "reduce/reduce", "Sum", dtype, &s->sum);
}
static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(matmul_state), read_op, state);
}

/* The batch, in as few dimensions as possible. */
static int set_batch(tfc_context* ctx, const matmul_shape* shape, matmul_params* p) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  const int rank = shape->rank - 2;
  int64_t x_stride[TFC_MAX_RANK], y_stride[TFC_MAX_RANK];
  tfc_broadcast b = {.rank = 0};
  matmul_batch_strides(x, rank, x_stride);
  matmul_batch_strides(y, rank, y_stride);
  for (int d = 0; d < rank; d++)
    tfc_broadcast_add_dim(&b, shape->dims[d], x_stride[d], y_stride[d]);
  TFC_TRY(tfc_cwise_check_rank(ctx, b.rank));
  p->batch_rank = b.rank;
  for (int d = 0; d < b.rank; d++) {
    p->batch_dims[d] = b.dims[d];
    p->a_stride[d] = b.x_stride[d] * shape->m * shape->k;
    p->b_stride[d] = b.y_stride[d] * shape->k * shape->n;
  }
  return TFC_OK;
}

/* All rows are multiplied by the same b and are contiguous: one tall matrix. */
static bool is_tall(const matmul_params* p) {
  return p->batch_rank == 1 && p->b_stride[0] == 0 && p->a_depth_step == 1 &&
         p->a_row_step == p->size.k && p->a_stride[0] == p->size.m * p->size.k;
}

static int multiply(tfc_context* ctx, const matmul_shape* shape) {
  const matmul_state* s = ctx->state;
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1], *c = &ctx->outputs[0];
  TFC_TRY(tfc_output(ctx, 0, shape->rank, shape->dims));
  if (c->n == 0) return TFC_OK;
  matmul_params p = {.a = a->data,
                     .b = b->data,
                     .c = c->data,
                     .size = {.batch = c->n / shape->m / shape->n,
                              .m = shape->m,
                              .n = shape->n,
                              .k = shape->k,
                              .wide = tfc_accumulator_size(c->dtype) > 4},
                     .a_row_step = shape->a_rs,
                     .a_depth_step = shape->a_cs,
                     .b_depth_step = shape->b_rs,
                     .b_col_step = shape->b_cs};
  TFC_TRY(set_batch(ctx, shape, &p));
  if (is_tall(&p)) {
    p.size.m *= p.size.batch;
    p.size.batch = 1;
    p.batch_rank = 0;
  }
  matmul_plan(&p);
  const tfc_function* function = s->multiply[p.size.tile];
  if (p.size.chunks == 1) return TFC_LAUNCH(ctx, function, matmul, &p);
  p.c = tfc_scratch_items(ctx, p.size.chunks * c->n, tfc_accumulator_size(c->dtype));
  if (!p.c) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(TFC_LAUNCH(ctx, function, matmul, &p));
  return tfc_reduce_partial(ctx, s->sum, p.c, c->data, p.size.chunks, c->n);
}

#define MATMUL(OP, FIT)                                                  \
  static int compute_##OP(tfc_context* ctx) {                            \
    matmul_shape shape = {0};                                            \
    TFC_TRY(FIT(ctx, ((const matmul_state*)ctx->state)->flags, &shape)); \
    return multiply(ctx, &shape);                                        \
  }
MATMUL(MatMul, matmul_fit)
MATMUL(BatchMatMul, matmul_fit_batch)
MATMUL(BatchMatMulV2, matmul_fit_batch_v2)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MatMul", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES "|" TFC_TYPES_UNSIGNED,
            compute_MatMul, TFC_STATE(create)),
    TFC_ROW("BatchMatMul", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES, compute_BatchMatMul,
            TFC_STATE(create)),
    TFC_ROW("BatchMatMulV2",
            "T=" TFC_TYPES_FLOATS "|int16|" TFC_TYPES_INDICES "|" TFC_TYPES_UNSIGNED,
            compute_BatchMatMulV2, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
