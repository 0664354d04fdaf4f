/* RegexFullMatch, RegexReplace and their forms with a static pattern. */
#include "kernels_c/strings/regex.h"

#include <pthread.h>

TFC_ONE_LEVEL;

/* The state of a kernel. The expression of a static pattern is made once; otherwise that of the
 * last run is kept, under the mutex. */
typedef struct regex_kernel {
  bool is_static, replace_all;
  tfc_string rewrite; /* of a static pattern */
  pthread_mutex_t mutex;
  tfc_string pattern;
  regex* re;
} regex_kernel;

/* ---- Making expressions. */

typedef struct regex_message {
  text_buffer text;
  int code;
} regex_message;

static regex_message explain(const tfc_string* pattern, const regex_error* error) {
  regex_message m = {.code = error->text ? TFC_INVALID_ARGUMENT : TFC_RESOURCE_EXHAUSTED};
  if (!error->text) {
    text_add(&m.text, "Out of memory");
    return m;
  }
  text_add(&m.text, "Invalid pattern: ");
  text_append(&m.text, string_bytes(pattern), pattern->size);
  text_add(&m.text, ", error: ");
  text_add(&m.text, error->text);
  if (error->size) {
    text_add(&m.text, ": ");
    text_append(&m.text, error->part, error->size);
  }
  return m;
}

static int compile(tfc_context* ctx, const tfc_string* pattern, regex** re) {
  regex_error error;
  *re = regex_compile(string_bytes(pattern), pattern->size, &error);
  if (*re) return TFC_OK;
  regex_message m = explain(pattern, &error);
  tfc_error(ctx, m.code, "%s", text_c(&m.text));
  text_free(&m.text);
  return m.code;
}

static bool keep_pattern(regex_kernel* k, const tfc_string* pattern) {
  char* kept = malloc(pattern->size + 1);
  if (!kept) return false;
  memcpy(kept, string_bytes(pattern), pattern->size);
  free(k->pattern.data);
  k->pattern = (tfc_string){kept, pattern->size};
  return true;
}

/* The expression of this run; release it afterwards. */
static int take_regex(tfc_context* ctx, regex** re) {
  regex_kernel* k = ctx->state;
  *re = NULL;
  if (k->is_static) {
    *re = regex_share(k->re);
    return TFC_OK;
  }
  TFC_TRY(tfc_want_scalar(ctx, 1, "Pattern must be scalar, but received"));
  const tfc_string* pattern = strings_of(ctx->inputs[1]);
  pthread_mutex_lock(&k->mutex);
  if (k->re && k->pattern.size == pattern->size &&
      memcmp(k->pattern.data, string_bytes(pattern), pattern->size) == 0)
    *re = regex_share(k->re);
  pthread_mutex_unlock(&k->mutex);
  if (*re) return TFC_OK;
  TFC_TRY(compile(ctx, pattern, re));
  regex* old = NULL;
  pthread_mutex_lock(&k->mutex);
  if (keep_pattern(k, pattern)) {
    old = k->re;
    k->re = regex_share(*re);
  }
  pthread_mutex_unlock(&k->mutex);
  regex_release(old);
  return TFC_OK;
}

/* ---- All strings of an input. */

typedef struct regex_run {
  tfc_context* ctx;
  const regex* re;
  bool replace_all;
  const tfc_string* rewrite;
  int n_groups; /* that the rewrite names */
  int (*element)(const struct regex_run* run, regex_machine* m, int64_t i);
  int failed; /* atomic */
} regex_run;

static void run_range(void* arg, int64_t begin, int64_t end) {
  regex_run* run = arg;
  regex_machine* m = regex_machine_new(run->ctx, run->re, run->n_groups);
  bool failed = !m;
  for (int64_t i = begin; i < end && !failed; i++) failed = run->element(run, m, i) != TFC_OK;
  regex_machine_free(m);
  if (failed) __atomic_store_n(&run->failed, 1, __ATOMIC_RELAXED);
}

static int run_all(regex_run* run) {
  tfc_context* ctx = run->ctx;
  const tfc_tensor* input = ctx->inputs[0];
  double bytes = 0;
  for (int64_t i = 0; i < input->n; i++) bytes += (double)strings_of(input)[i].size;
  const double each = input->n ? bytes / (double)input->n : 0;
  tfc_parallel_for(ctx, input->n, 50 + 20 * each, run_range, run);
  if (tfc_cancelled(ctx)) return TFC_CANCELLED;
  return run->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

static int match_element(const regex_run* run, regex_machine* m, int64_t i) {
  int64_t bounds[2];
  ((bool*)run->ctx->outputs[0].data)[i] =
      regex_search(m, strings_of(run->ctx->inputs[0]) + i, 0, true, bounds);
  return TFC_OK;
}

static int full_match(tfc_context* ctx) {
  regex* re;
  TFC_TRY(take_regex(ctx, &re));
  int code = tfc_output_like(ctx, 0, ctx->inputs[0]);
  regex_run run = {.ctx = ctx, .re = re, .element = match_element};
  if (code == TFC_OK) code = run_all(&run);
  regex_release(re);
  return code;
}

/* ---- Replacement. */

/* The largest number of a group that a rewrite names. */
static int last_group(const tfc_string* rewrite) {
  int last = 0;
  for (size_t i = 0; i + 1 < rewrite->size; i++)
    if (rewrite->data[i] == '\\') {
      const char c = rewrite->data[++i];
      if (c >= '0' && c <= '9') last = TFC_MAX(last, c - '0');
    }
  return last;
}

/* Whether a backslash is always before a digit or another backslash. */
static bool is_valid(const tfc_string* rewrite) {
  for (size_t i = 0; i < rewrite->size; i++)
    if (rewrite->data[i] == '\\') {
      if (++i == rewrite->size) return false;
      const char c = rewrite->data[i];
      if (c != '\\' && (c < '0' || c > '9')) return false;
    }
  return true;
}

/* Ends where the rewrite is not valid. */
static void add_rewrite(text_buffer* out, const tfc_string* rewrite, const tfc_string* text,
                        const int64_t* bounds) {
  for (size_t i = 0; i < rewrite->size; i++) {
    const char c = rewrite->data[i];
    if (c != '\\') {
      text_append(out, &c, 1);
      continue;
    }
    const char escaped = ++i < rewrite->size ? rewrite->data[i] : '\0';
    if (escaped == '\\') {
      text_append(out, &escaped, 1);
    } else if (escaped >= '0' && escaped <= '9') {
      const int64_t* group = bounds + 2 * (escaped - '0');
      if (group[1] > group[0] && group[0] >= 0)
        text_append(out, text->data + group[0], (size_t)(group[1] - group[0]));
    } else {
      return;
    }
  }
}

/* Copies one character, or a byte that begins none. Returns the place behind it. */
static int64_t copy_character(text_buffer* out, const tfc_string* text, int64_t at) {
  int32_t rune;
  const size_t left = text->size - (size_t)at;
  int n = regex_decode(text->data + at, left, &rune);
  if (n == 0) n = left > 0;
  if (n) text_append(out, text->data + at, (size_t)n);
  return at + TFC_MAX(n, 1);
}

static void replace_all(const regex_run* run, regex_machine* m, const tfc_string* text,
                        text_buffer* out) {
  const int64_t size = (int64_t)text->size;
  int64_t at = 0, last_end = -1, bounds[2 * 10];
  while (at <= size && regex_search(m, text, at, false, bounds)) {
    if (bounds[0] > at) text_append(out, text->data + at, (size_t)(bounds[0] - at));
    if (bounds[0] == last_end && bounds[1] == last_end) { /* an empty match just behind another */
      at = copy_character(out, text, bounds[0]);
      continue;
    }
    add_rewrite(out, run->rewrite, text, bounds);
    at = last_end = bounds[1];
  }
  if (at < size) text_append(out, text->data + at, (size_t)(size - at));
}

static void replace_first(const regex_run* run, regex_machine* m, const tfc_string* text,
                          text_buffer* out) {
  int64_t bounds[2 * 10] = {0};
  const bool found = is_valid(run->rewrite) && regex_search(m, text, 0, false, bounds);
  if (bounds[0] > 0) text_append(out, text->data, (size_t)bounds[0]);
  if (found) add_rewrite(out, run->rewrite, text, bounds);
  const size_t rest = text->size - (size_t)bounds[1];
  if (rest) text_append(out, text->data + bounds[1], rest);
}

static int replace_element(const regex_run* run, regex_machine* m, int64_t i) {
  const tfc_string* text = strings_of(run->ctx->inputs[0]) + i;
  text_buffer out = {0};
  if (run->replace_all)
    replace_all(run, m, text, &out);
  else
    replace_first(run, m, text, &out);
  return string_finish(run->ctx, i, &out);
}

static int replace(tfc_context* ctx) {
  const regex_kernel* k = ctx->state;
  const tfc_string* rewrite = &k->rewrite;
  regex* re;
  TFC_TRY(take_regex(ctx, &re));
  if (!k->is_static) {
    const int code = tfc_want_scalar(ctx, 2, "Rewrite must be scalar, but received");
    if (code) {
      regex_release(re);
      return code;
    }
    rewrite = strings_of(ctx->inputs[2]);
  }
  regex_run run = {ctx, re, k->replace_all, rewrite, last_group(rewrite), replace_element, 0};
  int code;
  if (run.n_groups > re->n_groups) { /* as RE2: nothing is replaced */
    code = tfc_output_input(ctx, 0, 0);
  } else {
    code = tfc_output_like(ctx, 0, ctx->inputs[0]);
    if (code == TFC_OK) code = run_all(&run);
  }
  regex_release(re);
  return code;
}

/* ---- Kernels. */

static void destroy(void* state) {
  regex_kernel* k = state;
  regex_release(k->re);
  free(k->pattern.data);
  free(k->rewrite.data);
  pthread_mutex_destroy(&k->mutex);
  free(k);
}

static int make_static(tfc_construction* c, regex_kernel* k) {
  regex_error error;
  TFC_TRY(string_attr(c, "pattern", &k->pattern));
  k->re = regex_compile(k->pattern.data, k->pattern.size, &error);
  if (k->re) return TFC_OK;
  regex_message m = explain(&k->pattern, &error);
  c->api->error(c, m.code, "%s", text_c(&m.text));
  text_free(&m.text);
  return m.code;
}

static int create_kernel(tfc_construction* c, bool is_static, bool replaces, void** state) {
  regex_kernel* k = calloc(1, sizeof *k);
  if (!k) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  pthread_mutex_init(&k->mutex, NULL);
  k->is_static = is_static;
  int code = is_static ? make_static(c, k) : TFC_OK;
  if (code == TFC_OK && replaces) code = c->api->attr_bool(c, "replace_global", &k->replace_all);
  if (code == TFC_OK && replaces && is_static) code = string_attr(c, "rewrite", &k->rewrite);
  if (code) {
    destroy(k);
    return code;
  }
  *state = k;
  return TFC_OK;
}

static int create_match(tfc_construction* c, void** state) {
  return create_kernel(c, false, false, state);
}
static int create_static_match(tfc_construction* c, void** state) {
  return create_kernel(c, true, false, state);
}
static int create_replace(tfc_construction* c, void** state) {
  return create_kernel(c, false, true, state);
}
static int create_static_replace(tfc_construction* c, void** state) {
  return create_kernel(c, true, true, state);
}

#define ROW(OP, COMPUTE, CREATE) \
  {.op = OP,                     \
   .device = "CPU",              \
   .types = "",                  \
   .compute = COMPUTE,           \
   .create = CREATE,             \
   .destroy = destroy,           \
   .flags = TFC_KERNEL_LEAVES_LOOPS}

static const tfc_kernel_def string_regexes[] = {
    ROW("RegexFullMatch", full_match, create_match),
    ROW("StaticRegexFullMatch", full_match, create_static_match),
    ROW("RegexReplace", replace, create_replace),
    ROW("StaticRegexReplace", replace, create_static_replace),
};
TFC_REGISTER_KERNELS(string_regexes);
