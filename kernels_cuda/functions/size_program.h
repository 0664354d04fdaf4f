/* Sizes that are computed in each step from the shapes of a kernel's inputs: grids, shapes of
 * outputs, counts.
 *
 * A program is a text in postfix notation, such as "i0.size 255 + 256 //"; what is left on the
 * stack is its result. A word is an integer, an operation of Python's integers (+ - * // % min max,
 * or cdiv, which rounds up), or something of the input with that number:
 *
 *   i0.size    number of elements      i0.1, i0.-1  a dimension, from the front or from the back
 *   i0.ndim    rank                    i0.0:-1, i0.1:  the dimensions from one position to another,
 * or to the end
 *
 * tfcore/composed/cuda/sizes.py makes such texts of Python functions, and
 * tfcore/ops/functions/cuda_kernel.py computes static shapes with them. */
#ifndef TFCORE_CUDA_SIZE_PROGRAM_H
#define TFCORE_CUDA_SIZE_PROGRAM_H

#include <tfcore/kernel.h>

enum { TFC_MOST_SIZES = 64 }; /* on the stack */

typedef struct tfc_size_step {
  int kind, input; /* of enum kind in size_program.c */
  int64_t a, b;
} tfc_size_step;

typedef struct tfc_size_program {
  int n_steps;
  tfc_size_step* steps;
} tfc_size_program;

#pragma GCC visibility push(hidden)

/* Programs that were not read are all zero: they leave nothing, and may be freed. */
int tfc_size_program_read(tfc_construction* c, const char* text, size_t size, tfc_size_program* p);
void tfc_size_program_free(tfc_size_program* p);
/* Computes *n sizes, at most TFC_MOST_SIZES. `what` is for errors. */
int tfc_size_program_run(tfc_context* ctx, const tfc_size_program* p, const char* what,
                         int64_t* sizes, int* n);

#pragma GCC visibility pop

#endif
