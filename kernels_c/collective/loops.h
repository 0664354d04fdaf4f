/* The loops of collectives, one table per level, which tfcore/distributed finds in the kernel
 * library by its name. */
#ifndef TFCORE_COLLECTIVE_LOOPS_H
#define TFCORE_COLLECTIVE_LOOPS_H

#include <tfcore/kernel.h>

typedef enum {
  TFC_REDUCE_SUM = 0,
  TFC_REDUCE_MIN = 1,
  TFC_REDUCE_MAX = 2,
  TFC_REDUCE_MUL = 3
} tfc_reduce_op;

/* An array of a reduction. Half and bfloat16 may also be given as float32 (wide), so that a
 * reduction in several steps rounds once. */
typedef struct tfc_operand {
  const void* data;
  bool wide;
} tfc_operand;

typedef struct tfc_collective_loops {
  /* to[i] = ((from[0][i] op from[1][i]) op from[2][i]) ..., divided by `divisor` (1: not). Half and
   * bfloat16 are rounded once, at the end, or with `to_wide` not at all. n_from >= 1; `to` overlaps
   * with none of them. */
  void (*reduce)(int32_t dtype, tfc_reduce_op op, int divisor, int n_from, const tfc_operand* from,
                 void* to, bool to_wide, int64_t n);
  /* A copy that leaves the cache to others: for memory that is not read soon. */
  void (*copy)(void* to, const void* from, size_t bytes);
  bool (*serves)(int32_t dtype, tfc_reduce_op op);
} tfc_collective_loops;

TFC_EXPORT const tfc_collective_loops* tfc_collective_loops_table(void);

#endif
