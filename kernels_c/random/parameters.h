/* Parameters of distributions that broadcast with each other; the output has one or more samples
 * for each element of their common shape, which is the end of its own. */
#ifndef TFCORE_RANDOM_PARAMETERS_H
#define TFCORE_RANDOM_PARAMETERS_H

#include "kernels_c/random/random.h"

typedef struct parameter_shape {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  int64_t n, samples; /* elements, and samples for each */
} parameter_shape;

/* Broadcasts the shape with another one. False if they do not fit. */
static inline bool broadcast_parameter(parameter_shape* s, const tfc_tensor* t) {
  for (; s->rank < t->rank; s->rank++) {
    memmove(s->dims + 1, s->dims, (size_t)s->rank * sizeof *s->dims);
    s->dims[0] = 1;
  }
  for (int i = 0; i < t->rank; i++) {
    int64_t* dim = &s->dims[s->rank - t->rank + i];
    if (*dim == 1)
      *dim = t->dims[i];
    else if (t->dims[i] != 1 && t->dims[i] != *dim)
      return false;
  }
  return true;
}

/* Makes output 0 of the shape in input 0, which must end with the parameters' shape. */
static inline int make_samples(tfc_context* ctx, parameter_shape* s) {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  bool ends = rank >= s->rank;
  for (int i = 0; ends && i < s->rank; i++) ends = dims[rank - s->rank + i] == s->dims[i];
  if (!ends)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Shape passed in must end with broadcasted shape. It is %s, and that of the "
                     "parameters %s",
                     tfc_dims_text(rank, dims).text, tfc_dims_text(s->rank, s->dims).text);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  s->n = tfc_count(s->rank, s->dims);
  s->samples = s->n ? ctx->outputs[0].n / s->n : 0;
  return TFC_OK;
}

/* The place in t of its element for element i of the common shape. */
static inline int64_t parameter_place(const parameter_shape* s, const tfc_tensor* t, int64_t i) {
  int64_t place = 0, stride = 1;
  for (int d = t->rank - 1; d >= 0; d--) {
    const int64_t size = s->dims[s->rank - t->rank + d], c = i % size;
    i /= size;
    if (t->dims[d] != 1) place += c * stride;
    stride *= t->dims[d];
  }
  return place;
}

#endif /* TFCORE_RANDOM_PARAMETERS_H */
