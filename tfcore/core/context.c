/* The calls a running kernel can make (tfc_api), and the table by which the Cython modules reach
 * the runtime. */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "rendezvous.h"
#include "step.h"

enum { MESSAGE = 2048 };

static tfc_node_context* node_of(tfc_context* ctx) {
  return (tfc_node_context*)ctx;
}

static int api_error(tfc_context* ctx, int code, const char* format, ...) {
  char text[MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  tfc_step_fail(node_of(ctx)->step, node_of(ctx)->base + node_of(ctx)->node, code, text);
  return code;
}

static const char* type_name(int32_t dtype) {
  static const char* const names[] = {
      [TFC_FLOAT] = "float",           [TFC_DOUBLE] = "double",
      [TFC_INT32] = "int32",           [TFC_UINT8] = "uint8",
      [TFC_INT16] = "int16",           [TFC_INT8] = "int8",
      [TFC_STRING] = "string",         [TFC_COMPLEX64] = "complex64",
      [TFC_INT64] = "int64",           [TFC_BOOL] = "bool",
      [TFC_BFLOAT16] = "bfloat16",     [TFC_UINT16] = "uint16",
      [TFC_COMPLEX128] = "complex128", [TFC_HALF] = "half",
      [TFC_RESOURCE] = "resource",     [TFC_UINT32] = "uint32",
      [TFC_UINT64] = "uint64"};
  dtype %= TFC_REF;
  bool known = dtype >= 0 && dtype < (int32_t)(sizeof names / sizeof *names) && names[dtype];
  return known ? names[dtype] : "unknown";
}

#define DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

static int out_of_memory(tfc_context* ctx, int rank, const int64_t* dims, int32_t dtype) {
  char shape[256];
  int at = 0;
  shape[0] = 0;
  for (int i = 0; i < rank && at < (int)sizeof shape - 24; i++)
    at +=
        snprintf(shape + at, sizeof shape - (size_t)at, "%s%lld", i ? "," : "", (long long)dims[i]);
  __atomic_store_n(&node_of(ctx)->step->out_of_memory, 1, __ATOMIC_RELAXED);
  return api_error(ctx, TFC_RESOURCE_EXHAUSTED,
                   "OOM when allocating tensor with shape[%s] and type %s on " DEVICE
                   " by allocator cpu",
                   shape, type_name(dtype));
}

static int no_handle(tfc_context* ctx, int i) {
  return api_error(ctx, TFC_INTERNAL,
                   "the kernel makes output %d, a handle, from memory that holds no object", i);
}

static int bad_output(tfc_context* ctx, int i) {
  return api_error(ctx, TFC_INTERNAL, "the kernel asked for output %d of %d", i,
                   (int)ctx->n_outputs);
}

static bool has_input(const tfc_context* ctx, int input) {
  return (unsigned)input < (unsigned)ctx->n_inputs;
}

static int bad_input(tfc_context* ctx, int i) {
  return api_error(ctx, TFC_INTERNAL, "the kernel asked for input %d of %d", i, (int)ctx->n_inputs);
}

static int api_output(tfc_context* ctx, int i, int rank, const int64_t* dims) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs) return bad_output(ctx, i);
  if ((unsigned)rank > TFC_MAX_RANK)
    return api_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     rank, TFC_MAX_RANK);
  for (int d = 0; d < rank; d++)
    if (dims[d] < 0)
      return api_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                       (long long)dims[d]);
  tfc_tensor* out = &ctx->outputs[i];
  tfc_tensor_clear(out);
  if (tfc_tensor_new(out, rank, dims)) return TFC_OK;
  return out->dtype == TFC_RESOURCE ? no_handle(ctx, i)
                                    : out_of_memory(ctx, rank, dims, out->dtype);
}

static int api_output_forward(tfc_context* ctx, int i, int rank, const int64_t* dims,
                              int n_candidates, const int* candidates) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs || (unsigned)rank > TFC_MAX_RANK)
    return api_output(ctx, i, rank, dims);
  tfc_node_context* node = node_of(ctx);
  tfc_tensor* out = &ctx->outputs[i];
  int64_t n = 1, sign = 0;
  for (int d = 0; d < rank; d++) {
    n *= dims[d];
    sign |= dims[d];
  }
  if (sign < 0) return api_output(ctx, i, rank, dims);
  for (int c = 0; c < n_candidates; c++) {
    int input = candidates[c];
    if (!has_input(ctx, input)) return bad_input(ctx, input);
    tfc_tensor* in = (tfc_tensor*)ctx->inputs[input];
    if (!(node->input_flags[input] & TFC_INPUT_LAST_USE) || !in->buffer || in->n != n ||
        tfc_dtype_size(in->dtype) != tfc_dtype_size(out->dtype) || in->dtype == TFC_STRING ||
        out->dtype == TFC_STRING || !tfc_buffer_exclusive(in->buffer))
      continue;
    tfc_tensor_clear(out);
    out->data = in->data;
    out->buffer = in->buffer; /* the input's hold on it becomes the output's */
    in->buffer = NULL;
    out->n = n;
    out->rank = rank;
    for (int d = 0; d < rank; d++) out->dims[d] = dims[d];
    return TFC_OK;
  }
  return api_output(ctx, i, rank, dims);
}

static int api_output_view(tfc_context* ctx, int i, int input, int64_t first_element, int rank,
                           const int64_t* dims) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs) return bad_output(ctx, i);
  if (!has_input(ctx, input)) return bad_input(ctx, input);
  const tfc_tensor* in = ctx->inputs[input];
  tfc_tensor* out = &ctx->outputs[i];
  int64_t n = 1, sign = first_element;
  for (int d = 0; d < rank; d++) {
    n *= dims[d];
    sign |= dims[d];
  }
  if ((unsigned)rank > TFC_MAX_RANK || sign < 0 || first_element + n > in->n)
    return api_error(ctx, TFC_INTERNAL, "the kernel asked for a view outside of input %d", input);
  tfc_buffer* buffer = in->buffer;
  if (buffer) tfc_buffer_ref(buffer);
  tfc_tensor_clear(out);
  out->buffer = buffer;
  out->data = (char*)in->data + (size_t)first_element * tfc_dtype_size(in->dtype);
  out->n = n;
  out->rank = rank;
  for (int d = 0; d < rank; d++) out->dims[d] = dims[d];
  return TFC_OK;
}

static int api_set_tensor(tfc_context* ctx, int i, const tfc_tensor* value) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs) return bad_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (value->dtype != out->dtype)
    return api_error(ctx, TFC_INTERNAL, "the kernel gives output %d, a %s, a tensor of %s", i,
                     type_name(out->dtype), type_name(value->dtype));
  if (value->buffer) tfc_buffer_ref(value->buffer);
  tfc_tensor_clear(out);
  *out = *value;
  return TFC_OK;
}

static int api_output_object(tfc_context* ctx, int i, const tfc_object_type* type, void** object) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs) return bad_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (out->dtype != TFC_RESOURCE)
    return api_error(ctx, TFC_INTERNAL, "the kernel gives output %d, a %s, an object", i,
                     type_name(out->dtype));
  tfc_tensor_clear(out);
  tfc_buffer* b = tfc_allocate_object(type);
  if (!b) return out_of_memory(ctx, 0, NULL, out->dtype);
  out->buffer = b;
  out->data = b + 1;
  out->n = 1;
  out->rank = 0;
  *object = out->data;
  return TFC_OK;
}

static int api_make(tfc_context* ctx, tfc_tensor* t, int rank, const int64_t* dims) {
  t->buffer = NULL;
  if (tfc_tensor_new(t, rank, dims)) return TFC_OK;
  return out_of_memory(ctx, rank, dims, t->dtype);
}

static void api_hold(tfc_tensor* to, const tfc_tensor* from) {
  if (from->buffer) tfc_buffer_ref(from->buffer);
  *to = *from;
}

static bool api_exclusive(const tfc_tensor* t) {
  return t->buffer && tfc_buffer_exclusive(t->buffer);
}

static int api_output_variable(tfc_context* ctx, int i, void* variable) {
  if ((unsigned)i >= (unsigned)ctx->n_outputs) return bad_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (out->dtype < TFC_REF)
    return api_error(ctx, TFC_INTERNAL, "output %d is not a reference to a variable", i);
  out->data = variable;
  out->buffer = NULL;
  out->n = 0;
  out->rank = 0;
  return TFC_OK;
}

/* TFC_OK if the input is a reference to a variable. */
static int check_ref(tfc_context* ctx, int input) {
  if (!has_input(ctx, input)) return bad_input(ctx, input);
  if (ctx->inputs[input]->dtype >= TFC_REF) return TFC_OK;
  return api_error(ctx, TFC_INVALID_ARGUMENT, "input %d is not a reference to a variable", input);
}

static int api_output_ref(tfc_context* ctx, int i, int input) {
  int code = check_ref(ctx, input);
  if (code) return code;
  return api_output_variable(ctx, i, ctx->inputs[input]->data);
}

static void* api_scratch(tfc_context* ctx, size_t bytes) {
  tfc_buffer* b = tfc_allocate(bytes);
  if (!b) {
    __atomic_store_n(&node_of(ctx)->step->out_of_memory, 1, __ATOMIC_RELAXED);
    api_error(ctx, TFC_RESOURCE_EXHAUSTED,
              "OOM when allocating %zu bytes of scratch memory on " DEVICE " by allocator cpu",
              bytes);
    return NULL;
  }
  /* Several threads of a loop may ask at a time. */
  tfc_buffer* head = __atomic_load_n(&node_of(ctx)->scratch, __ATOMIC_RELAXED);
  do {
    b->owner = head;
  } while (!__atomic_compare_exchange_n(&node_of(ctx)->scratch, &head, b, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return b + 1;
}

void tfc_free_scratch(tfc_node_context* ctx) {
  while (ctx->scratch) {
    tfc_buffer* b = ctx->scratch;
    ctx->scratch = b->owner;
    ctx->scratch_bytes += (int64_t)b->size;
    tfc_buffer_unref(b);
  }
}

static bool api_cancelled(tfc_context* ctx) {
  tfc_node_context* node = node_of(ctx);
  if (!__atomic_load_n(&node->step->attention, __ATOMIC_RELAXED)) return false;
  /* A signal handler may run steps of its own, which must find no variable locked. */
  if (!node->n_locked) return tfc_step_look(node->step);
  return __atomic_load_n(&node->step->cancelled, __ATOMIC_RELAXED) != 0;
}

/* Whether the rest of a loop may be left out. A half-changed variable would stay so: loops under a
 * lock are finished. */
static bool leave_loop(void* ctx) {
  tfc_node_context* node = ctx;
  return !node->n_locked && api_cancelled(&node->pub) &&
         node->plan->nodes[node->node].flags & TFC_KERNEL_LEAVES_LOOPS;
}

static void api_parallel_for(tfc_context* ctx, int64_t n, double ns_per_item, tfc_range_fn fn,
                             void* arg) {
  if ((double)n * ns_per_item > 15000)
    __atomic_store_n(&node_of(ctx)->parallel, true, __ATOMIC_RELAXED); /* loops may be nested */
  tfc_pool_parallel_for(node_of(ctx)->step->max_threads, n, ns_per_item, fn, arg, leave_loop, ctx);
}

static int api_max_threads(tfc_context* ctx) {
  int limit = node_of(ctx)->step->max_threads;
  return limit > 0 ? limit : tfc_pool_threads();
}

/* ---- Variables */

tfc_variable* tfc_variable_new(const char* name, int32_t dtype) {
  tfc_variable* v = calloc(1, sizeof *v);
  if (!v) return NULL;
  v->name = strdup(name);
  v->dtype = v->value.dtype = dtype;
  v->value.rank = -1;
  v->refs = 1;
  pthread_mutex_init(&v->mutex, NULL);
  return v;
}

void tfc_variable_unref(tfc_variable* v) {
  if (__atomic_sub_fetch(&v->refs, 1, __ATOMIC_ACQ_REL)) return;
  tfc_tensor_clear(&v->value);
  pthread_mutex_destroy(&v->mutex);
  free(v->name);
  free(v);
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

static void api_ref_unlock(tfc_context* ctx) {
  tfc_node_context* node = node_of(ctx);
  for (int i = 0; i < node->n_locked; i++) pthread_mutex_unlock(&node->locked[i]->mutex);
  node->n_locked = 0;
}

void tfc_unlock_all(tfc_node_context* ctx) {
  api_ref_unlock(&ctx->pub);
}

/* In order of address, each once, so that kernels that lock several never wait for each other in a
 * ring. */
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

/* Another step that gathers some rows lets go of a large variable sooner than it could be copied;
 * at most a quarter of that time (at 10 bytes a ns) is spent on finding out. */
static bool readers_leave(const tfc_buffer* b) {
  enum { LARGE = 1 << 20, BYTES_PER_NS = 40 };
  if (b->size < LARGE || b->flags & TFC_BUFFER_BORROWED) return false;
  int64_t until = 0;
  while (tfc_pool_computing() > 1) {
    if (tfc_buffer_exclusive(b)) return true;
    int64_t now = tfc_now_ns();
    if (!until) until = now + (int64_t)(b->size / BYTES_PER_NS);
    if (now >= until) return false;
    sched_yield();
  }
  return tfc_buffer_exclusive(b);
}

static int make_writable(tfc_context* ctx, tfc_variable* v) {
  if (!v->value.buffer || tfc_buffer_exclusive(v->value.buffer)) return TFC_OK;
  if (readers_leave(v->value.buffer)) return TFC_OK;
  tfc_tensor copy;
  if (!tfc_tensor_copy(&copy, &v->value))
    return out_of_memory(ctx, v->value.rank, v->value.dims, v->value.dtype);
  tfc_tensor_clear(&v->value);
  v->value = copy;
  return TFC_OK;
}

static int api_ref_lock(tfc_context* ctx, int n, const int* inputs, unsigned mode,
                        tfc_tensor** values) {
  tfc_node_context* node = node_of(ctx);
  tfc_variable* wanted[TFC_MAX_LOCKED];
  if (n < 0 || n > TFC_MAX_LOCKED || node->n_locked)
    return api_error(ctx, TFC_INTERNAL, "the kernel locks too many variables");
  for (int i = 0; i < n; i++) {
    int code = check_ref(ctx, inputs[i]);
    if (code) return code;
    wanted[i] = ctx->inputs[inputs[i]]->data;
  }
  lock_sorted(node, n, wanted);
  for (int i = 0; i < n; i++) {
    tfc_variable* v = wanted[i];
    int code = TFC_OK;
    if (!v->value.buffer && !(mode & TFC_REF_MAYBE_UNINITIALIZED))
      code = api_error(ctx, TFC_FAILED_PRECONDITION, "Attempting to use uninitialized value %s",
                       v->name);
    if (!code && (mode & TFC_REF_WRITE)) code = make_writable(ctx, v);
    if (code) {
      api_ref_unlock(ctx);
      return code;
    }
    values[i] = &v->value;
  }
  return TFC_OK;
}

static int api_ref_assign(tfc_context* ctx, int input, const tfc_tensor* value) {
  int code = check_ref(ctx, input);
  if (code) return code;
  const tfc_tensor* in = ctx->inputs[input];
  tfc_variable* v = in->data;
  tfc_tensor held = *value;
  if (value->dtype != in->dtype - TFC_REF || !value->buffer)
    return api_error(ctx, TFC_INTERNAL, "the kernel assigns a value of type %s to a variable of %s",
                     value->buffer ? type_name(value->dtype) : "none", type_name(in->dtype));
  if (node_of(ctx)->n_locked)
    return api_error(ctx, TFC_INTERNAL, "the kernel assigns to a variable while it holds a lock");
  if (value->buffer->flags & TFC_BUFFER_BORROWED) {
    if (!tfc_tensor_copy(&held, value))
      return out_of_memory(ctx, value->rank, value->dims, value->dtype);
  } else {
    tfc_buffer_ref(held.buffer);
  }
  pthread_mutex_lock(&v->mutex);
  tfc_tensor old = v->value;
  v->value = held;
  pthread_mutex_unlock(&v->mutex);
  tfc_tensor_clear(&old);
  return TFC_OK;
}

static bool api_is_initialized(tfc_context* ctx, int input) {
  if (check_ref(ctx, input)) return false;
  tfc_variable* v = ctx->inputs[input]->data;
  pthread_mutex_lock(&v->mutex);
  bool yes = v->value.buffer != NULL;
  pthread_mutex_unlock(&v->mutex);
  return yes;
}

const tfc_api* tfc_api_table(void) {
  static const tfc_api api = {
      .output = api_output,
      .output_forward = api_output_forward,
      .output_view = api_output_view,
      .output_ref = api_output_ref,
      .scratch = api_scratch,
      .parallel_for = api_parallel_for,
      .error = api_error,
      .ref_lock = api_ref_lock,
      .ref_unlock = api_ref_unlock,
      .ref_assign = api_ref_assign,
      .output_variable = api_output_variable,
      .string_set = tfc_string_assign,
      .set_tensor = api_set_tensor,
      .cancelled = api_cancelled,
      .max_threads = api_max_threads,
      .suspend = tfc_suspend_node,
      .resume = tfc_resume_node,
      .is_initialized = api_is_initialized,
      .async_context = tfc_context_of,
      .on_cancel = tfc_register_cancel,
      .claim = tfc_claim_resume,
      .output_object = api_output_object,
      .make = api_make,
      .hold = api_hold,
      .let_go = tfc_tensor_clear,
      .exclusive = api_exclusive,
      .on_low_memory = tfc_memory_on_low,
  };
  return &api;
}

static void null_destroy(void* object) {
  (void)object;
}

static const tfc_object_type null_type = {0, null_destroy, NULL};

/* The kernel of the null device: what is left of a step's time is the executor's. */
static int null_compute(tfc_context* ctx) {
  for (int i = 0; i < ctx->n_outputs; i++)
    if (ctx->outputs[i].dtype < TFC_REF) {
      void* object;
      int code = ctx->outputs[i].dtype == TFC_RESOURCE
                     ? api_output_object(ctx, i, &null_type, &object)
                     : api_output(ctx, i, 0, NULL);
      if (code) return code;
    }
  return TFC_OK;
}

/* Runs a kernel of a user's library and checks what it left: that each output was made. Stands in
 * tfc_plan_node.compute, so that tfcore's own kernels pay nothing for it. */
static int checked_compute(tfc_context* ctx) {
  enum { NOT_MADE = -1 };
  for (int i = 0; i < ctx->n_outputs; i++) ctx->outputs[i].rank = NOT_MADE;
  int code = node_of(ctx)->plan->nodes[node_of(ctx)->node].checked(ctx);
  int missing = -1;
  for (int i = ctx->n_outputs - 1; i >= 0; i--) {
    if (ctx->outputs[i].rank != NOT_MADE) continue;
    ctx->outputs[i].rank = 0;
    missing = i;
  }
  if (code < TFC_OK || code > TFC_DATA_LOSS)
    return api_error(ctx, TFC_INTERNAL, "the kernel returned %d, which is no tfc_code%s", code,
                     code == TFC_PENDING ? " of a kernel without TFC_KERNEL_ASYNC" : "");
  if (!code && missing >= 0)
    return api_error(ctx, TFC_INTERNAL, "the kernel returned TFC_OK without making output %d of %d",
                     missing, (int)ctx->n_outputs);
  return code;
}

static const tfc_kernel_def null_kernel = {
    .op = "", .device = "NULL", .types = "", .compute = null_compute};

const tfc_runtime* tfc_runtime_table(void) {
  static const tfc_runtime table = {
      .allocate = tfc_allocate,
      .memory_stats = tfc_memory_stats_get,
      .memory_set_limit = tfc_memory_set_limit,
      .memory_trim = tfc_memory_trim,
      .memory_set_poison = tfc_memory_set_poison,
      .tensor_new = tfc_tensor_new,
      .tensor_copy = tfc_tensor_copy,
      .string_assign = tfc_string_assign,
      .pool_threads = tfc_pool_threads,
      .pool_reserve = tfc_pool_reserve,
      .pool_set_grain = tfc_pool_set_grain,
      .team_open = tfc_team_open,
      .team_close = tfc_team_close,
      .team_wake = tfc_team_wake,
      .pool_wake = tfc_pool_wake,
      .variable_new = tfc_variable_new,
      .variable_unref = tfc_variable_unref,
      .variable_read = tfc_variable_read,
      .null_kernel = &null_kernel,
      .checked_compute = checked_compute,
      .steps = &tfc_steps_table,
      .spawn = tfc_spawn,
      .api = tfc_api_table,
      .memory_set_source = tfc_memory_set_source,
      .memory_source_stats = tfc_memory_source_stats,
      .set_idle = tfc_set_idle,
      .rendezvous = &tfc_rendezvous_table,
      .send_kernel = &tfc_send_kernel,
      .recv_kernel = &tfc_recv_kernel,
      .parallel_for = tfc_pool_parallel_for,
      .loop_kernel = &tfc_loop_kernel,
      .loop_free = tfc_loop_free,
  };
  return &table;
}
