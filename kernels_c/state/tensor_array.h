/* A tensor array: a vector of tensors of one type that the iterations of a loop write and read,
 * each element written once. Its elements share the memory of the written values; nothing is copied
 * before they are joined.
 *
 * The array is the object of a handle (handle.h). Kernels lock it while they run, as parallel
 * iterations use it at the same time.
 */
#ifndef TFCORE_TENSOR_ARRAY_H
#define TFCORE_TENSOR_ARRAY_H

#include <pthread.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/handle.h"
#include "kernels_c/common/kernel_table.h"

typedef struct tfc_element {
  tfc_tensor value;
  bool written;
  bool read;
  bool cleared; /* by a read, if the array clears after reads */
  bool zeros;   /* value has a shape, but no memory: all zero */
  bool own;     /* a sum, in memory that nobody else has */
} tfc_element;

/* A shape with sizes that may be unknown, some or all. */
typedef struct tfc_partial_shape {
  int32_t rank; /* -1: unknown */
  int64_t dims[TFC_MAX_RANK];
} tfc_partial_shape;

/* A gradient array belongs to its array. */
typedef struct tfc_array_gradient {
  struct tfc_array_gradient* next;
  const char* source;
  tfc_tensor handle;
} tfc_array_gradient;

enum { TFC_ARRAY_DEPTH = 4 }; /* gradients of gradients: sources kept for the array's name */

typedef struct tfc_tensor_array {
  tfc_handle handle;
  pthread_mutex_t mutex;
  tfc_element* elements;
  int64_t size, capacity;
  int64_t used; /* elements from here on were never touched */
  tfc_partial_shape shape;
  int32_t dtype;
  bool defined; /* shape is known entirely */
  bool dynamic, clears, identical, closed;
  bool sums; /* a gradient: values written to one place are added */
  int n_sources;
  const char* sources[TFC_ARRAY_DEPTH];
  const char* name; /* of the kernel that made it */
  int64_t serial;
  tfc_array_gradient* gradients;
} tfc_tensor_array;

extern const tfc_handle_kind tfc_tensor_array_kind;

/* "name_7@gradients", "[2,?]", for messages. */
typedef struct tfc_label {
  char text[512];
} tfc_label;
tfc_label tfc_array_label(const tfc_tensor_array* a);
tfc_label tfc_partial_shape_text(const tfc_partial_shape* s);

bool tfc_is_defined(const tfc_partial_shape* s);
/* Whether a shape matches the partial shape `s`. */
bool tfc_shape_fits(const tfc_partial_shape* s, int rank, const int64_t* dims);

/* Locks the array behind input 0 and checks that it is open and holds that type. */
int tfc_array_enter(tfc_context* ctx, int32_t dtype, bool writes, tfc_tensor_array** out);
void tfc_array_leave(tfc_tensor_array* a);

/* With the lock held: */

int tfc_array_resize(tfc_context* ctx, tfc_tensor_array* a, int64_t size);
/* Makes the element another reference to the tensor, or the sum of both. */
int tfc_array_write(tfc_context* ctx, tfc_tensor_array* a, int64_t index, const tfc_tensor* value);
/* Marks an element as read. Its value stays until the caller has used it and calls
 * tfc_array_forget. */
int tfc_array_read(tfc_context* ctx, tfc_tensor_array* a, int64_t index, tfc_element** out);
void tfc_array_forget(tfc_tensor_array* a, tfc_element* e);

/* What the memory of the elements calls for. */

/* sum = a + b, of one shape; `a` may be `sum`. The type has been checked. */
int tfc_array_sum(tfc_context* ctx, tfc_tensor* sum, const tfc_tensor* a, const tfc_tensor* b);
/* Whether a kernel that writes can add elements of this type. */
bool tfc_array_sums(const tfc_context* ctx, int32_t dtype);
static inline int tfc_array_zero(tfc_context* ctx, void* to, size_t bytes) {
  if (TFC_FOR_GPU) return bytes ? tfc_device_fill(ctx, to, 0, bytes) : TFC_OK;
  if (bytes) memset(to, 0, bytes);
  return TFC_OK;
}
static inline int tfc_array_copy(tfc_context* ctx, void* to, const void* from, size_t bytes) {
  if (TFC_FOR_GPU) return bytes ? tfc_device_copy(ctx, to, from, bytes) : TFC_OK;
  if (bytes) memcpy(to, from, bytes);
  return TFC_OK;
}

/* Kernels that write find how to add. */
#if TFC_FOR_GPU
int tfc_array_writer_create(tfc_construction* c, void** state);
#else
#define tfc_array_writer_create NULL
#endif

#endif
