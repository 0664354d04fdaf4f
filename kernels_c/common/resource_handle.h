/* Handles of resources: objects of the resource manager (queues, accumulators, tables), which
 * outlive the steps and are shared by name. The kernel of the op that makes the handle has the
 * resource as its state, and keeps it alive.
 *
 *   static const tfc_handle_kind queue_kind = TFC_RESOURCE_KIND("Queue", visit);
 */
#ifndef TFCORE_RESOURCE_HANDLE_H
#define TFCORE_RESOURCE_HANDLE_H

#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/handle.h"

typedef struct tfc_resource_handle {
  tfc_handle handle;
  void* resource; /* NULL: the kernel did not finish making the handle */
} tfc_resource_handle;

/* The resource is the resource manager's. */
static inline void tfc_resource_handle_destroy(void* object) {
  (void)object;
}

/* VISIT, or NULL, gets the handle. */
#define TFC_RESOURCE_KIND(NAME, VISIT)                                \
  {                                                                   \
    NAME, {                                                           \
      sizeof(tfc_resource_handle), tfc_resource_handle_destroy, VISIT \
    }                                                                 \
  }

/* Output 0 is a handle of the kernel's state. */
static inline int tfc_resource_handle_new(tfc_context* ctx, const tfc_handle_kind* kind) {
  tfc_resource_handle* made = NULL;
  int code = tfc_handle_new(ctx, 0, kind, (void**)&made);
  if (!code) made->resource = ctx->state;
  return code;
}

/* Makes the handle, and notes in the resource how to drop what it holds: once, before anybody can
 * use it. */
static inline int tfc_resource_handle_new_with_api(tfc_context* ctx, const tfc_handle_kind* kind,
                                                   const tfc_api** api) {
  int code = tfc_resource_handle_new(ctx, kind);
  if (!code && !__atomic_load_n(api, __ATOMIC_ACQUIRE))
    __atomic_store_n(api, ctx->api, __ATOMIC_RELEASE);
  return code;
}

/* Input 0 is a handle of the kind. */
static inline int tfc_resource_handle_get(tfc_context* ctx, const tfc_handle_kind* kind,
                                          void** resource) {
  tfc_resource_handle* h = NULL;
  int code = tfc_handle_get(ctx, 0, kind, (void**)&h);
  if (!code) *resource = h->resource;
  return code;
}

static inline int tfc_construction_out_of_memory(tfc_construction* c) {
  return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

/* Under which name the resource is shared: the attribute `shared_name`, or the op's own name. To be
 * freed. */
static inline int tfc_resource_name(tfc_construction* c, char** name) {
  const char* shared_name;
  size_t size;
  int code = c->api->attr_string(c, "shared_name", &shared_name, &size);
  if (code) return code;
  *name = size ? strndup(shared_name, size) : strdup(c->op_name);
  return *name ? TFC_OK : tfc_construction_out_of_memory(c);
}

#endif
