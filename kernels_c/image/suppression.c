/* NonMaxSuppression in all its forms: the boxes of the best scores that do not overlap much. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* ---- Overlaps. */

typedef struct box_sides {
  float top, left, bottom, right, area;
} box_sides;

static inline box_sides sides_of(const float* b) {
  box_sides s = {TFC_MIN(b[0], b[2]), TFC_MIN(b[1], b[3]), TFC_MAX(b[0], b[2]), TFC_MAX(b[1], b[3]),
                 0};
  s.area = (s.bottom - s.top) * (s.right - s.left);
  return s;
}

/* The intersection of two boxes with areas, as a part of their union. */
static inline float overlap_of(box_sides a, box_sides b) {
  float height = TFC_MIN(a.bottom, b.bottom) - TFC_MAX(a.top, b.top);
  float width = TFC_MIN(a.right, b.right) - TFC_MAX(a.left, b.left);
  float both = TFC_MAX(height, 0) * TFC_MAX(width, 0);
  return both / (a.area + b.area - both);
}

typedef struct candidate {
  int32_t box, compared; /* `compared`: the number of chosen boxes that it was compared with */
  float score;
} candidate;

typedef struct suppression {
  int64_t n, most;       /* boxes; how many may be chosen */
  const float* boxes;    /* [n, stride] from the first coordinate on, or NULL */
  const float* overlaps; /* [n, n] */
  const float* scores;   /* [n, score_stride] */
  int64_t stride, score_stride;
  float most_overlap, least_score, soft_scale; /* soft_scale: 0, or -1 / (2 sigma) */
  bool half;                                   /* whether numbers are rounded to half */
  candidate* heap;                             /* [n] */
  int32_t* chosen;                             /* [min(n, most)] */
  float* chosen_scores;                        /* the same */
  float* kept; /* NULL, or the sides of the chosen boxes: all tops, all lefts ... */
} suppression;

static float similarity(const suppression* s, int64_t i, int64_t j) {
  float x = 0;
  if (s->boxes) {
    box_sides a = sides_of(s->boxes + i * s->stride), b = sides_of(s->boxes + j * s->stride);
    if (!(a.area <= 0 || b.area <= 0)) x = overlap_of(a, b);
  } else {
    x = s->overlaps[i * s->n + j];
  }
  return s->half ? tfc_half_to_float(tfc_float_to_half(x)) : x;
}

/* ---- The sides of the chosen boxes, for vectors. */

enum { SIDES = 5 };

static int64_t room_of(const suppression* s) {
  return TFC_MIN(s->n, s->most);
}

/* False: no memory. Overlaps that are rounded are compared one by one. */
static bool make_kept(tfc_context* ctx, suppression* s) {
  if (!s->boxes || s->half || s->soft_scale != 0) return true;
  s->kept = tfc_scratch(ctx, (size_t)(SIDES * room_of(s) + 1) * sizeof *s->kept);
  return s->kept != NULL;
}

static void keep(const suppression* s, int64_t chosen, int64_t box) {
  box_sides b = sides_of(s->boxes + box * s->stride);
  float* to = s->kept + chosen;
  const float sides[SIDES] = {b.top, b.left, b.bottom, b.right, b.area};
  for (int k = 0; k < SIDES; k++) to[k * room_of(s)] = sides[k];
}

/* Whether one of the chosen boxes overlaps a box too much. Those without an area have no overlap:
 * zero, or not a number. */
static bool overlaps_kept(const suppression* s, int64_t box, int64_t chosen) {
  enum { BLOCK = 64 };
  const int64_t room = room_of(s);
  const float *top = s->kept, *left = top + room, *bottom = left + room, *right = bottom + room,
              *area = right + room, most = s->most_overlap;
  const box_sides a = sides_of(s->boxes + box * s->stride);
  if (a.area <= 0) return false;
  for (int64_t end = chosen; end > 0;
       end -= BLOCK) { /* the last ones first: scores of neighbours are alike */
    int any = 0;
    for (int64_t i = TFC_MAX(0, end - BLOCK); i < end; i++)
      any |= overlap_of(a, (box_sides){top[i], left[i], bottom[i], right[i], area[i]}) > most;
    if (any) return true;
  }
  return false;
}

/* ---- A heap with the best candidate at its top; of equal scores the first box. */

static bool better(candidate a, candidate b) {
  return a.score > b.score || (a.score == b.score && a.box < b.box);
}
static void sink(candidate* heap, int64_t n, int64_t i) {
  candidate c = heap[i];
  for (int64_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && better(heap[child + 1], heap[child])) child++;
    if (!better(heap[child], c)) break;
    heap[i] = heap[child];
  }
  heap[i] = c;
}

/* ---- The choice. */

/* Lowers the score of the candidate by the chosen boxes that it was not compared with; returns
 * false if it is out of the running. */
static bool compare(const suppression* s, candidate* c, int64_t chosen) {
  if (s->kept) return !overlaps_kept(s, c->box, chosen);
  float score = c->score;
  for (int64_t j = chosen - 1; j >= c->compared; j--) {
    float x = similarity(s, c->box, s->chosen[j]);
    if (s->soft_scale == 0 && x > s->most_overlap) return false;
    if (s->soft_scale != 0) score *= expf(s->soft_scale * x * x);
    if (!(score > s->least_score)) return false; /* NaN, too */
  }
  c->compared = (int32_t)chosen;
  c->score = score;
  return true;
}

/* Returns the number of chosen boxes. */
static int64_t choose(const suppression* s) {
  int64_t n = 0, chosen = 0;
  for (int64_t i = 0; i < s->n; i++) {
    float score = s->scores[i * s->score_stride];
    if (score > s->least_score) s->heap[n++] = (candidate){(int32_t)i, 0, score};
  }
  for (int64_t i = n / 2 - 1; i >= 0; i--) sink(s->heap, n, i);
  while (n > 0 && chosen < s->most) {
    candidate* top = s->heap;
    float before = top->score;
    bool runs = compare(s, top, chosen);
    if (runs && top->score == before) {
      if (s->kept) keep(s, chosen, top->box);
      s->chosen[chosen] = top->box;
      s->chosen_scores[chosen++] = top->score;
      runs = false;
    }
    if (!runs) s->heap[0] = s->heap[--n];
    sink(s->heap, n, 0);
  }
  return chosen;
}

/* ---- Inputs. */

static const float* as_floats(tfc_context* ctx, const tfc_tensor* t) {
  float* wide = tfc_scratch(ctx, (size_t)(t->n + 1) * sizeof *wide);
  if (!wide) return NULL;
  if (t->dtype == TFC_FLOAT)
    memcpy(wide, t->data, (size_t)t->n * sizeof *wide); /* may be the user's: read once */
  else
    tfc_widen(t->dtype, t->data, wide, t->n);
  return wide;
}

static int read_scalar(tfc_context* ctx, int input, const char* name, float* value) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank) REFUSE("%s must be 0-D, got shape %s", name, tfc_shape_text(t).text);
  *value = t->dtype == TFC_FLOAT ? *(const float*)t->data
                                 : tfc_widen_one(t->dtype, *(const uint16_t*)t->data);
  return TFC_OK;
}

static int read_threshold(tfc_context* ctx, int input, float* value) {
  TFC_TRY(read_scalar(ctx, input, "iou_threshold", value));
  if (!(*value >= 0 && *value <= 1)) REFUSE("iou_threshold must be in [0, 1], got %g", *value);
  return TFC_OK;
}

static int read_count(tfc_context* ctx, int input, const char* name, int64_t* most) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank) REFUSE("%s must be 0-D, got shape %s", name, tfc_shape_text(t).text);
  *most = tfc_index_at(t, 0);
  if (*most < 0) REFUSE("output size must be non-negative, got %lld", (long long)*most);
  return TFC_OK;
}

static int read_scores(tfc_context* ctx, suppression* s) {
  const tfc_tensor *first = ctx->inputs[0], *scores = ctx->inputs[1];
  s->n = first->dims[0];
  s->score_stride = 1;
  s->half = first->dtype == TFC_HALF;
  if (s->half) s->most_overlap = tfc_half_to_float(tfc_float_to_half(s->most_overlap));
  if (s->half) s->least_score = tfc_half_to_float(tfc_float_to_half(s->least_score));
  if (scores->rank != 1)
    REFUSE("scores must be 1-D%s (Shape must be rank 1 but is rank %d)",
           tfc_shape_text(scores).text, scores->rank);
  if (scores->n != s->n)
    REFUSE("scores has incompatible shape (Dimensions must be equal, but are %lld and %lld)",
           (long long)s->n, (long long)scores->n);
  if (s->n > INT32_MAX) REFUSE("too many boxes: %lld", (long long)s->n);
  TFC_TRY(read_count(ctx, 2, "max_output_size", &s->most));
  size_t room = (size_t)TFC_MIN(s->n, s->most) + 1;
  s->scores = as_floats(ctx, scores);
  s->heap = tfc_scratch(ctx, (size_t)(s->n + 1) * sizeof *s->heap);
  s->chosen = tfc_scratch(ctx, room * sizeof *s->chosen);
  s->chosen_scores = tfc_scratch(ctx, room * sizeof *s->chosen_scores);
  if (!make_kept(ctx, s)) return TFC_RESOURCE_EXHAUSTED;
  return s->scores && s->heap && s->chosen && s->chosen_scores ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static int read_boxes(tfc_context* ctx, suppression* s) {
  const tfc_tensor* boxes = ctx->inputs[0];
  if (boxes->rank != 2)
    REFUSE("boxes must be 2-D%s (Shape must be rank 2 but is rank %d)", tfc_shape_text(boxes).text,
           boxes->rank);
  if (boxes->dims[1] != 4)
    REFUSE("boxes must have 4 columns (Dimension must be 4 but is %lld)",
           (long long)boxes->dims[1]);
  s->stride = 4;
  s->boxes = as_floats(ctx, boxes);
  if (!s->boxes) return TFC_RESOURCE_EXHAUSTED;
  return read_scores(ctx, s);
}

/* ---- Kernels. */

typedef struct suppression_state {
  bool pad;         /* to the largest size */
  double threshold; /* of the first form */
} suppression_state;

static int output_indices(tfc_context* ctx, const suppression* s, int64_t chosen, int64_t size) {
  TFC_TRY(tfc_output(ctx, 0, 1, &size));
  int32_t* to = ctx->outputs[0].data;
  for (int64_t i = 0; i < size; i++) to[i] = i < chosen ? s->chosen[i] : 0;
  return TFC_OK;
}

static int output_number(tfc_context* ctx, int i, int64_t number) {
  TFC_TRY(tfc_output_scalar(ctx, i));
  *(int32_t*)ctx->outputs[i].data = (int32_t)number;
  return TFC_OK;
}

static int run(tfc_context* ctx, const suppression* s) {
  int64_t chosen = choose(s);
  return output_indices(ctx, s, chosen, chosen);
}

static int suppress_v1(tfc_context* ctx) {
  suppression s = {.least_score = -FLT_MAX};
  s.most_overlap = (float)((const suppression_state*)ctx->state)->threshold;
  if (!(s.most_overlap >= 0 && s.most_overlap <= 1))
    REFUSE("iou_threshold must be in [0, 1], got %g", s.most_overlap);
  TFC_TRY(read_boxes(ctx, &s));
  return run(ctx, &s);
}

static int suppress_v2(tfc_context* ctx) {
  suppression s = {.least_score = -FLT_MAX};
  TFC_TRY(read_threshold(ctx, 3, &s.most_overlap));
  TFC_TRY(read_boxes(ctx, &s));
  return run(ctx, &s);
}

static int suppress_v3(tfc_context* ctx) {
  suppression s = {0};
  TFC_TRY(read_threshold(ctx, 3, &s.most_overlap));
  TFC_TRY(read_scalar(ctx, 4, "score_threshold", &s.least_score));
  TFC_TRY(read_boxes(ctx, &s));
  return run(ctx, &s);
}

static int suppress_overlaps(tfc_context* ctx) {
  suppression s = {0};
  const tfc_tensor* overlaps = ctx->inputs[0];
  if (overlaps->rank != 2) REFUSE("overlaps must be 2-D%s", tfc_shape_text(overlaps).text);
  if (overlaps->dims[0] != overlaps->dims[1])
    REFUSE("overlaps must be square%s", tfc_shape_text(overlaps).text);
  TFC_TRY(read_scalar(ctx, 3, "overlap_threshold", &s.most_overlap));
  TFC_TRY(read_scalar(ctx, 4, "score_threshold", &s.least_score));
  TFC_TRY(read_scores(ctx, &s));
  s.overlaps = overlaps->data;
  return run(ctx, &s);
}

static int suppress_v4(tfc_context* ctx) {
  const suppression_state* state = ctx->state;
  suppression s = {0};
  TFC_TRY(read_threshold(ctx, 3, &s.most_overlap));
  TFC_TRY(read_scalar(ctx, 4, "score_threshold", &s.least_score));
  TFC_TRY(read_boxes(ctx, &s));
  int64_t chosen = choose(&s);
  TFC_TRY(output_indices(ctx, &s, chosen, state->pad ? s.most : chosen));
  return output_number(ctx, 1, chosen);
}

static int suppress_v5(tfc_context* ctx) {
  const suppression_state* state = ctx->state;
  suppression s = {0};
  float sigma = 0;
  TFC_TRY(read_threshold(ctx, 3, &s.most_overlap));
  TFC_TRY(read_scalar(ctx, 4, "score_threshold", &s.least_score));
  TFC_TRY(read_scalar(ctx, 5, "soft_nms_sigma", &sigma));
  if (!(sigma >= 0)) REFUSE("soft_nms_sigma must be >= 0, got %g", sigma);
  s.soft_scale = sigma > 0 ? -0.5f / sigma : 0;
  TFC_TRY(read_boxes(ctx, &s));
  int64_t chosen = choose(&s), size = state->pad ? s.most : chosen;
  TFC_TRY(output_indices(ctx, &s, chosen, size));
  TFC_TRY(tfc_output(ctx, 1, 1, &size));
  for (int64_t i = 0; i < size; i++) {
    float score = i < chosen ? s.chosen_scores[i] : 0;
    if (s.half)
      ((tfc_half*)ctx->outputs[1].data)[i] = tfc_float_to_half(score);
    else
      ((float*)ctx->outputs[1].data)[i] = score;
  }
  return output_number(ctx, 2, chosen);
}

/* ---- CombinedNonMaxSuppression: each class of each image by itself, and the best of an image. */

typedef struct combined_state {
  bool pad_per_class, clip;
} combined_state;

typedef struct combined_box {
  float score;
  int32_t class, box;
} combined_box;

typedef struct combined_run {
  tfc_context* ctx;
  suppression each;            /* what all classes have in common */
  const float *boxes, *scores; /* [batch, n, box_classes, 4], [batch, n, classes] */
  int64_t batch, box_classes, classes, room,
      size;             /* room: of a class; size: of an image's result */
  int32_t* chosen;      /* [batch, classes, room] */
  float* chosen_scores; /* the same */
  int64_t* counts;      /* [batch, classes] */
  bool failed;
} combined_run;

static void fail_combined(combined_run* r) {
  __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
}

/* Item: a class of an image. */
static void choose_range(void* arg, int64_t begin, int64_t end) {
  combined_run* r = arg;
  suppression s = r->each;
  s.heap = tfc_scratch(r->ctx, (size_t)(s.n + 1) * sizeof *s.heap);
  s.boxes = r->boxes;
  if (!s.heap || !make_kept(r->ctx, &s)) {
    fail_combined(r);
    return;
  }
  s.stride = 4 * r->box_classes;
  s.score_stride = r->classes;
  for (int64_t i = begin; i < end; i++) {
    const int64_t image = i / r->classes, class = i % r->classes;
    s.boxes = r->boxes + image * s.n * s.stride + (r->box_classes > 1 ? 4 * class : 0);
    s.scores = r->scores + image * s.n * r->classes + class;
    s.chosen = r->chosen + i * r->room;
    s.chosen_scores = r->chosen_scores + i * r->room;
    r->counts[i] = choose(&s);
  }
}

static int compare_combined(const void* left, const void* right) {
  const combined_box *a = left, *b = right;
  if (a->score != b->score) return a->score > b->score ? -1 : 1;
  if (a->class != b->class) return a->class < b->class ? -1 : 1;
  return a->box < b->box ? -1 : a->box > b->box;
}

static int64_t collect(const combined_run* r, int64_t image, combined_box* all) {
  int64_t n = 0;
  for (int64_t class = 0; class < r->classes; class++) {
    const int64_t i = image * r->classes + class;
    for (int64_t k = 0; k < r->counts[i]; k++)
      all[n++] = (combined_box){r->chosen_scores[i * r->room + k], (int32_t)class,
                                r->chosen[i * r->room + k]};
  }
  qsort(all, (size_t)n, sizeof *all, compare_combined);
  return n;
}

static void store_combined(const combined_run* r, int64_t image, const combined_box* all,
                           int64_t n) {
  const combined_state* state = r->ctx->state;
  const tfc_tensor* out = r->ctx->outputs;
  float* boxes = (float*)out[0].data + 4 * image * r->size;
  float* scores = (float*)out[1].data + image * r->size;
  float* classes = (float*)out[2].data + image * r->size;
  for (int64_t i = 0; i < r->size; i++) {
    const combined_box b = i < n ? all[i] : (combined_box){0};
    const float* from = r->boxes + 4 * ((image * r->each.n + b.box) * r->box_classes +
                                        (r->box_classes > 1 ? b.class : 0));
    scores[i] = b.score;
    classes[i] = (float)b.class;
    for (int k = 0; k < 4; k++) {
      const float x = i < n ? from[k] : 0;
      boxes[4 * i + k] = state->clip ? TFC_MAX(TFC_MIN(x, 1), 0) : x;
    }
  }
  ((int32_t*)out[3].data)[image] = (int32_t)n;
}

/* Item: an image. */
static void combine_range(void* arg, int64_t begin, int64_t end) {
  combined_run* r = arg;
  combined_box* all = tfc_scratch(r->ctx, (size_t)(r->room * r->classes + 1) * sizeof *all);
  if (!all) {
    fail_combined(r);
    return;
  }
  for (int64_t i = begin; i < end; i++) {
    const int64_t n = collect(r, i, all);
    store_combined(r, i, all, TFC_MIN(n, r->size));
  }
}

static int check_combined(tfc_context* ctx, combined_run* r) {
  const tfc_tensor *boxes = ctx->inputs[0], *scores = ctx->inputs[1];
  if (boxes->rank != 4) REFUSE("boxes must be 4-D%s", tfc_shape_text(boxes).text);
  if (scores->rank != 3) REFUSE("scores must be 3-D%s", tfc_shape_text(scores).text);
  if (boxes->dims[0] != scores->dims[0])
    REFUSE("boxes and scores must have same batch size: %lld and %lld", (long long)boxes->dims[0],
           (long long)scores->dims[0]);
  if (boxes->dims[3] != 4) REFUSE("boxes must have 4 columns: %s", tfc_shape_text(boxes).text);
  if (boxes->dims[1] != scores->dims[1])
    REFUSE("scores has incompatible shape: %s for boxes of %s", tfc_shape_text(scores).text,
           tfc_shape_text(boxes).text);
  if (boxes->dims[2] != 1 && boxes->dims[2] != scores->dims[2])
    REFUSE("third dimension of boxes must be either 1 or num classes: %lld and %lld",
           (long long)boxes->dims[2], (long long)scores->dims[2]);
  if (boxes->dims[1] > INT32_MAX) REFUSE("too many boxes: %lld", (long long)boxes->dims[1]);
  r->batch = boxes->dims[0];
  r->each.n = boxes->dims[1];
  r->box_classes = boxes->dims[2];
  r->classes = scores->dims[2];
  r->boxes = boxes->data;
  r->scores = scores->data;
  return TFC_OK;
}

static int read_positive(tfc_context* ctx, int input, const char* name, const char* what,
                         int64_t* value) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank) REFUSE("%s must be 0-D, got shape %s", name, tfc_shape_text(t).text);
  *value = tfc_index_at(t, 0);
  if (*value <= 0) REFUSE("%s must be %s, got %lld", name, what, (long long)*value);
  return TFC_OK;
}

/* Sizes, and memory for what each class chooses. */
static int prepare_combined(tfc_context* ctx, combined_run* r) {
  int64_t per_class, total;
  TFC_TRY(read_positive(ctx, 2, "max_size_per_class", "positive", &per_class));
  TFC_TRY(read_positive(ctx, 3, "max_total_size", "> 0", &total));
  TFC_TRY(read_threshold(ctx, 4, &r->each.most_overlap));
  TFC_TRY(read_scalar(ctx, 5, "score_threshold", &r->each.least_score));
  r->room = r->each.most = TFC_MIN(per_class, r->each.n);
  if (r->classes && r->room > INT32_MAX / r->classes)
    REFUSE("size_per_class * num_classes causes overflow: %lld * %lld", (long long)r->room,
           (long long)r->classes);
  const int64_t most = r->classes > INT32_MAX / per_class ? INT32_MAX : per_class * r->classes;
  const combined_state* state = ctx->state;
  r->size = state->pad_per_class ? TFC_MIN(total, most) : total;
  const size_t all = (size_t)(r->batch * r->classes);
  r->chosen = tfc_scratch(ctx, (all * (size_t)r->room + 1) * sizeof *r->chosen);
  r->chosen_scores = tfc_scratch(ctx, (all * (size_t)r->room + 1) * sizeof *r->chosen_scores);
  r->counts = tfc_scratch(ctx, (all + 1) * sizeof *r->counts);
  return r->chosen && r->chosen_scores && r->counts ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static int suppress_combined(tfc_context* ctx) {
  combined_run r = {.ctx = ctx};
  TFC_TRY(check_combined(ctx, &r));
  TFC_TRY(prepare_combined(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 3, (int64_t[]){r.batch, r.size, 4}));
  for (int i = 1; i < 3; i++) TFC_TRY(tfc_output(ctx, i, 2, (int64_t[]){r.batch, r.size}));
  TFC_TRY(tfc_output(ctx, 3, 1, &r.batch));
  tfc_parallel_for(ctx, r.batch * r.classes, 20 * (double)(r.each.n + r.room), choose_range, &r);
  if (r.failed) return TFC_RESOURCE_EXHAUSTED;
  const double each = (double)(100 * r.room * r.classes) + 8 * (double)r.size;
  tfc_parallel_for(ctx, r.batch, each, combine_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

static int read_combined(tfc_construction* c, void* state) {
  combined_state* s = state;
  TFC_TRY(c->api->attr_bool(c, "pad_per_class", &s->pad_per_class));
  return c->api->attr_bool(c, "clip_boxes", &s->clip);
}

static int create_combined(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(combined_state), read_combined, state);
}

/* ---- The others. */

static int create(tfc_construction* c, void** state) {
  suppression_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *state = s;
  if (!strcmp(c->op_type, "NonMaxSuppression"))
    return c->api->attr_float(c, "iou_threshold", &s->threshold);
  return c->api->attr_bool(c, "pad_to_max_output_size", &s->pad);
}

#define TYPES "T=half|float"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("NonMaxSuppression", "", suppress_v1, TFC_STATE(create)),
    TFC_ROW("NonMaxSuppressionV2", TYPES, suppress_v2),
    TFC_ROW("NonMaxSuppressionV3", TYPES, suppress_v3),
    TFC_ROW("NonMaxSuppressionV4", TYPES, suppress_v4, TFC_STATE(create)),
    TFC_ROW("NonMaxSuppressionV5", TYPES, suppress_v5, TFC_STATE(create)),
    TFC_ROW("NonMaxSuppressionWithOverlaps", "", suppress_overlaps),
    TFC_ROW("CombinedNonMaxSuppression", "", suppress_combined, TFC_STATE(create_combined)),
};
TFC_REGISTER_KERNELS(kernels);
