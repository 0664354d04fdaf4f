/* Checkpoints of the first format (V1): a table with a list of the tensors at the key "", and the
 * elements of each slice, as a TensorProto, at the slice's key. */
#include <stdlib.h>

#include "kernels_c/checkpoint/format/bundle.h"

TFC_ONE_LEVEL;

enum { MOST = INT32_MAX }; /* bytes of a message */

/* ---- Which field of a TensorProto has the elements of a type */

typedef enum {
  AS_FLOATS = 5,
  AS_DOUBLES = 6,
  AS_INTS = 7,
  AS_STRINGS = 8,
  AS_FLOAT_PAIRS = 9,
  AS_LONGS = 10,
  AS_BOOLS = 11,
  AS_DOUBLE_PAIRS = 12,
  AS_HALVES = 13,
  AS_UINTS = 16,
  AS_ULONGS = 17,
  UNKNOWN = 0
} values_field;

static values_field field_of(int32_t dtype) {
  switch (tfc_plain_type(dtype)) {
    case TFC_FLOAT: return AS_FLOATS;
    case TFC_DOUBLE: return AS_DOUBLES;
    case TFC_INT8:
    case TFC_UINT8:
    case TFC_INT16:
    case TFC_UINT16:
    case TFC_INT32: return AS_INTS;
    case TFC_INT64: return AS_LONGS;
    case TFC_BOOL: return AS_BOOLS;
    case TFC_COMPLEX64: return AS_FLOAT_PAIRS;
    case TFC_COMPLEX128: return AS_DOUBLE_PAIRS;
    case TFC_HALF:
    case TFC_BFLOAT16: return AS_HALVES;
    case TFC_UINT32: return AS_UINTS;
    case TFC_UINT64: return AS_ULONGS;
    case TFC_STRING: return AS_STRINGS;
    default: return UNKNOWN;
  }
}

/* The field has the bytes of the elements. */
static bool is_fixed(values_field field) {
  return field == AS_FLOATS || field == AS_DOUBLES || field == AS_FLOAT_PAIRS ||
         field == AS_DOUBLE_PAIRS;
}

/* ---- Reading */

static int malformed(const ckpt_table* t, ckpt_status* status) {
  return ckpt_fail(status, TFC_DATA_LOSS, "%s is damaged: malformed list of tensors", t->path);
}

/* Adds the tensor of a SavedSliceMeta, or its slices to those in other tables. */
static int add_tensor(ckpt_reader* r, wire_reader message, int32_t table, ckpt_status* status) {
  const ckpt_table* t = &r->tables[table];
  ckpt_entry e = {0};
  wire_field f;
  int more;
  bool ok = true;
  while (ok && (more = wire_next(&message, &f)) > 0) {
    if (f.number == 3) {
      ok = f.type == WIRE_VARINT && f.value <= INT32_MAX;
      e.dtype = (int32_t)f.value;
      continue;
    }
    if (f.number > 4) continue;
    ok = f.type == WIRE_BYTES;
    if (!ok) continue;
    if (f.number == 1) {
      free(e.key);
      e.key_size = wire_left(&f.bytes);
      e.key = strndup((const char*)f.bytes.at, e.key_size);
      ok = e.key && strlen(e.key) == e.key_size;
    } else if (f.number == 2) {
      ok = ckpt_read_shape(f.bytes, &e.rank, e.dims);
    } else {
      ckpt_slice* grown = realloc(e.slices, (size_t)(e.n_slices + 1) * sizeof *grown);
      ok = grown && ckpt_read_slice(f.bytes, &grown[e.n_slices]);
      if (grown) e.slices = grown;
      if (ok) e.slices[e.n_slices++].table = table;
    }
  }
  if (ok && more == 0 && e.key && e.n_slices) return ckpt_index_add(&r->index, e, status);
  free(e.key);
  free(e.slices);
  return malformed(t, status);
}

static int read_list(ckpt_reader* r, wire_reader message, int32_t table, ckpt_status* status) {
  wire_field f, part;
  int more;
  while ((more = wire_next(&message, &f)) > 0) {
    if (f.number != 1 || f.type != WIRE_BYTES) continue;
    while ((more = wire_next(&f.bytes, &part)) > 0)
      if (part.number == 1 && part.type == WIRE_BYTES)
        TFC_TRY(add_tensor(r, part.bytes, table, status));
    if (more < 0) break;
  }
  return more < 0 ? malformed(&r->tables[table], status) : TFC_OK;
}

int ckpt_v1_open_table(ckpt_reader* r, const char* path, ckpt_status* status) {
  ckpt_table* grown = realloc(r->tables, (size_t)(r->n_tables + 1) * sizeof *grown);
  if (!grown) return ckpt_out_of_memory(status);
  r->tables = grown;
  TFC_TRY(ckpt_table_open(&grown[r->n_tables], path, status));
  int32_t number = r->n_tables++;
  const ckpt_pair* list;
  TFC_TRY(ckpt_table_find(&r->tables[number], "", 0, &list, status));
  if (!list) return malformed(&r->tables[number], status);
  wire_reader message = wire_of(list->value, list->value_size);
  TFC_TRY(read_list(r, message, number, status));
  return ckpt_index_sort(&r->index, status);
}

/* Finds the TensorProto inside SavedTensorSlices{data = 2: SavedSlice{data = 3}}. */
static bool find_values(wire_reader message, wire_reader* values) {
  static const int path[] = {2, 3};
  for (int depth = 0; depth < 2; depth++) {
    wire_field f;
    bool found = false;
    int more;
    while ((more = wire_next(&message, &f)) > 0)
      if (f.number == path[depth] && f.type == WIRE_BYTES) {
        found = true;
        *values = f.bytes;
      }
    if (more < 0 || !found) return false;
    message = *values;
  }
  return true;
}

static void put_number(char* to, size_t size, uint64_t value) {
  memcpy(to, &value, size); /* little-endian: the lowest bytes */
}

typedef struct filling {
  int32_t dtype;
  values_field field;
  int64_t n, count; /* elements so far, and in all */
  char* to;
  int (*set_string)(void*, int64_t, const char*, size_t);
  void* arg;
  bool no_memory;
} filling;

static bool fill_numbers(filling* x, wire_reader bytes) {
  size_t size = tfc_dtype_size(x->dtype);
  while (bytes.at < bytes.end) {
    uint64_t value;
    if (x->n == x->count || !wire_varint(&bytes, &value)) return false;
    put_number(x->to + (size_t)x->n++ * size, size, x->field == AS_BOOLS ? value != 0 : value);
  }
  return true;
}

static bool fill_fixed(filling* x, wire_reader bytes) {
  size_t size = tfc_dtype_size(x->dtype), left = wire_left(&bytes);
  if (left % size || left / size > (size_t)(x->count - x->n)) return false;
  if (left) memcpy(x->to + (size_t)x->n * size, bytes.at, left);
  x->n += (int64_t)(left / size);
  return true;
}

static bool fill_string(filling* x, wire_reader bytes) {
  if (x->n == x->count) return false;
  x->no_memory = x->set_string(x->arg, x->n++, (const char*)bytes.at, wire_left(&bytes)) != 0;
  return !x->no_memory;
}

static bool fill(filling* x, const wire_field* f) {
  if (f->number != (int)x->field) return true;
  if (f->type == WIRE_BYTES) {
    if (x->field == AS_STRINGS) return fill_string(x, f->bytes);
    return is_fixed(x->field) ? fill_fixed(x, f->bytes) : fill_numbers(x, f->bytes);
  }
  /* Written by something that does not pack lists. Parts of complex numbers come one by one then.
   */
  size_t size = tfc_dtype_size(x->dtype);
  if (x->field == AS_STRINGS || x->field == AS_FLOAT_PAIRS || x->field == AS_DOUBLE_PAIRS ||
      x->n == x->count)
    return false;
  put_number(x->to + (size_t)x->n++ * size, size, x->field == AS_BOOLS ? f->value != 0 : f->value);
  return true;
}

int ckpt_v1_read(ckpt_reader* r, const ckpt_entry* e, const ckpt_slice* slice, int64_t count,
                 void* to, int (*set_string)(void*, int64_t, const char*, size_t), void* arg,
                 ckpt_status* status) {
  ckpt_table* t = &r->tables[slice->table];
  text_buffer key = {0};
  ckpt_add_slice_key(&key, e->key, e->key_size, slice);
  const ckpt_pair* pair = NULL;
  int code = key.failed ? ckpt_out_of_memory(status)
                        : ckpt_table_find(t, key.data, key.size, &pair, status);
  text_free(&key);
  if (code) return code;
  filling x = {e->dtype, field_of(e->dtype), 0, count, to, set_string, arg, false};
  wire_reader values = {0};
  bool ok = pair && find_values(wire_of(pair->value, pair->value_size), &values);
  wire_field f;
  int more = 0;
  while (ok && (more = wire_next(&values, &f)) > 0) ok = fill(&x, &f);
  if (x.no_memory) return ckpt_out_of_memory(status);
  if (ok && more == 0 && x.n == count) return TFC_OK;
  return ckpt_fail(status, TFC_DATA_LOSS,
                   "%s is damaged: tensor '%.*s': it has not the elements of its shape", t->path,
                   (int)TFC_MIN(e->key_size, 400), e->key);
}

/* ---- Writing */

static void add_message(text_buffer* b, int field, text_buffer* message) {
  wire_add_bytes(b, field, text_c(message), message->size);
  b->failed |= message->failed;
  text_free(message);
}

static uint64_t number_at(const tfc_tensor* t, int64_t i) {
  switch (tfc_plain_type(t->dtype)) {
    case TFC_INT8: return (uint64_t)((const int8_t*)t->data)[i];
    case TFC_INT16: return (uint64_t)((const int16_t*)t->data)[i];
    case TFC_INT32: return (uint64_t)((const int32_t*)t->data)[i];
    case TFC_INT64: return (uint64_t)((const int64_t*)t->data)[i];
    case TFC_BOOL: return ((const uint8_t*)t->data)[i] != 0;
    case TFC_UINT8: return ((const uint8_t*)t->data)[i];
    default: return ((const uint16_t*)t->data)[i]; /* uint16, half */
  }
}

static void add_values(text_buffer* b, const tfc_tensor* t) {
  values_field field = field_of(t->dtype);
  if (field == AS_STRINGS) {
    const tfc_string* strings = t->data;
    for (int64_t i = 0; i < t->n; i++) wire_add_bytes(b, field, strings[i].data, strings[i].size);
    return;
  }
  if (t->n == 0) return;
  if (is_fixed(field)) {
    wire_add_bytes(b, field, t->data, (size_t)t->n * tfc_dtype_size(t->dtype));
    return;
  }
  text_buffer numbers = {0};
  for (int64_t i = 0; i < t->n; i++) wire_add_varint(&numbers, number_at(t, i));
  add_message(b, field, &numbers);
}

typedef struct keyed {
  text_buffer key;
  const ckpt_v1_tensor* tensor;
} keyed;

static int by_key(const void* a, const void* b) {
  const keyed *x = a, *y = b;
  return ckpt_compare(x->key.data, x->key.size, y->key.data, y->key.size);
}

static bool same_tensor(const keyed* a, const keyed* b) {
  return !ckpt_compare(a->tensor->name, a->tensor->name_size, b->tensor->name,
                       b->tensor->name_size);
}

/* The list of tensors, ordered by name as the keys are. */
static void add_list(text_buffer* list, const keyed* keys, int64_t n) {
  text_buffer meta = {0}, versions = {0};
  for (int64_t i = 0; i < n;) {
    const ckpt_v1_tensor* t = keys[i].tensor;
    text_buffer tensor = {0};
    wire_add_bytes(&tensor, 1, t->name, t->name_size);
    ckpt_add_shape(&tensor, 2, t->slice.rank, t->dims);
    wire_add_int(&tensor, 3, t->value->dtype);
    int64_t first = i;
    for (; i < n && same_tensor(&keys[first], &keys[i]); i++)
      ckpt_add_slice(&tensor, 4, &keys[i].tensor->slice);
    add_message(&meta, 1, &tensor);
  }
  wire_add_int(&versions, 1, 1);
  add_message(&meta, 2, &versions);
  add_message(list, 1, &meta);
}

static int add_slice(ckpt_table_writer* w, const keyed* k, ckpt_status* status) {
  const ckpt_v1_tensor* t = k->tensor;
  text_buffer values = {0}, slice = {0}, all = {0};
  add_values(&values, t->value);
  wire_add_bytes(&slice, 1, t->name, t->name_size);
  ckpt_add_slice(&slice, 2, &t->slice);
  add_message(&slice, 3, &values);
  add_message(&all, 2, &slice);
  int code = all.failed ? ckpt_out_of_memory(status) : TFC_OK;
  if (!code && all.size > MOST)
    code = ckpt_fail(status, TFC_INVALID_ARGUMENT,
                     "Tensor slice is too large to serialize: tensor '%.*s' (%zu bytes)",
                     (int)TFC_MIN(t->name_size, 400), t->name, all.size);
  if (!code) code = ckpt_table_add(w, k->key.data, k->key.size, all.data, all.size, status);
  text_free(&all);
  return code;
}

static int write_table(ckpt_file* file, const keyed* keys, int64_t n, ckpt_status* status) {
  ckpt_table_writer w = {.file = file};
  text_buffer list = {0};
  add_list(&list, keys, n);
  int code = list.failed ? ckpt_out_of_memory(status)
                         : ckpt_table_add(&w, "", 0, list.data, list.size, status);
  text_free(&list);
  for (int64_t i = 0; i < n && !code; i++) {
    code = ckpt_check_cancelled(status);
    if (!code && i && !by_key(&keys[i - 1], &keys[i]))
      code = ckpt_fail(status, TFC_INVALID_ARGUMENT, "Adding duplicate key: %.*s",
                       (int)TFC_MIN(keys[i].tensor->name_size, 400), keys[i].tensor->name);
    if (!code) code = add_slice(&w, &keys[i], status);
  }
  if (!code) return ckpt_table_finish(&w, status);
  ckpt_table_abandon(&w);
  return code;
}

int ckpt_v1_write(const char* path, ckpt_v1_tensor* tensors, int64_t n, ckpt_status* status) {
  ckpt_file file;
  TFC_TRY(ckpt_file_create(&file, path, status));
  keyed* keys = calloc((size_t)n + 1, sizeof *keys);
  int code = keys ? TFC_OK : ckpt_out_of_memory(status);
  for (int64_t i = 0; i < n && !code; i++) {
    keys[i].tensor = &tensors[i];
    ckpt_add_slice_key(&keys[i].key, tensors[i].name, tensors[i].name_size, &tensors[i].slice);
    if (keys[i].key.failed) code = ckpt_out_of_memory(status);
  }
  if (!code) {
    qsort(keys, (size_t)n, sizeof *keys, by_key);
    code = write_table(&file, keys, n, status);
  }
  for (int64_t i = 0; keys && i < n; i++) text_free(&keys[i].key);
  free(keys);
  if (!code) code = ckpt_file_commit(&file, status);
  if (!code) code = ckpt_sync_folder(path, status);
  ckpt_file_discard(&file);
  return code;
}
