/* Runs plans with a static part, whose work is recorded in one step and replayed in later ones.
 *
 * A plan with such a part runs in three pieces: the nodes before the part, the part, and the nodes
 * after it. In a replay none of the part's kernels is called. They have no state, and cannot read a
 * device's memory, so all that they do depends only on
 *  - the shapes of what comes into the part in the device's memory, and its addresses;
 *  - the values of what comes into the part in the host's memory;
 *  - the variables: where their memory is, and, if they change, whether somebody else refers to it.
 * All this is compared with the step that was recorded. What comes in at another address is copied.
 * If anything else differs, or if the memory of the last replay is still in use, the kernels are
 * called as always. */
#include <stdlib.h>
#include <string.h>

#include "step/static_part.h"

enum {
  MOST_ON_HOST = 64 << 10, /* bytes of a value that comes in or out in the host's memory */
  SAME_STEPS = 2,          /* before the first recording; twice as many before each further one */
  MOST_DOUBLINGS = 12,
  MOST_MISSES = 64, /* in a row */
  WORTH_IT = 64,    /* replays that make up for a recording */
};

/* ---- Recordings */

/* A variable of the part, as it was in the recorded step. */
typedef struct recorded_variable {
  tfc_variable* variable;
  /* As it was then. No reference: the buffer may be gone if it is no longer the variable's. */
  tfc_tensor value;
  bool changes; /* the part writes to it */
} recorded_variable;

typedef struct input {
  tfc_tensor value;   /* in the device's memory: only the shape and where the data are */
  tfc_buffer* memory; /* of the graph; NULL: the value is on the host. Gone if the graph is dead */
} input;

/* What an output is. */
enum {
  REFERENCE,   /* to a variable */
  ON_HOST,     /* a value in the host's memory, kept as a copy */
  OF_GRAPH,    /* in memory of the graph */
  OF_VARIABLE, /* in memory of a variable */
  CONSTANT,    /* memory that its kernel keeps */
};

typedef struct output {
  int kind;
  int which; /* its block or variable */
  tfc_tensor value;
} output;

/* Memory of the graph that the rest of the step sees. */
typedef struct block {
  tfc_buffer* buffer;
  int input; /* whose value is there, or -1 */
} block;

struct tfc_recording {
  uint64_t hash; /* of shapes and host values */
  tfc_graph* graph;
  input* inputs;
  tfc_variable** references;    /* of each reference that comes in: its variable */
  recorded_variable* variables; /* in the order of addresses */
  output* outputs;
  block* blocks;
  int n_variables, n_blocks, misses; /* misses: steps in a row that found it in use */
  int64_t replays;
  int64_t last_use;
};

static void free_recording(tfc_part* p, tfc_recording* r) {
  for (int i = 0; i < p->n_inputs; i++)
    if (r->inputs) tfc_tensor_clear(&r->inputs[i].value);
  for (int i = 0; i < p->n_outputs; i++)
    if (r->outputs && (r->outputs[i].kind == ON_HOST || r->outputs[i].kind == CONSTANT))
      tfc_tensor_clear(&r->outputs[i].value);
  free(r->inputs);
  free(r->references);
  free(r->variables);
  free(r->outputs);
  free(r->blocks);
  free(r);
}

/* False: a step uses it. */
static bool remove_recording(tfc_part* p, int i) {
  tfc_recording* r = p->recordings[i];
  if (!p->device->graphs->destroy(r->graph)) return false;
  if (p->latest == r) p->latest = NULL;
  p->recordings[i] = NULL;
  free_recording(p, r);
  return true;
}

void tfc_remove_recordings(tfc_part* p) {
  for (int i = 0; i < TFC_MAX_RECORDINGS; i++)
    if (p->recordings[i]) remove_recording(p, i);
}

static size_t bytes_of(const tfc_tensor* t) {
  return (size_t)t->n * tfc_dtype_size(t->dtype);
}

static bool is_in_device(const tfc_tensor* t) {
  return t->buffer && t->buffer->device;
}

static uint64_t mix(uint64_t h, const void* data, size_t bytes) {
  const unsigned char* p = data;
  for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 1099511628211u;
  return h;
}

/* False: the values can't be inputs of a replay. */
static bool hash_inputs(const tfc_part* p, const tfc_state* s, uint64_t* out) {
  uint64_t h = 14695981039346656037u;
  for (int i = 0; i < p->n_inputs; i++) {
    const tfc_tensor* t = &s->slots[p->inputs[i].slot];
    if (!t->buffer || (t->buffer->device && t->buffer->device != p->device)) return false;
    h = mix(h, &t->rank, sizeof t->rank);
    h = mix(h, t->dims, (size_t)t->rank * sizeof *t->dims);
    if (is_in_device(t)) continue;
    if (bytes_of(t) > MOST_ON_HOST) return false;
    h = mix(h, t->data, bytes_of(t));
  }
  *out = h;
  return true;
}

static bool same_shape(const tfc_tensor* a, const tfc_tensor* b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

static bool same_inputs(const tfc_part* p, const tfc_recording* r, const tfc_state* s) {
  for (int i = 0; i < p->n_inputs; i++) {
    const tfc_tensor *t = &s->slots[p->inputs[i].slot], *then = &r->inputs[i].value;
    if (!same_shape(t, then) || is_in_device(t) != (r->inputs[i].memory != NULL)) return false;
    if (!is_in_device(t) && memcmp(t->data, then->data, bytes_of(t))) return false;
  }
  return true;
}

/* ---- Running nodes on this thread */

/* Like finish_node in dynamic.c. */
static void drop_inputs(const tfc_plan* plan, tfc_state* s, const tfc_plan_node* node) {
  for (int j = node->first_input; j < node->first_input + node->n_inputs; j++) {
    int slot = plan->input_slots[j];
    if (!is_repeated(plan, node, j) && --s->uses[slot] == 0) tfc_tensor_clear(&s->slots[slot]);
  }
  for (int slot = node->first_output; slot < node->first_output + node->n_outputs; slot++)
    if (plan->slot_uses[slot] == 0) tfc_tensor_clear(&s->slots[slot]);
}

static bool run_node(tfc_node_context* ctx, const tfc_plan* plan, tfc_state* s, int i) {
  const tfc_plan_node* node = &plan->nodes[i];
  uint8_t flags[64];
  for (int j = 0; j < node->n_inputs; j++) {
    int at = node->first_input + j;
    bool last = plan->input_flags[at] & TFC_INPUT_ONCE && s->uses[plan->input_slots[at]] == 1;
    flags[j] = last ? TFC_INPUT_LAST_USE : 0;
  }
  ctx->input_flags = flags;
  int code = tfc_compute(ctx, plan, s, node, i);
  if (code) {
    tfc_step_fail(ctx->step, i, code, "the kernel failed without a message");
    return false;
  }
  drop_inputs(plan, s, node);
  return true;
}

static bool run_nodes(tfc_node_context* ctx, const tfc_plan* plan, tfc_state* s,
                      const int32_t* nodes, int n) {
  for (int k = 0; k < n; k++)
    if (tfc_step_must_end(ctx->step) || !run_node(ctx, plan, s, nodes[k])) return false;
  return true;
}

/* Does not look for signals: a handler may run another step, which would be recorded, too. */
static bool run_recording(tfc_node_context* ctx, const tfc_plan* plan, tfc_state* s,
                          const int32_t* nodes, int n) {
  for (int k = 0; k < n; k++)
    if (!run_node(ctx, plan, s, nodes[k])) return false;
  return true;
}

/* What comes into the part is made where the graph reads it, if nobody refers to that memory. */
static bool run_before(tfc_node_context* ctx, const tfc_plan* plan, tfc_state* s,
                       const tfc_recording* ready) {
  const tfc_part* p = plan->part;
  if (!ready) return run_nodes(ctx, plan, s, p->nodes, p->n[TFC_BEFORE]);
  for (int k = 0; k < p->n[TFC_BEFORE]; k++) {
    int node = p->nodes[k];
    if (tfc_step_must_end(ctx->step)) return false;
    for (int i = 0; i < p->n_inputs; i++)
      if (p->inputs[i].node == node && plan->nodes[node].n_outputs == 1)
        p->device->graphs->allocate_next_in(ready->inputs[i].memory);
    bool ok = run_node(ctx, plan, s, node);
    p->device->graphs->allocate_next_in(NULL);
    if (!ok) return false;
  }
  return true;
}

/* Errors of what is done for the whole part name its first node. */
static void be_first_node(tfc_node_context* ctx) {
  const tfc_part* p = ctx->plan->part;
  ctx->node = p->nodes[p->n[TFC_BEFORE]];
  ctx->running = &ctx->plan->nodes[ctx->node];
}

/* ---- Recording */

static int by_address(const void* a, const void* b) {
  const tfc_variable *x = ((const recorded_variable*)a)->variable,
                     *y = ((const recorded_variable*)b)->variable;
  return x < y ? -1 : x > y;
}

static void note_change(tfc_context* ctx, int input) {
  if (!tfc_has_input(ctx, input) || ctx->inputs[input]->dtype < TFC_REF) return;
  tfc_recording* r = tfc_node_of(ctx)->plan->part->being_recorded;
  recorded_variable key = {.variable = ctx->inputs[input]->data};
  recorded_variable* v =
      bsearch(&key, r->variables, (size_t)r->n_variables, sizeof key, by_address);
  if (v) v->changes = true;
}

static int lock_and_note(tfc_context* ctx, int n, const int* inputs, unsigned mode,
                         tfc_tensor** values) {
  for (int i = 0; i < n && mode & TFC_REF_WRITE; i++) note_change(ctx, inputs[i]);
  return tfc_lock_variables(ctx, n, inputs, mode, values);
}

/* A variable keeps its memory if it can, as replays write to the same address. */
static int assign_in_place(tfc_context* ctx, int input, const tfc_tensor* value) {
  if (!tfc_has_input(ctx, input) || ctx->inputs[input]->dtype < TFC_REF)
    return tfc_assign_variable(ctx, input, value);
  tfc_variable* v = ctx->inputs[input]->data;
  tfc_device* d = tfc_device_of(ctx);
  pthread_mutex_lock(&v->mutex);
  tfc_tensor* old = &v->value;
  bool fits = d && old->buffer && value->buffer && old->buffer->device == d &&
              value->buffer->device == d && same_shape(old, value) &&
              tfc_buffer_exclusive(old->buffer);
  int code = TFC_OK;
  if (fits && bytes_of(old)) code = d->copy(d, ctx, old->data, value->data, bytes_of(old));
  if (fits && v->tracker) v->tracker->changed(v->tracker, NULL, 1);
  pthread_mutex_unlock(&v->mutex);
  return fits ? code : tfc_assign_variable(ctx, input, value);
}

static int assign_and_note(tfc_context* ctx, int input, const tfc_tensor* value) {
  note_change(ctx, input);
  return assign_in_place(ctx, input, value);
}

static tfc_api recording_api; /* of a step that is recorded */
static tfc_api in_place_api;  /* of one that is not replayed, though others are */
static pthread_once_t api_once = PTHREAD_ONCE_INIT;

static void make_api(void) {
  recording_api = in_place_api = *tfc_api_table();
  in_place_api.ref_assign = assign_in_place;
  recording_api.ref_assign = assign_and_note;
  recording_api.ref_lock = lock_and_note;
}

static tfc_variable* variable_in(const tfc_state* s, const tfc_part_edge* e) {
  return s->slots[e->slot].data;
}

/* Notes the variables and where their values are. */
static bool note_variables(const tfc_part* p, tfc_recording* r, const tfc_state* s) {
  for (int i = 0; i < p->n_references; i++) {
    r->references[i] = r->variables[i].variable = variable_in(s, &p->references[i]);
    if (!r->references[i]) return false;
  }
  qsort(r->variables, (size_t)p->n_references, sizeof *r->variables, by_address);
  int n = 0;
  for (int i = 0; i < p->n_references; i++)
    if (!n || r->variables[n - 1].variable != r->variables[i].variable)
      r->variables[n++] = r->variables[i];
  r->n_variables = n;
  for (int i = 0; i < n; i++) {
    tfc_variable* v = r->variables[i].variable;
    pthread_mutex_lock(&v->mutex);
    r->variables[i].value = v->value;
    bool ok = v->value.buffer && v->value.buffer->device == p->device;
    pthread_mutex_unlock(&v->mutex);
    if (!ok) return false;
  }
  return true;
}

/* The caller has the variable's lock. */
static bool is_where_it_was(const recorded_variable* v) {
  const tfc_tensor *now = &v->variable->value, *then = &v->value;
  return now->buffer == then->buffer && now->data == then->data && same_shape(now, then);
}

static bool variables_stayed(const tfc_recording* r) {
  bool ok = true;
  for (int i = 0; i < r->n_variables && ok; i++) {
    pthread_mutex_lock(&r->variables[i].variable->mutex);
    ok = is_where_it_was(&r->variables[i]);
    pthread_mutex_unlock(&r->variables[i].variable->mutex);
  }
  return ok;
}

/* Copies what comes in to memory of the graph. r->inputs hold references to it, so that no kernel
 * overwrites it. */
static bool bring_inputs(tfc_part* p, tfc_recording* r, tfc_state* s, tfc_context* ctx) {
  for (int i = 0; i < p->n_inputs; i++) {
    tfc_tensor* t = &s->slots[p->inputs[i].slot];
    tfc_tensor* mine = &r->inputs[i].value;
    if (!is_in_device(t)) {
      if (!tfc_tensor_copy(mine, t)) return false;
      continue;
    }
    mine->dtype = t->dtype;
    if (!tfc_tensor_new_on(p->device, mine, t->rank, t->dims)) return false;
    r->inputs[i].memory = mine->buffer;
    if (bytes_of(t) && p->device->copy(p->device, ctx, mine->data, t->data, bytes_of(t)))
      return false;
    tfc_tensor_clear(t);
    tfc_hold_tensor(t, mine);
  }
  return true;
}

static void release_inputs(const tfc_part* p, tfc_recording* r) {
  for (int i = 0; i < p->n_inputs; i++) {
    if (r->inputs[i].memory) tfc_tensor_clear(&r->inputs[i].value);
  }
}

static int block_number(tfc_recording* r, tfc_buffer* b) {
  for (int i = 0; i < r->n_blocks; i++)
    if (r->blocks[i].buffer == b) return i;
  r->blocks[r->n_blocks] = (block){b, -1};
  return r->n_blocks++;
}

static bool note_output(const tfc_part* p, tfc_recording* r, output* o, const tfc_tensor* t) {
  tfc_buffer* b = t->buffer;
  o->value = *t;
  if (t->dtype >= TFC_REF) {
    o->kind = REFERENCE;
    return true;
  }
  o->value.buffer = NULL;
  if (!b) return false;
  if (!b->device) {
    o->kind = ON_HOST;
    return bytes_of(t) <= MOST_ON_HOST && tfc_tensor_copy(&o->value, t);
  }
  if (b->device != p->device) return false;
  o->value.buffer = b;
  o->kind = OF_GRAPH;
  if (p->device->graphs->owns(r->graph, b)) {
    o->which = block_number(r, b);
    return true;
  }
  o->kind = OF_VARIABLE;
  for (o->which = 0; o->which < r->n_variables; o->which++)
    if (r->variables[o->which].value.buffer == b) return true;
  o->kind = CONSTANT;
  tfc_hold_tensor(&o->value, t);
  return true;
}

/* After the part has run: what it gave to the rest of the step. False: it can't be replayed. */
static bool note_outputs_and_blocks(const tfc_plan* plan, tfc_recording* r, const tfc_state* s) {
  const tfc_part* p = plan->part;
  int64_t seen = 0;
  for (int i = 0; i < p->n_inputs; i++)
    if (r->inputs[i].memory) r->blocks[block_number(r, r->inputs[i].memory)].input = i;
  for (int i = 0; i < p->n_outputs; i++) {
    r->outputs[i].kind = REFERENCE; /* until it is noted: nothing to free */
    if (!note_output(p, r, &r->outputs[i], &s->slots[p->outputs[i].slot])) return false;
  }
  for (int slot = 0; slot < plan->n_slots; slot++)
    if (plan->slot_dtypes[slot] < TFC_REF &&
        p->device->graphs->owns(r->graph, s->slots[slot].buffer))
      seen++;
  /* Nobody else may refer to the graph's memory. */
  return seen == p->device->graphs->references(r->graph) && variables_stayed(r);
}

static tfc_recording* new_recording(const tfc_part* p, uint64_t hash) {
  tfc_recording* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->hash = hash;
  r->inputs = calloc((size_t)p->n_inputs + 1, sizeof *r->inputs);
  r->references = calloc((size_t)p->n_references + 1, sizeof(tfc_variable*));
  r->variables = calloc((size_t)p->n_references + 1, sizeof *r->variables);
  r->outputs = calloc((size_t)p->n_outputs + 1, sizeof *r->outputs);
  r->blocks = calloc((size_t)(p->n_inputs + p->n_outputs) + 1, sizeof *r->blocks);
  if (r->inputs && r->references && r->variables && r->outputs && r->blocks) return r;
  free_recording((tfc_part*)p, r);
  return NULL;
}

static void end_recording(tfc_part* p, tfc_recording* made, int at) {
  pthread_mutex_lock(&p->lock);
  p->is_recording = false;
  if (made) {
    made->last_use = ++p->clock;
    p->recordings[at] = p->latest = made;
  }
  pthread_mutex_unlock(&p->lock);
}

/* Records the part while running it. Returns the recording, or NULL if it can't be replayed. In
 * either case *ran says whether the part's kernels were called, and if so *ok whether they
 * succeeded. Not *ran: the caller runs the part as always. */
static tfc_recording* record(const tfc_plan* plan, tfc_node_context* ctx, tfc_state* s,
                             uint64_t hash, bool* ran, bool* ok) {
  tfc_part* p = plan->part;
  const tfc_graphs* graphs = p->device->graphs;
  tfc_recording* r = new_recording(p, hash);
  if (!r) return NULL;
  be_first_node(ctx);
  r->graph = note_variables(p, r, s) ? graphs->begin(p->device, &ctx->pub) : NULL;
  if (!r->graph) {
    free_recording(p, r);
    return NULL;
  }
  *ran = bring_inputs(p, r, s, &ctx->pub);
  bool usable = *ran;
  if (usable) {
    const tfc_api* usual = ctx->pub.api;
    pthread_once(&api_once, make_api);
    p->being_recorded = r;
    ctx->pub.api = &recording_api;
    graphs->start(r->graph);
    *ok = usable = run_recording(ctx, plan, s, p->nodes + p->n[TFC_BEFORE], p->n[TFC_INSIDE]);
    ctx->pub.api = usual;
  }
  usable = graphs->stop(r->graph) && usable;
  release_inputs(p, r);
  if (usable && note_outputs_and_blocks(plan, r, s) && graphs->build(r->graph, &ctx->pub)) return r;
  graphs->destroy_in_step(r->graph, &ctx->pub);
  free_recording(p, r);
  return NULL;
}

/* ---- Replaying */

static void release_blocks(const tfc_recording* r, int n) {
  for (int i = 0; i < n; i++) tfc_buffer_unref(r->blocks[i].buffer);
}

/* Takes a reference to each block. False: somebody else has one. */
static bool take_blocks(const tfc_part* p, const tfc_recording* r, const tfc_state* s) {
  for (int i = 0; i < r->n_blocks; i++) {
    const block* b = &r->blocks[i];
    bool there = b->input >= 0 && s->slots[p->inputs[b->input].slot].buffer == b->buffer &&
                 tfc_buffer_exclusive(b->buffer);
    if (there) {
      tfc_buffer_ref(b->buffer);
    } else if (!p->device->graphs->take_idle(r->graph, b->buffer)) {
      release_blocks(r, i);
      return false;
    }
  }
  return true;
}

static void unlock(const tfc_recording* r, int n) {
  for (int i = 0; i < n; i++) pthread_mutex_unlock(&r->variables[i].variable->mutex);
}

/* With the locks. No kernel is called that would tell them. */
static void tell_trackers(const tfc_recording* r) {
  for (int i = 0; i < r->n_variables; i++) {
    tfc_tracker* tracker = r->variables[i].variable->tracker;
    if (tracker && r->variables[i].changes) tracker->changed(tracker, NULL, 1);
  }
}

static bool same_variables(const tfc_part* p, const tfc_recording* r, const tfc_state* s) {
  for (int i = 0; i < p->n_references; i++)
    if (variable_in(s, &p->references[i]) != r->references[i]) return false;
  return true;
}

/* In the order of addresses, as kernels do. False: a value has moved, or one that changes has other
 * references. */
static bool lock_variables(const tfc_recording* r, bool* moved) {
  for (int i = 0; i < r->n_variables; i++) {
    const recorded_variable* v = &r->variables[i];
    pthread_mutex_lock(&v->variable->mutex);
    *moved = !is_where_it_was(v);
    if (*moved || (v->changes && !tfc_buffer_exclusive(v->value.buffer))) {
      unlock(r, i + 1);
      return false;
    }
  }
  return true;
}

static int copy_inputs(const tfc_part* p, const tfc_recording* r, tfc_state* s, tfc_context* ctx) {
  int code = TFC_OK;
  for (int i = 0; i < p->n_inputs && !code; i++) {
    const tfc_tensor *t = &s->slots[p->inputs[i].slot], *to = &r->inputs[i].value;
    if (is_in_device(t) && t->data != to->data && bytes_of(t))
      code = p->device->copy(p->device, ctx, to->data, t->data, bytes_of(t));
  }
  return code;
}

/* Gives the rest of the step what the kernels would have made. */
static bool give_outputs(const tfc_plan* plan, const tfc_recording* r, tfc_state* s) {
  const tfc_part* p = plan->part;
  for (int i = 0; i < p->n_outputs; i++) {
    const output* o = &r->outputs[i];
    tfc_tensor* t = &s->slots[p->outputs[i].slot];
    tfc_tensor_clear(t);
    if (o->kind == REFERENCE) {
      *t = o->value;
    } else if (o->kind == ON_HOST) {
      if (!tfc_tensor_copy(t, &o->value)) return false;
    } else {
      tfc_hold_tensor(t, &o->value);
    }
    s->uses[p->outputs[i].slot] = p->outputs[i].uses;
  }
  return true;
}

/* Without a lock: the owner of an array that is given back may run any code. */
static void drop_inputs_of_part(const tfc_part* p, tfc_state* s) {
  for (int i = 0; i < p->n_inputs; i++) {
    int slot = p->inputs[i].slot;
    s->uses[slot] -= p->inputs[i].uses;
    if (s->uses[slot] == 0) tfc_tensor_clear(&s->slots[slot]);
  }
}

/* What became of the attempt to replay a step. */
enum {
  REPLAYED,
  FAILED,       /* so did the step */
  NO_GRAPH,     /* it can't be claimed: see tfc_graphs.is_dead */
  IN_USE,       /* somebody refers to its memory, or to a variable's that changes */
  STALE,        /* the variables have moved, or are others: the recording is removed */
  NOT_RECORDED, /* no recording has such inputs */
};

/* The caller has claimed the graph. Releases it unless it was launched. */
static int replay(const tfc_plan* plan, const tfc_recording* r, tfc_node_context* ctx,
                  tfc_state* s) {
  const tfc_part* p = plan->part;
  bool moved = !same_variables(p, r, s);
  if (moved || !take_blocks(p, r, s)) {
    p->device->graphs->release(r->graph);
    return moved ? STALE : IN_USE;
  }
  if (!lock_variables(r, &moved)) {
    release_blocks(r, r->n_blocks);
    p->device->graphs->release(r->graph);
    return moved ? STALE : IN_USE;
  }
  be_first_node(ctx);
  int code = copy_inputs(p, r, s, &ctx->pub);
  bool launched = !code;
  if (code) {
    p->device->graphs->release(r->graph);
  } else {
    code = p->device->graphs->replay(r->graph, &ctx->pub, &launched);
  }
  if (!code && launched && !give_outputs(plan, r, s))
    code = tfc_context_error(&ctx->pub, TFC_RESOURCE_EXHAUSTED, "no memory for a copy of a value");
  if (launched) tell_trackers(r);
  unlock(r, r->n_variables);
  release_blocks(r, r->n_blocks);
  return code ? FAILED : launched ? REPLAYED : NO_GRAPH;
}

/* ---- Choosing */

/* Counts this step, which is not replayed, and returns how many with these inputs there were. If
 * there is no room, replaces the inputs that were seen least often. */
static int64_t count_step(tfc_part* p, uint64_t hash) {
  tfc_candidate* rarest = &p->candidates[0];
  for (int i = 0; i < TFC_MAX_RECORDINGS; i++) {
    tfc_candidate* c = &p->candidates[i];
    if (c->hash == hash) return ++c->steps;
    if (c->steps < rarest->steps) rarest = c;
  }
  *rarest = (tfc_candidate){hash, 1};
  return 1;
}

/* A free place for a recording, or -1. */
static int free_place(tfc_part* p) {
  int oldest = 0;
  for (int i = 0; i < TFC_MAX_RECORDINGS; i++) {
    if (!p->recordings[i]) return i;
    if (p->recordings[i]->last_use < p->recordings[oldest]->last_use) oldest = i;
  }
  return remove_recording(p, oldest) ? oldest : -1;
}

static bool is_due(tfc_part* p, uint64_t hash) {
  int doublings = p->attempts < MOST_DOUBLINGS ? p->attempts : MOST_DOUBLINGS;
  return count_step(p, hash) > (int64_t)SAME_STEPS << doublings;
}

static bool claim_for(const tfc_part* p, const tfc_recording* r, const tfc_recording* claimed) {
  if (r == claimed) return true;
  if (claimed) p->device->graphs->release(claimed->graph);
  return p->device->graphs->claim(r->graph);
}

/* With the part's lock. Releases the claim on `claimed`, unless that graph was launched. */
static int find_and_replay(const tfc_plan* plan, tfc_node_context* ctx, tfc_state* s, uint64_t hash,
                           tfc_recording* claimed) {
  tfc_part* p = plan->part;
  for (int i = 0; i < TFC_MAX_RECORDINGS; i++) {
    tfc_recording* r = p->recordings[i];
    if (!r || r->hash != hash || !same_inputs(p, r, s)) continue;
    int how = claim_for(p, r, claimed) ? replay(plan, r, ctx, s) : NO_GRAPH;
    if (how == REPLAYED) {
      r->misses = 0;
      r->last_use = ++p->clock;
      p->latest = r;
      if (++r->replays % WORTH_IT == 0 && p->attempts) p->attempts--;
    }
    if (how == IN_USE) r->misses++;
    if (how == STALE || r->misses > MOST_MISSES || p->device->graphs->is_dead(r->graph))
      remove_recording(p, i);
    return how;
  }
  if (claimed) p->device->graphs->release(claimed->graph);
  return NOT_RECORDED;
}

/* With the part's lock: where this step is to be recorded, or -1. One step records at a time. */
static int place_to_record(tfc_part* p, uint64_t hash) {
  int at = !p->is_recording && is_due(p, hash) ? free_place(p) : -1;
  if (at < 0) return -1;
  p->attempts++;
  p->is_recording = true;
  return at;
}

static tfc_recording* claim_latest(tfc_part* p) {
  tfc_recording* r = NULL;
  pthread_mutex_lock(&p->lock);
  if (p->latest && p->device->graphs->claim(p->latest->graph)) r = p->latest;
  pthread_mutex_unlock(&p->lock);
  return r;
}

/* Calls the part's kernels. */
static bool run_kernels(const tfc_plan* plan, tfc_node_context* ctx, tfc_state* s, bool in_place) {
  const tfc_part* p = plan->part;
  const tfc_api* usual = ctx->pub.api;
  pthread_once(&api_once, make_api);
  if (in_place) ctx->pub.api = &in_place_api;
  bool ok = run_nodes(ctx, plan, s, p->nodes + p->n[TFC_BEFORE], p->n[TFC_INSIDE]);
  ctx->pub.api = usual;
  return ok;
}

static bool run_inside(const tfc_plan* plan, tfc_node_context* ctx, tfc_state* s,
                       tfc_recording* claimed) {
  tfc_part* p = plan->part;
  uint64_t hash = 0;
  bool ok = true, ran = false, in_place = false;
  if (hash_inputs(p, s, &hash)) {
    pthread_mutex_lock(&p->lock);
    int how = find_and_replay(plan, ctx, s, hash, claimed);
    int at = how == NOT_RECORDED ? place_to_record(p, hash) : -1;
    in_place = p->latest != NULL;
    pthread_mutex_unlock(&p->lock);
    if (how == REPLAYED) drop_inputs_of_part(p, s);
    if (how == REPLAYED || how == FAILED) return how == REPLAYED;
    if (at >= 0) end_recording(p, record(plan, ctx, s, hash, &ran, &ok), at);
  } else if (claimed) {
    p->device->graphs->release(claimed->graph);
  }
  return ran ? ok : run_kernels(plan, ctx, s, in_place);
}

void tfc_run_in_parts(const tfc_plan* plan, tfc_state* s, tfc_step* step) {
  tfc_part* p = plan->part;
  if (step->observer) {
    if (p->was_dynamic) {
      tfc_run_all(plan, s, step);
    } else {
      tfc_pool_enter();
      tfc_run_observed(plan, s, step);
      tfc_pool_leave();
    }
    return;
  }
  tfc_node_context ctx;
  tfc_context_init(&ctx, plan, step);
  memcpy(s->uses, plan->slot_uses, (size_t)plan->n_slots * sizeof *s->uses);
  tfc_pool_enter();
  tfc_recording* claimed = claim_latest(p);
  bool ok = run_before(&ctx, plan, s, claimed);
  if (ok) {
    ok = run_inside(plan, &ctx, s, claimed);
  } else if (claimed) {
    p->device->graphs->release(claimed->graph);
  }
  if (ok && !p->after_waits)
    run_nodes(&ctx, plan, s, p->nodes + p->n[TFC_BEFORE] + p->n[TFC_INSIDE], p->n[TFC_AFTER]);
  tfc_pool_leave();
  if (!ok && p->after_waits) tfc_tell_of_failure(plan, step); /* collectives come after the part */
  if (!ok || !p->after_waits) return;
  memcpy(s->pending, p->pending, (size_t)plan->n_nodes * sizeof *s->pending);
  tfc_run_pending(plan, s, step, p->n[TFC_AFTER]);
}
