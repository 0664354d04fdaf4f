/* Ops on strings: joins, pieces, numbers as text and back, base 64. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/number.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

static int create_separator(tfc_construction* c, void** state) {
  tfc_string* separator = tfc_new_state(c, sizeof *separator);
  if (!separator) return TFC_RESOURCE_EXHAUSTED;
  const int code = string_attr(c, "separator", separator);
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
      text_append(&text, string_bytes(s), s->size);
    }
    TFC_TRY(string_finish(ctx, i, &text));
  }
  return TFC_OK;
}

/* ---- Substr: the state is not NULL if positions count characters */

/* The first byte of a piece and their number; false if `at` is outside of the string. */
static bool find_bytes(const tfc_string* s, int64_t at, int64_t want, int64_t* first,
                       int64_t* count) {
  const int64_t size = (int64_t)s->size;
  *first = at < 0 ? at + size : at;
  if (*first < 0 || *first > size) return false;
  *count = want < 0 ? size - *first : TFC_MIN(want, size - *first);
  return true;
}

/* A negative length gives nothing after a position from the start, and is refused after one from
 * the end. */
static bool find_characters(const tfc_string* s, int64_t at, int64_t want, int64_t* first,
                            int64_t* count) {
  int64_t end = (int64_t)s->size;
  if (at >= 0) {
    *first = 0;
    if (!utf8_forward(s, at, first)) return false;
    end = *first;
    utf8_forward(s, want, &end);
  } else {
    if (want < 0 || at == INT64_MIN) return false;
    const int64_t behind = want < -at ? -at - want : 0; /* characters behind the piece */
    if (!utf8_back(s, behind, &end)) return false;
    *first = end;
    if (!utf8_back(s, -at - behind, first)) return false;
  }
  *count = end - *first;
  return true;
}

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
    const int64_t at = tfc_index_at(pos, ip), want = tfc_index_at(len, ip);
    int64_t first, count;
    if (!(ctx->state ? find_characters : find_bytes)(s, at, want, &first, &count))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "pos %lld out of range for string at index %lld",
                       (long long)at, (long long)ix);
    TFC_TRY(tfc_string_set(ctx, &ctx->outputs[0], i, string_bytes(s) + first, (size_t)count));
  }
  return TFC_OK;
}

static int create_unit(tfc_construction* c, void** state) {
  tfc_string unit;
  TFC_TRY(string_attr(c, "unit", &unit));
  *state = strcmp(unit.data, "UTF8_CHAR") == 0 ? "" : NULL;
  free(unit.data);
  return TFC_OK;
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
    TFC_TRY(string_finish(ctx, e, &text));
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
    TFC_TRY(string_finish(ctx, e, &text));
  }
  return TFC_OK;
}

/* ---- StringToNumber */

static bool read_number(const tfc_string* s, tfc_tensor* y, int64_t i) {
  const char* text = string_bytes(s);
  int64_t whole;
  uint64_t natural;
  switch (y->dtype) {
    case TFC_FLOAT: return number_float(text, s->size, (float*)y->data + i);
    case TFC_DOUBLE: return number_double(text, s->size, (double*)y->data + i);
    case TFC_INT64: return number_int64(text, s->size, (int64_t*)y->data + i);
    case TFC_UINT64: return number_uint64(text, s->size, (uint64_t*)y->data + i);
    case TFC_INT32:
      if (!number_int64(text, s->size, &whole) || whole != (int32_t)whole) return false;
      ((int32_t*)y->data)[i] = (int32_t)whole;
      return true;
    default:
      if (!number_uint64(text, s->size, &natural) || natural != (uint32_t)natural) return false;
      ((uint32_t*)y->data)[i] = (uint32_t)natural;
      return true;
  }
}

static int string_to_number(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t i = 0; i < x->n; i++) {
    const tfc_string* s = strings_of(x) + i;
    if (read_number(s, &ctx->outputs[0], i)) continue;
    text_buffer text = {0};
    text_append(&text, string_bytes(s), s->size);
    const int code =
        tfc_error(ctx, TFC_INVALID_ARGUMENT,
                  "StringToNumberOp could not correctly convert string: %s", text_c(&text));
    text_free(&text);
    return code;
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringJoin", "", string_join, .create = create_separator,
            .destroy = destroy_separator),
    TFC_ROW("Substr", "", substr, .create = create_unit),
    TFC_ROW("EncodeBase64", "", encode_base64, .create = create_pad),
    TFC_ROW("DecodeBase64", "", decode_base64),
    TFC_ROW("StringToNumber",
            "out_type=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES "|uint32|uint64",
            string_to_number),
};
TFC_REGISTER_KERNELS(kernels);
