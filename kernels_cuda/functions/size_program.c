/* Programs that compute sizes: reads them, and runs them on the shapes of a step. */
#include "kernels_cuda/functions/size_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/common.h"

enum kind {
  NUMBER,
  SIZE,
  RANK,
  DIM,
  DIMS,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  DIVIDE_UP,
  MODULO,
  MIN,
  MAX
};

static const int64_t END = INT64_MAX; /* of a range of dimensions */

/* ---- Reading */

static bool read_number(const char** text, int64_t* value) {
  char* end;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  const bool good = end != *text && !errno;
  *text = end;
  return good;
}

/* "size", "ndim", "1", "0:-1" or "1:" behind the point. */
static bool read_property(const char* text, tfc_size_step* s) {
  s->kind = !strcmp(text, "size") ? SIZE : !strcmp(text, "ndim") ? RANK : DIM;
  if (s->kind != DIM) return true;
  if (!read_number(&text, &s->a)) return false;
  if (!*text) return true;
  s->kind = DIMS;
  s->b = END;
  return *text++ == ':' && (!*text || (read_number(&text, &s->b) && !*text));
}

static bool read_operation(const char* word, tfc_size_step* s) {
  static const struct {
    char name[5];
    int kind;
  } names[] = {{"+", ADD},          {"-", SUBTRACT}, {"*", MULTIPLY}, {"//", DIVIDE},
               {"cdiv", DIVIDE_UP}, {"%", MODULO},   {"min", MIN},    {"max", MAX}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(word, names[i].name)) {
      s->kind = names[i].kind;
      return true;
    }
  return false;
}

static bool read_step(const char* word, int n_inputs, tfc_size_step* s) {
  if (read_operation(word, s)) return true;
  int64_t input = 0;
  if (*word != 'i') {
    s->kind = NUMBER;
    return read_number(&word, &s->a) && !*word;
  }
  word++;
  if (!read_number(&word, &input) || input < 0 || input >= n_inputs || *word++ != '.') return false;
  s->input = (int)input;
  return read_property(word, s);
}

int tfc_size_program_read(tfc_construction* c, const char* text, size_t size, tfc_size_program* p) {
  char* copy = strndup(text, size); /* words, each with its own end */
  p->steps = calloc(size / 2 + 1, sizeof *p->steps);
  int code = copy && p->steps ? TFC_OK : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  char* rest = NULL;
  for (char* word = code ? NULL : strtok_r(copy, " ", &rest); word && !code;
       word = strtok_r(NULL, " ", &rest))
    if (!read_step(word, c->n_inputs, &p->steps[p->n_steps++]))
      code =
          c->api->error(c, TFC_INVALID_ARGUMENT,
                        "'%s' is not a word of a program for sizes: '%.*s'", word, (int)size, text);
  free(copy);
  return code;
}

void tfc_size_program_free(tfc_size_program* p) {
  free(p->steps);
}

/* ---- Running */

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* False: an overflow, or a division by zero. */
static bool combine(int kind, int64_t a, int64_t b, int64_t* out) {
  const bool divides = kind == DIVIDE || kind == DIVIDE_UP || kind == MODULO;
  if (divides && (!b || (a == INT64_MIN && b == -1))) return false;
  switch (kind) {
    case ADD: return !__builtin_add_overflow(a, b, out);
    case SUBTRACT: return !__builtin_sub_overflow(a, b, out);
    case MULTIPLY: return !__builtin_mul_overflow(a, b, out);
    case DIVIDE: *out = floor_div(a, b); return true;
    case DIVIDE_UP: *out = floor_div(a, b) + (a % b != 0); return true;
    case MODULO: *out = a - floor_div(a, b) * b; return true;
    case MIN: *out = a < b ? a : b; return true;
    default: *out = a > b ? a : b; return true;
  }
}

/* A position among dimensions, which may be counted from the end. */
static int64_t position(int64_t at, int rank) {
  return at < 0 ? at + rank : at;
}

/* A position in a slice, as in Python. */
static int64_t slice_position(int64_t at, int rank) {
  at = position(at, rank);
  return at < 0 ? 0 : at > rank ? rank : at;
}

static int no_dimension(tfc_context* ctx, const char* what, const tfc_size_step* s, int rank) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: input %d has no dimension %lld: its rank is %d",
                   what, s->input, (long long)s->a, rank);
}

static int too_many(tfc_context* ctx, const char* what) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: more than %d sizes", what, TFC_MOST_SIZES);
}

/* Puts dimensions onto the stack. */
static int push_dims(tfc_context* ctx, const tfc_size_step* s, const char* what, int64_t* sizes,
                     int* n) {
  const tfc_tensor* t = ctx->inputs[s->input];
  int64_t first, end;
  if (s->kind == DIM) {
    first = position(s->a, t->rank);
    if (first < 0 || first >= t->rank) return no_dimension(ctx, what, s, t->rank);
    end = first + 1;
  } else {
    first = slice_position(s->a, t->rank);
    end = slice_position(s->b, t->rank);
  }
  if (end - first > TFC_MOST_SIZES - *n) return too_many(ctx, what);
  for (int64_t d = first; d < end; d++) sizes[(*n)++] = t->dims[d];
  return TFC_OK;
}

static int run_step(tfc_context* ctx, const tfc_size_step* s, const char* what, int64_t* sizes,
                    int* n) {
  if (s->kind < DIM && *n == TFC_MOST_SIZES) return too_many(ctx, what);
  switch (s->kind) {
    case NUMBER: sizes[(*n)++] = s->a; return TFC_OK;
    case SIZE: sizes[(*n)++] = ctx->inputs[s->input]->n; return TFC_OK;
    case RANK: sizes[(*n)++] = ctx->inputs[s->input]->rank; return TFC_OK;
    case DIM:
    case DIMS: return push_dims(ctx, s, what, sizes, n);
  }
  if (*n < 2) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: a program without operands", what);
  const int64_t a = sizes[*n - 2], b = sizes[*n - 1];
  if (!combine(s->kind, a, b, &sizes[*n - 2]))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: %s of %lld and %lld", what,
                     b ? "an overflow" : "a division by zero", (long long)a, (long long)b);
  --*n;
  return TFC_OK;
}

int tfc_size_program_run(tfc_context* ctx, const tfc_size_program* p, const char* what,
                         int64_t* sizes, int* n) {
  *n = 0;
  for (int i = 0; i < p->n_steps; i++) TFC_TRY(run_step(ctx, &p->steps[i], what, sizes, n));
  return TFC_OK;
}
