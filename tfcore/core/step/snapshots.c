/* Lets a thread wait until a step that saves variables has taken their values. Other steps may then
 * write to the variables: saved values are shared, so writers copy them first (variable.c). */
#include <time.h>

#include "registry/context.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static tfc_snapshot_watch* watches;            /* with all fields of its elements: under lock */
static void (*snapshot_hook)(const tfc_step*); /* atomic */

void tfc_snapshot_watch_begin(tfc_snapshot_watch* w, unsigned long caller) {
  pthread_mutex_lock(&lock);
  w->caller = caller;
  w->next = watches;
  watches = w;
  pthread_mutex_unlock(&lock);
}

void tfc_snapshot_watch_end(tfc_snapshot_watch* w) {
  pthread_mutex_lock(&lock);
  for (tfc_snapshot_watch** at = &watches; *at; at = &(*at)->next)
    if (*at == w) {
      *at = w->next;
      break;
    }
  w->ended = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

void tfc_snapshot_taken(const tfc_step* step) {
  pthread_mutex_lock(&lock);
  for (tfc_snapshot_watch* w = watches; w; w = w->next) w->seen += w->caller == step->caller_id;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

bool tfc_snapshot_watch_wait(tfc_snapshot_watch* w, int wanted, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(seconds * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int late = 0;
  pthread_mutex_lock(&lock);
  while (!w->ended && w->seen < wanted && !late)
    late = pthread_cond_timedwait(&changed, &lock, &until);
  bool done = w->ended || w->seen >= wanted;
  pthread_mutex_unlock(&lock);
  return done;
}

void tfc_set_snapshot_hook(void (*hook)(const tfc_step*)) {
  __atomic_store_n(&snapshot_hook, hook, __ATOMIC_RELEASE);
}

/* Runs a kernel that saves. It has all of its inputs by now, also those that are not variables. */
int tfc_saving_compute(tfc_context* ctx) {
  const tfc_node_context* node = tfc_node_of(ctx);
  void (*hook)(const tfc_step*) = __atomic_load_n(&snapshot_hook, __ATOMIC_ACQUIRE);
  if (hook) hook(node->step);
  tfc_snapshot_taken(node->step);
  if (node->step->in_background) tfc_lower_priority(); /* nobody waits for the rest */
  return node->running->checked(ctx);
}

void tfc_snapshots_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&changed, NULL);
  watches = NULL;
}
