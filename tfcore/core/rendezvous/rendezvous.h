/* Where the two ends of an edge between devices meet, inside a process or (tfcore/distributed)
 * between processes: a value waits for its Recv, or a Recv for its value.
 *
 * Every value is put once and taken once. Another task may offer a value instead of sending it;
 * then the offer waits for the Recv. A step that fails is aborted: waiting Recvs get the error, and
 * values that come later are dropped.
 */
#ifndef TFCORE_RENDEZVOUS_H
#define TFCORE_RENDEZVOUS_H

#include "runtime.h"

/* The number of a step has the rank of its master, the generation of the master's process (how
 * often its place was taken again), and a count. So no two steps of a job have the same number. */
enum {
  TFC_STEP_COUNT_BITS = 40,
  TFC_STEP_GENERATION_BITS = 9,
  TFC_STEP_RANK_BITS = 14,
  TFC_MAX_TASKS = 1 << TFC_STEP_RANK_BITS,
  TFC_MAX_GENERATION = (1 << TFC_STEP_GENERATION_BITS) - 1
};
static inline int64_t tfc_first_step(int rank, int generation) {
  return ((int64_t)rank << TFC_STEP_GENERATION_BITS | generation) << TFC_STEP_COUNT_BITS;
}
static inline int64_t tfc_last_step(int rank, int generation) {
  return tfc_first_step(rank, generation) | ((INT64_C(1) << TFC_STEP_COUNT_BITS) - 1);
}
static inline int tfc_step_rank(int64_t step) {
  return (int)(step >> (TFC_STEP_GENERATION_BITS + TFC_STEP_COUNT_BITS));
}
static inline int tfc_step_generation(int64_t step) {
  return (int)(step >> TFC_STEP_COUNT_BITS) & TFC_MAX_GENERATION;
}
static inline int64_t tfc_step_count(int64_t step) {
  return step & ((INT64_C(1) << TFC_STEP_COUNT_BITS) - 1);
}
/* The number of the master's next step. The count starts over when it is exhausted, after weeks of
 * short steps: it must not change what stands before it. */
static inline int64_t tfc_next_step(int64_t step) {
  int64_t mask = (INT64_C(1) << TFC_STEP_COUNT_BITS) - 1;
  return (step & ~mask) | ((step + 1) & mask);
}

typedef struct tfc_key {
  int64_t step;
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

/* How much of its sender's credit a waiting value uses. */
typedef struct tfc_charge {
  int peer;
  uint32_t incarnation; /* of the peer's process */
  int64_t bytes;        /* 0: nothing */
} tfc_charge;

/* A value that stays with its sender until a Recv waits for it. `answer` is called exactly once,
 * without a lock held. wanted: the value must be put now; else the step has ended or failed. The
 * step may also end just after it was wanted: `has_step` tells. */
typedef struct tfc_offer tfc_offer;
struct tfc_offer {
  void (*answer)(tfc_offer* o, bool wanted);
  tfc_key key;
};

/* A Send that is suspended until its value has gone. `sent` is called exactly once, unless
 * `withdraw` returned true, without a lock held, on a thread that handles messages or ends a step.
 * code != 0: it has not gone, and `message` says why. */
typedef struct tfc_send_waiter tfc_send_waiter;
struct tfc_send_waiter {
  void (*sent)(tfc_send_waiter* w, int code, const char* message);
  void* queued; /* for the fabric; NULL at first */
};

static inline bool tfc_same_key(const tfc_key* a, const tfc_key* b) {
  return a->step == b->step && a->edge == b->edge && a->frame == b->frame &&
         a->iteration == b->iteration;
}

/* A hash of all but the step. */
static inline uint64_t tfc_hash_edge(const tfc_key* key) {
  uint64_t x = key->edge * 0x9e3779b97f4a7c15ULL + key->frame + (uint64_t)key->iteration * 31;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  return x ^ x >> 33;
}

/* Takes over the reference in *value. charge: NULL, or what `discharge` is told when the value
 * leaves the rendezvous, whether it was taken or dropped. */
void tfc_rendezvous_put(const tfc_key* key, tfc_tensor* value, bool dead, const tfc_charge* charge);
/* `o` belongs to the rendezvous until it is answered, perhaps before this returns. */
void tfc_rendezvous_offer(tfc_offer* o);
/* Whether there are values, offers or waiters of the step. */
bool tfc_rendezvous_has_step(int64_t step);
/* True: *value and *dead are set. False: nothing has come yet. */
bool tfc_rendezvous_try_take(const tfc_key* key, tfc_tensor* value, bool* dead);
/* w->ready gets the value, perhaps before this returns: don't touch `w` afterwards. */
void tfc_rendezvous_take(tfc_waiter* w);
/* True: `ready` will not be called. False: it is being called, or will be. */
bool tfc_rendezvous_forget(tfc_waiter* w);
/* The step has failed: gives its waiters, now and later, this error. The first error stays. */
void tfc_rendezvous_abort_step(int64_t step, int code, const char* message);
/* Gives all waiters for that task's values, now and later, this error; code 0 ends that. */
void tfc_rendezvous_abort_peer(int peer, int code, const char* message);
/* Aborts the steps numbered `first` to `last` that have values or waiters here. */
void tfc_rendezvous_abort_steps(int64_t first, int64_t last, int code, const char* message);
/* The step has ended: drops values that were not taken, and those that come later. */
void tfc_rendezvous_end_step(int64_t step);
/* For leak tests: number of steps that have any of these, of values, of waiters, of offers. */
void tfc_rendezvous_count(int64_t counts[4]);
void tfc_rendezvous_after_fork(void);

/* What a fabric does for edges between tasks. It sets these functions; without one, sending
 * fails. */
typedef struct tfc_fabric_hooks {
  /* Sends to another task. On failure `message`, of `size` bytes, says why. *full: the other task
   * has no room for it, and nothing was done. */
  int (*try_send)(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, bool* full,
                  char* message, size_t size);
  /* Keeps the value, with a reference of its own, until the other task wants it and has room for
   * it. w: NULL, or told when it has gone, perhaps before this returns. On failure w is not
   * told. */
  int (*send_later)(int peer, const tfc_key* key, const tfc_tensor* value, tfc_send_waiter* w,
                    char* message, size_t size);
  /* Drops the value. True: `sent` will not be called. False: it is being called, or was. */
  bool (*withdraw)(tfc_send_waiter* w);
  /* A step of this process's session has failed: cancels its part in another task, which may be
   * running, not have started yet, or never start. */
  void (*abandon)(int peer, int64_t step);
  /* A value with this charge has left the rendezvous. May be NULL. */
  void (*discharge)(const tfc_charge* charge);
  /* The step has ended here; code != 0: it has failed, and `message` says why. May be NULL. May
   * come more than once. */
  void (*step_over)(int64_t step, int code, const char* message);
} tfc_fabric_hooks;

extern tfc_fabric_hooks tfc_between_tasks;

/* The kernels of _Send and _Recv (send_recv.c). */
enum { TFC_TRANSFERS = 4 };
extern const tfc_kernel_def tfc_transfer_kernels[TFC_TRANSFERS];

#endif
