/* StringFormat and PrintV2: the ops of tf.print and tf.strings.format. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"

TFC_ONE_LEVEL;

/* ---- Tensors with their first and last elements, brackets around every dimension. */

static void add_element(text_buffer* b, const tfc_tensor* t, int64_t i) {
  bool quoted = t->dtype == TFC_STRING;
  if (quoted) text_add(b, "\"");
  text_add_element(b, t, i);
  if (quoted) text_add(b, "\"");
}

/* Between two parts of dimension `dim`: a space, or lines that set rows and planes apart. */
static void add_spacing(text_buffer* b, int dim, int rank) {
  if (dim == rank - 1) {
    text_add(b, " ");
    return;
  }
  for (int i = 0; i < rank - dim - 1; i++) text_add(b, "\n");
  for (int i = 0; i <= dim; i++) text_add(b, " ");
}

static void add_dimension(text_buffer* b, const tfc_tensor* t, int dim, int64_t ends,
                          int64_t first) {
  if (dim == t->rank) {
    add_element(b, t, first);
    return;
  }
  int64_t count = t->dims[dim], stride = 1;
  for (int i = dim + 1; i < t->rank; i++) stride *= t->dims[i];
  bool complete = count <= 2 * ends;
  text_add(b, "[");
  for (int64_t i = 0; i < count; i++) {
    bool shown = complete || i < ends || i >= count - ends;
    if (!shown && i > ends) continue;
    if (i > 0 || !shown) add_spacing(b, dim, t->rank);
    if (shown)
      add_dimension(b, t, dim + 1, ends, first + i * stride);
    else
      text_add(b, "...");
  }
  text_add(b, "]");
}

static void add_summary(text_buffer* b, const tfc_tensor* t, int64_t summarize) {
  int64_t ends = summarize < 0 || summarize > t->n ? t->n : summarize;
  if (t->rank == 0 && ends == 0)
    text_add(b, "...");
  else
    add_dimension(b, t, 0, ends, 0);
}

/* ---- StringFormat. */

typedef struct format_state {
  char *template, *placeholder;
  int64_t summarize;
} format_state;

static void format_destroy(void* state) {
  format_state* s = state;
  free(s->template);
  free(s->placeholder);
  free(s);
}

/* A NUL-terminated copy of a string attribute. */
static int copy_attr(tfc_construction* c, const char* name, char** copy) {
  const char* data;
  size_t size;
  TFC_TRY(c->api->attr_string(c, name, &data, &size));
  *copy = malloc(size + 1);
  if (!*copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(*copy, data, size);
  (*copy)[size] = '\0';
  return TFC_OK;
}

static int format_create(tfc_construction* c, void** state) {
  format_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int code = copy_attr(c, "template", &s->template);
  if (!code) code = copy_attr(c, "placeholder", &s->placeholder);
  if (!code) code = c->api->attr_int(c, "summarize", &s->summarize);
  if (!code && !*s->placeholder)
    code = c->api->error(c, TFC_INVALID_ARGUMENT, "placeholder must not be empty");
  *state = s;
  if (code) format_destroy(s);
  return code;
}

static int string_format(tfc_context* ctx) {
  const format_state* s = ctx->state;
  text_buffer text = {0};
  const char* from = s->template;
  int used = 0;
  for (const char* at; (at = strstr(from, s->placeholder)); used++) {
    text_append(&text, from, (size_t)(at - from));
    if (used < ctx->n_inputs) add_summary(&text, ctx->inputs[used], s->summarize);
    from = at + strlen(s->placeholder);
  }
  text_add(&text, from);
  int code = TFC_OK;
  if (used != ctx->n_inputs)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Num placeholders in template and num inputs must match: %d vs. %d", used,
                     ctx->n_inputs);
  if (!code) code = tfc_output_scalar(ctx, 0);
  if (!code) code = tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(&text), text.size);
  text_free(&text);
  return code;
}

/* ---- PrintV2. */

typedef struct print_state {
  char *stream, *end;
} print_state;

static void print_destroy(void* state) {
  print_state* s = state;
  free(s->stream);
  free(s->end);
  free(s);
}

static int print_create(tfc_construction* c, void** state) {
  print_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int code = copy_attr(c, "output_stream", &s->stream);
  if (!code) code = copy_attr(c, "end", &s->end);
  *state = s;
  if (code) print_destroy(s);
  return code;
}

static int write_text(tfc_context* ctx, const char* stream, const text_buffer* text) {
  const char prefix[] = "file://";
  bool to_file = strncmp(stream, prefix, sizeof prefix - 1) == 0;
  FILE* file = strcmp(stream, "stdout") == 0 ? stdout : stderr;
  if (to_file) file = fopen(stream + sizeof prefix - 1, "a");
  if (!file) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "cannot write to %s", stream);
  fwrite(text_c(text), 1, text->size, file); /* one call: lines of other threads do not mix in */
  fflush(file);
  if (to_file) fclose(file);
  return TFC_OK;
}

static int print_string(tfc_context* ctx) {
  const print_state* s = ctx->state;
  const tfc_tensor* input = ctx->inputs[0];
  if (input->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input is expected to be scalar, but got %s",
                     tfc_shape_text(input).text);
  const tfc_string* string = input->data;
  text_buffer text = {0};
  if (strncmp(s->stream, "log(", 4) == 0)
    text_add(&text, s->stream[4] == 'i' ? "INFO: " : s->stream[4] == 'w' ? "WARNING: " : "ERROR: ");
  text_append(&text, string->data ? string->data : "", string->size);
  text_add(&text, s->end);
  int code = write_text(ctx, s->stream, &text);
  text_free(&text);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringFormat", "", string_format, .create = format_create, .destroy = format_destroy),
    TFC_ROW("PrintV2", "", print_string, .create = print_create, .destroy = print_destroy),
};
TFC_REGISTER_KERNELS(kernels);
