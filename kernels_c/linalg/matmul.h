/* Products of matrices of all types, one or a batch. */
#ifndef TFCORE_MATMUL_H
#define TFCORE_MATMUL_H

#include "kernels_c/common/common.h"

/* Activations of _FusedMatMul. gemm does the first three while a tile is in L1; the others are a
 * separate pass. */
typedef enum { LINEAR, RELU, RELU6, ELU, LEAKY_RELU, TANH, SIGMOID } activation;

/* c[i] = a[a_of(i)] * b[b_of(i)] for a batch of matrices that lie one after the other. */
typedef struct product {
  int32_t dtype;
  int64_t batch, n_a, n_b;    /* matrices of c, a and b */
  const int64_t *a_of, *b_of; /* which matrices make c[i]; NULL: a[i] and b[i], or the only one */
  int64_t m, n, k;
  int64_t a_rs, a_cs, b_rs, b_cs; /* strides inside a matrix */
  bool conj_a, conj_b;
  const void *a, *b, *bias;
  void* c;
  unsigned flags; /* of gemm.h */
  activation activation;
  float alpha; /* of LEAKY_RELU */
} product;

#pragma GCC visibility push(hidden)
/* Computes c. Changes fields of *p. */
int matmul_multiply(tfc_context* ctx, product* p);
#pragma GCC visibility pop

#endif
