/* Helpers of the kernels of variables: texts of positions, element operations. */
#ifndef TFCORE_KERNELS_STATE_H
#define TFCORE_KERNELS_STATE_H

#include "common.h"

/* Coordinates of element `i` of a tensor, as "[1,2]". */
static inline tfc_text state_position_text(const tfc_tensor* t, int rank, int64_t i) {
  int64_t at[TFC_MAX_RANK] = {0};
  for (int d = rank - 1; d >= 0; d--) {
    at[d] = t->dims[d] ? i % t->dims[d] : 0;
    i = t->dims[d] ? i / t->dims[d] : 0;
  }
  return tfc_dims_text(rank, at);
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
