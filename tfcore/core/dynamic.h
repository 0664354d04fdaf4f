/* The dynamic order (dynamic.c) and what control flow (flow.c) does with it. */
#ifndef TFCORE_DYNAMIC_H
#define TFCORE_DYNAMIC_H

#include "step.h"

/* A node that can run. */
typedef struct tfc_ready {
  tfc_state* state; /* in plans with control flow that of an iteration */
  int32_t node;     /* -1: none */
  bool dead;
} tfc_ready;

typedef struct tfc_dynamic {
  tfc_step* step;
  tfc_state* state;
  const tfc_plan* plan;
  tfc_team team;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  tfc_ready* ready;        /* stack, under lock */
  int64_t capacity;        /* under lock */
  int64_t available;       /* atomic: its height; written under lock */
  int32_t remaining;       /* atomic: nodes not yet done; with control flow those ready or running,
                              where nodes that follow one another on a thread count as one */
  int32_t outside;         /* atomic: kernels that are suspended or on a thread of their own */
  bool sleeping;           /* under lock: the caller waits, on `wake` or... */
  const tfc_idle* on_duty; /* under lock: ...if not NULL, there */
  const tfc_idle* polled;  /* the caller's: it has waited for messages */
  bool awake;              /* the caller's: it has not left since, though it runs nodes */
  int unlooked;            /* the caller's: nodes that it ran since it looked for messages */
} tfc_dynamic;

void tfc_dynamic_push(tfc_dynamic* d, tfc_ready r);
void tfc_dynamic_push_last(tfc_dynamic* d, tfc_ready r); /* runs after all that is ready now */
/* The rest of the step is in vain: whoever blocks or is suspended has to come back. */
void tfc_dynamic_fail(tfc_dynamic* d, int node, int code, const char* message);
void tfc_clear_slot(tfc_dynamic* d, tfc_state* s, int slot);

static inline bool failed(const tfc_dynamic* d) {
  return __atomic_load_n(&d->step->code, __ATOMIC_ACQUIRE) != 0;
}

/* Whether an earlier input of the node is the value of its input j, too: each is used up once. */
static inline bool is_repeated(const tfc_plan* plan, const tfc_plan_node* node, int j) {
  for (int k = node->first_input; k < j; k++)
    if (plan->input_slots[k] == plan->input_slots[j]) return true;
  return false;
}

/* Control flow. */
bool tfc_flow_begin(tfc_dynamic* d); /* false: no memory */
/* Runs a node of a kind that has no kernel, or a dead one; false: the node has a kernel to run. */
bool tfc_flow_run(tfc_dynamic* d, tfc_ready r, tfc_ready* next);
/* The node's kernel has run. */
tfc_ready tfc_flow_finish(tfc_dynamic* d, tfc_ready r);
void tfc_flow_end(tfc_dynamic* d);

#endif
