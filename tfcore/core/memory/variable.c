/* Variables: how they are made and read, and how kernels refer to, lock and change them. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "registry/context.h"

static void free_variable(tfc_variable* v) {
  free(v->name);
  free(v->container);
  free(v);
}

tfc_variable* tfc_variable_new(const char* name, const char* container, int32_t dtype) {
  tfc_variable* v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->name = strdup(name);
  if (container) v->container = strdup(container);
  if (!v->name || (container && !v->container)) {
    free_variable(v);
    return NULL;
  }
  v->dtype = v->value.dtype = dtype;
  v->value.rank = -1;
  v->refs = 1;
  pthread_mutex_init(&v->mutex, NULL);
  return v;
}

void tfc_variable_unref(tfc_variable* v) {
  if (__atomic_sub_fetch(&v->refs, 1, __ATOMIC_ACQ_REL)) return;
  if (v->tracker) v->tracker->destroyed(v->tracker);
  tfc_tensor_clear(&v->value);
  pthread_mutex_destroy(&v->mutex);
  free_variable(v);
}

void tfc_variable_uninitialized(const tfc_variable* v, char* text, size_t size) {
  if (!v->container) {
    snprintf(text, size, "Attempting to use uninitialized value %s", v->name);
    return;
  }
  snprintf(
      text, size,
      "Error while reading resource variable %s from Container: %s. This could mean that the "
      "variable was uninitialized. Not found: Resource %s/%s/N10tensorflow3VarE does not exist.",
      v->name, v->container, v->container, v->name);
}

bool tfc_variable_read(tfc_variable* v, tfc_tensor* out) {
  pthread_mutex_lock(&v->mutex);
  bool ok = v->value.buffer != NULL;
  if (ok) {
    tfc_buffer_ref(v->value.buffer);
    *out = v->value;
  }
  pthread_mutex_unlock(&v->mutex);
  return ok;
}

int tfc_variable_read_in(tfc_variable* v, tfc_device* device, tfc_tensor* out) {
  int code = TFC_OK;
  pthread_mutex_lock(&v->mutex);
  tfc_buffer* b = v->value.buffer;
  if (!b) {
    code = TFC_FAILED_PRECONDITION;
  } else if (__builtin_expect(b->device != device, 0) && !tfc_tensor_move(&v->value, device)) {
    code = TFC_RESOURCE_EXHAUSTED;
  } else {
    tfc_buffer_ref(v->value.buffer);
    *out = v->value;
  }
  pthread_mutex_unlock(&v->mutex);
  return code;
}

/* ---- For a running kernel (entries of tfc_api) */

int tfc_output_to_variable(tfc_context* ctx, int i, void* variable) {
  if (!tfc_has_output(ctx, i)) return tfc_no_such_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (out->dtype < TFC_REF)
    return tfc_context_error(ctx, TFC_INTERNAL, "output %d is not a reference to a variable", i);
  out->data = variable;
  out->buffer = NULL;
  out->n = 0;
  out->rank = 0;
  return TFC_OK;
}

/* TFC_OK if the input is a reference to a variable. */
static int check_ref(tfc_context* ctx, int input) {
  if (!tfc_has_input(ctx, input)) return tfc_no_such_input(ctx, input);
  if (ctx->inputs[input]->dtype >= TFC_REF) return TFC_OK;
  return tfc_context_error(ctx, TFC_INVALID_ARGUMENT, "input %d is not a reference to a variable",
                           input);
}

int tfc_output_reference(tfc_context* ctx, int i, int input) {
  int code = check_ref(ctx, input);
  if (code) return code;
  return tfc_output_to_variable(ctx, i, ctx->inputs[input]->data);
}

/* Tells the tracker of a variable what the kernel may have changed. */
static void note_change(const tfc_node_context* node, const tfc_variable* v) {
  const unsigned mode = node->lock_mode;
  if (!(mode & (TFC_REF_WRITE | TFC_REF_REPLACE))) return;
  const tfc_tensor* rows = NULL;
  int64_t step = 1;
  if (mode & TFC_REF_ROWS) rows = node->pub.inputs[mode >> TFC_REF_ROWS_SHIFT];
  /* A vector of positions has one index in each; a position without indices is all of it. */
  if (mode & TFC_REF_POSITIONS && rows->rank > 1) step = rows->dims[rows->rank - 1];
  if (!step) rows = NULL;
  v->tracker->changed(v->tracker, rows, step);
}

void tfc_unlock_variables(tfc_context* ctx) {
  tfc_node_context* node = tfc_node_of(ctx);
  for (int i = 0; i < node->n_locked; i++) {
    tfc_variable* v = node->locked[i];
    if (__builtin_expect(v->tracker != NULL, 0)) note_change(node, v);
    pthread_mutex_unlock(&v->mutex);
  }
  node->n_locked = 0;
}

void tfc_unlock_all(tfc_node_context* ctx) {
  tfc_unlock_variables(&ctx->pub);
}

/* Locks each variable once, in the order of addresses, so that kernels never deadlock. */
static void lock_sorted(tfc_node_context* node, int n, tfc_variable** wanted) {
  for (int i = 0; i < n; i++) {
    tfc_variable* v = wanted[i];
    int at = node->n_locked;
    bool seen = false;
    for (int j = 0; j < node->n_locked; j++) seen |= node->locked[j] == v;
    if (seen) continue;
    for (; at > 0 && node->locked[at - 1] > v; at--) node->locked[at] = node->locked[at - 1];
    node->locked[at] = v;
    node->n_locked++;
  }
  for (int i = 0; i < node->n_locked; i++) pthread_mutex_lock(&node->locked[i]->mutex);
}

/* Another step that gathers a few rows releases a large variable sooner than it could be copied, so
 * this waits for it for at most a quarter of the time of a copy (at 10 bytes per ns), and
 * for 5 ms. */
static bool readers_leave(const tfc_buffer* b) {
  enum { LARGE = 1 << 20, BYTES_PER_NS = 40, MOST_NS = 5000000 };
  if (b->size < LARGE || b->device || b->flags & TFC_BUFFER_BORROWED) return false;
  int64_t until = 0;
  while (tfc_pool_computing() > 1) {
    if (tfc_buffer_exclusive(b)) return true;
    int64_t now = tfc_now_ns();
    if (!until) {
      int64_t patience = (int64_t)(b->size / BYTES_PER_NS);
      until = now + (patience < MOST_NS ? patience : MOST_NS);
    }
    if (now >= until) return false;
    sched_yield();
  }
  return tfc_buffer_exclusive(b);
}

static void copy_range(void* arg, int64_t begin, int64_t end) {
  tfc_tensor* const* copies = arg;
  memcpy((char*)copies[0]->data + begin, (const char*)copies[1]->data + begin,
         (size_t)(end - begin));
}

/* On the host, all threads of the step copy, because other steps wait for the variable. A
 * cancellation does not end the loop early, because this kernel holds the variable's lock. */
static int copy_value(tfc_context* ctx, tfc_tensor* to, tfc_tensor* from) {
  tfc_tensor* copies[] = {to, from};
  if (from->buffer->device || from->dtype == TFC_STRING) return tfc_copy_in_place(ctx, to, from);
  to->dtype = from->dtype;
  if (!tfc_tensor_new(to, from->rank, from->dims))
    return tfc_out_of_memory(ctx, from->rank, from->dims, from->dtype);
  tfc_parallel_for(ctx, from->n * (int64_t)tfc_dtype_size(from->dtype), 0.1, copy_range, copies);
  return TFC_OK;
}

static int make_writable(tfc_context* ctx, tfc_variable* v) {
  const tfc_buffer* b = v->value.buffer;
  if (!b || tfc_buffer_exclusive(b) || readers_leave(b)) return TFC_OK;
  tfc_tensor copy;
  int code = copy_value(ctx, &copy, &v->value);
  if (code) return code;
  tfc_tensor_clear(&v->value);
  v->value = copy;
  return TFC_OK;
}

int tfc_lock_variables(tfc_context* ctx, int n, const int* inputs, unsigned mode,
                       tfc_tensor** values) {
  tfc_node_context* node = tfc_node_of(ctx);
  tfc_variable* wanted[TFC_MAX_LOCKED];
  if (n < 0 || n > TFC_MAX_LOCKED || node->n_locked)
    return tfc_context_error(ctx, TFC_INTERNAL, "the kernel locks too many variables");
  for (int i = 0; i < n; i++) {
    int code = check_ref(ctx, inputs[i]);
    if (code) return code;
    wanted[i] = ctx->inputs[inputs[i]]->data;
  }
  node->lock_mode = mode;
  lock_sorted(node, n, wanted);
  for (int i = 0; i < n; i++) {
    tfc_variable* v = wanted[i];
    int code = TFC_OK;
    if (!v->value.buffer && !(mode & TFC_REF_MAYBE_UNINITIALIZED)) {
      char text[1024];
      tfc_variable_uninitialized(v, text, sizeof text);
      code = tfc_context_error(ctx, TFC_FAILED_PRECONDITION, "%s", text);
    }
    tfc_device* device = tfc_input_device(ctx, inputs[i]);
    if (!code && v->value.buffer && v->value.buffer->device != device &&
        !tfc_tensor_move(&v->value, device))
      code = tfc_context_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to move variable %s to %s",
                               v->name, device ? device->name : "the host");
    if (!code && (mode & TFC_REF_WRITE)) code = make_writable(ctx, v);
    if (code) {
      tfc_unlock_variables(ctx);
      return code;
    }
    values[i] = &v->value;
  }
  return TFC_OK;
}

int tfc_assign_variable(tfc_context* ctx, int input, const tfc_tensor* value) {
  int code = check_ref(ctx, input);
  if (code) return code;
  const tfc_tensor* in = ctx->inputs[input];
  tfc_variable* v = in->data;
  tfc_tensor held;
  if (value->dtype != in->dtype - TFC_REF || !value->buffer)
    return tfc_context_error(
        ctx, TFC_INTERNAL, "the kernel assigns a value of type %s to a variable of %s",
        value->buffer ? tfc_type_name(value->dtype) : "none", tfc_type_name(in->dtype));
  if (tfc_node_of(ctx)->n_locked)
    return tfc_context_error(ctx, TFC_INTERNAL,
                             "the kernel assigns to a variable while it holds a lock");
  code = tfc_keep_tensor(ctx, &held, value);
  if (code) return code;
  pthread_mutex_lock(&v->mutex);
  tfc_tensor old = v->value;
  v->value = held;
  if (v->tracker) v->tracker->changed(v->tracker, NULL, 1);
  pthread_mutex_unlock(&v->mutex);
  tfc_tensor_clear(&old);
  return TFC_OK;
}

bool tfc_variable_is_initialized(tfc_context* ctx, int input) {
  if (check_ref(ctx, input)) return false;
  tfc_variable* v = ctx->inputs[input]->data;
  pthread_mutex_lock(&v->mutex);
  bool yes = v->value.buffer != NULL;
  pthread_mutex_unlock(&v->mutex);
  return yes;
}
