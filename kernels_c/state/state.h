/* Helpers of the kernels of variables: checks, element operations. */
#ifndef TFCORE_KERNELS_STATE_H
#define TFCORE_KERNELS_STATE_H

#include "kernels_c/common/common.h"

/* Fails if AssignAdd or AssignSub can't update the variable by the value. */
static inline int tfc_check_update(tfc_context* ctx, const tfc_tensor* var,
                                   const tfc_tensor* value) {
  if (tfc_same_shape(var, value)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Parameters and update must be the same size. lhs shape= %s rhs shape= %s",
                   tfc_shape_text(var).text, tfc_shape_text(value).text);
}

/* The operation of a scatter op on an element of the variable and one of the updates. */
typedef enum {
  SCATTER_UPDATE,
  SCATTER_ADD,
  SCATTER_SUB,
  SCATTER_MUL,
  SCATTER_DIV,
  SCATTER_MIN,
  SCATTER_MAX,
  SCATTER_OPS
} scatter_op;

/* dst[i] = dst[i] op src[i * step] for i < n; step is 0 or 1. */
typedef void (*scatter_row_fn)(void* dst, const void* src, int64_t n, int64_t step);

/* NULL if the type has no such operation (strings have none). In scatter_rows.c. */
scatter_row_fn tfc_scatter_row(scatter_op op, int32_t dtype);
/* True if an integer tensor has a zero, which must not be divided by. */
bool tfc_has_integer_zero(const tfc_tensor* t);

#endif /* TFCORE_KERNELS_STATE_H */
