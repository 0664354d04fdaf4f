/* Elements to batches. */
#ifndef TFCORE_BATCH_H
#define TFCORE_BATCH_H

#include "kernels_c/data/dataset.h"

#pragma GCC visibility push(hidden)
/* Makes a batch of `rows` rows like `first`, with one more dimension. */
int batch_new(tfc_context* ctx, const tfc_tensor* first, int64_t rows, tfc_tensor* batch);
/* n elements of a tensor, from element `first` on, to element `at` of another one. */
int batch_copy(tfc_context* ctx, tfc_tensor* to, int64_t at, const tfc_tensor* from, int64_t first,
               int64_t n);
/* Copies an element into a row. It must have the batch's type and shape, which the error says. */
int batch_set(tfc_context* ctx, tfc_tensor* batch, int64_t row, const tfc_tensor* element,
              int component);
/* Fewer rows than were made. */
int batch_cut(tfc_context* ctx, tfc_tensor* batch, int64_t rows);
#pragma GCC visibility pop

#endif
