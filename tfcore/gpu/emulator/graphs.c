/* Stream capture, graphs, and their launches.
 *
 * A capture collects the commands of its streams as nodes. A stream in a capture has tips: the
 * nodes that its next command waits for. An event recorded there remembers the tips, and a stream
 * that waits for the event joins the capture and takes them over. A graph that can be launched is
 * an image in the arena, from which the device runs the nodes in any order that the edges allow.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"

typedef struct {
  uint32_t* waits;
  uint32_t wait_count;
  uint64_t command_bytes;
  char* command; /* with its tail */
} node;

typedef struct {
  context* context;
  node* nodes;
  uint32_t count, capacity;
} graph;

struct capture {
  uint64_t id;
  stream* origin;
  pthread_t thread;
  CUstreamCaptureMode mode;
  bool invalid;
  graph* graph;
  capture* next;
};

typedef struct {
  context* context;
  uint64_t image; /* offset in the arena */
  point last;     /* of its launches; device is NULL before the first */
} exec;

static capture* captures; /* that have not ended */

/* ---- Graphs */

void graph_release(void* object) {
  graph* g = object;
  for (uint32_t i = 0; i < g->count; i++) {
    free(g->nodes[i].waits);
    free(g->nodes[i].command);
  }
  free(g->nodes);
  free(g);
}

static uint32_t* copy_tips(const uint32_t* tips, uint32_t count) {
  uint32_t* copy = malloc((count + 1) * sizeof *copy); /* never of no bytes: NULL is an error */
  if (copy && count) memcpy(copy, tips, count * sizeof *copy);
  return copy;
}

/* Appends a node with room for a command. */
static node* add_node(graph* g, const uint32_t* waits, uint32_t count, uint64_t command_bytes) {
  if (g->count == g->capacity) {
    uint32_t capacity = g->capacity ? 2 * g->capacity : 16;
    node* nodes = realloc(g->nodes, capacity * sizeof *nodes);
    if (!nodes) return NULL;
    g->nodes = nodes;
    g->capacity = capacity;
  }
  node n = {copy_tips(waits, count), count, command_bytes, malloc(command_bytes)};
  if (!n.waits || !n.command) {
    free(n.waits);
    free(n.command);
    return NULL;
  }
  g->nodes[g->count] = n;
  return &g->nodes[g->count++];
}

/* ---- What happens to captures */

static void leave(stream* s) {
  s->capture = NULL;
  free(s->tips);
  s->tips = NULL;
  s->tip_count = 0;
}

static void each_stream(capture* c, void (*visit)(stream*)) {
  for (int i = 0; i < emu.count; i++)
    for (int k = 0; k < MAX_STREAMS; k++)
      if (emu.devices[i].streams[k].capture == c) visit(&emu.devices[i].streams[k]);
}

/* Ends a capture; its graph stays. */
static void end(capture* c) {
  each_stream(c, leave);
  for (capture** p = &captures; *p; p = &(*p)->next)
    if (*p == c) {
      *p = c->next;
      break;
    }
  free(c);
}

void capture_abandon(capture* c) {
  graph_release(c->graph);
  end(c);
}

static CUresult fail(capture* c, CUresult r) {
  c->invalid = true;
  return r;
}

CUresult refuse_in_capture(void) {
  CUresult r = CUDA_SUCCESS;
  for (capture* c = captures; c; c = c->next) {
    if (c->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    if (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL || pthread_equal(c->thread, pthread_self()))
      r = fail(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return r;
}

CUresult refuse_stream_in_capture(stream* s) {
  return s->capture ? fail(s->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
}

static capture* find_capture(uint64_t id) {
  capture* c = captures;
  while (c && c->id != id) c = c->next;
  return c;
}

CUresult capture_command(stream* s, const command* c, const void* tail, size_t tail_bytes) {
  if (s->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  graph* g = s->capture->graph;
  uint32_t* tips = malloc(sizeof *tips);
  uint64_t bytes = round_up(sizeof *c + tail_bytes, RECORD_ALIGN);
  node* n = tips ? add_node(g, s->tips, s->tip_count, bytes) : NULL;
  if (!n) {
    free(tips);
    return fail(s->capture, CUDA_ERROR_OUT_OF_MEMORY);
  }
  memcpy(n->command, c, sizeof *c);
  ((command*)n->command)->bytes = bytes;
  if (tail_bytes) memcpy(n->command + sizeof *c, tail, tail_bytes);
  free(s->tips);
  *tips = g->count - 1;
  s->tips = tips;
  s->tip_count = 1;
  return CUDA_SUCCESS;
}

CUresult capture_record(stream* s, event* e) {
  if (s->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  uint32_t* tips = copy_tips(s->tips, s->tip_count);
  if (!tips) return fail(s->capture, CUDA_ERROR_OUT_OF_MEMORY);
  free(e->tips);
  e->tips = tips;
  e->tip_count = s->tip_count;
  e->capture = s->capture->id;
  return CUDA_SUCCESS;
}

/* Adds an event's nodes to those that the stream's next command waits for. */
static CUresult join(stream* s, capture* c, const event* e) {
  uint32_t* tips = malloc((s->tip_count + e->tip_count + 1) * sizeof *tips);
  if (!tips) return fail(c, CUDA_ERROR_OUT_OF_MEMORY);
  uint32_t count = s->tip_count;
  if (count) memcpy(tips, s->tips, count * sizeof *tips);
  for (uint32_t i = 0; i < e->tip_count; i++) {
    bool known = false;
    for (uint32_t k = 0; k < count && !known; k++) known = tips[k] == e->tips[i];
    if (!known) tips[count++] = e->tips[i];
  }
  free(s->tips);
  s->tips = tips;
  s->tip_count = count;
  s->capture = c;
  return CUDA_SUCCESS;
}

CUresult capture_wait(stream* s, const event* e) {
  if (!e->capture) { /* so the stream captures */
    if (s->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    return e->at.device ? fail(s->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_SUCCESS;
  }
  capture* c = find_capture(e->capture);
  if (!c)
    return s->capture ? fail(s->capture, CUDA_ERROR_CAPTURED_EVENT) : CUDA_ERROR_CAPTURED_EVENT;
  if (s->capture && s->capture != c) {
    s->capture->invalid = true;
    return fail(c, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (c->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!s->index) return fail(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (s->device != c->graph->context->device) return fail(c, CUDA_ERROR_NOT_SUPPORTED);
  return join(s, c, e);
}

/* Whether all nodes lead to the tips of the stream: no stream was forked and left alone. Nodes come
 * after those that they wait for. */
static CUresult check_joined(const capture* c) {
  const graph* g = c->graph;
  bool* reached = calloc(g->count + 1, 1);
  if (!reached) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < c->origin->tip_count; i++) reached[c->origin->tips[i]] = true;
  CUresult r = CUDA_SUCCESS;
  for (uint32_t i = g->count; i-- && !r;) {
    if (!reached[i]) r = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    for (uint32_t k = 0; k < g->nodes[i].wait_count; k++) reached[g->nodes[i].waits[k]] = true;
  }
  free(reached);
  return r;
}

/* ---- The API of captures */

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  static uint64_t ids;
  context* owner;
  stream* s;
  CUresult r = enter(&owner);
  if (r) return r;
  if ((r = stream_find(owner, handle, &s))) return unlock_host(r);
  if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!s->index) return unlock_host(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (s->capture) return unlock_host(CUDA_ERROR_ILLEGAL_STATE);
  capture* c = calloc(1, sizeof *c);
  graph* g = calloc(1, sizeof *g);
  if (!c || !g) {
    free(c);
    free(g);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  g->context = owner;
  *c = (capture){++ids, s, pthread_self(), mode, false, g, captures};
  captures = c;
  s->capture = c;
  return unlock_host(CUDA_SUCCESS);
}

/* Whether this thread may end the capture of this stream. */
static CUresult check_end(const stream* s) {
  capture* c = s->capture;
  if (!c) return CUDA_ERROR_ILLEGAL_STATE;
  if (c->origin != s) return fail(c, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  bool same = pthread_equal(c->thread, pthread_self());
  return same || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED ? CUDA_SUCCESS
                                                           : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* result) {
  context* owner;
  stream* s;
  CUresult r = enter(&owner);
  if (r) return r;
  if ((r = stream_find(owner, handle, &s))) return unlock_host(r);
  if (!result) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if ((r = check_end(s))) return unlock_host(r);
  capture* c = s->capture;
  graph* g = c->graph;
  *result = NULL;
  r = c->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : check_joined(c);
  end(c);
  if (!r && !(*result = handle_new(OF_GRAPH, g, owner))) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) graph_release(g);
  return unlock_host(r);
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  context* owner;
  stream* s;
  CUresult r = enter(&owner);
  if (r) return r;
  if ((r = stream_find(owner, handle, &s))) return unlock_host(r);
  if (!status) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  *status = !s->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : s->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return unlock_host(CUDA_SUCCESS);
}

/* ---- Graphs that can be launched */

static uint64_t command_at(const node* n) {
  return round_up(sizeof(graph_node) + n->wait_count * sizeof(uint32_t), RECORD_ALIGN);
}

static uint64_t image_bytes(const graph* g) {
  uint64_t bytes = round_up(sizeof(graph_image) + g->count * sizeof(uint64_t), RECORD_ALIGN);
  for (uint32_t i = 0; i < g->count; i++)
    bytes += command_at(&g->nodes[i]) + g->nodes[i].command_bytes;
  return bytes;
}

static void write_image(const graph* g, graph_image* image) {
  uint64_t at = round_up(sizeof *image + g->count * sizeof(uint64_t), RECORD_ALIGN);
  image->count = g->count;
  for (uint32_t i = 0; i < g->count; i++) {
    const node* n = &g->nodes[i];
    graph_node* to = (graph_node*)((char*)image + at);
    image->nodes[i] = at;
    to->waits_for = n->wait_count;
    to->command_at = command_at(n);
    memcpy(to->indices, n->waits, n->wait_count * sizeof *n->waits);
    memcpy((char*)to + to->command_at, n->command, n->command_bytes);
    at += to->command_at + n->command_bytes;
  }
}

void exec_release(void* object) {
  exec* x = object;
  staging_drop(x->image, x->last.device ? &x->last : NULL);
  free(x);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* result, CUgraph handle,
                                     unsigned long long flags) {
  context* owner;
  CUresult r = enter(&owner);
  if (r) return r;
  graph* g = handle_find(OF_GRAPH, handle);
  if (!g) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if (!result) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (flags) return unlock_host(CUDA_ERROR_NOT_SUPPORTED);
  exec* x = calloc(1, sizeof *x);
  if (!x || staging_take(image_bytes(g), &x->image)) {
    free(x);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  x->context = g->context;
  write_image(g, (graph_image*)(emu.arena + x->image));
  *result = handle_new(OF_EXEC, x, g->context);
  if (*result) return unlock_host(CUDA_SUCCESS);
  exec_release(x);
  return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
}

/* Launches of one graph follow each other, as in CUDA. */
CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  context* owner;
  stream* s;
  CUresult r = enter(&owner);
  if (r) return r;
  exec* x = handle_find(OF_EXEC, handle);
  if ((r = stream_find(owner, stream_handle, &s))) return unlock_host(r);
  if (!x || x->context != owner) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if (s->capture) return unlock_host(fail(s->capture, CUDA_ERROR_NOT_SUPPORTED));
  if (x->last.device) {
    point last = x->last;
    if ((r = submit_wait(s, &last))) return unlock_host(r);
    if (handle_find(OF_EXEC, handle) != x) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  }
  command c = {.kind = COMMAND_GRAPH, .image = x->image};
  if ((r = submit(s, &c, NULL, 0))) return unlock_host(r);
  if (handle_find(OF_EXEC, handle) == x) x->last = stream_end(s);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuGraphDestroy(CUgraph handle) {
  context* owner;
  CUresult r = enter(&owner);
  if (r) return r;
  graph* g = handle_find(OF_GRAPH, handle);
  if (!g) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  handle_drop(handle);
  graph_release(g);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  context* owner;
  CUresult r = enter(&owner);
  if (r) return r;
  exec* x = handle_find(OF_EXEC, handle);
  if (!x) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  handle_drop(handle);
  exec_release(x);
  return unlock_host(CUDA_SUCCESS);
}
