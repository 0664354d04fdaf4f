/* Combines and copies blocks on a thread other than the one that polls.
 *
 * One thread works for all collectives of the process, block by block, and polls in between, so
 * that results of other ranks are copied while they are in the cache. Where the process has several
 * cores to itself, it works on as many blocks at a time. It ends when there is nothing to do.
 */
#include <stdlib.h>
#include <string.h>

#include "collectives/instance.h"

enum { MOST_AT_ONCE = 32, SPIN_NS = 30000 };

typedef struct item {
  tfc_instance* x;
  int block;
  bool combines; /* or copies and passes on the result */
} item;

/* Under the lock. */
static tfc_instance *first, *last; /* instances with blocks that can be worked on */
static bool running;

static bool pop(tfc_instance* x, item* out) {
  if (x->first < 0 || x->code || x->cancelled) return false;
  tfc_block* b = &x->blocks[x->first];
  *out = (item){x, x->first, b->n_parts && !b->combined};
  b->combined = true;
  x->first = b->next;
  if (x->first < 0) x->last = -1;
  x->busy++;
  return true;
}

/* ---- Combining, in the order that collectives/tree.c gives */

/* A block that is combined. */
typedef struct sum {
  const tfc_instance* x;
  const tfc_block* b;
  tfc_tensor scratch; /* of `results_here` times the block's size; freed at the end */
  int results_here;
} sum;

static bool is_16bit(int32_t dtype) {
  return dtype == TFC_HALF || dtype == TFC_BFLOAT16;
}

/* The type of what is combined in part. */
static int32_t partial_dtype(const tfc_instance* x) {
  return is_16bit(x->dtype) ? TFC_FLOAT : x->dtype;
}

static tfc_operand operand_of(const sum* s, const tfc_part* p) {
  bool own = p->from == s->x->c->me;
  return (tfc_operand){own ? s->b->in : p->value.data, !own && p->value.dtype != s->x->dtype};
}

static void reduce(const sum* s, int n, const tfc_operand* from, void* to, bool last) {
  const tfc_collective* c = s->x->c;
  bool is_result = last && s->b->parent < 0;
  c->loops->reduce(s->x->dtype, c->op, is_result && c->mean ? c->n : 1, n, from, to, !is_result,
                   s->b->n);
}

/* Memory for a result that is combined further. */
static void* next_scratch(sum* s) {
  size_t bytes = (size_t)s->b->n * tfc_dtype_size(partial_dtype(s->x));
  return (char*)s->scratch.data + bytes * (size_t)s->results_here++;
}

/* The parts [first, first + n) of one host as one operand. */
static tfc_operand combine_host(sum* s, int first, int n) {
  tfc_operand from[n];
  for (int i = 0; i < n; i++) from[i] = operand_of(s, &s->b->parts[first + i]);
  if (n == 1) return from[0];
  void* to = next_scratch(s);
  reduce(s, n, from, to, false);
  return (tfc_operand){to, is_16bit(s->x->dtype)};
}

/* All hosts' parts are here. */
static void combine_everyone(sum* s, void* to) {
  const tfc_hosts* hosts = &s->x->c->hosts;
  tfc_operand from[TFC_FEW_RANKS];
  for (int h = 0; h < hosts->n_hosts; h++)
    from[h] = combine_host(s, hosts->first[h], hosts->first[h + 1] - hosts->first[h]);
  reduce(s, hosts->n_hosts, from, to, true);
}

/* This host's parts, and those of few other hosts, one after the other. */
static void combine_few(sum* s, const tfc_child_host* children, int n, int own, void* to) {
  tfc_operand from[TFC_FEW_HOSTS];
  int at = 0, i = 0;
  for (; i < n && children[i].before; i++) from[at++] = operand_of(s, &s->b->parts[own + i]);
  from[at++] = combine_host(s, 0, own);
  for (; i < n; i++) from[at++] = operand_of(s, &s->b->parts[own + i]);
  reduce(s, at, from, to, true);
}

/* This host's parts, then pair by pair those of other hosts, which have combined as much. */
static void combine_pairs(sum* s, const tfc_child_host* children, int n, int own, void* to) {
  tfc_operand sum = combine_host(s, 0, own);
  void* memory[] = {next_scratch(s), next_scratch(s)};
  for (int i = 0; i < n; i++) {
    tfc_operand other = operand_of(s, &s->b->parts[own + i]);
    const tfc_operand pair[] = {children[i].before ? other : sum, children[i].before ? sum : other};
    bool last = i == n - 1;
    void* target = last ? to : memory[i % 2];
    reduce(s, 2, pair, target, last);
    sum = (tfc_operand){target, is_16bit(s->x->dtype)};
  }
}

/* How many results on the way to the last one are in memory at a time. */
static int count_scratch(const tfc_hosts* hosts, const tfc_block* b, int n_children) {
  if (b->tree.root == EVERYONE) return hosts->n_hosts > 1 ? hosts->n_hosts : 0;
  return n_children == 0 ? 0 : hosts->n_hosts <= TFC_FEW_HOSTS ? 1 : 3;
}

/* False: there is no memory. */
static bool combine(const tfc_instance* x, const tfc_block* b, void* to) {
  const tfc_hosts* hosts = &x->c->hosts;
  int host = hosts->host_of[x->c->me], own = hosts->first[host + 1] - hosts->first[host], n = 0;
  tfc_child_host children[TFC_MAX_CHILD_HOSTS];
  bool everyone = b->tree.root == EVERYONE;
  if (!everyone) n = tfc_tree_children(hosts, b->tree, host, children);
  sum s = {.x = x, .b = b, .scratch = {.dtype = partial_dtype(x)}};
  int64_t elements = b->n * count_scratch(hosts, b, n);
  if (elements && !tfc_tensor_new(&s.scratch, 1, &elements)) return false;
  if (everyone && hosts->n_hosts > 1) {
    combine_everyone(&s, to);
  } else if (n == 0) {
    tfc_operand from[b->n_parts];
    for (int i = 0; i < b->n_parts; i++) from[i] = operand_of(&s, &b->parts[i]);
    reduce(&s, b->n_parts, from, to, true);
  } else if (hosts->n_hosts <= TFC_FEW_HOSTS) {
    combine_few(&s, children, n, own, to);
  } else {
    combine_pairs(&s, children, n, own, to);
  }
  tfc_tensor_clear(&s.scratch);
  return true;
}

/* ---- Up and down the tree */

static void out_of_memory(tfc_instance* x) {
  pthread_mutex_lock(&tfc_collectives_lock);
  tfc_instance_fail_all(x, TFC_RESOURCE_EXHAUSTED, "a rank has no memory for what it combines");
  pthread_mutex_unlock(&tfc_collectives_lock);
}

/* The result, which lies in `out`, for those whose parts came here. */
static void send_result(tfc_instance* x, const tfc_block* b) {
  if (!b->shared || b->tree.root == EVERYONE) return;
  tfc_tensor result = tfc_block_tensor(x, b, b->out, b->out_buffer);
  for (int i = 0; i < b->n_parts; i++)
    if (b->parts[i].from != x->c->me)
      tfc_instance_send(x, b->parts[i].from, SAYS_RESULT, (int)(b - x->blocks), &result);
}

static void combine_and_send(tfc_instance* x, tfc_block* b) {
  tfc_tensor partial = {.dtype = partial_dtype(x)};
  bool is_root = b->parent < 0, ok = true;
  if (b->n && !is_root) ok = tfc_tensor_new(&partial, 1, &b->n);
  if (b->n && ok) ok = combine(x, b, is_root ? b->out : partial.data);
  for (int i = 0; i < b->n_parts; i++) tfc_tensor_clear(&b->parts[i].value);
  if (!ok)
    out_of_memory(x);
  else if (is_root)
    send_result(x, b);
  else
    tfc_instance_send(x, b->parent, SAYS_INPUT, (int)(b - x->blocks), &partial);
  tfc_tensor_clear(&partial);
}

static void copy_block(const tfc_instance* x, const tfc_block* b, const void* from) {
  size_t bytes = (size_t)b->n * x->element;
  if (!bytes || from == b->out) return;
  if ((size_t)x->n_blocks * BLOCK_BYTES >= STREAM_BYTES)
    x->c->loops->copy(b->out, from, bytes);
  else
    memcpy(b->out, from, bytes);
}

static void work(const item* i) {
  tfc_instance* x = i->x;
  tfc_block* b = &x->blocks[i->block];
  if (i->combines) {
    combine_and_send(x, b);
  } else if (x->c->kind == TFC_COLLECTIVE_GATHER) {
    copy_block(x, b, b->in);
  } else {
    copy_block(x, b, b->result.data);
    tfc_tensor_clear(&b->result);
    send_result(x, b);
  }
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
        pthread_mutex_unlock(&tfc_collectives_lock);
        tfc_instance_end(x);
        pthread_mutex_lock(&tfc_collectives_lock);
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
    pthread_mutex_unlock(&tfc_collectives_lock);
    tfc_instance_end(x);
    pthread_mutex_lock(&tfc_collectives_lock);
  }
}

static void serve(void* unused) {
  (void)unused;
  item items[MOST_AT_ONCE];
  int64_t idle_since = 0;
  pthread_mutex_lock(&tfc_collectives_lock);
  for (;;) {
    int threads = tfc_pool_threads();
    int n = take(items, threads < MOST_AT_ONCE ? threads : MOST_AT_ONCE);
    if (n == 0 && first == NULL) {
      int64_t now = tfc_now_ns();
      if (!idle_since) idle_since = now;
      if (now - idle_since > SPIN_NS) break;
    }
    pthread_mutex_unlock(&tfc_collectives_lock);
    if (n == 1) work(items);
    if (n > 1) tfc_pool_parallel_for(threads, n, 1e5, work_on_range, items, NULL, NULL);
    if (n) idle_since = 0;
    if (!tfc_poll() && !n) tfc_pause();
    pthread_mutex_lock(&tfc_collectives_lock);
    settle(items, n);
  }
  running = false;
  pthread_mutex_unlock(&tfc_collectives_lock);
}

/* ---- The queue */

bool tfc_work_add(tfc_instance* x, int block) {
  tfc_block* b = &x->blocks[block];
  bool hot = b->has_result; /* just written, so in the cache */
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
  if (!tfc_defer(serve, NULL, false)) serve(NULL);
}

void tfc_work_inline(tfc_instance* x) {
  item i;
  pthread_mutex_lock(&tfc_collectives_lock);
  while (pop(x, &i)) {
    pthread_mutex_unlock(&tfc_collectives_lock);
    work(&i);
    pthread_mutex_lock(&tfc_collectives_lock);
    x->busy--;
    x->remaining--;
  }
  pthread_mutex_unlock(&tfc_collectives_lock);
}

void tfc_work_after_fork(void) {
  first = last = NULL;
  running = false;
}
