/* Select and SelectV2. They only move elements, so the loops are by element size. */
#include "kernels_c/cwise/select.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

/* ---- z[i] = c[i] ? x[i] : y[i], where x or y may be a single element. */

typedef struct select_run {
  const uint8_t* c;
  const char *x, *y;
  char* z;
  size_t size;
  int64_t row; /* elements chosen by one condition */
} select_run;

#define SELECT_LOOP(T)                                                                    \
  {                                                                                       \
    const T *x = (const T*)r->x, *y = (const T*)r->y;                                     \
    T* z = (T*)r->z;                                                                      \
    _Pragma("GCC ivdep") for (int64_t i = begin; i < end; i++) z[i] = c[i] ? x[i] : y[i]; \
  }
static void select_range(void* arg, int64_t begin, int64_t end) {
  const select_run* r = arg;
  const uint8_t* c = r->c;
  switch (r->size) {
    case 1: SELECT_LOOP(uint8_t) break;
    case 2: SELECT_LOOP(uint16_t) break;
    case 4: SELECT_LOOP(uint32_t) break;
    case 8: SELECT_LOOP(uint64_t) break;
    default: SELECT_LOOP(tfc_16) break;
  }
}
/* Rows of r->row elements. */
static void select_rows_range(void* arg, int64_t begin, int64_t end) {
  const select_run* r = arg;
  size_t bytes = (size_t)r->row * r->size;
  for (int64_t i = begin; i < end; i++) {
    const char* from = (r->c[i] ? r->x : r->y) + (size_t)i * bytes;
    char* to = r->z + (size_t)i * bytes;
    if (to != from) memcpy(to, from, bytes);
  }
}

static void run(tfc_context* ctx, int64_t n, double ns, tfc_range_fn fn, select_run* r) {
  if ((double)n * ns < 10000)
    fn(r, 0, n);
  else
    tfc_parallel_for(ctx, n, ns, fn, r);
}

static int copy_strings(tfc_context* ctx, const select_run* r, int64_t n) {
  tfc_tensor* out = &ctx->outputs[0];
  for (int64_t i = 0; i < n; i++) {
    tfc_string s = ((const tfc_string*)(r->c[i / r->row] ? r->x : r->y))[i];
    TFC_TRY(tfc_string_set(ctx, out, i, s.data, s.size));
  }
  return TFC_OK;
}

static int compute_Select(tfc_context* ctx) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1], *e = ctx->inputs[2];
  static const int candidates[] = {1, 2};
  bool elements;
  TFC_TRY(tfc_select_check(ctx, &elements));
  if (c->rank == 0) return tfc_output_input(ctx, 0, *(const uint8_t*)c->data ? 1 : 2);
  bool strings = t->dtype == TFC_STRING;
  if (strings)
    TFC_TRY(tfc_output_like(ctx, 0, t));
  else
    TFC_TRY(tfc_output_forward(ctx, 0, t->rank, t->dims, 2, candidates));
  if (t->n == 0) return TFC_OK;
  select_run r = {c->data, t->data, e->data, ctx->outputs[0].data, tfc_dtype_size(t->dtype), 1};
  if (!elements) r.row = t->n / c->n;
  if (strings) return copy_strings(ctx, &r, t->n);
  if (elements)
    run(ctx, t->n, 0.3, select_range, &r);
  else
    run(ctx, c->n, 5 + 0.1 * (double)r.row, select_rows_range, &r);
  return TFC_OK;
}

/* ---- SelectV2: all three broadcast. Without broadcasting it is Select. */

static int select_broadcast(tfc_context* ctx, int rank, const int64_t* dims) {
  tfc_tensor* out = &ctx->outputs[0];
  size_t size = tfc_dtype_size(out->dtype);
  int64_t strides[3][TFC_MAX_RANK], index[TFC_MAX_RANK] = {0}, at[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) tfc_select_strides(ctx->inputs[k], rank, strides[k]);
  const uint8_t* c = ctx->inputs[0]->data;
  for (int64_t i = 0; i < out->n; i++) {
    int from = c[at[0]] ? 1 : 2;
    const char* element = (const char*)ctx->inputs[from]->data + (size_t)at[from] * size;
    if (out->dtype == TFC_STRING) {
      const tfc_string* s = (const tfc_string*)element;
      TFC_TRY(tfc_string_set(ctx, out, i, s->data, s->size));
    } else {
      TFC_SWITCH_SIZE(size, ((T*)out->data)[i] = *(const T*)element);
    }
    for (int d = rank - 1; d >= 0; d--) {
      for (int k = 0; k < 3; k++) at[k] += strides[k][d];
      if (++index[d] < dims[d]) break;
      index[d] = 0;
      for (int k = 0; k < 3; k++) at[k] -= strides[k][d] * dims[d];
    }
  }
  return TFC_OK;
}

static int compute_SelectV2(tfc_context* ctx) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1], *e = ctx->inputs[2];
  if (tfc_same_shape(t, e) && (c->rank == 0 || tfc_same_shape(c, t))) return compute_Select(ctx);
  int rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(tfc_select_broadcast(ctx, &rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  return select_broadcast(ctx, rank, dims);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Select", "T=" TFC_TYPES_VALUES, compute_Select),
    TFC_ROW("SelectV2", "T=" TFC_TYPES_VALUES, compute_SelectV2),
};
TFC_REGISTER_KERNELS(kernels);
