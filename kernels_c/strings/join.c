/* ReduceJoin, UnsortedSegmentJoin: strings of one tensor, joined. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

typedef struct join_state {
  tfc_string separator;
  bool keep_dims;
} join_state;

static void destroy_join(void* state) {
  join_state* s = state;
  if (s) free(s->separator.data);
  free(s);
}

static int create_join(tfc_construction* c, void** state) {
  join_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int code = string_attr(c, "separator", &s->separator);
  if (!code && strcmp(c->op_type, "ReduceJoin") == 0)
    code = c->api->attr_bool(c, "keep_dims", &s->keep_dims);
  if (code) destroy_join(s);
  *state = code ? NULL : s;
  return code;
}

/* ---- ReduceJoin */

typedef struct reduce_join_run {
  const tfc_tensor* x;
  const tfc_string* separator;
  int kept;                                         /* number of dimensions that stay */
  int64_t sizes[TFC_MAX_RANK], steps[TFC_MAX_RANK]; /* their sizes and distances in x */
  const int64_t* offsets; /* from the first element that is joined to the others, in order */
  int64_t n;
} reduce_join_run;

/* Where element i of a tensor of the given sizes is among elements `steps` apart. */
static int64_t place_of(int64_t i, int rank, const int64_t* sizes, const int64_t* steps) {
  int64_t at = 0;
  for (int d = rank - 1; d >= 0; d--) {
    at += i % sizes[d] * steps[d];
    i /= sizes[d];
  }
  return at;
}

static int join_element(tfc_context* ctx, const void* arg, int64_t i) {
  const reduce_join_run* r = arg;
  const tfc_string* first = strings_of(r->x) + place_of(i, r->kept, r->sizes, r->steps);
  text_buffer text = {0};
  for (int64_t k = 0; k < r->n; k++) {
    const tfc_string* s = first + r->offsets[k];
    if (k) text_append(&text, r->separator->data, r->separator->size);
    text_append(&text, string_bytes(s), s->size);
  }
  return string_finish(ctx, i, &text);
}

/* Reads the axes; reduced[d] says that dimension d is among them. */
static int read_axes(tfc_context* ctx, int* axes, int* n, bool* reduced) {
  const tfc_tensor *x = ctx->inputs[0], *given = ctx->inputs[1];
  *n = 0;
  for (int64_t i = 0; i < given->n; i++) {
    const int64_t axis = tfc_index_at(given, i), d = axis < 0 ? axis + x->rank : axis;
    if (d < 0 || d >= x->rank)
      return tfc_error(ctx, TFC_OUT_OF_RANGE,
                       "Invalid reduction dimension %lld for input with %d dimension(s)",
                       (long long)axis, (int)x->rank);
    if (reduced[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Duplicate reduction dimension %lld",
                       (long long)axis);
    reduced[d] = true;
    axes[(*n)++] = (int)d;
  }
  return TFC_OK;
}

static int reduce_join(tfc_context* ctx) {
  const join_state* state = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  reduce_join_run r = {.x = x, .separator = &state->separator, .n = 1};
  int axes[TFC_MAX_RANK], n_axes, rank = 0;
  bool reduced[TFC_MAX_RANK] = {false};
  TFC_TRY(read_axes(ctx, axes, &n_axes, reduced));
  int64_t dims[TFC_MAX_RANK], strides[TFC_MAX_RANK], step = 1;
  for (int d = x->rank - 1; d >= 0; d--) {
    strides[d] = step;
    step *= x->dims[d];
  }
  for (int d = 0; d < x->rank; d++) {
    if (!reduced[d]) {
      r.sizes[r.kept] = x->dims[d];
      r.steps[r.kept++] = strides[d];
    }
    if (!reduced[d] || state->keep_dims) dims[rank++] = reduced[d] ? 1 : x->dims[d];
  }
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  int64_t sizes[TFC_MAX_RANK], steps[TFC_MAX_RANK];
  for (int k = 0; k < n_axes; k++) { /* the first axis is joined first: it varies fastest */
    sizes[n_axes - 1 - k] = x->dims[axes[k]];
    steps[n_axes - 1 - k] = strides[axes[k]];
    r.n *= x->dims[axes[k]];
  }
  if (x->n == 0) return TFC_OK; /* joining nothing gives empty strings */
  int64_t* offsets = tfc_scratch_items(ctx, r.n, sizeof(int64_t));
  if (!offsets) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t k = 0; k < r.n; k++) offsets[k] = place_of(k, n_axes, sizes, steps);
  r.offsets = offsets;
  return string_for(ctx, ctx->outputs[0].n, 100 + 15 * (double)r.n, join_element, &r);
}

/* ---- UnsortedSegmentJoin: joins the rows of a segment, element by element */

typedef struct segment_join_run {
  const tfc_tensor* x;
  const tfc_string* separator;
  const int64_t *starts, *rows; /* the rows of segment s: rows[starts[s]] to rows[starts[s + 1]] */
  int64_t width;                /* strings in a row */
} segment_join_run;

static int segment_element(tfc_context* ctx, const void* arg, int64_t i) {
  const segment_join_run* r = arg;
  const int64_t segment = i / r->width, column = i % r->width;
  text_buffer text = {0};
  for (int64_t k = r->starts[segment]; k < r->starts[segment + 1]; k++) {
    const tfc_string* s = strings_of(r->x) + r->rows[k] * r->width + column;
    /* as in TensorFlow, empty strings at the beginning count as missing */
    if (text.size) text_append(&text, r->separator->data, r->separator->size);
    text_append(&text, string_bytes(s), s->size);
  }
  return string_finish(ctx, i, &text);
}

/* The rows by segment, in their order. */
static int sort_rows(tfc_context* ctx, int64_t segments, segment_join_run* r) {
  const tfc_tensor* ids = ctx->inputs[1];
  int64_t* starts = tfc_scratch_items(ctx, segments + 2, sizeof(int64_t));
  int64_t* rows = tfc_scratch_items(ctx, ids->n + 1, sizeof(int64_t));
  int64_t* kept = tfc_scratch_items(ctx, ids->n + 1, sizeof(int64_t));
  if (!starts || !rows || !kept) return TFC_RESOURCE_EXHAUSTED;
  memset(starts, 0, (size_t)(segments + 2) * sizeof(int64_t));
  for (int64_t i = 0; i < ids->n; i++) {
    kept[i] = tfc_index_at(ids, i);
    if (kept[i] < 0 || kept[i] >= segments)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "segment_ids are not allowed to exceed num_segments or to have negative values.");
    starts[kept[i] + 2]++;
  }
  for (int64_t s = 0; s < segments; s++) starts[s + 2] += starts[s + 1];
  for (int64_t i = 0; i < ids->n; i++) rows[starts[kept[i] + 1]++] = i;
  r->starts = starts;
  r->rows = rows;
  return TFC_OK;
}

static int check_segments(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  if (ids->rank == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Segment_id cannot have rank 0");
  if (ids->rank > x->rank)
    return tfc_error(ctx, TFC_OUT_OF_RANGE,
                     "Invalid segment_id rank %d for input with %d dimension(s)", (int)ids->rank,
                     (int)x->rank);
  for (int d = 0; d < ids->rank; d++)
    if (ids->dims[d] != x->dims[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Segment dimension is %lld while input dimension is %lld in rank %d",
                       (long long)ids->dims[d], (long long)x->dims[d], d);
  return tfc_want_scalar(ctx, 2, "Number of segments must be a scalar, got shape");
}

static int segment_join(tfc_context* ctx) {
  const join_state* state = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  TFC_TRY(check_segments(ctx));
  const int64_t segments = tfc_int_scalar(ctx->inputs[2]);
  if (segments < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of segments must be non-negative but got %lld", (long long)segments);
  int64_t dims[TFC_MAX_RANK] = {segments};
  int rank = 1;
  for (int d = ids->rank; d < x->rank; d++) dims[rank++] = x->dims[d];
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  segment_join_run r = {.x = x, .separator = &state->separator};
  r.width = tfc_product(rank - 1, dims + 1);
  TFC_TRY(sort_rows(ctx, segments, &r));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  return string_for(ctx, ctx->outputs[0].n, 200, segment_element, &r);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ReduceJoin", "", reduce_join, .create = create_join, .destroy = destroy_join),
    TFC_ROW("UnsortedSegmentJoin", "", segment_join, .create = create_join,
            .destroy = destroy_join),
};
TFC_REGISTER_KERNELS(kernels);
