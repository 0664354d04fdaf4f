/* The static part of a plan, shared by static_part.c, which finds it, and replay.c. */
#ifndef TFCORE_STATIC_PART_H
#define TFCORE_STATIC_PART_H

#include "context.h"
#include "device.h"
#include "dynamic.h"

enum { BEFORE, INSIDE, AFTER }; /* when a node runs: before the part, as one of it, after it */
enum { MOST_RECORDED = 4 };     /* steps of a plan, with different shapes */

/* A slot whose value comes into the part or out of it. */
typedef struct end {
  int32_t slot;
  int32_t uses; /* an input: by the part's nodes; an output: by others */
  int32_t node; /* an input: what makes it in the device's memory, or -1 */
} end;

/* A variable of the part, as it was in the recorded step. */
typedef struct held_variable {
  tfc_variable* variable;
  tfc_tensor value; /* without a reference */
  bool changes;     /* the part writes to it */
} held_variable;

typedef struct input {
  tfc_tensor value;   /* in the device's memory: only the shape and where the data are */
  tfc_buffer* memory; /* of the graph; NULL: the value is on the host. Gone if the graph is dead */
} input;

/* What an output is. */
enum {
  REFERENCE,   /* to a variable */
  ON_HOST,     /* a value in the host's memory, of which there is a copy */
  OF_GRAPH,    /* in memory of the graph */
  OF_VARIABLE, /* in memory of a variable */
  KEPT,        /* a constant, which its kernel keeps */
};

typedef struct output {
  int kind;
  int which; /* its block or variable */
  tfc_tensor value;
} output;

/* Memory of the graph that the rest of the step sees. */
typedef struct block {
  tfc_buffer* buffer;
  int input; /* whose value is there, or -1 */
} block;

/* A recorded step. */
typedef struct recorded {
  uint64_t hash; /* of shapes and host values */
  tfc_graph* graph;
  input* inputs;
  held_variable* variables; /* in the order of addresses */
  output* outputs;
  block* blocks;
  int n_variables, n_blocks, misses; /* misses: steps in a row that found it in use */
  int64_t last_use;
} recorded;

/* Inputs that are not recorded yet, and the number of steps that had them. */
typedef struct candidate {
  uint64_t hash;
  int64_t steps;
} candidate;

typedef struct tfc_part {
  tfc_device* device;
  int32_t* nodes; /* in the plan's order: those before, inside, after */
  int n[3];
  int32_t* pending; /* for tfc_run_pending of those after */
  bool after_waits; /* they have kernels that suspend or block */
  bool was_dynamic; /* the plan, before the part was found */
  int n_inputs, n_references, n_outputs;
  end *inputs, *references, *outputs;
  pthread_mutex_t lock; /* of what follows; never held while a kernel runs */
  recorded* all[MOST_RECORDED];
  recorded* latest;
  bool records;  /* a step is recording */
  recorded* now; /* its own */
  candidate candidates[MOST_RECORDED];
  int attempts;
  int64_t clock;
} tfc_part;

/* Forgets what was recorded. */
void tfc_forget_recorded(tfc_part* p);

#endif
