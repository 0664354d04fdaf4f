/* Elements of sparse tensors: their indices, their order, their values.
 *
 * Indices are copied before anything else is done with them: a fed array may change at any time.
 */
#ifndef TFCORE_SPARSE_H
#define TFCORE_SPARSE_H

#include "kernels_c/array/array.h"

/* The indices of the elements, a matrix of [n, rank]. */
typedef struct sparse_indices {
  int64_t* at;
  int64_t n, rank;
} sparse_indices;

/* Copies an int32 or int64 matrix. */
int sparse_copy_indices(tfc_context* ctx, const tfc_tensor* matrix, sparse_indices* indices);

/* A copy of an int32 or int64 vector, of at least one element; NULL after a failure. */
int64_t* sparse_copy_vector(tfc_context* ctx, const tfc_tensor* vector);

/* Index i as text. */
tfc_text sparse_index_text(const sparse_indices* indices, int64_t i);

/* Whether indices never decrease, in row-major order. */
bool sparse_is_sorted(const sparse_indices* indices);

/* order[0..n): the elements in row-major order, equal ones in the order in which they are given.
 * Any numbers may be indices. */
int sparse_sort(tfc_context* ctx, const sparse_indices* indices, int64_t* order);

/* Output i becomes the rows indices[order[0..n)], or the first n rows if `order` is NULL. */
int sparse_put_indices(tfc_context* ctx, int i, const sparse_indices* indices, const int64_t* order,
                       int64_t n);

/* Output i becomes values[order[0..n)]. */
int sparse_put_values(tfc_context* ctx, int i, const tfc_tensor* values, const int64_t* order,
                      int64_t n);

/* Output i becomes a vector of int64. */
int sparse_put_vector(tfc_context* ctx, int i, const int64_t* from, int64_t n);

static inline const int64_t* sparse_row(const sparse_indices* indices, int64_t i) {
  return indices->at + i * indices->rank;
}

/* Negative, zero, positive: a is before, equal to, after b. */
static inline int sparse_compare(const int64_t* a, const int64_t* b, int64_t rank) {
  for (int64_t d = 0; d < rank; d++)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

/* Whether indices, values and shape can be a sparse tensor, in the words of two families of
 * TensorFlow's kernels. */
int sparse_check_ranks(tfc_context* ctx, const tfc_tensor* indices, const tfc_tensor* values,
                       const tfc_tensor* shape);
int sparse_check_parts(tfc_context* ctx, const tfc_tensor* indices, const tfc_tensor* values,
                       const tfc_tensor* shape);

/* The number of elements of a shape, or an error if a size is negative or the number does not fit.
 */
int sparse_count(tfc_context* ctx, const int64_t* dims, int64_t rank, int64_t* count);

#endif /* TFCORE_SPARSE_H */
