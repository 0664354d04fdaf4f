/* Threads that make elements ahead of time for a stage: its first member is `workers`.
 *
 * The iterator and the workers share the stage. The iterator's end cancels what the workers do and
 * waits for them: what their functions use may be gone afterwards. A function of the user may take
 * any time, so the wait has a limit; the last of them frees the stage.
 */
#ifndef TFCORE_DATA_WORKERS_H
#define TFCORE_DATA_WORKERS_H

#include "kernels_c/data/position.h"
#include "kernels_c/data/tuning.h"

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

#endif /* TFCORE_DATA_WORKERS_H */
