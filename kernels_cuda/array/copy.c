/* kernels_c/array/copy.h for GPUs: a copy of a box is a launch. Kernels that keep their tensors on
 * the host (int32) copy them there; these are shapes, of a few elements. */
#include "kernels_c/array/copy.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/array/copy.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"

enum { SIZES = 5 }; /* of elements: 1, 2, 4, 8 and 16 bytes */

/* The state of a kernel that copies. */
typedef struct copier {
  bool on_host;
  void* own; /* the kernel's own state */
  const tfc_function *copy[SIZES], *transpose[SIZES], *fill[SIZES];
} copier;

static int find_functions(tfc_construction* c, copier* s) {
  for (int i = 0; i < SIZES; i++) {
    char name[3][32];
    snprintf(name[0], sizeof name[0], "Copy_bytes%d", 1 << i);
    snprintf(name[1], sizeof name[1], "Transpose_bytes%d", 1 << i);
    snprintf(name[2], sizeof name[2], "Fill_bytes%d", 1 << i);
    TFC_TRY(c->api->function(c, "array/copy", name[0], &s->copy[i]));
    TFC_TRY(c->api->function(c, "array/copy", name[1], &s->transpose[i]));
    TFC_TRY(c->api->function(c, "array/constants", name[2], &s->fill[i]));
  }
  return TFC_OK;
}

int tfc_copier_create(tfc_construction* c, bool on_host, tfc_create_fn own, void** state) {
  copier* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  s->on_host = on_host;
  int code = on_host ? TFC_OK : find_functions(c, s);
  if (code == TFC_OK && own) code = own(c, &s->own);
  if (code == TFC_OK)
    *state = s;
  else
    tfc_copier_destroy(s);
  return code;
}

void tfc_copier_destroy(void* state) {
  copier* s = state;
  if (!s) return;
  free(s->own);
  free(s);
}

void* tfc_own_state(const tfc_context* ctx) {
  return ((const copier*)ctx->state)->own;
}

static int size_index(size_t size) {
  return __builtin_ctzll(size);
}

/* ---- On the host. */

static void copy_on_host(char* to, const char* from, size_t size, const tfc_box* b) {
  int64_t at[TFC_BOX_MAX] = {0}, t = 0, f = 0;
  for (;;) {
    memcpy(to + t * (int64_t)size, from + f * (int64_t)size, size);
    int d = b->rank - 1;
    for (; d >= 0; d--) {
      t += b->to[d];
      f += b->from[d];
      if (++at[d] < b->dims[d]) break;
      t -= at[d] * b->to[d];
      f -= at[d] * b->from[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

/* ---- On the device. */

/* The largest size of elements, up to 16 bytes, to which both addresses are aligned. */
static int64_t alignment(const void* to, const void* from) {
  const uintptr_t bits = (uintptr_t)to | (uintptr_t)from | 16;
  return (int64_t)(bits & -bits);
}

/* Whether the box is a transposition of the last two dimensions of a whole tensor. */
static bool is_transposition(const tfc_box* b, transpose_params* p) {
  const int r = b->rank;
  if (r != 2 && r != 3) return false;
  const int64_t cols = b->dims[r - 2], rows = b->dims[r - 1], matrix = rows * cols;
  if (b->to[r - 2] != rows || b->to[r - 1] != 1 || b->from[r - 2] != 1 || b->from[r - 1] != cols)
    return false;
  if (r == 3 && (b->to[0] != matrix || b->from[0] != matrix)) return false;
  p->batch = r == 3 ? b->dims[0] : 1;
  p->rows = rows;
  p->cols = cols;
  return true;
}

static int launch_copy(tfc_context* ctx, const tfc_function* function, void* to, const void* from,
                       const tfc_box* box) {
  array_copy_params p = {.from = from, .to = to, .n = 1, .rank = box->rank ? box->rank : 1};
  if (box->rank > TFC_MAX_DIMS)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Copies of %d dimensions that can't be merged are not supported on a GPU (at "
                     "most %d)",
                     box->rank, TFC_MAX_DIMS);
  p.dims[0] = 1;
  for (int i = 0; i < box->rank; i++) {
    p.dims[i] = box->dims[i];
    p.to_stride[i] = box->to[i];
    p.from_stride[i] = box->from[i];
    p.n *= box->dims[i];
  }
  return TFC_LAUNCH(ctx, function, array_copy, &p);
}

int tfc_copy_box(tfc_context* ctx, tfc_tensor* to, int64_t to_first, const tfc_tensor* from,
                 int64_t from_first, const tfc_box* box) {
  const copier* s = ctx->state;
  for (int i = 0; i < box->rank; i++)
    if (box->dims[i] == 0) return TFC_OK;
  size_t size = tfc_dtype_size(from->dtype);
  char* target = (char*)to->data + to_first * (int64_t)size;
  const char* source = (const char*)from->data + from_first * (int64_t)size;
  tfc_box b;
  tfc_simplify_box(box, &b);
  if (s->on_host) {
    copy_on_host(target, source, size, &b);
    return TFC_OK;
  }
  if (b.rank == 0 || (b.rank == 1 && b.to[0] == 1 && b.from[0] == 1))
    return tfc_device_copy(ctx, target, source, size * (size_t)(b.rank ? b.dims[0] : 1));
  transpose_params transposition = {.from = source, .to = target};
  if (is_transposition(&b, &transposition))
    return TFC_LAUNCH(ctx, s->transpose[size_index(size)], transpose, &transposition);
  tfc_widen_box(&b, &size, alignment(target, source));
  return launch_copy(ctx, s->copy[size_index(size)], target, source, &b);
}

int tfc_fill_element(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  const tfc_box box = {.rank = 1, .dims = {to->n}, .to = {1}, .from = {0}};
  return tfc_copy_box(ctx, to, 0, from, 0, &box);
}

int tfc_fill_value(tfc_context* ctx, tfc_tensor* to, const void* element) {
  const copier* s = ctx->state;
  const tfc_tensor one = {.data = (void*)element, .n = 1, .dtype = to->dtype};
  if (s->on_host) return tfc_fill_element(ctx, to, &one);
  const size_t size = tfc_dtype_size(to->dtype);
  cwise_fill_params p = {.y = to->data, .n = to->n};
  memcpy(p.value, element, size);
  return TFC_LAUNCH(ctx, s->fill[size_index(size)], cwise_fill, &p);
}

int tfc_copy_tensor(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  const tfc_box box = {.rank = 1, .dims = {to->n}, .to = {1}, .from = {1}};
  return tfc_copy_box(ctx, to, 0, from, 0, &box);
}

int tfc_fill_zero(tfc_context* ctx, tfc_tensor* to) {
  const copier* s = ctx->state;
  const size_t bytes = (size_t)to->n * tfc_dtype_size(to->dtype);
  if (bytes == 0) return TFC_OK;
  if (!s->on_host) return tfc_device_fill(ctx, to->data, 0, bytes);
  memset(to->data, 0, bytes);
  return TFC_OK;
}
