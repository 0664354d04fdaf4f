/* Optional elements: values in the graph that are an element, or nothing. */
#ifndef TFCORE_OPTIONAL_H
#define TFCORE_OPTIONAL_H

#include "kernels_c/data/dataset.h"

/* The shapes that an op with the attribute output_shapes expects (iterator.c). */
typedef struct wanted_shape {
  int rank; /* -1: unknown */
  int64_t dims[TFC_MAX_RANK];
} wanted_shape;

typedef struct wanted_shapes {
  int n;
  wanted_shape shape[];
} wanted_shapes;

#pragma GCC visibility push(hidden)
/* The state of kernels with that attribute. */
int wanted_shapes_create(tfc_construction* c, void** state);
/* Those that the attribute does not mention are not known. */
bool wanted_shapes_fit(const wanted_shapes* w, const tfc_tensor* t, int component);

/* Output 0 is an optional value: an element, to whose n tensors it refers, or nothing (NULL). */
int optional_new(tfc_context* ctx, const tfc_tensor* element, int n);
#pragma GCC visibility pop

#endif
