/* CTCLoss: the negative logarithm of the probability of labels, and its gradient.
 *
 * A path is at one state in each step: at one of the labels, or at one of the blanks before,
 * between and after them. alpha is the logarithm of the probability of all beginnings of paths up
 * to a state, with its step; beta that of all ends after it. Blanks and labels are in arrays of
 * their own, so that one vector has neighbours of one kind. All sums are in double: there are no
 * products that could underflow, and long sequences keep their digits.
 *
 * A. Graves et al., "Connectionist Temporal Classification", ICML 2006. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/areas.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/common/template.h"

/* The logarithm of 0. It is finite, so that differences of two are no NaN. */
#define NO_PATH (-1e300)

#define T float
#include "kernels_c/nn/ctc_loss_type.h"

#define T double
#include "kernels_c/nn/ctc_loss_type.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct ctc_attrs {
  bool collapse, merge, ignore_longer;
} ctc_attrs;

static int fill_attrs(tfc_construction* c, void* state) {
  ctc_attrs* a = state;
  TFC_TRY(c->api->attr_bool(c, "preprocess_collapse_repeated", &a->collapse));
  TFC_TRY(c->api->attr_bool(c, "ctc_merge_repeated", &a->merge));
  return c->api->attr_bool(c, "ignore_longer_outputs_than_inputs", &a->ignore_longer);
}

static int create_attrs(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(ctc_attrs), fill_attrs, state);
}

/* The labels of a row of the batch: those at labels[begin] to labels[begin + n]. */
typedef struct ctc_row {
  int64_t begin, n, given; /* given: before repeated labels and blanks were left out */
  int64_t steps;           /* 0: the loss is 0 */
} ctc_row;

typedef struct ctc_job {
  const ctc_attrs* attrs;
  bool is_double;
  int64_t max_time, batch, classes;
  const char* x;
  char *gradient, *loss;
  int32_t* labels;
  ctc_row* rows;
  tfc_areas areas;
} ctc_job;

/* ---- Arguments. */

static int check_shapes(tfc_context* ctx) {
  const tfc_tensor* const* in = ctx->inputs;
  if (in[0]->rank != 3) REFUSE("inputs is not a 3-Tensor");
  if (in[3]->rank != 1) REFUSE("sequence_length is not a vector");
  if (in[1]->rank != 2) REFUSE("labels_indices is not a matrix");
  if (in[1]->dims[1] != 2)
    REFUSE("labels_indices second dimension must be 2. Received %lld", (long long)in[1]->dims[1]);
  if (in[2]->rank != 1) REFUSE("labels_values is not a vector");
  const int64_t batch = in[0]->dims[1];
  if (in[3]->n != batch)
    REFUSE("len(sequence_length) != batch_size.  len(sequence_length):  %lld batch_size: %lld",
           (long long)in[3]->n, (long long)batch);
  if (in[1]->dims[0] != in[2]->n)
    REFUSE(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: "
        "%s vs. %s",
        tfc_shape_text(in[1]).text, tfc_shape_text(in[2]).text);
  if (batch == 0) REFUSE("batch_size must not be 0");
  if (in[0]->dims[0] == 0) REFUSE("Max time or first dimension of input cannot be 0.");
  if (in[0]->dims[2] == 0)
    REFUSE("num_classes must be positive, but the shape of inputs is %s",
           tfc_shape_text(in[0]).text);
  if (in[0]->dims[2] > INT32_MAX)
    REFUSE("num_classes cannot exceed max int, but it is %lld", (long long)in[0]->dims[2]);
  return TFC_OK;
}

static int read_lengths(tfc_context* ctx, ctc_job* j) {
  for (int64_t b = 0; b < j->batch; b++) {
    const int64_t steps = tfc_index_at(ctx->inputs[3], b);
    if (steps > j->max_time)
      REFUSE("sequence_length(%lld) <= %lld, but it is %lld", (long long)b, (long long)j->max_time,
             (long long)steps);
    if (steps < 0) REFUSE("seq_len(%lld) < 0: %lld", (long long)b, (long long)steps);
    j->rows[b].steps = steps;
  }
  return TFC_OK;
}

static int bad_index(tfc_context* ctx, int64_t i, const int64_t* at, const char* problem) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "label SparseTensor is not valid: indices[%lld] = %s is %s", (long long)i,
                   tfc_dims_text(2, at).text, problem);
}

/* How many labels each row has. Indices are sorted. */
static int count_labels(tfc_context* ctx, ctc_job* j) {
  int64_t last[2] = {0, -1};
  for (int64_t i = 0; i < ctx->inputs[2]->n; i++) {
    const int64_t at[2] = {tfc_index_at(ctx->inputs[1], 2 * i),
                           tfc_index_at(ctx->inputs[1], 2 * i + 1)};
    if (at[0] < 0 || at[0] >= j->batch || at[1] < 0 || at[1] == INT64_MAX)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "label SparseTensor is not valid: indices[%lld] = %s is out of bounds: need "
                       "0 <= index for a batch of %lld",
                       (long long)i, tfc_dims_text(2, at).text, (long long)j->batch);
    if (at[0] == last[0] && at[1] == last[1]) return bad_index(ctx, i, at, "repeated");
    if (at[0] < last[0] || (at[0] == last[0] && at[1] < last[1]))
      return bad_index(ctx, i, at,
                       "out of order. Many sparse ops require sorted indices.\n"
                       "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n");
    memcpy(last, at, sizeof at);
    j->rows[at[0]].given++;
  }
  return TFC_OK;
}

/* The labels of a row: blanks at its end are left out, and repeated ones if an attribute says so.
 */
static int read_row(tfc_context* ctx, ctc_job* j, int64_t b) {
  ctc_row* row = j->rows + b;
  const int64_t blank = j->classes - 1;
  bool ended = false;
  int64_t before = -1;
  if (row->given == 0) REFUSE("Labels length is zero in batch %lld", (long long)b);
  for (int64_t i = row->begin; i < row->begin + row->given; i++) {
    const int64_t label = tfc_index_at(ctx->inputs[2], i);
    if (label < 0)
      REFUSE("All labels must be nonnegative integers, batch: %lld labels: %lld", (long long)b,
             (long long)label);
    if (label < blank && ended)
      REFUSE(
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: %lld "
          "num_classes: %lld labels: %lld",
          (long long)b, (long long)j->classes, (long long)label);
    ended = label >= blank;
    if (!ended && !(j->attrs->collapse && label == before))
      j->labels[row->begin + row->n++] = (int32_t)label;
    before = label;
  }
  if (row->given <= row->steps) return TFC_OK;
  if (!j->attrs->ignore_longer)
    REFUSE(
        "Not enough time for target transition sequence (required: %lld, available: %lld) in batch "
        "%lld. You can turn this error into a warning by using the flag "
        "ignore_longer_outputs_than_inputs",
        (long long)row->given, (long long)row->steps, (long long)b);
  row->steps = 0;
  return TFC_OK;
}

static int read_labels(tfc_context* ctx, ctc_job* j) {
  TFC_TRY(count_labels(ctx, j));
  int64_t begin = 0;
  for (int64_t b = 0; b < j->batch; b++) {
    j->rows[b].begin = begin;
    begin += j->rows[b].given;
    TFC_TRY(read_row(ctx, j, b));
  }
  return TFC_OK;
}

/* ---- Sums of probabilities, as logarithms. */

static inline vd log_sum_2(vd a, vd b) {
  vd m = vd_max(a, b);
  return m + vd_log(1.0 + vd_exp((a - m) + (b - m))); /* one of the differences is 0 */
}

static inline vd log_sum_3(vd a, vd b, vd c) {
  vd m = vd_max(vd_max(a, b), c);
  return m + vd_log(vd_exp(a - m) + vd_exp(b - m) + vd_exp(c - m));
}

static double log_sum(double a, double b) {
  double m = TFC_MAX(a, b);
  return m + log(exp(a - m) + exp(b - m));
}

/* What a thread needs for a row. Arrays of states have a vector of NO_PATH before and after them.
 */
typedef struct lattice {
  int64_t n, steps, stride; /* labels, steps, doubles of an array of states */
  double stay;              /* 0, or NO_PATH: no path stays at a label */
  double* norms;            /* [steps]: what to subtract from logits */
  double* skip;             /* 0: a path may go from label i - 1 to i without a blank */
  double* now;              /* logarithms of the labels' probabilities in a step */
  double *blanks, *labels;  /* alpha, [steps, stride] */
  double* ends[2][2];       /* beta of blanks and labels, of this step and the one after */
} lattice;

static int64_t stride_of(int64_t n) {
  return (n + 1 + VD_N - 1) / VD_N * VD_N + 2 * VD_N;
}

/* False: the number does not fit. */
static bool lattice_doubles(int64_t n, int64_t steps, int64_t* doubles) {
  int64_t states;
  return tfc_multiply(2 * steps + 6, stride_of(n), &states) && states < (int64_t)1 << 48 &&
         (*doubles = states + steps + VD_N, true);
}

static lattice lattice_in(double* memory, const ctc_job* j, const ctc_row* row) {
  lattice l = {.n = row->n, .steps = row->steps, .stride = stride_of(row->n)};
  l.stay = j->attrs->merge ? 0 : NO_PATH;
  const int64_t states = (2 * l.steps + 6) * l.stride;
  for (int64_t i = 0; i < states; i++) memory[i] = NO_PATH;
  double* next = memory + VD_N;
  double** arrays[] = {&l.skip, &l.now, &l.ends[0][0], &l.ends[0][1], &l.ends[1][0], &l.ends[1][1]};
  for (int i = 0; i < 6; i++, next += l.stride) *arrays[i] = next;
  l.blanks = next;
  l.labels = l.blanks + l.steps * l.stride;
  l.norms = memory + states;
  const int32_t* labels = j->labels + row->begin;
  for (int64_t i = 0; i < l.stride - VD_N; i++) l.now[i] = 0;
  for (int64_t i = 1; i < l.n; i++)
    l.skip[i] = j->attrs->merge && labels[i] == labels[i - 1] ? NO_PATH : 0;
  return l;
}

/* The states that a path to the end can be at in step t: begin to end, whole vectors. */
static int64_t first_state(const lattice* l, int64_t t) {
  return TFC_MAX(0, l->n - (l->steps - t)) / VD_N * VD_N;
}
static int64_t last_state(const lattice* l, int64_t t) {
  return TFC_MIN(l->n + 1, t + 1);
}

static void forward_step(const lattice* l, int64_t t, double blank) {
  double *to_blanks = l->blanks + t * l->stride, *to_labels = l->labels + t * l->stride;
  if (t == 0) {
    to_blanks[0] = blank;
    if (l->n) to_labels[0] = l->now[0];
    return;
  }
  const double *blanks = to_blanks - l->stride, *labels = to_labels - l->stride;
  for (int64_t i = first_state(l, t); i < last_state(l, t); i += VD_N) {
    vd b = vd_load(blanks + i), before = vd_load(labels + i - 1);
    vd_store(to_blanks + i, log_sum_2(b, before) + blank);
    vd sum = log_sum_3(vd_load(labels + i) + l->stay, b, before + vd_load(l->skip + i));
    vd_store(to_labels + i, sum + vd_load(l->now + i));
  }
  to_labels[l->n] = NO_PATH;
}

/* From the step after t; `now` and `blank` are of that step. */
static void backward_step(const lattice* l, int64_t t, double blank) {
  const double *blanks = l->ends[(t + 1) & 1][0], *labels = l->ends[(t + 1) & 1][1];
  double *to_blanks = l->ends[t & 1][0], *to_labels = l->ends[t & 1][1];
  for (int64_t i = first_state(l, t); i < last_state(l, t); i += VD_N) {
    vd label = vd_load(labels + i) + vd_load(l->now + i);
    vd next = vd_load(labels + i + 1) + vd_load(l->now + i + 1) + vd_load(l->skip + i + 1);
    vd_store(to_blanks + i, log_sum_2(vd_load(blanks + i) + blank, label));
    vd_store(to_labels + i, log_sum_3(label + l->stay, vd_load(blanks + i + 1) + blank, next));
  }
  to_labels[l->n] = NO_PATH;
}

/* The probabilities of the states in step t, given the labels: those of labels go to `now`. Returns
 * the sum of those of blanks. */
static double posteriors(const lattice* l, int64_t t, double total) {
  const double *blanks = l->blanks + t * l->stride, *labels = l->labels + t * l->stride;
  const double *blank_ends = l->ends[t & 1][0], *label_ends = l->ends[t & 1][1];
  vd sum = vd_set1(0);
  for (int64_t i = first_state(l, t); i < last_state(l, t); i += VD_N) {
    sum += vd_exp(vd_load(blanks + i) + vd_load(blank_ends + i) - total);
    vd_store(l->now + i, vd_exp(vd_load(labels + i) + vd_load(label_ends + i) - total));
  }
  return vd_sum(sum);
}

/* ---- A row of the batch. */

/* Logarithms of the probabilities in step t: those of labels go to `now`. Returns that of blank. */
static double probabilities(const ctc_job* j, const lattice* l, const int32_t* labels, int64_t b,
                            int64_t t) {
  const int64_t at = (t * j->batch + b) * j->classes;
  const int32_t last = (int32_t)(j->classes - 1);
  double blank, norm = l->norms[t];
  if (j->is_double) {
    ctc_gather_double((const double*)j->x + at, norm, labels, l->n, l->now);
    ctc_gather_double((const double*)j->x + at, norm, &last, 1, &blank);
  } else {
    ctc_gather_float((const float*)j->x + at, norm, labels, l->n, l->now);
    ctc_gather_float((const float*)j->x + at, norm, &last, 1, &blank);
  }
  l->now[l->n] = 0;
  return blank;
}

/* Softmax to the gradient. */
static double normalize(const ctc_job* j, int64_t b, int64_t t) {
  const int64_t at = (t * j->batch + b) * j->classes;
  return j->is_double
             ? ctc_softmax_double((const double*)j->x + at, (double*)j->gradient + at, j->classes)
             : ctc_softmax_float((const float*)j->x + at, (float*)j->gradient + at, j->classes);
}

static void subtract(const ctc_job* j, const lattice* l, const int32_t* labels, int64_t b,
                     int64_t t, double total) {
  const int64_t at = (t * j->batch + b) * j->classes;
  const int64_t begin = first_state(l, t), end = TFC_MIN(last_state(l, t), l->n);
  const int32_t last = (int32_t)(j->classes - 1);
  const double blank = posteriors(l, t, total);
  if (j->is_double) {
    ctc_subtract_double((double*)j->gradient + at, labels, begin, end, l->now);
    ctc_subtract_double((double*)j->gradient + at, &last, 0, 1, &blank);
  } else {
    ctc_subtract_float((float*)j->gradient + at, labels, begin, end, l->now);
    ctc_subtract_float((float*)j->gradient + at, &last, 0, 1, &blank);
  }
}

/* Returns the logarithm of the labels' probability. */
static double run_row(const ctc_job* j, lattice* l, const int32_t* labels, int64_t b) {
  for (int64_t t = 0; t < l->steps; t++) {
    l->norms[t] = normalize(j, b, t);
    forward_step(l, t, probabilities(j, l, labels, b, t));
  }
  const int64_t last = l->steps - 1;
  const double at_blank = l->blanks[last * l->stride + l->n];
  const double total = l->n ? log_sum(at_blank, l->labels[last * l->stride + l->n - 1]) : at_blank;
  if (total < NO_PATH / 2) return total; /* then the gradient is the softmax, as TensorFlow's */
  l->ends[last & 1][0][l->n] = 0;
  if (l->n) l->ends[last & 1][1][l->n - 1] = 0;
  for (int64_t t = last; t >= 0; t--) {
    if (t < last) backward_step(l, t, probabilities(j, l, labels, b, t + 1));
    subtract(j, l, labels, b, t, total);
  }
  return total;
}

static void run_rows(void* arg, int64_t begin, int64_t end) {
  ctc_job* j = arg;
  double* memory = tfc_areas_take(&j->areas);
  for (int64_t b = begin; b < end; b++) {
    const ctc_row* row = j->rows + b;
    const size_t bytes = (size_t)j->classes * (j->is_double ? 8 : 4);
    double total = 0;
    if (row->steps) {
      lattice l = lattice_in(memory, j, row);
      total = run_row(j, &l, j->labels + row->begin, b);
    }
    for (int64_t t = row->steps; t < j->max_time; t++)
      memset(j->gradient + (size_t)(t * j->batch + b) * bytes, 0, bytes);
    const double loss = total < NO_PATH / 2 ? (double)INFINITY : 0 - total;
    if (j->is_double)
      ((double*)j->loss)[b] = loss;
    else
      ((float*)j->loss)[b] = (float)loss;
  }
  tfc_areas_give(&j->areas, memory);
}

static int ctc_loss(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(check_shapes(ctx));
  ctc_job j = {.attrs = ctx->state, .is_double = x->dtype == TFC_DOUBLE, .x = x->data};
  j.max_time = x->dims[0], j.batch = x->dims[1], j.classes = x->dims[2];
  j.rows = tfc_scratch(ctx, (size_t)j.batch * sizeof *j.rows);
  j.labels = tfc_scratch(ctx, (size_t)(ctx->inputs[2]->n + 1) * sizeof *j.labels);
  if (!j.rows || !j.labels) return TFC_RESOURCE_EXHAUSTED;
  memset(j.rows, 0, (size_t)j.batch * sizeof *j.rows);
  TFC_TRY(read_lengths(ctx, &j));
  TFC_TRY(read_labels(ctx, &j));
  int64_t most = 0, states = 0;
  for (int64_t b = 0; b < j.batch; b++) {
    int64_t doubles;
    if (!lattice_doubles(j.rows[b].n, j.rows[b].steps, &doubles))
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED,
                       "%lld labels in %lld steps need too much memory", (long long)j.rows[b].n,
                       (long long)j.rows[b].steps);
    most = TFC_MAX(most, doubles);
    states = TFC_MAX(states, j.rows[b].n + 1);
  }
  TFC_TRY(tfc_output(ctx, 0, 1, &j.batch));
  TFC_TRY(tfc_output_like(ctx, 1, x));
  j.loss = ctx->outputs[0].data, j.gradient = ctx->outputs[1].data;
  TFC_TRY(tfc_areas_make(ctx, &j.areas, (size_t)most * sizeof(double)));
  const double cost = (double)j.max_time * ((double)j.classes * 1.5 + (double)states * 15 + 60);
  tfc_parallel_for(ctx, j.batch, cost, run_rows, &j);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("CTCLoss", "T=" TFC_TYPES_WIDE_FLOATS, ctc_loss, TFC_STATE(create_attrs)),
};
TFC_REGISTER_KERNELS(kernels);
