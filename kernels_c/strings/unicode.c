/* UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode, UnicodeScript. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/encoding.h"
#include "kernels_c/strings/scripts.h"

TFC_ONE_LEVEL;

typedef struct conversion {
  encoding from, to;
  on_bad bad;
} conversion;

static int bad_text(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid formatting on input string");
}

/* Whether the code point is to be left out; else it may be replaced. */
static bool left_out(const on_bad* b, const code_points* p, int32_t* code) {
  *code = p->code;
  if (!p->bad && !(b->control && p->code < 0x20)) return false;
  *code = b->replacement;
  return b->ignore;
}

/* ---- Decoding */

static int read_decode(tfc_construction* c, void* state) {
  conversion* v = state;
  TFC_TRY(encoding_attr(c, "input_encoding", &v->from));
  return on_bad_attrs(c, true, &v->bad);
}

static int decode_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(conversion), read_decode, state);
}

/* Splits, and how many code points there are. */
static int count_points(tfc_context* ctx, int64_t* n) {
  const conversion* v = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  tfc_tensor* splits = &ctx->outputs[0];
  int32_t code;
  *n = 0;
  tfc_put_index(splits, 0, 0);
  for (int64_t i = 0; i < x->n; i++) {
    code_points p = code_points_of(v->from, &strings_of(x)[i]);
    while (next_code_point(&p)) {
      if (p.bad && v->bad.strict) return bad_text(ctx);
      *n += !left_out(&v->bad, &p, &code);
    }
    if (splits->dtype == TFC_INT32 && *n > INT32_MAX)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%lld code points do not fit into splits of int32", (long long)*n);
    tfc_put_index(splits, i + 1, *n);
  }
  return TFC_OK;
}

static int decode(tfc_context* ctx) {
  const conversion* v = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  int64_t n, *starts = NULL;
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){x->n + 1}));
  TFC_TRY(count_points(ctx, &n));
  TFC_TRY(tfc_output(ctx, 1, 1, &n));
  if (ctx->n_outputs > 2) {
    TFC_TRY(tfc_output(ctx, 2, 1, &n));
    starts = ctx->outputs[2].data;
  }
  int32_t *codes = ctx->outputs[1].data, code;
  int64_t at = 0;
  for (int64_t i = 0; i < x->n; i++) {
    code_points p = code_points_of(v->from, &strings_of(x)[i]);
    while (next_code_point(&p)) {
      if (left_out(&v->bad, &p, &code)) continue;
      if (starts) starts[at] = p.start;
      codes[at++] = code;
    }
  }
  return TFC_OK;
}

/* ---- Transcoding */

static int read_transcode(tfc_construction* c, void* state) {
  conversion* v = state;
  TFC_TRY(read_decode(c, state));
  return encoding_attr(c, "output_encoding", &v->to);
}

static int transcode_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(conversion), read_transcode, state);
}

static int transcode(tfc_context* ctx) {
  const conversion* v = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t i = 0; i < x->n; i++) {
    code_points p = code_points_of(v->from, &strings_of(x)[i]);
    text_buffer text = {0};
    bool refused = false;
    while (next_code_point(&p)) {
      int32_t code;
      refused |= v->bad.strict && (p.bad || (v->bad.control && p.code < 0x20));
      if (!left_out(&v->bad, &p, &code)) append_code_point(&text, v->to, code);
    }
    if (refused) {
      text_free(&text);
      return bad_text(ctx);
    }
    TFC_TRY(string_finish(ctx, i, &text));
  }
  return TFC_OK;
}

/* ---- Encoding */

static int read_encode(tfc_construction* c, void* state) {
  conversion* v = state;
  TFC_TRY(encoding_attr(c, "output_encoding", &v->to));
  return on_bad_attrs(c, false, &v->bad);
}

static int encode_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(conversion), read_encode, state);
}

static int check_encode(tfc_context* ctx, int64_t* splits) {
  const tfc_tensor *values = ctx->inputs[0], *t = ctx->inputs[1];
  tfc_read_indices(t, splits);
  if (splits[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "First value in input_splits must be zero.");
  if (splits[t->n - 1] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Last value in input_splits must be equal to length of input_tensor.");
  for (int64_t i = 1; i < t->n; i++)
    if (splits[i] < splits[i - 1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Values in input_splits must be equal or in ascending order.");
  return TFC_OK;
}

static int encode_row(tfc_context* ctx, int64_t row, int64_t begin, int64_t end) {
  const conversion* v = ctx->state;
  text_buffer text = {0};
  for (int64_t i = begin; i < end; i++) {
    int32_t code = (int32_t)tfc_index_at(ctx->inputs[0], i);
    if (!is_code_point(code)) {
      if (v->bad.strict) {
        text_free(&text);
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Code point is out of range for Unicode, or is a surrogate.");
      }
      if (v->bad.ignore) continue;
      code = v->bad.replacement;
    }
    append_code_point(&text, v->to, code);
  }
  return string_finish(ctx, row, &text);
}

static int encode(tfc_context* ctx) {
  const tfc_tensor *values = ctx->inputs[0], *t = ctx->inputs[1];
  if (values->rank != 1 || t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Both the input_tensor and input_splits should be of rank 1. ");
  if (!t->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input_splits should contain elements, but given input_values has %lld "
                     "elements",
                     (long long)values->n);
  int64_t* splits = tfc_scratch_items(ctx, t->n, sizeof *splits);
  if (!splits) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(check_encode(ctx, splits));
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){t->n - 1}));
  for (int64_t row = 0; row + 1 < t->n; row++)
    TFC_TRY(encode_row(ctx, row, splits[row], splits[row + 1]));
  return TFC_OK;
}

/* ---- Scripts */

static int32_t script_of(int32_t code) {
  if (code < 0 || code > 0x10ffff) return -1;
  int low = 0, high = N_SCRIPT_RANGES;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (script_starts[middle] <= (uint32_t)code)
      low = middle;
    else
      high = middle;
  }
  return script_codes[low];
}

static int script(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  int32_t* to = ctx->outputs[0].data;
  for (int64_t i = 0; i < x->n; i++) to[i] = script_of((int32_t)tfc_index_at(x, i));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("UnicodeDecode", "", decode, TFC_STATE(decode_create)),
    TFC_ROW("UnicodeDecodeWithOffsets", "", decode, TFC_STATE(decode_create)),
    TFC_ROW("UnicodeTranscode", "", transcode, TFC_STATE(transcode_create)),
    TFC_ROW("UnicodeEncode", "", encode, TFC_STATE(encode_create)),
    TFC_ROW("UnicodeScript", "", script),
};
TFC_REGISTER_KERNELS(kernels);
