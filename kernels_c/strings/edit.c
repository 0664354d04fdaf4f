/* Changes of single strings, and their lengths. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static int strip_element(tfc_context* ctx, const void* arg, int64_t i) {
  (void)arg;
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  size_t begin = 0, end = s->size;
  while (begin < end && is_space(s->data[begin])) begin++;
  while (begin < end && is_space(s->data[end - 1])) end--;
  return tfc_string_set(ctx, &ctx->outputs[0], i, string_bytes(s) + begin, end - begin);
}

static int string_strip(tfc_context* ctx) {
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[0]));
  return string_for(ctx, ctx->inputs[0]->n, 60, strip_element, NULL);
}

/* ---- StringLower, StringUpper: the state is the first letter of those that change */

static int create_case(tfc_construction* c, void** state) {
  tfc_string encoding;
  TFC_TRY(string_attr(c, "encoding", &encoding));
  const bool plain = encoding.size == 0, utf8 = strcmp(encoding.data, "utf-8") == 0;
  free(encoding.data);
  *state = strcmp(c->op_type, "StringLower") == 0 ? "A" : "a";
  if (plain) return TFC_OK;
  return utf8 ? c->api->error(c, TFC_UNIMPLEMENTED, "%s changes ASCII letters only (encoding='')",
                              c->op_type)
              : c->api->error(c, TFC_INVALID_ARGUMENT,
                              "only utf-8 or '' (no encoding) is supported");
}

static int case_element(tfc_context* ctx, const void* arg, int64_t i) {
  const char first = *(const char*)arg;
  TFC_TRY(tfc_string_set(ctx, &ctx->outputs[0], i, string_bytes(strings_of(ctx->inputs[0]) + i),
                         strings_of(ctx->inputs[0])[i].size));
  const tfc_string* s = strings_of(&ctx->outputs[0]) + i;
  for (size_t k = 0; k < s->size; k++)
    if ((unsigned char)(s->data[k] - first) < 26) s->data[k] ^= 'a' ^ 'A';
  return TFC_OK;
}

static int change_case(tfc_context* ctx) {
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[0]));
  return string_for(ctx, ctx->inputs[0]->n, 60, case_element, ctx->state);
}

/* ---- StringLength: the state is not NULL if characters are counted */

static int create_length(tfc_construction* c, void** state) {
  tfc_string unit;
  TFC_TRY(string_attr(c, "unit", &unit));
  *state = strcmp(unit.data, "UTF8_CHAR") == 0 ? "" : NULL;
  free(unit.data);
  return TFC_OK;
}

static int length_element(tfc_context* ctx, const void* characters, int64_t i) {
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  int64_t length = (int64_t)s->size;
  for (size_t k = 0; characters && k < s->size; k++) length -= utf8_continues(s->data[k]);
  ((int32_t*)ctx->outputs[0].data)[i] = (int32_t)length;
  return TFC_OK;
}

static int string_length(tfc_context* ctx) {
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[0]));
  return string_for(ctx, ctx->inputs[0]->n, ctx->state ? 20 : 2, length_element, ctx->state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringStrip", "", string_strip),
    TFC_ROW("StringLower", "", change_case, .create = create_case),
    TFC_ROW("StringUpper", "", change_case, .create = create_case),
    TFC_ROW("StringLength", "", string_length, .create = create_length),
};
TFC_REGISTER_KERNELS(kernels);
