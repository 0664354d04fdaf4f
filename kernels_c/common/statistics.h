/* What queues and input pipelines of this process hold and for what they wait, for people. Read
 * without a graph by tfcore/core/registry/statistics.pyx. */
#ifndef TFCORE_STATISTICS_H
#define TFCORE_STATISTICS_H

#include <tfcore/kernel.h>

/* What the threads of a dataset's stage have done, summed over all iterators; atomic. */
typedef struct stage_counts {
  int64_t capacity, filled;               /* now: slots for elements, and elements in them */
  int64_t workers, calling;               /* now: threads, and those in the function */
  int64_t elements;                       /* taken out so far */
  int64_t empty;                          /* how often whoever took elements had to wait... */
  int64_t consumer_ns;                    /* ...and how long */
  int64_t room_ns, input_ns, function_ns; /* how long threads waited for room, were in the input or
                                             waited for it, and were in the function */
  int64_t damaged; /* records, or elements that failed, which were left out */
} stage_counts;

enum { STATISTICS_NAME = 128 };

/* A dataset of which an iterator is made. */
typedef struct statistics_stage {
  int64_t iterator;         /* its number */
  int64_t taken, taking_ns; /* elements that steps have taken of it, and how long that took */
  char iterator_name[STATISTICS_NAME], name[STATISTICS_NAME]; /* of the operations */
  const char* kind;
  int64_t depth; /* 0: what the iterator gives; its inputs follow it and have one more */
  bool counted;  /* there are counts */
  stage_counts counts;
} statistics_stage;

typedef struct statistics_queue {
  char name[STATISTICS_NAME];
  const char* type;
  int64_t elements, capacity;
  int64_t dequeues, enqueues; /* that wait */
} statistics_queue;

#pragma GCC visibility push(hidden)
/* A malloc'd array of `*n`; NULL if there are none, or no memory for it. */
statistics_stage* statistics_of_stages(int64_t* n);   /* data/iterator.c */
statistics_queue* statistics_of_queues(int64_t* n);   /* queues/list.c */
void statistics_set_name(char* to, const char* name); /* the beginning of a longer one */
#pragma GCC visibility pop

typedef struct statistics_functions {
  statistics_stage* (*stages)(int64_t* n);
  statistics_queue* (*queues)(int64_t* n);
} statistics_functions;

TFC_EXPORT const statistics_functions* statistics_functions_table(void);

#endif /* TFCORE_STATISTICS_H */
