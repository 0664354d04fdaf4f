/* Ops on strings: joins, pieces, numbers as text and back, base 64. */
#include <errno.h>

#include "array.h"
#include "text.h"

TFC_ONE_LEVEL;

static const tfc_string* strings_of(const tfc_tensor* t) {
  return t->data;
}

/* Sets element i of output 0 to a text and frees it. */
static int finish(tfc_context* ctx, int64_t i, text_buffer* text) {
  int code = text->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory")
                          : tfc_string_set(ctx, &ctx->outputs[0], i, text_c(text), text->size);
  text_free(text);
  return code;
}

/* A NUL-terminated copy of a string attribute: the state of ops with a single one. */
static int keep_string(tfc_construction* c, const char* name, tfc_string* kept) {
  const char* data;
  TFC_TRY(c->api->attr_string(c, name, &data, &kept->size));
  kept->data = malloc(kept->size + 1);
  if (!kept->data) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  memcpy(kept->data, data, kept->size);
  kept->data[kept->size] = '\0';
  return TFC_OK;
}

static int create_separator(tfc_construction* c, void** state) {
  tfc_string* separator = calloc(1, sizeof *separator);
  if (!separator) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  const int code = keep_string(c, "separator", separator);
  if (code) free(separator);
  *state = code ? NULL : separator;
  return code;
}

static void destroy_separator(void* state) {
  tfc_string* separator = state;
  if (separator) free(separator->data);
  free(separator);
}

/* ---- StringJoin: element by element; scalars are joined to all. */

static int string_join(tfc_context* ctx) {
  const tfc_string* separator = ctx->state;
  const tfc_tensor* shape = ctx->inputs[0];
  for (int k = 0; k < ctx->n_inputs; k++) {
    const tfc_tensor* x = ctx->inputs[k];
    if (x->rank == 0) continue;
    if (shape->rank && !tfc_same_shape(shape, x))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input shapes do not match: %s vs. %s",
                       tfc_shape_text(shape).text, tfc_shape_text(x).text);
    if (shape->rank == 0) shape = x;
  }
  TFC_TRY(tfc_output_like(ctx, 0, shape));
  for (int64_t i = 0; i < shape->n; i++) {
    text_buffer text = {0};
    for (int k = 0; k < ctx->n_inputs; k++) {
      const tfc_string* s = strings_of(ctx->inputs[k]) + (ctx->inputs[k]->rank ? i : 0);
      if (k) text_append(&text, separator->data, separator->size);
      text_append(&text, s->data ? s->data : "", s->size);
    }
    TFC_TRY(finish(ctx, i, &text));
  }
  return TFC_OK;
}

/* ---- Substr */

static int substr(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *pos = ctx->inputs[1], *len = ctx->inputs[2];
  if (!tfc_same_shape(pos, len))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "pos and len should have the same shape, got: %s vs. %s",
                     tfc_shape_text(pos).text, tfc_shape_text(len).text);
  const tfc_tensor* shape = x->rank >= pos->rank ? x : pos;
  int64_t from_x[TFC_MAX_RANK], from_pos[TFC_MAX_RANK], dims[TFC_MAX_RANK];
  int64_t step_x = 1, step_pos = 1;
  for (int i = shape->rank - 1; i >= 0; i--) { /* broadcasting: a stride of zero repeats */
    const int j = i - (shape->rank - x->rank), k = i - (shape->rank - pos->rank);
    const int64_t dx = j < 0 ? 1 : x->dims[j], dp = k < 0 ? 1 : pos->dims[k];
    if (dx != dp && dx != 1 && dp != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Substr broadcast not implemented for shapes %s and %s",
                       tfc_shape_text(x).text, tfc_shape_text(pos).text);
    dims[i] = dx == 1 ? dp : dx;
    from_x[i] = dx == 1 ? 0 : step_x;
    from_pos[i] = dp == 1 ? 0 : step_pos;
    step_x *= dx;
    step_pos *= dp;
  }
  TFC_TRY(tfc_output(ctx, 0, shape->rank, dims));
  for (int64_t i = 0; i < ctx->outputs[0].n; i++) {
    int64_t ix = 0, ip = 0, rest = i;
    for (int d = shape->rank - 1; d >= 0; d--) {
      ix += rest % dims[d] * from_x[d];
      ip += rest % dims[d] * from_pos[d];
      rest /= dims[d];
    }
    const tfc_string* s = strings_of(x) + ix;
    const int64_t size = (int64_t)s->size, at = tfc_index_at(pos, ip);
    const int64_t want = tfc_index_at(len, ip), first = at < 0 ? at + size : at;
    if (first < 0 || first > size)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "pos %lld out of range for string at index %lld",
                       (long long)at, (long long)ix);
    const int64_t left = size - first, count = want < 0 || want > left ? left : want;
    TFC_TRY(
        tfc_string_set(ctx, &ctx->outputs[0], i, s->data ? s->data + first : "", (size_t)count));
  }
  return TFC_OK;
}

static int create_unit(tfc_construction* c, void** state) {
  tfc_string unit;
  TFC_TRY(keep_string(c, "unit", &unit));
  const bool bytes = strcmp(unit.data, "BYTE") == 0;
  free(unit.data);
  *state = NULL;
  if (bytes) return TFC_OK;
  return c->api->error(c, TFC_UNIMPLEMENTED, "Substr counts bytes only (unit='BYTE')");
}

/* ---- Base 64 with - and _, as in addresses. */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int create_pad(tfc_construction* c, void** state) {
  bool pad;
  TFC_TRY(c->api->attr_bool(c, "pad", &pad));
  *state = pad ? (void*)digits : NULL; /* a flag */
  return TFC_OK;
}

static int encode_base64(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t e = 0; e < x->n; e++) {
    const tfc_string* s = strings_of(x) + e;
    const unsigned char* bytes = (const unsigned char*)s->data;
    text_buffer text = {0};
    for (size_t i = 0; i < s->size; i += 3) {
      const size_t n = TFC_MIN(s->size - i, 3);
      const uint32_t bits = (uint32_t)bytes[i] << 16 | (n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                            (n > 2 ? bytes[i + 2] : 0);
      for (size_t k = 0; k <= n; k++) text_append(&text, digits + (bits >> (18 - 6 * k) & 63), 1);
      if (ctx->state) text_append(&text, "==", 3 - n);
    }
    TFC_TRY(finish(ctx, e, &text));
  }
  return TFC_OK;
}

static int decode_base64(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t e = 0; e < x->n; e++) {
    const tfc_string* s = strings_of(x) + e;
    size_t size = s->size;
    if (size % 4 == 0) /* padded */
      for (int k = 0; k < 2 && size && s->data[size - 1] == '='; k++) size--;
    if (size % 4 == 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Base64 string length (%lld) is not valid.",
                       (long long)s->size);
    text_buffer text = {0};
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
      const char* digit = s->data[i] ? strchr(digits, s->data[i]) : NULL;
      if (!digit) {
        text_free(&text);
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid character found in base64.");
      }
      bits = bits << 6 | (uint32_t)(digit - digits);
      if (i % 4) text_append(&text, (char[]){(char)(bits >> (6 - 2 * (i % 4)))}, 1);
    }
    TFC_TRY(finish(ctx, e, &text));
  }
  return TFC_OK;
}

/* ---- StringToNumber */

static int string_to_number(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  tfc_tensor* y = &ctx->outputs[0];
  for (int64_t i = 0; i < x->n; i++) {
    const tfc_string* s = strings_of(x) + i;
    char buffer[64], *end = buffer;
    const size_t n = TFC_MIN(s->size, sizeof buffer - 1);
    if (n) memcpy(buffer, s->data, n);
    buffer[n] = '\0';
    bool good = s->size > 0 && s->size < sizeof buffer && !memchr(buffer, '\0', n);
    if (y->dtype == TFC_FLOAT) {
      ((float*)y->data)[i] = strtof(buffer, &end);
    } else if (y->dtype == TFC_DOUBLE) {
      ((double*)y->data)[i] = strtod(buffer, &end);
    } else {
      errno = 0;
      const long long value = strtoll(buffer, &end, 10);
      good &= errno != ERANGE;
      if (y->dtype == TFC_INT32) {
        good &= value >= INT32_MIN && value <= INT32_MAX;
        ((int32_t*)y->data)[i] = (int32_t)value;
      } else {
        ((int64_t*)y->data)[i] = value;
      }
    }
    const bool used = end > buffer;
    while (*end == ' ' || (*end >= '\t' && *end <= '\r')) end++;
    if (!good || !used || *end) {
      text_buffer text = {0};
      text_append(&text, s->data ? s->data : "", s->size);
      const int code =
          tfc_error(ctx, TFC_INVALID_ARGUMENT,
                    "StringToNumberOp could not correctly convert string: %s", text_c(&text));
      text_free(&text);
      return code;
    }
  }
  return TFC_OK;
}

#define OP(NAME, FUNCTION) {.op = NAME, .device = "CPU", .types = "", .compute = FUNCTION}

static const tfc_kernel_def strings[] = {
    {.op = "StringJoin",
     .device = "CPU",
     .types = "",
     .compute = string_join,
     .create = create_separator,
     .destroy = destroy_separator},
    {.op = "Substr", .device = "CPU", .types = "", .compute = substr, .create = create_unit},
    {.op = "EncodeBase64",
     .device = "CPU",
     .types = "",
     .compute = encode_base64,
     .create = create_pad},
    OP("DecodeBase64", decode_base64),
    {.op = "StringToNumber",
     .device = "CPU",
     .types = "out_type=float|double|int32|int64",
     .compute = string_to_number},
};
TFC_REGISTER_KERNELS(strings);
