/* Datasets that pass on some elements of others: TakeDataset, SkipDataset, ShardDataset,
 * RepeatDataset, ConcatenateDataset, ZipDataset, IgnoreErrorsDataset; OptionsDataset and others. */
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

typedef struct counted {
  dataset base;
  int64_t count; /* below 0: no limit */
  int64_t index; /* of a shard, among `count` */
  bool require_non_empty;
} counted;

typedef struct counted_iterator {
  iterator base;
  int64_t n;  /* elements passed on, or repetitions done */
  bool fresh; /* no element came from this `input` so far */
} counted_iterator;

/* Moves on without an element; *end: there was none. */
static int pass(iterator* it, tfc_context* ctx, bool* end) {
  TFC_TRY(iterator_check(ctx));
  TFC_TRY(iterator_next(it->input, ctx, it->element, end));
  iterator_drop(it->api, it->element, it->n_element);
  return TFC_OK;
}

/* ---- TakeDataset, SkipDataset */

static int take_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  counted_iterator* at = (counted_iterator*)it;
  const counted* d = (counted*)it->dataset;
  *end = d->count >= 0 && at->n >= d->count;
  if (*end) return TFC_OK;
  TFC_TRY(iterator_next(it->input, ctx, out, end));
  at->n += !*end;
  return TFC_OK;
}

static int skip_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  counted_iterator* at = (counted_iterator*)it;
  const counted* d = (counted*)it->dataset;
  *end = d->count < 0;
  for (; !*end && at->n < d->count; at->n++) TFC_TRY(pass(it, ctx, end));
  return *end ? TFC_OK : iterator_next(it->input, ctx, out, end);
}

/* Of a limit and of a beginning that is left out. */
static int counted_position(iterator* it, position* p) {
  TFC_TRY(position_count(p, &((counted_iterator*)it)->n, INT64_MAX));
  return position_of_input(it, p);
}

static int64_t take_cardinality(const dataset* d) {
  int64_t n = dataset_cardinality_of_input(d), count = ((counted*)d)->count;
  if (count < 0 || n == UNKNOWN) return n;
  return n == ENDLESS ? count : TFC_MIN(n, count);
}

static int64_t skip_cardinality(const dataset* d) {
  int64_t n = dataset_cardinality_of_input(d), count = ((counted*)d)->count;
  if (n < 0) return n;
  return count < 0 ? 0 : TFC_MAX(0, n - count);
}

static const dataset_kind take_kind = {.name = "Take",
                                       .object = DATASET_OBJECT(counted),
                                       .iterator_bytes = sizeof(counted_iterator),
                                       .open = iterator_open_input,
                                       .next = take_next,
                                       .cardinality = take_cardinality,
                                       .position = counted_position};
static const dataset_kind skip_kind = {.name = "Skip",
                                       .object = DATASET_OBJECT(counted),
                                       .iterator_bytes = sizeof(counted_iterator),
                                       .open = iterator_open_input,
                                       .next = skip_next,
                                       .cardinality = skip_cardinality,
                                       .position = counted_position};

static int make_counted(tfc_context* ctx, const dataset_kind* kind) {
  counted* d;
  TFC_TRY(dataset_new(ctx, kind, 1, 0, 0, (void**)&d));
  return dataset_int(ctx, 1, "count", &d->count);
}

static int make_take(tfc_context* ctx) {
  return make_counted(ctx, &take_kind);
}

static int make_skip(tfc_context* ctx) {
  return make_counted(ctx, &skip_kind);
}

/* ---- RepeatDataset */

static int repeat_open(iterator* it, tfc_context* ctx) {
  ((counted_iterator*)it)->fresh = true;
  return ((counted*)it->dataset)->count ? iterator_open_input(it, ctx) : TFC_OK;
}

static int repeat_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  counted_iterator* at = (counted_iterator*)it;
  const counted* d = (counted*)it->dataset;
  for (*end = !d->count; !*end;) {
    if (!it->input) TFC_TRY(iterator_open(ctx, &d->base.inputs[0], &it->input));
    TFC_TRY(iterator_next(it->input, ctx, out, end));
    if (!*end) {
      at->fresh = false;
      return TFC_OK;
    }
    /* An input that is empty stays empty. */
    *end = at->fresh || (d->count > 0 && ++at->n >= d->count);
    at->fresh = true;
    iterator_close(it->input);
    it->input = NULL;
  }
  return TFC_OK;
}

static int repeat_position(iterator* it, position* p) {
  TFC_TRY(position_bool(p, &((counted_iterator*)it)->fresh));
  return counted_position(it, p);
}

static int64_t repeat_cardinality(const dataset* d) {
  int64_t n = dataset_cardinality_of_input(d), count = ((counted*)d)->count, product;
  if (!count || !n) return 0;
  if (count < 0) return ENDLESS;
  if (n < 0) return n;
  return __builtin_mul_overflow(n, count, &product) ? INT64_MAX : product;
}

static const dataset_kind repeat_kind = {.name = "Repeat",
                                         .object = DATASET_OBJECT(counted),
                                         .iterator_bytes = sizeof(counted_iterator),
                                         .open = repeat_open,
                                         .next = repeat_next,
                                         .cardinality = repeat_cardinality,
                                         .position = repeat_position};

int tfc_make_repeat(tfc_context* ctx) {
  return make_counted(ctx, &repeat_kind);
}

/* ---- ShardDataset */

static int shard_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  counted_iterator* at = (counted_iterator*)it;
  const counted* d = (counted*)it->dataset;
  int64_t skipped = at->n ? d->count - 1 : d->index;
  for (*end = false; skipped && !*end; skipped--) TFC_TRY(pass(it, ctx, end));
  if (!*end) TFC_TRY(iterator_next(it->input, ctx, out, end));
  if (*end && !at->n && d->require_non_empty) {
    it->ended = true; /* the error comes once */
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Could not find a single element for shard %lld of %lld", (long long)d->index,
                     (long long)d->count);
  }
  at->n = 1;
  return TFC_OK;
}

static int64_t shard_cardinality(const dataset* d) {
  int64_t n = dataset_cardinality_of_input(d);
  const counted* c = (counted*)d;
  return n < 0 ? n : n / c->count + (c->index < n % c->count);
}

static const dataset_kind shard_kind = {.name = "Shard",
                                        .object = DATASET_OBJECT(counted),
                                        .iterator_bytes = sizeof(counted_iterator),
                                        .open = iterator_open_input,
                                        .next = shard_next,
                                        .cardinality = shard_cardinality,
                                        .position = counted_position};

static int create_shard(tfc_construction* c, void** state) {
  return dataset_create_with_flag(c, "require_non_empty", state);
}

static int make_shard(tfc_context* ctx) {
  counted* d;
  TFC_TRY(dataset_new(ctx, &shard_kind, 1, 0, 0, (void**)&d));
  TFC_TRY(dataset_int(ctx, 1, "num_shards", &d->count));
  TFC_TRY(dataset_int(ctx, 2, "index", &d->index));
  d->require_non_empty = ((dataset_form*)ctx->state)->flag;
  if (d->count <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of shards must be greater than zero (currently num_shards = %lld).",
                     (long long)d->count);
  if (d->index < 0 || d->index >= d->count)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Index must be between 0 and %lld (currently index = %lld).",
                     (long long)d->count - 1, (long long)d->index);
  return TFC_OK;
}

/* ---- ConcatenateDataset */

static int concatenate_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  counted_iterator* at = (counted_iterator*)it;
  for (;;) {
    if (!it->input) TFC_TRY(iterator_open(ctx, &it->dataset->inputs[at->n], &it->input));
    TFC_TRY(iterator_next(it->input, ctx, out, end));
    if (!*end || at->n + 1 >= it->dataset->n_inputs) return TFC_OK;
    iterator_close(it->input);
    it->input = NULL;
    at->n++;
  }
}

static int concatenate_position(iterator* it, position* p) {
  counted_iterator* at = (counted_iterator*)it;
  TFC_TRY(position_count(p, &at->n, it->dataset->n_inputs - 1));
  if (!p->saves && at->n) {
    iterator_close(it->input);
    it->input = NULL;
  }
  return position_of_stage(p, &it->dataset->inputs[at->n], &it->input);
}

static int64_t concatenate_cardinality(const dataset* d) {
  int64_t total = 0;
  bool unknown = false;
  for (int i = 0; i < d->n_inputs; i++) {
    int64_t n = dataset_cardinality(d->inputs[i].data);
    if (n == ENDLESS) return ENDLESS;
    unknown |= n == UNKNOWN;
    if (n > 0 && __builtin_add_overflow(total, n, &total)) total = INT64_MAX;
  }
  return unknown ? UNKNOWN : total;
}

static const dataset_kind concatenate_kind = {.name = "Concatenate",
                                              .object = DATASET_OBJECT(dataset),
                                              .iterator_bytes = sizeof(counted_iterator),
                                              .open = iterator_open_input,
                                              .next = concatenate_next,
                                              .cardinality = concatenate_cardinality,
                                              .position = concatenate_position};

static int make_concatenate(tfc_context* ctx) {
  dataset *d, *one, *other;
  TFC_TRY(dataset_new(ctx, &concatenate_kind, 2, 0, 0, (void**)&d));
  TFC_TRY(dataset_get(ctx, &d->inputs[0], &one));
  TFC_TRY(dataset_get(ctx, &d->inputs[1], &other));
  if (one->n_components != other->n_components)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Two datasets to concatenate have different numbers of components: %d and %d",
                     one->n_components, other->n_components);
  return TFC_OK;
}

/* ---- IgnoreErrorsDataset */

typedef struct ignore {
  dataset base;
  stage_counts counts; /* `damaged` only: elements that were left out */
  bool logs;
} ignore;

/* The first ones, and then fewer and fewer, as there may be millions. */
static void log_ignored(int64_t number, const char* text) {
  enum { ALL_UP_TO = 8 };
  if (number > ALL_UP_TO && number & (number - 1)) return;
  fprintf(stderr, "tfcore: left out an element, number %lld that failed: %.1000s\n",
          (long long)number, text ? text : "no memory for the text of an error");
}

static int ignore_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  ignore* d = (ignore*)it->dataset;
  for (;;) {
    int code = iterator_next(it->input, ctx, out, end);
    if (!code) return TFC_OK;
    char* text;
    tfc_take_error(ctx,
                   &text); /* before the look at `cancelled`: a failed function sets that, too */
    if (code == TFC_CANCELLED || code == TFC_DEADLINE_EXCEEDED || tfc_cancelled(ctx)) {
      code = tfc_error(ctx, code, "%s", text ? text : "no memory for the text of an error");
      free(text);
      return code;
    }
    int64_t number = __atomic_add_fetch(&d->counts.damaged, 1, __ATOMIC_RELAXED);
    if (d->logs) log_ignored(number, text);
    free(text);
  }
}

static const dataset_kind ignore_kind = {.name = "IgnoreErrors",
                                         .object = DATASET_OBJECT(ignore),
                                         .iterator_bytes = sizeof(iterator),
                                         .open = iterator_open_input,
                                         .next = ignore_next,
                                         .position = position_of_input};

static int create_ignore(tfc_construction* c, void** state) {
  return dataset_create_with_flag(c, "log_warning", state);
}

static int make_ignore(tfc_context* ctx) {
  ignore* d;
  TFC_TRY(dataset_new(ctx, &ignore_kind, 1, 0, 0, (void**)&d));
  d->base.counts = &d->counts;
  d->logs = ((dataset_form*)ctx->state)->flag;
  return TFC_OK;
}

/* ---- ZipDataset */

typedef struct zip_iterator {
  iterator base;
  iterator** inputs;
} zip_iterator;

static int zip_open(iterator* it, tfc_context* ctx) {
  zip_iterator* z = (zip_iterator*)it;
  z->inputs = iterator_allocate(ctx, (size_t)it->dataset->n_inputs, sizeof *z->inputs);
  if (!z->inputs) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < it->dataset->n_inputs; i++)
    TFC_TRY(iterator_open(ctx, &it->dataset->inputs[i], &z->inputs[i]));
  return TFC_OK;
}

static void zip_close(iterator* it) {
  zip_iterator* z = (zip_iterator*)it;
  for (int i = 0; z->inputs && i < it->dataset->n_inputs; i++) iterator_close(z->inputs[i]);
  free(z->inputs);
}

static int zip_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  zip_iterator* z = (zip_iterator*)it;
  int at = 0, code = TFC_OK;
  *end = !it->dataset->n_inputs;
  for (int i = 0; i < it->dataset->n_inputs && !*end && !code; i++) {
    code = iterator_next(z->inputs[i], ctx, out + at, end);
    if (!code && !*end) at += z->inputs[i]->dataset->n_components;
  }
  if (*end || code) iterator_drop(it->api, out, at);
  return code;
}

static int zip_position(iterator* it, position* p) {
  zip_iterator* z = (zip_iterator*)it;
  for (int i = 0; i < it->dataset->n_inputs; i++) TFC_TRY(position_of_pipeline(z->inputs[i], p));
  return TFC_OK;
}

static int64_t zip_cardinality(const dataset* d) {
  int64_t least = ENDLESS;
  for (int i = 0; i < d->n_inputs; i++) {
    int64_t n = dataset_cardinality(d->inputs[i].data);
    if (n == UNKNOWN) return UNKNOWN;
    if (n != ENDLESS && (least == ENDLESS || n < least)) least = n;
  }
  return least;
}

static const dataset_kind zip_kind = {.name = "Zip",
                                      .object = DATASET_OBJECT(dataset),
                                      .iterator_bytes = sizeof(zip_iterator),
                                      .open = zip_open,
                                      .next = zip_next,
                                      .cardinality = zip_cardinality,
                                      .position = zip_position,
                                      .close = zip_close};

static int make_zip(tfc_context* ctx) {
  dataset *d, *input;
  TFC_TRY(dataset_new(ctx, &zip_kind, ctx->n_inputs, 0, 0, (void**)&d));
  d->n_components = 0;
  for (int i = 0; i < d->n_inputs; i++) {
    TFC_TRY(dataset_get(ctx, &d->inputs[i], &input));
    d->n_components += input->n_components;
  }
  return TFC_OK;
}

/* ---- Datasets that TensorFlow puts around others to say how to run them */

static int make_same(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_get(ctx, ctx->inputs[0], &d));
  return tfc_output_input(ctx, 0, 0);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("OptionsDataset", "", make_same),
    TFC_ROW("ModelDataset", "", make_same),
    TFC_ROW("OptimizeDataset", "", make_same),
    TFC_ROW("OptimizeDatasetV2", "", make_same),
    TFC_ROW("RewriteDataset", "", make_same),
    TFC_ROW("TakeDataset", "", make_take, TFC_STATE(dataset_create_plain)),
    TFC_ROW("SkipDataset", "", make_skip, TFC_STATE(dataset_create_plain)),
    TFC_ROW("RepeatDataset", "", tfc_make_repeat, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ShardDataset", "", make_shard, TFC_STATE(create_shard)),
    TFC_ROW("ConcatenateDataset", "", make_concatenate, TFC_STATE(dataset_create_plain)),
    TFC_ROW("IgnoreErrorsDataset", "", make_ignore, TFC_STATE(create_ignore)),
    TFC_ROW("ZipDataset", "", make_zip, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
