#include "step/callable.h"

#include <stdlib.h>
#include <string.h>

#include "step/fused_loop.h"

static const tfc_callable_hooks* hooks;

void tfc_set_callable_hooks(const tfc_callable_hooks* h) {
  hooks = h;
}

tfc_callable* tfc_callable_new(const tfc_plan* plan, void* owner) {
  tfc_callable* c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->plan = plan;
  c->owner = owner;
  c->refs = 1;
  pthread_mutex_init(&c->lock, NULL);
  return c;
}

void tfc_callable_hold(tfc_callable* c) {
  __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
}

void tfc_callable_drop(tfc_callable* c) {
  if (__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL)) return;
  hooks->destroy(c->owner, c->states);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

/* ---- Calls */

static tfc_state* take_state(tfc_callable* c) {
  pthread_mutex_lock(&c->lock);
  tfc_state* s = c->states;
  if (s) c->states = s->next;
  pthread_mutex_unlock(&c->lock);
  return s ? s : hooks->make_state(c->owner);
}

static void give_state(tfc_callable* c, tfc_state* s) {
  if (c->plan->n_frames) tfc_flow_clear(s);
  for (int i = 0; i < c->plan->n_slots; i++) tfc_tensor_clear(&s->slots[i]);
  pthread_mutex_lock(&c->lock);
  s->next = c->states;
  c->states = s;
  pthread_mutex_unlock(&c->lock);
}

static bool is_dynamic(const tfc_plan* plan) {
  return plan->n_frames || plan->number; /* only plans with kernels that suspend or block have a
                                            number */
}

/* The plan was compiled for these types and static shapes, and its kernels rely on them. */
static int check_inputs(tfc_context* inner, const tfc_plan* plan, const tfc_tensor* inputs) {
  for (int i = 0; i < plan->n_feeds; i++) {
    const tfc_tensor* t = &inputs[i];
    if (t->dtype != plan->feed_types[i])
      return tfc_error(inner, TFC_INVALID_ARGUMENT,
                       "Argument %d of a function is a %s, but a %s is expected", i,
                       tfc_type_name(t->dtype), tfc_type_name(plan->feed_types[i]));
    if (tfc_fits_feed(plan, i, t)) continue;
    char text[TFC_DIMS_TEXT];
    tfc_write_dims(text, t->rank, t->dims);
    return tfc_error(
        inner, TFC_INVALID_ARGUMENT,
        "Argument %d of a function has the shape [%s], which is not the one that is stated", i,
        text);
  }
  return TFC_OK;
}

static void drop_inputs(const tfc_plan* plan, tfc_tensor* inputs) {
  for (int i = 0; i < plan->n_feeds; i++) tfc_tensor_clear(&inputs[i]);
}

static int take_outputs(const tfc_callable* c, tfc_step* step, tfc_state* s, tfc_tensor* outputs) {
  for (int i = 0; i < c->plan->n_fetches; i++) {
    int slot = c->plan->fetch_slots[i];
    if (c->plan->n_frames && !tfc_flow_has_value(c->plan, s, slot)) {
      tfc_step_fail(step, -1, TFC_INVALID_ARGUMENT, "Retval does not have a value");
      for (int j = 0; j < i; j++) tfc_tensor_clear(&outputs[j]);
      return TFC_INVALID_ARGUMENT;
    }
    tfc_hold_tensor(&outputs[i], &s->slots[slot]);
  }
  return TFC_OK;
}

static int fail(const tfc_callable* c, const tfc_context* around, tfc_step* step) {
  char* text = hooks->describe(c->owner, step, around ? around->step_id : 0);
  if (text && !step->after_cancel) {
    free(step->message);
    step->message = text;
  } else {
    free(text);
  }
  if (step->kept) tfc_drop_kept_loops(step);
  step->node = -1;
  return step->code;
}

int tfc_call_function(tfc_context* inner, tfc_callable* c, tfc_tensor* inputs,
                      tfc_tensor* outputs) {
  tfc_step* step = tfc_node_of(inner)->step;
  bool in_step = tfc_node_of(inner)->around;
  int wrong = check_inputs(inner, c->plan, inputs);
  tfc_state* s = wrong ? NULL : take_state(c);
  if (!s) {
    drop_inputs(c->plan, inputs);
    return wrong ? wrong : tfc_error(inner, TFC_RESOURCE_EXHAUSTED, "no memory to call a function");
  }
  for (int i = 0; i < c->plan->n_feeds; i++) {
    s->slots[i] = inputs[i];
    inputs[i].buffer = NULL;
  }
  if (!in_step) tfc_pool_enter();
  if (is_dynamic(c->plan)) {
    tfc_run_dynamic(c->plan, s, step);
  } else {
    tfc_run_serial(c->plan, s, step);
  }
  if (!in_step) tfc_pool_leave();
  int code =
      step->code ? fail(c, tfc_node_of(inner)->around, step) : take_outputs(c, step, s, outputs);
  give_state(c, s);
  return code;
}

/* ---- Inner contexts */

static const tfc_plan_node no_node;
static const tfc_plan no_plan = {.nodes = (tfc_plan_node*)&no_node, .n_nodes = 1};

tfc_context* tfc_begin_inner_context(tfc_context* around) {
  tfc_node_context* inner = malloc(sizeof *inner);
  tfc_step* step = inner ? tfc_step_begin_inner(around ? tfc_node_of(around)->step : NULL) : NULL;
  if (!step) {
    free(inner);
    return NULL;
  }
  tfc_context_init(inner, &no_plan, step);
  inner->running = &no_node;
  inner->around = around;
  return &inner->pub;
}

void tfc_end_inner_context(tfc_context* ctx) {
  tfc_node_context* inner = tfc_node_of(ctx);
  tfc_free_scratch(inner);
  tfc_step_end_inner(inner->step, inner->around ? tfc_node_of(inner->around)->step : NULL);
  free(inner);
}

int tfc_take_inner_error(tfc_context* ctx, char** text) {
  tfc_step* step = tfc_node_of(ctx)->step;
  tfc_free_scratch(tfc_node_of(ctx));
  int code = step->code;
  *text = step->message;
  step->message = NULL;
  step->node = -1;
  __atomic_store_n(&step->out_of_memory, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&step->code, 0, __ATOMIC_RELEASE);
  int failed = TFC_STEP_FAILED;
  if (__atomic_compare_exchange_n(&step->cancelled, &failed, 0, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST)) {
    __atomic_store_n(&step->attention, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&step->cancelled, __ATOMIC_SEQ_CST)) /* meanwhile, from outside */
      __atomic_store_n(&step->attention, 1, __ATOMIC_SEQ_CST);
  }
  return code;
}

void tfc_cancel_inner_context(tfc_context* ctx) {
  tfc_step_cancel(tfc_node_of(ctx)->step, TFC_CANCELLED);
}

typedef struct spawned {
  void (*fn)(tfc_context* inner, void* arg);
  void* arg;
  tfc_context* inner;
} spawned;

static void run_spawned(void* arg) {
  spawned now = *(spawned*)arg;
  free(arg);
  tfc_node_of(now.inner)->step->caller = pthread_self();
  now.fn(now.inner, now.arg);
  tfc_end_inner_context(now.inner);
}

bool tfc_spawn_with_context(void (*fn)(tfc_context* inner, void* arg), void* arg) {
  spawned* s = malloc(sizeof *s);
  tfc_context* inner = s ? tfc_begin_inner_context(NULL) : NULL;
  if (inner) {
    *s = (spawned){fn, arg, inner};
    if (tfc_spawn(run_spawned, s)) return true;
    tfc_end_inner_context(inner);
  }
  free(s);
  return false;
}
