/* The memory of control flow: iterations and frame states go to free lists of the step's state and
 * are reused by its next steps. A loop allocates as many iterations as run at a time. */
#include <stdlib.h>
#include <string.h>

#include "step/flow.h"

static void free_iteration_arrays(iteration* it, const tfc_frame* f) {
  free(it->s.slots ? it->s.slots + f->first_slot : NULL);
  free(it->s.inputs ? it->s.inputs + f->first_input : NULL);
  free(it->s.pending ? it->s.pending + f->first_node : NULL);
  free(it->s.uses ? it->s.uses + f->first_slot : NULL);
  free(it->tokens ? it->tokens + f->first_node : NULL);
}

/* Shifts an array so that the plan's numbers are its indices; never used before `first`. */
static void* moved(void* array, size_t size, int32_t first) {
  return array ? (void*)((uintptr_t)array - size * (size_t)first) : NULL;
}

#define ARRAY(TYPE, COUNT, FIRST) \
  moved(calloc((size_t)(COUNT) + 1, sizeof(TYPE)), sizeof(TYPE), FIRST)

static iteration* new_iteration(const tfc_plan* plan, const tfc_frame* f) {
  iteration* it = calloc(1, sizeof *it);
  if (!it) return NULL;
  it->s.slots = ARRAY(tfc_tensor, f->n_slots, f->first_slot);
  it->s.inputs = ARRAY(const tfc_tensor*, f->n_inputs, f->first_input);
  it->s.pending = ARRAY(int32_t, f->n_nodes, f->first_node);
  it->s.uses = ARRAY(int32_t, f->n_slots, f->first_slot);
  it->tokens = ARRAY(uint64_t, f->n_nodes, f->first_node);
  if (!it->s.slots || !it->s.inputs || !it->s.pending || !it->s.uses || !it->tokens) {
    free_iteration_arrays(it, f);
    free(it);
    return NULL;
  }
  for (int i = f->first_slot; i < f->first_slot + f->n_slots; i++)
    it->s.slots[i].dtype = plan->slot_dtypes[i];
  for (int i = f->first_input; i < f->first_input + f->n_inputs; i++)
    it->s.inputs[i] = &it->s.slots[plan->input_slots[i]];
  return it;
}

void tfc_set_counters(iteration* it, const tfc_plan* plan, const tfc_frame* f) {
  const uint64_t* tokens = it->number ? plan->later_tokens : plan->first_tokens;
  memcpy(&it->s.uses[f->first_slot], &plan->slot_uses[f->first_slot],
         (size_t)f->n_slots * sizeof *it->s.uses);
  memcpy(&it->tokens[f->first_node], &tokens[f->first_node],
         (size_t)f->n_nodes * sizeof *it->tokens);
  it->outstanding = 1;
  it->following = NULL;
  it->entered = NULL;
}

static bool add_events(iteration* it, const tfc_observer* o, const tfc_frame* f) {
  bool traces = o->modes & TFC_TRACE;
  it->s.node_events = ARRAY(tfc_node_event, f->n_nodes, f->first_node);
  it->s.slot_events = traces ? ARRAY(tfc_slot_event, f->n_slots, f->first_slot) : NULL;
  if (it->s.node_events && (it->s.slot_events || !traces)) return true;
  free(it->s.node_events ? it->s.node_events + f->first_node : NULL);
  free(it->s.slot_events ? it->s.slot_events + f->first_slot : NULL);
  it->s.node_events = NULL;
  it->s.slot_events = NULL;
  return false;
}

iteration* tfc_take_iteration(frame_state* fs, tfc_observer* o) {
  tfc_flow* flow = fs->flow;
  pthread_mutex_lock(&flow->lock);
  iteration* it = flow->free_iterations[fs->index];
  if (it) flow->free_iterations[fs->index] = it->following;
  pthread_mutex_unlock(&flow->lock);
  if (!it) it = new_iteration(flow->plan, fs->frame);
  if (!it) return NULL;
  it->of = fs;
  it->number = fs->started;
  tfc_set_counters(it, flow->plan, fs->frame);
  if (o && !add_events(it, o, fs->frame)) {
    tfc_give_iteration(it, NULL);
    return NULL;
  }
  fs->started++;
  return it;
}

static void clear_slots(iteration* it, tfc_observer* o) {
  const tfc_frame* f = it->of->frame;
  for (int i = f->first_slot; i < f->first_slot + f->n_slots; i++) {
    if (!it->s.slots[i].buffer) continue;
    if (o) tfc_observe_free(o, &it->s, i);
    tfc_tensor_clear(&it->s.slots[i]);
  }
}

void tfc_hand_over_events(iteration* it, tfc_observer* o) {
  const tfc_frame* f = it->of->frame;
  tfc_iteration_record* record = calloc(1, sizeof *record);
  tfc_node_event* nodes = it->s.node_events;
  tfc_slot_event* slots = it->s.slot_events;
  if (record)
    *record = (tfc_iteration_record){.frame = it->of->index,
                                     .number = it->number,
                                     .nodes = nodes + f->first_node,
                                     .slots = slots ? slots + f->first_slot : NULL};
  it->s.node_events = NULL;
  it->s.slot_events = NULL;
  tfc_observe_iteration(o, record, nodes + f->first_node, slots ? slots + f->first_slot : NULL);
}

void tfc_give_iteration(iteration* it, tfc_observer* o) {
  frame_state* fs = it->of;
  clear_slots(it, o);
  if (o && it->s.node_events) tfc_hand_over_events(it, o);
  pthread_mutex_lock(&fs->flow->lock);
  it->following = fs->flow->free_iterations[fs->index];
  fs->flow->free_iterations[fs->index] = it;
  pthread_mutex_unlock(&fs->flow->lock);
}

static void free_frame_arrays(frame_state* fs) {
  free(fs->constants);
  free(fs->arrived);
  free(fs->waiting);
  free(fs->waiting_node);
  free(fs->exits);
  pthread_mutex_destroy(&fs->lock);
}

static bool make_frame(frame_state* fs, tfc_flow* flow, int index) {
  const tfc_frame* f = &flow->plan->frames[index];
  fs->flow = flow;
  fs->frame = f;
  fs->index = index;
  pthread_mutex_init(&fs->lock, NULL);
  fs->constants = calloc((size_t)f->n_constants + 1, sizeof *fs->constants);
  fs->arrived = calloc((size_t)f->n_constants + 1, 1);
  fs->waiting = calloc((size_t)f->n_nexts + 1, sizeof *fs->waiting);
  fs->waiting_node = calloc((size_t)f->n_nexts + 1, sizeof *fs->waiting_node);
  fs->exits = calloc((size_t)f->n_exits + 1, 1);
  return fs->constants && fs->arrived && fs->waiting && fs->waiting_node && fs->exits;
}

frame_state* tfc_take_frame(tfc_flow* flow, int index) {
  pthread_mutex_lock(&flow->lock);
  frame_state* fs = flow->free_frames[index];
  if (fs) flow->free_frames[index] = fs->next;
  pthread_mutex_unlock(&flow->lock);
  if (fs) return fs;
  fs = calloc(1, sizeof *fs);
  if (fs && !make_frame(fs, flow, index)) {
    free_frame_arrays(fs);
    free(fs);
    return NULL;
  }
  return fs;
}

void tfc_give_frame(frame_state* fs) {
  for (int i = 0; i < fs->frame->n_constants; i++) tfc_tensor_clear(&fs->constants[i]);
  for (int i = 0; i < fs->n_waiting; i++) tfc_tensor_clear(&fs->waiting[i]);
  fs->n_waiting = 0;
  pthread_mutex_lock(&fs->flow->lock);
  fs->next = fs->flow->free_frames[fs->index];
  fs->flow->free_frames[fs->index] = fs;
  pthread_mutex_unlock(&fs->flow->lock);
}

bool tfc_make_flow(const tfc_plan* plan, tfc_state* s) {
  tfc_flow* flow = calloc(1, sizeof *flow);
  if (!flow) return false;
  s->flow = flow;
  flow->plan = plan;
  pthread_mutex_init(&flow->lock, NULL);
  flow->free_iterations = calloc((size_t)plan->n_frames, sizeof *flow->free_iterations);
  flow->free_frames = calloc((size_t)plan->n_frames, sizeof *flow->free_frames);
  flow->root.s = *s;
  flow->root.tokens = calloc((size_t)plan->frames[0].n_nodes + 1, sizeof *flow->root.tokens);
  flow->root.of = &flow->outermost;
  bool made = make_frame(&flow->outermost, flow, 0);
  return flow->free_iterations && flow->free_frames && flow->root.tokens && made;
}

/* Drops what a failed step has left, from the inside out. */
static void drop_entered(iteration* it) {
  for (frame_state *fs = it->entered, *next; fs; fs = next) {
    next = fs->next;
    for (iteration *inner = fs->first, *following; inner; inner = following) {
      following = inner->following;
      drop_entered(inner);
      tfc_give_iteration(inner, NULL);
    }
    tfc_give_frame(fs);
  }
  it->entered = NULL;
}

void tfc_flow_clear(tfc_state* s) {
  if (s->flow) drop_entered(&s->flow->root);
}

void tfc_flow_free(tfc_state* s) {
  tfc_flow* flow = s->flow;
  if (!flow) return;
  for (int i = 0; i < flow->plan->n_frames; i++) {
    for (iteration *it = flow->free_iterations ? flow->free_iterations[i] : NULL, *next; it;
         it = next) {
      next = it->following;
      free_iteration_arrays(it, &flow->plan->frames[i]);
      free(it);
    }
    for (frame_state *fs = flow->free_frames ? flow->free_frames[i] : NULL, *next; fs; fs = next) {
      next = fs->next;
      free_frame_arrays(fs);
      free(fs);
    }
  }
  free_frame_arrays(&flow->outermost);
  free(flow->free_iterations);
  free(flow->free_frames);
  free(flow->root.tokens);
  pthread_mutex_destroy(&flow->lock);
  free(flow);
  s->flow = NULL;
}

/* ---- The values of iterations */

static void visit_slots(const iteration* it, tfc_value_fn fn, void* arg) {
  const tfc_frame* f = it->of->frame;
  const tfc_plan* plan = it->of->flow->plan;
  for (int i = f->first_slot; i < f->first_slot + f->n_slots; i++)
    fn(arg, plan->slot_nodes[i], &it->s.slots[i]);
}

static void visit_entered(const iteration* it, tfc_value_fn fn, void* arg) {
  for (const frame_state* fs = it->entered; fs; fs = fs->next) {
    const int32_t* constants = &fs->flow->plan->members[fs->frame->first_constant];
    for (int i = 0; i < fs->frame->n_constants; i++) fn(arg, constants[i], &fs->constants[i]);
    for (int i = 0; i < fs->n_waiting; i++) fn(arg, fs->waiting_node[i], &fs->waiting[i]);
    for (const iteration* inner = fs->first; inner; inner = inner->following) {
      visit_slots(inner, fn, arg);
      visit_entered(inner, fn, arg);
    }
  }
}

void tfc_flow_visit(const tfc_state* s, tfc_value_fn fn, void* arg) {
  if (s->flow) visit_entered(&s->flow->root, fn, arg);
}
