/* Reads and writes messages TensorProto. */
#include "kernels_c/common/tensor_proto.h"

TFC_ONE_LEVEL;

/* ---- Reading */

static int32_t numbered_type(uint64_t number) {
  return number < TFC_REF ? (int32_t)number : 0;
}

static const char* read_dim(wire_reader dim, tensor_proto* t) {
  wire_field f;
  int64_t size = 0;
  int code;
  while ((code = wire_next(&dim, &f)) > 0)
    if (f.number == 1 && f.type == WIRE_VARINT) size = (int64_t)f.value;
  if (code < 0) return "its shape is malformed";
  if (size < 0) return "a size in its shape is negative";
  if (t->rank == TFC_MAX_RANK) return "it has too many dimensions";
  t->dims[t->rank++] = size;
  return NULL;
}

static const char* read_shape(wire_reader shape, tensor_proto* t) {
  wire_field f;
  int code;
  while ((code = wire_next(&shape, &f)) > 0) {
    if (f.number == 3 && f.type == WIRE_VARINT && f.value) return "its rank is unknown";
    if (f.number != 2 || f.type != WIRE_BYTES) continue;
    const char* wrong = read_dim(f.bytes, t);
    if (wrong) return wrong;
  }
  return code < 0 ? "its shape is malformed" : NULL;
}

/* What a few values may be repeated to: the sizes in a shape are no evidence of so many elements.
 */
#define MOST_REPEATED (1ll << 31)

const char* tensor_proto_open(wire_reader message, tensor_proto* t) {
  wire_field f;
  int code;
  *t = (tensor_proto){.message = message};
  while ((code = wire_next(&message, &f)) > 0) {
    const char* wrong = NULL;
    if (f.number == 1 && f.type == WIRE_VARINT) t->dtype = numbered_type(f.value);
    if (f.number == 2 && f.type == WIRE_BYTES) wrong = read_shape(f.bytes, t);
    if (f.number == 4 && f.type == WIRE_BYTES && f.bytes.at < f.bytes.end) t->content = f.bytes;
    if (wrong) return wrong;
  }
  if (code < 0) return "it is malformed";
  const size_t size = tfc_dtype_size(t->dtype);
  if (size == 0 || t->dtype == TFC_RESOURCE) return "its type is not supported";
  t->n = tfc_count(t->rank, t->dims);
  if (t->n < 0) return "it has too many elements";
  const size_t bytes = wire_left(&t->content);
  const bool fits = t->dtype == TFC_STRING ? (size_t)t->n <= bytes
                                           : bytes % size == 0 && bytes / size == (size_t)t->n;
  if (t->content.at && !fits) return "its content does not have the size of its shape";
  if (!t->content.at && t->n > MOST_REPEATED / (int64_t)size)
    return "its shape has more elements than it could have values";
  return NULL;
}

/* The field with the values of a type. */
static int values_field(int32_t dtype) {
  switch (dtype) {
    case TFC_FLOAT: return 5;
    case TFC_DOUBLE: return 6;
    case TFC_STRING: return 8;
    case TFC_COMPLEX64: return 9;
    case TFC_INT64: return 10;
    case TFC_BOOL: return 11;
    case TFC_COMPLEX128: return 12;
    case TFC_HALF:
    case TFC_BFLOAT16: return 13;
    case TFC_UINT32: return 16;
    case TFC_UINT64: return 17;
    default: return 7;
  }
}

/* Numbers of a field, one after the other; a complex number is two of them. */
typedef struct numbers {
  char* to;
  size_t size; /* of a number */
  int wire;    /* its type when it is not packed */
  int64_t n, room;
} numbers;

static void store_number(numbers* x, uint64_t value) {
  if (x->n < x->room) memcpy(x->to + (size_t)x->n * x->size, &value, x->size); /* little-endian */
  x->n++;
}

static bool store_packed(numbers* x, wire_reader packed) {
  uint64_t value = 0;
  while (packed.at < packed.end) {
    const bool whole =
        x->wire == WIRE_VARINT ? wire_varint(&packed, &value) : wire_take(&packed, &value, x->size);
    if (!whole) return false;
    store_number(x, value);
  }
  return true;
}

static bool store_field(numbers* x, const wire_field* f) {
  if (f->type == WIRE_BYTES) return store_packed(x, f->bytes);
  if (f->type != x->wire) return false;
  store_number(x, f->value);
  return true;
}

static numbers numbers_of(const tensor_proto* t, char* to) {
  const bool complex = t->dtype == TFC_COMPLEX64 || t->dtype == TFC_COMPLEX128;
  const size_t size = tfc_dtype_size(t->dtype) / (complex ? 2 : 1);
  const bool wide = t->dtype == TFC_DOUBLE || t->dtype == TFC_COMPLEX128;
  const bool narrow = t->dtype == TFC_FLOAT || t->dtype == TFC_COMPLEX64;
  return (numbers){to, size,
                   wide     ? WIRE_FIXED64
                   : narrow ? WIRE_FIXED32
                            : WIRE_VARINT,
                   0, t->n * (complex ? 2 : 1)};
}

/* The last value stands for those after it. */
static void repeat_last(char* to, size_t size, int64_t have, int64_t n) {
  if (have == 0) memset(to, 0, (size_t)n * size);
  for (int64_t i = have; have && i < n; i++)
    memcpy(to + (size_t)i * size, to + (size_t)(i - 1) * size, size);
}

static bool store_numbers(const tensor_proto* t, char* to) {
  const int field = values_field(t->dtype);
  const size_t size = tfc_dtype_size(t->dtype);
  numbers x = numbers_of(t, to);
  wire_reader message = t->message;
  wire_field f;
  while (wire_next(&message, &f) > 0)
    if (f.number == field && !store_field(&x, &f)) return false;
  const int64_t have = x.n / (int64_t)(size / x.size);
  if (have > t->n) return false;
  if (t->n) repeat_last(to, size, have, t->n);
  return true;
}

static int set_string(tfc_context* ctx, tfc_tensor* to, int64_t i, wire_reader bytes) {
  return tfc_string_set(ctx, to, i, (const char*)bytes.at, wire_left(&bytes));
}

static int store_string_values(tfc_context* ctx, const tensor_proto* t, tfc_tensor* to, int64_t at,
                               bool* valid) {
  wire_reader message = t->message, last = {0};
  wire_field f;
  int64_t n = 0;
  for (; wire_next(&message, &f) > 0;) {
    if (f.number != 8 || f.type != WIRE_BYTES) continue;
    if (n == t->n) *valid = false;
    if (!*valid) return TFC_OK;
    last = f.bytes;
    TFC_TRY(set_string(ctx, to, at + n++, last));
  }
  for (; n && n < t->n; n++) TFC_TRY(set_string(ctx, to, at + n, last));
  return TFC_OK;
}

/* All lengths, then all bytes. */
static int store_string_content(tfc_context* ctx, const tensor_proto* t, tfc_tensor* to, int64_t at,
                                bool* valid) {
  wire_reader lengths = t->content, bytes = t->content;
  uint64_t size;
  for (int64_t i = 0; i < t->n; i++)
    if (!wire_varint(&bytes, &size)) *valid = false;
  for (int64_t i = 0; *valid && i < t->n; i++) {
    wire_varint(&lengths, &size);
    if (size > wire_left(&bytes)) {
      *valid = false;
      break;
    }
    TFC_TRY(set_string(ctx, to, at + i, (wire_reader){bytes.at, bytes.at + size}));
    bytes.at += size;
  }
  *valid &= bytes.at == bytes.end;
  return TFC_OK;
}

int tensor_proto_store(tfc_context* ctx, const tensor_proto* t, const char* what, tfc_tensor* to,
                       int64_t at) {
  bool valid = true;
  if (t->dtype == TFC_STRING) {
    TFC_TRY((t->content.at ? store_string_content : store_string_values)(ctx, t, to, at, &valid));
  } else {
    const size_t size = tfc_dtype_size(t->dtype);
    char* first = (char*)to->data + (size_t)at * size;
    if (t->content.at)
      memcpy(first, t->content.at, (size_t)t->n * size);
    else
      valid = store_numbers(t, first);
    for (int64_t i = 0; t->dtype == TFC_BOOL && i < t->n; i++) first[i] = first[i] != 0;
  }
  if (valid) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Cannot parse tensor from proto: %s: its values do not fit its shape %s of %s",
                   what, tfc_dims_text(t->rank, t->dims).text, tfc_dtype_name(t->dtype));
}

/* ---- Writing */

static void add_shape(text_buffer* to, int rank, const int64_t* dims) {
  text_buffer shape = {0};
  for (int i = 0; i < rank; i++) {
    text_buffer dim = {0};
    wire_add_int(&dim, 1, dims[i]);
    wire_add_bytes(&shape, 2, text_c(&dim), dim.size);
    to->failed |= dim.failed;
    text_free(&dim);
  }
  wire_add_bytes(to, 2, text_c(&shape), shape.size);
  to->failed |= shape.failed;
  text_free(&shape);
}

static const char* string_data(const tfc_string* s) {
  return s->data ? s->data : "";
}

static void add_string_content(text_buffer* to, const tfc_string* s, int64_t n) {
  text_buffer content = {0};
  for (int64_t i = 0; i < n; i++) wire_add_varint(&content, s[i].size);
  for (int64_t i = 0; i < n; i++) text_append(&content, string_data(&s[i]), s[i].size);
  if (content.size) wire_add_bytes(to, 4, text_c(&content), content.size);
  to->failed |= content.failed;
  text_free(&content);
}

void tensor_proto_add(text_buffer* to, int rank, const int64_t* dims, const tfc_tensor* elements,
                      int64_t first, bool strings_as_values) {
  const int64_t n = tfc_count(rank, dims);
  const size_t size = tfc_dtype_size(elements->dtype);
  wire_add_int(to, 1, elements->dtype);
  add_shape(to, rank, dims);
  if (n <= 0) return;
  if (elements->dtype != TFC_STRING) {
    wire_add_bytes(to, 4, (const char*)elements->data + (size_t)first * size, (size_t)n * size);
    return;
  }
  const tfc_string* s = (const tfc_string*)elements->data + first;
  if (!strings_as_values) {
    add_string_content(to, s, n);
    return;
  }
  for (int64_t i = 0; i < n; i++) wire_add_bytes(to, 8, string_data(&s[i]), s[i].size);
}
