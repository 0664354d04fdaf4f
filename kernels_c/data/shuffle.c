/* ShuffleDataset, with TensorFlow's order for given seeds; ShuffleAndRepeatDataset, which is it
 * with a RepeatDataset. */
#include "kernels_c/data/words.h"

TFC_ONE_LEVEL;

typedef struct shuffle {
  dataset base;
  int64_t buffer_size, seed, seed2;
  bool reshuffles;
  seed_source seeds; /* of the next iterators, if each has its own order */
} shuffle;

typedef struct shuffle_iterator {
  iterator base;
  words random;
  words restored_seeds; /* for the dataset */
  tfc_tensor* buffer;   /* `capacity` elements, of which those from `start` to `end` are in use,
                           modulo the size of the buffer */
  int64_t capacity, start, end;
  bool input_ended;
} shuffle_iterator;

static int shuffle_open(iterator* it, tfc_context* ctx) {
  shuffle* d = (shuffle*)it->dataset;
  ((shuffle_iterator*)it)->random =
      d->reshuffles ? seeds_take(&d->seeds) : words_of(d->seed, d->seed2);
  return iterator_open_input(it, ctx);
}

static void shuffle_close(iterator* it) {
  shuffle_iterator* s = (shuffle_iterator*)it;
  for (int64_t i = 0; i < s->capacity; i++)
    iterator_drop(it->api, s->buffer + i * it->n_element, it->n_element);
  free(s->buffer);
}

/* The buffer grows as it is filled: its size may be far above the number of elements that there
 * are. */
static int grow(shuffle_iterator* s, tfc_context* ctx, int64_t limit) {
  int n = s->base.n_element;
  int64_t capacity = TFC_MIN(limit, s->capacity ? 2 * s->capacity : 64);
  size_t bytes;
  if (__builtin_mul_overflow((size_t)capacity, (size_t)n * sizeof *s->buffer, &bytes))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a shuffle buffer of %lld elements",
                     (long long)limit);
  tfc_tensor* buffer = realloc(s->buffer, bytes ? bytes : 1);
  if (!buffer)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a shuffle buffer of %lld elements",
                     (long long)limit);
  memset(buffer + s->capacity * n, 0,
         (size_t)(capacity - s->capacity) * (size_t)n * sizeof *buffer);
  s->buffer = buffer;
  s->capacity = capacity;
  return TFC_OK;
}

static int shuffle_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  shuffle_iterator* s = (shuffle_iterator*)it;
  int64_t size = ((shuffle*)it->dataset)->buffer_size;
  int n = it->n_element;
  while (!s->input_ended && s->end - s->start < size) {
    TFC_TRY(iterator_check(ctx));
    int64_t at = s->end % size;
    if (at >= s->capacity) TFC_TRY(grow(s, ctx, size));
    TFC_TRY(iterator_next(it->input, ctx, s->buffer + at * n, &s->input_ended));
    s->end += !s->input_ended;
  }
  *end = s->start == s->end;
  if (*end) return TFC_OK;
  int64_t offset = philox_next_word(&s->random) % (s->end - s->start);
  tfc_tensor* chosen = s->buffer + (s->start + offset) % size * n;
  tfc_tensor* first = s->buffer + s->start % size * n;
  element_move(out, chosen, n);
  if (chosen != first) element_move(chosen, first, n);
  s->start++;
  return TFC_OK;
}

static void set_seeds(iterator* it) {
  seeds_set(&((shuffle*)it->dataset)->seeds, ((shuffle_iterator*)it)->restored_seeds);
}

/* The order of later iterators, which the dataset has, belongs to it. */
static int shuffle_position(iterator* it, position* p) {
  shuffle_iterator* s = (shuffle_iterator*)it;
  shuffle* d = (shuffle*)it->dataset;
  int n = it->n_element;
  int64_t held = s->end - s->start;
  words seeds = seeds_get(&d->seeds);
  TFC_TRY(words_position(p, &seeds));
  TFC_TRY(words_position(p, &s->random));
  TFC_TRY(position_bool(p, &s->input_ended));
  TFC_TRY(position_count(p, &held, d->buffer_size));
  for (int64_t i = 0; i < held; i++) {
    if (!p->saves && i >= s->capacity) TFC_TRY(grow(s, p->ctx, d->buffer_size));
    TFC_TRY(position_tensors(p, s->buffer + (s->start + i) % d->buffer_size * n, n));
    if (!p->saves) s->end++;
  }
  s->restored_seeds = seeds;
  if (!p->saves) TFC_TRY(position_commit_later(p, set_seeds, it));
  return position_of_input(it, p);
}

static void shuffle_note(dataset* it, bool back) {
  seeds_note(&((shuffle*)it)->seeds, back);
}

static void shuffle_destroy(dataset* d) {
  pthread_mutex_destroy(&((shuffle*)d)->seeds.lock);
}

static const dataset_kind shuffle_kind = {.name = "Shuffle",
                                          .object = DATASET_OBJECT(shuffle),
                                          .iterator_bytes = sizeof(shuffle_iterator),
                                          .open = shuffle_open,
                                          .next = shuffle_next,
                                          .cardinality = dataset_cardinality_of_input,
                                          .position = shuffle_position,
                                          .close = shuffle_close,
                                          .destroy = shuffle_destroy,
                                          .note = shuffle_note};

static int create_shuffle(tfc_construction* c, void** state) {
  return dataset_create_with_flag(c, "reshuffle_each_iteration", state);
}

static int make_shuffle(tfc_context* ctx) {
  shuffle* d;
  TFC_TRY(dataset_new(ctx, &shuffle_kind, 1, 0, 0, (void**)&d));
  seeds_init(&d->seeds, 0, 0);
  TFC_TRY(dataset_int(ctx, 1, "buffer_size", &d->buffer_size));
  TFC_TRY(dataset_int(ctx, 2, "seed", &d->seed));
  TFC_TRY(dataset_int(ctx, 3, "seed2", &d->seed2));
  d->reshuffles = ((dataset_form*)ctx->state)->flag;
  if (d->buffer_size <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "buffer_size must be greater than zero.");
  words_seed(&d->seed, &d->seed2);
  d->seeds.next = words_of(d->seed, d->seed2);
  return TFC_OK;
}

/* The seeds are not shared with other datasets. */
static int make_shuffle_v3(tfc_context* ctx) {
  TFC_TRY(dataset_check_unshared(ctx, 4));
  return make_shuffle(ctx);
}

static int make_repeated(tfc_context* ctx) {
  const tfc_tensor* count = ctx->inputs[4];
  int64_t n;
  TFC_TRY(dataset_int(ctx, 4, "count", &n));
  if (n <= 0 && n != ENDLESS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "count must be greater than zero or equal to -1.");
  tfc_tensor shuffled;
  TFC_TRY(dataset_make_inner(ctx, make_shuffle, ctx->inputs, ctx->n_inputs, &shuffled));
  int code = dataset_make_of(ctx, tfc_make_repeat, (const tfc_tensor*[]){&shuffled, count}, 2);
  tfc_let_go(ctx->api, &shuffled);
  return code;
}

static int make_repeated_v2(tfc_context* ctx) {
  TFC_TRY(dataset_check_unshared(ctx, 5));
  return make_repeated(ctx);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ShuffleDataset", "", make_shuffle, TFC_STATE(create_shuffle)),
    TFC_ROW("DummySeedGenerator", "", dataset_make_unshared),
    TFC_ROW("ShuffleDatasetV3", "", make_shuffle_v3, TFC_STATE(create_shuffle)),
    TFC_ROW("ShuffleAndRepeatDataset", "", make_repeated, TFC_STATE(create_shuffle)),
    TFC_ROW("ShuffleAndRepeatDatasetV2", "", make_repeated_v2, TFC_STATE(create_shuffle)),
};
TFC_REGISTER_KERNELS(kernels);
