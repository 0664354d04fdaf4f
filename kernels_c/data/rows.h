/* Elements in memory as a dataset: what a window or a group is. */
#ifndef TFCORE_ROWS_H
#define TFCORE_ROWS_H

#include "kernels_c/data/position.h"

/* Elements that are collected one after the other. */
typedef struct rows {
  tfc_tensor* items; /* n elements of `width` components */
  int64_t n, capacity;
} rows;

#pragma GCC visibility push(hidden)
/* Takes over the tensors of an element, also if it fails. */
int rows_append(tfc_context* ctx, rows* r, tfc_tensor* element, int width);
void rows_clear(const tfc_api* api, rows* r, int width);
/* *out becomes a dataset of the rows, which it takes over, also if it fails. */
int rows_dataset(tfc_context* ctx, rows* r, int width, tfc_tensor* out);
int rows_position(position* p, rows* r, int width);
/* Whether a value is such a dataset, whose rows a position can hold. */
bool rows_is_dataset(const tfc_tensor* t);
int rows_dataset_position(position* p, tfc_tensor* t);
#pragma GCC visibility pop

#endif
