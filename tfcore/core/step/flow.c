/* Control flow: iterations of frames, and dead tokens.
 *
 * Entering a frame (a loop) creates a frame_state. Each of its iterations has the slots and the
 * counters of the frame's nodes. A node's result goes along its edges as tokens, live or dead; the
 * last token makes the consumer ready. Switch makes one of its outputs dead; a node with a dead
 * input does not run but makes its outputs dead; Merge takes the first live token. Enter, Exit and
 * NextIteration send their tokens to another iteration. Control-flow nodes only forward their
 * input: the executor runs them itself.
 *
 * `outstanding` of an iteration counts its ready and running nodes, the frames entered from it, and
 * one for the source of tokens from outside: the frame's Enters for iteration 0, the previous
 * iteration for the others. So iterations end in order, and the last one ends the frame. A frame
 * that ends sends dead tokens for those of its Exits that were dead in the last iteration. The step
 * is over when nothing is ready or running, even if some frames have not ended: in a malformed
 * graph their tokens may never come.
 *
 * Thread safety: counters are atomic; a slot is written before its consumers' tokens are (release)
 * and read after the last of them (acquire). Starting and ending iterations needs the lock of the
 * frame_state; tokens are sent under it only where an iteration must not end meanwhile. No thread
 * holds the locks of two frames at once.
 *
 * Semantics: those of TensorFlow's executor (Abadi et al., "Dynamic control flow in large-scale
 * machine learning", EuroSys 2018; "The implementation of control flow in TensorFlow").
 */
#include "step/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/context.h"

enum { NOT_YET, ALIVE, DEAD };
enum { EXIT_SENT = 1, EXIT_DEAD = 2 };
enum { ALL = -2, NONE = -3 }; /* values of `alive`; else the number of the one live output */

/* The counters of a node: the low half is the number of tokens that it waits for, the high half the
 * number of dead tokens received. A Merge waits for one value (1, see CLAIMED), and each of its
 * control edges counts 2. Inputs that don't exist in an iteration (NextIteration in the first one,
 * Enter in later ones) count as dead from the start. */
#define DEAD_TOKEN (1ull << 32)
#define CLAIMED (1ull << 63) /* of a Merge: a live value has arrived and is being stored */

static uint32_t waits_for(uint64_t tokens) {
  return (uint32_t)tokens;
}
static uint32_t dead_tokens(uint64_t tokens) {
  return (uint32_t)(tokens >> 32) & 0x7fffffff;
}

/* ---- Values */

static void hold(tfc_tensor* to, const tfc_tensor* from) {
  if (from->buffer) tfc_buffer_ref(from->buffer);
  tfc_tensor_clear(to);
  *to = *from;
}

/* Whether the running node is the last reader of the slot. */
static bool is_last_use(const iteration* it, int slot) {
  return __atomic_load_n(&it->s.uses[slot], __ATOMIC_ACQUIRE) == 1;
}

/* Moves or shares the value of a slot. */
static void hand_on(tfc_tensor* to, iteration* from, int slot) {
  tfc_tensor* t = &from->s.slots[slot];
  if (!is_last_use(from, slot)) {
    hold(to, t);
    return;
  }
  tfc_tensor_clear(to);
  *to = *t;
  t->buffer = NULL;
}

/* The same for a value that goes to another iteration. */
static void send_value(tfc_dynamic* d, iteration* to, int target, iteration* from, int slot) {
  hand_on(&to->s.slots[target], from, slot);
  if (d->step->observer) tfc_observe_arrival(d->step->observer, &to->s, target);
}

static void put_value(tfc_dynamic* d, iteration* to, int node, const tfc_tensor* value) {
  int slot = d->plan->nodes[node].first_output;
  hold(&to->s.slots[slot], value);
  if (d->step->observer) tfc_observe_arrival(d->step->observer, &to->s, slot);
}

static void use_up(tfc_dynamic* d, iteration* it, int slot) {
  if (__atomic_sub_fetch(&it->s.uses[slot], 1, __ATOMIC_ACQ_REL) == 0)
    tfc_clear_slot(d, &it->s, slot);
}

/* The inputs of a Merge are used up when they arrive. */
static void use_up_inputs(tfc_dynamic* d, iteration* it, int i) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  if (d->plan->flow[i].kind == TFC_MERGE) return;
  for (int j = node->first_input; j < node->first_input + node->n_inputs; j++)
    if (!is_repeated(d->plan, node, j)) use_up(d, it, d->plan->input_slots[j]);
}

/* ---- Tokens */

static void out_of_memory(tfc_dynamic* d, int node) {
  tfc_dynamic_fail(d, node, TFC_RESOURCE_EXHAUSTED, "no memory for an iteration");
}

/* Makes a node ready, in an iteration that does not end meanwhile. If *next is empty, the node
 * becomes this thread's next one. Without `next` it runs after all others. */
static void offer(tfc_dynamic* d, iteration* it, int node, bool dead, tfc_ready* next) {
  if (d->plan->flow[node].kind == TFC_TRIGGER) dead = false;
  tfc_ready r = {&it->s, node, dead};
  __atomic_add_fetch(&it->outstanding, 1, __ATOMIC_RELAXED);
  if (!next) {
    __atomic_add_fetch(&d->remaining, 1, __ATOMIC_RELAXED);
    tfc_dynamic_push_last(d, r);
  } else if (next->node < 0) {
    *next = r;
  } else {
    __atomic_add_fetch(&d->remaining, 1, __ATOMIC_RELAXED);
    tfc_dynamic_push(d, r);
  }
}

static bool is_dead_merge(const tfc_dynamic* d, int merge, uint64_t tokens) {
  return waits_for(tokens) == 1 && !(tokens & CLAIMED) &&
         dead_tokens(tokens) == (uint32_t)d->plan->nodes[merge].n_inputs;
}

static void send_to_merge(tfc_dynamic* d, iteration* it, int source, const tfc_edge* e, bool dead,
                          tfc_ready* next) {
  uint64_t* tokens = &it->tokens[e->node];
  if (e->output < 0) {
    uint64_t now = __atomic_sub_fetch(tokens, 2, __ATOMIC_ACQ_REL);
    if (waits_for(now) == 0) offer(d, it, e->node, false, next);
    if (is_dead_merge(d, e->node, now)) offer(d, it, e->node, true, next);
    return;
  }
  int slot = d->plan->nodes[source].first_output + e->output;
  if (dead) {
    uint64_t now = __atomic_add_fetch(tokens, DEAD_TOKEN, __ATOMIC_ACQ_REL);
    if (is_dead_merge(d, e->node, now)) offer(d, it, e->node, true, next);
  } else if (!(__atomic_fetch_or(tokens, CLAIMED, __ATOMIC_ACQ_REL) & CLAIMED)) {
    hand_on(&it->s.slots[d->plan->nodes[e->node].first_output], it, slot);
    it->s.pending[e->node] = e->input;
    uint64_t now = __atomic_sub_fetch(tokens, 1, __ATOMIC_ACQ_REL);
    if (waits_for(now) == 0) offer(d, it, e->node, false, next);
  }
  use_up(d, it, slot);
}

/* Sends the tokens of node i to its consumers in an iteration. alive: ALL, NONE or an output. */
static void send(tfc_dynamic* d, iteration* it, int i, int alive, tfc_ready* next) {
  const tfc_flow_node* from = &d->plan->flow[i];
  const tfc_edge* end = &d->plan->edges[from->first_edge + from->n_edges];
  for (const tfc_edge* e = &d->plan->edges[from->first_edge]; e < end; e++) {
    bool dead = alive != ALL && (alive == NONE || (e->output >= 0 && e->output != alive));
    if (d->plan->flow[e->node].kind == TFC_MERGE) {
      send_to_merge(d, it, i, e, dead, next);
      continue;
    }
    uint64_t now =
        __atomic_add_fetch(&it->tokens[e->node], dead ? DEAD_TOKEN - 1 : -1ull, __ATOMIC_ACQ_REL);
    if (waits_for(now) == 0) offer(d, it, e->node, dead_tokens(now) > 0, next);
  }
}

/* ---- Iterations */

static void leave(tfc_dynamic* d, iteration* it, tfc_ready* next);

/* With the lock of the frame: adds an iteration, with the constants that have arrived. */
static iteration* start_iteration(tfc_dynamic* d, frame_state* fs, tfc_ready* next) {
  iteration* it = tfc_take_iteration(fs, d->step->observer);
  if (!it) return NULL;
  const tfc_frame* f = fs->frame;
  *(fs->last ? &fs->last->following : &fs->first) = it;
  fs->last = it;
  fs->n_running++;
  for (int i = 0; i < f->n_exits; i++) fs->exits[i] &= ~EXIT_DEAD;
  for (int i = 0; i < f->n_constants; i++) {
    if (fs->arrived[i] == NOT_YET) continue;
    int node = d->plan->members[f->first_constant + i];
    if (fs->arrived[i] == ALIVE) put_value(d, it, node, &fs->constants[i]);
    send(d, it, node, fs->arrived[i] == ALIVE ? ALL : NONE, next);
  }
  return it;
}

/* With the lock of the frame, when an iteration has ended: starts what waited for that. */
static iteration* start_waiting(tfc_dynamic* d, frame_state* fs, tfc_ready* next) {
  if (!fs->n_waiting) return NULL;
  iteration* it = start_iteration(d, fs, next);
  if (!it) {
    out_of_memory(d, fs->waiting_node[0]);
    return NULL;
  }
  for (int i = 0; i < fs->n_waiting; i++) {
    int node = fs->waiting_node[i];
    put_value(d, it, node, &fs->waiting[i]);
    tfc_tensor_clear(&fs->waiting[i]);
    send(d, it, node, ALL, next);
  }
  fs->n_waiting = 0;
  return it;
}

static void remove_entered(iteration* outer, frame_state* fs) {
  pthread_mutex_lock(&outer->of->lock);
  frame_state** at = &outer->entered;
  while (*at != fs) at = &(*at)->next;
  *at = fs->next;
  pthread_mutex_unlock(&outer->of->lock);
}

/* All iterations have ended. */
static void end_frame(tfc_dynamic* d, frame_state* fs, tfc_ready* next) {
  iteration* outer = fs->outer;
  const tfc_frame* f = fs->frame;
  remove_entered(outer, fs);
  for (int i = 0; i < f->n_exits; i++)
    if (fs->exits[i] == EXIT_DEAD) send(d, outer, d->plan->members[f->first_exit + i], NONE, next);
  for (int i = 0; d->step->observer && i < f->n_constants; i++) {
    const tfc_plan_node* constant = &d->plan->nodes[d->plan->members[f->first_constant + i]];
    tfc_observe_last(d->step->observer, &outer->s, d->plan->input_slots[constant->first_input],
                     fs->constants[i].buffer);
  }
  tfc_give_frame(fs);
  leave(d, outer, next);
}

/* The iteration has nothing left to do and gets no more tokens: it ends, which releases the next
 * one. */
static void end_iteration(tfc_dynamic* d, iteration* it, tfc_ready* next) {
  frame_state* fs = it->of;
  pthread_mutex_lock(&fs->lock);
  iteration* following = it->following;
  fs->first = following;
  if (!following) fs->last = NULL;
  fs->n_running--;
  iteration* started = start_waiting(d, fs, next);
  pthread_mutex_unlock(&fs->lock);
  tfc_give_iteration(it, d->step->observer);
  if (following) {
    leave(d, following, next);
  } else if (started) {
    leave(d, started, next);
  } else if (!__atomic_load_n(&d->step->code, __ATOMIC_ACQUIRE)) {
    end_frame(d, fs, next);
  }
}

/* Decrements `outstanding`. */
static void leave(tfc_dynamic* d, iteration* it, tfc_ready* next) {
  if (__atomic_sub_fetch(&it->outstanding, 1, __ATOMIC_ACQ_REL) == 0) end_iteration(d, it, next);
}

/* ---- Frames */

static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* With the lock of the outer frame. */
static frame_state* find_entered(const iteration* outer, int frame) {
  frame_state* fs = outer->entered;
  while (fs && fs->index != frame) fs = fs->next;
  return fs;
}

/* The frame_state that an Enter leads to, created by the first Enter of the frame. */
static frame_state* enter(tfc_dynamic* d, iteration* outer, int frame, tfc_ready* next) {
  pthread_mutex_lock(&outer->of->lock);
  frame_state* fs = find_entered(outer, frame);
  if (!fs && (fs = tfc_take_frame(outer->of->flow, frame))) {
    const tfc_frame* f = fs->frame;
    fs->outer = outer;
    fs->id = mix(mix(outer->of->id + f->hash) + (uint64_t)outer->number);
    fs->enters_left = f->n_enters;
    fs->n_running = 0;
    fs->started = 0;
    fs->first = fs->last = NULL;
    memset(fs->arrived, 0, (size_t)f->n_constants);
    memset(fs->exits, 0, (size_t)f->n_exits);
    if (start_iteration(d, fs, next)) {
      __atomic_add_fetch(&outer->outstanding, 1, __ATOMIC_RELAXED);
      fs->next = outer->entered;
      outer->entered = fs;
    } else {
      tfc_give_frame(fs);
      fs = NULL;
    }
  }
  pthread_mutex_unlock(&outer->of->lock);
  return fs;
}

/* Sets a value that is the same in all iterations, running and future ones. */
static void set_constant(tfc_dynamic* d, frame_state* fs, int i, bool dead, tfc_ready* next) {
  int k = d->plan->flow[i].number;
  fs->arrived[k] = dead ? DEAD : ALIVE;
  for (iteration* it = fs->first; it; it = it->following) {
    if (!dead) put_value(d, it, i, &fs->constants[k]);
    send(d, it, i, dead ? NONE : ALL, next);
  }
}

static void run_enter(tfc_dynamic* d, iteration* it, int i, bool dead, tfc_ready* next) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  const tfc_flow_node* flow = &d->plan->flow[i];
  frame_state* fs = enter(d, it, flow->target, next);
  if (!fs) {
    out_of_memory(d, i);
    return;
  }
  int slot = d->plan->input_slots[node->first_input];
  pthread_mutex_lock(&fs->lock);
  iteration* first = fs->first; /* iteration 0 lasts until all have entered */
  if (flow->number >= 0) {
    if (!dead) hand_on(&fs->constants[flow->number], it, slot);
    set_constant(d, fs, i, dead, next);
  } else {
    if (!dead) send_value(d, first, node->first_output, it, slot);
    send(d, first, i, dead ? NONE : ALL, next);
  }
  bool all = --fs->enters_left == 0;
  pthread_mutex_unlock(&fs->lock);
  if (all) leave(d, first, next);
}

static void run_exit(tfc_dynamic* d, iteration* it, int i, bool dead, tfc_ready* next) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  frame_state* fs = it->of;
  uint8_t* exit = &fs->exits[d->plan->flow[i].number];
  pthread_mutex_lock(&fs->lock);
  bool again = !dead && *exit & EXIT_SENT;
  if (!dead) {
    *exit |= EXIT_SENT;
  } else if (it == fs->last) {
    *exit |= EXIT_DEAD;
  }
  pthread_mutex_unlock(&fs->lock);
  if (dead) return;
  if (again) {
    tfc_dynamic_fail(d, i, TFC_INTERNAL, "The loop is left more than once with a value.");
    return;
  }
  send_value(d, fs->outer, node->first_output, it, d->plan->input_slots[node->first_input]);
  /* Consumers of the outermost loop wait until the loop has released its values: a variable that it
   * has read is then changed in place, not copied. */
  send(d, fs->outer, i, ALL, fs->outer == &fs->flow->root ? NULL : next);
}

static void run_next_iteration(tfc_dynamic* d, iteration* it, int i, tfc_ready* next) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  int slot = d->plan->input_slots[node->first_input];
  frame_state* fs = it->of;
  pthread_mutex_lock(&fs->lock);
  iteration* to = it->following;
  bool wait = !to && fs->n_running >= fs->frame->parallel_iterations;
  if (wait) {
    hand_on(&fs->waiting[fs->n_waiting], it, slot);
    fs->waiting_node[fs->n_waiting++] = i;
  } else if (!to) {
    to = start_iteration(d, fs, next);
  }
  pthread_mutex_unlock(&fs->lock);
  if (wait) return;
  if (!to) {
    out_of_memory(d, i);
    return;
  }
  send_value(d, to, node->first_output, it, slot);
  send(d, to, i, ALL, next);
}

/* ---- Nodes without kernels. These return `alive` for `send`, or NONE after an error. */

static int run_switch(tfc_dynamic* d, iteration* it, int i) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  const tfc_tensor* pred = it->s.inputs[node->first_input + 1];
  if (pred->n != 1 || pred->rank) {
    char dims[TFC_DIMS_TEXT], text[TFC_DIMS_TEXT + 64];
    tfc_write_dims(dims, pred->rank, pred->dims);
    snprintf(text, sizeof text, "The second input must be a scalar, but it has shape [%s]", dims);
    tfc_dynamic_fail(d, i, TFC_INVALID_ARGUMENT, text);
    return NONE;
  }
  int taken = *(const bool*)pred->data ? 1 : 0;
  hand_on(&it->s.slots[node->first_output + taken], it, d->plan->input_slots[node->first_input]);
  return taken;
}

/* The value is already stored; the second output is the index of its input. */
static int run_merge(tfc_dynamic* d, iteration* it, int i) {
  int slot = d->plan->nodes[i].first_output + 1;
  if (d->plan->slot_uses[slot] == 0) return ALL;
  tfc_tensor* index = &it->s.slots[slot];
  if (!tfc_tensor_new(index, 0, NULL)) {
    out_of_memory(d, i);
    return NONE;
  }
  *(int32_t*)index->data = it->s.pending[i];
  return ALL;
}

static int run_forward(tfc_dynamic* d, iteration* it, int i) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  hand_on(&it->s.slots[node->first_output], it, d->plan->input_slots[node->first_input]);
  return ALL;
}

/* Everything that follows the run of a node; `alive` says which outputs are live. */
static tfc_ready finish(tfc_dynamic* d, iteration* it, int i, int alive, tfc_ready* next) {
  const tfc_plan_node* node = &d->plan->nodes[i];
  int kind = d->plan->flow[i].kind;
  use_up_inputs(d, it, i);
  if (kind != TFC_ENTER && kind != TFC_EXIT && kind != TFC_NEXT_ITERATION) {
    for (int slot = node->first_output; slot < node->first_output + node->n_outputs; slot++)
      if (d->plan->slot_uses[slot] == 0) tfc_clear_slot(d, &it->s, slot);
    send(d, it, i, alive, next);
  }
  leave(d, it, next);
  if (next->node < 0) __atomic_sub_fetch(&d->remaining, 1, __ATOMIC_ACQ_REL);
  return *next;
}

tfc_ready tfc_flow_finish(tfc_dynamic* d, tfc_ready r) {
  tfc_ready next = {.node = -1};
  return finish(d, (iteration*)r.state, r.node, r.dead ? NONE : ALL, &next);
}

/* Forwards the input of a node without a kernel; returns `alive` for its own iteration. */
static int pass_on(tfc_dynamic* d, iteration* it, int i, bool dead, tfc_ready* next) {
  switch (d->plan->flow[i].kind) {
    case TFC_ENTER: run_enter(d, it, i, dead, next); return NONE;
    case TFC_EXIT: run_exit(d, it, i, dead, next); return NONE;
    case TFC_NEXT_ITERATION:
      if (!dead) run_next_iteration(d, it, i, next);
      return NONE;
    case TFC_SWITCH: return dead ? NONE : run_switch(d, it, i);
    case TFC_MERGE: return dead ? NONE : run_merge(d, it, i);
    case TFC_FORWARD: return dead ? NONE : run_forward(d, it, i);
    case TFC_TRIGGER: return ALL;
    default: return NONE; /* a dead node */
  }
}

bool tfc_flow_run(tfc_dynamic* d, tfc_ready r, tfc_ready* next) {
  iteration* it = (iteration*)r.state;
  const tfc_plan_node* node = &d->plan->nodes[r.node];
  int kind = d->plan->flow[r.node].kind;
  *next = (tfc_ready){.node = -1};
  if (kind == TFC_TRANSFER || (kind == TFC_PLAIN && !r.dead)) return false;
  tfc_observer* o = r.dead ? NULL : d->step->observer;
  if (o) tfc_observe_begin(r.state, r.node);
  if (!r.dead && node->n_derefs && tfc_snapshot(d->plan, r.state, node, d->step, r.node)) {
    tfc_dynamic_fail(d, r.node, TFC_INTERNAL, "");
    return true;
  }
  int alive = pass_on(d, it, r.node, r.dead, next);
  if (o) tfc_observe_end(o, r.state, r.node);
  if (!failed(d)) finish(d, it, r.node, alive, next);
  return true;
}

/* ---- The whole step */

static void gather_events(iteration* it, tfc_observer* o) {
  for (frame_state* fs = it->entered; fs; fs = fs->next)
    for (iteration* inner = fs->first; inner; inner = inner->following) {
      gather_events(inner, o);
      if (inner->s.node_events) tfc_hand_over_events(inner, o);
    }
}

void tfc_flow_end(tfc_dynamic* d) {
  if (d->step->observer && d->state->flow) gather_events(&d->state->flow->root, d->step->observer);
}

bool tfc_flow_begin(tfc_dynamic* d) {
  const tfc_plan* plan = d->plan;
  if (!d->state->flow && !tfc_make_flow(plan, d->state)) {
    tfc_flow_free(d->state);
    return false;
  }
  tfc_flow* flow = d->state->flow;
  iteration* root = &flow->root;
  const tfc_frame* f = &plan->frames[0];
  tfc_set_counters(root, plan, f);
  root->s.node_events = d->state->node_events;
  root->s.slot_events = d->state->slot_events;
  for (int i = 0; i < plan->n_fetches; i++) /* no reference of an earlier step may remain */
    if (plan->slot_nodes[plan->fetch_slots[i]] >= 0 &&
        plan->slot_dtypes[plan->fetch_slots[i]] >= TFC_REF)
      d->state->slots[plan->fetch_slots[i]].data = NULL;
  for (int i = f->first_node + f->n_nodes - 1; i >= f->first_node; i--)
    if (plan->first_tokens[i] == 0) {
      root->outstanding++;
      d->ready[d->available++] = (tfc_ready){&root->s, i, false};
    }
  d->remaining = (int32_t)d->available;
  return true;
}

bool tfc_flow_has_value(const tfc_plan* plan, const tfc_state* s, int slot) {
  int node = plan->slot_nodes[slot];
  const tfc_tensor* t = &s->slots[slot];
  if (node >= 0 && plan->flow[node].kind == TFC_MERGE && waits_for(s->flow->root.tokens[node]))
    return false; /* its value has arrived, but not all its control inputs */
  return t->buffer || (t->dtype >= TFC_REF && t->data);
}

tfc_place tfc_place_of(const tfc_context* ctx) {
  const tfc_node_context* node = (const tfc_node_context*)ctx;
  if (!node->plan->n_frames) return (tfc_place){0, 0};
  const iteration* it = (const iteration*)node->state;
  return (tfc_place){it->of->id, it->number};
}

bool tfc_input_is_dead(const tfc_context* ctx) {
  return ((const tfc_node_context*)ctx)->dead;
}

void tfc_output_dead(tfc_context* ctx) {
  ((tfc_node_context*)ctx)->dead = true;
}
