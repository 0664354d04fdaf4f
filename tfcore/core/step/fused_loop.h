/* Fused loops (fused_loop.c), made by fused_loop_kernel.pyx. */
#ifndef TFCORE_FUSED_LOOP_H
#define TFCORE_FUSED_LOOP_H

#include "step/step.h"

/* How a variable gets its next value. */
enum {
  TFC_LOOP_MOVED,
  TFC_LOOP_SAME,  /* it keeps its value */
  TFC_LOOP_SHARED /* other consumers need the value, too */
};

typedef struct tfc_guard {
  int32_t slot, side;
} tfc_guard;

typedef struct tfc_loop_node {
  bool is_plain; /* has a kernel and no guards */
  int32_t kind;  /* TFC_PLAIN, TFC_MERGE, TFC_TRIGGER */
  int32_t first_guard, n_guards;
  int32_t pred, if_true; /* of a Merge: the slot, the input to take */
} tfc_loop_node;

typedef struct tfc_loop {
  const tfc_plan* plan; /* its feeds are the variables, then constants */
  tfc_loop_node* nodes;
  tfc_guard* guards;
  int32_t* following; /* slots */
  uint8_t* how;
  int32_t* exits; /* variables */
  int32_t n_variables, first_cond, first_body;
  int32_t pred, cond_node; /* the slot; the node named in errors */
  int32_t base;            /* number of its first node within the enclosing plan */
  pthread_mutex_t lock;
  tfc_state* states; /* under lock: unused ones */
} tfc_loop;

/* A loop that ran out of memory, with its values at that time. */
typedef struct tfc_kept_loop {
  tfc_loop* loop;
  tfc_state* state;
  int32_t number; /* of the loop's node, as in errors */
  int32_t base;   /* number of its first inner node */
  struct tfc_kept_loop* next;
} tfc_kept_loop;

void tfc_loop_free(tfc_loop* loop);
void tfc_drop_kept_loops(tfc_step* step);
extern const tfc_kernel_def tfc_loop_kernel;

#endif
