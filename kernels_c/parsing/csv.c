/* DecodeCSV: records of text to columns. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/number.h"
#include "kernels_c/common/text.h"
#include "kernels_c/parsing/failure.h"

TFC_ONE_LEVEL;

typedef struct csv_state {
  char delim;
  bool quotes;
  char* na; /* besides "" what says that a value is missing */
  size_t na_size;
  int n; /* columns */
  int64_t*
      select; /* their places in a record, ascending; NULL: the first n, and there are no others */
} csv_state;

static void destroy(void* state) {
  csv_state* s = state;
  if (!s) return;
  free(s->na);
  free(s->select);
  free(s);
}

static int refuse(tfc_construction* c, const char* text) {
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s", text);
}

static int read_select(tfc_construction* c, csv_state* s) {
  int n = 0;
  TFC_TRY(c->api->attr_ints(c, "select_cols", 0, NULL, &n));
  if (n == 0) return TFC_OK;
  if (n != s->n) return refuse(c, "select_cols should match output size");
  s->select = tfc_new_state(c, (size_t)n * sizeof *s->select);
  if (!s->select) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(c->api->attr_ints(c, "select_cols", n, s->select, &n));
  if (s->select[0] < 0) return refuse(c, "select_cols should be non-negative indices");
  for (int i = 1; i < n; i++)
    if (s->select[i - 1] >= s->select[i])
      return refuse(c, "select_cols should be strictly increasing indices");
  return TFC_OK;
}

static int read_attrs(tfc_construction* c, csv_state* s) {
  const char* text;
  size_t size;
  s->n = c->n_outputs;
  TFC_TRY(c->api->attr_string(c, "field_delim", &text, &size));
  if (size != 1) return refuse(c, "field_delim should be only 1 char");
  s->delim = text[0];
  TFC_TRY(c->api->attr_bool(c, "use_quote_delim", &s->quotes));
  TFC_TRY(c->api->attr_string(c, "na_value", &text, &s->na_size));
  s->na = tfc_new_state(c, s->na_size + 1);
  if (!s->na) return TFC_RESOURCE_EXHAUSTED;
  if (s->na_size) memcpy(s->na, text, s->na_size);
  return read_select(c, s);
}

static int create(tfc_construction* c, void** state) {
  csv_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  const int code = read_attrs(c, s);
  if (code)
    destroy(s);
  else
    *state = s;
  return code;
}

/* ---- Fields */

typedef struct record {
  const char *at, *end; /* what is left of it */
  text_buffer quoted;   /* the last field that had doubled quotes */
} record;

/* The high bits of the bytes of a word that equal those of a pattern; at least of the lowest one.
 */
static inline uint64_t equal_bytes(uint64_t word, uint64_t pattern) {
  const uint64_t ones = 0x0101010101010101u, x = word ^ pattern;
  return (x - ones) & ~x & ones << 7;
}

/* The first delimiter, line end or, where they have a meaning, quote; or the end. */
static const char* find_special(const csv_state* s, const char* at, const char* end) {
  const uint64_t ones = 0x0101010101010101u, delim = ones * (uint8_t)s->delim;
  const uint64_t quote = ones * (uint8_t)(s->quotes ? '"' : s->delim);
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    const uint64_t found = equal_bytes(word, delim) | equal_bytes(word, quote) |
                           equal_bytes(word, ones * '\n') | equal_bytes(word, ones * '\r');
    if (found) return at + __builtin_ctzll(found) / 8;
  }
  while (at < end && *at != s->delim && !(s->quotes && *at == '"') && *at != '\n' && *at != '\r')
    at++;
  return at;
}

/* Takes a field that has no quotes. Returns NULL, or what is wrong with it. */
static const char* take_plain(const csv_state* s, record* r, const char** field, size_t* size) {
  const char* at = find_special(s, r->at, r->end);
  if (at < r->end && *at != s->delim) return "Unquoted fields cannot have quotes/CRLFs inside";
  *field = r->at;
  *size = (size_t)(at - r->at);
  r->at = at + (at < r->end);
  return NULL;
}

/* Takes a field whose first quote is behind r->at. */
static const char* take_quoted(const csv_state* s, record* r, const char** field, size_t* size) {
  const char *from = r->at, *at = from;
  bool doubled = false;
  r->quoted.size = 0;
  for (;; at++) {
    at = at < r->end ? memchr(at, '"', (size_t)(r->end - at)) : NULL;
    if (!at) return "Quoted field has to end with quote followed by delim or end";
    if (at + 1 == r->end || at[1] == s->delim) break;
    if (at[1] != '"') return "Quote inside a string has to be escaped by another quote";
    at++;
    text_append(&r->quoted, from, (size_t)(at - from));
    from = at + 1;
    doubled = true;
  }
  if (doubled) text_append(&r->quoted, from, (size_t)(at - from));
  *field = doubled ? text_c(&r->quoted) : from;
  *size = doubled ? r->quoted.size : (size_t)(at - from);
  r->at = at + 1 + (at + 1 < r->end);
  return NULL;
}

/* Whether there is another field. The line ends before it are skipped. */
static bool has_field(record* r) {
  while (r->at < r->end && (*r->at == '\n' || *r->at == '\r')) r->at++;
  return r->at < r->end;
}

static const char* take_field(const csv_state* s, record* r, const char** field, size_t* size) {
  if (!s->quotes || *r->at != '"') return take_plain(s, r, field, size);
  r->at++;
  return take_quoted(s, r, field, size);
}

/* ---- Values */

typedef struct csv_job {
  tfc_context* ctx;
  const csv_state* s;
  failure failure;
} csv_job;

static bool fail(csv_job* j, int64_t i, const char* text) {
  failure_set(&j->failure, i, TFC_INVALID_ARGUMENT, "%s, in record %lld", text, (long long)i);
  return false;
}

static bool fail_memory(csv_job* j, int64_t i) {
  failure_set(&j->failure, i, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  return false;
}

static bool store_text(csv_job* j, int64_t i, int column, const char* text, size_t size) {
  return tfc_string_set(j->ctx, &j->ctx->outputs[column], i, text, size) == TFC_OK ||
         fail_memory(j, i);
}

static bool store_default(csv_job* j, int64_t i, int column) {
  const tfc_tensor* value = j->ctx->inputs[1 + column];
  const tfc_tensor* to = &j->ctx->outputs[column];
  if (value->n == 0) {
    failure_set(&j->failure, i, TFC_INVALID_ARGUMENT,
                "Field %d is required but missing in record %lld!", column, (long long)i);
    return false;
  }
  if (to->dtype == TFC_STRING) {
    const tfc_string* s = value->data;
    return store_text(j, i, column, s->data, s->size);
  }
  const size_t size = tfc_dtype_size(to->dtype);
  memcpy((char*)to->data + (size_t)i * size, value->data, size);
  return true;
}

static bool store_number(csv_job* j, int64_t i, int column, const char* text, size_t size) {
  const tfc_tensor* to = &j->ctx->outputs[column];
  int64_t whole;
  bool valid;
  switch (to->dtype) {
    case TFC_FLOAT: valid = number_float(text, size, (float*)to->data + i); break;
    case TFC_DOUBLE: valid = number_double(text, size, (double*)to->data + i); break;
    case TFC_INT64: valid = number_int64(text, size, (int64_t*)to->data + i); break;
    default:
      valid = number_int64(text, size, &whole) && whole == (int32_t)whole;
      if (valid) ((int32_t*)to->data)[i] = (int32_t)whole;
  }
  if (valid) return true;
  failure_set(&j->failure, i, TFC_INVALID_ARGUMENT,
              "Field %d in record %lld is not a valid %s: %.*s", column, (long long)i,
              tfc_dtype_name(to->dtype), (int)TFC_MIN(size, 500), text);
  return false;
}

static bool store_field(csv_job* j, int64_t i, int column, const char* text, size_t size) {
  const csv_state* s = j->s;
  if (size == 0 || (size == s->na_size && memcmp(text, s->na, size) == 0))
    return store_default(j, i, column);
  return j->ctx->outputs[column].dtype == TFC_STRING ? store_text(j, i, column, text, size)
                                                     : store_number(j, i, column, text, size);
}

/* Stores the columns of a record; *fields: how many fields that are asked for it has. */
static bool store_fields(csv_job* j, int64_t i, record* r, int64_t* fields) {
  const csv_state* s = j->s;
  const bool missing = r->at < r->end && r->end[-1] == s->delim; /* a last field without text */
  int column = 0;
  for (int64_t place = 0;; place++) {
    const char* field = NULL;
    size_t size = 0;
    const bool last = !has_field(r);
    if (last && !missing) break;
    const char* wrong = last ? NULL : take_field(s, r, &field, &size);
    if (wrong) return fail(j, i, wrong);
    if (r->quoted.failed) return fail_memory(j, i);
    if (!s->select || s->select[column] == place) {
      if (column < s->n && !store_field(j, i, column, field, size)) return false;
      column++;
    }
    if (last || (s->select && column == s->n)) break;
  }
  *fields = column;
  return true;
}

static void decode_range(void* arg, int64_t begin, int64_t end) {
  csv_job* j = arg;
  const tfc_string* records = j->ctx->inputs[0]->data;
  record r = {0};
  for (int64_t i = begin; i < end && !failure_before(&j->failure, i); i++) {
    int64_t fields;
    r.at = records[i].data;
    r.end = r.at + records[i].size;
    if (!store_fields(j, i, &r, &fields)) break;
    if (fields == j->s->n) continue;
    failure_set(&j->failure, i, TFC_INVALID_ARGUMENT,
                "Expect %d fields but have %lld in record %lld", j->s->n, (long long)fields,
                (long long)i);
    break;
  }
  text_free(&r.quoted);
}

static int decode_csv(tfc_context* ctx) {
  const tfc_tensor* records = ctx->inputs[0];
  csv_job j = {.ctx = ctx, .s = ctx->state};
  double bytes = 0;
  for (int i = 0; i < j.s->n; i++) {
    if (ctx->inputs[1 + i]->n > 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "There should only be 1 default per field but field %d has %lld", i,
                       (long long)ctx->inputs[1 + i]->n);
    TFC_TRY(tfc_output_like(ctx, i, records));
  }
  for (int64_t i = 0; i < records->n; i++)
    bytes += (double)((const tfc_string*)records->data)[i].size;
  failure_begin(&j.failure);
  tfc_parallel_for(ctx, records->n, 20 + (records->n ? bytes / (double)records->n : 0),
                   decode_range, &j);
  return failure_end(ctx, &j.failure);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DecodeCSV", "", decode_csv, .create = create, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
