/* ScalarSummary, HistogramSummary, TensorSummary, TensorSummaryV2, MergeSummary: values for
 * TensorBoard. */
#include "kernels_c/summary/summary.h"

#include <float.h>
#include <math.h>

#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* ---- ScalarSummary */

static int scalar_summary(tfc_context* ctx) {
  const tfc_tensor *tags = ctx->inputs[0], *values = ctx->inputs[1];
  if (!tfc_same_shape(tags, values)) {
    const tfc_string* tag = summary_strings(tags);
    const bool one = tags->n == 1;
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "tags and values are not the same shape: %s != %s%s%.*s%s",
                     tfc_shape_text(tags).text, tfc_shape_text(values).text, one ? " (tag '" : "",
                     one ? (int)tag->size : 0, one ? summary_bytes(tag) : "", one ? "')" : "");
  }
  text_buffer summary = {0};
  for (int64_t i = 0; i < values->n; i++) {
    text_buffer value = {0};
    const float x = (float)tfc_to_double(values, i);
    summary_add_string(&value, VALUE_TAG, summary_strings(tags) + i);
    summary_add_float(&value, VALUE_SIMPLE, x);
    summary_add_message(&summary, SUMMARY_VALUE, &value);
  }
  return summary_finish(ctx, &summary);
}

/* ---- HistogramSummary
 *
 * TensorFlow's bins: their limits grow by a tenth from 1e-12 to 1e20 on both sides of 0. */

enum { BINS_A_SIDE = 775, BINS = 2 * BINS_A_SIDE + 1 };

typedef struct histogram {
  double limits[BINS]; /* bin i has the values below limits[i] that are in none before */
  double counts[BINS];
  double min, max, sum, sum_of_squares;
} histogram;

static void histogram_init(histogram* h) {
  double* middle = h->limits + BINS_A_SIDE;
  double limit = 1e-12;
  memset(h, 0, sizeof *h);
  for (int i = 1; i < BINS_A_SIDE; i++, limit *= 1.1) {
    middle[i] = limit;
    middle[-i] = -limit;
  }
  middle[BINS_A_SIDE] = h->min = DBL_MAX;
  middle[-BINS_A_SIDE] = h->max = -DBL_MAX;
}

static void histogram_add(histogram* h, double x) {
  int low = 0, high = BINS - 1; /* the bin is among these; the last one also takes DBL_MAX */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x < h->limits[middle])
      high = middle;
    else
      low = middle + 1;
  }
  h->counts[low]++;
  h->min = x < h->min ? x : h->min;
  h->max = x > h->max ? x : h->max;
  h->sum += x;
  h->sum_of_squares += x * x;
}

static void add_double(text_buffer* b, int field, double x) {
  if (x == 0 && !signbit(x)) return;
  wire_add_tag(b, field, WIRE_FIXED64);
  text_append(b, (const char*)&x, sizeof x);
}

/* HistogramProto{min = 1; max = 2; num = 3; sum = 4; sum_squares = 5; repeated bucket_limit = 6;
 * repeated bucket = 7}; each run of empty bins is one bucket. */
static void add_histogram(text_buffer* b, const histogram* h, int64_t n) {
  text_buffer limits = {0}, counts = {0};
  for (int i = 0; i < BINS; i++) {
    while (h->counts[i] == 0 && i + 1 < BINS && h->counts[i + 1] == 0) i++;
    text_append(&limits, (const char*)&h->limits[i], sizeof(double));
    text_append(&counts, (const char*)&h->counts[i], sizeof(double));
  }
  text_buffer message = {0};
  add_double(&message, 1, h->min);
  add_double(&message, 2, h->max);
  add_double(&message, 3, (double)n);
  add_double(&message, 4, h->sum);
  add_double(&message, 5, h->sum_of_squares);
  summary_add_message(&message, 6, &limits);
  summary_add_message(&message, 7, &counts);
  summary_add_message(b, VALUE_HISTOGRAM, &message);
}

static int histogram_summary(tfc_context* ctx) {
  const tfc_tensor *tag = ctx->inputs[0], *values = ctx->inputs[1];
  TFC_TRY(tfc_want_scalar(ctx, 0, "tags must be scalar, got shape"));
  histogram* h = tfc_scratch_items(ctx, 1, sizeof *h);
  if (!h) return TFC_RESOURCE_EXHAUSTED;
  histogram_init(h);
  for (int64_t i = 0; i < values->n; i++) {
    const double x = tfc_to_double(values, i);
    if (!isfinite(x)) {
      const tfc_string* name = summary_strings(tag);
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s for: %.*s",
                       isnan(x) ? "Nan in summary histogram" : "Infinity in Histogram",
                       (int)name->size, summary_bytes(name));
    }
    histogram_add(h, x);
  }
  text_buffer value = {0}, summary = {0};
  summary_add_string(&value, VALUE_TAG, summary_strings(tag));
  add_histogram(&value, h, values->n);
  summary_add_message(&summary, SUMMARY_VALUE, &value);
  return summary_finish(ctx, &summary);
}

/* ---- TensorSummary, TensorSummaryV2 */

/* TensorProto{dtype = 1; tensor_shape = 2; tensor_content = 4; repeated string_val = 8} */
static void add_tensor(text_buffer* b, const tfc_tensor* t) {
  text_buffer message = {0}, shape = {0};
  wire_add_int(&message, 1, t->dtype);
  for (int d = 0; d < t->rank; d++) {
    text_buffer size = {0};
    wire_add_int(&size, 1, t->dims[d]);
    summary_add_message(&shape, 2, &size);
  }
  summary_add_message(&message, 2, &shape);
  if (t->dtype == TFC_STRING)
    for (int64_t i = 0; i < t->n; i++) summary_add_string(&message, 8, summary_strings(t) + i);
  else if (t->n)
    wire_add_bytes(&message, 4, t->data, (size_t)t->n * tfc_dtype_size(t->dtype));
  summary_add_message(b, VALUE_TENSOR, &message);
}

static bool is_message(const tfc_string* s) {
  wire_reader reader = wire_of(s->data, s->size);
  wire_field field;
  int code;
  while ((code = wire_next(&reader, &field)) > 0);
  return code == 0;
}

static int tensor_summary(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 0, "tag must be scalar, got shape"));
  TFC_TRY(tfc_want_scalar(ctx, 2, "serialized_summary_metadata must be scalar, got shape"));
  const tfc_string* metadata = summary_strings(ctx->inputs[2]);
  if (!is_message(metadata))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Could not parse serialized_summary_metadata");
  text_buffer value = {0}, summary = {0};
  summary_add_string(&value, VALUE_TAG, summary_strings(ctx->inputs[0]));
  add_tensor(&value, ctx->inputs[1]);
  summary_add_string(&value, VALUE_METADATA, metadata);
  summary_add_message(&summary, SUMMARY_VALUE, &value);
  return summary_finish(ctx, &summary);
}

static int name_create(tfc_construction* c, void** state) {
  *state = strdup(c->op_name);
  return *state ? TFC_OK : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

/* Without a tag: with the name of the operation. Its attributes are not written. */
static int nameless_summary(tfc_context* ctx) {
  const char* name = ctx->state;
  text_buffer value = {0}, summary = {0};
  wire_add_bytes(&value, VALUE_NODE, name, strlen(name));
  add_tensor(&value, ctx->inputs[0]);
  summary_add_message(&summary, SUMMARY_VALUE, &value);
  return summary_finish(ctx, &summary);
}

/* ---- MergeSummary */

typedef struct tag_list {
  wire_reader* tags;
  int64_t n, room;
} tag_list;

static bool tag_list_add(tag_list* list, wire_reader tag) {
  if (list->n == list->room) {
    const int64_t room = list->room ? 2 * list->room : 64;
    wire_reader* grown = realloc(list->tags, (size_t)room * sizeof *grown);
    if (!grown) return false;
    list->tags = grown;
    list->room = room;
  }
  list->tags[list->n++] = tag;
  return true;
}

static int compare_tags(const void* a, const void* b) {
  const size_t left = wire_left(a), right = wire_left(b);
  const int order =
      memcmp(((const wire_reader*)a)->at, ((const wire_reader*)b)->at, left < right ? left : right);
  return order ? order : left < right ? -1 : left > right;
}

/* Finds the tags of a summary. They must not be empty: such values may occur several times. */
static int list_tags(tfc_context* ctx, const tfc_string* summary, tag_list* list) {
  wire_reader reader = wire_of(summary->data, summary->size);
  wire_field field;
  int code = 0;
  while (code >= 0 && (code = wire_next(&reader, &field)) > 0) {
    if (field.number != SUMMARY_VALUE) continue;
    wire_reader value = field.bytes, tag = {0};
    wire_field part;
    if (field.type != WIRE_BYTES) code = -1;
    while (code > 0 && (code = wire_next(&value, &part)) > 0)
      if (part.number == VALUE_TAG && part.type == WIRE_BYTES) tag = part.bytes;
    if (code == 0 && tag.at != tag.end && !tag_list_add(list, tag))
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  }
  if (code < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Could not parse one of the summary inputs");
  return TFC_OK;
}

static int check_tags(tfc_context* ctx, tag_list* list) {
  if (list->n) qsort(list->tags, (size_t)list->n, sizeof *list->tags, compare_tags);
  for (int64_t i = 1; i < list->n; i++)
    if (compare_tags(&list->tags[i - 1], &list->tags[i]) == 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Duplicate tag %.*s found in summary inputs",
                       (int)wire_left(&list->tags[i]), (const char*)list->tags[i].at);
  return TFC_OK;
}

/* Messages one after the other are the message with all of their values. */
static int merge_summary(tfc_context* ctx) {
  text_buffer merged = {0};
  tag_list list = {0};
  int code = TFC_OK;
  for (int k = 0; k < ctx->n_inputs && !code; k++)
    for (int64_t i = 0; i < ctx->inputs[k]->n && !code; i++) {
      const tfc_string* summary = summary_strings(ctx->inputs[k]) + i;
      code = list_tags(ctx, summary, &list);
      text_append(&merged, summary_bytes(summary), summary->size);
    }
  if (!code) code = check_tags(ctx, &list);
  free(list.tags);
  if (!code) return summary_finish(ctx, &merged);
  text_free(&merged);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ScalarSummary", "T=" TFC_TYPES_REALS, scalar_summary),
    TFC_ROW("HistogramSummary", "T=" TFC_TYPES_REALS, histogram_summary),
    TFC_ROW("TensorSummary", "T=" TFC_TYPES_VALUES, nameless_summary, TFC_STATE(name_create)),
    TFC_ROW("TensorSummaryV2", "T=" TFC_TYPES_VALUES, tensor_summary),
    TFC_ROW("MergeSummary", "", merge_summary),
};
TFC_REGISTER_KERNELS(kernels);
