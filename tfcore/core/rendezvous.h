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

/* What a value from another task counts there against the credit of its sender. */
typedef struct tfc_charge {
  int peer;
  int64_t bytes; /* 0: nothing */
} tfc_charge;

/* A value that stays with its sender until a Recv waits for it. `answer` is called exactly once,
 * without a lock held. wanted: the value must be put now; else the step has ended or failed. */
typedef struct tfc_offer tfc_offer;
struct tfc_offer {
  void (*answer)(tfc_offer* o, bool wanted);
  tfc_key key;
};

/* A Send that is suspended until its value has gone. `sent` is called exactly once, unless
 * `withdraw` returned true; code != 0: it has not gone, and `message` says why. */
typedef struct tfc_send_waiter tfc_send_waiter;
struct tfc_send_waiter {
  void (*sent)(tfc_send_waiter* w, int code, const char* message);
  void* queued; /* for the fabric; NULL at first */
};

typedef struct tfc_rendezvous {
  /* Takes over the reference in *value. charge: NULL, or what `taken` is told when the value leaves
   * the rendezvous, whether it was taken or dropped. */
  void (*put)(const tfc_key* key, tfc_tensor* value, bool dead, const tfc_charge* charge);
  void (*offer)(tfc_offer* o);
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
  /* Sends to another task; set by the fabric. On failure `message`, of `size` bytes, says why.
   * TFC_PENDING: the other task has no room for it, and nothing was done. */
  int (*send)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, char* message,
              size_t size);
  /* Keeps the value until the other task wants it and has room for it; set by the fabric. w: NULL,
   * or told when it has gone, perhaps before this returns. On failure w is not told. */
  int (*send_later)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead,
                    tfc_send_waiter* w, char* message, size_t size);
  /* Drops the value. True: `sent` will not be called. False: it is being called, or was. */
  bool (*withdraw)(tfc_send_waiter* w);
  /* A step of this process's session has failed: cancels its part in another task, which may be
   * running, not have started yet, or never start. Set by the fabric. */
  void (*abandon)(int peer, int64_t step);
  /* A value with this charge has left the rendezvous; set by the fabric, or NULL. */
  void (*taken)(const tfc_charge* charge);
  /* The step has ended or failed here; set by the fabric, or NULL. */
  void (*step_over)(int64_t step);
  /* For leak tests: number of steps with values or waiters, of values, of waiters. */
  void (*count)(int64_t counts[3]);
  void (*after_fork)(void);
} tfc_rendezvous;

extern tfc_rendezvous tfc_rendezvous_table;

/* The kernels of _Send and _Recv (send_recv.c). */
enum { TFC_TRANSFERS = 4 };
extern const tfc_kernel_def tfc_transfer_kernels[TFC_TRANSFERS];

#endif
