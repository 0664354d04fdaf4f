/* Queues: elements that outlive steps, and the kernels that wait to put some in or take some out.
 *
 * An element is a tuple of tensors, the components. Elements that were enqueued together are rows
 * of one batch, which shares the memory of the enqueued tensors; neighbours in a queue that are
 * neighbours in their batch are one run, and come out as a view of it, or with one copy.
 *
 * All of it is under the queue's mutex, but for batches, whose tensors never change. Nothing is
 * allocated, copied or freed under the mutex except the queue's own bookkeeping.
 */
#ifndef TFCORE_QUEUE_H
#define TFCORE_QUEUE_H

#include "kernels_c/common/resource_handle.h"
#include "kernels_c/queues/take.h"
#include "kernels_c/queues/waiting.h"
#include "kernels_c/random/stream.h"

typedef struct queue_batch {
  int64_t refs; /* atomic: elements that are somewhere */
  int64_t rows; /* elements it was made of */
  bool whole;   /* it is one element, which is not a row of its tensors but all of them */
  int32_t n;    /* number of components */
  tfc_tensor component[];
} queue_batch;

typedef struct queue_run {
  queue_batch* batch;
  int64_t first, count; /* rows */
  int64_t priority; /* of a PriorityQueue, whose runs have one element, as a RandomShuffleQueue's */
  uint64_t order;   /* between elements of equal priority */
} queue_run;

/* A list of runs, which begins at any place of a circular array. All zero: empty. */
typedef struct queue_runs {
  queue_run* run;
  int64_t head, n, room; /* runs; room: a power of two, or 0 */
  int64_t elements;
  int64_t lent; /* of a queue: runs that were taken and may come back, for which there is room;
                   atomic: it gets smaller without the mutex */
} queue_runs;

typedef struct queue_component {
  int32_t dtype;
  int rank; /* -1: any shape */
  int64_t dims[TFC_MAX_RANK];
} queue_component;

typedef enum queue_kind { QUEUE_FIFO, QUEUE_PADDING, QUEUE_RANDOM, QUEUE_PRIORITY } queue_kind;

/* What a queue is made with; it never changes. */
typedef struct queue_form {
  queue_kind kind;
  const char* type; /* of the op, without "V2" */
  char* name;
  int64_t capacity, min_after_dequeue, seed, seed2;
  tfc_generator random; /* the seeds that are used */
  bool shaped;          /* the components have shapes */
  int n;                /* number of components */
  queue_component* component;
} queue_form;

/* The place in the random stream of a RandomShuffleQueue. */
typedef struct queue_random {
  philox stream;
  uint32_t words[PHILOX_WORDS]; /* of the last block */
  int words_left;               /* at its end, not used yet */
} queue_random;

typedef struct queue {
  queue_form form;
  const tfc_api* api; /* atomic: set once, before anybody has a handle */
  pthread_mutex_t mutex;
  queue_runs runs;
  uint64_t order;
  queue_random random;
  bool closed;
  bool ends; /* no more elements begin, but some of a barrier are still to be completed */
  tfc_line enqueues, dequeues;   /* of queue_attempt */
  struct queue *next, *previous; /* of the list of all queues */
} queue;

typedef enum queue_action { QUEUE_ENQUEUE, QUEUE_DEQUEUE, QUEUE_CLOSE } queue_action;

typedef enum queue_outcome {
  QUEUE_WAITS,
  QUEUE_DONE,
  QUEUE_CANCELLED,
  QUEUE_IS_CLOSED,
  QUEUE_TOO_FEW,
  QUEUE_NO_MEMORY
} queue_outcome;

/* What a kernel wants of a queue. */
typedef struct queue_attempt {
  tfc_waiter waiter; /* first */
  queue* q;
  queue_action action;
  queue_outcome outcome;
  bool many, up_to; /* dequeue: makes batches; is content with fewer once the queue is closed... */
  bool or_ends;     /* ...or once it ends, if there is any */
  int64_t wanted;   /* dequeue: elements; 0 is possible */
  queue_runs held;  /* enqueue: what is not in the queue yet; dequeue: what was taken so far */
  int64_t size_found; /* for the message of QUEUE_TOO_FEW */
  queue_taken taken;  /* NULL: the end of the attempt is that of its kernel */
  void* arg;
  bool withdrawn;
} queue_attempt;

#pragma GCC visibility push(hidden)

/* ---- queues/list.c: all queues of the process */

void queue_list_add(queue* q);
void queue_list_remove(queue* q);

/* ---- queues/store.c: runs and their order */

void queue_batch_drop(const tfc_api* api, queue_batch* batch, int64_t elements);
/* False: no memory. */
bool queue_runs_push(queue_runs* runs, queue_run run);
void queue_runs_clear(const tfc_api* api, queue_runs* runs);
/* Moves up to `most` elements from the front of a list to the end of a queue, or in the queue's
 * order from the queue to the end of a list. False: no memory; some may have moved. */
bool queue_store_put(queue* q, queue_runs* from, int64_t most);
bool queue_store_take(queue* q, queue_runs* to, int64_t most);
/* Moves all back that was taken, for which there is room. */
void queue_store_restore(queue* q, queue_runs* taken);
/* What was taken does not come back: forgets it. May be called without the mutex. */
void queue_store_give(queue* q, queue_runs* taken);
/* Without the mutex: *out shares all elements, those taken by dequeues that wait for more included,
 * in the order in which a FIFOQueue or PriorityQueue gives them, so that they can be saved;
 * enqueued again in this order they make an equal queue. False: no memory. */
bool queue_store_share(queue* q, queue_runs* out, queue_random* random);
/* Without the mutex: calls fn for the tensors that hold the elements, for reports of memory. */
void queue_store_visit(queue* q, void (*fn)(void* arg, const tfc_tensor* value), void* arg);

/* ---- queues/batch.c: from tensors to elements and back */

/* A batch whose components are all empty; queue_batch_drop frees it. */
queue_batch* queue_new_batch(tfc_context* ctx, const queue* q, int64_t rows, bool whole);
/* Adds it as one run; drops it after an error. */
int queue_push_batch(tfc_context* ctx, const queue* q, queue_runs* out, queue_batch* batch);
/* The shape of an element's component i. */
void queue_element_shape(const queue_batch* batch, int i, int* rank, const int64_t** dims);
/* Copies n values, from value `first` on, to value `at` of another tensor. */
int queue_copy_values(tfc_context* ctx, tfc_tensor* to, int64_t at, const tfc_tensor* from,
                      int64_t first, int64_t n);
/* Makes runs of the inputs from `first_input` on: `many`: each row is an element. */
int queue_make_runs(tfc_context* ctx, const queue* q, int first_input, bool many, queue_runs* out);
/* Makes the outputs from `first_output` on from elements: many: rows of each output. */
int queue_make_outputs(tfc_context* ctx, const queue* q, int first_output, const queue_runs* runs,
                       bool many);

/* Copies the only element, a text; *text is to be freed. */
int queue_copy_text(tfc_context* ctx, const queue_runs* runs, char** text, size_t* size);

/* ---- queues/queue.c */

int queue_find(tfc_context* ctx, int input, queue** q);

/* ---- queues/save.c: the elements of a queue as tensors */

/* Output 0 is a vector that has the place in the random stream and the shapes of all elements;
 * output 1 + i has the values of component i, all elements one after the other. */
int queue_save(tfc_context* ctx, queue* q);
/* Inputs 1 and so on are such values: makes runs of them. */
int queue_load(tfc_context* ctx, const queue* q, queue_runs* out, queue_random* random);

/* ---- queues/line.c: attempts */

/* Runs an attempt of a kernel, which returns the result; `a` is on its stack and is copied if it
 * must wait. Takes over what a->held has. */
int queue_attempt_run(tfc_context* ctx, queue_attempt* a);
/* The queue has these elements now, in place of its own; takes over what *runs has. */
int queue_replace(tfc_context* ctx, queue* q, queue_runs* runs, const queue_random* random);
/* Closes a queue and cancels everybody who waits to put something in. */
void queue_close_now(queue* q);
void queue_end_soon(queue* q);

#pragma GCC visibility pop

#endif /* TFCORE_QUEUE_H */
