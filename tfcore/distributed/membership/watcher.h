/* The thread of a task that takes part in failure detection, and the doorbell between hosts.
 *
 * Detectors (detector.h) talk by UDP datagrams, within a host over the loopback. Datagrams may be
 * lost. To tasks to which none gets through, the messages go as BEAT over the fabric, too; what
 * comes that way makes the limit longer, as it queues behind tensors.
 *
 * Within a host each task also watches the next two by rank, which shows sooner what is certain:
 * their process has ended (a pidfd), or it is frozen: a thread of theirs writes a word in shared
 * memory ten times a second, and that has stood still for the limit.
 *
 * A datagram also wakes a sleeping thread of a task to which a message is on its way, since MPI
 * can't.
 */
#ifndef TFCORE_WATCHER_H
#define TFCORE_WATCHER_H

#include <netinet/in.h>

#include "fabric/fabric.h"
#include "membership/detector.h"

typedef struct tfc_watcher tfc_watcher;

typedef struct tfc_watcher_options {
  int fd; /* a datagram socket; it must stay open until `stop` */
  int rank, size;
  uint32_t number, incarnation;
  uint64_t token; /* of the job: datagrams with another one are ignored */
  int64_t limit_ns, slow_ns, start_ns;
  bool slow; /* from the start: the limit is slow_ns, for all */
  void (*doorbell_rang)(void);
} tfc_watcher_options;

enum { TFC_WATCHER_INTERVAL_NS = 100000000 };

/* NULL: no memory. */
tfc_watcher* tfc_watcher_new(const tfc_watcher_options* options);
/* A process takes a place: where it may be reached, and its number if it shares this host's memory,
 * else 0. Before `start`, or before its joining is noted. Any thread. False: no memory. */
bool tfc_watcher_admit(tfc_watcher* h, int rank, uint32_t incarnation,
                       const struct sockaddr_in* addresses, int n, int64_t pid);
/* The place has had no process so far. Before `start`. False: no memory. */
bool tfc_watcher_leave_empty(tfc_watcher* h, int rank);
/* False: there is no thread for it. After the fabric has started. */
bool tfc_watcher_start(tfc_watcher* h);
/* Tells others that this task ends; from then on it does not end itself. */
void tfc_watcher_leave(tfc_watcher* h, int event, const char* why);
/* When it returns, nobody uses the watcher any more but by these functions. */
void tfc_watcher_stop(tfc_watcher* h);
void tfc_watcher_free(tfc_watcher* h); /* after `stop`, unless it was never started */
void tfc_watcher_after_fork(void);     /* in the child, which takes no part */
/* The next three after `start`, by any thread. Notes a certain fact, as tfc_detector_note. */
void tfc_watcher_note(tfc_watcher* h, int rank, uint32_t number, int event, const char* text);
/* The membership, as of now. */
void tfc_watcher_membership(tfc_watcher* h, uint64_t* epoch, uint64_t* digest, uint32_t* numbers);
bool tfc_watcher_is_counted(tfc_watcher* h);
/* A doorbell: the first argument is the watcher. */
void tfc_watcher_ring(void* watcher, int rank);
bool tfc_watcher_doorbell_works(void* watcher, int rank);
/* " (exit code 3)" or " (SIGKILL)", for a message; "" once its parent has collected the status. */
void tfc_how_it_ended(int64_t pid, char* text, size_t size);

#endif
