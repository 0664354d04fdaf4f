/* Connections with the tasks of this host, which are made when they are first used. */
#ifndef TFCORE_REACH_H
#define TFCORE_REACH_H

#include "fabric/endpoint.h"

/* Where a process keeps the memory that it shares. */
typedef struct tfc_memory_address {
  int64_t pid;
  int inbox_fd, arena_fd; /* in that process */
  size_t arena_bytes;
  uint64_t token; /* in its inbox */
} tfc_memory_address;

/* Before start: the task is on this host. */
void tfc_reach_set_address(tfc_peer* p, const tfc_memory_address* address);
/* Maps the memory of the task, unless that has been done. Returns NULL, or why it can't be mapped:
 * then the task counts as failed soon, unless its process is gone; that is found by those who watch
 * processes, which know whether it ended in order. */
const char* tfc_reach(tfc_peer* p);
/* What is mapped of the inbox of a task that has been reached, at p->inbox. */
size_t tfc_reach_bytes(void);
/* By the thread that polls: declares the tasks failed whose memory could not be mapped. */
void tfc_reach_end_unreachable(void);
void tfc_reach_after_fork(void); /* in the child */

#endif
