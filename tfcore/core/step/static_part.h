/* The static part of a plan, shared by static_part.c, which finds it, and replay.c. */
#ifndef TFCORE_STATIC_PART_H
#define TFCORE_STATIC_PART_H

#include "device/device.h"
#include "registry/context.h"
#include "step/dynamic.h"

/* When a node runs: before the part, as one of it, after it. */
enum { TFC_BEFORE, TFC_INSIDE, TFC_AFTER };
/* Recordings that a plan keeps, for different inputs: shapes, and values on the host. */
enum { TFC_MAX_RECORDINGS = 4 };

/* An edge of the part: a slot whose value comes into it or out of it. */
typedef struct tfc_part_edge {
  int32_t slot;
  int32_t uses; /* an input: by the part's nodes; an output: by others */
  int32_t node; /* an input: what makes it in the device's memory, or -1 */
} tfc_part_edge;

typedef struct tfc_recording tfc_recording; /* a graph, and when and how it can be replayed */

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
  tfc_part_edge *inputs, *references, *outputs;
  tfc_recording* being_recorded; /* only of the step that set is_recording: needs no lock */
  pthread_mutex_t lock;          /* of what follows; never held while a kernel runs */
  tfc_recording* recordings[TFC_MAX_RECORDINGS];
  tfc_recording* latest;
  bool is_recording; /* a step is: one at a time */
  tfc_candidate candidates[TFC_MAX_RECORDINGS];
  int attempts;
  int64_t clock;
} tfc_part;

/* Removes all recordings. */
void tfc_remove_recordings(tfc_part* p);

#endif
