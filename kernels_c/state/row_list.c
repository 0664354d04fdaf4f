/* _RowList, _RowListAdd, _RowListValue: rows that a loop appends to.
 *
 * The gradient of a table that each iteration gathers from consists of the slices of all
 * iterations. The object keeps references to them and joins them once; ConcatV2 in each iteration
 * would copy all earlier slices each time.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/handle.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

typedef struct row_list {
  tfc_handle handle;
  tfc_tensor* parts;
  int64_t count, capacity, rows;
} row_list;

static void destroy_list(void* object) {
  row_list* s = object;
  for (int64_t i = 0; i < s->count; i++) tfc_let_go(s->handle.api, &s->parts[i]);
  free(s->parts);
}

static void visit_list(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  row_list* s = object;
  for (int64_t i = 0; i < s->count; i++) fn(arg, &s->parts[i]);
}

static const tfc_handle_kind list_kind = {"list of rows",
                                          {sizeof(row_list), destroy_list, visit_list}};

static int append(tfc_context* ctx, row_list* s, const tfc_tensor* more) {
  if (s->count == s->capacity) {
    const int64_t capacity = s->capacity ? 2 * s->capacity : 16;
    tfc_tensor* parts = realloc(s->parts, (size_t)capacity * sizeof *parts);
    if (!parts) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    s->parts = parts;
    s->capacity = capacity;
  }
  tfc_hold(ctx->api, &s->parts[s->count++], more);
  s->rows += more->dims[0];
  return TFC_OK;
}

static int compute_RowList(tfc_context* ctx) {
  row_list* s = NULL;
  if (ctx->inputs[0]->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "ConcatOp : Expected concatenating dimensions in the range [0, 0), but got 0");
  TFC_TRY(tfc_handle_new(ctx, 0, &list_kind, (void**)&s));
  return append(ctx, s, ctx->inputs[0]);
}

static int compute_RowListAdd(tfc_context* ctx) {
  const tfc_tensor* more = ctx->inputs[1];
  row_list* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &list_kind, (void**)&s));
  const tfc_tensor* first = &s->parts[0];
  bool fits = more->rank == first->rank;
  for (int d = 1; fits && d < more->rank; d++) fits = more->dims[d] == first->dims[d];
  if (!fits)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. shape[1] = %s",
        tfc_shape_text(first).text, tfc_shape_text(more).text);
  TFC_TRY(append(ctx, s, more));
  return tfc_output_input(ctx, 0, 0);
}

typedef struct copy_job {
  const row_list* list;
  char* to;
  size_t row_bytes;
} copy_job;

static void copy_rows(void* arg, int64_t begin, int64_t end) {
  const copy_job* job = arg;
  int64_t row = 0;
  for (int64_t i = 0; i < job->list->count && row < end; i++) {
    const tfc_tensor* part = &job->list->parts[i];
    const int64_t first = begin > row ? begin - row : 0;
    const int64_t last = end - row < part->dims[0] ? end - row : part->dims[0];
    if (first < last)
      memcpy(job->to + (size_t)(row + first) * job->row_bytes,
             (const char*)part->data + (size_t)first * job->row_bytes,
             (size_t)(last - first) * job->row_bytes);
    row += part->dims[0];
  }
}

static int compute_RowListValue(tfc_context* ctx) {
  row_list* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &list_kind, (void**)&s));
  const tfc_tensor* first = &s->parts[0];
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, first->dims, sizeof dims);
  dims[0] = s->rows;
  TFC_TRY(tfc_output(ctx, 0, first->rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  const size_t row_bytes = (size_t)(out->n / s->rows) * tfc_dtype_size(out->dtype);
  copy_job job = {s, out->data, row_bytes};
  tfc_parallel_for(ctx, s->rows, 0.1 * (double)row_bytes, copy_rows, &job);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_RowList", "", compute_RowList),
    TFC_ROW("_RowListAdd", "", compute_RowListAdd),
    TFC_ROW("_RowListValue", "", compute_RowListValue),
};
TFC_REGISTER_KERNELS(kernels);
