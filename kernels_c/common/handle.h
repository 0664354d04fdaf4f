/* Handles: objects of kernels as values in the graph (tensor arrays, tensor lists,
 * ragged tensors, stacks, datasets).
 *
 * A kernel makes an object as its output; the graph carries it to the kernels that use it, through
 * loops and conditionals like any tensor; after the last of them has run, it is destroyed. There is
 * no look-up by name, and no clean-up after a step.
 *
 *   typedef struct stack { tfc_handle handle; pthread_mutex_t mutex; ... } stack;
 *   static void destroy_stack(void* object);
 *   static const tfc_handle_kind stack_kind = {"Stack", {sizeof(stack), destroy_stack, visit}};
 *
 *   stack* s;
 *   int code = tfc_handle_new(ctx, 0, &stack_kind, (void**)&s);    output 0 is a new stack, zeroed
 *   int code = tfc_handle_get(ctx, 0, &stack_kind, (void**)&s);    input 0 is one
 */
#ifndef TFCORE_HANDLE_H
#define TFCORE_HANDLE_H

#include "tfcore/kernel.h"

/* Compared by address: one object per kind, in one file or declared in a header. */
typedef struct tfc_handle_kind {
  const char* name; /* for messages */
  /* destroy is called when nothing refers to the object any more, on any thread, also for an object
   * that a kernel did not finish making: all zero must be valid for it and for visit. */
  tfc_object_type type;
} tfc_handle_kind;

/* Arithmetic of objects that are values, such as lists. */
typedef struct tfc_handle_arithmetic {
  int (*zeros_like)(tfc_context* ctx, const void* x); /* output 0 becomes zeros like the object x */
  int (*sum)(tfc_context* ctx);                       /* output 0: the sum of all inputs */
} tfc_handle_arithmetic;

/* The first member of each object. */
typedef struct tfc_handle {
  const tfc_handle_kind* kind;
  const tfc_api* api;                      /* for destroy: tfc_let_go(h->api, ...) */
  const tfc_handle_arithmetic* arithmetic; /* NULL: it has none */
} tfc_handle;

static inline int tfc_handle_new(tfc_context* ctx, int i, const tfc_handle_kind* kind,
                                 void** object) {
  int code = tfc_output_object(ctx, i, &kind->type, object);
  if (code) return code;
  tfc_handle* h = *object;
  h->kind = kind;
  h->api = ctx->api;
  return TFC_OK;
}

static inline int tfc_handle_get(tfc_context* ctx, int input, const tfc_handle_kind* kind,
                                 void** object) {
  const tfc_tensor* t = ctx->inputs[input];
  if (!tfc_is_object(t->dtype) || t->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input %d must be the handle of a %s", input,
                     kind->name);
  tfc_handle* h = t->data;
  if (h->kind != kind)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to access a resource of kind %s with the handle of a %s", kind->name,
                     h->kind ? h->kind->name : "resource without a kind");
  *object = h;
  return TFC_OK;
}

/* Passes the object of an input on as output i if no other kernel can still see it, so that the
 * caller may change it. Returns false if another one might. */
static inline bool tfc_handle_take(tfc_context* ctx, int i, int input) {
  const tfc_tensor* t = ctx->inputs[input];
  if (!tfc_exclusive(ctx->api, t)) return false;
  return tfc_output_forward(ctx, i, t->rank, t->dims, 1, &input) == TFC_OK &&
         ctx->outputs[i].buffer;
}

#endif
