/* The dynamic order (dynamic.c), for control flow (flow.c). */
#ifndef TFCORE_DYNAMIC_H
#define TFCORE_DYNAMIC_H

#include "step/step.h"

/* A node that can run. */
typedef struct tfc_ready {
  tfc_state* state; /* in plans with control flow, that of an iteration */
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
  tfc_ready* ready;  /* stack, under lock */
  int64_t capacity;  /* under lock */
  int64_t available; /* atomic: height of the stack; written under lock */
  /* Atomic: nodes that are not done; with control flow, those that are ready or running, where a
   * chain of nodes on one thread counts as one. */
  int32_t remaining;
  int32_t outside;   /* atomic: helpers, and kernels that are suspended or on their own thread */
  int32_t suspended; /* atomic: those of them that are suspended kernels */
  /* Under lock: the caller sleeps, on `wake` or, if it is on duty for messages, in its `sleep`. */
  bool sleeping;
  const tfc_idle* on_duty;
  /* A step that gives its thread back while it waits: what makes a thread continue it. NULL: the
   * caller waits. parked, under lock: no thread has the step. */
  void (*resume)(void*);
  void* resume_arg;
  bool parked;
  /* Under lock: the caller is in a Python function for long, and while a node is ready, `relief`
   * says that another thread runs such nodes. */
  bool relieved, relief;
  /* Used by the caller only. */
  const tfc_idle* polled; /* the fabric that it has polled for messages */
  bool awake;             /* it has entered `polled` and not left */
  int unlooked;           /* nodes run since it last polled */
} tfc_dynamic;

void tfc_dynamic_push(tfc_dynamic* d, tfc_ready r);
/* The node runs after all that are ready now. */
void tfc_dynamic_push_last(tfc_dynamic* d, tfc_ready r);
/* Fails the step and cancels the rest of it, so that blocking and suspended kernels return. */
void tfc_dynamic_fail(tfc_dynamic* d, int node, int code, const char* message);
void tfc_clear_slot(tfc_dynamic* d, tfc_state* s, int slot);

static inline bool failed(const tfc_dynamic* d) {
  return __atomic_load_n(&d->step->code, __ATOMIC_ACQUIRE) != 0;
}

/* Whether an earlier input of the node is the same value as input j: a value is consumed once. */
static inline bool is_repeated(const tfc_plan* plan, const tfc_plan_node* node, int j) {
  for (int k = node->first_input; k < j; k++)
    if (plan->input_slots[k] == plan->input_slots[j]) return true;
  return false;
}

void tfc_run_all(const tfc_plan* plan, tfc_state* s, tfc_step* step);
/* Calls the failure hook: other tasks may wait for what the step will not do. */
void tfc_tell_of_failure(const tfc_plan* plan, const tfc_step* step);

/* Control flow. */
bool tfc_flow_begin(tfc_dynamic* d); /* false: no memory */
/* Runs a node without a kernel, or a dead one, and sets *next. False: its kernel must run, and
 * *next is not a node. */
bool tfc_flow_run(tfc_dynamic* d, tfc_ready r, tfc_ready* next);
/* After the node's kernel has run; returns the next node for this thread, or none. */
tfc_ready tfc_flow_finish(tfc_dynamic* d, tfc_ready r);
void tfc_flow_end(tfc_dynamic* d);

#endif
