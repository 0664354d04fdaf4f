/* Threads for kernels that block. They may wait for any length of time, so they are not part of the
 * pool: there is one for each blocking kernel that runs. An idle one stays for a while, then ends.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

enum { IDLE_SECONDS = 10 };

typedef struct job {
  void (*fn)(void*);
  void* arg;
  struct job* next;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static job* jobs; /* under lock */
static int idle;  /* under lock: threads that wait for a job, minus the jobs in the list */

static job* next_job(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += IDLE_SECONDS;
  idle++;
  while (!jobs)
    if (pthread_cond_timedwait(&work, &lock, &until) && !jobs) {
      idle--;
      return NULL;
    }
  job* j = jobs;
  jobs = j->next;
  return j; /* the thread that added it has updated `idle` */
}

static void* serve(void* first) {
  job* j = first;
  do {
    job now = *j;
    free(j); /* before the call: when the interpreter exits, a thread that asks for the GIL ends in
                it */
    now.fn(now.arg);
    pthread_mutex_lock(&lock);
    j = next_job();
    pthread_mutex_unlock(&lock);
  } while (j);
  return NULL;
}

static _Thread_local bool serves_once;

static void* serve_once(void* only) {
  job now = *(job*)only;
  free(only);
  serves_once = true;
  now.fn(now.arg);
  return NULL;
}

/* A thread can't raise its priority again without privileges, so those that serve others keep
 * theirs. Where all cores are busy, nice 19 still leaves it about a hundredth of one, so it soon
 * releases locks that others need. */
void tfc_lower_priority(void) {
#ifdef __linux__ /* elsewhere this would be for the whole process */
  if (!serves_once) return;
  (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
  (void)pthread_setname_np(pthread_self(), "tfcore-niced");
#endif
}

static bool start_thread(void* (*serve_first)(void*), job* j) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  bool ok = pthread_create(&thread, &attr, serve_first, j) == 0;
  pthread_attr_destroy(&attr);
  return ok;
}

static job* new_job(void (*fn)(void*), void* arg) {
  job* j = malloc(sizeof *j);
  if (j) *j = (job){fn, arg, NULL};
  return j;
}

bool tfc_spawn(void (*fn)(void*), void* arg) {
  job* j = new_job(fn, arg);
  if (!j) return false;
  pthread_mutex_lock(&lock);
  bool given = idle > 0;
  if (given) {
    idle--;
    j->next = jobs;
    jobs = j;
    pthread_cond_signal(&work);
  }
  pthread_mutex_unlock(&lock);
  if (given || start_thread(serve, j)) return true;
  free(j);
  return false;
}

bool tfc_spawn_once(void (*fn)(void*), void* arg) {
  job* j = new_job(fn, arg);
  if (j && start_thread(serve_once, j)) return true;
  free(j);
  return false;
}

void tfc_spawn_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&work, NULL);
  jobs = NULL;
  idle = 0;
}
