/* Functions of the graph that kernels call: plans that run inside a kernel, or on a thread of the
 * kernel's own between steps. */
#ifndef TFCORE_CALLABLE_H
#define TFCORE_CALLABLE_H

#include "registry/context.h"

struct tfc_callable {
  const tfc_plan* plan;
  void* owner; /* the Plan, a PyObject: a reference */
  int64_t refs;
  pthread_mutex_t lock;
  tfc_state* states; /* under lock: those that no call uses */
};

/* What needs Python: callable.pyx. All take the GIL. */
typedef struct tfc_callable_hooks {
  /* Another state of the plan. NULL: out of memory. */
  tfc_state* (*make_state)(void* owner);
  /* Frees the states and the reference to the owner. */
  void (*destroy)(void* owner, tfc_state* states);
  /* The message of a failed step with the name of the operation, malloc'd; NULL: out of memory.
   * around: the id of the step around it, which gets a KeyboardInterrupt; 0: there is none. */
  char* (*describe)(void* owner, const tfc_step* step, int64_t around);
} tfc_callable_hooks;

void tfc_set_callable_hooks(const tfc_callable_hooks* hooks);
/* With one reference. Takes over the caller's reference to the owner. NULL: out of memory. */
tfc_callable* tfc_callable_new(const tfc_plan* plan, void* owner);

#endif
