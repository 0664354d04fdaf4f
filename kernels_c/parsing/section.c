/* Sections: their description from attributes, and features of examples to tensors. */
#include "kernels_c/parsing/section.h"

TFC_ONE_LEVEL;

/* ---- From attributes */

static int list_length(tfc_construction* c, const char* types, int* n) {
  *n = 0;
  return types ? c->api->attr_types(c, types, 0, NULL, n) : TFC_OK;
}

/* Some lengths stand twice among the attributes. */
static int check_length(tfc_construction* c, const char* name, int n) {
  int64_t length = n;
  if (name) TFC_TRY(c->api->attr_int(c, name, &length));
  if (length == n) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s is %lld, but there are types of %d", name,
                       (long long)length, n);
}

/* Types of `n` fields, into members `offset` bytes from the beginning of each. */
static int read_types(tfc_construction* c, const char* name, int n, field* fields, size_t offset) {
  if (!name) return TFC_OK;
  int32_t* types = tfc_new_state(c, ((size_t)n + 1) * sizeof *types);
  if (!types) return TFC_RESOURCE_EXHAUSTED;
  int found = 0;
  int code = c->api->attr_types(c, name, n, types, &found);
  if (!code && found != n)
    code = c->api->error(c, TFC_INVALID_ARGUMENT, "%s has %d types, expected %d", name, found, n);
  for (int i = 0; !code && i < n; i++) memcpy((char*)&fields[i] + offset, &types[i], 4);
  free(types);
  return code;
}

static int read_keys(tfc_construction* c, const char* name, int n, tfc_string* keys) {
  for (int i = 0; i < n; i++) {
    const char* data;
    int length = 0;
    TFC_TRY(c->api->attr_strings(c, name, i, &data, &keys[i].size, &length));
    if (length != n)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "%s has %d keys, expected %d", name, length, n);
    keys[i].data = malloc(keys[i].size + 1);
    if (!keys[i].data) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    if (keys[i].size) memcpy(keys[i].data, data, keys[i].size);
  }
  return TFC_OK;
}

/* Only the first size may be unknown, and only of features. */
static int read_dense(tfc_construction* c, const section* s, const char* shapes, int i,
                      field* dense) {
  int length = 0;
  TFC_TRY(c->api->attr_shapes(c, shapes, i, &dense->rank, dense->dims, &length));
  if (length != s->n_dense)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "%s has %d shapes, expected %d", shapes, length,
                         s->n_dense);
  const bool padded = !s->lists && dense->rank > 0 && dense->dims[0] < 0;
  dense->kind = padded ? FIELD_PADDED : FIELD_FIXED;
  dense->stride =
      dense->rank < 0 ? -1 : tfc_count(dense->rank - padded, dense->dims + (padded ? 1 : 0));
  if (dense->stride < 0 || dense->rank > TFC_MAX_RANK - 2)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "%s[%d] has unknown rank or unknown inner dimensions: %s", shapes, i,
                         tfc_partial_dims_text(dense->rank, dense->dims).text);
  return TFC_OK;
}

int section_create(tfc_construction* c, section* s, const section_attrs* attrs) {
  TFC_TRY(list_length(c, attrs->sparse_types, &s->n_sparse));
  TFC_TRY(list_length(c, attrs->dense_types, &s->n_dense));
  TFC_TRY(list_length(c, attrs->ragged_types, &s->n_ragged));
  TFC_TRY(check_length(c, attrs->sparse_count, s->n_sparse));
  TFC_TRY(check_length(c, attrs->dense_count, s->n_dense));
  s->n = s->n_sparse + s->n_dense + s->n_ragged;
  s->fields = tfc_new_state(c, ((size_t)s->n + 1) * sizeof *s->fields);
  if (!s->fields) return TFC_RESOURCE_EXHAUSTED;
  field *dense = s->fields + s->n_sparse, *ragged = dense + s->n_dense;
  const size_t type = offsetof(field, type), splits = offsetof(field, splits_type);
  TFC_TRY(read_types(c, attrs->sparse_types, s->n_sparse, s->fields, type));
  TFC_TRY(read_types(c, attrs->dense_types, s->n_dense, dense, type));
  TFC_TRY(read_types(c, attrs->ragged_types, s->n_ragged, ragged, type));
  TFC_TRY(read_types(c, attrs->split_types, s->n_ragged, ragged, splits));
  for (int i = 0; i < s->n_dense; i++) TFC_TRY(read_dense(c, s, attrs->dense_shapes, i, dense + i));
  for (int i = 0; i < s->n_ragged; i++) ragged[i].kind = FIELD_RAGGED;
  if (!attrs->sparse_keys) return TFC_OK;
  s->keys = tfc_new_state(c, ((size_t)s->n + 1) * sizeof *s->keys);
  if (!s->keys) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(read_keys(c, attrs->sparse_keys, s->n_sparse, s->keys));
  return read_keys(c, attrs->dense_keys, s->n_dense, s->keys + s->n_sparse);
}

void section_destroy(section* s) {
  for (int i = 0; s->keys && i < s->n; i++) free(s->keys[i].data);
  free(s->keys);
  free(s->fields);
}

/* ---- Failures */

bool job_fail(job* j, int64_t example, int code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  failure_setv(&j->failure, example, code, "", format, args);
  va_end(args);
  return false;
}

typedef struct short_text {
  char text[512];
} short_text;

static short_text text_of(const tfc_string* s) {
  short_text t;
  snprintf(t.text, sizeof t.text, "%.*s", (int)TFC_MIN(s->size, sizeof t.text - 1),
           s->data ? s->data : "");
  return t;
}

static short_text example_name(const job* j, int64_t example) {
  return j->names ? text_of(&j->names[example]) : (short_text){"<unknown>"};
}

bool job_fail_field(job* j, const part* p, int64_t example, int field, const char* format, ...) {
  char prefix[1200];
  const short_text name = example_name(j, example), key = text_of(p->keys[field]);
  if (p->s->lists)
    snprintf(prefix, sizeof prefix, "Name: %s, Feature list: %s, Index: ", name.text, key.text);
  else if (j->n_parts == 2)
    snprintf(prefix, sizeof prefix, "Name: %s, Context feature: %s.  Example %lld: ", name.text,
             key.text, (long long)example);
  else if (j->single)
    snprintf(prefix, sizeof prefix, "Key: %s.  ", key.text);
  else
    snprintf(prefix, sizeof prefix, "Name: %s, Key: %s, Index: %lld.  ", name.text, key.text,
             (long long)example);
  va_list args;
  va_start(args, format);
  failure_setv(&j->failure, example, TFC_INVALID_ARGUMENT, prefix, format, args);
  va_end(args);
  return false;
}

static bool fail_missing(job* j, const part* p, int64_t example, int field) {
  const short_text name = example_name(j, example), key = text_of(p->keys[field]);
  const char* type = tfc_dtype_name(p->s->fields[field].type);
  if (p->s->lists)
    return job_fail(j, example, TFC_INVALID_ARGUMENT,
                    "Name: %s, Feature list '%s' is required but could not be found.  Did you mean "
                    "to include it in feature_list_dense_missing_assumed_empty or "
                    "feature_list_dense_defaults?",
                    name.text, key.text);
  if (j->single)
    return job_fail(j, example, TFC_INVALID_ARGUMENT,
                    "Feature: %s (data type: %s) is required but could not be found.", key.text,
                    type);
  return job_fail(j, example, TFC_INVALID_ARGUMENT,
                  "Name: %s, Feature: %s (data type: %s) is required but could not be found.",
                  name.text, key.text, type);
}

static bool fail_read(job* j, const part* p, int64_t example, int field, int64_t code) {
  if (code == FEATURE_NO_MEMORY)
    return job_fail(j, example, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  return job_fail_field(j, p, example, field, "Can't parse serialized Example.");
}

/* ---- The first pass */

static bool store_default(job* j, const part* p, int64_t example, int i) {
  const field* f = &p->s->fields[i];
  const tfc_tensor* value = p->defaults[i - p->s->n_sparse];
  tfc_tensor* to = &j->ctx->outputs[section_values(p->s, i)];
  if (f->stride > 0 && value->n == 0) return fail_missing(j, p, example, i);
  const int64_t at = example * f->stride;
  if (f->type != TFC_STRING) {
    const size_t size = tfc_dtype_size(f->type);
    if (f->stride)
      memcpy((char*)to->data + (size_t)at * size, value->data, (size_t)f->stride * size);
    return true;
  }
  const tfc_string* s = value->data;
  for (int64_t k = 0; k < f->stride; k++)
    if (tfc_string_set(j->ctx, to, at + k, s[k].data, s[k].size))
      return fail_read(j, p, example, i, FEATURE_NO_MEMORY);
  return true;
}

static bool store_fixed(job* j, const part* p, int64_t example, int i, const found* value) {
  const field* f = &p->s->fields[i];
  tfc_tensor* to = &j->ctx->outputs[section_values(p->s, i)];
  const int64_t n = feature_read(j->ctx, f->type, value->value, to, example * f->stride, f->stride);
  if (n < 0) return fail_read(j, p, example, i, n);
  if (n != f->stride)
    return job_fail_field(
        j, p, example, i,
        "Number of %s values != expected.  Values size: %lld but output shape: %s",
        values_name(f->type), (long long)n, tfc_dims_text(f->rank, f->dims).text);
  return true;
}

static bool count_values(job* j, const part* p, int64_t example, int i, found* value) {
  const field* f = &p->s->fields[i];
  value->count = feature_read(j->ctx, f->type, value->value, NULL, 0, 0);
  if (value->count < 0) return fail_read(j, p, example, i, value->count);
  if (f->kind == FIELD_PADDED && (f->stride ? value->count % f->stride : value->count) != 0)
    return job_fail_field(j, p, example, i,
                          "Number of %s values is not a multiple of stride length. Saw %lld values "
                          "but output shape is: %s",
                          values_name(f->type), (long long)value->count,
                          tfc_partial_dims_text(f->rank, f->dims).text);
  return true;
}

static bool find_feature(job* j, const part* p, int64_t example, int i, found* value) {
  const field* f = &p->s->fields[i];
  const int32_t type = value->present ? feature_open(value->value, &value->value) : 0;
  if (type < 0) return fail_read(j, p, example, i, type);
  if (type == 0) {
    value->value = (wire_reader){0};
    return f->kind == FIELD_FIXED ? store_default(j, p, example, i) : true;
  }
  if (type != f->type) {
    const char *found = tfc_dtype_name(type), *expected = tfc_dtype_name(f->type);
    if (f->kind == FIELD_FIXED || f->kind == FIELD_PADDED)
      return job_fail_field(j, p, example, i,
                            "Data types don't match. Data type: %s but expected type: %s", found,
                            expected);
    return job_fail_field(j, p, example, i,
                          "Data types don't match. Expected type: %s, Actual type: %s", expected,
                          found);
  }
  return f->kind == FIELD_FIXED ? store_fixed(j, p, example, i, value)
                                : count_values(j, p, example, i, value);
}

/* Notes the last value of each key that is asked for. In a batch, a feature without a value hides
 * an earlier one of a sparse field only, as in TensorFlow. */
static bool find_keys(const job* j, const part* p, wire_reader map, found* row) {
  wire_field entry;
  wire_reader key, value;
  int code, previous = -1;
  for (;;) {
    if (!wire_short(&map, 1 << 3 | WIRE_BYTES, &entry.bytes)) {
      if ((code = wire_next(&map, &entry)) <= 0) return code == 0;
      if (entry.number != 1) continue;
      if (entry.type != WIRE_BYTES) return false;
    }
    if (!map_entry(entry.bytes, &key, &value)) return false;
    const int i = key_find_after(&p->index, previous, key);
    if (i < 0) continue;
    previous = i;
    const bool hides = j->n_parts == 2 || (!j->single && p->s->fields[i].kind == FIELD_SPARSE);
    if (value.at == value.end && !hides) continue;
    row[i].present = true;
    row[i].value = value;
  }
}

/* A part's section is field 1 or 2 of the message, by its number. */
static bool find_sections(job* j, int64_t example) {
  const tfc_string* s = &j->serialized[example];
  wire_reader message = wire_of(s->data, s->size);
  wire_field f;
  int code;
  while ((code = wire_next(&message, &f)) > 0) {
    if (f.type != WIRE_BYTES || f.number > j->n_parts) continue;
    part* p = &j->parts[f.number - 1];
    if (!find_keys(j, p, f.bytes, p->found + example * p->s->n)) break;
  }
  if (code == 0) return true;
  text_buffer text = {0};
  const char* more = s->size > 200 ? "..." : "";
  text_add_escaped(&text, s->data ? s->data : "", TFC_MIN(s->size, 200));
  if (j->n_parts == 2)
    job_fail(j, example, TFC_INVALID_ARGUMENT,
             "Invalid protocol message input, example id: %s, index: %lld, value: '%s%s'",
             example_name(j, example).text, (long long)example, text_c(&text), more);
  else
    job_fail(j, example, TFC_INVALID_ARGUMENT,
             "Could not parse example input, value: '%s%s', name: %s, index: %lld", text_c(&text),
             more, example_name(j, example).text, (long long)example);
  text_free(&text);
  return false;
}

static bool find_example(job* j, int64_t example) {
  for (int k = 0; k < j->n_parts; k++) {
    const part* p = &j->parts[k];
    memset(p->found + example * p->s->n, 0, (size_t)p->s->n * sizeof(found));
  }
  if (!find_sections(j, example)) return false;
  for (int k = 0; k < j->n_parts; k++) {
    part* p = &j->parts[k];
    found* row = p->found + example * p->s->n;
    for (int i = 0; i < p->s->n; i++) {
      if (!p->s->lists) {
        if (!find_feature(j, p, example, i, &row[i])) return false;
        continue;
      }
      const bool dense = p->s->fields[i].kind == FIELD_FIXED;
      if (dense && !row[i].present && !p->may_lack[i - p->s->n_sparse])
        return fail_missing(j, p, example, i);
    }
    if (p->s->lists && !lists_find(j, p, example)) return false;
  }
  return true;
}

/* ---- Between the passes */

int section_splits(const job* j, int output, int64_t total) {
  if (output_of(j, output)->dtype == TFC_INT32 && total > INT32_MAX)
    return tfc_error(j->ctx, TFC_INVALID_ARGUMENT,
                     "%lld values are too many for row splits of type int32", (long long)total);
  return TFC_OK;
}

void section_set_split(const job* j, int output, int64_t i, int64_t value) {
  const tfc_tensor* t = output_of(j, output);
  if (t->dtype == TFC_INT32)
    ((int32_t*)t->data)[i] = (int32_t)value;
  else
    ((int64_t*)t->data)[i] = value;
}

int section_sparse(const job* j, const part* p, int i, int64_t total, int rank,
                   const int64_t* shape) {
  const section* s = p->s;
  const int output = s->output + i;
  TFC_TRY(tfc_output(j->ctx, output, 2, (int64_t[]){total, rank}));
  TFC_TRY(tfc_output(j->ctx, output + s->n_sparse, 1, &total));
  TFC_TRY(tfc_output(j->ctx, output + 2 * s->n_sparse, 1, (int64_t[]){rank}));
  memcpy(output_of(j, output + 2 * s->n_sparse)->data, shape, (size_t)rank * sizeof *shape);
  return TFC_OK;
}

static int make_dense(const job* j, const part* p, int i, int64_t rows) {
  const field* f = &p->s->fields[i];
  int64_t dims[TFC_MAX_RANK] = {j->n};
  const int first = j->single ? 0 : 1;
  memcpy(dims + first, f->dims, (size_t)f->rank * sizeof *dims);
  if (f->kind == FIELD_PADDED) dims[first] = rows;
  return tfc_output(j->ctx, section_values(p->s, i), first + f->rank, dims);
}

static int make_ragged(const job* j, const part* p, int i, int64_t total) {
  const section* s = p->s;
  const int output = section_values(s, i), splits = output + s->n_ragged;
  TFC_TRY(tfc_output(j->ctx, output, 1, &total));
  TFC_TRY(tfc_output(j->ctx, splits, 1, (int64_t[]){j->single ? 0 : j->n + 1}));
  if (j->single) return TFC_OK;
  TFC_TRY(section_splits(j, splits, total));
  for (int64_t e = 0; e < j->n; e++) section_set_split(j, splits, e, p->found[e * s->n + i].at);
  section_set_split(j, splits, j->n, total);
  return TFC_OK;
}

/* Numbers the values of each field over all examples, and makes the outputs. */
static int make_outputs(const job* j, const part* p) {
  for (int i = 0; i < p->s->n; i++) {
    const field* f = &p->s->fields[i];
    int64_t total = 0, most = 0;
    if (f->kind == FIELD_FIXED) continue;
    for (int64_t e = 0; e < j->n; e++) {
      found* value = &p->found[e * p->s->n + i];
      value->at = total;
      total += value->count;
      most = TFC_MAX(most, value->count);
    }
    switch (f->kind) {
      case FIELD_SPARSE: {
        const int64_t shape[] = {j->n, most};
        TFC_TRY(section_sparse(j, p, i, total, j->single ? 1 : 2, shape + j->single));
        break;
      }
      case FIELD_RAGGED: TFC_TRY(make_ragged(j, p, i, total)); break;
      default: TFC_TRY(make_dense(j, p, i, f->stride ? most / f->stride : 0));
    }
  }
  return TFC_OK;
}

/* ---- The second pass */

static bool store_padding(job* j, const part* p, int64_t example, int i, int64_t at, int64_t n) {
  const field* f = &p->s->fields[i];
  const tfc_tensor* padding = p->defaults[i - p->s->n_sparse];
  tfc_tensor* to = &j->ctx->outputs[section_values(p->s, i)];
  for (int64_t k = at; k < at + n; k++) switch (f->type) {
      case TFC_FLOAT: ((float*)to->data)[k] = *(const float*)padding->data; break;
      case TFC_INT64: ((int64_t*)to->data)[k] = *(const int64_t*)padding->data; break;
      default: {
        const tfc_string* s = padding->data;
        if (tfc_string_set(j->ctx, to, k, s->data, s->size))
          return fail_read(j, p, example, i, FEATURE_NO_MEMORY);
      }
    }
  return true;
}

static void store_indices(const job* j, const part* p, int64_t example, int i, const found* value) {
  int64_t* to = output_of(j, p->s->output + i)->data;
  if (j->single) {
    for (int64_t k = 0; k < value->count; k++) to[k] = k;
    return;
  }
  to += 2 * value->at;
  for (int64_t k = 0; k < value->count; k++) {
    to[2 * k] = example;
    to[2 * k + 1] = k;
  }
}

static bool store_feature(job* j, const part* p, int64_t example, int i) {
  const section* s = p->s;
  const field* f = &s->fields[i];
  const found* value = &p->found[example * s->n + i];
  const int output = section_values(s, i);
  int64_t at = value->at, padding = 0;
  if (f->kind == FIELD_SPARSE) store_indices(j, p, example, i, value);
  if (f->kind == FIELD_PADDED) {
    const int64_t room = output_of(j, output)->n / j->n;
    at = example * room;
    padding = room - value->count;
  }
  if (value->count) {
    const int64_t n =
        feature_read(j->ctx, f->type, value->value, &j->ctx->outputs[output], at, value->count);
    if (n != value->count) return fail_read(j, p, example, i, n);
  }
  return padding ? store_padding(j, p, example, i, at + value->count, padding) : true;
}

static bool store_example(job* j, int64_t example) {
  for (int k = 0; k < j->n_parts; k++) {
    part* p = &j->parts[k];
    if (p->s->lists) {
      if (!lists_store(j, p, example)) return false;
      continue;
    }
    for (int i = 0; i < p->s->n; i++)
      if (p->s->fields[i].kind != FIELD_FIXED && !store_feature(j, p, example, i)) return false;
  }
  return true;
}

/* ---- A run */

typedef struct pass {
  job* j;
  bool (*example)(job*, int64_t);
} pass;

static void pass_range(void* arg, int64_t begin, int64_t end) {
  const pass* p = arg;
  for (int64_t e = begin; e < end; e++)
    if (failure_before(&p->j->failure, e) || !p->example(p->j, e)) return;
}

static int run_pass(job* j, bool (*example)(job*, int64_t)) {
  double bytes = 0;
  for (int64_t e = 0; e < j->n; e++) bytes += (double)j->serialized[e].size;
  pass p = {j, example};
  failure_begin(&j->failure);
  tfc_parallel_for(j->ctx, j->n, 100 + (j->n ? bytes / (double)j->n : 0), pass_range, &p);
  return failure_end(j->ctx, &j->failure);
}

static int check_defaults(const job* j, const part* p) {
  for (int d = 0; !p->s->lists && d < p->s->n_dense; d++) {
    const field* f = &p->s->fields[p->s->n_sparse + d];
    const tfc_tensor* value = p->defaults[d];
    if (f->kind == FIELD_PADDED && value->n != 1)
      return tfc_error(j->ctx, TFC_INVALID_ARGUMENT,
                       "dense_shape[%d] is a variable length shape: %s, therefore def_value[%d] "
                       "must contain a single element (the padding element).  But its shape is: %s",
                       d, tfc_partial_dims_text(f->rank, f->dims).text, d,
                       tfc_shape_text(value).text);
    const bool same = value->rank == f->rank &&
                      memcmp(value->dims, f->dims, (size_t)f->rank * sizeof *f->dims) == 0;
    if (f->kind == FIELD_FIXED && value->n > 0 && !same)
      return tfc_error(j->ctx, TFC_INVALID_ARGUMENT,
                       "def_value[%d].shape() == %s is not compatible with dense_shapes_[%d] == %s",
                       d, tfc_shape_text(value).text, d, tfc_dims_text(f->rank, f->dims).text);
  }
  return TFC_OK;
}

static int prepare_part(job* j, part* p) {
  TFC_TRY(check_defaults(j, p));
  TFC_TRY(key_index_make(j->ctx, &p->index, p->s->n, p->keys));
  size_t bytes;
  if (__builtin_mul_overflow((size_t)j->n * sizeof(found), (size_t)p->s->n + 1, &bytes))
    return tfc_error(j->ctx, TFC_RESOURCE_EXHAUSTED, "%lld examples are too many", (long long)j->n);
  p->found = tfc_scratch(j->ctx, bytes);
  if (!p->found) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; !p->s->lists && i < p->s->n; i++)
    if (p->s->fields[i].kind == FIELD_FIXED) TFC_TRY(make_dense(j, p, i, 0));
  return TFC_OK;
}

int job_run(job* j) {
  for (int k = 0; k < j->n_parts; k++) TFC_TRY(prepare_part(j, &j->parts[k]));
  TFC_TRY(run_pass(j, find_example));
  for (int k = 0; k < j->n_parts; k++)
    TFC_TRY(j->parts[k].s->lists ? lists_outputs(j, &j->parts[k]) : make_outputs(j, &j->parts[k]));
  return run_pass(j, store_example);
}
