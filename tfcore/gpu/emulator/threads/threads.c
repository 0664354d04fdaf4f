/* The threads of a block, as fibers.
 *
 * A fiber runs one thread after another: a thread that ends without waiting leaves its stack to the
 * next at once, so a kernel without barriers is a loop. A thread that waits keeps its fiber, and
 * another one runs. Threads that can continue come first, then those that have not started. If
 * there is neither, the block can never end.
 */
#include <stdio.h>
#include <string.h>

#include "run.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

struct tfc_run tfc_run;

enum { AT_NOTHING, AT_BARRIER, AT_EXCHANGE, AT_END };

typedef struct {
  int at; /* what it waits for */
  const char* name;
  const char* file;
  int line;
  /* for AT_EXCHANGE */
  int kind, source;
  unsigned mask;
  uint64_t value; /* its own, then the result */
} __attribute__((aligned(64))) thread;

static struct {
  thread threads[MAX_THREADS];
  uint16_t fiber_of[MAX_THREADS]; /* that a thread runs on */
  uint3 index[MAX_THREADS];
  tfc_fiber scheduler, fibers[MAX_THREADS];
  int made; /* fibers that have a stack */
  int running;
  int idle[MAX_THREADS], idles;
  int ready[MAX_THREADS], ready_count;
  unsigned ready_first;
  int finished, last_finished;
  unsigned waiting_lanes[MAX_WARPS];
  /* the barrier that threads wait at */
  int arrived, first_arrived, count;
  int result; /* of the last barrier: all have read it when they reach the next */
} b;

/* ---- orders */

uint64_t tfc_random(void) { /* xorshift64* */
  uint64_t x = tfc_run.random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  tfc_run.random = x;
  return x * 0x2545F4914F6CDD1DULL;
}

uint64_t tfc_coprime_step(uint64_t count) {
  if (tfc_run.random == 0 || count < 2) return 1;
  for (;;) {
    uint64_t step = tfc_random() % (count - 1) + 1, x = step, y = count;
    while (y != 0) {
      uint64_t rest = x % y;
      x = y;
      y = rest;
    }
    if (x == 1) return step;
  }
}

/* Visits the warps of a block in a drawn order, and the lanes of each. */
typedef struct {
  int warps, warp, warp_step, warps_left;
  int lane, lane_step, lanes_left;
} order;

static order draw_order(void) {
  order o = {.warps = (tfc_run.threads + WARP - 1) / WARP, .lanes_left = WARP};
  o.warps_left = o.warps;
  o.warp_step = (int)tfc_coprime_step((uint64_t)o.warps);
  o.lane_step = 1;
  if (tfc_run.random != 0) {
    uint64_t draw = tfc_random();
    o.warp = (int)((draw >> 32) % (unsigned)o.warps);
    o.lane = (int)(draw & 31);
    o.lane_step = (int)(draw >> 5 & 31) | 1;
  }
  return o;
}

/* The next thread, or -1 after the last. */
static int next_of_order(order* o) {
  for (;;) {
    if (o->lanes_left == 0) {
      if (o->warps_left <= 1) return -1;
      o->warps_left--;
      o->lanes_left = WARP;
      o->warp = (o->warp + o->warp_step) % o->warps;
    }
    int t = o->warp * WARP + o->lane;
    o->lane = (o->lane + o->lane_step) % WARP;
    o->lanes_left--;
    if (t < tfc_run.threads) return t;
  }
}

static order unstarted;
static int next_unstarted;

/* ---- scheduling */

static void become(int t) {
  tfc_run.current = t;
  threadIdx = b.index[t];
  tfc_check_thread(t, &b.fibers[b.fiber_of[t]]);
}

static void make_ready(int t) {
  b.threads[t].at = AT_NOTHING;
  b.ready[(b.ready_first + (unsigned)b.ready_count++) % MAX_THREADS] = t;
}

static int take_ready(void) {
  int t = b.ready[b.ready_first];
  b.ready_first = (b.ready_first + 1) % MAX_THREADS;
  b.ready_count--;
  /* The one after the next: its stack arrives while the next one runs. */
  if (b.ready_count > 1)
    tfc_fiber_prefetch(&b.fibers[b.fiber_of[b.ready[(b.ready_first + 1) % MAX_THREADS]]]);
  return t;
}

static void run_threads(void);

static int take_idle(void) {
  if (b.idles > 0) return b.idle[--b.idles];
  if (tfc_fiber_start(&b.fibers[b.made], run_threads) != 0)
    tfc_fail(TFC_HOST_MEMORY, "no memory for its stack");
  return b.made++;
}

static void switch_to(int fiber) {
  tfc_fiber* from = &b.fibers[b.running];
  b.running = fiber;
  tfc_fiber_switch(from, &b.fibers[fiber]);
}

static _Noreturn void fail_stuck(void);

/* The running thread waits until somebody makes it ready. */
static void wait_at(int at) {
  int self = tfc_run.current;
  b.threads[self].at = at;
  if (b.ready_count > 0)
    switch_to(b.fiber_of[take_ready()]);
  else if (next_unstarted >= 0)
    switch_to(take_idle());
  else
    fail_stuck();
  become(self);
}

static void finish(int t);

/* What every fiber runs. */
static void run_threads(void) {
  const int self = b.running;
  for (;;) {
    if (b.ready_count > 0) {
      b.idle[b.idles++] = self;
      switch_to(b.fiber_of[take_ready()]);
    } else if (next_unstarted >= 0) {
      int t = next_unstarted;
      next_unstarted = next_of_order(&unstarted);
      b.fiber_of[t] = (uint16_t)self;
      b.threads[t].at = AT_NOTHING;
      become(t);
      tfc_run.kernel(tfc_run.params);
      finish(t);
    } else if (b.finished == tfc_run.threads) {
      b.idle[b.idles++] = self;
      tfc_fiber_switch(&b.fibers[self], &b.scheduler);
    } else {
      fail_stuck();
    }
  }
}

int tfc_threads_prepare(void) {
  for (int t = 0; t < tfc_run.threads; t++) {
    b.index[t].x = (unsigned)t % blockDim.x;
    b.index[t].y = (unsigned)t / blockDim.x % blockDim.y;
    b.index[t].z = (unsigned)t / blockDim.x / blockDim.y;
  }
  /* Fibers that an error interrupted start over. */
  if (b.idles != b.made) {
    for (int f = 0; f < b.made; f++) {
      if (tfc_fiber_start(&b.fibers[f], run_threads) != 0) return -1;
      b.idle[f] = b.made - 1 - f;
    }
    b.idles = b.made;
  }
  return 0;
}

void tfc_threads_run(void) {
  b.finished = b.arrived = b.ready_count = 0;
  memset(b.waiting_lanes, 0, sizeof b.waiting_lanes);
  unstarted = draw_order();
  next_unstarted = next_of_order(&unstarted);
  b.running = take_idle();
  tfc_fiber_switch(&b.scheduler, &b.fibers[b.running]);
}

const tfc_fiber* tfc_threads_fiber(void) {
  return &b.fibers[b.running];
}

/* ---- barriers of the block */

static void set_site(thread* me, const char* name, const char* file, int line) {
  me->name = name;
  me->file = file;
  me->line = line;
}

static int same_text(const char* a, const char* c) {
  return a == c || strcmp(a, c) == 0;
}

static int same_site(const thread* a, const thread* c) {
  return a->line == c->line && same_text(a->file, c->file) && same_text(a->name, c->name);
}

static void describe_place(int t, char* text, size_t bytes) {
  char who[64];
  const thread* it = &b.threads[t];
  tfc_describe_thread(t, who, sizeof who);
  if (it->at == AT_END)
    snprintf(text, bytes, "%s, which has ended", who);
  else
    snprintf(text, bytes, "%s, which waits at %s (%s:%d)", who, it->name, tfc_file_name(it->file),
             it->line);
}

static _Noreturn void fail_divergent(int other) {
  const thread* me = &b.threads[tfc_run.current];
  char text[256];
  describe_place(other, text, sizeof text);
  tfc_fail(TFC_HOST_DIVERGENT, "divergent barrier: it is at %s (%s:%d), unlike %s", me->name,
           tfc_file_name(me->file), me->line, text);
}

static void release_barrier(void) {
  b.result = b.count;
  b.arrived = 0;
  tfc_check_barrier();
  order o = draw_order();
  for (int t = next_of_order(&o); t >= 0; t = next_of_order(&o))
    if (t != tfc_run.current) make_ready(t);
}

int tfc_host_barrier(int predicate, const char* name, const char* file, int line) {
  thread* me = &b.threads[tfc_run.current];
  set_site(me, name, file, line);
  if (b.finished > 0) fail_divergent(b.last_finished);
  if (b.arrived == 0) {
    b.first_arrived = tfc_run.current;
    b.count = 0;
  } else if (!same_site(me, &b.threads[b.first_arrived])) {
    fail_divergent(b.first_arrived);
  }
  b.count += predicate != 0;
  if (++b.arrived == tfc_run.threads)
    release_barrier();
  else
    wait_at(AT_BARRIER);
  return b.result;
}

/* ---- operations of a warp */

static unsigned lanes_of(int warp) {
  int count = tfc_run.threads - warp * WARP;
  return count >= WARP ? ~0U : (1U << count) - 1;
}

static _Noreturn void fail_mask(int waiting, int missing) {
  const thread* it = &b.threads[waiting];
  char who[64], text[256];
  tfc_describe_thread(waiting, who, sizeof who);
  describe_place(missing, text, sizeof text);
  tfc_fail(TFC_HOST_MASK, "%s (%s:%d) of %s has the mask 0x%x, which names %s", it->name,
           tfc_file_name(it->file), it->line, who, it->mask, text);
}

static int lowest(unsigned lanes) {
  return __builtin_ctz(lanes);
}

static void complete_exchange(int warp, unsigned lanes) {
  thread* of = &b.threads[warp * WARP];
  const int kind = of[lowest(lanes)].kind;
  uint64_t values[WARP];
  unsigned ballot = 0;
  for (int l = 0; l < WARP; l++) {
    values[l] = 0x0101010101010101ULL * TFC_HOST_POISON;
    if (!(lanes >> l & 1)) continue;
    values[l] = of[l].value;
    ballot |= (unsigned)(of[l].value != 0) << l;
  }
  for (int l = 0; l < WARP; l++) {
    if (!(lanes >> l & 1)) continue;
    if (kind == TFC_EXCHANGE_VALUE) {
      of[l].value = values[of[l].source & (WARP - 1)];
    } else if (kind == TFC_EXCHANGE_BALLOT) {
      of[l].value = ballot;
    } else if (kind == TFC_EXCHANGE_MATCH) {
      of[l].value = 0;
      for (int m = 0; m < WARP; m++)
        of[l].value |= (uint64_t)((lanes >> m & 1) && values[m] == values[l]) << m;
    }
  }
  b.waiting_lanes[warp] &= ~lanes;
  tfc_check_warp(warp);
  const int first = tfc_run.random ? (int)(tfc_random() & 31) : 0;
  for (int i = 0; i < WARP; i++) {
    int l = (first + i) % WARP;
    if (lanes >> l & 1 && warp * WARP + l != tfc_run.current) make_ready(warp * WARP + l);
  }
}

/* Whether all `lanes` wait at the same operation with the same mask. */
static int all_agree(int warp, unsigned lanes) {
  const thread* of = &b.threads[warp * WARP];
  if ((b.waiting_lanes[warp] & lanes) != lanes) return 0;
  const thread* first = &of[lowest(lanes)];
  for (int l = 0; l < WARP; l++)
    if (lanes >> l & 1 &&
        (of[l].mask != first->mask || of[l].kind != first->kind || !same_site(&of[l], first)))
      return 0;
  return 1;
}

uint64_t tfc_host_exchange(int kind, unsigned mask, uint64_t value, int source, const char* name,
                           const char* file, int line) {
  const int self = tfc_run.current, warp = self / WARP, lane = self % WARP;
  thread* me = &b.threads[self];
  set_site(me, name, file, line);
  me->kind = kind;
  me->mask = mask;
  me->value = value;
  me->source = source;
  if (!(mask >> lane & 1))
    tfc_fail(TFC_HOST_MASK,
             "%s (%s:%d) has the mask 0x%x, which does not name the thread that calls it", name,
             tfc_file_name(file), line, mask);
  const unsigned lanes = mask & lanes_of(warp);
  b.waiting_lanes[warp] |= 1U << lane;
  if (all_agree(warp, lanes))
    complete_exchange(warp, lanes);
  else
    wait_at(AT_EXCHANGE);
  return me->value;
}

/* ---- ends */

static void finish(int t) {
  b.threads[t].at = AT_END;
  b.finished++;
  b.last_finished = t;
  if (b.arrived > 0) {
    char text[256];
    describe_place(b.first_arrived, text, sizeof text);
    tfc_fail(TFC_HOST_DIVERGENT, "divergent barrier: it has ended, unlike %s", text);
  }
}

/* Every thread waits, so some operation of a warp waits for a thread that waits elsewhere. */
static _Noreturn void fail_stuck(void) {
  for (int t = 0; t < tfc_run.threads; t++) {
    const thread* it = &b.threads[t];
    if (it->at != AT_EXCHANGE) continue;
    unsigned lanes = it->mask & lanes_of(t / WARP);
    for (; lanes; lanes &= lanes - 1) {
      int other = t / WARP * WARP + lowest(lanes);
      const thread* o = &b.threads[other];
      if (o->at != AT_EXCHANGE || o->mask != it->mask || o->kind != it->kind || !same_site(o, it))
        fail_mask(t, other);
    }
  }
  tfc_fail(TFC_HOST_DIVERGENT, "the threads of the block wait for each other");
}
