/* Reductions of rows by segment: sorted, unsorted and sparse.
 *
 * All kinds become one job: for each output row the list of its input rows, in input order. Output
 * rows are then independent tasks, and each is summed by one thread in a fixed order.
 */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/indexing/rows.h"
#include "kernels_c/reduce/segment_shapes.h"

typedef enum { SUM, MEAN, SQRT_N, PROD, MAX, MIN } segment_kind;

typedef struct job {
  segment_kind kind;
  int32_t dtype; /* of input and output; half types accumulate in float */
  tfc_row_fn combine;
  const char* x;
  char* y;
  const int64_t* starts; /* rows [starts[s], starts[s + 1]) of `rows` belong to output row s */
  const int64_t* rows;   /* input rows; NULL: they are in order */
  const double* scales;  /* of each list entry; NULL: 1 */
  int64_t inner, size;
  const void* empty; /* element of an output row without input */
  bool empty_is_zero;
} job;

enum { STRIP = 1024 };

static const char* row_at(const job* p, int64_t k) {
  return p->x + (p->rows ? p->rows[k] : k) * p->inner * p->size;
}

static double divisor_of(const job* p, int64_t n) {
  return p->kind == MEAN ? (double)n : p->kind == SQRT_N ? sqrt((double)n) : 1;
}

#define DIVIDE(T, D) \
  for (int64_t i = 0; i < n; i++) ((T*)y)[i] = (T)(((T*)y)[i] / (D)divisor)

static void divide(void* y, int32_t dtype, int64_t n, double divisor) {
  switch (dtype) {
    case TFC_COMPLEX64: n *= 2; /* fall through */
    case TFC_FLOAT: DIVIDE(float, float); break;
    case TFC_COMPLEX128: n *= 2; /* fall through */
    case TFC_DOUBLE: DIVIDE(double, double); break;
    case TFC_INT8: DIVIDE(int8_t, int64_t); break;
    case TFC_UINT8: DIVIDE(uint8_t, uint64_t); break;
    case TFC_INT16: DIVIDE(int16_t, int64_t); break;
    case TFC_UINT16: DIVIDE(uint16_t, uint64_t); break;
    case TFC_INT32: DIVIDE(int32_t, int64_t); break;
    case TFC_UINT32: DIVIDE(uint32_t, uint64_t); break;
    case TFC_INT64: DIVIDE(int64_t, int64_t); break;
    case TFC_UINT64: DIVIDE(uint64_t, uint64_t); break;
    default: break;
  }
}

static void add_scaled(void* acc, const void* x, int64_t n, int32_t dtype, double scale) {
  if (dtype == TFC_DOUBLE)
    for (int64_t i = 0; i < n; i++) ((double*)acc)[i] += ((const double*)x)[i] * scale;
  else
    for (int64_t i = 0; i < n; i++) ((float*)acc)[i] += ((const float*)x)[i] * (float)scale;
}

static void fill_strip(const job* p, char* y, int64_t n) {
  const size_t bytes = (size_t)(n * p->size);
  if (p->empty_is_zero) {
    memset(y, 0, bytes);
    return;
  }
  size_t done = (size_t)p->size;
  memcpy(y, p->empty, done);
  for (; done < bytes; done *= 2) memcpy(y + done, y, TFC_MIN(done, bytes - done));
}

/* y = the sum of the rows [begin, end) of the list. The sums of a few vectors of each row stay in
 * registers. */
static void sum_float_rows(const job* p, int64_t begin, int64_t end, int64_t first, float* y,
                           int64_t n) {
  enum { AHEAD = 8 };
  int64_t j = 0;
#define ROW(K) ((const float*)(const void*)row_at(p, K) + first + j)
  for (; j + 4 * VF_N <= n; j += 4 * VF_N) {
    const float* x = ROW(begin);
    vf a = vf_load(x), b = vf_load(x + VF_N), c = vf_load(x + 2 * VF_N), d = vf_load(x + 3 * VF_N);
    for (int64_t k = begin + 1; k < end; k++) {
      x = ROW(k);
      if (k + AHEAD < end) __builtin_prefetch(ROW(k + AHEAD));
      a += vf_load(x), b += vf_load(x + VF_N);
      c += vf_load(x + 2 * VF_N), d += vf_load(x + 3 * VF_N);
    }
    vf_store(y + j, a), vf_store(y + j + VF_N, b);
    vf_store(y + j + 2 * VF_N, c), vf_store(y + j + 3 * VF_N, d);
  }
  for (; j + VF_N <= n; j += VF_N) {
    vf a = vf_load(ROW(begin));
    for (int64_t k = begin + 1; k < end; k++) {
      if (k + AHEAD < end) __builtin_prefetch(ROW(k + AHEAD));
      a += vf_load(ROW(k));
    }
    vf_store(y + j, a);
  }
  if (j == n) return;
  vf a = vf_load_n(ROW(begin), (int)(n - j));
  for (int64_t k = begin + 1; k < end; k++) a += vf_load_n(ROW(k), (int)(n - j));
  vf_store_n(y + j, a, (int)(n - j));
#undef ROW
}

/* acc = the rows [begin, end) of the list, combined in their order; half types accumulate in float.
 */
static void combine_rows(const job* p, int64_t begin, int64_t end, int64_t first, void* acc,
                         int64_t n) {
  const bool narrow = tfc_is_16bit_float(p->dtype);
  float loaded[STRIP];
  const int32_t dtype = narrow ? TFC_FLOAT : p->dtype;
  for (int64_t k = begin; k < end; k++) {
    const char* x = row_at(p, k) + first * p->size;
    if (narrow) {
      tfc_widen(p->dtype, x, loaded, n);
      x = (const char*)loaded;
    }
    if (p->scales) {
      if (k == begin) memset(acc, 0, (size_t)n * tfc_dtype_size(dtype));
      add_scaled(acc, x, n, dtype, p->scales[k]);
    } else if (k == begin) {
      memcpy(acc, x, (size_t)n * tfc_dtype_size(dtype));
    } else {
      p->combine(acc, x, n);
    }
  }
}

/* One strip of an output row. */
static void reduce_strip(const job* p, int64_t s, int64_t first, int64_t n) {
  const int64_t begin = p->starts[s], end = p->starts[s + 1];
  char* y = p->y + (s * p->inner + first) * p->size;
  if (begin == end) {
    fill_strip(p, y, n);
    return;
  }
  const bool narrow = tfc_is_16bit_float(p->dtype);
  float wide[STRIP];
  void* acc = narrow ? (void*)wide : y;
  if (p->dtype == TFC_FLOAT && p->kind <= SQRT_N && !p->scales)
    sum_float_rows(p, begin, end, first, acc, n);
  else
    combine_rows(p, begin, end, first, acc, n);
  const double divisor = divisor_of(p, end - begin);
  if (divisor != 1) divide(acc, narrow ? TFC_FLOAT : p->dtype, n, divisor);
  if (narrow) tfc_narrow(p->dtype, wide, y, n);
}

static void reduce_segments(void* arg, int64_t begin, int64_t end) {
  const job* p = arg;
  for (int64_t s = begin; s < end; s++)
    for (int64_t first = 0; first < p->inner; first += STRIP)
      reduce_strip(p, s, first, TFC_MIN(STRIP, p->inner - first));
}

/* Allocates the output and runs the job over `segments` rows from `entries` listed ones. */
static int run_job(tfc_context* ctx, job* p, int64_t segments, int64_t entries, const tfc_tensor* x,
                   int lead, double empty) {
  TFC_TRY(tfc_segment_output(ctx, segments, lead));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  static const tfc_row_kind kinds[] = {TFC_ROW_ADD, TFC_ROW_ADD, TFC_ROW_ADD,
                                       TFC_ROW_MUL, TFC_ROW_MAX, TFC_ROW_MIN};
  p->dtype = x->dtype;
  p->combine = tfc_find_row_op(kinds[p->kind], tfc_is_16bit_float(x->dtype) ? TFC_FLOAT : x->dtype);
  p->x = x->data;
  p->y = ctx->outputs[0].data;
  p->inner = ctx->outputs[0].n / segments;
  p->size = (int64_t)tfc_dtype_size(x->dtype);
  uint64_t bits[2];
  tfc_segment_empty(x->dtype, empty, bits);
  p->empty = bits;
  p->empty_is_zero = empty == 0;
  const double rows = (double)entries / (double)segments;
  tfc_parallel_for(ctx, segments, 5 + 0.3 * (rows + 1) * (double)p->inner, reduce_segments, p);
  return TFC_OK;
}

/* ---- Sorted segments */

/* Starts of the segments of a sorted vector, in scratch memory. */
static int sorted_starts(tfc_context* ctx, const tfc_tensor* ids, int64_t segments,
                         int64_t** starts) {
  int64_t previous = -1;
  *starts = tfc_scratch_items(ctx, segments + 1, sizeof(int64_t));
  if (!*starts) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < ids->n; i++) {
    const int64_t id = tfc_index_at(ids, i);
    if (id >= 0 && id < previous)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment ids are not increasing");
    if (id < 0 || id >= segments)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Segment id %lld out of range [0, %lld), possibly because 'segment_ids' "
                       "input is not sorted.",
                       (long long)id, (long long)segments);
    for (int64_t s = previous + 1; s <= id; s++) (*starts)[s] = i;
    previous = id;
  }
  for (int64_t s = previous + 1; s <= segments; s++) (*starts)[s] = ids->n;
  return TFC_OK;
}

/* One more than the last id; an error if that is negative or absurd. */
static int count_segments(tfc_context* ctx, const tfc_tensor* ids, int64_t* segments) {
  const int64_t last = ids->n ? tfc_index_at(ids, ids->n - 1) : -1;
  if (ids->n && last < 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment ids must be >= 0");
  if (last >= INT64_MAX / 16)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment id %lld is too large", (long long)last);
  *segments = last + 1;
  return TFC_OK;
}

static int sorted(tfc_context* ctx, segment_kind kind) {
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  if (ids->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment_ids should be a vector.");
  if (x->rank < 1 || x->dims[0] != ids->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "segment_ids should be the same size as dimension 0 of input.");
  int64_t segments = 0, *starts = NULL;
  TFC_TRY(count_segments(ctx, ids, &segments));
  TFC_TRY(sorted_starts(ctx, ids, segments, &starts));
  job p = {.kind = kind, .starts = starts};
  return run_job(ctx, &p, segments, ids->n, x, 1, kind == PROD ? 1 : 0);
}

static int segment_sum(tfc_context* ctx) {
  return sorted(ctx, SUM);
}
static int segment_mean(tfc_context* ctx) {
  return sorted(ctx, MEAN);
}
static int segment_prod(tfc_context* ctx) {
  return sorted(ctx, PROD);
}
static int segment_max(tfc_context* ctx) {
  return sorted(ctx, MAX);
}
static int segment_min(tfc_context* ctx) {
  return sorted(ctx, MIN);
}

/* ---- Unsorted segments */

/* Lists the positions of each id in order (a counting sort); negative ids are ignored. */
static int group_by_id(tfc_context* ctx, const tfc_tensor* ids, int64_t segments, const char* name,
                       int64_t** starts, int64_t** rows) {
  *starts = tfc_scratch_items(ctx, segments + 2, sizeof(int64_t));
  *rows = tfc_scratch_items(ctx, ids->n + 1, sizeof(int64_t));
  int64_t* values = tfc_scratch_items(ctx, ids->n, sizeof(int64_t));
  if (!*starts || !*rows || !values) return TFC_RESOURCE_EXHAUSTED;
  int64_t* next = *starts + 1; /* becomes starts when the rows are placed */
  memset(*starts, 0, (size_t)(segments + 2) * sizeof(int64_t));
  for (int64_t i = 0; i < ids->n; i++) {
    const int64_t id = values[i] = tfc_index_at(ids, i);
    if (id < 0) continue;
    if (id >= segments) {
      const tfc_index_shapes shapes = tfc_shapes_of_indices(ids, -1, 0, NULL);
      char text[512];
      tfc_segment_text(&shapes, name, i, id, segments, text, sizeof text);
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
    }
    next[id + 1]++;
  }
  for (int64_t s = 0; s < segments; s++) next[s + 1] += next[s];
  /* next[s] is now where segment s starts; filling moves it to where s + 1 starts. */
  for (int64_t i = 0; i < ids->n; i++)
    if (values[i] >= 0) (*rows)[next[values[i]]++] = i;
  return TFC_OK;
}

static int unsorted(tfc_context* ctx, segment_kind kind, double empty) {
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  int64_t segments = 0;
  TFC_TRY(tfc_unsorted_check(ctx, &segments));
  int64_t *starts = NULL, *rows = NULL;
  TFC_TRY(group_by_id(ctx, ids, segments, "segment_ids", &starts, &rows));
  job p = {.kind = kind, .starts = starts, .rows = rows};
  return run_job(ctx, &p, segments, ids->n, x, ids->rank, empty);
}

static int unsorted_sum(tfc_context* ctx) {
  return unsorted(ctx, SUM, 0);
}
static int unsorted_prod(tfc_context* ctx) {
  return unsorted(ctx, PROD, 1);
}
static int unsorted_max(tfc_context* ctx) {
  return unsorted(ctx, MAX, -INFINITY);
}
static int unsorted_min(tfc_context* ctx) {
  return unsorted(ctx, MIN, INFINITY);
}

/* ---- Sparse segments: rows of `data` named by `indices`, in sorted segments */

static int check_sparse(tfc_context* ctx, int64_t limit, int64_t** rows) {
  const tfc_tensor *indices = ctx->inputs[1], *ids = ctx->inputs[2];
  if (indices->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices should be a vector.");
  if (ids->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment_ids should be a vector.");
  if (ids->n != indices->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "segment_ids and indices should have same size.");
  if (ctx->inputs[0]->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be at least rank 1");
  *rows = tfc_scratch_items(ctx, indices->n + 1, sizeof(int64_t));
  if (!*rows) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t v = (*rows)[i] = tfc_index_at(indices, i);
    if (limit >= 0 && (v < 0 || v >= limit))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Bad: indices[%lld] == %lld out of range [0, %lld)", (long long)i,
                       (long long)v, (long long)limit);
  }
  return TFC_OK;
}

static int sparse(tfc_context* ctx, segment_kind kind) {
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[2];
  int64_t segments = 0, *starts = NULL, *rows = NULL;
  TFC_TRY(check_sparse(ctx, x->rank ? x->dims[0] : 0, &rows));
  if (ctx->n_inputs == 4) {
    TFC_TRY(tfc_want_scalar(ctx, 3, "num_segments should be a scalar, not shape"));
    segments = tfc_int_scalar(ctx->inputs[3]);
    if (segments < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_segments must be >= 0, got %lld",
                       (long long)segments);
  } else {
    TFC_TRY(count_segments(ctx, ids, &segments));
  }
  TFC_TRY(sorted_starts(ctx, ids, segments, &starts));
  job p = {.kind = kind, .starts = starts, .rows = rows};
  return run_job(ctx, &p, segments, ids->n, x, 1, 0);
}

static int sparse_sum(tfc_context* ctx) {
  return sparse(ctx, SUM);
}
static int sparse_mean(tfc_context* ctx) {
  return sparse(ctx, MEAN);
}
static int sparse_sqrt_n(tfc_context* ctx) {
  return sparse(ctx, SQRT_N);
}

/* Gradient: row indices[i] of the output gets row segment_ids[i] of grad, divided by the divisor of
 * the segment. */
static int sparse_grad(tfc_context* ctx, segment_kind kind) {
  const tfc_tensor *grad = ctx->inputs[0], *indices = ctx->inputs[1], *ids = ctx->inputs[2];
  TFC_TRY(tfc_want_scalar(ctx, 3, "output_dim0 should be a scalar, not shape"));
  const int64_t out_rows = tfc_int_scalar(ctx->inputs[3]);
  if (out_rows < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "output_dim0 must be >= 0, got %lld",
                     (long long)out_rows);
  int64_t *list = NULL, *starts = NULL, *rows = NULL, *segment_starts = NULL;
  TFC_TRY(check_sparse(ctx, out_rows, &list));
  TFC_TRY(sorted_starts(ctx, ids, grad->dims[0], &segment_starts));
  TFC_TRY(group_by_id(ctx, indices, out_rows, "indices", &starts, &rows));
  double* scales = tfc_scratch_items(ctx, ids->n + 1, sizeof(double));
  if (!scales) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t k = 0; k < starts[out_rows]; k++) {
    const int64_t s = tfc_index_at(ids, rows[k]);
    if (s < 0 || s >= grad->dims[0]) return tfc_changed(ctx, "segment_ids");
    const double n = (double)(segment_starts[s + 1] - segment_starts[s]);
    rows[k] = s;
    scales[k] = kind == MEAN ? 1 / n : kind == SQRT_N ? 1 / sqrt(n) : 1;
  }
  job p = {.kind = SUM, .starts = starts, .rows = rows, .scales = scales};
  return run_job(ctx, &p, out_rows, ids->n, grad, 1, 0);
}

static int sparse_sum_grad(tfc_context* ctx) {
  return sparse_grad(ctx, SUM);
}
static int sparse_mean_grad(tfc_context* ctx) {
  return sparse_grad(ctx, MEAN);
}
static int sparse_sqrt_n_grad(tfc_context* ctx) {
  return sparse_grad(ctx, SQRT_N);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SegmentSum", "T=" TFC_TYPES_NUMBERS, segment_sum),
    TFC_ROW("SegmentMean", "T=" TFC_TYPES_NUMBERS, segment_mean),
    TFC_ROW("SegmentProd", "T=" TFC_TYPES_NUMBERS, segment_prod),
    TFC_ROW("SegmentMax", "T=" TFC_TYPES_REALS, segment_max),
    TFC_ROW("SegmentMin", "T=" TFC_TYPES_REALS, segment_min),
    TFC_ROW("UnsortedSegmentSum", "T=" TFC_TYPES_NUMBERS, unsorted_sum,
            .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentProd", "T=" TFC_TYPES_NUMBERS, unsorted_prod,
            .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentMax", "T=" TFC_TYPES_REALS, unsorted_max, .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentMin", "T=" TFC_TYPES_REALS, unsorted_min, .host_args = "num_segments"),
    TFC_ROW("SparseSegmentSum", "T=" TFC_TYPES_REALS, sparse_sum),
    TFC_ROW("SparseSegmentMean", "T=" TFC_TYPES_FLOATS, sparse_mean),
    TFC_ROW("SparseSegmentSqrtN", "T=" TFC_TYPES_FLOATS, sparse_sqrt_n),
    TFC_ROW("SparseSegmentSumWithNumSegments", "T=" TFC_TYPES_REALS, sparse_sum,
            .host_args = "num_segments"),
    TFC_ROW("SparseSegmentMeanWithNumSegments", "T=" TFC_TYPES_FLOATS, sparse_mean,
            .host_args = "num_segments"),
    TFC_ROW("SparseSegmentSqrtNWithNumSegments", "T=" TFC_TYPES_FLOATS, sparse_sqrt_n,
            .host_args = "num_segments"),
    TFC_ROW("SparseSegmentSumGrad", "T=" TFC_TYPES_FLOATS, sparse_sum_grad,
            .host_args = "output_dim0"),
    TFC_ROW("SparseSegmentMeanGrad", "T=" TFC_TYPES_FLOATS, sparse_mean_grad,
            .host_args = "output_dim0"),
    TFC_ROW("SparseSegmentSqrtNGrad", "T=" TFC_TYPES_FLOATS, sparse_sqrt_n_grad,
            .host_args = "output_dim0"),
};
TFC_REGISTER_KERNELS(kernels);
