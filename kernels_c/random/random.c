/* Random numbers: RandomUniform, RandomStandardNormal, TruncatedNormal, RandomUniformInt, their
 * stateless forms, and RandomShuffle.
 *
 * A stateful op owns a Philox stream, started by its two seeds, which each run advances by 256
 * blocks per number, enough for any rejection. Number i of a run depends on i alone, so any split
 * gives the same values.
 */
#include "kernels_c/random/random.h"

#include "kernels_c/common/kernel_table.h"

/* ---- Filling a tensor, chunk by chunk. */

typedef enum { UNIFORM, NORMAL, TRUNCATED, INTEGER, WORDS } distribution;

typedef struct fill_job {
  philox stream;
  char* out;
  int64_t n;
  int32_t dtype;
  distribution kind;
  int per_block;     /* numbers made of a block */
  int64_t low, high; /* of INTEGER: [low, high) */
} fill_job;

/* Numbers of one chunk before they are copied where a whole vector does not fit. */
typedef union chunk_memory {
  float f[PHILOX_WORDS * PHILOX_CHUNK + 4 * VF_N];
  double d[2 * PHILOX_CHUNK + 4 * VD_N];
} chunk_memory;

static void uniform_floats(const uint32_t* words, float* to, int n) {
  for (int i = 0; i < n; i += VF_N) vf_store(to + i, philox_uniform(vu_load(words + i)));
}
static void uniform_doubles(const uint32_t* words, double* to, int n) {
  for (int i = 0; i < n; i += VD_N)
    vd_store(to + i, philox_uniform_double((vul)vu_load(words + 2 * i)));
}
/* As many random bits as the type's fraction has: 10 or 7. */
static void uniform_16bit(int32_t dtype, const uint32_t* words, void* to, int n) {
  float values[PHILOX_WORDS * PHILOX_CHUNK];
  uint32_t mask = dtype == TFC_HALF ? 0x3ff : 0x7f;
  float unit = 1.0f / (float)(mask + 1);
  for (int i = 0; i < n; i++) values[i] = (float)(int32_t)(words[i] & mask) * unit;
  tfc_narrow(dtype, values, to, n);
}

static void integers_32(const fill_job* job, const uint32_t* words, int32_t* to, int n) {
  uint32_t range = (uint32_t)job->high - (uint32_t)job->low, low = (uint32_t)job->low;
#ifdef __SIZEOF_INT128__
  /* x % range without a division: Lemire, Kaser, Kurz, "Faster remainder by direct computation". */
  uint64_t inverse = UINT64_MAX / range + 1;
  for (int i = 0; i < n; i++) {
    uint64_t fraction = inverse * words[i];
    uint32_t remainder = (uint32_t)(((unsigned __int128)fraction * range) >> 64);
    to[i] = (int32_t)(low + (range == 1 ? 0 : remainder));
  }
#else
  for (int i = 0; i < n; i++) to[i] = (int32_t)(low + words[i] % range);
#endif
}
static void integers_64(const fill_job* job, const uint32_t* words, int64_t* to, int n) {
  uint64_t range = (uint64_t)job->high - (uint64_t)job->low;
  for (int i = 0; i < n; i++) {
    uint64_t bits = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    to[i] = (int64_t)((uint64_t)job->low + bits % range);
  }
}

/* Keeps numbers within two standard deviations, in order. A group of four (two doubles) that lost
 * some is filled up from the blocks that follow its own. */
static void truncate_floats(const philox* p, uint64_t first, uint64_t stride, float* values,
                            int n) {
  uint32_t words[PHILOX_WORDS + 4 * VF_N] = {0};
  float more[PHILOX_WORDS + 4 * VF_N];
  for (int group = 0; group * 4 < n; group++) {
    float* v = values + group * 4;
    int kept = 0;
    for (int i = 0; i < 4; i++)
      if (fabsf(v[i]) < 2.0f) v[kept++] = v[i];
    if (kept == 4) continue;
    philox_reader r;
    philox_read_from(&r, p, first + (uint64_t)group * stride + 1 - p->block);
    while (kept < 4) {
      philox_next_block(&r);
      memcpy(words, r.word, sizeof r.word[0] * PHILOX_WORDS);
      philox_normals(words, more, 4);
      for (int i = 0; i < 4 && kept < 4; i++)
        if (fabsf(more[i]) < 2.0f) v[kept++] = more[i];
    }
  }
}
static void truncate_doubles(const philox* p, uint64_t first, uint64_t stride, double* values,
                             int n) {
  uint32_t words[PHILOX_WORDS + 4 * VF_N] = {0};
  double more[2 + 4 * VD_N];
  for (int group = 0; group * 2 < n; group++) {
    double* v = values + group * 2;
    int kept = 0;
    for (int i = 0; i < 2; i++)
      if (fabs(v[i]) < 2.0) v[kept++] = v[i];
    if (kept == 2) continue;
    philox_reader r;
    philox_read_from(&r, p, first + (uint64_t)group * stride + 1 - p->block);
    while (kept < 2) {
      philox_next_block(&r);
      memcpy(words, r.word, sizeof r.word[0] * PHILOX_WORDS);
      philox_normal_doubles(words, more, 2);
      for (int i = 0; i < 2 && kept < 2; i++)
        if (fabs(more[i]) < 2.0) v[kept++] = more[i];
    }
  }
}

static void fill_double(const fill_job* job, const uint32_t* words, uint64_t first, uint64_t stride,
                        double* to, int n, bool whole, chunk_memory* memory) {
  double* at = whole ? to : memory->d;
  if (job->kind == UNIFORM) {
    uniform_doubles(words, at, n);
  } else {
    philox_normal_doubles(words, at, n);
    if (job->kind == TRUNCATED) truncate_doubles(&job->stream, first, stride, at, n);
  }
  if (!whole) memcpy(to, at, (size_t)n * sizeof(double));
}

static void fill_float(const fill_job* job, const uint32_t* words, uint64_t first, uint64_t stride,
                       void* to, int n, bool whole, chunk_memory* memory) {
  float* at = whole && job->dtype == TFC_FLOAT ? to : memory->f;
  if (job->kind == UNIFORM) {
    uniform_floats(words, at, n);
  } else {
    philox_normals(words, at, n);
    if (job->kind == TRUNCATED) truncate_floats(&job->stream, first, stride, at, n);
  }
  if (job->dtype != TFC_FLOAT)
    tfc_narrow(job->dtype, at, to, n);
  else if (!whole)
    memcpy(to, at, (size_t)n * sizeof(float));
}

static void fill_chunks(void* arg, int64_t begin, int64_t end) {
  const fill_job* job = arg;
  const int chunk = PHILOX_CHUNK * job->per_block;
  uint64_t stride = 1;
  if (job->kind == TRUNCATED)
    stride = (uint64_t)(BLOCKS_PER_NUMBER / PHILOX_WORDS * job->per_block);
  philox_words w;
  chunk_memory memory;
  for (int64_t c = begin; c < end; c++) {
    int n = (int)TFC_MIN((int64_t)chunk, job->n - c * chunk);
    int blocks = (n + job->per_block - 1) / job->per_block;
    uint64_t first = job->stream.block + (uint64_t)c * PHILOX_CHUNK * stride;
    void* to = job->out + (size_t)(c * chunk) * tfc_dtype_size(job->dtype);
    bool whole = n == chunk;
    philox_fill(&job->stream, first, stride, blocks, w.word);
    if (job->kind == WORDS)
      memcpy(to, w.word, (size_t)n * tfc_dtype_size(job->dtype)); /* little-endian */
    else if (job->kind == INTEGER && tfc_dtype_size(job->dtype) == 4)
      integers_32(job, w.word, to, n);
    else if (job->kind == INTEGER)
      integers_64(job, w.word, to, n);
    else if (job->dtype == TFC_DOUBLE)
      fill_double(job, w.word, first, stride, to, n, whole, &memory);
    else if (job->kind == UNIFORM && job->dtype != TFC_FLOAT)
      uniform_16bit(job->dtype, w.word, to, n);
    else
      fill_float(job, w.word, first, stride, to, n, whole, &memory);
  }
}

static int fill(tfc_context* ctx, fill_job* job) {
  job->out = ctx->outputs[0].data;
  job->n = ctx->outputs[0].n;
  job->dtype = ctx->outputs[0].dtype;
  job->per_block = tfc_dtype_size(job->dtype) == 8 ? 2 : 4;
  int64_t chunk = PHILOX_CHUNK * job->per_block;
  double ns = job->kind == TRUNCATED ? 4 : job->kind == NORMAL ? 1 : 0.4;
  tfc_parallel_for(ctx, (job->n + chunk - 1) / chunk, ns * (double)chunk, fill_chunks, job);
  return TFC_OK;
}

static int fill_stateful(tfc_context* ctx, distribution kind) {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  fill_job job = {.kind = kind};
  TFC_TRY(tfc_random_reserve(ctx, ctx->outputs[0].n * BLOCKS_PER_NUMBER, &job.stream));
  return fill(ctx, &job);
}
static int random_uniform(tfc_context* ctx) {
  return fill_stateful(ctx, UNIFORM);
}
static int random_normal(tfc_context* ctx) {
  return fill_stateful(ctx, NORMAL);
}
static int truncated_normal(tfc_context* ctx) {
  return fill_stateful(ctx, TRUNCATED);
}

/* Numbers of a stream that inputs give: a seed, or (V2) key, counter and algorithm. */
static int fill_stateless(tfc_context* ctx, distribution kind) {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  const bool keyed = ctx->inputs[1]->dtype == TFC_UINT64; /* seeds are int32 or int64 */
  fill_job job = {.kind = kind};
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  TFC_TRY((keyed ? tfc_random_keyed : tfc_random_stateless)(ctx, 1, &job.stream));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  if (kind == INTEGER) TFC_TRY(tfc_random_range(ctx, keyed ? 4 : 2, &job.low, &job.high));
  return fill(ctx, &job);
}
static int stateless_uniform(tfc_context* ctx) {
  return fill_stateless(ctx, UNIFORM);
}
static int stateless_normal(tfc_context* ctx) {
  return fill_stateless(ctx, NORMAL);
}
static int stateless_truncated(tfc_context* ctx) {
  return fill_stateless(ctx, TRUNCATED);
}

static int random_integers(tfc_context* ctx) {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  fill_job job = {.kind = INTEGER};
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  TFC_TRY(tfc_random_range(ctx, 1, &job.low, &job.high));
  TFC_TRY(tfc_random_reserve(ctx, ctx->outputs[0].n * BLOCKS_PER_NUMBER, &job.stream));
  return fill(ctx, &job);
}
static int stateless_integers(tfc_context* ctx) {
  return fill_stateless(ctx, INTEGER);
}
static int stateless_words(tfc_context* ctx) {
  return fill_stateless(ctx, WORDS);
}

/* ---- Keys and counters of stateless ops */

static int put_algorithm(tfc_context* ctx, int i) {
  TFC_TRY(tfc_output_scalar(ctx, i));
  *(int32_t*)ctx->outputs[i].data = TFC_RANDOM_PHILOX;
  return TFC_OK;
}
static int algorithm(tfc_context* ctx) {
  return put_algorithm(ctx, 0);
}
static int key_and_counter(tfc_context* ctx) {
  philox stream;
  TFC_TRY(tfc_random_stateless(ctx, 0, &stream));
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){1}));
  TFC_TRY(tfc_output(ctx, 1, 1, (int64_t[]){2}));
  *(uint64_t*)ctx->outputs[0].data = stream.key;
  ((uint64_t*)ctx->outputs[1].data)[0] = stream.block;
  ((uint64_t*)ctx->outputs[1].data)[1] = stream.high;
  return ctx->n_outputs == 3 ? put_algorithm(ctx, 2) : TFC_OK;
}

/* ---- RandomShuffle, StatelessShuffle: Fisher and Yates on row numbers, then the rows are copied.
 */

typedef struct shuffle_job {
  const tfc_tensor* from;
  tfc_tensor* to;
  const int64_t* order;
  size_t row_bytes;
} shuffle_job;

static void copy_rows(void* arg, int64_t begin, int64_t end) {
  const shuffle_job* job = arg;
  const char* from = job->from->data;
  char* to = job->to->data;
  for (int64_t i = begin; i < end; i++)
    memcpy(to + (size_t)i * job->row_bytes, from + (size_t)job->order[i] * job->row_bytes,
           job->row_bytes);
}

static int copy_string_rows(tfc_context* ctx, const shuffle_job* job, int64_t rows) {
  int64_t width = job->from->n / rows;
  const tfc_string* from = job->from->data;
  for (int64_t i = 0; i < rows * width; i++) {
    const tfc_string* s = from + job->order[i / width] * width + i % width;
    TFC_TRY(tfc_string_set(ctx, job->to, i, s->data, s->size));
  }
  return TFC_OK;
}

static bool has_order(const tfc_tensor* value) {
  return value->n > 1 && value->rank > 0 && value->dims[0] > 1;
}

static int shuffle_rows(tfc_context* ctx, const philox* stream) {
  const tfc_tensor* value = ctx->inputs[0];
  int64_t rows = value->dims[0];
  int64_t* order = tfc_scratch(ctx, (size_t)rows * sizeof(int64_t));
  if (!order) return TFC_RESOURCE_EXHAUSTED;
  philox_reader r;
  philox_read_from(&r, stream, 0);
  for (int64_t i = 0; i < rows; i++) order[i] = i;
  for (int64_t i = 0; i + 1 < rows; i++) {
    int64_t j = i + philox_next(&r) % (uint32_t)(rows - i);
    int64_t swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  TFC_TRY(tfc_output_like(ctx, 0, value));
  size_t bytes = (size_t)(value->n / rows) * tfc_dtype_size(value->dtype);
  shuffle_job job = {value, &ctx->outputs[0], order, bytes};
  if (value->dtype == TFC_STRING) return copy_string_rows(ctx, &job, rows);
  tfc_parallel_for(ctx, rows, 5 + (double)bytes * 0.1, copy_rows, &job);
  return TFC_OK;
}

static int random_shuffle(tfc_context* ctx) {
  if (!has_order(ctx->inputs[0])) return tfc_output_input(ctx, 0, 0);
  philox stream;
  TFC_TRY(tfc_random_reserve(ctx, (ctx->inputs[0]->dims[0] - 1 + 3) / 4, &stream));
  return shuffle_rows(ctx, &stream);
}

static int stateless_shuffle(tfc_context* ctx) {
  philox stream;
  TFC_TRY(tfc_random_keyed(ctx, 1, &stream));
  return has_order(ctx->inputs[0]) ? shuffle_rows(ctx, &stream) : tfc_output_input(ctx, 0, 0);
}

#define TYPES_WORDS TFC_TYPES_INDICES "|uint32|uint64"
static const tfc_kernel_def kernels[] = {
    TFC_ROW("RandomUniform", "dtype=" TFC_TYPES_FLOATS, random_uniform, .create = tfc_random_create,
            .destroy = tfc_random_destroy, .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("RandomStandardNormal", "dtype=" TFC_TYPES_FLOATS, random_normal,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("TruncatedNormal", "dtype=" TFC_TYPES_FLOATS, truncated_normal,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("RandomUniformInt", "Tout=" TFC_TYPES_INDICES, random_integers,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("RandomShuffle", "", random_shuffle, .create = tfc_random_create,
            .destroy = tfc_random_destroy, .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("StatelessShuffle", "T=" TFC_TYPES_VALUES, stateless_shuffle),
    TFC_ROW("StatelessRandomUniform", "dtype=" TFC_TYPES_FLOATS, stateless_uniform),
    TFC_ROW("StatelessRandomNormal", "dtype=" TFC_TYPES_FLOATS, stateless_normal),
    TFC_ROW("StatelessTruncatedNormal", "dtype=" TFC_TYPES_FLOATS, stateless_truncated),
    TFC_ROW("StatelessRandomUniformInt", "dtype=" TFC_TYPES_INDICES, stateless_integers),
    TFC_ROW("StatelessRandomUniformFullInt", "dtype=" TYPES_WORDS ";Tseed=" TFC_TYPES_INDICES,
            stateless_words),
    TFC_ROW("StatelessRandomUniformV2", "dtype=" TFC_TYPES_FLOATS, stateless_uniform),
    TFC_ROW("StatelessRandomNormalV2", "dtype=" TFC_TYPES_FLOATS, stateless_normal),
    TFC_ROW("StatelessTruncatedNormalV2", "dtype=" TFC_TYPES_FLOATS, stateless_truncated),
    TFC_ROW("StatelessRandomUniformIntV2", "dtype=" TFC_TYPES_INDICES, stateless_integers),
    TFC_ROW("StatelessRandomUniformFullIntV2", "dtype=" TYPES_WORDS, stateless_words),
    TFC_ROW("StatelessRandomGetKeyCounter", "", key_and_counter),
    TFC_ROW("StatelessRandomGetKeyCounterAlg", "", key_and_counter),
    TFC_ROW("StatelessRandomGetAlg", "", algorithm),
};
TFC_REGISTER_KERNELS(kernels);
