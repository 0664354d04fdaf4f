/* Readers: they take names of files from a queue, and give out the records of these files.
 *
 * A kernel that reads gets the next record at once if the file has one. Else it is suspended and
 * joins a line. The first in line waits at its queue for a name (queues/take.h); the others wait
 * for it, so that no more names are taken than are needed.
 *
 * Files are read without the mutex, by whoever has made the reader busy: a file may be a pipe or on
 * a server that hangs, and what only needs the mutex, such as a cancellation, must not wait for it.
 * A kernel that finds the reader busy joins the line, which is then served by whoever reads.
 */
#ifndef TFCORE_READER_H
#define TFCORE_READER_H

#include "kernels_c/io/records.h"
#include "kernels_c/queues/take.h"
#include "kernels_c/queues/waiting.h"

/* What a reader is made with; it never changes. */
typedef struct reader_form {
  const char* type; /* of the op, without "V2" */
  char* name;
  bool names; /* IdentityReader: a name is the record */
  record_options options;
} reader_form;

typedef enum reader_unit {
  READER_NO_UNIT,
  READER_NEW_UNIT, /* its name is known; it is not open */
  READER_IN_UNIT   /* it is open */
} reader_unit;

typedef struct reader {
  reader_form form;
  int64_t refs; /* atomic: the resource, and those that serve the line */
  pthread_mutex_t mutex;
  tfc_line reads;               /* of reader_read */
  struct reader_read* fetching; /* the first of them, while it waits at its queue */
  bool served;                  /* somebody serves the line */
  bool busy;                    /* somebody reads, and has what follows */
  pthread_cond_t idle;          /* it is not busy any more */
  /* The unit of work: a file. Of whoever is busy; if nobody is, under the mutex. */
  reader_unit unit;
  char* name; /* NULL: none yet */
  size_t name_size;
  record_reader* file;
  int64_t number; /* records of it so far, and lines skipped */
  /* The next record, if `ready`. */
  bool ready;
  const char* data;
  size_t size;
  int64_t offset;
  /* As TensorFlow counts. Atomic. */
  int64_t units_started, units_finished, produced;
  int64_t damaged; /* records that were left out */
  char* key;       /* of the last record: "name:number" */
  size_t key_size;
} reader;

/* A kernel that waits. */
typedef struct reader_read {
  tfc_waiter waiter; /* first */
  reader* r;
  int64_t most; /* records; -1: a single one, not a vector */
  queue_take* take;
  bool cancelled; /* while it was fetching */
  int code;       /* how it ends */
} reader_read;

typedef enum reader_state { READER_READY, READER_NEEDS_UNIT, READER_FAILED } reader_state;

#pragma GCC visibility push(hidden)

/* ---- io/reader_unit.c. By whoever is busy, or with the mutex if nobody is. */

/* Makes sure that there is a record, if there can be one without another unit. */
reader_state reader_prepare(reader* r, record_status* status);
/* The record that is ready, and perhaps more of the same unit, become outputs. */
int reader_produce(reader* r, tfc_context* ctx, int64_t most);
/* Takes the name over. */
void reader_begin_unit(reader* r, char* name, size_t size);
/* Forgets the name of the last one. */
void reader_forget_unit(reader* r);
/* Forgets the unit and all counts. */
void reader_reset(reader* r);
void reader_drop(reader* r); /* without the mutex: the last reference frees it */

/* ---- io/reader_line.c */

/* Locks the mutex when nobody reads. An error if the step is cancelled first; it is not locked
 * then. */
int reader_lock_idle(tfc_context* ctx, reader* r);
/* Reads for a kernel and returns its result. most: at most so many, a vector; -1: one record. */
int reader_read_now(tfc_context* ctx, reader* r, int64_t most);

#pragma GCC visibility pop

#endif /* TFCORE_READER_H */
