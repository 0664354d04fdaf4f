/* Checks of shapes; Assert and Print: tensors as text, in an error or on standard error. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"

TFC_ALL_DEVICES;

/* Whether broadcasting repeats `a`, aligned at the last axis, along an axis of `b`. */
static bool is_repeated(const tfc_tensor* a, const tfc_tensor* b) {
  for (int i = 1; i <= b->rank; i++)
    if ((i > a->rank || a->dims[a->rank - i] == 1) && b->dims[b->rank - i] != 1) return true;
  return false;
}

static int check_broadcast(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (x->rank == y->rank || x->rank == 0 || y->rank == 0 || !is_repeated(x, y) ||
      !is_repeated(y, x))
    return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Strict broadcasting: operands of shapes %s and %s would both be repeated",
                   tfc_shape_text(x).text, tfc_shape_text(y).text);
}

#if !TFC_FOR_GPU

typedef struct check_state {
  int64_t summarize;
  int64_t left;  /* how often Print still prints; negative: without end. Atomic. */
  char* message; /* of Print */
  size_t message_size;
} check_state;

static void check_destroy(void* state) {
  free(((check_state*)state)->message);
  free(state);
}

static int check_create(tfc_construction* c, void** state) {
  check_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int code = c->api->attr_int(c, "summarize", &s->summarize);
  *state = s;
  if (code) check_destroy(s);
  return code;
}

static int print_create(tfc_construction* c, void** state) {
  const char* message = NULL;
  size_t size = 0;
  TFC_TRY(check_create(c, state));
  check_state* s = *state;
  int code = c->api->attr_int(c, "first_n", &s->left);
  if (!code) code = c->api->attr_string(c, "message", &message, &size);
  if (!code) {
    s->message = malloc(size + 1);
    s->message_size = size;
    if (s->message)
      memcpy(s->message, message, size);
    else
      code = c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  }
  if (code) check_destroy(s);
  return code;
}

/* "[..] [..]" or "[..][..]" of the inputs from the second on. */
static void add_data(tfc_context* ctx, text_buffer* text, const char* between) {
  const check_state* s = ctx->state;
  for (int i = 1; i < ctx->n_inputs; i++) {
    if (i > 1) text_add(text, between);
    text_add(text, "[");
    text_add_tensor(text, ctx->inputs[i], s->summarize);
    text_add(text, "]");
  }
}

static int assert_true(tfc_context* ctx) {
  const tfc_tensor* condition = ctx->inputs[0];
  if (condition->n != 1 || condition->rank > 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[0] should be a scalar: %s",
                     tfc_shape_text(condition).text);
  if (*(const uint8_t*)condition->data) return TFC_OK;
  text_buffer text = {0};
  add_data(ctx, &text, " ");
  int code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "assertion failed: %s", text_c(&text));
  text_free(&text);
  return code;
}

/* Returns whether to print this time; counts down unless negative. */
static bool take_turn(check_state* s) {
  int64_t left = __atomic_load_n(&s->left, __ATOMIC_RELAXED);
  while (left > 0)
    if (__atomic_compare_exchange_n(&s->left, &left, left - 1, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
  return left < 0;
}

static int print_data(tfc_context* ctx) {
  check_state* s = ctx->state;
  if (take_turn(s)) {
    text_buffer text = {0};
    text_append(&text, s->message, s->message_size);
    add_data(ctx, &text, "");
    text_add(&text, "\n");
    fputs(text_c(&text), stderr); /* one call, so that lines of other threads do not mix in */
    fflush(stderr);
    text_free(&text);
  }
  return tfc_output_input(ctx, 0, 0);
}

#endif

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_CheckBroadcast", "", check_broadcast),
#if !TFC_FOR_GPU
    TFC_ROW("Assert", "", assert_true, .create = check_create, .destroy = check_destroy),
    TFC_ROW("Print", "", print_data, .create = print_create, .destroy = check_destroy,
            .flags = TFC_KERNEL_STATEFUL),
#endif
};
TFC_REGISTER_KERNELS(kernels);
