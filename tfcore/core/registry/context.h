/* Shared by the files that implement the calls of a running kernel. */
#ifndef TFCORE_CONTEXT_H
#define TFCORE_CONTEXT_H

#include "step/step.h"

static inline tfc_node_context* tfc_node_of(tfc_context* ctx) {
  return (tfc_node_context*)ctx;
}

/* ---- Devices. These are in the path of every small kernel. */

static inline const tfc_plan_node* tfc_running_node(const tfc_context* ctx) {
  return ((const tfc_node_context*)ctx)->running;
}
/* The device of a running kernel; NULL: the CPU. */
static inline struct tfc_device* tfc_device_of(const tfc_context* ctx) {
  return tfc_running_node(ctx)->device;
}
/* The device in whose memory output i lies; NULL: the host's. */
static inline struct tfc_device* tfc_output_device(const tfc_context* ctx, int i) {
  const tfc_plan_node* node = tfc_running_node(ctx);
  return node->device && node->host_outputs[i] ? NULL : node->device;
}
/* That of input i. */
static inline struct tfc_device* tfc_input_device(const tfc_context* ctx, int i) {
  const tfc_plan_node* node = tfc_running_node(ctx);
  return node->device && node->host_inputs[i] ? NULL : node->device;
}

/* ---- Errors (context.c). Each returns the code that the kernel has to return. */

int tfc_context_error(tfc_context* ctx, int code, const char* format, ...);
int tfc_out_of_memory(tfc_context* ctx, int rank, const int64_t* dims, int32_t dtype);
int tfc_no_such_input(tfc_context* ctx, int i);
int tfc_no_such_output(tfc_context* ctx, int i);
const char* tfc_type_name(int32_t dtype);

/* The sizes of a shape with commas between them. */
enum { TFC_DIMS_TEXT = 21 * TFC_MAX_RANK + 1 };
void tfc_write_dims(char text[TFC_DIMS_TEXT], int rank, const int64_t* dims);

static inline bool tfc_has_input(const tfc_context* ctx, int i) {
  return (unsigned)i < (unsigned)ctx->n_inputs;
}
static inline bool tfc_has_output(const tfc_context* ctx, int i) {
  return (unsigned)i < (unsigned)ctx->n_outputs;
}

/* ---- Entries of tfc_api: kernel.h documents them. */

/* output.c */
int tfc_make_output(tfc_context* ctx, int i, int rank, const int64_t* dims);
int tfc_forward_output(tfc_context* ctx, int i, int rank, const int64_t* dims, int n_candidates,
                       const int* candidates);
int tfc_view_output(tfc_context* ctx, int i, int input, int64_t first_element, int rank,
                    const int64_t* dims);
int tfc_set_output(tfc_context* ctx, int i, const tfc_tensor* value);
int tfc_make_object(tfc_context* ctx, int i, const tfc_object_type* type, void** object);
int tfc_make_tensor(tfc_context* ctx, tfc_tensor* t, int rank, const int64_t* dims);
int tfc_keep_tensor(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from);
void tfc_hold_tensor(tfc_tensor* to, const tfc_tensor* from);
bool tfc_tensor_exclusive(const tfc_tensor* t);

/* device.c */
int tfc_launch_on_device(tfc_context* ctx, const tfc_function* function, const uint32_t grid[3],
                         const uint32_t block[3], uint32_t shared, const void* params,
                         size_t bytes);
int tfc_fill_on_device(tfc_context* ctx, void* to, int byte, size_t bytes);
int tfc_copy_on_device(tfc_context* ctx, void* to, const void* from, size_t bytes);
int tfc_upload_to_device(tfc_context* ctx, void* to, const void* from, size_t bytes);
void* tfc_device_report(tfc_context* ctx, size_t bytes, tfc_explain_fn explain,
                        const void* argument, size_t argument_bytes);
void* tfc_device_queue(tfc_context* ctx);

/* step/callable.c */
tfc_context* tfc_begin_inner_context(tfc_context* around);
void tfc_end_inner_context(tfc_context* inner);
int tfc_take_inner_error(tfc_context* inner, char** text);
void tfc_cancel_inner_context(tfc_context* inner);
bool tfc_spawn_with_context(void (*fn)(tfc_context* inner, void* arg), void* arg);
int tfc_call_function(tfc_context* inner, tfc_callable* callable, tfc_tensor* inputs,
                      tfc_tensor* outputs);
void tfc_callable_hold(tfc_callable* callable);
void tfc_callable_drop(tfc_callable* callable);

/* step/call_numbers.c */
int tfc_number_calls_in(tfc_context* inner, uint64_t scope, int64_t number);
uint64_t tfc_new_scope_in(tfc_context* ctx);
int tfc_draw_from(tfc_context* ctx, const void* stream, int64_t amount, tfc_draw_place* place);

/* variable.c */
int tfc_output_reference(tfc_context* ctx, int i, int input);
int tfc_output_to_variable(tfc_context* ctx, int i, void* variable);
int tfc_lock_variables(tfc_context* ctx, int n, const int* inputs, unsigned mode,
                       tfc_tensor** values);
void tfc_unlock_variables(tfc_context* ctx);
int tfc_assign_variable(tfc_context* ctx, int input, const tfc_tensor* value);
bool tfc_variable_is_initialized(tfc_context* ctx, int input);

#endif
