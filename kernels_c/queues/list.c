/* All queues of the process, for statistics. */
#include "kernels_c/common/statistics.h"
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static queue* queues; /* under lock */
static int64_t n_queues;

void queue_list_add(queue* q) {
  pthread_mutex_lock(&lock);
  q->next = queues;
  if (queues) queues->previous = q;
  queues = q;
  n_queues++;
  pthread_mutex_unlock(&lock);
}

void queue_list_remove(queue* q) {
  pthread_mutex_lock(&lock);
  if (q->next) q->next->previous = q->previous;
  *(q->previous ? &q->previous->next : &queues) = q->next;
  n_queues--;
  pthread_mutex_unlock(&lock);
}

static int64_t line_length(const tfc_line* line) {
  int64_t n = 0;
  for (const tfc_waiter* w = line->first; w; w = w->next) n++;
  return n;
}

static void describe(queue* q, statistics_queue* s) {
  statistics_set_name(s->name, q->form.name);
  s->type = q->form.type;
  s->capacity = q->form.capacity;
  pthread_mutex_lock(&q->mutex);
  s->elements = q->runs.elements;
  s->dequeues = line_length(&q->dequeues);
  s->enqueues = line_length(&q->enqueues);
  pthread_mutex_unlock(&q->mutex);
}

statistics_queue* statistics_of_queues(int64_t* n) {
  pthread_mutex_lock(&lock);
  statistics_queue* found = n_queues ? calloc((size_t)n_queues, sizeof *found) : NULL;
  *n = 0;
  for (queue* q = queues; q && found; q = q->next) describe(q, &found[(*n)++]);
  pthread_mutex_unlock(&lock);
  return found;
}
