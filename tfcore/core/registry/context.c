/* Calls of a running kernel (tfc_api): errors, scratch memory, cancellation and parallel loops.
 * Those for outputs are in output.c, those for variables in variable.c. */
#define _GNU_SOURCE

#include "registry/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

int tfc_context_error(tfc_context* ctx, int code, const char* format, ...) {
  char* text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  tfc_step_fail(tfc_node_of(ctx)->step, tfc_node_of(ctx)->base + tfc_node_of(ctx)->node, code,
                text ? text : "no memory for the text of an error");
  free(text);
  return code;
}

const char* tfc_type_name(int32_t dtype) {
  static const char* const names[] = {
      [TFC_FLOAT] = "float",           [TFC_DOUBLE] = "double",
      [TFC_INT32] = "int32",           [TFC_UINT8] = "uint8",
      [TFC_INT16] = "int16",           [TFC_INT8] = "int8",
      [TFC_STRING] = "string",         [TFC_COMPLEX64] = "complex64",
      [TFC_INT64] = "int64",           [TFC_BOOL] = "bool",
      [TFC_BFLOAT16] = "bfloat16",     [TFC_UINT16] = "uint16",
      [TFC_COMPLEX128] = "complex128", [TFC_HALF] = "half",
      [TFC_RESOURCE] = "resource",     [TFC_UINT32] = "uint32",
      [TFC_UINT64] = "uint64",         [TFC_VARIANT] = "variant",
      [TFC_QINT8] = "qint8",           [TFC_QUINT8] = "quint8",
      [TFC_QINT16] = "qint16",         [TFC_QUINT16] = "quint16",
      [TFC_QINT32] = "qint32"};
  dtype %= TFC_REF;
  bool known = dtype >= 0 && dtype < (int32_t)(sizeof names / sizeof *names) && names[dtype];
  return known ? names[dtype] : "unknown";
}

#define DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

static const char* memory_name(const tfc_context* ctx) {
  const tfc_device* device = tfc_device_of(ctx);
  return device ? device->name : DEVICE;
}

static const char* allocator_name(const tfc_context* ctx) {
  const tfc_device* device = tfc_device_of(ctx);
  return device ? device->allocator : "cpu";
}

void tfc_write_dims(char text[TFC_DIMS_TEXT], int rank, const int64_t* dims) {
  int at = 0;
  text[0] = 0;
  for (int i = 0; i < rank; i++)
    at +=
        snprintf(text + at, TFC_DIMS_TEXT - (size_t)at, "%s%lld", i ? "," : "", (long long)dims[i]);
}

int tfc_out_of_memory(tfc_context* ctx, int rank, const int64_t* dims, int32_t dtype) {
  char shape[TFC_DIMS_TEXT];
  tfc_write_dims(shape, rank, dims);
  __atomic_store_n(&tfc_node_of(ctx)->step->out_of_memory, 1, __ATOMIC_RELAXED);
  return tfc_context_error(ctx, TFC_RESOURCE_EXHAUSTED,
                           "OOM when allocating tensor with shape[%s] and type %s on %s"
                           " by allocator %s",
                           shape, tfc_type_name(dtype), memory_name(ctx), allocator_name(ctx));
}

int tfc_no_such_output(tfc_context* ctx, int i) {
  return tfc_context_error(ctx, TFC_INTERNAL, "the kernel asked for output %d of %d", i,
                           (int)ctx->n_outputs);
}

int tfc_no_such_input(tfc_context* ctx, int i) {
  return tfc_context_error(ctx, TFC_INTERNAL, "the kernel asked for input %d of %d", i,
                           (int)ctx->n_inputs);
}

static void* api_scratch(tfc_context* ctx, size_t bytes) {
  tfc_device* device = tfc_device_of(ctx);
  tfc_buffer* b = device ? device->allocate(device, bytes) : tfc_allocate(bytes);
  if (!b) {
    __atomic_store_n(&tfc_node_of(ctx)->step->out_of_memory, 1, __ATOMIC_RELAXED);
    tfc_context_error(ctx, TFC_RESOURCE_EXHAUSTED,
                      "OOM when allocating %zu bytes of scratch memory on %s by allocator %s",
                      bytes, memory_name(ctx), allocator_name(ctx));
    return NULL;
  }
  /* Several threads of a loop may allocate at once. */
  tfc_buffer* head = __atomic_load_n(&tfc_node_of(ctx)->scratch, __ATOMIC_RELAXED);
  do {
    b->owner = head;
  } while (!__atomic_compare_exchange_n(&tfc_node_of(ctx)->scratch, &head, b, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return b->data;
}

void tfc_free_scratch(tfc_node_context* ctx) {
  while (ctx->scratch) {
    tfc_buffer* b = ctx->scratch;
    ctx->scratch = b->owner;
    ctx->scratch_bytes += (int64_t)b->size;
    tfc_buffer_unref(b);
  }
}

static bool has_flag(const tfc_node_context* node, uint32_t flag) {
  return node->plan->nodes[node->node].flags & flag;
}

/* A signal handler may run any step, so nothing may be locked: no variable by this kernel, and no
 * lock inside the kernel, which only the kernel itself knows of. */
static bool api_cancelled(tfc_context* ctx) {
  tfc_node_context* node = tfc_node_of(ctx);
  if (node->around && api_cancelled(node->around)) return true;
  if (!__atomic_load_n(&node->step->attention, __ATOMIC_RELAXED)) return false;
  if (!node->n_locked && has_flag(node, TFC_KERNEL_INTERRUPTIBLE)) return tfc_step_look(node->step);
  return __atomic_load_n(&node->step->cancelled, __ATOMIC_RELAXED) != 0;
}

/* Whether the rest of a loop may be skipped. Loops under a lock are finished: a variable must not
 * be left half changed. */
static bool leave_loop(void* ctx) {
  tfc_node_context* node = ctx;
  return !node->n_locked && has_flag(node, TFC_KERNEL_LEAVES_LOOPS) && api_cancelled(&node->pub);
}

static void api_parallel_for(tfc_context* ctx, int64_t n, double ns_per_item, tfc_range_fn fn,
                             void* arg) {
  if ((double)n * ns_per_item > 15000)
    __atomic_store_n(&tfc_node_of(ctx)->parallel, true, __ATOMIC_RELAXED); /* loops may be nested */
  tfc_pool_parallel_for(tfc_node_of(ctx)->step->max_threads, n, ns_per_item, fn, arg, leave_loop,
                        ctx);
}

static int api_max_threads(tfc_context* ctx) {
  int limit = tfc_node_of(ctx)->step->max_threads;
  return limit > 0 ? limit : tfc_pool_threads();
}

const tfc_api* tfc_api_table(void) {
  static const tfc_api api = {
      .output = tfc_make_output,
      .output_forward = tfc_forward_output,
      .output_view = tfc_view_output,
      .output_ref = tfc_output_reference,
      .scratch = api_scratch,
      .parallel_for = api_parallel_for,
      .error = tfc_context_error,
      .ref_lock = tfc_lock_variables,
      .ref_unlock = tfc_unlock_variables,
      .ref_assign = tfc_assign_variable,
      .output_variable = tfc_output_to_variable,
      .string_set = tfc_string_assign,
      .set_tensor = tfc_set_output,
      .cancelled = api_cancelled,
      .max_threads = api_max_threads,
      .suspend = tfc_suspend_node,
      .resume = tfc_resume_node,
      .is_initialized = tfc_variable_is_initialized,
      .async_context = tfc_context_of,
      .on_cancel = tfc_register_cancel,
      .claim = tfc_claim_resume,
      .output_object = tfc_make_object,
      .make = tfc_make_tensor,
      .hold = tfc_hold_tensor,
      .let_go = tfc_tensor_clear,
      .exclusive = tfc_tensor_exclusive,
      .on_low_memory = tfc_memory_on_low,
      .keep = tfc_keep_tensor,
      .launch = tfc_launch_on_device,
      .fill = tfc_fill_on_device,
      .copy = tfc_copy_on_device,
      .upload = tfc_upload_to_device,
      .report_to = tfc_device_report,
      .stream = tfc_device_queue,
      .begin_inner = tfc_begin_inner_context,
      .end_inner = tfc_end_inner_context,
      .take_error = tfc_take_inner_error,
      .cancel_inner = tfc_cancel_inner_context,
      .spawn = tfc_spawn_with_context,
      .call = tfc_call_function,
      .hold_callable = tfc_callable_hold,
      .drop_callable = tfc_callable_drop,
      .number_calls = tfc_number_calls_in,
      .new_scope = tfc_new_scope_in,
      .draw = tfc_draw_from,
  };
  return &api;
}
