/* Primitives of the reductions: the loops over elements, for each accumulator type.
 *
 * `rows` combines rows into an accumulator row, element by element. `line` combines each of `count`
 * contiguous lines into one element. Both walk in an order that depends on the sizes only.
 */
#ifndef TFCORE_REDUCE_H
#define TFCORE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tfc_reducer {
  size_t size; /* bytes of an accumulator */
  void (*rows)(void* acc, const void* x, int64_t rows, int64_t stride, int64_t width);
  void (*line)(void* out, const void* x, int64_t count, int64_t n);
} tfc_reducer;

typedef enum {
  TFC_SUM,
  TFC_PROD,
  TFC_MAX,
  TFC_MIN,
  TFC_SUM_SQUARES,
  TFC_ALL,
  TFC_ANY
} tfc_reduction;
typedef enum {
  TFC_ACC_F32,
  TFC_ACC_F64,
  TFC_ACC_I32,
  TFC_ACC_I64,
  TFC_ACC_U64,
  TFC_ACC_C128,
  TFC_ACC_BOOL
} tfc_accumulator;

/* Integers wrap; a NaN among the values makes a maximum or minimum NaN. */
const tfc_reducer* tfc_find_reducer(tfc_reduction reduction, tfc_accumulator accumulator);

#endif /* TFCORE_REDUCE_H */
