/* Detects tasks that give no sign of life, and agrees on who is a member: the state machine of one
 * task, without clocks, sockets and threads. Time and messages are arguments, so that the same code
 * runs in a task (watcher.c) and in simulations.
 *
 * Waves. The members form a tree with FANOUT children each, the same for all that know the same
 * members. Ten times a second the root sends a wave down the tree, and answers with counts come
 * back up: the "echo" algorithm (Chang, IEEE Trans. Software Eng. 8(4), 1982; Segall, IEEE Trans.
 * Inf. Theory 29(1), 1983). So everybody watches its parent and a few children, whatever the number
 * of tasks. A node also sends to the children of a child that does not answer. A member to which no
 * wave comes makes itself root, the first in the order after the shortest time, of a higher term
 * (as leaders in Raft: Ongaro, Ousterhout, USENIX ATC 2014). Members answer no lower term than
 * they have answered before.
 *
 * Certain ends (a process has ended, as the kernel or MPI says) need no agreement: they are facts
 * (membership/view.h), and a task that learns one tells its neighbours in the tree. Tasks
 * whose facts differ tell each other when a wave or an answer shows it.
 *
 * Silence becomes a fact by leases (Gray, Cheriton, SOSP 1989). Let a quorum be more than half of
 * the members, or half with the lowest rank.
 *
 *   - A task counts itself in only for LEASE (limit + 2.5 intervals) after the time `a` of an
 *     answer for which it gets a confirmation; else it ends itself. The root confirms wave v when
 *     a later wave w, sent after the answers to v had come, is answered by a quorum. So
 *     a <= (w is sent). Where answers are late, a wave alone extends the lease: it says how long
 *     ago the root has sent the last one that a quorum has answered, and that time less 6.5
 *     intervals counts as `a`.
 *   - A root whose waves a quorum answers condemns a member that was in no answer for the limit.
 *     Condemned members get no confirmations any more. All waves and answers carry their names, so
 *     that a task that has answered such a wave gives them to any later root.
 *   - When a quorum has answered a wave with the name of e, and e was last counted GRACE (limit +
 *     3.5 intervals) ago, the root says as a fact that e is dead.
 *
 * At most one side survives. Let r be the time since which the root R has no answer of e, but not
 * before a time by which a quorum had ceased to answer earlier roots (each tells R when it last
 * heard of one). Let e's lease come from a wave w of another root that a quorum has answered. A
 * task in both quorums answered w either before it turned to R: then w was sent before r, and e
 * stops at T1 <= r + LEASE, while R acts at T2 >= r + GRACE > T1. Or it answered w after a wave of
 * R with e's name: then w's root knows that e is condemned before it confirms anything. Messages
 * may be as late as they like; only the clocks' rates must agree, by 5 % of the limit. (For a lease
 * that a wave alone extends: if a wave and its answer take less than 6.5 intervals, or the name of
 * e reaches it in 3.5, which ends it at once.) The argument is about time in which processes run:
 * one that was stopped runs for at most a lease afterwards, and nobody listens to it.
 *
 * Where messages take a slow path the limit is longer. A task that learns that judges others by it
 * at once, but leases are longer only when a quorum knows it: then a later root has heard of it,
 * too, before it can say that anybody is dead.
 *
 * A place that has had no process so far counts as one whose process has ended: number 1. Tasks
 * that start together know that without being told, and no empty place counts in a quorum.
 *
 * Members that know other facts count in no quorum, until they have told each other. When members
 * end, a quorum gets smaller. If the last wave had none before, the root counts r from then on.
 *
 * Threads: one at a time for each detector.
 */
#ifndef TFCORE_DETECTOR_H
#define TFCORE_DETECTOR_H

#include "membership/view.h"

typedef struct tfc_detector tfc_detector;

typedef struct tfc_detector_user {
  void* user;
  void (*send)(void* user, int to, const void* data, size_t bytes);
  /* A place has got this number. Not called for what `note` and `leave` say of the own place. */
  void (*changed)(void* user, int rank, uint32_t number, int event, const char* text);
  /* This task no longer counts: it was excluded, or is on the smaller side of a network cut. */
  void (*ended)(void* user, const char* why);
} tfc_detector_user;

typedef struct tfc_detector_options {
  int rank, size;
  uint32_t number;     /* of this process; 0 for the first in its place */
  int64_t limit_ns;    /* how long a task may be silent; 0: for ever */
  int64_t slow_ns;     /* the limit where messages take a slow path */
  int64_t interval_ns; /* between waves */
  int64_t start_ns;    /* by when all have started that start with this one */
  /* Places that have had no process so far; only tfc_detector_new reads it. Not NULL. */
  const tfc_rank_set* empty;
} tfc_detector_options;

enum { TFC_DETECTOR_FANOUT = 4 };

/* NULL: no memory. */
tfc_detector* tfc_detector_new(const tfc_detector_options* options, const tfc_detector_user* user,
                               int64_t now);
void tfc_detector_free(tfc_detector* d);
/* Does what is due; call it at least every `interval_ns` / 2. */
void tfc_detector_tick(tfc_detector* d, int64_t now);
/* Anything that another detector sent; malformed data are ignored. Returns whose it was, or -1. */
int tfc_detector_receive(tfc_detector* d, int64_t now, const void* data, size_t bytes);
/* A certain fact: the place has this number. */
void tfc_detector_note(tfc_detector* d, int64_t now, int rank, uint32_t number, int event,
                       const char* text);
/* This task has been part of a wave, or is the root. */
bool tfc_detector_is_counted(const tfc_detector* d);
/* A neighbour is reached by the slow path only: from now on, and for all. */
void tfc_detector_go_slow(tfc_detector* d);
/* All facts, for a newcomer's `receive`: calls send(user, rank, ...). */
void tfc_detector_tell(tfc_detector* d, int rank);
const tfc_view* tfc_detector_view(const tfc_detector* d);
/* The root's rank, as this task believes; -1: none. */
int tfc_detector_root(const tfc_detector* d);
bool tfc_detector_is_over(const tfc_detector* d);
/* The parent and the children in the tree; returns how many, at most `room`. */
int tfc_detector_neighbours(const tfc_detector* d, int* ranks, int room);

#endif
