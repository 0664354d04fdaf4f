/* Threads that make elements ahead of time for a stage: its first member is `workers`.
 *
 * The iterator and the workers share the stage. The iterator's end cancels what the workers do and
 * waits for them: what their functions use may be gone afterwards. A function of the user may take
 * any time, so the wait has a limit; the last of them frees the stage.
 */
#ifndef TFCORE_DATA_WORKERS_H
#define TFCORE_DATA_WORKERS_H

#include "kernels_c/data/position.h"
#include "kernels_c/data/threads/tuning.h"

typedef struct workers workers;

typedef struct workers_kind {
  /* What worker number `me` does, with the lock and until `stops`. */
  void (*work)(workers*, tfc_context* ctx, int64_t me);
  void (*free_stage)(workers*); /* all but what is here, and the stage itself */
} workers_kind;

struct workers {
  const workers_kind* kind;
  const tfc_api* api;
  stage_counts* counts; /* of the dataset */
  pthread_mutex_t lock;
  pthread_cond_t room;  /* workers wait for it */
  pthread_cond_t ready; /* the iterator waits for it */
  int users;            /* the iterator and the workers */
  int64_t n, most;
  tfc_context** contexts; /* of the workers, while they run */
  bool stops;
  bool rests; /* workers begin nothing: the position is being saved */
  pid_t process;
};

/* What a worker made. */
typedef struct slot {
  bool ready;
  bool end; /* of the dataset that it came from */
  int code; /* of an error; TFC_OK: there is an element */
  char* text;
  int64_t number; /* of the call after it, see below */
  tfc_tensor element[];
} slot;

#pragma GCC visibility push(hidden)
/* Of a zeroed stage. After an error, too, the stage is freed by workers_close. */
int workers_init(workers* w, tfc_context* ctx, const workers_kind* kind, stage_counts* counts,
                 int64_t most);
/* Begins n workers with the first element: an iterator may be made and never used. */
int workers_start(workers* w, tfc_context* ctx, int64_t n);
/* With the lock: one more. False: no memory. */
bool workers_add(workers* w);
/* At the end of the iterator. */
void workers_close(workers* w);
int workers_no_memory(tfc_context* ctx);
/* With the lock, which is given up: waits for `ready`. */
int workers_wait(workers* w, tfc_context* ctx);
/* Workers begin nothing until workers_go_on; waits while is_busy(w), which has the lock. */
int workers_rest(workers* w, tfc_context* ctx, bool (*is_busy)(const workers* w));
void workers_go_on(workers* w);

slot* slot_new(int n);
void slot_free(const tfc_api* api, slot* at, int n);
/* Notes the error of `code`, if it is one. */
void slot_note(slot* at, tfc_context* ctx, int code);
/* Moves its element out, or reports its error; *end as it is. */
int slot_take(slot* at, tfc_context* ctx, tfc_tensor* out, int n, bool* end);
int slot_position(slot* at, position* p, int n);
#pragma GCC visibility pop

/* ---- Numbers of the calls that workers make (tfc_number_calls): random ops in them draw by the
 * number, whatever thread calls first. */

/* Of an op in a session: iterators that follow each other, as in epochs, go on counting. */
typedef struct call_counter {
  int64_t refs;   /* atomic: the session and datasets, which may outlive it */
  int64_t next;   /* atomic: after the call for the last element that was taken */
  int64_t open;   /* atomic: iterators that have begun, and are not closed */
  int64_t scopes; /* atomic: of iterators that began while there was another one */
} call_counter;

/* Of a stage. Whoever is in the stage's input changes `next`. */
typedef struct call_numbers {
  call_counter* counter; /* NULL: the stage calls no function */
  uint64_t scope;        /* 0: that of the counter */
  int64_t next;
  bool nested; /* the stage was opened within a call with a number */
  bool begun;
  bool was_begun;          /* when the position was saved that is restored... */
  int64_t restored;        /* ...with the counter's `next` */
  int64_t restored_scopes; /* ...and its `scopes` */
} call_numbers;

#pragma GCC visibility push(hidden)
/* For create(): that of the kernel's op. */
int call_numbers_find(tfc_construction* c, call_counter** counter);
call_counter* counter_hold(call_counter* counter);
void counter_drop(void* counter);
void call_numbers_open(call_numbers* n, tfc_context* ctx, call_counter* counter);
/* Before the first element is made. */
void call_numbers_begin(call_numbers* n);
void call_numbers_close(call_numbers* n);
/* Before the next element is taken from the input. */
int call_numbers_pull(const call_numbers* n, tfc_context* ctx);
/* Afterwards: the number of the call for it. `some`: there is an element. */
int64_t call_numbers_count(call_numbers* n, bool some);
/* Elements before this number have been taken. */
void call_numbers_taken(call_numbers* n, int64_t next);
/* `commit` calls call_numbers_commit for the stage of its iterator. */
int call_numbers_position(call_numbers* n, position* p, void (*commit)(iterator*), iterator* it);
void call_numbers_commit(call_numbers* n);
#pragma GCC visibility pop

#endif /* TFCORE_DATA_WORKERS_H */
