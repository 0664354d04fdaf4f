/* The static part of a plan, shared by static_part.c, which finds it, and replay.c. */
#ifndef TFCORE_STATIC_PART_H
#define TFCORE_STATIC_PART_H

#include "context.h"
#include "device.h"
#include "dynamic.h"

/* When a node runs: before the part, as one of it, after it. */
enum { TFC_BEFORE, TFC_INSIDE, TFC_AFTER };
/* Recordings that a plan keeps, for different inputs: shapes, and values on the host. */
enum { TFC_MOST_RECORDED = 4 };

/* A slot whose value comes into the part or out of it. */
typedef struct tfc_part_end {
  int32_t slot;
  int32_t uses; /* an input: by the part's nodes; an output: by others */
  int32_t node; /* an input: what makes it in the device's memory, or -1 */
} tfc_part_end;

typedef struct tfc_recorded tfc_recorded; /* a recorded step */

/* Inputs that are not recorded yet, and the number of steps that had them. */
typedef struct tfc_candidate {
  uint64_t hash;
  int64_t steps;
} tfc_candidate;

typedef struct tfc_part {
  tfc_device* device;
  int32_t* nodes; /* in the plan's order: those before, inside, after */
  int n[3];
  int32_t* pending; /* for tfc_run_pending of those after */
  bool after_waits; /* they have kernels that suspend or block */
  bool was_dynamic; /* the plan, before the part was found */
  int n_inputs, n_references, n_outputs;
  tfc_part_end *inputs, *references, *outputs;
  tfc_recorded* being_recorded; /* only of the step that set `records`: needs no lock */
  pthread_mutex_t lock;         /* of what follows; never held while a kernel runs */
  tfc_recorded* all[TFC_MOST_RECORDED];
  tfc_recorded* latest;
  bool records; /* a step is recording; one at a time */
  tfc_candidate candidates[TFC_MOST_RECORDED];
  int attempts;
  int64_t clock;
} tfc_part;

/* Removes all that was recorded. */
void tfc_remove_recorded(tfc_part* p);

#endif
