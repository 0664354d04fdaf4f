/* Shared by control flow (flow.c) and its memory (flow_memory.c). */
#ifndef TFCORE_FLOW_H
#define TFCORE_FLOW_H

#include "step/dynamic.h"

typedef struct iteration iteration;
typedef struct frame_state frame_state;
typedef struct tfc_flow tfc_flow;

struct iteration {
  tfc_state s; /* first; pointers are shifted so that the plan's slot and node numbers work */
  uint64_t* tokens;
  frame_state* of;
  int64_t number;
  int64_t outstanding;  /* atomic */
  iteration* following; /* the next one, under the lock of the frame; or in the free list */
  frame_state* entered; /* inner frames, under the lock of the frame */
};

/* A frame at run time: a loop that was entered from one iteration of the loop around it. */
struct frame_state {
  tfc_flow* flow;
  const tfc_frame* frame;
  int32_t index; /* of the frame */
  pthread_mutex_t lock;
  iteration* outer; /* the one that entered it; NULL for the outermost frame */
  uint64_t id;
  int64_t started; /* number of iterations */
  int32_t enters_left, n_running, n_waiting;
  iteration *first, *last;
  tfc_tensor* constants; /* of constant Enters */
  uint8_t* arrived;      /* NOT_YET, ALIVE or DEAD (flow.c), for each */
  tfc_tensor* waiting;   /* values for the iteration after the last */
  int32_t* waiting_node; /* the NextIterations that sent them */
  uint8_t* exits;        /* one bit per Exit */
  frame_state* next;     /* entered from the same iteration, or in the free list */
};

struct tfc_flow {
  const tfc_plan* plan;
  pthread_mutex_t lock;        /* of the free lists */
  iteration** free_iterations; /* by frame */
  frame_state** free_frames;
  frame_state outermost;
  iteration root;
};

bool tfc_make_flow(const tfc_plan* plan, tfc_state* s);
/* With the lock of the frame, in the order of iterations. NULL if memory runs out. */
iteration* tfc_take_iteration(frame_state* fs, tfc_observer* o);
void tfc_give_iteration(iteration* it, tfc_observer* o);
frame_state* tfc_take_frame(tfc_flow* flow, int index);
void tfc_give_frame(frame_state* fs);
void tfc_set_counters(iteration* it, const tfc_plan* plan, const tfc_frame* f);
/* Records for an observer an iteration that is over. */
void tfc_hand_over_events(iteration* it, tfc_observer* o);

#endif
