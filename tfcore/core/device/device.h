/* A device with memory of its own, as the executor sees it. The devices of a process live until it
 * ends.
 *
 * A device does its work in one queue, in the order of the calls below, whichever threads make
 * them; only what `upload_to_new` does may come earlier. So memory that is released may be used
 * again at once, by work that is put into the queue later. Work runs some time after the call. What
 * goes wrong then fails the step, in `finish`.
 *
 * The calls for a kernel get its context: errors name its operation. They return TFC_OK or the code
 * of an error that is recorded already. */
#ifndef TFCORE_DEVICE_H
#define TFCORE_DEVICE_H

#include "runtime.h"

typedef struct tfc_device tfc_device;
typedef struct tfc_download tfc_download;
struct tfc_step;
struct tfc_share;

/* Work that a thread has recorded, to be replayed. */
typedef struct tfc_graph tfc_graph;

typedef struct tfc_graphs {
  /* From `begin` to `stop`, what this thread allocates belongs to the graph; from `start` on, its
   * work is recorded as well as done. NULL: the device can't record now. */
  tfc_graph* (*begin)(tfc_device*, tfc_context*);
  void (*start)(tfc_graph*);
  bool (*stop)(tfc_graph*);                /* false: it can't be replayed */
  bool (*build)(tfc_graph*, tfc_context*); /* makes it launchable, in the step that recorded it */
  /* Instead of `build`, or when that failed: in that step, whose claim it drops. */
  void (*destroy_in_step)(tfc_graph*, tfc_context*);
  bool (*owns)(const tfc_graph*, const tfc_buffer*);
  int64_t (*references)(const tfc_graph*);    /* to its memory */
  bool (*take_idle)(tfc_graph*, tfc_buffer*); /* a reference, if nobody else has one */
  /* This thread's next allocation of its size gets it if it is free. NULL: no longer. */
  void (*allocate_next_in)(tfc_buffer*);
  /* A step claims the graph before it replays it, and has it until the step ends, perhaps with
   * others. False: it is dead. */
  bool (*claim)(tfc_graph*);
  void (*release)(tfc_graph*);
  /* Its memory was needed, or a step that used it ran out of memory: it is never replayed again. */
  bool (*is_dead)(const tfc_graph*);
  /* Puts the graph into the queue. *launched = false, without an error: there is no memory for
   * that, and the claim has been released. */
  int (*replay)(tfc_graph*, tfc_context*, bool* launched);
  void (*break_recording)(tfc_device*); /* of this thread: it does what can't be replayed */
  bool (*destroy)(tfc_graph*);          /* later; false: a step still has it */
} tfc_graphs;

struct tfc_device {
  const char* name;                                   /* in full */
  const char* allocator;                              /* its name in messages */
  void* queue;                                        /* of a GPU: its CUstream */
  tfc_buffer* (*allocate)(tfc_device*, size_t bytes); /* NULL: no memory or over the limit */
  /* The entries of tfc_api with these names. */
  int (*launch)(tfc_device*, tfc_context*, const tfc_function*, const uint32_t grid[3],
                const uint32_t block[3], uint32_t shared, const void* params, size_t bytes);
  int (*fill)(tfc_device*, tfc_context*, void* to, int byte, size_t bytes);
  int (*copy)(tfc_device*, tfc_context*, void* to, const void* from, size_t bytes);
  int (*upload)(tfc_device*, tfc_context*, void* to, const void* from, size_t bytes);
  void* (*report_to)(tfc_device*, tfc_context*, size_t bytes, tfc_explain_fn, const void* argument,
                     size_t argument_bytes);
  /* Copies from the host to all of a buffer that no work has used since it was allocated. The copy
   * may be made before work that is in the queue already, but not before what that work does with
   * the memory as an earlier buffer. The source is free when this returns. */
  int (*upload_to_new)(tfc_device*, tfc_context*, const tfc_buffer* to, const void* from,
                       size_t bytes);
  /* Copies from another device, with the work that was in its queue at the call. */
  int (*copy_from_peer)(tfc_device*, tfc_context*, void* to, const tfc_tensor* from);
  /* Copies to the host. `done` is called on a thread of the device, unless this fails. */
  int (*download)(tfc_device*, tfc_context*, tfc_download*);
  /* Makes *to a copy on the host, and waits for that. False: no memory, or the device is lost. */
  bool (*read)(tfc_device*, tfc_tensor* to, const tfc_tensor* from);
  /* Makes *to a copy in the device's memory of a tensor on the host. */
  bool (*write)(tfc_device*, tfc_tensor* to, const tfc_tensor* from);
  /* Makes *to a copy in the same memory, outside of a step. */
  bool (*clone)(tfc_device*, tfc_tensor* to, const tfc_tensor* from);
  /* Waits until the step's work is done, or the step must end. Fails the step if the work did. */
  void (*finish)(struct tfc_share*, struct tfc_step*);
  /* The step has ended, perhaps without `finish`. */
  void (*leave)(struct tfc_share*, struct tfc_step*);
  const tfc_graphs* graphs;
};

/* A copy to the host. The caller sets these fields and frees the memory in `done`. If the copy is
 * fine, `done` may return the code of another error, with its text in `message` of that size: it
 * fails the step, if that has not ended. */
struct tfc_download {
  tfc_tensor from; /* holds a reference, which the device drops before `done` */
  tfc_tensor to;   /* of the same size, in the host's memory */
  int (*done)(tfc_download*, int code, char* message, size_t size);
  tfc_download* next; /* the rest belongs to the device */
  int node;
  void *work, *ready;
};

/* What a step has at a device: made with its first work there. `next` is under the step's lock. */
typedef struct tfc_share {
  tfc_device* device;
  struct tfc_share* next;
} tfc_share;

/* A new tensor of t->dtype in a device's memory, or the host's. */
bool tfc_tensor_new_on(tfc_device* device, tfc_tensor* t, int rank, const int64_t* dims);
/* A deep copy in the same memory, made by a kernel. */
int tfc_copy_in_place(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from);
/* The same outside of a step. False: no memory, or the device is lost. */
bool tfc_tensor_clone(tfc_tensor* to, const tfc_tensor* from);
/* A copy on the host of a tensor that may be in a device's memory; waits for it. False: no memory,
 * or the device is lost. */
bool tfc_tensor_read(tfc_tensor* to, const tfc_tensor* from);
/* Moves a tensor to a device's memory, or the host's. False: as above; it stays where it is. */
bool tfc_tensor_move(tfc_tensor* t, tfc_device* to);
void tfc_finish_devices(struct tfc_step* step);
void tfc_leave_devices(struct tfc_step* step);

#endif
