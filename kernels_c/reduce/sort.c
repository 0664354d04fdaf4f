/* Order: the k largest, the n-th smallest, and places in sorted rows.
 *
 * Elements of every type become unsigned keys in the same order, so that each algorithm is written
 * once. NaN is greater than everything, as in NumPy.
 */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

static uint64_t double_key(double d) {
  uint64_t bits;
  d = d == 0 ? 0 : d; /* both zeros are equal */
  if (d != d) return UINT64_MAX;
  memcpy(&bits, &d, 8);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t float_key(float f) {
  const uint32_t bits = tfc_bits_from_float(f == 0 ? 0 : f);
  if (f != f) return UINT32_MAX;
  return bits >> 31 ? ~bits : bits | (uint32_t)1 << 31;
}

#define KEYS(DTYPE, T, EXPRESSION)                        \
  case DTYPE: {                                           \
    const T* x = (const T*)t->data + first;               \
    for (int64_t i = 0; i < n; i++) keys[i] = EXPRESSION; \
  } break

static void load_keys(const tfc_tensor* t, int64_t first, int64_t n, uint64_t* keys) {
  switch (t->dtype) {
    KEYS(TFC_FLOAT, float, float_key(x[i]));
    KEYS(TFC_DOUBLE, double, double_key(x[i]));
    KEYS(TFC_HALF, tfc_half, float_key(tfc_half_to_float(x[i])));
    KEYS(TFC_BFLOAT16, tfc_bfloat16, float_key(tfc_bfloat16_to_float(x[i])));
    KEYS(TFC_INT8, uint8_t, x[i] ^ 0x80u);
    KEYS(TFC_INT16, uint16_t, x[i] ^ 0x8000u);
    KEYS(TFC_INT32, uint32_t, x[i] ^ 0x80000000u);
    KEYS(TFC_INT64, uint64_t, x[i] ^ ((uint64_t)1 << 63));
    KEYS(TFC_UINT8, uint8_t, x[i]);
    KEYS(TFC_UINT16, uint16_t, x[i]);
    KEYS(TFC_UINT32, uint32_t, x[i]);
    KEYS(TFC_UINT64, uint64_t, x[i]);
    default: break;
  }
}

/* ---- TopK */

/* Whether element a comes after element b: smaller, or equal and later. */
static inline bool after(const uint64_t* keys, int32_t a, int32_t b) {
  return keys[a] < keys[b] || (keys[a] == keys[b] && a > b);
}

/* A heap whose root is the last of the chosen; moves the root down to its place. */
static void sift(const uint64_t* keys, int32_t* heap, int64_t n, int64_t at) {
  const int32_t v = heap[at];
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= n) break;
    if (child + 1 < n && after(keys, heap[child + 1], heap[child])) child++;
    if (!after(keys, heap[child], v)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = v;
}

/* The k first elements of a row in descending order. */
static void top_row(const uint64_t* keys, int64_t n, int64_t k, int32_t* best) {
  for (int64_t i = 0; i < k; i++) best[i] = (int32_t)i;
  for (int64_t i = k / 2 - 1; i >= 0; i--) sift(keys, best, k, i);
  for (int64_t i = k; i < n; i++)
    if (keys[i] > keys[best[0]]) { /* of equal ones the earlier stays */
      best[0] = (int32_t)i;
      sift(keys, best, k, 0);
    }
  for (int64_t m = k - 1; m > 0; m--) {
    const int32_t last = best[0];
    best[0] = best[m];
    best[m] = last;
    sift(keys, best, m, 0);
  }
}

/* All elements of a short row in descending order: runs of equal length are merged in turn, which
 * keeps the order of equal elements. The result is in `best`; `spare` is as long. */
static void merge_sort_row(const uint64_t* keys, int64_t n, int32_t* best, int32_t* spare) {
  enum { RUN = 8 };
  for (int64_t start = 0; start < n; start += RUN)
    for (int64_t i = start; i < TFC_MIN(start + RUN, n); i++) {
      int64_t at = i;
      for (; at > start && keys[best[at - 1]] < keys[i]; at--) best[at] = best[at - 1];
      best[at] = (int32_t)i;
    }
  int32_t *from = best, *to = spare;
  for (int64_t run = RUN; run < n; run *= 2) {
    for (int64_t start = 0; start < n; start += 2 * run) {
      int64_t a = start, k = start;
      const int64_t middle = TFC_MIN(start + run, n), end = TFC_MIN(start + 2 * run, n);
      int64_t b = middle;
      while (a < middle && b < end) {
        const bool second = keys[from[b]] > keys[from[a]];
        to[k++] = second ? from[b] : from[a];
        a += !second, b += second;
      }
      while (a < middle) to[k++] = from[a++];
      while (b < end) to[k++] = from[b++];
    }
    int32_t* t = from;
    from = to;
    to = t;
  }
  if (from != best) memcpy(best, from, (size_t)n * sizeof *best);
}

enum {
  DIGIT_BITS = 11,
  DIGITS = 1 << DIGIT_BITS,
  MOST_PASSES = (64 + DIGIT_BITS - 1) / DIGIT_BITS
};

static inline uint32_t digit(uint64_t key, int pass) {
  return (uint32_t)(key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

/* How many digits the keys of a type have. */
static int passes_of(tfc_dtype dtype) {
  const size_t bytes = dtype == TFC_HALF || dtype == TFC_BFLOAT16 ? 4 : tfc_dtype_size(dtype);
  return (int)(8 * bytes + DIGIT_BITS - 1) / DIGIT_BITS;
}

/* The same for a long row: a radix sort from the lowest digit on. A digit that is the same in all
 * keys needs no pass. */
static void radix_sort_row(const uint64_t* keys, int64_t n, int passes, int32_t* best,
                           int32_t* spare) {
  uint32_t counts[MOST_PASSES][DIGITS];
  memset(counts, 0, (size_t)passes * sizeof *counts);
  for (int64_t i = 0; i < n; i++)
    for (int pass = 0; pass < passes; pass++) counts[pass][digit(keys[i], pass)]++;
  for (int64_t i = 0; i < n; i++) best[i] = (int32_t)i;
  int32_t *from = best, *to = spare;
  for (int pass = 0; pass < passes; pass++) {
    uint32_t* count = counts[pass];
    if (count[digit(keys[0], pass)] == n) continue;
    uint32_t place = 0; /* the largest digit comes first */
    for (int d = DIGITS - 1; d >= 0; d--) {
      const uint32_t size = count[d];
      count[d] = place;
      place += size;
    }
    for (int64_t i = 0; i < n; i++) to[count[digit(keys[from[i]], pass)]++] = from[i];
    int32_t* t = from;
    from = to;
    to = t;
  }
  if (from != best) memcpy(best, from, (size_t)n * sizeof *best);
}

static void sort_row(const uint64_t* keys, int64_t n, int passes, int32_t* best, int32_t* spare) {
  if (n < 64 * passes) /* what counting costs is not worth it */
    merge_sort_row(keys, n, best, spare);
  else
    radix_sort_row(keys, n, passes, best, spare);
}

typedef struct row_plan {
  const tfc_tensor* x;
  tfc_tensor *values, *indices;
  uint64_t* keys; /* two rows for each task: keys, and room to sort */
  int32_t* best;  /* a row of indices for each task; NULL where they go to `indices` at once */
  int64_t n, k, rows_per_task, rows, tasks;
  bool reverse;
} row_plan;

static void copy_element(const row_plan* p, int64_t to, int64_t from) {
  const size_t size = tfc_dtype_size(p->x->dtype);
  memcpy((char*)p->values->data + (size_t)to * size, (const char*)p->x->data + (size_t)from * size,
         size);
}

static void store_indices(const tfc_tensor* indices, int64_t at, const int32_t* best, int64_t k) {
  for (int64_t i = 0; i < k; i++) {
    if (indices->dtype == TFC_INT64)
      ((int64_t*)indices->data)[at + i] = best[i];
    else
      ((int16_t*)indices->data)[at + i] = (int16_t)best[i];
  }
}

static void top_tasks(void* arg, int64_t begin, int64_t end) {
  const row_plan* p = arg;
  const int passes = passes_of(p->x->dtype);
  for (int64_t t = begin; t < end; t++) {
    uint64_t* keys = p->keys + t * p->n;
    for (int64_t r = t * p->rows_per_task; r < TFC_MIN((t + 1) * p->rows_per_task, p->rows); r++) {
      int32_t* best = p->best ? p->best + t * p->k : (int32_t*)p->indices->data + r * p->k;
      load_keys(p->x, r * p->n, p->n, keys);
      if (p->k == p->n)
        sort_row(keys, p->n, passes, best, (int32_t*)(p->keys + (p->tasks + t) * p->n));
      else
        top_row(keys, p->n, p->k, best);
      for (int64_t i = 0; i < p->k; i++) copy_element(p, r * p->k + i, r * p->n + best[i]);
      if (p->best) store_indices(p->indices, r * p->k, best, p->k);
    }
  }
}

/* Allocates keys for the few rows that are processed at a time. */
static int plan_rows(tfc_context* ctx, row_plan* p) {
  p->tasks = TFC_MIN(p->rows, 64);
  p->rows_per_task = (p->rows + p->tasks - 1) / p->tasks;
  p->tasks = (p->rows + p->rows_per_task - 1) / p->rows_per_task;
  p->keys = tfc_scratch_items(ctx, 2 * p->tasks * p->n + 1, sizeof(uint64_t));
  return p->keys ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static int top_k(tfc_context* ctx, int64_t k) {
  const tfc_tensor* x = ctx->inputs[0];
  if (k < 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Need k >= 0, got %lld", (long long)k);
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be >= 1-D, got shape %s",
                     tfc_shape_text(x).text);
  const int64_t n = x->dims[x->rank - 1];
  if (n < k)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input must have at least k columns. Had %lld, needed %lld", (long long)n,
                     (long long)k);
  if (n > INT32_MAX)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "TopK of rows of %lld elements", (long long)n);
  if (n > INT16_MAX && ctx->outputs[1].dtype == TFC_INT16)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Indices of %lld columns do not fit into int16",
                     (long long)n);
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank - 1] = k;
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  TFC_TRY(tfc_output(ctx, 1, x->rank, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  row_plan p = {.x = x,
                .values = &ctx->outputs[0],
                .indices = &ctx->outputs[1],
                .n = n,
                .k = k,
                .rows = x->n / n};
  TFC_TRY(plan_rows(ctx, &p));
  if (p.indices->dtype != TFC_INT32) {
    p.best = tfc_scratch_items(ctx, p.tasks * k, sizeof *p.best);
    if (!p.best) return TFC_RESOURCE_EXHAUSTED;
  }
  const double elements = (double)p.rows_per_task * (double)n;
  tfc_parallel_for(ctx, p.tasks, elements * 3 + (double)(p.rows_per_task * k) * 30, top_tasks, &p);
  return TFC_OK;
}

static int top_k_v1(tfc_context* ctx) {
  return top_k(ctx, *(const int64_t*)ctx->state);
}

static int top_k_v2(tfc_context* ctx) {
  if (ctx->inputs[1]->n != 1 || ctx->inputs[1]->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "k must be scalar, got shape %s",
                     tfc_shape_text(ctx->inputs[1]).text);
  const tfc_tensor* k = ctx->inputs[1];
  return top_k(ctx, k->dtype == TFC_INT16 ? *(const int16_t*)k->data : tfc_int_scalar(k));
}

static int k_create(tfc_construction* c, void** state) {
  int64_t* k = tfc_new_state(c, sizeof *k);
  if (!k) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_int(c, "k", k);
  if (rc != TFC_OK) {
    free(k);
    return rc;
  }
  *state = k;
  return TFC_OK;
}

/* ---- NthElement */

/* The n-th smallest key (quickselect with the middle of three as pivot); permutes the keys. */
static uint64_t select_key(uint64_t* keys, int64_t count, int64_t n) {
  int64_t low = 0, high = count - 1;
  while (low < high) {
    uint64_t a = keys[low], b = keys[(low + high) / 2], c = keys[high];
    const uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    int64_t i = low, j = high;
    while (i <= j) {
      while (keys[i] < pivot) i++;
      while (keys[j] > pivot) j--;
      if (i <= j) {
        const uint64_t t = keys[i];
        keys[i++] = keys[j];
        keys[j--] = t;
      }
    }
    if (n <= j)
      high = j;
    else if (n >= i)
      low = i;
    else
      break;
  }
  return keys[n];
}

static void nth_tasks(void* arg, int64_t begin, int64_t end) {
  const row_plan* p = arg;
  for (int64_t t = begin; t < end; t++) {
    uint64_t* keys = p->keys + t * p->n;
    for (int64_t r = t * p->rows_per_task; r < TFC_MIN((t + 1) * p->rows_per_task, p->rows); r++) {
      load_keys(p->x, r * p->n, p->n, keys);
      const uint64_t wanted = select_key(keys, p->n, p->reverse ? p->n - 1 - p->k : p->k);
      load_keys(p->x, r * p->n, p->n, keys); /* in original order again */
      int64_t i = 0;
      while (i < p->n - 1 && keys[i] != wanted) i++;
      copy_element(p, r, r * p->n + i);
    }
  }
}

static int nth_create(tfc_construction* c, void** state) {
  bool* reverse = tfc_new_state(c, sizeof *reverse);
  if (!reverse) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_bool(c, "reverse", reverse);
  if (rc != TFC_OK) {
    free(reverse);
    return rc;
  }
  *state = reverse;
  return TFC_OK;
}

static int nth_element(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (ctx->inputs[1]->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "N must be scalar but has rank %d",
                     ctx->inputs[1]->rank);
  const int64_t k = tfc_int_scalar(ctx->inputs[1]);
  if (k < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "n must be non-negative but is %lld", (long long)k);
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must be at least rank 1 but is rank 0");
  const int64_t n = x->dims[x->rank - 1];
  if (n <= k)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must have last dimension > n = %lld",
                     (long long)k);
  TFC_TRY(tfc_output(ctx, 0, x->rank - 1, x->dims));
  if (x->n == 0) return TFC_OK;
  row_plan p = {.x = x,
                .values = &ctx->outputs[0],
                .n = n,
                .k = k,
                .rows = x->n / n,
                .reverse = *(const bool*)ctx->state};
  TFC_TRY(plan_rows(ctx, &p));
  tfc_parallel_for(ctx, p.tasks, (double)p.rows_per_task * (double)n * 8, nth_tasks, &p);
  return TFC_OK;
}

/* ---- LowerBound, UpperBound */

static int search_sorted(tfc_context* ctx, bool upper) {
  const tfc_tensor *sorted = ctx->inputs[0], *values = ctx->inputs[1];
  if (sorted->rank != 2 || values->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be rank 2 but is rank %d",
                     sorted->rank != 2 ? sorted->rank : values->rank);
  if (sorted->dims[0] != values->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Leading dim_size of both tensors must match.");
  const int64_t n = sorted->dims[1], m = values->dims[1];
  if (n >= INT32_MAX && ctx->outputs[0].dtype == TFC_INT32)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "trailing dim_size must less than INT_MAX for int32 output type, was %lld",
                     (long long)n);
  TFC_TRY(tfc_output_like(ctx, 0, values));
  tfc_tensor* y = &ctx->outputs[0];
  for (int64_t i = 0; i < values->n; i++) {
    uint64_t wanted = 0, key = 0;
    int64_t low = 0, high = n;
    load_keys(values, i, 1, &wanted);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      load_keys(sorted, i / m * n + middle, 1, &key);
      if (upper ? key <= wanted : key < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    if (y->dtype == TFC_INT64)
      ((int64_t*)y->data)[i] = low;
    else
      ((int32_t*)y->data)[i] = (int32_t)low;
  }
  return TFC_OK;
}

static int lower_bound(tfc_context* ctx) {
  return search_sorted(ctx, false);
}
static int upper_bound(tfc_context* ctx) {
  return search_sorted(ctx, true);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TopK", "T=" TFC_TYPES_REALS, top_k_v1, TFC_STATE(k_create)),
    TFC_ROW("TopKV2", "T=" TFC_TYPES_REALS, top_k_v2, .host_args = "k"),
    TFC_ROW("NthElement", "T=" TFC_TYPES_REALS, nth_element, TFC_STATE(nth_create),
            .host_args = "n"),
    TFC_ROW("LowerBound", "T=" TFC_TYPES_REALS, lower_bound),
    TFC_ROW("UpperBound", "T=" TFC_TYPES_REALS, upper_bound),
};
TFC_REGISTER_KERNELS(kernels);
