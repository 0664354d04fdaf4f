/* See checkpoint/format/idle.h. */
#define _GNU_SOURCE
#include "kernels_c/checkpoint/format/idle.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

/* Work that has begun and has then stood still for SLOW_NS shows that all cores are wanted: then
 * none is offered for a while, twice as long each time. */
enum { SLOW_NS = 50000000, FIRST_SKIP = 16, MOST_SKIP = 1 << 12 };

enum { NO_WORK, OFFERED, RUNNING, ENDED };

/* There are no locks between the two threads, as this one may be stopped while it has one. */
struct idle_thread {
  int refs;   /* atomic: the two threads */
  int state;  /* atomic */
  sem_t work; /* counts offers, also those that are taken back */
  sem_t done; /* counts those that are not */
  void (*fn)(void*);
  void* arg;           /* both are written before an offer, and read after it was taken */
  int64_t ns;          /* written before `done` */
  int skip, next_skip; /* the user's: offers not to make, now and the next time */
};

int64_t idle_thread_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

#ifdef __linux__

static void unref(idle_thread* t) {
  if (__atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL)) return;
  sem_destroy(&t->work);
  sem_destroy(&t->done);
  free(t);
}

static void wait_for(sem_t* s) {
  while (sem_wait(s) && errno == EINTR) {
  }
}

/* There is no way back without privileges, so this is a thread's first act. */
static void step_back(void) {
  const struct sched_param none = {0};
  if (sched_setscheduler(0, SCHED_IDLE, &none))
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
}

static void* serve(void* arg) {
  idle_thread* t = arg;
  step_back();
  for (;;) {
    wait_for(&t->work);
    int offered = OFFERED;
    if (__atomic_compare_exchange_n(&t->state, &offered, RUNNING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      const int64_t begin = idle_thread_clock();
      t->fn(t->arg);
      t->ns = idle_thread_clock() - begin;
      sem_post(&t->done);
    } else if (offered == ENDED) {
      unref(t);
      return NULL;
    }
  }
}

idle_thread* idle_thread_start(void) {
  idle_thread* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->refs = 2;
  t->next_skip = FIRST_SKIP;
  sem_init(&t->work, 0, 0);
  sem_init(&t->done, 0, 0);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  /* Signals are for threads that run soon. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attr, serve, t);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  if (!failed) return t;
  t->refs = 1;
  unref(t);
  return NULL;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

/* Whether the work was done within that time. */
static bool done_within(idle_thread* t, int64_t ns) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ns;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int failed;
  do failed = sem_timedwait(&t->done, &until);
  while (failed && errno == EINTR);
  return !failed;
}

int64_t idle_thread_run(idle_thread* t, void (*fn)(void*), void* arg, int64_t wait_ns) {
  if (t->skip > 0) {
    t->skip--;
    return -1;
  }
  const int64_t begin = now_ns();
  t->fn = fn;
  t->arg = arg;
  __atomic_store_n(&t->state, OFFERED, __ATOMIC_RELEASE);
  sem_post(&t->work);
  if (!done_within(t, wait_ns)) {
    int offered = OFFERED;
    if (__atomic_compare_exchange_n(&t->state, &offered, NO_WORK, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return -1;
    wait_for(&t->done);
  }
  if (now_ns() - begin > SLOW_NS + wait_ns) {
    t->skip = t->next_skip;
    t->next_skip = TFC_MIN(2 * t->next_skip, MOST_SKIP);
  }
  __atomic_store_n(&t->state, NO_WORK, __ATOMIC_RELAXED);
  return t->ns;
}

void idle_thread_end(idle_thread* t) {
  __atomic_store_n(&t->state, ENDED, __ATOMIC_RELEASE);
  sem_post(&t->work);
  unref(t);
}

#else

idle_thread* idle_thread_start(void) {
  return NULL;
}

int64_t idle_thread_run(idle_thread* t, void (*fn)(void*), void* arg, int64_t wait_ns) {
  (void)t, (void)fn, (void)arg, (void)wait_ns;
  return -1;
}

void idle_thread_end(idle_thread* t) {
  (void)t;
}

#endif
