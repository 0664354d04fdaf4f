/* DecodeCompressed: expands strings in the formats of zlib and gzip. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"
#include "kernels_c/io/inflate.h"
#include "kernels_c/parsing/failure.h"

TFC_ONE_LEVEL;

static int create(tfc_construction* c, void** state) {
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "compression_type", &text, &size));
  inflate_format* format = tfc_new_state(c, sizeof *format);
  if (!format) return TFC_RESOURCE_EXHAUSTED;
  *format = INFLATE_RAW; /* as they are */
  *state = format;
  if (size == 0) return TFC_OK;
  *format = size == 4 && memcmp(text, "ZLIB", 4) == 0 ? INFLATE_ZLIB : INFLATE_GZIP;
  if (*format == INFLATE_ZLIB || (size == 4 && memcmp(text, "GZIP", 4) == 0)) return TFC_OK;
  const int code = c->api->error(c, TFC_INVALID_ARGUMENT,
                                 "Only ZLIB, GZIP or NONE are supported compressions: '%.*s'",
                                 (int)TFC_MIN(size, 100), text);
  free(format);
  *state = NULL;
  return code;
}

typedef struct expansion {
  tfc_context* ctx;
  failure failure;
} expansion;

/* All compressed bytes at once. */
static int give_all(void* arg, const uint8_t** data, size_t* size) {
  tfc_string* rest = arg;
  *data = (const uint8_t*)rest->data;
  *size = rest->size;
  rest->size = 0;
  return TFC_OK;
}

static bool expand(expansion* x, int64_t i, inflater* z, text_buffer* to) {
  const uint8_t* data;
  size_t size;
  int code;
  while (!(code = inflate_next(z, &data, &size)) && size && !tfc_cancelled(x->ctx))
    text_append(to, (const char*)data, size);
  if (code)
    failure_set(&x->failure, i, code, "inflate() failed in string %lld: %s", (long long)i,
                inflate_problem(z));
  else if (to->failed || tfc_string_set(x->ctx, &x->ctx->outputs[0], i, text_c(to), to->size))
    failure_set(&x->failure, i, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  else
    return true;
  return false;
}

static void expand_range(void* arg, int64_t begin, int64_t end) {
  expansion* x = arg;
  tfc_string left;
  inflater* z = inflate_new(*(const inflate_format*)x->ctx->state, give_all, &left);
  text_buffer text = {0};
  if (!z) failure_set(&x->failure, begin, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  for (int64_t i = begin; z && i < end && !failure_before(&x->failure, i); i++) {
    left = ((const tfc_string*)x->ctx->inputs[0]->data)[i];
    text.size = 0;
    if (left.size && !expand(x, i, z, &text)) break;
    inflate_restart(z);
  }
  text_free(&text);
  if (z) inflate_free(z);
}

static int decode_compressed(tfc_context* ctx) {
  const tfc_tensor* strings = ctx->inputs[0];
  if (*(const inflate_format*)ctx->state == INFLATE_RAW) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_output_like(ctx, 0, strings));
  expansion x = {.ctx = ctx};
  failure_begin(&x.failure);
  tfc_parallel_for(ctx, strings->n, 1e4, expand_range, &x);
  TFC_TRY(failure_end(ctx, &x.failure));
  return tfc_cancelled(ctx) ? TFC_CANCELLED : TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DecodeCompressed", "", decode_compressed, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
