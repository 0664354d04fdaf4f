/* The order in which commands run. What no event orders runs in an order drawn from the seed, and
 * late:
 *
 * - Of the streams with a ready command, that of the highest priority runs. Priorities are random
 *   and are drawn again now and then: some streams fall far behind others.
 * - When work arrives, the device may decide to be lazy: nothing runs until a thread of the host
 *   waits or polls, a ring is half full, or a tick has passed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gpu.h"

enum { LAZY_ONE_IN = 2, LAZY_AGAIN_ONE_IN = 16, REDRAW_ONE_IN = 4 };

/* A graph that is being run. */
typedef struct {
  const graph_image* image;
  uint32_t* missing;     /* by node: how many it still waits for */
  uint32_t* first_after; /* by node: where its list in `after` begins; one more than nodes */
  uint32_t* after;       /* the nodes that wait for a node */
  uint32_t* ready;
  uint32_t ready_count, left;
  uint32_t calling; /* the node whose host function runs */
} graph_run;

typedef struct {
  uint64_t priority;
  bool calling; /* a host function runs */
  uint64_t calls;
  graph_run* graph;
} state;

static state states[MAX_STREAMS];
static struct {
  bool on;
  int64_t until;
  uint32_t urgent;
} laziness;

/* ---- Graphs */

static const graph_node* node_of(const graph_run* g, uint32_t i) {
  return (const graph_node*)((const char*)g->image + g->image->nodes[i]);
}

static command* command_of(const graph_run* g, uint32_t i) {
  const graph_node* n = node_of(g, i);
  return (command*)((char*)n + n->command_at);
}

/* Lists for each node those that wait for it. */
static void invert(graph_run* g, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < node_of(g, i)->waits_for; k++)
      g->first_after[node_of(g, i)->indices[k] + 1]++;
  for (uint32_t i = 0; i < count; i++) g->first_after[i + 1] += g->first_after[i];
  uint32_t* next = malloc((count + 1) * sizeof *next);
  if (!next) abort();
  memcpy(next, g->first_after, (count + 1) * sizeof *next);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < node_of(g, i)->waits_for; k++)
      g->after[next[node_of(g, i)->indices[k]]++] = i;
  free(next);
}

static graph_run* graph_begin(uint64_t image) {
  graph_run* g = calloc(1, sizeof *g);
  if (!g) abort();
  g->image = (const graph_image*)(self.arena + image);
  uint32_t count = g->image->count, edges = 0;
  for (uint32_t i = 0; i < count; i++) edges += node_of(g, i)->waits_for;
  g->missing = calloc(count + 1, sizeof *g->missing);
  g->first_after = calloc(count + 2, sizeof *g->first_after);
  g->after = calloc(edges + 1, sizeof *g->after);
  g->ready = calloc(count + 1, sizeof *g->ready);
  if (!g->missing || !g->first_after || !g->after || !g->ready) abort();
  invert(g, count);
  for (uint32_t i = 0; i < count; i++) {
    g->missing[i] = node_of(g, i)->waits_for;
    if (!g->missing[i]) g->ready[g->ready_count++] = i;
  }
  g->left = count;
  return g;
}

static void graph_end(graph_run* g) {
  free(g->missing);
  free(g->first_after);
  free(g->after);
  free(g->ready);
  free(g);
}

static void node_done(graph_run* g, uint32_t i) {
  g->left--;
  for (uint32_t k = g->first_after[i]; k < g->first_after[i + 1]; k++)
    if (!--g->missing[g->after[k]]) g->ready[g->ready_count++] = g->after[k];
}

/* ---- Host functions */

static void call(uint32_t stream, const command* c) {
  message m = {.kind = MESSAGE_CALL,
               .stream_index = stream,
               .status = LOAD(&self.channel->status),
               .function = c->call.function,
               .argument = c->call.argument,
               .stream = c->call.stream,
               .is_callback = c->call.is_callback};
  states[stream].calling = true;
  states[stream].calls++;
  send(SOCKET_DESCRIPTOR, &m, sizeof m, MSG_NOSIGNAL); /* fails only when the host has gone */
}

static bool call_done(uint32_t stream) {
  return LOAD(&self.channel->streams[stream].calls_done) == states[stream].calls;
}

/* ---- One stream */

/* The next command of a stream, or NULL. */
static command* head(uint32_t i) {
  stream_ring* r = &self.channel->streams[i];
  while (r->read < LOAD(&r->written)) {
    command* c = (command*)(r->ring + r->read % RING_BYTES);
    if (c->kind != COMMAND_PAD) return c;
    STORE(&r->read, r->read + c->bytes);
  }
  return NULL;
}

static bool wait_is_over(const command* c) {
  const channel* other = &self.shared->channels[c->wait.device];
  if ((int)c->wait.device != self.index) STORE(&self.channel->awaits_others, 1);
  return LOAD(&other->streams[c->wait.stream].completed) >= c->wait.sequence ||
         LOAD(&other->status);
}

static bool is_ready(uint32_t i, const command* c) {
  if (states[i].calling) return call_done(i);
  return c->kind != COMMAND_WAIT || wait_is_over(c);
}

/* Runs one node of a graph; true when the graph is done. A failed device runs no more of it. */
static bool step_graph(uint32_t stream, const command* c) {
  state* s = &states[stream];
  if (!s->graph) s->graph = graph_begin(c->image);
  graph_run* g = s->graph;
  if (s->calling) {
    s->calling = false;
    node_done(g, g->calling);
  } else if (g->left && !LOAD(&self.channel->status)) {
    uint32_t which = draw() % g->ready_count, i = g->ready[which];
    g->ready[which] = g->ready[--g->ready_count];
    if (command_of(g, i)->kind == COMMAND_CALL) {
      g->calling = i;
      call(stream, command_of(g, i));
    } else {
      execute(command_of(g, i));
      node_done(g, i);
    }
  }
  if (s->calling || (g->left && !LOAD(&self.channel->status))) return false;
  graph_end(g);
  s->graph = NULL;
  return true;
}

/* Starts or continues a command; true when it has completed. */
static bool step_command(uint32_t i, command* c) {
  state* s = &states[i];
  bool failed = LOAD(&self.channel->status);
  if (c->kind == COMMAND_GRAPH && (!failed || s->graph)) return step_graph(i, c);
  if (c->kind == COMMAND_CALL) {
    if (s->calling || (failed && !c->call.is_callback)) {
      s->calling = false;
      return true;
    }
    call(i, c);
    return false;
  }
  if (!failed) execute(c);
  return true;
}

static void tell_progress(void) {
  channel* c = self.channel;
  if (LOAD(&c->waiters)) {
    ADD(&c->progress, 1);
    futex_wake(&c->progress);
  }
  for (uint32_t i = 0; i < self.shared->devices; i++) {
    channel* other = &self.shared->channels[i];
    if ((int)i != self.index && LOAD(&other->awaits_others)) ring_doorbell(other);
  }
}

static void step(uint32_t i) {
  stream_ring* r = &self.channel->streams[i];
  command* c = head(i);
  uint32_t bytes = c->bytes;
  if (step_command(i, c)) {
    STORE(&r->read, r->read + bytes);
    ADD(&r->completed, 1);
  }
  tell_progress();
}

/* ---- All streams */

static void serve_request(void) {
  mailbox* box = &self.channel->mailbox;
  uint32_t asked = LOAD(&box->asked);
  if (asked == box->answered) return;
  CUresult r = CUDA_SUCCESS;
  switch ((request)box->kind) {
    case REQUEST_ALLOCATE: r = memory_allocate(box->at, box->count); break;
    case REQUEST_FREE: memory_free(box->at, box->count); break;
    case REQUEST_LOAD: r = module_load(box->text, &box->at, box->count); break;
    case REQUEST_UNLOAD: module_unload(box->at); break;
    case REQUEST_FIND: r = module_find(box->text, &box->at); break;
    case REQUEST_GLOBAL: r = module_global(box->text, &box->at, &box->count); break;
  }
  box->result = r;
  STORE(&box->answered, asked);
  futex_wake(&box->answered);
}

static void redraw_priorities(void) {
  for (int i = 0; i < MAX_STREAMS; i++) states[i].priority = draw();
}

/* The ready stream of the highest priority, or -1. */
static int choose(bool* blocked) {
  int best = -1;
  *blocked = false;
  int limit = LOAD(&self.channel->stream_limit);
  for (int i = 0; i < limit; i++) {
    const command* c = head(i);
    if (!c) continue;
    if (!is_ready(i, c))
      *blocked = true;
    else if (best < 0 || states[i].priority > states[best].priority)
      best = i;
  }
  return best;
}

static void perhaps_be_lazy(unsigned one_in) {
  if (!chance(one_in)) return;
  laziness.on = true;
  laziness.until = now_ns() + TICK_NS;
  laziness.urgent = LOAD(&self.channel->urgent);
}

/* How long to hold back what is ready; 0: not at all. */
static int64_t lazy_ns(void) {
  if (!laziness.on) return 0;
  int64_t left = laziness.until - now_ns();
  if (left > 0 && !LOAD(&self.channel->waiters) && LOAD(&self.channel->urgent) == laziness.urgent)
    return left;
  laziness.on = false;
  return 0;
}

void schedule(void) {
  channel* c = self.channel;
  bool idle = true;
  for (int i = 0; i < MAX_STREAMS; i++) states[i].calls = LOAD(&c->streams[i].calls_done);
  redraw_priorities();
  for (;;) {
    uint32_t bell = LOAD(&c->doorbell);
    STORE(&c->awaits_others, 0);
    serve_request();
    bool blocked;
    int i = choose(&blocked);
    if (i < 0) {
      idle = true;
      STORE(&c->sleeping, 1);
      futex_wait(&c->doorbell, bell, blocked ? TICK_NS : -1);
      STORE(&c->sleeping, 0);
      continue;
    }
    if (idle) perhaps_be_lazy(LAZY_ONE_IN);
    idle = false;
    int64_t hold = lazy_ns();
    if (hold) {
      futex_wait(&c->doorbell, bell, hold); /* submissions don't wake it */
      continue;
    }
    step(i);
    if (chance(REDRAW_ONE_IN)) redraw_priorities();
    perhaps_be_lazy(LAZY_AGAIN_ONE_IN);
  }
}
