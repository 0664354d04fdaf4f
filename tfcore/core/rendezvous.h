/* Where the two ends of an edge between devices meet, inside a process or (see tfcore/distributed)
 * between processes: a value waits for its Recv, or a Recv for its value.
 *
 * Every value is put once and taken once. A step that fails is aborted: those who wait are told, and
 * what comes later is dropped.
 */
#ifndef TFCORE_RENDEZVOUS_H
#define TFCORE_RENDEZVOUS_H

#include "runtime.h"

typedef struct tfc_key {
  int64_t step; /* one number for the whole cluster */
  uint64_t edge;
  uint64_t frame;    /* 0 outside of loops */
  int64_t iteration; /* 0 outside of loops */
} tfc_key;

/* Who waits for a value. `ready` is called at most once, on the thread that brings the value or
 * aborts, without any lock; it takes over `value`. code != 0: there is none, `message` says why. */
typedef struct tfc_waiter tfc_waiter;
struct tfc_waiter {
  void (*ready)(tfc_waiter* w, int code, const char* message, tfc_tensor* value, bool dead);
  tfc_key key;
  int peer; /* rank of the task that will send it, -1: this one */
  tfc_waiter *next, *previous;
  bool waits;
};

typedef struct tfc_rendezvous {
  /* Takes over the reference in *value. */
  void (*put)(const tfc_key* key, tfc_tensor* value, bool dead);
  /* True: *value and *dead are set. False: w->ready will be called (perhaps already was). */
  bool (*take)(tfc_waiter* w, tfc_tensor* value, bool* dead);
  /* True: it no longer waits and will not be called. */
  bool (*forget)(tfc_waiter* w);
  void (*abort_step)(int64_t step, int code, const char* message);
  /* All waiters for values from that task. */
  void (*abort_peer)(int peer, int code, const char* message);
  /* The step is over: drops values that nobody took, and everything that comes later. */
  void (*end_step)(int64_t step);
  /* How _Send reaches another task: set by the fabric. */
  int (*send)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead);
} tfc_rendezvous;

#endif
