/* StringSplit, StringSplitV2: the pieces of a vector of strings, as a sparse matrix. */
#define _GNU_SOURCE /* memmem */

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

typedef struct splitting {
  const tfc_string* separator;
  bool second; /* the rules of StringSplitV2 */
  bool skip_empty;
  int64_t most; /* splits of a string; negative: any number */
} splitting;

/* The pieces of a string, one after the other. */
typedef struct piece_cursor {
  const splitting* rules;
  const char *at, *end; /* what is left; `at` NULL: nothing */
  int64_t splits;
  tfc_string piece;
} piece_cursor;

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static void skip_spaces(piece_cursor* c) {
  while (c->at < c->end && is_space(*c->at)) c->at++;
}

static void take(piece_cursor* c, const char* end, size_t separator) {
  c->piece = (tfc_string){(char*)c->at, (size_t)(end - c->at)};
  c->at = end == c->end ? NULL : end + separator;
}

/* The first place where StringSplit cuts: any byte of the separator. */
static const char* find_any(const piece_cursor* c) {
  const tfc_string* s = c->rules->separator;
  if (s->size == 1) {
    const char* found = memchr(c->at, s->data[0], (size_t)(c->end - c->at));
    return found ? found : c->end;
  }
  const char* p = c->at;
  while (p < c->end && !memchr(s->data, *p, s->size)) p++;
  return p;
}

static bool next_by_bytes(piece_cursor* c) {
  if (c->rules->separator->size == 0) { /* every byte is a piece */
    if (!c->at || c->at == c->end) return false;
    c->piece = (tfc_string){(char*)c->at++, 1};
    return true;
  }
  while (c->at) {
    take(c, find_any(c), 1);
    if (c->piece.size || !c->rules->skip_empty) return true;
  }
  return false;
}

static bool next_by_spaces(piece_cursor* c) {
  if (!c->at) return false;
  if (c->splits == 0) skip_spaces(c);
  if (c->rules->most > 0 && c->splits == c->rules->most) { /* the rest, even if it is empty */
    take(c, c->end, 0);
    c->at = NULL;
    return true;
  }
  if (c->at == c->end) return false;
  const char* p = c->at;
  while (p < c->end && !is_space(*p)) p++;
  c->piece = (tfc_string){(char*)c->at, (size_t)(p - c->at)};
  c->at = p;
  c->splits++;
  skip_spaces(c);
  return true;
}

static bool next_by_text(piece_cursor* c) {
  if (!c->at) return false;
  const tfc_string* s = c->rules->separator;
  const size_t left = (size_t)(c->end - c->at);
  const bool may = c->rules->most <= 0 || c->splits < c->rules->most;
  const char* found = may && left ? memmem(c->at, left, s->data, s->size) : NULL;
  c->piece = (tfc_string){(char*)c->at, found ? (size_t)(found - c->at) : left};
  c->at = found ? found + s->size : NULL;
  c->splits++;
  return true;
}

static bool next_piece(piece_cursor* c) {
  if (!c->rules->second) return next_by_bytes(c);
  if (c->rules->most == 0) {
    if (!c->at) return false;
    take(c, c->end, 0);
    return true;
  }
  return c->rules->separator->size ? next_by_text(c) : next_by_spaces(c);
}

static piece_cursor pieces_of(const splitting* rules, const tfc_string* s) {
  const char* bytes = string_bytes(s);
  const bool none = s->size == 0 && !rules->second; /* even if empty pieces count */
  return (piece_cursor){.rules = rules, .at = none ? NULL : bytes, .end = bytes + s->size};
}

/* For each string how many pieces it has, and where they begin in the result. */
typedef struct split_run {
  splitting rules;
  int64_t *counts, *starts;
} split_run;

static int count_pieces(tfc_context* ctx, const void* arg, int64_t i) {
  const split_run* r = arg;
  piece_cursor c = pieces_of(&r->rules, strings_of(ctx->inputs[0]) + i);
  int64_t n = 0;
  while (next_piece(&c)) n++;
  r->counts[i] = n;
  return TFC_OK;
}

static int write_pieces(tfc_context* ctx, const void* arg, int64_t i) {
  const split_run* r = arg;
  piece_cursor c = pieces_of(&r->rules, strings_of(ctx->inputs[0]) + i);
  int64_t* indices = (int64_t*)ctx->outputs[0].data + 2 * r->starts[i];
  for (int64_t k = 0; k < r->counts[i] && next_piece(&c); k++) {
    indices[2 * k] = i;
    indices[2 * k + 1] = k;
    TFC_TRY(tfc_string_set(ctx, &ctx->outputs[1], r->starts[i] + k, c.piece.data, c.piece.size));
  }
  return TFC_OK;
}

static int split_strings(tfc_context* ctx, splitting rules, const char* separator_name) {
  const tfc_tensor *x = ctx->inputs[0], *separator = ctx->inputs[1];
  if (x->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be a vector, got shape: %s",
                     tfc_shape_text(x).text);
  if (separator->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar, got shape: %s",
                     separator_name, tfc_shape_text(separator).text);
  rules.separator = strings_of(separator);
  split_run r = {.rules = rules};
  r.counts = tfc_scratch_items(ctx, x->n + 1, sizeof(int64_t));
  r.starts = tfc_scratch_items(ctx, x->n + 1, sizeof(int64_t));
  if (!r.counts || !r.starts) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(string_for(ctx, x->n, 100, count_pieces, &r));
  int64_t n = 0, most = 0;
  for (int64_t i = 0; i < x->n; i++) {
    r.starts[i] = n;
    n += r.counts[i];
    most = TFC_MAX(most, r.counts[i]);
  }
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){n, 2}));
  TFC_TRY(tfc_output(ctx, 1, 1, &n));
  TFC_TRY(tfc_output(ctx, 2, 1, (int64_t[]){2}));
  ((int64_t*)ctx->outputs[2].data)[0] = x->n;
  ((int64_t*)ctx->outputs[2].data)[1] = most;
  return string_for(ctx, x->n, 300, write_pieces, &r);
}

static int create_split(tfc_construction* c, void** state) {
  splitting* rules = tfc_new_state(c, sizeof *rules);
  if (!rules) return TFC_RESOURCE_EXHAUSTED;
  rules->second = strcmp(c->op_type, "StringSplitV2") == 0;
  const int code = rules->second ? c->api->attr_int(c, "maxsplit", &rules->most)
                                 : c->api->attr_bool(c, "skip_empty", &rules->skip_empty);
  if (code) free(rules);
  *state = code ? NULL : rules;
  return code;
}

static int string_split(tfc_context* ctx) {
  const splitting* rules = ctx->state;
  return split_strings(ctx, *rules, rules->second ? "sep" : "delimiter");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringSplit", "", string_split, TFC_STATE(create_split)),
    TFC_ROW("StringSplitV2", "", string_split, TFC_STATE(create_split)),
};
TFC_REGISTER_KERNELS(kernels);
