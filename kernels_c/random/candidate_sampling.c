/* Candidate sampling: draws classes from a distribution over [0, range) and computes their expected
 * counts; finds true classes among the samples.
 *
 * Distributions and the order of random numbers are TensorFlow's, so that equal seeds give equal
 * samples. A run of a sampler takes 512 blocks of its stream for each class that it draws.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/remote_files.h"
#include "kernels_c/random/random.h"

enum { BLOCKS_PER_SAMPLE = 512, TRIES_BETWEEN_CHECKS = 4096 };

/* ---- Random numbers below a bound: numbers that would cause a bias are drawn again. */

static uint64_t next_long(philox_reader* r) {
  uint64_t low = philox_next(r);
  return low | (uint64_t)philox_next(r) << 32;
}
static uint64_t long_below(philox_reader* r, uint64_t n) {
  if ((n & (n - 1)) == 0) return next_long(r) & (n - 1);
  const uint64_t refused = UINT64_MAX % n + 1;
  uint64_t x;
  do x = next_long(r);
  while (x < refused);
  return x % n;
}
static uint32_t word_below(philox_reader* r, uint32_t n) {
  if ((n & (n - 1)) == 0) return philox_next(r) & (n - 1);
  const uint32_t refused = UINT32_MAX % n + 1;
  uint32_t x;
  do x = philox_next(r);
  while (x < refused);
  return x % n;
}
static float next_fraction(philox_reader* r) {
  return tfc_float_from_bits((philox_next(r) & 0x7fffffu) | 0x3f800000u) - 1.0f;
}

/* ---- A hash table from numbers to numbers, with open addressing. */

typedef struct table {
  struct entry {
    int64_t key, value; /* value < 0: free */
  }* entries;
  uint64_t mask;
} table;

static int table_make(tfc_context* ctx, int64_t n, table* t) {
  uint64_t capacity = 16;
  while (capacity < 2 * (uint64_t)n) capacity *= 2;
  t->mask = capacity - 1;
  t->entries = tfc_scratch(ctx, capacity * sizeof *t->entries);
  if (!t->entries) return TFC_RESOURCE_EXHAUSTED;
  memset(t->entries, 0xff, capacity * sizeof *t->entries);
  return TFC_OK;
}
/* The entry of `key`, or the free entry for it. */
static struct entry* table_find(const table* t, int64_t key) {
  uint64_t h = (uint64_t)key * 0x9E3779B97F4A7C15u;
  for (uint64_t i = h ^ (h >> 32);; i++) {
    struct entry* e = &t->entries[i & t->mask];
    if (e->value < 0 || e->key == key) return e;
  }
}

/* ---- Samplers: a distribution over [0, range). */

typedef struct sampler sampler;
struct sampler {
  tfc_random_state random; /* must be first: tfc_random_reserve expects it there */
  int64_t (*sample)(const sampler*, philox_reader*);
  double (*probability)(const sampler*, int64_t id);
  int64_t num_true, num_sampled, range;
  bool unique;
  double log_range; /* log-uniform */
  /* Fixed: weights; for each class the share of its bucket that is its own, and the class that has
   * the rest (Walker's alias method). */
  float *weights, *share;
  int32_t* other;
  double total;
  /* Learned: how often each class was seen, as a tree of partial sums. */
  int32_t* seen;
  int64_t seen_total;
  pthread_mutex_t lock;
};

static void sampler_destroy(void* state) {
  sampler* s = state;
  pthread_mutex_destroy(&s->lock);
  free(s->weights);
  free(s->share);
  free(s->other);
  free(s->seen);
  free(s);
}

/* `range_attr`: the attribute with the number of classes. */
static int sampler_create(tfc_construction* c, const char* range_attr, sampler** out) {
  sampler* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  pthread_mutex_init(&s->lock, NULL);
  int code = tfc_random_open(c, &s->random);
  if (!code) code = c->api->attr_int(c, "num_true", &s->num_true);
  if (!code) code = c->api->attr_int(c, "num_sampled", &s->num_sampled);
  if (!code) code = c->api->attr_int(c, range_attr, &s->range);
  if (!code) code = c->api->attr_bool(c, "unique", &s->unique);
  if (!code && s->unique && s->num_sampled > s->range)
    code = c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Sampler's range is too small. %lld different classes of %lld",
                         (long long)s->num_sampled, (long long)s->range);
  if (code) {
    sampler_destroy(s);
    return code;
  }
  *out = s;
  return TFC_OK;
}

static int64_t uniform_sample(const sampler* s, philox_reader* r) {
  return (int64_t)long_below(r, (uint64_t)s->range);
}
static double uniform_probability(const sampler* s, int64_t id) {
  (void)id;
  return 1.0 / (double)s->range;
}
static int uniform_create(tfc_construction* c, void** state) {
  sampler* s;
  TFC_TRY(sampler_create(c, "range_max", &s));
  s->sample = uniform_sample;
  s->probability = uniform_probability;
  *state = s;
  return TFC_OK;
}

static int64_t log_uniform_sample(const sampler* s, philox_reader* r) {
  /* Rounding can give the range itself. */
  double x = exp(philox_next_double(r) * s->log_range);
  return ((int64_t)TFC_MIN(x, 0x1.fffffffffffffp62) - 1) % s->range;
}
static double log_uniform_probability(const sampler* s, int64_t id) {
  return log1p(1.0 / ((double)id + 1.0)) / s->log_range;
}
static int log_uniform_create(tfc_construction* c, void** state) {
  sampler* s;
  TFC_TRY(sampler_create(c, "range_max", &s));
  s->sample = log_uniform_sample;
  s->probability = log_uniform_probability;
  s->log_range = log1p((double)s->range);
  *state = s;
  return TFC_OK;
}

/* ---- A learned distribution: 1 + how often the class was a true one. Node i (from 1 on) of the
 * tree has the sum over the i & -i classes that end with class i - 1 (Fenwick, "A new data
 * structure for cumulative frequency tables", 1994). The ones are not stored, so memory for classes
 * that were never seen is never touched. */

static int64_t learned_sample(const sampler* s, philox_reader* r) {
  int64_t x = word_below(r, (uint32_t)(s->range + s->seen_total)), found = 0, step = 1;
  while (2 * step <= s->range) step *= 2;
  for (; step; step /= 2) {
    if (found + step > s->range) continue;
    int64_t sum = step + s->seen[found + step];
    if (sum > x) continue;
    x -= sum;
    found += step;
  }
  return found;
}
static double learned_probability(const sampler* s, int64_t id) {
  int64_t node = id + 1, weight = 1 + s->seen[node];
  for (int64_t i = node - 1, end = node - (node & -node); i > end; i -= i & -i)
    weight -= s->seen[i];
  return (double)weight / (double)(s->range + s->seen_total);
}
/* Counts classes until the sum of all weights is the largest int32. */
static void learn(sampler* s, const int64_t* ids, int64_t n) {
  for (int64_t j = 0; j < n && s->range + s->seen_total < INT32_MAX; j++, s->seen_total++)
    for (int64_t i = ids[j] + 1; i <= s->range; i += i & -i) s->seen[i]++;
}
static int learned_create(tfc_construction* c, void** state) {
  sampler* s;
  TFC_TRY(sampler_create(c, "range_max", &s));
  s->sample = learned_sample;
  s->probability = learned_probability;
  int code = TFC_OK;
  if (s->range >= INT32_MAX)
    code = c->api->error(c, TFC_INVALID_ARGUMENT, "Value of range_max:%lld is too large to handle",
                         (long long)s->range);
  else if (!(s->seen = calloc((size_t)s->range + 1, sizeof *s->seen)))
    code = c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory: counts of %lld classes",
                         (long long)s->range);
  if (code)
    sampler_destroy(s);
  else
    *state = s;
  return code;
}

/* ---- A distribution given by weights or a file of weights. */

static int64_t fixed_sample(const sampler* s, philox_reader* r) {
  float x = next_fraction(r);
  uint32_t bucket = word_below(r, (uint32_t)s->range);
  return x < s->share[bucket] ? bucket : s->other[bucket];
}
static double fixed_probability(const sampler* s, int64_t id) {
  return s->weights[id] / s->total;
}

/* Fills `share` and `other`. `size`: the weight of each class in buckets; `stack`: classes with
 * less than one bucket grow from the left, the others from the right. */
static void share_buckets(sampler* s, double* size, int32_t* stack) {
  int64_t n = s->range, small = 0, large = n;
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += s->weights[i];
  for (int64_t i = 0; i < n; i++) {
    size[i] = s->weights[i] * (float)n / sum;
    stack[size[i] < 1 ? small++ : --large] = (int32_t)i;
  }
  while (small > 0 && large < n) {
    int32_t poor = stack[--small], rich = stack[large++];
    s->share[poor] = (float)size[poor];
    s->other[poor] = rich;
    size[rich] -= 1 - size[poor];
    stack[size[rich] < 1 ? small++ : --large] = rich;
  }
  /* The rest are whole buckets except for rounding. */
  while (small > 0 || large < n) {
    int32_t i = small > 0 ? stack[--small] : stack[large++];
    s->share[i] = 1;
    s->other[i] = i;
  }
}

typedef struct weight_list {
  float* values;
  int64_t n, capacity; /* n may exceed the capacity: further words are only counted */
  int64_t words, num_shards, shard, positive;
  double total, distortion;
} weight_list;

/* Appends a word's weight if the word is in this shard. */
static void add_word(weight_list* l, float weight) {
  if (l->words++ % l->num_shards != l->shard) return;
  if (l->n < l->capacity) l->values[l->n] = weight;
  l->n++;
  l->total += weight;
  l->positive += weight > 0;
}
/* Appends classes that are never drawn. */
static void add_reserved(weight_list* l, int64_t count) {
  if (l->shard < l->num_shards && l->shard < count)
    l->n = (count - l->shard - 1) / l->num_shards + 1;
  for (int64_t i = 0; i < TFC_MIN(l->n, l->capacity); i++) l->values[i] = 0;
  l->words = TFC_MAX(count, 0);
}
static int add_weight(tfc_construction* c, weight_list* l, double weight) {
  double distorted = pow(weight, l->distortion);
  if (!(weight >= 0) || !isfinite((float)distorted))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "The weight of word %lld is %g (with distortion %g); weights must be "
                         "finite and not negative",
                         (long long)l->words, weight, l->distortion);
  add_word(l, (float)distorted);
  return TFC_OK;
}

static int add_unigrams(tfc_construction* c, weight_list* l, int count) {
  double* unigrams = malloc((size_t)count * sizeof *unigrams);
  if (!unigrams) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int code = c->api->attr_floats(c, "unigrams", count, unigrams, &count);
  for (int i = 0; i < count && !code; i++) code = add_weight(c, l, unigrams[i]);
  free(unigrams);
  return code;
}

/* Lines of comma-separated values, the weight last; empty lines are skipped. */
static int add_lines(tfc_construction* c, weight_list* l, FILE* file, const char* path) {
  char* line = NULL;
  size_t capacity = 0;
  ssize_t length;
  int code = TFC_OK;
  for (long long number = 1; !code && (length = getline(&line, &capacity, file)) >= 0; number++) {
    while (length > 0 && strchr("\r\n", line[length - 1])) line[--length] = 0;
    if (length == 0) continue;
    char *comma = strrchr(line, ','), *start = comma ? comma + 1 : line, *end;
    float weight = strtof(start, &end);
    while (*end == ' ' || *end == '\t') end++;
    if (end == start || *end)
      code = c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Wrong vocabulary format at line %lld of %s: %s", number, path, line);
    else
      code = add_weight(c, l, weight);
  }
  if (!code && ferror(file))
    code = c->api->error(c, tfc_code_of_errno(errno), "%s; %s", path, strerror(errno));
  free(line);
  return code;
}
static int add_file(tfc_construction* c, weight_list* l, const char* name, size_t size) {
  char* path = strndup(name, size);
  if (!path) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  tfc_file_status status;
  FILE* file = tfc_open_stream(path, &status);
  int code = file ? add_lines(c, l, file, path) : c->api->error(c, status.code, "%s", status.text);
  if (file) fclose(file);
  free(path);
  return code;
}

static int read_weights(tfc_construction* c, weight_list* l) {
  int64_t reserved;
  const char* file;
  size_t file_size;
  double none;
  int count;
  TFC_TRY(c->api->attr_int(c, "num_reserved_ids", &reserved));
  TFC_TRY(c->api->attr_int(c, "num_shards", &l->num_shards));
  TFC_TRY(c->api->attr_int(c, "shard", &l->shard));
  TFC_TRY(c->api->attr_float(c, "distortion", &l->distortion));
  TFC_TRY(c->api->attr_string(c, "vocab_file", &file, &file_size));
  TFC_TRY(c->api->attr_floats(c, "unigrams", 0, &none, &count));
  if (!file_size && !count)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Must provide either vocab_file or unigrams.");
  if (file_size && count)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Must only provide one of vocab_file and unigrams.");
  add_reserved(l, reserved);
  return count ? add_unigrams(c, l, count) : add_file(c, l, file, file_size);
}

/* Fails if too few classes have a weight: drawing would never end. */
static int check_weights(tfc_construction* c, const sampler* s, const weight_list* l) {
  if (l->n != s->range)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "range is %lld must be equal to weights size %lld", (long long)s->range,
                         (long long)l->n);
  if (l->positive == 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "All %lld weights are 0", (long long)l->n);
  if (s->unique && s->num_sampled > l->positive)
    return c->api->error(
        c, TFC_INVALID_ARGUMENT,
        "Sampler's range is too small. %lld different classes of %lld whose weight "
        "is not 0",
        (long long)s->num_sampled, (long long)l->positive);
  return TFC_OK;
}

static int fill_fixed(tfc_construction* c, sampler* s) {
  if (s->range > INT32_MAX)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Value of range_max:%lld is too large to handle",
                         (long long)s->range);
  const size_t n = (size_t)s->range;
  s->weights = malloc(n * sizeof *s->weights);
  s->share = malloc(n * sizeof *s->share);
  s->other = malloc(n * sizeof *s->other);
  double* size = malloc(n * sizeof *size);
  int32_t* stack = malloc(n * sizeof *stack);
  weight_list list = {.values = s->weights, .capacity = s->range};
  int code = TFC_OK;
  if (!s->weights || !s->share || !s->other || !size || !stack)
    code = c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory: weights of %lld classes",
                         (long long)s->range);
  if (!code) code = read_weights(c, &list);
  if (!code) code = check_weights(c, s, &list);
  if (!code) share_buckets(s, size, stack);
  s->total = list.total;
  free(size);
  free(stack);
  return code;
}
static int fixed_create(tfc_construction* c, void** state) {
  sampler* s;
  TFC_TRY(sampler_create(c, "range_max", &s));
  s->sample = fixed_sample;
  s->probability = fixed_probability;
  int code = fill_fixed(c, s);
  if (code)
    sampler_destroy(s);
  else
    *state = s;
  return code;
}

/* ---- Running a sampler. */

/* Called without the lock, as signal handlers may run this op. */
static bool is_cancelled(tfc_context* ctx, sampler* s) {
  if (s->seen) pthread_mutex_unlock(&s->lock);
  bool cancelled = tfc_cancelled(ctx);
  if (s->seen) pthread_mutex_lock(&s->lock);
  return cancelled;
}

static int draw_unique(tfc_context* ctx, sampler* s, philox_reader* r, int64_t* out,
                       int64_t* tries) {
  table used;
  TFC_TRY(table_make(ctx, s->num_sampled, &used));
  for (int64_t n = 0; n < s->num_sampled;) {
    if (++*tries % TRIES_BETWEEN_CHECKS == 0 && is_cancelled(ctx, s)) return TFC_CANCELLED;
    if (*tries == INT32_MAX)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Only %lld different classes in %lld tries; %lld are wanted", (long long)n,
                       (long long)*tries, (long long)s->num_sampled);
    int64_t id = s->sample(s, r);
    struct entry* e = table_find(&used, id);
    if (e->value >= 0) continue;
    *e = (struct entry){id, n};
    out[n++] = id;
  }
  return TFC_OK;
}
static int draw(tfc_context* ctx, sampler* s, philox_reader* r, int64_t* out, int64_t* tries) {
  if (s->unique) return draw_unique(ctx, s, r, out, tries);
  for (int64_t i = 0; i < s->num_sampled; i++) {
    if (i % TRIES_BETWEEN_CHECKS == 0 && is_cancelled(ctx, s)) return TFC_CANCELLED;
    out[i] = s->sample(s, r);
  }
  *tries = s->num_sampled;
  return TFC_OK;
}

/* Expected counts of classes; after rejections, the probability that a class occurs at all. */
static void expect(const sampler* s, int64_t tries, const int64_t* ids, int64_t n, float* counts) {
  for (int64_t i = 0; i < n; i++) {
    double p = s->probability(s, ids[i]);
    counts[i] =
        (float)(tries == s->num_sampled ? p * (double)tries : -expm1((double)tries * log1p(-p)));
  }
}

/* Reads the true classes. */
static int read_true(tfc_context* ctx, const sampler* s, int64_t** to) {
  const tfc_tensor* t = ctx->inputs[0];
  if (t->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "true_classes must be a matrix, got shape %s",
                     tfc_shape_text(t).text);
  if (t->dims[1] != s->num_true)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "true_classes must have num_true columns, expected: %lld was: %lld",
                     (long long)s->num_true, (long long)t->dims[1]);
  *to = tfc_scratch(ctx, (size_t)t->n * sizeof **to + 1);
  if (!*to) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t id = (*to)[i] = tfc_index_at(t, i);
    if (id < 0 || id >= s->range)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "`true_candidate` out of range [0, %lld), received %lld",
                       (long long)s->range, (long long)id);
  }
  return TFC_OK;
}
static int sampler_outputs(tfc_context* ctx, const sampler* s, int64_t** labels) {
  TFC_TRY(read_true(ctx, s, labels));
  TFC_TRY(tfc_output(ctx, 0, 1, &s->num_sampled));
  TFC_TRY(tfc_output_like(ctx, 1, ctx->inputs[0]));
  return tfc_output(ctx, 2, 1, &s->num_sampled);
}

static int run_sampler(tfc_context* ctx) {
  sampler* s = ctx->state;
  const int64_t n_labels = ctx->inputs[0]->n;
  int64_t* labels;
  TFC_TRY(sampler_outputs(ctx, s, &labels));
  philox stream;
  TFC_TRY(tfc_random_reserve(ctx, BLOCKS_PER_SAMPLE * s->num_sampled, &stream));
  philox_reader r;
  philox_read_from(&r, &stream, 0);
  int64_t* sampled = ctx->outputs[0].data;
  int64_t tries = 0;
  if (s->seen) pthread_mutex_lock(&s->lock);
  int code = draw(ctx, s, &r, sampled, &tries);
  if (!code) {
    expect(s, tries, labels, n_labels, ctx->outputs[1].data);
    expect(s, tries, sampled, s->num_sampled, ctx->outputs[2].data);
    if (s->seen) learn(s, labels, n_labels);
  }
  if (s->seen) pthread_mutex_unlock(&s->lock);
  return code;
}

/* ---- AllCandidateSampler: every class, once. */

static int all_create(tfc_construction* c, void** state) {
  sampler* s;
  TFC_TRY(sampler_create(c, "num_sampled", &s));
  *state = s;
  return TFC_OK;
}
static int run_all(tfc_context* ctx) {
  const sampler* s = ctx->state;
  int64_t* labels;
  TFC_TRY(sampler_outputs(ctx, s, &labels));
  int64_t* sampled = ctx->outputs[0].data;
  float *true_count = ctx->outputs[1].data, *sampled_count = ctx->outputs[2].data;
  for (int64_t i = 0; i < s->num_sampled; i++) sampled[i] = i, sampled_count[i] = 1;
  for (int64_t i = 0; i < ctx->inputs[0]->n; i++) true_count[i] = 1;
  return TFC_OK;
}

/* ---- ComputeAccidentalHits: finds a row's true classes among the candidates. */

static int hits_create(tfc_construction* c, void** state) {
  int64_t value, *num_true;
  TFC_TRY(c->api->attr_int(c, "num_true", &value));
  if (!(num_true = malloc(sizeof *num_true)))
    return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *num_true = value;
  *state = num_true;
  return TFC_OK;
}
static void hits_destroy(void* state) {
  free(state);
}

/* For each label its last index among the candidates, or -1; returns the number of hits. */
static int64_t find_hits(const table* places, const tfc_tensor* labels, int64_t* found) {
  int64_t hits = 0;
  for (int64_t i = 0; i < labels->n; i++) {
    found[i] = table_find(places, ((const int64_t*)labels->data)[i])->value;
    hits += found[i] >= 0;
  }
  return hits;
}

static int accidental_hits(tfc_context* ctx) {
  const tfc_tensor *labels = ctx->inputs[0], *candidates = ctx->inputs[1];
  const int64_t num_true = *(const int64_t*)ctx->state;
  if (labels->rank != 2 || labels->dims[1] != num_true)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "true_candidates must be a batch_size * num_true matrix, got shape %s with "
                     "num_true = %lld",
                     tfc_shape_text(labels).text, (long long)num_true);
  if (candidates->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "sampled_candidates must be a vector, which is typically an output from "
                     "CandidateSampler, got shape %s",
                     tfc_shape_text(candidates).text);
  table places;
  TFC_TRY(table_make(ctx, candidates->n, &places));
  for (int64_t i = 0; i < candidates->n; i++) {
    int64_t id = ((const int64_t*)candidates->data)[i];
    *table_find(&places, id) = (struct entry){id, i};
  }
  int64_t* found = tfc_scratch(ctx, (size_t)labels->n * sizeof *found);
  if (!found) return TFC_RESOURCE_EXHAUSTED;
  const int64_t hits = find_hits(&places, labels, found);
  for (int i = 0; i < 3; i++) TFC_TRY(tfc_output(ctx, i, 1, &hits));
  int32_t* rows = ctx->outputs[0].data;
  int64_t* ids = ctx->outputs[1].data;
  float* weights = ctx->outputs[2].data;
  for (int64_t i = 0, n = 0; i < labels->n; i++) {
    if (found[i] < 0) continue;
    rows[n] = (int32_t)(i / num_true);
    ids[n] = found[i];
    weights[n++] = -0x1.fffffep127f;
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("UniformCandidateSampler", "", run_sampler, .create = uniform_create,
            .destroy = sampler_destroy, .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("LogUniformCandidateSampler", "", run_sampler, .create = log_uniform_create,
            .destroy = sampler_destroy, .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("LearnedUnigramCandidateSampler", "", run_sampler, .create = learned_create,
            .destroy = sampler_destroy, .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("ThreadUnsafeUnigramCandidateSampler", "", run_sampler, .create = learned_create,
            .destroy = sampler_destroy, .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("FixedUnigramCandidateSampler", "", run_sampler, .create = fixed_create,
            .destroy = sampler_destroy, .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("AllCandidateSampler", "", run_all, .create = all_create, .destroy = sampler_destroy,
            .flags = TFC_KERNEL_STATEFUL | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("ComputeAccidentalHits", "", accidental_hits, .create = hits_create,
            .destroy = hits_destroy),
};
TFC_REGISTER_KERNELS(kernels);
