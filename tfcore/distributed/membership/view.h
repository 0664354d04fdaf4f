/* Which tasks are members of the cluster, as one task knows it: a set of facts that only grows.
 *
 * A place (rank) has a number: 0 for its first process, 1 once that has ended or if there was none
 * from the start, 2 for the process that took its place, and so on: odd numbers are of places that
 * are empty. A fact is a place, a number and the reason; the highest number counts. So two views
 * merge in any order, and tasks that know the same facts have the same members, the same epoch (the
 * sum of the numbers) and the same digest. Memory and time are in proportion to the places that
 * have changed.
 *
 * Members stand in a fixed order, which is not that of the ranks: neighbours in rank share a host,
 * and should not be neighbours in the tree of a detector (detector.h), as hosts fail as a whole.
 */
#ifndef TFCORE_MEMBERSHIP_VIEW_H
#define TFCORE_MEMBERSHIP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TFC_REASON_BYTES = 400 };

typedef enum {
  TFC_MEMBER_DEAD = 1,   /* its process has ended */
  TFC_MEMBER_FROZEN = 2, /* it gave no sign of life: its process may still exist */
  TFC_MEMBER_LEFT = 3,   /* it has ended in order */
  TFC_MEMBER_JOINED = 4, /* a new process has taken the place */
} tfc_member_event;

/* The number of a place: from the fabric's generation, which is how often it was taken again, and
 * whether that process has ended. */
static inline uint32_t tfc_number_of(int generation, bool has_ended) {
  return 2 * (uint32_t)generation + has_ended;
}

static inline int tfc_generation_of_number(uint32_t number) {
  return (int)(number / 2);
}

/* A set of ranks. */
typedef struct tfc_rank_set {
  int size, n;
  uint64_t* bits; /* NULL: empty */
} tfc_rank_set;

bool tfc_rank_set_has(const tfc_rank_set* s, int rank);
bool tfc_rank_set_add(tfc_rank_set* s, int rank); /* false: no memory */
void tfc_rank_set_remove(tfc_rank_set* s, int rank);
bool tfc_rank_set_merge(tfc_rank_set* to, const tfc_rank_set* from); /* false: no memory */
void tfc_rank_set_clear(tfc_rank_set* s);
/* The next rank from `from` on, or -1. */
int tfc_rank_set_next(const tfc_rank_set* s, int from);

typedef struct tfc_reason {
  int event; /* a tfc_member_event */
  uint32_t number;
  int users; /* places whose last change it explains; 0: free */
  char* text;
} tfc_reason;

typedef struct tfc_change {
  int32_t place; /* in the fixed order */
  uint32_t number;
  int32_t reason;      /* index */
  int32_t gone_before; /* how many of the places before this one are empty */
} tfc_change;

typedef struct tfc_view {
  int size;             /* places */
  int n;                /* members */
  int64_t stride, back; /* the fixed order, and the way back: multiplication modulo `size` */
  tfc_change* changes;  /* by place */
  int n_changes, room;
  tfc_reason* reasons;
  int n_reasons;
  uint64_t epoch, digest;
} tfc_view;

void tfc_view_init(tfc_view* v, int size);
void tfc_view_free(tfc_view* v);
uint32_t tfc_view_number(const tfc_view* v, int rank);
static inline bool tfc_view_is_member(const tfc_view* v, int rank) {
  return tfc_view_number(v, rank) % 2 == 0;
}
/* The reason of the last change of a place; NULL: it has not changed. */
const tfc_reason* tfc_view_reason(const tfc_view* v, int rank);
/* Gives the ranks of the set, whose numbers are lower, this number; removes all others from the
 * set. False: no memory, and nothing has changed. */
bool tfc_view_learn(tfc_view* v, tfc_rank_set* ranks, uint32_t number, int event, const char* text);
/* The places have had no process so far: their number is 1. False: no memory. */
bool tfc_view_leave_empty(tfc_view* v, const tfc_rank_set* ranks);
/* A member's index in the fixed order of the members, -1: it is none; and the member of an index.
 */
int tfc_view_index(const tfc_view* v, int rank);
int tfc_view_member(const tfc_view* v, int index);
/* The lowest rank of a member; -1: there is none. */
int tfc_view_lowest(const tfc_view* v);

#endif
