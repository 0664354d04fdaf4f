/* StringNGrams: the pieces of a few words that rows of words have. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

typedef struct ngrams {
  tfc_string separator, left, right;
  int64_t pad; /* words before and after a row; negative: one less than the width */
  bool keep_short;
  int n;
  int64_t* widths;
} ngrams;

static void destroy(void* state) {
  ngrams* g = state;
  free(g->separator.data);
  free(g->left.data);
  free(g->right.data);
  free(g->widths);
  free(g);
}

static int read_widths(tfc_construction* c, ngrams* g) {
  TFC_TRY(c->api->attr_ints(c, "ngram_widths", 0, NULL, &g->n));
  g->widths = tfc_new_state(c, (size_t)g->n * sizeof *g->widths + 1);
  if (!g->widths) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(c->api->attr_ints(c, "ngram_widths", g->n, g->widths, &g->n));
  for (int i = 0; i < g->n; i++)
    if (g->widths[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "ngram_widths must contain positive values");
  return TFC_OK;
}

static int read_attributes(tfc_construction* c, ngrams* g) {
  TFC_TRY(string_attr(c, "separator", &g->separator));
  TFC_TRY(string_attr(c, "left_pad", &g->left));
  TFC_TRY(string_attr(c, "right_pad", &g->right));
  TFC_TRY(c->api->attr_int(c, "pad_width", &g->pad));
  TFC_TRY(c->api->attr_bool(c, "preserve_short_sequences", &g->keep_short));
  TFC_TRY(read_widths(c, g));
  if (g->keep_short && !g->n && g->pad < 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Pad width should be >= 0 when preserve_short_sequences is True and "
                         "ngram_widths are not provided, got %lld",
                         (long long)g->pad);
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  ngrams* g = tfc_new_state(c, sizeof *g);
  if (!g) return TFC_RESOURCE_EXHAUSTED;
  const int code = read_attributes(c, g);
  if (code)
    destroy(g);
  else
    *state = g;
  return code;
}

/* Padding on each side for a width. */
static int64_t padding(const ngrams* g, int64_t width) {
  return g->pad < 0 ? width - 1 : TFC_MIN(g->pad, width - 1);
}

static int64_t count(const ngrams* g, int64_t words, int64_t width) {
  return TFC_MAX(0, words + 2 * padding(g, width) - width + 1);
}

/* Whether a row that is too short for all widths gives one piece: all its words. */
static bool is_short(const ngrams* g, int64_t words) {
  if (!g->keep_short || !words) return false;
  for (int i = 0; i < g->n; i++)
    if (count(g, words, g->widths[i])) return false;
  return true;
}

static int check_splits(tfc_context* ctx, const int64_t* splits, int64_t n, int64_t words) {
  if (splits[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "First split value must be 0, got %lld",
                     (long long)splits[0]);
  for (int64_t i = 1; i < n; i++)
    if (splits[i] < splits[i - 1] || splits[i] > words)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid split value %lld, must be in [%lld, %lld]", (long long)splits[i],
                       (long long)splits[i - 1], (long long)words);
  if (splits[n - 1] == words) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Last split value must be data size. Expected %lld, got %lld", (long long)words,
                   (long long)splits[n - 1]);
}

static int split_pieces(tfc_context* ctx, const int64_t* splits, int64_t rows, int64_t* total) {
  const ngrams* g = ctx->state;
  tfc_tensor* out = &ctx->outputs[1];
  const int64_t most = out->dtype == TFC_INT32 ? INT32_MAX : (int64_t)1 << 44;
  *total = 0;
  tfc_put_index(out, 0, 0);
  for (int64_t row = 0; row < rows; row++) {
    const int64_t words = splits[row + 1] - splits[row];
    for (int i = 0; i < g->n; i++) {
      if (g->widths[i] > INT32_MAX)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "ngram_widths[%d] is too large: %lld", i,
                         (long long)g->widths[i]);
      *total += count(g, words, g->widths[i]);
    }
    *total += is_short(g, words);
    if (*total > most)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "There are too many ngrams: %lld",
                       (long long)*total);
    tfc_put_index(out, row + 1, *total);
  }
  return TFC_OK;
}

static void add_word(const ngrams* g, text_buffer* text, const tfc_string* word, bool first) {
  if (!first) text_append(text, string_bytes(&g->separator), g->separator.size);
  text_append(text, string_bytes(word), word->size);
}

/* Piece `at` becomes `width` words from word `begin` on, which may lie before or after the row. */
static int write_piece(tfc_context* ctx, int64_t at, const tfc_string* row, int64_t words,
                       int64_t begin, int64_t width) {
  const ngrams* g = ctx->state;
  text_buffer text = {0};
  for (int64_t i = begin; i < begin + width; i++)
    add_word(g, &text, i < 0 ? &g->left : i < words ? &row[i] : &g->right, i == begin);
  return string_finish(ctx, at, &text);
}

static int write_row(tfc_context* ctx, const tfc_string* row, int64_t words, int64_t* at) {
  const ngrams* g = ctx->state;
  for (int i = 0; i < g->n; i++) {
    const int64_t width = g->widths[i], pad = padding(g, width), n = count(g, words, width);
    for (int64_t k = 0; k < n; k++) TFC_TRY(write_piece(ctx, (*at)++, row, words, k - pad, width));
  }
  if (!is_short(g, words)) return TFC_OK;
  return write_piece(ctx, (*at)++, row, words, -g->pad, words + 2 * g->pad);
}

static int compute(tfc_context* ctx) {
  const tfc_tensor *data = ctx->inputs[0], *t = ctx->inputs[1];
  int64_t total = 0, at = 0;
  TFC_TRY(tfc_output_like(ctx, 1, t));
  if (!t->n) return tfc_output(ctx, 0, 1, &total);
  int64_t* splits = tfc_scratch_items(ctx, t->n, sizeof *splits);
  if (!splits) return TFC_RESOURCE_EXHAUSTED;
  tfc_read_indices(t, splits);
  TFC_TRY(check_splits(ctx, splits, t->n, data->n));
  TFC_TRY(split_pieces(ctx, splits, t->n - 1, &total));
  TFC_TRY(tfc_output(ctx, 0, 1, &total));
  for (int64_t row = 0; row + 1 < t->n; row++)
    TFC_TRY(write_row(ctx, strings_of(data) + splits[row], splits[row + 1] - splits[row], &at));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringNGrams", "", compute, .create = create, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
