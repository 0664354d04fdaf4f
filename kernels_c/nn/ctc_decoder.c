/* CTCGreedyDecoder and CTCBeamSearchDecoder: the labels of sequences of logits.
 *
 * The search is that of A. Graves, "Sequence Transduction with Recurrent Neural Networks", 2012,
 * chapter 4: it keeps the prefixes with the best probabilities, which are nodes of a tree. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

typedef struct ctc_decoder {
  bool merge_repeated;
  int64_t blank;            /* of the greedy one; negative: from the end */
  int64_t width, top_paths; /* of the beam search */
} ctc_decoder;

/* The labels of one sequence. */
typedef struct ctc_path {
  int64_t* labels;
  int64_t n;
  double log_probability;
} ctc_path;

typedef struct decode_job {
  tfc_context* ctx;
  const ctc_decoder* decoder;
  const void* x;
  bool is_double;
  int64_t max_time, batch, classes, blank, top_paths;
  int64_t* steps;
  ctc_path* paths; /* [batch, top_paths] */
  int* codes;      /* of each row of the batch */
} decode_job;

/* ---- Arguments. */

static int fill_greedy(tfc_construction* c, void* state) {
  ctc_decoder* d = state;
  TFC_TRY(c->api->attr_bool(c, "merge_repeated", &d->merge_repeated));
  return c->api->attr_int(c, "blank_index", &d->blank);
}

static int fill_beam(tfc_construction* c, void* state) {
  ctc_decoder* d = state;
  TFC_TRY(c->api->attr_bool(c, "merge_repeated", &d->merge_repeated));
  TFC_TRY(c->api->attr_int(c, "beam_width", &d->width));
  return c->api->attr_int(c, "top_paths", &d->top_paths);
}

static int create_greedy(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(ctc_decoder), fill_greedy, state);
}
static int create_beam(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(ctc_decoder), fill_beam, state);
}

static int check_arguments(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *steps = ctx->inputs[1];
  if (x->rank != 3) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "inputs is not a 3-Tensor");
  if (x->n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "inputs must not be empty, but their shape is %s",
                     tfc_shape_text(x).text);
  if (x->dims[2] > INT32_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_classes cannot exceed max int, but it is %lld",
                     (long long)x->dims[2]);
  if (steps->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sequence_length is not a vector");
  if (steps->n != x->dims[1])
    return tfc_error(
        ctx, TFC_FAILED_PRECONDITION,
        "len(sequence_length) != batch_size.  len(sequence_length):  %lld batch_size: %lld",
        (long long)steps->n, (long long)x->dims[1]);
  return TFC_OK;
}

static int prepare(tfc_context* ctx, decode_job* j) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(check_arguments(ctx));
  j->ctx = ctx, j->decoder = ctx->state;
  j->x = x->data, j->is_double = x->dtype == TFC_DOUBLE;
  j->max_time = x->dims[0], j->batch = x->dims[1], j->classes = x->dims[2];
  int64_t paths;
  if (!tfc_multiply(j->batch, j->top_paths, &paths) || paths > INT32_MAX)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "%lld paths for a batch of %lld are too many",
                     (long long)j->top_paths, (long long)j->batch);
  j->steps = tfc_scratch(ctx, (size_t)j->batch * sizeof *j->steps);
  j->codes = tfc_scratch(ctx, (size_t)j->batch * sizeof *j->codes);
  j->paths = tfc_scratch(ctx, (size_t)paths * sizeof *j->paths);
  if (!j->steps || !j->codes || !j->paths) return TFC_RESOURCE_EXHAUSTED;
  memset(j->codes, 0, (size_t)j->batch * sizeof *j->codes);
  memset(j->paths, 0, (size_t)paths * sizeof *j->paths);
  for (int64_t b = 0; b < j->batch; b++) {
    j->steps[b] = tfc_index_at(ctx->inputs[1], b);
    if (j->steps[b] > j->max_time)
      return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                       "sequence_length(%lld) <= %lld, but it is %lld", (long long)b,
                       (long long)j->max_time, (long long)j->steps[b]);
  }
  return TFC_OK;
}

static double logit(const decode_job* j, int64_t t, int64_t b, int64_t label) {
  const int64_t i = (t * j->batch + b) * j->classes + label;
  return j->is_double ? ((const double*)j->x)[i] : (double)((const float*)j->x)[i];
}

/* ---- Outputs. */

/* Those of path p of all rows: a sparse matrix [batch, longest]. */
static int output_paths(tfc_context* ctx, const decode_job* j, int64_t p) {
  int64_t dims[2] = {0, 2}, two = 2, longest = 0;
  for (int64_t b = 0; b < j->batch; b++) {
    const int64_t n = j->paths[b * j->top_paths + p].n;
    dims[0] += n;
    longest = TFC_MAX(longest, n);
  }
  const int first = (int)p, step = (int)j->top_paths;
  TFC_TRY(tfc_output(ctx, first, 2, dims));
  TFC_TRY(tfc_output(ctx, first + step, 1, dims));
  TFC_TRY(tfc_output(ctx, first + 2 * step, 1, &two));
  int64_t *indices = ctx->outputs[first].data, *values = ctx->outputs[first + step].data;
  int64_t* sizes = ctx->outputs[first + 2 * step].data;
  sizes[0] = j->batch, sizes[1] = longest;
  for (int64_t b = 0; b < j->batch; b++) {
    const ctc_path* path = j->paths + b * j->top_paths + p;
    for (int64_t i = 0; i < path->n; i++) {
      *indices++ = b, *indices++ = i;
      *values++ = path->labels[i];
    }
  }
  return TFC_OK;
}

static int output_all(tfc_context* ctx, const decode_job* j) {
  for (int64_t b = 0; b < j->batch; b++) {
    if (j->codes[b] == TFC_INVALID_ARGUMENT)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Less leaves in the beam search than requested: batch %lld, top_paths %lld",
                       (long long)b, (long long)j->top_paths);
    if (j->codes[b] == TFC_RESOURCE_EXHAUSTED)
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory for the paths of batch %lld",
                       (long long)b);
    if (j->codes[b]) return j->codes[b];
  }
  for (int64_t p = 0; p < j->top_paths; p++) TFC_TRY(output_paths(ctx, j, p));
  const int last = 3 * (int)j->top_paths;
  const int64_t dims[2] = {j->batch, j->top_paths};
  TFC_TRY(tfc_output(ctx, last, 2, dims));
  for (int64_t i = 0; i < j->batch * j->top_paths; i++) {
    if (j->is_double)
      ((double*)ctx->outputs[last].data)[i] = j->paths[i].log_probability;
    else
      ((float*)ctx->outputs[last].data)[i] = (float)j->paths[i].log_probability;
  }
  return TFC_OK;
}

static int decode(tfc_context* ctx, decode_job* j, tfc_range_fn rows, double ns) {
  tfc_parallel_for(ctx, j->batch, ns, rows, j);
  const int code = output_all(ctx, j);
  for (int64_t i = 0; i < j->batch * j->top_paths; i++) free(j->paths[i].labels);
  return code;
}

/* ---- Greedy: the best class of each step. */

static void greedy_rows(void* arg, int64_t begin, int64_t end) {
  decode_job* j = arg;
  for (int64_t b = begin; b < end; b++) {
    ctc_path* path = j->paths + b;
    path->labels = malloc((size_t)TFC_MAX(j->steps[b], 1) * sizeof *path->labels);
    if (!path->labels) {
      j->codes[b] = TFC_RESOURCE_EXHAUSTED;
      continue;
    }
    int64_t before = -1;
    for (int64_t t = 0; t < j->steps[b]; t++) {
      int64_t best = 0;
      double most = logit(j, t, b, 0);
      for (int64_t label = 1; label < j->classes; label++) {
        const double x = logit(j, t, b, label);
        if (x > most) most = x, best = label;
      }
      path->log_probability -= most;
      const bool merged = j->decoder->merge_repeated && best == before;
      if (best != j->blank && !merged) path->labels[path->n++] = best;
      before = best;
    }
  }
}

static int greedy(tfc_context* ctx) {
  decode_job j = {.top_paths = 1};
  TFC_TRY(prepare(ctx, &j));
  const int64_t blank = j.decoder->blank;
  if (blank < -j.classes || blank >= j.classes)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "blank_index expected to be between %lld and %lld but was %lld",
                     -(long long)j.classes, (long long)j.classes - 1, (long long)blank);
  j.blank = blank < 0 ? blank + j.classes : blank;
  return decode(ctx, &j, greedy_rows, (double)j.max_time * (double)j.classes);
}

/* ---- Beam search. */

/* Logarithms of the probabilities of a prefix's paths: those that end with a blank, those that end
 * with its last label, and both. */
typedef struct chances {
  double blank, label, total;
} chances;

static const chances no_chance = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY};

/* A prefix: that of its parent with one more label. It lives while it is in the beam, while it is
 * one of the prefixes that a step extends, and while it has children. */
typedef struct prefix {
  struct prefix *parent, *children, *next, *before; /* next, before: children of one parent */
  int32_t label;                                    /* -1: the root */
  int64_t refs, place;                              /* place: in the beam, -1: not in it */
  uint64_t number;                                  /* of its entry into the beam */
  uint64_t dropped_by; /* which extension dropped it from the beam, with which label */
  int32_t dropped_at;
  chances old, now;
} prefix;

/* A heap whose first prefix is the least probable one. */
typedef struct beam {
  prefix** heap;
  prefix** extended; /* the beam of the step before, the most probable first */
  int64_t n, n_extended, capacity, width;
  uint64_t entries, extensions;
  int32_t extension; /* the label of this extension */
  double* now;       /* [classes]: logarithms of probabilities in this step */
} beam;

static double log_sum(double a, double b) {
  if (a == -(double)INFINITY) return b;
  if (b == -(double)INFINITY) return a;
  return TFC_MAX(a, b) + log1p(exp(-fabs(a - b)));
}

/* Whether a comes after b; of the same probability, the one that entered first is first. */
static bool is_worse(const prefix* a, const prefix* b) {
  const double x = isnan(a->now.total) ? -(double)INFINITY : a->now.total;
  const double y = isnan(b->now.total) ? -(double)INFINITY : b->now.total;
  return x < y || (x == y && a->number > b->number);
}

static int compare(const void* a, const void* b) {
  const prefix *x = *(prefix* const*)a, *y = *(prefix* const*)b;
  return is_worse(x, y) ? 1 : is_worse(y, x) ? -1 : 0;
}

static void release(prefix* p) {
  while (p && --p->refs == 0) {
    prefix* parent = p->parent;
    if (parent) {
      if (p->before)
        p->before->next = p->next;
      else
        parent->children = p->next;
      if (p->next) p->next->before = p->before;
    }
    free(p);
    p = parent;
  }
}

/* Without a reference; a child holds one of its parent. */
static prefix* new_prefix(prefix* parent, int32_t label) {
  prefix* p = malloc(sizeof *p);
  if (!p) return NULL;
  *p = (prefix){.parent = parent, .label = label, .place = -1, .old = no_chance, .now = no_chance};
  if (!parent) return p;
  parent->refs++;
  p->next = parent->children;
  if (p->next) p->next->before = p;
  parent->children = p;
  return p;
}

static prefix* find_child(const prefix* parent, int32_t label) {
  prefix* child = parent->children;
  while (child && child->label != label) child = child->next;
  return child;
}

static void put(beam* m, int64_t i, prefix* p) {
  m->heap[i] = p;
  p->place = i;
}

static void sift_down(beam* m, prefix* p) {
  int64_t i = 0;
  for (int64_t child; (child = 2 * i + 1) < m->n; i = child) {
    if (child + 1 < m->n && is_worse(m->heap[child + 1], m->heap[child])) child++;
    if (!is_worse(m->heap[child], p)) break;
    put(m, i, m->heap[child]);
  }
  put(m, i, p);
}

static bool grow(beam* m) {
  const int64_t capacity = TFC_MIN(TFC_MAX(2 * m->capacity, 64), m->width);
  prefix** heap = realloc(m->heap, (size_t)capacity * sizeof *heap);
  if (heap) m->heap = heap;
  prefix** extended = realloc(m->extended, (size_t)capacity * sizeof *extended);
  if (extended) m->extended = extended;
  if (heap && extended) m->capacity = capacity;
  return heap && extended;
}

/* Into the beam; if that is full, in place of the last one. False: no memory. */
static bool push(beam* m, prefix* p) {
  p->number = m->entries++;
  p->refs++;
  if (m->n == m->width) {
    prefix* last = m->heap[0];
    last->now = no_chance;
    last->place = -1;
    last->dropped_by = m->extensions;
    last->dropped_at = m->extension;
    sift_down(m, p);
    release(last);
    return true;
  }
  if (m->n == m->capacity && !grow(m)) {
    release(p);
    return false;
  }
  int64_t i = m->n++;
  for (; i > 0 && is_worse(p, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
    put(m, i, m->heap[(i - 1) / 2]);
  put(m, i, p);
  return true;
}

static bool is_candidate(const beam* m, double total) {
  return total > -(double)INFINITY && (m->n < m->width || total > m->heap[0]->now.total);
}

static void read_step(const decode_job* j, beam* m, int64_t t, int64_t b) {
  double most = -(double)INFINITY, sum = 0;
  for (int64_t i = 0; i < j->classes; i++) {
    m->now[i] = logit(j, t, b, i);
    most = TFC_MAX(most, m->now[i]);
  }
  for (int64_t i = 0; i < j->classes; i++) sum += exp(m->now[i] - most);
  const double norm = most + log(sum);
  for (int64_t i = 0; i < j->classes; i++) m->now[i] -= norm;
}

/* The prefix in this step: its paths with a blank or its label once more, and those that come from
 * its parent. */
static void stay(const beam* m, prefix* p, int64_t blank) {
  const prefix* parent = p->parent;
  if (parent) {
    if (parent->now.total != -(double)INFINITY) {
      const bool same = p->label == parent->label;
      p->now.label = log_sum(p->now.label, same ? parent->old.blank : parent->old.total);
    }
    p->now.label += m->now[p->label];
  }
  p->now.blank = p->old.total + m->now[blank];
  p->now.total = log_sum(p->now.blank, p->now.label);
}

/* A child that had left the beam when its parent's extension by its label was not good enough is
 * not extended itself in this step, as in TensorFlow. */
static void forget_children(const beam* m, const prefix* p) {
  for (prefix* child = p->children; child; child = child->next) {
    const bool too_late = child->dropped_by == m->extensions && child->dropped_at >= child->label;
    if (child->place < 0 && !too_late) child->old = no_chance;
  }
}

/* Its extensions by one label. False: no memory. */
static bool extend(beam* m, prefix* p, int64_t blank) {
  if (!is_candidate(m, p->old.total)) return true;
  m->extensions++;
  for (int32_t label = 0; label < blank; label++) {
    m->extension = label;
    const double before = label == p->label ? p->old.blank : p->old.total;
    const double total = m->now[label] + before;
    if (!is_candidate(m, total)) continue;
    prefix* child = find_child(p, label);
    if (child && child->place >= 0) continue;
    if (!child) child = new_prefix(p, label);
    if (!child) return false;
    child->now = (chances){-(double)INFINITY, total, total};
    child->refs++;
    const bool pushed = push(m, child);
    release(child);
    if (!pushed) return false;
  }
  forget_children(m, p);
  return true;
}

static bool search_step(const decode_job* j, beam* m, int64_t t, int64_t b) {
  const int64_t blank = j->classes - 1;
  bool ok = true;
  read_step(j, m, t, b);
  qsort(m->heap, (size_t)m->n, sizeof *m->heap, compare);
  memcpy(m->extended, m->heap, (size_t)m->n * sizeof *m->heap);
  m->n_extended = m->n;
  m->n = 0;
  for (int64_t i = 0; i < m->n_extended; i++) m->extended[i]->old = m->extended[i]->now;
  for (int64_t i = 0; i < m->n_extended; i++) {
    stay(m, m->extended[i], blank);
    push(m, m->extended[i]); /* there is room */
  }
  for (int64_t i = 0; ok && i < m->n_extended; i++) ok = extend(m, m->extended[i], blank);
  for (int64_t i = 0; i < m->n_extended; i++) release(m->extended[i]);
  return ok;
}

/* The labels of a prefix, from the end. False: no memory. */
static bool take_path(const decode_job* j, const prefix* last, ctc_path* path) {
  const bool merge = j->decoder->merge_repeated;
  int64_t n = 0;
  for (const prefix* p = last; p->parent; p = p->parent)
    n += !(merge && p->parent->parent && p->parent->label == p->label);
  path->labels = malloc((size_t)TFC_MAX(n, 1) * sizeof *path->labels);
  if (!path->labels) return false;
  path->n = n;
  path->log_probability = last->now.total;
  for (const prefix* p = last; p->parent; p = p->parent)
    if (!(merge && p->parent->parent && p->parent->label == p->label)) path->labels[--n] = p->label;
  return true;
}

static int search(const decode_job* j, beam* m, int64_t b) {
  prefix* root = new_prefix(NULL, -1);
  if (!root) return TFC_RESOURCE_EXHAUSTED;
  root->now = (chances){0, -(double)INFINITY, 0};
  root->refs++;
  const bool pushed = push(m, root);
  release(root);
  if (!pushed) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t t = 0; t < j->steps[b]; t++) {
    if (tfc_cancelled(j->ctx)) return TFC_CANCELLED;
    if (!search_step(j, m, t, b)) return TFC_RESOURCE_EXHAUSTED;
  }
  if (m->n < j->top_paths) return TFC_INVALID_ARGUMENT;
  qsort(m->heap, (size_t)m->n, sizeof *m->heap, compare);
  for (int64_t p = 0; p < j->top_paths; p++)
    if (!take_path(j, m->heap[p], j->paths + b * j->top_paths + p)) return TFC_RESOURCE_EXHAUSTED;
  return TFC_OK;
}

static void beam_rows(void* arg, int64_t begin, int64_t end) {
  decode_job* j = arg;
  for (int64_t b = begin; b < end; b++) {
    beam m = {.width = j->decoder->width};
    m.now = malloc((size_t)j->classes * sizeof *m.now);
    j->codes[b] = m.now ? search(j, &m, b) : TFC_RESOURCE_EXHAUSTED;
    for (int64_t i = 0; i < m.n; i++) release(m.heap[i]);
    free(m.heap);
    free(m.extended);
    free(m.now);
  }
}

static int beam_search(tfc_context* ctx) {
  decode_job j = {.top_paths = ((const ctc_decoder*)ctx->state)->top_paths};
  if (j.top_paths > ((const ctc_decoder*)ctx->state)->width)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "requested more paths than the beam width: %lld > %lld",
                     (long long)j.top_paths, (long long)((const ctc_decoder*)ctx->state)->width);
  TFC_TRY(prepare(ctx, &j));
  const double width = (double)TFC_MIN(j.decoder->width, 10000);
  return decode(ctx, &j, beam_rows, (double)j.max_time * width * (double)(j.classes + 50));
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("CTCGreedyDecoder", "T=" TFC_TYPES_WIDE_FLOATS, greedy, TFC_STATE(create_greedy)),
    TFC_ROW("CTCBeamSearchDecoder", "T=" TFC_TYPES_WIDE_FLOATS, beam_search,
            TFC_STATE(create_beam)),
};
TFC_REGISTER_KERNELS(kernels);
