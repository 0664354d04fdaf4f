/* Where the two ends of an edge between devices meet, inside a process or (see tfcore/distributed)
 * between processes: a value waits for its Recv, or a Recv for its value.
 *
 * Every value is put once and taken once. A step that fails is aborted: those who wait are told,
 * and what comes later is dropped.
 */
#ifndef TFCORE_RENDEZVOUS_H
#define TFCORE_RENDEZVOUS_H

#include "runtime.h"

enum { TFC_STEP_BITS = 40 };

typedef struct tfc_key {
  int64_t step; /* one number for the whole cluster: rank of the master << TFC_STEP_BITS | count */
  uint64_t edge;
  uint64_t frame;    /* 0 outside of loops */
  int64_t iteration; /* 0 outside of loops */
} tfc_key;

/* Who waits for a value. `ready` is called exactly once, unless `forget` said that it will not be:
 * on the thread that brings the value or aborts, without any lock; it takes over `value` (in which
 * only a buffer or none is sure to be set if code != 0). code != 0: there is none, `message` says
 * why. */
typedef struct tfc_waiter tfc_waiter;
struct tfc_waiter {
  void (*ready)(tfc_waiter* w, int code, const char* message, tfc_tensor* value, bool dead);
  tfc_key key;
  int peer;                    /* rank of the task that will send it, -1: this one */
  tfc_waiter *next, *previous; /* the rest is the rendezvous' own: zero at first */
  bool waits, forgotten;
};

typedef struct tfc_rendezvous {
  /* Takes over the reference in *value. */
  void (*put)(const tfc_key* key, tfc_tensor* value, bool dead);
  /* True: *value and *dead are set. False: nothing has come yet. */
  bool (*try_take)(const tfc_key* key, tfc_tensor* value, bool* dead);
  /* w->ready gets the value, perhaps before this returns; `w` is not to be touched afterwards. */
  void (*take)(tfc_waiter* w);
  /* True: it no longer waits and will not be called. False: it is being called, or will be. */
  bool (*forget)(tfc_waiter* w);
  /* The step fails: tells all who wait for its values, now or later. The first reason stays. */
  void (*abort_step)(int64_t step, int code, const char* message);
  /* Tells all who wait for values from that task, now or later (code 0: no longer later). */
  void (*abort_peer)(int peer, int code, const char* message);
  /* Aborts the steps numbered `first` to `last`, of which nobody here may have heard anything but
   * their values. */
  void (*abort_steps)(int64_t first, int64_t last, int code, const char* message);
  /* The step is over: drops values that nobody took, and everything that comes later. */
  void (*end_step)(int64_t step);
  /* How _Send reaches another task: set by the fabric. Not TFC_OK: `message`, of `size` bytes, says
   * why. */
  int (*send)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, char* message,
              size_t size);
  /* The step of this process's session has failed; its part in another task, which may be running,
   * not yet have been started, or never will be, is in vain. Set by the fabric. */
  void (*abandon)(int peer, int64_t step);
  /* Steps that have values or waiters now, values, waiters: for tests of leaks. */
  void (*count)(int64_t counts[3]);
  void (*after_fork)(void);
} tfc_rendezvous;

extern tfc_rendezvous tfc_rendezvous_table;

/* The kernels of _Send and _Recv (send_recv.c). */
extern const tfc_kernel_def tfc_send_kernel, tfc_recv_kernel;

#endif
