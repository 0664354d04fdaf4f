/* Einsum: one product of matrices, or a batch of them, between copies that bring the dimensions
 * into the order of a product. Copies are left out where the dimensions lie in that order already.
 *
 * The labels of two operands a and b are
 *   batch: in a, in b and in the result,
 *   inner: in a and b, not in the result: the product sums over them,
 *   free: in one operand and in the result.
 * A label that is in one operand only is summed out before, by a product with ones.
 */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/linalg/matmul.h"

enum {
  ELLIPSIS = 256,                     /* in a subscript: any number of dimensions */
  N_LABELS = ELLIPSIS + TFC_MAX_RANK, /* a byte, or a dimension of the ellipsis, from its end */
  MOST_LABELS = 64                    /* of a subscript */
};

typedef struct subscript {
  int n;
  bool ellipsis;
  int16_t labels[MOST_LABELS];
} subscript;

typedef struct equation {
  int n_inputs;
  subscript inputs[2], output;
} equation;

/* ---- Parsing */

static int bad_equation(tfc_construction* c, const char* text, size_t size, const char* why) {
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s in einsum equation: %.*s", why, (int)size,
                       text);
}

static int parse_subscript(tfc_construction* c, const char* text, size_t size, subscript* s) {
  for (size_t i = 0; i < size; i++) {
    const bool dots = size - i >= 3 && !memcmp(text + i, "...", 3);
    if (s->n == MOST_LABELS) return bad_equation(c, text, size, "Too many labels");
    if (text[i] == '.' && (!dots || s->ellipsis))
      return bad_equation(c, text, size, "Expecting at most one ellipsis (...)");
    s->labels[s->n++] = dots ? ELLIPSIS : (unsigned char)text[i];
    s->ellipsis |= dots;
    if (dots) i += 2;
  }
  return TFC_OK;
}

static bool has_label(const subscript* s, int label) {
  for (int i = 0; i < s->n; i++)
    if (s->labels[i] == label) return true;
  return false;
}

/* The place of the only "->", or NULL. */
static const char* find_arrow(const char* text, size_t size) {
  const char* found = NULL;
  for (size_t i = 0; i + 1 < size; i++) {
    if (text[i] != '-' || text[i + 1] != '>') continue;
    if (found) return NULL;
    found = text + i;
  }
  return found;
}

static int parse(tfc_construction* c, void* state) {
  equation* e = state;
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "equation", &text, &size));
  const char* arrow = find_arrow(text, size);
  if (!arrow) return bad_equation(c, text, size, "Expecting exactly one '->'");
  int commas = 0;
  for (const char* at = text; at < arrow; at++) commas += *at == ',';
  if (commas > 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Expecting 1 or 2 input subscripts in equation '%.*s' but got: %d",
                         (int)size, text, commas + 1);
  e->n_inputs = commas + 1;
  if (c->n_inputs != e->n_inputs)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Expected %d inputs but got: %d", e->n_inputs,
                         c->n_inputs);
  const char* begin = text;
  for (int i = 0; i < e->n_inputs; i++) {
    const char* end = memchr(begin, ',', (size_t)(arrow - begin));
    if (!end) end = arrow;
    TFC_TRY(parse_subscript(c, begin, (size_t)(end - begin), &e->inputs[i]));
    begin = end + 1;
  }
  TFC_TRY(parse_subscript(c, arrow + 2, size - (size_t)(arrow + 2 - text), &e->output));
  for (int i = 0; i < e->output.n; i++) {
    const int label = e->output.labels[i];
    if (label == ELLIPSIS || has_label(&e->inputs[0], label) || has_label(&e->inputs[1], label))
      continue;
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Einsum output subscripts for equation '%.*s' has label '%c' which is not "
                         "present in the input subscripts",
                         (int)size, text, label);
  }
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(equation), parse, state);
}

/* ---- Operands */

/* A tensor with one dimension for each of its labels, in any order in memory. */
typedef struct operand {
  tfc_tensor tensor; /* without a reference of its own */
  int n;
  int16_t labels[TFC_MAX_RANK];
  int64_t sizes[TFC_MAX_RANK], strides[TFC_MAX_RANK];
} operand;

static int find_label(const operand* o, int label) {
  for (int i = 0; i < o->n; i++)
    if (o->labels[i] == label) return i;
  return -1;
}

/* Appends a dimension; that of a label which is there already makes it the diagonal. */
static int add_dimension(tfc_context* ctx, operand* o, int label, int axis, int64_t stride) {
  const int64_t size = o->tensor.dims[axis];
  const int i = find_label(o, label);
  if (i < 0) {
    o->labels[o->n] = (int16_t)label;
    o->sizes[o->n] = size;
    o->strides[o->n++] = stride;
    return TFC_OK;
  }
  o->strides[i] += stride;
  if (o->sizes[i] == size) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Expected dimension %lld at axis %d of the input shaped %s but got dimension "
                   "%lld",
                   (long long)o->sizes[i], axis, tfc_shape_text(&o->tensor).text, (long long)size);
}

static int take_input(tfc_context* ctx, int input, const subscript* s, operand* o) {
  const tfc_tensor* t = ctx->inputs[input];
  int64_t strides[TFC_MAX_RANK];
  const int named = s->n - s->ellipsis, covered = t->rank - named;
  if (covered < 0 || (covered && !s->ellipsis))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected input %d to have rank %s%d but got: %d",
                     input, s->ellipsis ? "at least " : "", named, t->rank);
  *o = (operand){.tensor = *t};
  tfc_strides(t->rank, t->dims, strides);
  int axis = 0;
  for (int i = 0; i < s->n; i++) {
    if (s->labels[i] != ELLIPSIS) {
      TFC_TRY(add_dimension(ctx, o, s->labels[i], axis, strides[axis]));
      axis++;
      continue;
    }
    for (int k = covered; k > 0; k--, axis++)
      TFC_TRY(add_dimension(ctx, o, ELLIPSIS + k - 1, axis, strides[axis]));
  }
  return TFC_OK;
}

/* What an operand holds, in the order of `labels`: its own memory, or a copy. */
static int arrange(tfc_context* ctx, operand* o, int n, const int16_t* labels) {
  tfc_box box = {.rank = n};
  operand to = {.tensor = {.dtype = o->tensor.dtype, .n = 1, .rank = 1}, .n = n};
  for (int i = 0; i < n; i++) {
    const int from = find_label(o, labels[i]);
    to.labels[i] = labels[i];
    to.sizes[i] = box.dims[i] = o->sizes[from];
    box.from[i] = o->strides[from];
    to.tensor.n *= box.dims[i];
  }
  tfc_strides(n, to.sizes, to.strides);
  bool same = true;
  for (int i = 0; i < n; i++) same &= box.from[i] == to.strides[i] || to.sizes[i] == 1;
  memcpy(box.to, to.strides, sizeof to.strides);
  if (same) {
    to.tensor.data = o->tensor.data;
  } else if (to.tensor.n) {
    to.tensor.data = tfc_scratch(ctx, (size_t)to.tensor.n * tfc_dtype_size(to.tensor.dtype));
    if (!to.tensor.data) return TFC_RESOURCE_EXHAUSTED;
    to.tensor.dims[0] = to.tensor.n;
    TFC_TRY(tfc_copy_box(ctx, &to.tensor, 0, &o->tensor, 0, &box));
  }
  *o = to;
  return TFC_OK;
}

/* ---- Which label is where */

typedef struct plan {
  bool in_output[N_LABELS];
  int16_t output[MOST_LABELS + TFC_MAX_RANK]; /* labels of the result; some may occur twice */
  int n_output;
} plan;

/* Labels of the result, with the dimensions that an ellipsis stands for. */
static int plan_output(tfc_context* ctx, const equation* e, plan* p) {
  int covered = 0;
  for (int i = 0; i < e->n_inputs; i++)
    if (e->inputs[i].ellipsis)
      covered = TFC_MAX(covered, ctx->inputs[i]->rank - (e->inputs[i].n - e->inputs[i].ellipsis));
  if (covered && !e->output.ellipsis)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Output contains %d broadcasting dimension(s) but no ellipsis (...) was found "
                     "in the output subscripts.",
                     covered);
  for (int i = 0; i < e->output.n; i++) {
    const int label = e->output.labels[i];
    if (label == ELLIPSIS)
      for (int k = covered; k > 0; k--) p->output[p->n_output++] = (int16_t)(ELLIPSIS + k - 1);
    else
      p->output[p->n_output++] = (int16_t)label;
  }
  for (int i = 0; i < p->n_output; i++) p->in_output[p->output[i]] = true;
  if (p->n_output <= TFC_MAX_RANK) return TFC_OK;
  return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                   p->n_output, TFC_MAX_RANK);
}

static void drop_dimension(operand* o, int i) {
  o->n--;
  for (int k = i; k < o->n; k++) {
    o->labels[k] = o->labels[k + 1];
    o->sizes[k] = o->sizes[k + 1];
    o->strides[k] = o->strides[k + 1];
  }
}

/* Sizes of common labels are equal; a dimension of an ellipsis that is 1 in one operand only is
 * left out there. */
static int match_sizes(tfc_context* ctx, operand* a, operand* b) {
  for (int i = a->n - 1; i >= 0; i--) {
    const int label = a->labels[i], k = find_label(b, label);
    if (k < 0 || a->sizes[i] == b->sizes[k]) continue;
    if (label >= ELLIPSIS && a->sizes[i] == 1) {
      drop_dimension(a, i);
    } else if (label >= ELLIPSIS && b->sizes[k] == 1) {
      drop_dimension(b, k);
    } else if (label >= ELLIPSIS) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
                       tfc_shape_text(&a->tensor).text, tfc_shape_text(&b->tensor).text);
    } else {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected dimension %lld at axis %d of the input shaped %s but got "
                       "dimension %lld",
                       (long long)a->sizes[i], k, tfc_shape_text(&b->tensor).text,
                       (long long)b->sizes[k]);
    }
  }
  return TFC_OK;
}

/* ---- Products */

typedef struct group {
  int n;
  int16_t labels[2 * TFC_MAX_RANK];
  int64_t size; /* of all its labels */
} group;

static void add_label(group* g, const operand* o, int label) {
  g->labels[g->n++] = (int16_t)label;
  g->size *= o->sizes[find_label(o, label)];
}

static int join_labels(const group* first, const group* second, const group* third,
                       int16_t* labels) {
  int n = 0;
  const group* const groups[] = {first, second, third};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < groups[k]->n; i++) labels[n++] = groups[k]->labels[i];
  return n;
}

/* Whether the operand lies in memory in this order, so that arranging it is no copy. */
static bool lies_in(const operand* o, int n, const int16_t* labels) {
  int64_t step = 1;
  for (int i = n - 1; i >= 0; i--) {
    const int k = find_label(o, labels[i]);
    if (o->strides[k] != step && o->sizes[k] != 1) return false;
    step *= o->sizes[k];
  }
  return true;
}

/* The operand as matrices [batch, outer, inner], or [batch, inner, outer] if it lies so: then
 * *swapped. */
static int as_matrices(tfc_context* ctx, operand* o, const group* batch, const group* outer,
                       const group* inner, bool* swapped) {
  int16_t straight[3 * TFC_MAX_RANK], other[3 * TFC_MAX_RANK];
  const int n = join_labels(batch, outer, inner, straight);
  join_labels(batch, inner, outer, other);
  *swapped = !lies_in(o, n, straight) && lies_in(o, n, other);
  return arrange(ctx, o, n, *swapped ? other : straight);
}

/* Makes *result [batch, free labels of a, free labels of b]. */
static int multiply(tfc_context* ctx, operand* a, operand* b, const bool* kept, operand* result,
                    void* to) {
  group batch = {.size = 1}, inner = {.size = 1}, rows = {.size = 1}, columns = {.size = 1};
  for (int i = 0; i < a->n; i++) {
    const int label = a->labels[i];
    const bool both = find_label(b, label) >= 0;
    add_label(!both ? &rows : kept[label] ? &batch : &inner, a, label);
  }
  for (int i = 0; i < b->n; i++)
    if (find_label(a, b->labels[i]) < 0) add_label(&columns, b, b->labels[i]);
  bool a_swapped, b_swapped;
  TFC_TRY(as_matrices(ctx, a, &batch, &rows, &inner, &a_swapped));
  TFC_TRY(as_matrices(ctx, b, &batch, &columns, &inner, &b_swapped));
  product p = {.dtype = a->tensor.dtype,
               .batch = batch.size,
               .n_a = batch.size,
               .n_b = batch.size,
               .m = rows.size,
               .n = columns.size,
               .k = inner.size,
               .a_rs = a_swapped ? 1 : inner.size,
               .a_cs = a_swapped ? rows.size : 1,
               .b_rs = b_swapped ? columns.size : 1,
               .b_cs = b_swapped ? 1 : inner.size,
               .a = a->tensor.data,
               .b = b->tensor.data,
               .c = to};
  *result = (operand){.tensor = {.dtype = p.dtype, .rank = 1}};
  int16_t labels[3 * TFC_MAX_RANK];
  const int n = join_labels(&batch, &rows, &columns, labels);
  if (n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)", n,
                     TFC_MAX_RANK);
  for (int i = 0; i < n; i++) {
    const int in_a = find_label(a, labels[i]);
    result->labels[i] = labels[i];
    result->sizes[i] = in_a >= 0 ? a->sizes[in_a] : b->sizes[find_label(b, labels[i])];
  }
  result->n = n;
  tfc_strides(n, result->sizes, result->strides);
  result->tensor.n = tfc_count(n, result->sizes);
  if (result->tensor.n < 0 || result->tensor.n > INT64_MAX / 16)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the product has too many elements: %s",
                     tfc_dims_text(n, result->sizes).text);
  result->tensor.dims[0] = result->tensor.n;
  if (!p.c) p.c = tfc_scratch(ctx, (size_t)result->tensor.n * tfc_dtype_size(p.dtype));
  if (!p.c && result->tensor.n) return TFC_RESOURCE_EXHAUSTED;
  result->tensor.data = p.c;
  return matmul_multiply(ctx, &p);
}

/* Sums over the labels that are neither in the result nor in the other operand. */
static int sum_out(tfc_context* ctx, operand* o, const operand* other, const bool* in_output) {
  operand ones = {.tensor = {.dtype = o->tensor.dtype, .n = 1, .rank = 1}};
  for (int i = 0; i < o->n; i++) {
    const int label = o->labels[i];
    if (in_output[label] || (other && find_label(other, label) >= 0)) continue;
    if (!o->tensor.n && o->sizes[i] > 1) o->sizes[i] = 1; /* a sum of nothing, however long */
    ones.labels[ones.n] = (int16_t)label;
    ones.sizes[ones.n++] = o->sizes[i];
    ones.tensor.n *= o->sizes[i];
  }
  if (!ones.n) return TFC_OK;
  tfc_strides(ones.n, ones.sizes, ones.strides);
  ones.tensor.data = tfc_scratch_items(ctx, ones.tensor.n + 1, tfc_dtype_size(o->tensor.dtype));
  if (!ones.tensor.data) return TFC_RESOURCE_EXHAUSTED;
  ones.tensor.dims[0] = ones.tensor.n;
  uint8_t one[16] = {0};
  tfc_from_double(one, o->tensor.dtype, 1);
  TFC_TRY(tfc_fill_value(ctx, &ones.tensor, one));
  static const bool none[N_LABELS];
  operand whole = *o, sum;
  TFC_TRY(multiply(ctx, &whole, &ones, none, &sum, NULL));
  *o = sum;
  return TFC_OK;
}

/* ---- The result */

/* Copies `from`, whose labels are those of the result, to output 0. */
static int copy_result(tfc_context* ctx, const plan* p, const operand* from) {
  tfc_tensor* out = &ctx->outputs[0];
  int64_t strides[TFC_MAX_RANK];
  tfc_box box = {.rank = from->n};
  tfc_strides(out->rank, out->dims, strides);
  for (int i = 0; i < from->n; i++) {
    box.dims[i] = from->sizes[i];
    box.from[i] = from->strides[i];
    for (int k = 0; k < p->n_output; k++)
      if (p->output[k] == from->labels[i]) box.to[i] += strides[k];
  }
  if (from->n < p->n_output) TFC_TRY(tfc_fill_zero(ctx, out)); /* values go to a diagonal */
  return out->n ? tfc_copy_box(ctx, out, 0, &from->tensor, 0, &box) : TFC_OK;
}

static int64_t size_of(const operand* operands, int n, int label) {
  for (int i = 0; i < n; i++) {
    const int k = find_label(&operands[i], label);
    if (k >= 0) return operands[i].sizes[k];
  }
  return 1; /* a dimension of an ellipsis of one element */
}

static int make_output(tfc_context* ctx, const plan* p, const operand* operands, int n) {
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0; i < p->n_output; i++) dims[i] = size_of(operands, n, p->output[i]);
  return tfc_output(ctx, 0, p->n_output, dims);
}

/* Whether the product of a and b makes the labels in the order of the result. */
static bool makes_output(const plan* p, const operand* a, const operand* b) {
  int at = 0;
  for (int pass = 0; pass < 3; pass++) {
    const operand* o = pass < 2 ? a : b;
    for (int i = 0; i < o->n; i++) {
      const int label = o->labels[i];
      const bool both = find_label(pass < 2 ? b : a, label) >= 0;
      if (!p->in_output[label] || (pass == 0) != both) continue;
      if (at == p->n_output || p->output[at++] != label) return false;
    }
  }
  return at == p->n_output;
}

static int compute_two(tfc_context* ctx, const plan* p, operand* operands) {
  operand *a = &operands[0], *b = &operands[1], result;
  TFC_TRY(match_sizes(ctx, a, b));
  TFC_TRY(sum_out(ctx, a, b, p->in_output));
  TFC_TRY(sum_out(ctx, b, a, p->in_output));
  TFC_TRY(make_output(ctx, p, operands, 2));
  if (makes_output(p, a, b))
    return multiply(ctx, a, b, p->in_output, &result, ctx->outputs[0].data);
  if (makes_output(p, b, a))
    return multiply(ctx, b, a, p->in_output, &result, ctx->outputs[0].data);
  TFC_TRY(multiply(ctx, a, b, p->in_output, &result, NULL));
  return copy_result(ctx, p, &result);
}

static int compute_Einsum(tfc_context* ctx) {
  const equation* e = ctx->state;
  operand operands[2];
  plan p = {0};
  for (int i = 0; i < e->n_inputs; i++) TFC_TRY(take_input(ctx, i, &e->inputs[i], &operands[i]));
  TFC_TRY(plan_output(ctx, e, &p));
  if (e->n_inputs > 1) return compute_two(ctx, &p, operands);
  TFC_TRY(sum_out(ctx, &operands[0], NULL, p.in_output));
  TFC_TRY(make_output(ctx, &p, operands, 1));
  return copy_result(ctx, &p, &operands[0]);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Einsum", "T=" TFC_TYPES_NUMBERS, compute_Einsum, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
