/* Accumulates rows, for scatter and segment ops. */
#ifndef TFCORE_ROWS_H
#define TFCORE_ROWS_H

#include "kernels_c/common/common.h"

typedef enum { TFC_ROW_ADD, TFC_ROW_SUB, TFC_ROW_MUL, TFC_ROW_MAX, TFC_ROW_MIN } tfc_row_kind;

/* acc[i] = acc[i] op x[i] for n elements. Integers wrap; max and min keep NaN. */
typedef void (*tfc_row_fn)(void* acc, const void* x, int64_t n);

/* NULL if there is none for the type. Half types combine in the type itself. */
tfc_row_fn tfc_find_row_op(tfc_row_kind kind, int32_t dtype);

#endif /* TFCORE_ROWS_H */
