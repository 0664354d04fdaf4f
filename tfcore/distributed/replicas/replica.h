/* Replicas of variables: each server (the primary) has its variables' values in another one, too
 * (its backup), so that they survive the death of either.
 *
 * The primary numbers its changes. A partition that may have changed variables ends with a change:
 * the new values, or rows, of all variables that were changed since the last one. It is copied
 * under the locks of all of them, so that it contains what a kernel does to several variables as a
 * whole, and all that the partition has done. The changes of steps that run at the same time may be
 * in one another's: a change is the state of the server at some moment. The backup puts changes
 * into its replicas in their order, each as a whole. The fabric delivers messages in order, and
 * none of an earlier process of either task.
 *
 * A step is reported as done once its change survives the primary's death. Within a host that is as
 * soon as it is published: its messages lie whole in memory of the backup, which handles them also
 * after it has found the primary dead, and before another process takes its place (fabric.h). So no
 * process but the primary runs for the step, and the backup puts many changes into its replicas at
 * a time. A step waits until the backup has acknowledged its change (REPLICA_ACK)
 *   - between hosts;
 *   - until the backup has shown that it has the primary's memory mapped, where large values lie;
 *   - if the change is large, or the backup does not keep up: values that it has not read are kept,
 *     and kernels then copy their variables to write to them;
 *   - if there is no room for its messages in the backup's memory, so that they are not published.
 * The last message of such a change has the flag ANSWER.
 *
 * A published change is lost if the backup has no memory to apply it, and the primary dies before a
 * new full copy is complete.
 *
 * When the backup has died, the primary continues without one. When there is a new one, it gets a
 * full copy (BEGIN), one variable at a time, while steps run; what changes meanwhile follows. A
 * last change with all that has changed since makes the copy COMPLETE, and from then on steps wait
 * for acknowledgements again. When the primary has died, the process that takes its place asks the
 * backup, before it runs anything for masters; the backup hands out its replicas (RESTORE), if they
 * are complete, and they become those of the new primary.
 *
 * A message of a change: `edge` is the number of the variable, `code` says what it has, `flags`
 * whether it is the last message of its change, whose number is `step`. */
#ifndef TFCORE_REPLICA_H
#define TFCORE_REPLICA_H

#include "fabric/fabric.h"
#include "partitions/remote.h"

enum {                         /* code of REPLICA and RESTORE */
       TFC_REPLICA_BEGIN = 1,  /* a full copy follows: what was there before is dropped */
       TFC_REPLICA_NAME = 2,   /* the payload is the label of the variable, `iteration` its type */
       TFC_REPLICA_VALUE = 3,  /* the payload is its value; without one it has none */
       TFC_REPLICA_ROWS = 4,   /* the payload: `iteration` numbers of rows (int64), then the rows */
       TFC_REPLICA_FORGET = 5, /* the variable is gone */
       TFC_REPLICA_END = 6,    /* nothing but the flags */
       TFC_REPLICA_STOP = 7    /* no changes follow, and the replicas are worth nothing */
};
enum {                        /* flags of REPLICA */
       TFC_REPLICA_LAST = 16, /* of its change; the others come with it only */
       TFC_REPLICA_COMPLETE = 32,
       TFC_REPLICA_ANSWER = 64 /* acknowledge the change at once */
};

enum {                      /* what the primary does */
       TFC_REPLICA_OFF,     /* there is no backup, or it can't follow */
       TFC_REPLICA_COPYING, /* a full copy is under way */
       TFC_REPLICA_ON       /* steps wait for the backup */
};

typedef struct tfc_replica_counts {
  int state;                            /* of the primary */
  int64_t variables;                    /* that it has */
  int64_t changes, acknowledged;        /* numbers of the last ones; for the latter no step waits */
  int64_t replicas;                     /* that are held for another primary */
  bool complete;                        /* whether they are all of them */
  int64_t applied;                      /* number of the last change that they have */
  int64_t sent_bytes, whole, row_parts; /* of values that were sent: bytes, whole ones, rows only */
} tfc_replica_counts;

/* ---- The primary (replicas/primary.c) */

/* Before the fabric starts. backup: the rank of the task with the replicas. */
void tfc_replica_primary_open(int backup);
/* Begins to track a variable that no kernel has yet, and that is in the backup already if `number`
 * is not 0. The label identifies the variable for those who restore it. False: no memory. */
bool tfc_replica_track(tfc_variable* v, const char* label, size_t size, uint64_t number);
/* Makes a full copy in the backup; returns when it is sent. False: that has failed. */
bool tfc_replica_copy(void);
/* This process has the variables from the replicas of the backup with this incarnation, up to the
 * change with this number. If another process is the backup by now, that one needs a full copy. */
void tfc_replica_go_on(int64_t changes, uint32_t incarnation);
/* Waits until the backup is lost or can't follow (true), or for `tfc_replica_wake` or the time. */
bool tfc_replica_await_loss(int64_t ns);
void tfc_replica_wake(void);
/* From now on steps wait for nothing. */
void tfc_replica_primary_close(void);
void tfc_replica_primary_count(tfc_replica_counts* out);
void tfc_replica_primary_after_fork(void); /* in the child */

/* ---- The backup (replicas/backup.c) */

/* Before the fabric starts. primary: the rank of the task whose variables are kept. backup: of that
 * which may hand out this task's. */
void tfc_replica_backup_open(int primary, int backup);
/* Sends all replicas to the process that has taken the primary's place, whose they are from then
 * on. Returns how many; -1: they are not complete; -2: they could not be sent. *changes: the number
 * of the last change that they have. */
int64_t tfc_replica_give(uint32_t incarnation, int64_t* changes);
void tfc_replica_backup_count(tfc_replica_counts* out);
void tfc_replica_backup_after_fork(void); /* in the child */

/* A variable and its value, apart from its replica. */
typedef struct tfc_given {
  uint64_t number;
  char* label; /* malloc'd */
  size_t label_size;
  int32_t dtype;
  tfc_tensor value; /* buffer NULL: it has none */
  struct tfc_given* next;
} tfc_given;

/* All replicas, if they are complete; the caller frees the list. False: no memory. */
bool tfc_replica_list(tfc_given** first);
void tfc_replica_free_given(tfc_given* first);

/* ---- A process that takes the place of a primary (replicas/backup.c) */

/* What has been given so far, the oldest variable first; false: some of it was lost. The caller
 * frees it. */
bool tfc_replica_take_given(tfc_given** first);

#endif
