/* Where the two ends of an edge between devices meet, inside a process or (tfcore/distributed)
 * between processes: a value waits for its Recv, or a Recv for its value.
 *
 * Every value is put once and taken once. A step that fails is aborted: waiting Recvs get the
 * error, and values that come later are dropped.
 */
#ifndef TFCORE_RENDEZVOUS_H
#define TFCORE_RENDEZVOUS_H

#include "runtime.h"

enum { TFC_STEP_BITS = 40 };

typedef struct tfc_key {
  int64_t step; /* unique in the cluster: master's rank << TFC_STEP_BITS | count */
  uint64_t edge;
  uint64_t frame;    /* 0 outside of loops */
  int64_t iteration; /* 0 outside of loops */
} tfc_key;

/* Waits for a value. `ready` is called exactly once, unless `forget` returned true: on the thread
 * that puts the value or aborts, without a lock held. It takes over `value`. code != 0: there is no
 * value, and `message` says why; value->buffer is NULL, its other fields are not set.
 */
typedef struct tfc_waiter tfc_waiter;
struct tfc_waiter {
  void (*ready)(tfc_waiter* w, int code, const char* message, tfc_tensor* value, bool dead);
  tfc_key key;
  int peer;                    /* rank of the task that sends the value; -1: this one */
  tfc_waiter *next, *previous; /* the rest belongs to the rendezvous: zero at first */
  bool waits, forgotten;
};

typedef struct tfc_rendezvous {
  /* Takes over the reference in *value. */
  void (*put)(const tfc_key* key, tfc_tensor* value, bool dead);
  /* True: *value and *dead are set. False: nothing has come yet. */
  bool (*try_take)(const tfc_key* key, tfc_tensor* value, bool* dead);
  /* w->ready gets the value, perhaps before this returns: don't touch `w` afterwards. */
  void (*take)(tfc_waiter* w);
  /* True: `ready` will not be called. False: it is being called, or will be. */
  bool (*forget)(tfc_waiter* w);
  /* The step has failed: gives its waiters, now and later, this error. The first error stays. */
  void (*abort_step)(int64_t step, int code, const char* message);
  /* Gives all waiters for that task's values, now and later, this error; code 0 ends that. */
  void (*abort_peer)(int peer, int code, const char* message);
  /* Aborts the steps numbered `first` to `last` that have values or waiters here. */
  void (*abort_steps)(int64_t first, int64_t last, int code, const char* message);
  /* The step has ended: drops values that were not taken, and those that come later. */
  void (*end_step)(int64_t step);
  /* Sends to another task; set by the fabric. On failure `message`, of `size` bytes, says why. */
  int (*send)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, char* message,
              size_t size);
  /* A step of this process's session has failed: cancels its part in another task, which may be
   * running, not have started yet, or never start. Set by the fabric. */
  void (*abandon)(int peer, int64_t step);
  /* For leak tests: number of steps with values or waiters, of values, of waiters. */
  void (*count)(int64_t counts[3]);
  void (*after_fork)(void);
} tfc_rendezvous;

extern tfc_rendezvous tfc_rendezvous_table;

/* The kernels of _Send and _Recv (send_recv.c). */
enum { TFC_TRANSFERS = 4 };
extern const tfc_kernel_def tfc_transfer_kernels[TFC_TRANSFERS];

#endif
