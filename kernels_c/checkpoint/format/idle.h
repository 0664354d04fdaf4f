/* A thread for work that may take only the time of cores that nobody else wants. */
#ifndef TFCORE_CHECKPOINT_IDLE_H
#define TFCORE_CHECKPOINT_IDLE_H

#include <stdint.h>

typedef struct idle_thread idle_thread;

/* NULL if the system has no such threads. On Linux its policy is SCHED_IDLE, or it has the lowest
 * priority where that is forbidden. */
idle_thread* idle_thread_start(void);
/* Runs fn(arg) on it, and returns how many ns of a core that has taken. If it does not begin within
 * wait_ns, it won't run: -1. Once begun it is waited for, so fn must be short, and as the thread
 * may be stopped anywhere for long, fn must not take locks, or ask the system for what does. */
int64_t idle_thread_run(idle_thread*, void (*fn)(void*), void* arg, int64_t wait_ns);
/* It ends, later. */
void idle_thread_end(idle_thread*);

/* The time that the calling thread has had of a core, in ns. */
int64_t idle_thread_clock(void);

#endif /* TFCORE_CHECKPOINT_IDLE_H */
