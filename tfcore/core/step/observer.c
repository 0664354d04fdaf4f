/* Records of an observed step: when and on which thread each node ran, the memory of its outputs,
 * and the first output that is not finite although all inputs are. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/device.h"
#include "step/step.h"

/* The system's identifier of this thread. */
int tfc_thread_number(void) {
  static __thread int number;
  if (!number) number = (int)syscall(SYS_gettid);
  return number;
}

/* ---- Memory */

static bool is_of_inputs(const tfc_observer* o, const tfc_state* s, const tfc_plan_node* node,
                         const tfc_buffer* b) {
  for (int j = node->first_input; j < node->first_input + node->n_inputs; j++)
    if (s->slot_events[o->plan->input_slots[j]].buffer == b) return true;
  return false;
}

static void note_slot(tfc_observer* o, const tfc_plan_node* node, const tfc_state* s, int slot) {
  const tfc_tensor* t = &s->slots[slot];
  tfc_slot_event* e = &s->slot_events[slot];
  e->buffer = t->buffer;
  e->data = t->data;
  e->dtype = t->dtype;
  if (!t->buffer) return;
  e->bytes = (int64_t)t->buffer->size;
  e->rank = t->rank;
  for (int d = 0; d < t->rank; d++) e->dims[d] = t->dims[d];
  e->fresh = node && __atomic_load_n(&t->buffer->refs, __ATOMIC_RELAXED) == 1 &&
             !is_of_inputs(o, s, node, t->buffer);
}

void tfc_observe_free(tfc_observer* o, tfc_state* s, int slot) {
  if (!(o->modes & TFC_TRACE) || !s->slot_events) return;
  const tfc_tensor* t = &s->slots[slot];
  tfc_slot_event* e = &s->slot_events[slot];
  e->freed = tfc_now_ns();
  /* Without a buffer, another value has taken over the memory. */
  e->gone = t->buffer && __atomic_load_n(&t->buffer->refs, __ATOMIC_RELAXED) == 1;
}

void tfc_observe_arrival(tfc_observer* o, tfc_state* s, int slot) {
  if (!(o->modes & TFC_TRACE) || !s->slot_events) return;
  note_slot(o, NULL, s, slot);
  s->slot_events[slot].came = tfc_now_ns();
}

void tfc_observe_last(tfc_observer* o, tfc_state* s, int slot, const tfc_buffer* b) {
  if (!(o->modes & TFC_TRACE) || !s->slot_events || !b) return;
  tfc_slot_event* e = &s->slot_events[slot];
  if (e->buffer != b || __atomic_load_n(&b->refs, __ATOMIC_RELAXED) != 1) return;
  e->freed = tfc_now_ns();
  e->gone = true;
}

static void note_outputs(tfc_observer* o, const tfc_plan_node* node, const tfc_state* s) {
  for (int j = node->first_deref; j < node->first_deref + node->n_derefs; j++) {
    int slot = o->plan->derefs[j].target;
    if (s->slots[slot].buffer) note_slot(o, NULL, s, slot);
  }
  for (int slot = node->first_output; slot < node->first_output + node->n_outputs; slot++)
    note_slot(o, node, s, slot);
}

/* ---- Numerics */

#define ALL_ONES(NAME, WORD, EXPONENT)                          \
  static bool NAME(const void* data, int64_t n) {               \
    const WORD* x = data;                                       \
    for (int64_t begin = 0; begin < n; begin += 4096) {         \
      int64_t end = begin + 4096 < n ? begin + 4096 : n;        \
      int found = 0;                                            \
      for (int64_t i = begin; i < end; i++)                     \
        found |= (x[i] & (WORD)(EXPONENT)) == (WORD)(EXPONENT); \
      if (found) return true;                                   \
    }                                                           \
    return false;                                               \
  }

/* A number is infinite or NaN if all bits of its exponent are set. */
ALL_ONES(odd_float, uint32_t, 0x7f800000)
ALL_ONES(odd_double, uint64_t, 0x7ff0000000000000)
ALL_ONES(odd_half, uint16_t, 0x7c00)
ALL_ONES(odd_bfloat16, uint16_t, 0x7f80)

static bool is_finite(const tfc_tensor* t) {
  if (!t->buffer || !t->data) return true;
  if (t->buffer->device) {
    tfc_tensor copy;
    if (!tfc_tensor_read(&copy, t)) return true; /* the step ends with the device's error */
    bool finite = is_finite(&copy);
    tfc_tensor_clear(&copy);
    return finite;
  }
  switch (t->dtype % TFC_REF) {
    case TFC_FLOAT: return !odd_float(t->data, t->n);
    case TFC_DOUBLE: return !odd_double(t->data, t->n);
    case TFC_HALF: return !odd_half(t->data, t->n);
    case TFC_BFLOAT16: return !odd_bfloat16(t->data, t->n);
    case TFC_COMPLEX64: return !odd_float(t->data, 2 * t->n);
    case TFC_COMPLEX128: return !odd_double(t->data, 2 * t->n);
    default: return true;
  }
}

typedef struct held {
  tfc_tensor values[TFC_MAX_LOCKED];
  int inputs[TFC_MAX_LOCKED];
  int n;
} held;

/* Keeps the values that variables behind reference inputs have before the node changes them. */
static void hold_variables(held* h, const tfc_context* pub) {
  h->n = 0;
  for (int j = 0; j < pub->n_inputs && h->n < TFC_MAX_LOCKED; j++) {
    const tfc_tensor* in = pub->inputs[j];
    if (in->dtype < TFC_REF || in->dtype % TFC_REF == TFC_RESOURCE) continue;
    h->inputs[h->n] = j;
    if (tfc_variable_read(in->data, &h->values[h->n])) h->n++;
  }
}

static void let_go(held* h) {
  for (int k = 0; k < h->n; k++) tfc_tensor_clear(&h->values[k]);
}

static bool made_of_finite(const tfc_context* pub, const held* h) {
  for (int j = 0; j < pub->n_inputs; j++)
    if (pub->inputs[j]->dtype < TFC_REF && !is_finite(pub->inputs[j])) return false;
  for (int k = 0; k < h->n; k++)
    if (!is_finite(&h->values[k])) return false;
  return true;
}

static bool variable_is_finite(tfc_variable* v) {
  tfc_tensor now;
  if (!tfc_variable_read(v, &now)) return true;
  bool finite = is_finite(&now);
  tfc_tensor_clear(&now);
  return finite;
}

/* False: a value that is not finite was made from finite ones. It is an output or, if *output is
 * -1, the variable of an input. Operations without inputs are exempt: they are constants and the
 * like, whose values the user chose. */
static bool check_numerics(const tfc_context* pub, const held* h, int* output, int* input) {
  *output = *input = -1;
  for (int j = 0; j < pub->n_outputs && *output < 0; j++)
    if (pub->outputs[j].dtype < TFC_REF && !is_finite(&pub->outputs[j])) *output = j;
  for (int j = 0; j < pub->n_inputs && *output < 0 && *input < 0; j++)
    if (pub->inputs[j]->dtype >= TFC_REF && pub->inputs[j]->dtype % TFC_REF != TFC_RESOURCE &&
        !variable_is_finite(pub->inputs[j]->data))
      *input = j;
  return (*output < 0 && *input < 0) || !pub->n_inputs || !made_of_finite(pub, h);
}

/* Takes over what h holds. Other nodes may fail at the same time: the error names the first one, so
 * only its values are recorded. */
static void fail(tfc_observer* o, const tfc_node_context* ctx, const tfc_state* s, held* h,
                 int output, int input) {
  pthread_mutex_lock(&o->lock);
  if (o->bad_node < 0) {
    o->state = s;
    o->bad_node = ctx->node;
    o->bad_output = output;
    o->bad_input = input;
    o->n_before = h->n;
    for (int k = 0; k < h->n; k++) {
      o->before[k] = h->values[k];
      o->before_input[k] = h->inputs[k];
    }
    h->n = 0;
  }
  tfc_step_fail(ctx->step, ctx->node, TFC_INVALID_ARGUMENT, "");
  pthread_mutex_unlock(&o->lock);
}

/* ---- Watched values */

static void show_outputs(const tfc_observer* o, int node, const tfc_tensor* outputs) {
  for (int j = 0; j < o->plan->nodes[node].n_outputs; j++) {
    const tfc_tensor* t = &outputs[j];
    int dtype = t->dtype % TFC_REF;
    tfc_tensor value;
    if (dtype == TFC_RESOURCE || dtype == TFC_VARIANT) continue;
    if (t->dtype < TFC_REF) {
      if (t->buffer) o->watch(o->watch_arg, node, j, t);
    } else if (t->data && tfc_variable_read(t->data, &value)) {
      o->watch(o->watch_arg, node, j, &value);
      tfc_tensor_clear(&value);
    }
  }
}

/* ---- Nodes */

static int finish(tfc_observer* o, tfc_node_context* ctx, const tfc_state* s, int code, held* h) {
  tfc_node_event* e = &s->node_events[ctx->node];
  e->done = tfc_now_ns();
  e->scratch = ctx->scratch_bytes;
  e->parallel = ctx->parallel;
  if (!code && o->modes & TFC_TRACE) note_outputs(o, &o->plan->nodes[ctx->node], s);
  if (!code && o->modes & TFC_WATCH) show_outputs(o, ctx->node, ctx->pub.outputs);
  int output, input;
  if (code || !(o->modes & TFC_CHECK_NUMERICS) || check_numerics(&ctx->pub, h, &output, &input))
    return code;
  fail(o, ctx, s, h, output, input);
  return TFC_INVALID_ARGUMENT;
}

int tfc_observed_compute(tfc_observer* o, tfc_node_context* ctx, tfc_state* s, int i) {
  const tfc_plan_node* node = &o->plan->nodes[i];
  tfc_node_event* e = &s->node_events[i];
  held h = {.n = 0};
  ctx->parallel = false;
  ctx->scratch_bytes = 0;
  if (o->modes & TFC_CHECK_NUMERICS) {
    ctx->input_flags = o->plan->no_flags; /* the report needs the inputs */
    ctx->pub.inputs = &s->inputs[node->first_input];
    ctx->pub.n_inputs = node->n_inputs;
    hold_variables(&h, &ctx->pub);
  }
  e->thread = tfc_thread_number();
  e->start = tfc_now_ns();
  int code = tfc_compute(ctx, o->plan, s, node, i);
  if (code == TFC_PENDING) { /* the kernel may have ended the step by now: touch nothing */
    let_go(&h);
    return code;
  }
  code = finish(o, ctx, s, code, &h);
  let_go(&h);
  return code;
}

int tfc_observed_resume(tfc_observer* o, tfc_node_context* ctx, const tfc_state* s, int code) {
  held none = {.n = 0};
  return finish(o, ctx, s, code, &none);
}

/* ---- Control flow */

void tfc_observe_begin(tfc_state* s, int i) {
  tfc_node_event* e = &s->node_events[i];
  e->thread = tfc_thread_number();
  e->start = tfc_now_ns();
}

void tfc_observe_end(tfc_observer* o, tfc_state* s, int i) {
  int32_t kind = o->plan->flow[i].kind;
  s->node_events[i].done = tfc_now_ns();
  /* Nodes of these kinds have their outputs in another iteration. */
  if (kind == TFC_ENTER || kind == TFC_EXIT || kind == TFC_NEXT_ITERATION) return;
  const tfc_plan_node* node = &o->plan->nodes[i];
  if (o->modes & TFC_TRACE) note_outputs(o, node, s);
  if (o->modes & TFC_WATCH) show_outputs(o, i, &s->slots[node->first_output]);
}

/* For further iterations, only the times are kept. */
enum { MOST_ITERATIONS = 20000 };

void tfc_observe_iteration(tfc_observer* o, tfc_iteration_record* record, tfc_node_event* nodes,
                           tfc_slot_event* slots) {
  const tfc_frame* f = record ? &o->plan->frames[record->frame] : NULL;
  pthread_mutex_lock(&o->lock);
  for (int i = 0; f && i < f->n_nodes; i++) {
    tfc_node_event* sum = &o->nodes[f->first_node + i];
    if (!nodes[i].start) continue;
    int64_t total = sum->total + (nodes[i].done ? nodes[i].done - nodes[i].start : 0);
    int64_t runs = sum->runs + 1;
    *sum = nodes[i];
    sum->total = total;
    sum->runs = runs;
  }
  bool keep = record && o->modes & TFC_TRACE && o->n_iterations < MOST_ITERATIONS;
  if (keep) {
    record->next = o->iterations;
    o->iterations = record;
    o->n_iterations++;
  }
  pthread_mutex_unlock(&o->lock);
  if (keep) return;
  free(nodes);
  free(slots);
  free(record);
}
