/* Reduces and copies blocks on a thread other than the one that polls.
 *
 * One thread works for all collectives of the process, block by block, and polls in between, so
 * that results of other ranks are copied while they are in the cache. Where the process has several
 * cores to itself, it works on as many blocks at a time. It ends when there is nothing to do.
 */
#include <stdlib.h>
#include <string.h>

#include "collective_instance.h"

enum { MOST_AT_ONCE = 32, SPIN_NS = 30000 };

typedef struct item {
  tfc_instance* x;
  int block;
} item;

/* Under the lock. */
static tfc_instance *first, *last; /* instances with blocks that can be worked on */
static bool running;

static bool pop(tfc_instance* x, item* out) {
  if (x->first < 0 || x->code || x->cancelled) return false;
  *out = (item){x, x->first};
  x->first = x->blocks[x->first].next;
  if (x->first < 0) x->last = -1;
  x->busy++;
  return true;
}

static void reduce_block(tfc_instance* x, tfc_block* b) {
  int n = x->c->n, me = x->c->me;
  const void* from[n];
  memset(from, 0, sizeof from);
  for (int p = 0; p < n; p++) from[p] = p == me ? (const void*)b->in : b->from[p].data;
  x->c->loops->reduce(x->dtype, x->c->op, x->c->mean ? n : 1, n, from, b->out, b->n);
  for (int p = 0; p < n; p++) tfc_tensor_clear(&b->from[p]);
  if (x->c->kind != TFC_COLLECTIVE_REDUCE || b->owner == EVERYONE) return;
  for (int p = 0; p < n; p++)
    if (p != me)
      tfc_instance_send(x, p, SAYS_RESULT, (int)(b - x->blocks), b->out, b->out_buffer, b->n);
}

static void copy_block(tfc_instance* x, tfc_block* b) {
  size_t bytes = (size_t)b->n * x->element;
  const void* from = b->n_from ? b->from[0].data : b->in;
  if ((size_t)x->n_blocks * BLOCK_BYTES >= STREAM_BYTES)
    x->c->loops->copy(b->out, from, bytes);
  else
    memcpy(b->out, from, bytes);
  if (b->n_from) tfc_tensor_clear(&b->from[0]);
}

static void work(const item* i) {
  tfc_block* b = &i->x->blocks[i->block];
  bool copied =
      i->x->c->kind == TFC_COLLECTIVE_GATHER || (b->owner != EVERYONE && b->owner != i->x->c->me);
  if (copied)
    copy_block(i->x, b);
  else
    reduce_block(i->x, b);
}

static void work_on_range(void* items, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) work((const item*)items + i);
}

/* ---- The thread */

/* With the lock. */
static int take(item* items, int most) {
  int n = 0;
  while (first && n < most) {
    tfc_instance* x = first;
    if (pop(x, &items[n])) {
      n++;
    } else {
      first = x->next_queued;
      if (!first) last = NULL;
      x->queued = false;
      x->busy--;
      if (tfc_instance_over(x)) { /* it failed while it was queued */
        pthread_mutex_unlock(&tfc_coll.lock);
        tfc_instance_end(x);
        pthread_mutex_lock(&tfc_coll.lock);
      }
    }
  }
  return n;
}

/* With the lock. */
static void settle(const item* items, int n) {
  for (int i = 0; i < n; i++) {
    tfc_instance* x = items[i].x;
    x->busy--;
    x->remaining--;
    if (!tfc_instance_over(x)) continue;
    pthread_mutex_unlock(&tfc_coll.lock);
    tfc_instance_end(x);
    pthread_mutex_lock(&tfc_coll.lock);
  }
}

static void serve(void* unused) {
  (void)unused;
  item items[MOST_AT_ONCE];
  int64_t idle_since = 0;
  pthread_mutex_lock(&tfc_coll.lock);
  for (;;) {
    int threads = tfc_coll.rt->pool_threads();
    int n = take(items, threads < MOST_AT_ONCE ? threads : MOST_AT_ONCE);
    if (n == 0 && first == NULL) {
      int64_t now = tfc_coll.rt->steps->now_ns();
      if (!idle_since) idle_since = now;
      if (now - idle_since > SPIN_NS) break;
    }
    pthread_mutex_unlock(&tfc_coll.lock);
    if (n == 1) work(items);
    if (n > 1) tfc_coll.rt->parallel_for(threads, n, 1e5, work_on_range, items, NULL, NULL);
    if (n) idle_since = 0;
    if (!tfc_coll.fabric->poll() && !n) tfc_pause();
    pthread_mutex_lock(&tfc_coll.lock);
    settle(items, n);
  }
  running = false;
  pthread_mutex_unlock(&tfc_coll.lock);
}

/* ---- The queue */

bool tfc_work_add(tfc_instance* x, int block) {
  tfc_block* b = &x->blocks[block];
  bool hot = b->owner != EVERYONE && b->owner != x->c->me; /* just written, so in the cache */
  b->next = hot ? x->first : -1;
  if (x->first < 0 || hot)
    x->first = block;
  else
    x->blocks[x->last].next = block;
  if (x->last < 0 || !hot) x->last = block;
  if (x->inline_work || x->queued) return false;
  x->queued = true;
  x->busy++; /* the queue uses it */
  x->next_queued = NULL;
  if (last)
    last->next_queued = x;
  else
    first = x;
  last = x;
  bool start = !running;
  running = true;
  return start;
}

void tfc_work_start(void) {
  if (!tfc_coll.fabric->defer(serve, NULL)) serve(NULL);
}

void tfc_work_inline(tfc_instance* x) {
  item i;
  pthread_mutex_lock(&tfc_coll.lock);
  while (pop(x, &i)) {
    pthread_mutex_unlock(&tfc_coll.lock);
    work(&i);
    pthread_mutex_lock(&tfc_coll.lock);
    x->busy--;
    x->remaining--;
  }
  pthread_mutex_unlock(&tfc_coll.lock);
}

void tfc_work_after_fork(void) {
  first = last = NULL;
  running = false;
}
