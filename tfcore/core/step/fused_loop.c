/* A fused loop: all iterations in one fixed order, on one thread, as the kernel of one node.
 *
 * The loop has its own plan, with its variables in the first slots. Their new values are moved
 * there after each iteration, so that kernels can reuse their memory. */
#include "step/fused_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/context.h"

static tfc_state* take_state(tfc_loop* loop) {
  pthread_mutex_lock(&loop->lock);
  tfc_state* s = loop->states;
  if (s) loop->states = s->next;
  pthread_mutex_unlock(&loop->lock);
  if (s) return s;
  const tfc_plan* plan = loop->plan;
  s = calloc(1, sizeof *s);
  if (!s) return NULL;
  /* After the slots: room for values that move to another variable. */
  s->slots = calloc((size_t)(plan->n_slots + loop->n_variables) + 1, sizeof *s->slots);
  s->inputs = calloc((size_t)plan->n_inputs + 1, sizeof *s->inputs);
  if (!s->slots || !s->inputs) {
    free(s->slots);
    free(s->inputs);
    free(s);
    return NULL;
  }
  for (int i = 0; i < plan->n_slots; i++) s->slots[i].dtype = plan->slot_dtypes[i];
  for (int i = 0; i < plan->n_inputs; i++) s->inputs[i] = &s->slots[plan->input_slots[i]];
  return s;
}

static void give_state(tfc_loop* loop, tfc_state* s) {
  for (int i = 0; i < loop->plan->n_slots + loop->n_variables; i++) tfc_tensor_clear(&s->slots[i]);
  pthread_mutex_lock(&loop->lock);
  s->next = loop->states;
  loop->states = s;
  pthread_mutex_unlock(&loop->lock);
}

void tfc_loop_free(tfc_loop* loop) {
  while (loop->states) {
    tfc_state* s = loop->states;
    loop->states = s->next;
    free(s->slots);
    free(s->inputs);
    free(s);
  }
}

static void hold(tfc_tensor* to, const tfc_tensor* from) {
  if (from->buffer) tfc_buffer_ref(from->buffer);
  tfc_tensor_clear(to);
  *to = *from;
}

static void move(tfc_tensor* to, tfc_tensor* from) {
  tfc_tensor_clear(to);
  *to = *from;
  from->buffer = NULL;
}

static int fail(const tfc_node_context* ctx, int node, int code, const char* message) {
  tfc_step_fail(ctx->step, ctx->base + node, code, message);
  return code;
}

/* 1 or 0; -1 after an error: not a scalar. */
static int truth(const tfc_node_context* ctx, const tfc_tensor* t, int node) {
  if (t->n == 1 && !t->rank) return *(const bool*)t->data;
  char dims[TFC_DIMS_TEXT], text[TFC_DIMS_TEXT + 64];
  tfc_write_dims(dims, t->rank, t->dims);
  snprintf(text, sizeof text, "The second input must be a scalar, but it has shape [%s]", dims);
  fail(ctx, node, TFC_INVALID_ARGUMENT, text);
  return -1;
}

/* Whether a node of a conditional runs: 1, 0, or -1. Outer conditions come first. */
static int is_taken(const tfc_loop* loop, const tfc_node_context* ctx, const tfc_state* s,
                    const tfc_loop_node* node, int i) {
  for (int g = node->first_guard; g < node->first_guard + node->n_guards; g++) {
    int value = truth(ctx, &s->slots[loop->guards[g].slot], i);
    if (value != loop->guards[g].side) return value < 0 ? -1 : 0;
  }
  return 1;
}

static int run_merge(const tfc_loop* loop, tfc_node_context* ctx, tfc_state* s, int i) {
  const tfc_plan_node* node = &loop->plan->nodes[i];
  int value = truth(ctx, &s->slots[loop->nodes[i].pred], i);
  if (value < 0) return TFC_INVALID_ARGUMENT;
  int taken = value ? loop->nodes[i].if_true : 1 - loop->nodes[i].if_true;
  int at = node->first_input + taken;
  tfc_tensor* from = &s->slots[loop->plan->input_slots[at]];
  tfc_tensor* out = &s->slots[node->first_output];
  if (loop->plan->input_flags[at] & TFC_INPUT_LAST_USE) {
    move(out, from);
  } else {
    hold(out, from);
  }
  if (!loop->plan->slot_uses[node->first_output + 1]) return TFC_OK;
  if (!tfc_tensor_new(out + 1, 0, NULL))
    return fail(ctx, i, TFC_RESOURCE_EXHAUSTED, "no memory for the index of an input");
  *(int32_t*)out[1].data = taken;
  return TFC_OK;
}

static int run_guarded(const tfc_loop* loop, tfc_node_context* ctx, tfc_state* s, int i) {
  const tfc_loop_node* node = &loop->nodes[i];
  int taken = is_taken(loop, ctx, s, node, i);
  if (taken < 0) return TFC_INVALID_ARGUMENT;
  if (!taken || node->kind == TFC_TRIGGER) return TFC_OK;
  if (node->kind == TFC_MERGE) return run_merge(loop, ctx, s, i);
  return tfc_compute(ctx, loop->plan, s, &loop->plan->nodes[i], i);
}

static int run_nodes(const tfc_loop* loop, tfc_node_context* ctx, tfc_state* s, int first,
                     int last) {
  const tfc_plan* plan = loop->plan;
  for (int i = first; i < last; i++) {
    const tfc_plan_node* node = &plan->nodes[i];
    ctx->input_flags = &plan->input_flags[node->first_input];
    int code =
        loop->nodes[i].is_plain ? tfc_compute(ctx, plan, s, node, i) : run_guarded(loop, ctx, s, i);
    if (code) return fail(ctx, i, code, "the kernel failed without a message");
    for (int j = node->first_release; j < node->first_release + node->n_releases; j++)
      tfc_tensor_clear(&s->slots[plan->releases[j]]);
  }
  return TFC_OK;
}

/* Gives the variables their next values. */
static void advance(const tfc_loop* loop, tfc_state* s) {
  tfc_tensor* on_the_way = &s->slots[loop->plan->n_slots];
  for (int k = 0; k < loop->n_variables; k++)
    if (loop->how[k] == TFC_LOOP_SHARED) hold(&on_the_way[k], &s->slots[loop->following[k]]);
  for (int k = 0; k < loop->n_variables; k++) {
    if (loop->how[k] == TFC_LOOP_SAME) continue;
    bool shared = loop->how[k] == TFC_LOOP_SHARED;
    move(&s->slots[k], shared ? &on_the_way[k] : &s->slots[loop->following[k]]);
  }
}

static int iterate(const tfc_loop* loop, tfc_node_context* ctx, tfc_state* s) {
  int code = run_nodes(loop, ctx, s, 0, loop->first_cond);
  while (!code) {
    if (tfc_step_must_end(ctx->step)) return TFC_CANCELLED;
    code = run_nodes(loop, ctx, s, loop->first_cond, loop->first_body);
    if (code) break;
    int going = truth(ctx, &s->slots[loop->pred], loop->cond_node);
    if (going <= 0) return going ? TFC_INVALID_ARGUMENT : TFC_OK;
    code = run_nodes(loop, ctx, s, loop->first_body, loop->plan->n_nodes);
    if (!code) advance(loop, s);
  }
  return code;
}

static void take_inputs(const tfc_loop* loop, const tfc_node_context* outer, tfc_state* s) {
  for (int k = 0; k < outer->pub.n_inputs; k++) {
    tfc_tensor* in = (tfc_tensor*)outer->pub.inputs[k];
    bool last = k < loop->n_variables && outer->input_flags[k] & TFC_INPUT_LAST_USE;
    if (last) {
      move(&s->slots[k], in);
    } else {
      hold(&s->slots[k], in);
    }
  }
}

static void give_outputs(const tfc_loop* loop, tfc_node_context* outer, tfc_state* s) {
  for (int k = 0; k < outer->pub.n_outputs; k++)
    hold(&outer->pub.outputs[k], &s->slots[loop->exits[k]]);
}

/* After an out-of-memory error the values are kept for the report of what holds memory. */
static bool keep_for_report(tfc_loop* loop, tfc_node_context* outer, tfc_state* s) {
  tfc_step* step = outer->step;
  if (!__atomic_load_n(&step->out_of_memory, __ATOMIC_RELAXED)) return false;
  tfc_kept_loop* kept = malloc(sizeof *kept);
  if (!kept) return false;
  *kept = (tfc_kept_loop){loop, s, outer->base + outer->node, outer->base + loop->base, NULL};
  pthread_mutex_lock(&step->lock);
  kept->next = step->kept;
  step->kept = kept;
  pthread_mutex_unlock(&step->lock);
  return true;
}

void tfc_drop_kept_loops(tfc_step* step) {
  for (tfc_kept_loop *kept = step->kept, *next; kept; kept = next) {
    next = kept->next;
    give_state(kept->loop, kept->state);
    free(kept);
  }
  step->kept = NULL;
}

static int compute(tfc_context* pub) {
  tfc_node_context* outer = (tfc_node_context*)pub;
  tfc_loop* loop = pub->state;
  tfc_state* s = take_state(loop);
  if (!s) return tfc_error(pub, TFC_RESOURCE_EXHAUSTED, "no memory for a loop");
  tfc_node_context ctx;
  tfc_context_init(&ctx, loop->plan, outer->step);
  ctx.base = outer->base + loop->base;
  take_inputs(loop, outer, s);
  int code = iterate(loop, &ctx, s);
  if (!code) give_outputs(loop, outer, s);
  if (ctx.parallel) __atomic_store_n(&outer->parallel, true, __ATOMIC_RELAXED);
  if (!code || !keep_for_report(loop, outer, s)) give_state(loop, s);
  return code;
}

const tfc_kernel_def tfc_loop_kernel = {
    .op = "_Loop", .device = "CPU", .types = "", .compute = compute, .flags = TFC_KERNEL_STATEFUL};
