/* _ProductSum, _ProductSumOfZeros, _ProductSumAdd, _ProductSumValue: sums of matrix products
 * accumulated by loops.
 *
 * The gradient of a matrix that each iteration uses is sum + product, iteration after iteration.
 * Done one by one, the whole sum (8 MB for an LSTM of 512 units) goes through the caches each time.
 * So an object goes around the loop in place of the sum and keeps references to the factors. They
 * are multiplied when the value is requested, or when they take as much memory as the sum itself:
 * all at once, part of the sum by part (gemm_sum). The bits are those of one product and one
 * addition at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/handle.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/linalg/gemm.h"

enum { FEW_BYTES = 1 << 20 }; /* factors up to this size are always kept */

typedef struct factors {
  tfc_tensor a, b;
} factors;

typedef struct product_sum {
  tfc_handle handle;
  int64_t dims[2];
  tfc_tensor sum; /* without the factors that are kept; no buffer: zeros */
  bool owned;     /* no other reference to the memory of `sum` */
  factors* kept;
  int64_t count, capacity, bytes;
} product_sum;

static void drop_factors(product_sum* s) {
  for (int64_t i = 0; i < s->count; i++) {
    tfc_let_go(s->handle.api, &s->kept[i].a);
    tfc_let_go(s->handle.api, &s->kept[i].b);
  }
  s->count = s->bytes = 0;
}

static void destroy_sum(void* object) {
  product_sum* s = object;
  drop_factors(s);
  free(s->kept);
  tfc_let_go(s->handle.api, &s->sum);
}

static void visit_sum(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  product_sum* s = object;
  fn(arg, &s->sum);
  for (int64_t i = 0; i < s->count; i++) {
    fn(arg, &s->kept[i].a);
    fn(arg, &s->kept[i].b);
  }
}

static const tfc_handle_kind sum_kind = {"sum of products",
                                         {sizeof(product_sum), destroy_sum, visit_sum}};

/* ---- _ProductSum, _ProductSumOfZeros. */

static int compute_ProductSum(tfc_context* ctx) {
  const tfc_tensor* start = ctx->inputs[0];
  product_sum* s = NULL;
  if (start->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The sum is not a matrix. Instead it has shape %s",
                     tfc_shape_text(start).text);
  TFC_TRY(tfc_handle_new(ctx, 0, &sum_kind, (void**)&s));
  memcpy(s->dims, start->dims, sizeof s->dims);
  tfc_hold(ctx->api, &s->sum, start);
  return TFC_OK;
}

static int compute_ProductSumOfZeros(tfc_context* ctx) {
  const tfc_tensor* dims = ctx->inputs[0];
  product_sum* s = NULL;
  if (dims->rank != 1 || dims->n != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "dims must be two numbers, but has shape %s",
                     tfc_shape_text(dims).text);
  TFC_TRY(tfc_handle_new(ctx, 0, &sum_kind, (void**)&s));
  for (int i = 0; i < 2; i++) s->dims[i] = tfc_index_at(dims, i);
  return TFC_OK;
}

/* ---- Multiplying. */

enum { TRANSPOSE_A = 1, TRANSPOSE_B = 2 };

static int create_ProductSum(tfc_construction* c, void** state) {
  bool transpose_a, transpose_b;
  TFC_TRY(c->api->attr_bool(c, "transpose_a", &transpose_a));
  TFC_TRY(c->api->attr_bool(c, "transpose_b", &transpose_b));
  *state = (void*)(intptr_t)((transpose_a ? TRANSPOSE_A : 0) | (transpose_b ? TRANSPOSE_B : 0));
  return TFC_OK;
}

static gemm_args term(const factors* f, int flags, void* c) {
  const int64_t *ad = f->a.dims, *bd = f->b.dims;
  const bool ta = flags & TRANSPOSE_A, tb = flags & TRANSPOSE_B;
  return (gemm_args){.m = ad[ta],
                     .n = bd[!tb],
                     .k = ad[!ta],
                     .a = f->a.data,
                     .a_rs = ta ? 1 : ad[1],
                     .a_cs = ta ? ad[1] : 1,
                     .b = f->b.data,
                     .b_rs = tb ? 1 : bd[1],
                     .b_cs = tb ? bd[1] : 1,
                     .c = c,
                     .c_rs = bd[!tb],
                     .c_cs = 1};
}

/* Adds the kept products to the sum; makes it as output `out` of the kernel if not owned. */
static int multiply_kept(tfc_context* ctx, product_sum* s, int out, int32_t dtype) {
  const int flags = (int)(intptr_t)ctx->state;
  gemm_start start = s->sum.buffer ? GEMM_ADD : GEMM_FROM_ZERO;
  if (!s->owned) {
    TFC_TRY(tfc_output(ctx, out, 2, s->dims));
    tfc_tensor* made = &ctx->outputs[out];
    if (start == GEMM_ADD && made->n)
      memcpy(made->data, s->sum.data, (size_t)made->n * tfc_dtype_size(dtype));
    tfc_let_go(ctx->api, &s->sum);
    tfc_hold(ctx->api, &s->sum, made);
    s->owned = true;
  }
  gemm_args* terms = tfc_scratch(ctx, (size_t)s->count * sizeof *terms);
  if (!terms) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < s->count; i++) terms[i] = term(&s->kept[i], flags, s->sum.data);
  const bool done = dtype == TFC_FLOAT ? gemm_sum_float(ctx, terms, s->count, start)
                                       : gemm_sum_double(ctx, terms, s->count, start);
  if (!done) return TFC_RESOURCE_EXHAUSTED;
  drop_factors(s);
  return TFC_OK;
}

/* ---- _ProductSumAdd: keeps a and b. Its second output provides the memory of the sum. */

static int keep(tfc_context* ctx, product_sum* s, const tfc_tensor* a, const tfc_tensor* b) {
  if (s->count == s->capacity) {
    const int64_t capacity = s->capacity ? 2 * s->capacity : 16;
    factors* kept = realloc(s->kept, (size_t)capacity * sizeof *kept);
    if (!kept) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    s->kept = kept;
    s->capacity = capacity;
  }
  factors* f = &s->kept[s->count++];
  tfc_hold(ctx->api, &f->a, a);
  tfc_hold(ctx->api, &f->b, b);
  s->bytes += (a->n + b->n) * (int64_t)tfc_dtype_size(a->dtype);
  return TFC_OK;
}

static int compute_ProductSumAdd(tfc_context* ctx) {
  const tfc_tensor *a = ctx->inputs[1], *b = ctx->inputs[2];
  product_sum* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &sum_kind, (void**)&s));
  for (int i = 1; i < 3; i++) {
    if (ctx->inputs[i]->rank != 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] is not a matrix. Instead it has shape %s",
                       i - 1, tfc_shape_text(ctx->inputs[i]).text);
  }
  const int flags = (int)(intptr_t)ctx->state;
  const gemm_args g = term(&(factors){*a, *b}, flags, NULL);
  if (g.k != b->dims[(flags & TRANSPOSE_B) != 0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  if (g.m != s->dims[0] || g.n != s->dims[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Incompatible shapes: [%lld,%lld] vs. [%lld,%lld]",
                     (long long)s->dims[0], (long long)s->dims[1], (long long)g.m, (long long)g.n);
  TFC_TRY(keep(ctx, s, a, b));
  const int64_t bytes = g.m * g.n * (int64_t)tfc_dtype_size(a->dtype);
  if (s->bytes > TFC_MAX(bytes, (int64_t)FEW_BYTES)) {
    TFC_TRY(multiply_kept(ctx, s, 1, a->dtype));
  }
  if (!ctx->outputs[1].buffer) TFC_TRY(tfc_output(ctx, 1, 1, (int64_t[]){0}));
  return tfc_output_input(ctx, 0, 0);
}

/* ---- _ProductSumValue. */

static int compute_ProductSumValue(tfc_context* ctx) {
  product_sum* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &sum_kind, (void**)&s));
  const int32_t dtype = ctx->outputs[0].dtype;
  if (s->count) TFC_TRY(multiply_kept(ctx, s, 0, dtype));
  if (s->sum.buffer) return tfc_output_tensor(ctx, 0, &s->sum);
  TFC_TRY(tfc_output(ctx, 0, 2, s->dims));
  const size_t bytes = (size_t)ctx->outputs[0].n * tfc_dtype_size(dtype);
  if (bytes) memset(ctx->outputs[0].data, 0, bytes);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_ProductSum", "T=" TFC_TYPES_WIDE_FLOATS, compute_ProductSum),
    TFC_ROW("_ProductSumOfZeros", "T=" TFC_TYPES_WIDE_FLOATS, compute_ProductSumOfZeros),
    TFC_ROW("_ProductSumAdd", "T=" TFC_TYPES_WIDE_FLOATS, compute_ProductSumAdd,
            .create = create_ProductSum),
    TFC_ROW("_ProductSumValue", "T=" TFC_TYPES_WIDE_FLOATS, compute_ProductSumValue,
            .create = create_ProductSum),
};
TFC_REGISTER_KERNELS(kernels);
