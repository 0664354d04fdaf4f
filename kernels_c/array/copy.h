/* Strided copies: the engine of transpose, slice, concat, pad, tile, reverse and similar ops.
 *
 * All of these move elements between two row-major tensors along the same logical box, with a
 * stride per dimension on each side (zero repeats, negative reverses). Describing kernels as boxes
 * keeps them short; this engine merges dimensions and picks the fastest loop.
 *
 * There is an implementation for each device: array/copy.c and kernels_cuda/array/copy.c. The
 * second one serves kernels whose rows are made by common/kernel_table.h.
 */
#ifndef TFCORE_ARRAY_COPY_H
#define TFCORE_ARRAY_COPY_H

#include <string.h>

#include "tfcore/kernel.h"

/* Depth-to-space and tile describe boxes of twice the rank of a tensor. */
#define TFC_BOX_MAX (2 * TFC_MAX_RANK)

typedef struct tfc_box {
  int rank;
  int64_t dims[TFC_BOX_MAX];
  int64_t to[TFC_BOX_MAX];   /* strides of the destination, in elements */
  int64_t from[TFC_BOX_MAX]; /* strides of the source, in elements */
} tfc_box;

/* to[to_first + sum i_k * box.to[k]] = from[from_first + sum i_k * box.from[k]] for all i in the
 * box. Strings are copied deeply. The box must lie inside both tensors. */
int tfc_copy_box(tfc_context* ctx, tfc_tensor* to, int64_t to_first, const tfc_tensor* from,
                 int64_t from_first, const tfc_box* box);

/* to[first .. first + n) = from[0] (one element), for all types. */
int tfc_fill_element(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from);

/* The same with an element in host memory, for types without strings. */
int tfc_fill_value(tfc_context* ctx, tfc_tensor* to, const void* element);

/* Copies a whole tensor of any type into another of the same size. */
int tfc_copy_tensor(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from);

/* Sets every element of a tensor of any type to zero, false or "". */
int tfc_fill_zero(tfc_context* ctx, tfc_tensor* to);

/* Drops dimensions of size 1 and merges neighbours with compatible strides. */
void tfc_simplify_box(const tfc_box* in, tfc_box* out);
/* Makes a short contiguous innermost row one larger element, of at most `most` bytes. */
void tfc_widen_box(tfc_box* b, size_t* size, int64_t most);

/* Row-major strides of a shape. */
static inline void tfc_strides(int rank, const int64_t* dims, int64_t* strides) {
  int64_t step = 1;
  for (int i = rank - 1; i >= 0; i--) {
    strides[i] = step;
    step *= dims[i];
  }
}

/* Copies bytes; a few by overlapping pieces, as a call of memcpy costs more. */
static inline void tfc_move_bytes(char* to, const char* from, int64_t bytes) {
  if (bytes > 64) {
    memcpy(to, from, (size_t)bytes);
  } else if (bytes >= 32) {
    memcpy(to, from, 32);
    memcpy(to + bytes - 32, from + bytes - 32, 32);
  } else if (bytes >= 16) {
    memcpy(to, from, 16);
    memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else if (bytes >= 8) {
    memcpy(to, from, 8);
    memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    memcpy(to, from, 4);
    memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else {
    for (int64_t i = 0; i < bytes; i++) to[i] = from[i];
  }
}

/* b[j * b_stride + i] = a[i * a_stride + j] for i < rows, j < cols, `size` bytes per element (1, 2,
 * 4, 8 or 16), strides in elements. stream: bypass the cache when writing. */
void tfc_transpose_2d(const char* a, int64_t a_stride, char* b, int64_t b_stride, int64_t rows,
                      int64_t cols, size_t size, bool stream);

#endif /* TFCORE_ARRAY_COPY_H */
