/* AsString, DecodeRaw, DecodePaddedRaw: numbers as text, and the bytes of strings as numbers. */
#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

/* ---- AsString: printf's formats */

typedef struct format_state {
  char one[64];             /* the format of a number */
  int64_t width, precision; /* of strings */
  bool left;
} format_state;

static bool is_float_type(int32_t type) {
  return type == TFC_FLOAT || type == TFC_DOUBLE || type == TFC_HALF || type == TFC_BFLOAT16 ||
         type == TFC_COMPLEX64 || type == TFC_COMPLEX128;
}

typedef struct format_attrs {
  int64_t precision, width;
  bool scientific, shortest;
  tfc_string fill;
} format_attrs;

static int read_format(tfc_construction* c, format_attrs* a) {
  TFC_TRY(tfc_attr_int32(c, "precision", &a->precision));
  TFC_TRY(tfc_attr_int32(c, "width", &a->width));
  TFC_TRY(c->api->attr_bool(c, "scientific", &a->scientific));
  TFC_TRY(c->api->attr_bool(c, "shortest", &a->shortest));
  const char* fill;
  TFC_TRY(c->api->attr_string(c, "fill", &fill, &a->fill.size));
  a->fill.data = (char*)fill;
  return TFC_OK;
}

static int check_format(tfc_construction* c, const format_attrs* a) {
  const int32_t type = c->input_dtypes[0];
  if (!is_float_type(type) && type != TFC_STRING) {
    if (a->scientific || a->shortest)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "scientific and shortest format not supported for datatype %s",
                           tfc_dtype_name(type));
    if (a->precision >= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "precision not supported for datatype %s",
                           tfc_dtype_name(type));
  }
  if (a->fill.size > 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Fill string must be one or fewer characters");
  if (a->scientific && a->shortest)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Cannot select both scientific and shortest notation");
  if (a->fill.size && (!a->fill.data[0] || !strchr(" +-0#", a->fill.data[0])))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Fill argument not supported: \"%c\"",
                         a->fill.data[0]);
  return TFC_OK;
}

static int create_format(tfc_construction* c, void** state) {
  format_attrs a;
  TFC_TRY(read_format(c, &a));
  TFC_TRY(check_format(c, &a));
  format_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  const int32_t type = c->input_dtypes[0];
  const bool is_unsigned =
      type == TFC_UINT8 || type == TFC_UINT16 || type == TFC_UINT32 || type == TFC_UINT64;
  size_t used = (size_t)snprintf(s->one, sizeof s->one, "%%%.*s", (int)a.fill.size,
                                 a.fill.size ? a.fill.data : "");
  if (a.width >= 0)
    used += (size_t)snprintf(s->one + used, sizeof s->one - used, "%lld", (long long)a.width);
  if (a.precision >= 0)
    used += (size_t)snprintf(s->one + used, sizeof s->one - used, ".%lld", (long long)a.precision);
  const char* conversion = a.shortest ? "g" : a.scientific ? "e" : "f";
  if (!is_float_type(type)) conversion = is_unsigned ? "llu" : "lld";
  snprintf(s->one + used, sizeof s->one - used, "%s", conversion);
  s->width = TFC_MAX(a.width, 0);
  s->precision = a.width >= 0 && a.precision >= 0 ? a.precision : INT64_MAX;
  s->left = a.fill.size && a.fill.data[0] == '-';
  *state = s;
  return TFC_OK;
}

/* Appends printf's text of one value of a C type that `format` takes. */
#define ADD_FORMATTED(B, FORMAT, VALUE)                            \
  do {                                                             \
    char small[64];                                                \
    const int size = snprintf(small, sizeof small, FORMAT, VALUE); \
    if (size >= 0 && size < (int)sizeof small) {                   \
      text_append(B, small, (size_t)size);                         \
      break;                                                       \
    }                                                              \
    char* large = size < 0 ? NULL : malloc((size_t)size + 1);      \
    if (!large) {                                                  \
      (B)->failed = true;                                          \
      break;                                                       \
    }                                                              \
    snprintf(large, (size_t)size + 1, FORMAT, VALUE);              \
    text_append(B, large, (size_t)size);                           \
    free(large);                                                   \
  } while (0)

static void add_double(text_buffer* b, const format_state* s, double value) {
  ADD_FORMATTED(b, s->one, value);
}

static void add_complex(text_buffer* b, const format_state* s, double real, double imaginary) {
  text_append(b, "(", 1);
  add_double(b, s, real);
  text_append(b, ",", 1);
  add_double(b, s, imaginary);
  text_append(b, ")", 1);
}

static void add_padded(text_buffer* b, const format_state* s, const tfc_string* string) {
  const int64_t size = TFC_MIN((int64_t)string->size, s->precision);
  if (s->left) text_append(b, string_bytes(string), (size_t)size);
  for (int64_t k = size; k < s->width && !b->failed; k++) text_append(b, " ", 1);
  if (!s->left) text_append(b, string_bytes(string), (size_t)size);
}

static void add_integer(text_buffer* b, const format_state* s, const tfc_tensor* x, int64_t i) {
  if (x->dtype == TFC_UINT64) {
    ADD_FORMATTED(b, s->one, (unsigned long long)((const uint64_t*)x->data)[i]);
    return;
  }
  long long value = 0;
  TFC_SWITCH_INTEGERS(x->dtype, value = (long long)((const T*)x->data)[i])
  ADD_FORMATTED(b, s->one, value);
}

static int format_element(tfc_context* ctx, const void* arg, int64_t i) {
  const format_state* s = arg;
  const tfc_tensor* x = ctx->inputs[0];
  text_buffer text = {0};
  switch (x->dtype) {
    case TFC_FLOAT: add_double(&text, s, (double)((const float*)x->data)[i]); break;
    case TFC_DOUBLE: add_double(&text, s, ((const double*)x->data)[i]); break;
    case TFC_HALF:
    case TFC_BFLOAT16:
      add_double(&text, s, (double)tfc_widen_one(x->dtype, ((const uint16_t*)x->data)[i]));
      break;
    case TFC_COMPLEX64: {
      const float* c = (const float*)x->data + 2 * i;
      add_complex(&text, s, (double)c[0], (double)c[1]);
      break;
    }
    case TFC_COMPLEX128: {
      const double* c = (const double*)x->data + 2 * i;
      add_complex(&text, s, c[0], c[1]);
      break;
    }
    case TFC_BOOL: text_add(&text, ((const uint8_t*)x->data)[i] ? "true" : "false"); break;
    case TFC_STRING: add_padded(&text, s, strings_of(x) + i); break;
    default: add_integer(&text, s, x, i);
  }
  return string_finish(ctx, i, &text);
}

static int as_string(tfc_context* ctx) {
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[0]));
  return string_for(ctx, ctx->inputs[0]->n, 300, format_element, ctx->state);
}

/* ---- DecodeRaw, DecodePaddedRaw: the state is not NULL if bytes are swapped */

static int create_raw(tfc_construction* c, void** state) {
  bool little;
  TFC_TRY(c->api->attr_bool(c, "little_endian", &little));
  *state = little == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? NULL : "";
  return TFC_OK;
}

/* Shorter strings are padded with zeros, longer ones are cut. */
static int raw_element(tfc_context* ctx, const void* swapped, int64_t i) {
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  const int32_t type = ctx->outputs[0].dtype;
  const size_t row = (size_t)(ctx->outputs[0].n / ctx->inputs[0]->n) * tfc_dtype_size(type);
  size_t size = tfc_dtype_size(type);
  if (type == TFC_COMPLEX64 || type == TFC_COMPLEX128) size /= 2; /* two numbers */
  char* to = (char*)ctx->outputs[0].data + (size_t)i * row;
  const size_t have = TFC_MIN(s->size, row);
  if (have) memcpy(to, s->data, have);
  memset(to + have, 0, row - have);
  for (size_t at = 0; swapped && at < row; at += size)
    for (size_t k = 0; k < size / 2; k++) {
      const char low = to[at + k];
      to[at + k] = to[at + size - 1 - k];
      to[at + size - 1 - k] = low;
    }
  if (type == TFC_BOOL)
    for (size_t at = 0; at < row; at++) to[at] = to[at] != 0;
  return TFC_OK;
}

/* The output has `size` bytes for each string. */
static int decode_rows(tfc_context* ctx, size_t size) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Shapes of more than %d dimensions are not supported",
                     TFC_MAX_RANK);
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, (size_t)x->rank * sizeof(int64_t));
  dims[x->rank] = (int64_t)(size / tfc_dtype_size(ctx->outputs[0].dtype));
  TFC_TRY(tfc_output(ctx, 0, x->rank + 1, dims));
  if (size == 0) return TFC_OK;
  return string_for(ctx, x->n, 5 + 0.1 * (double)size, raw_element, ctx->state);
}

static int decode_raw(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const tfc_string* s = strings_of(x);
  const size_t item = tfc_dtype_size(ctx->outputs[0].dtype), size = x->n ? s[0].size : 0;
  for (int64_t i = 1; i < x->n; i++)
    if (s[i].size != size)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "DecodeRaw requires input strings to all be the same size, but element %lld "
                       "has size %lld != %lld",
                       (long long)i, (long long)size, (long long)s[i].size);
  if (size % item)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input to DecodeRaw has length %lld that is not a multiple of %lld, the size "
                     "of %s",
                     (long long)size, (long long)item, tfc_dtype_name(ctx->outputs[0].dtype));
  return decode_rows(ctx, size);
}

static int decode_padded_raw(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 1, "fixed_length must be a scalar, got shape:"));
  const int64_t length = tfc_int_scalar(ctx->inputs[1]);
  const size_t item = tfc_dtype_size(ctx->outputs[0].dtype);
  if (length <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "fixed_length (%lld) must be greater than zero.",
                     (long long)length);
  if ((size_t)length % item)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "fixed_length (%lld) must be a multiple of the size of out_type (%lld)",
                     (long long)length, (long long)item);
  return decode_rows(ctx, (size_t)length);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AsString", "T=" TFC_TYPES_VALUES, as_string, TFC_STATE(create_format)),
    TFC_ROW("DecodeRaw",
            "out_type=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|uint8|uint16|" TFC_TYPES_COMPLEX
            "|bool",
            decode_raw, .create = create_raw),
    TFC_ROW("DecodePaddedRaw", "out_type=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|uint8|uint16",
            decode_padded_raw, .create = create_raw),
};
TFC_REGISTER_KERNELS(kernels);
