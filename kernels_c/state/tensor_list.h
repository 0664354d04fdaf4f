/* Tensor lists: what TensorFlow 2's loops carry instead of tensor arrays. A list is a value: an op
 * that changes one gives another list, which shares the elements. If no other op can see the list
 * it is given, it changes that one, so a loop that sets an element in each iteration takes linear
 * time.
 */
#ifndef TFCORE_TENSOR_LIST_H
#define TFCORE_TENSOR_LIST_H

#include "kernels_c/state/handles.h"
#include "kernels_c/state/tensor_array.h"

typedef struct tfc_tensor_list {
  tfc_handle handle;
  tfc_tensor* elements; /* those without a value have the type 0 */
  int64_t size, capacity;
  int64_t limit; /* of elements to push; -1: none */
  int32_t dtype;
  tfc_partial_shape shape;
} tfc_tensor_list;

#pragma GCC visibility push(hidden)
/* Whether a scalar is a list. */
bool tfc_tensor_list_is(const tfc_tensor* t);
/* The state of kernels that read the attribute element_dtype: an int32_t. */
int tfc_tensor_list_type_create(tfc_construction* c, void** state);
/* The list that input `input` is. */
int tfc_tensor_list_get(tfc_context* ctx, int input, const tfc_tensor_list** out);
/* Like it, and fails if the elements have another type than the op's. */
int tfc_tensor_list_of_type(tfc_context* ctx, int input, int32_t dtype,
                            const tfc_tensor_list** out);
/* Output 0 is a new list of `size` elements without values. */
int tfc_tensor_list_new(tfc_context* ctx, int32_t dtype, const tfc_partial_shape* shape,
                        int64_t size, tfc_tensor_list** out);
/* Output 0 is the list of input `input`, for the kernel to change. */
int tfc_tensor_list_own(tfc_context* ctx, int input, tfc_tensor_list** out);
int tfc_tensor_list_resize(tfc_context* ctx, tfc_tensor_list* l, int64_t size);
/* The element becomes another reference to the tensor. */
int tfc_tensor_list_set(tfc_context* ctx, tfc_tensor_list* l, int64_t i, const tfc_tensor* value);

/* The shape that an input states: a vector in which -1 is unknown, or the scalar -1. */
int tfc_tensor_list_shape(tfc_context* ctx, int input, tfc_partial_shape* shape);
/* Adds to `shape` what another one knows; fails if they contradict each other. */
int tfc_merge_shape(tfc_context* ctx, tfc_partial_shape* shape, int rank, const int64_t* dims);
/* The shape that input `input` states, and what the list knows. */
int tfc_tensor_list_element_shape(tfc_context* ctx, const tfc_tensor_list* l, int input,
                                  tfc_partial_shape* shape);
static inline bool tfc_shapes_agree(const tfc_partial_shape* a, const tfc_partial_shape* b) {
  if (a->rank < 0 || b->rank < 0) return true;
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && a->dims[i] >= 0 && b->dims[i] >= 0) return false;
  return true;
}
/* Row i of a tensor, or `rows` rows from row i on, without a reference of its own. */
tfc_tensor tfc_row_of(const tfc_tensor* t, int64_t i);
tfc_tensor tfc_rows_of(const tfc_tensor* t, int64_t i, int64_t rows);
/* An input that must be a scalar, of type int32. */
int tfc_scalar_input(tfc_context* ctx, int input, const char* name, int64_t* value);
#pragma GCC visibility pop

#endif
