/* Shared by control flow (flow.c) and its memory (flow_memory.c). */
#ifndef TFCORE_FLOW_H
#define TFCORE_FLOW_H

#include "dynamic.h"

typedef struct iteration iteration;
typedef struct instance instance;
typedef struct tfc_flow tfc_flow;

struct iteration {
  tfc_state s; /* first; its pointers are shifted so that the plan's indices are valid */
  uint64_t* tokens;
  instance* of;
  int64_t number;
  int64_t outstanding;  /* atomic */
  iteration* following; /* the next one, under the lock of the instance; or in the free list */
  instance* entered;    /* instances of inner frames, under the lock of the instance */
};

struct instance {
  tfc_flow* flow;
  const tfc_frame* frame;
  int32_t index; /* of the frame */
  pthread_mutex_t lock;
  iteration* outer; /* in which it was entered; NULL: it is the outermost one */
  uint64_t id;
  int64_t started; /* iterations */
  int32_t enters_left, n_running, n_waiting;
  iteration *first, *last;
  tfc_tensor* constants; /* of constant Enters */
  uint8_t* arrived;      /* whether each of them has, alive or dead (enum) */
  tfc_tensor* waiting;   /* values for the iteration after the last */
  int32_t* waiting_node; /* the NextIterations that brought them */
  uint8_t* exits;        /* bits */
  instance* next;        /* entered from the same iteration, or in the free list */
};

struct tfc_flow {
  const tfc_plan* plan;
  pthread_mutex_t lock; /* of the free lists */
  iteration** iterations;
  instance** instances;
  instance outermost;
  iteration root;
};

bool tfc_make_flow(const tfc_plan* plan, tfc_state* s);
/* With the lock of the instance, in the order of iterations; NULL: no memory. */
iteration* tfc_take_iteration(instance* in, tfc_observer* o);
void tfc_give_iteration(iteration* it, tfc_observer* o);
instance* tfc_take_instance(tfc_flow* flow, int index);
void tfc_give_instance(instance* in);
void tfc_set_counters(iteration* it, const tfc_plan* plan, const tfc_frame* f);
/* Gives the observer the record of an iteration that has ended. */
void tfc_hand_over_events(iteration* it, tfc_observer* o);

#endif
