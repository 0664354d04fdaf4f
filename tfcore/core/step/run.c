/* The serial order: one thread runs the nodes of a plan one after the other. No queue, no counters,
 * and one atomic load per node: this keeps small operations cheap. */
#include <stdio.h>
#include <string.h>

#include "step/step.h"

enum {
  AHEAD = 4
}; /* nodes: their slots are fetched into the cache, 4 % of a chain of small ones */

void tfc_context_init(tfc_node_context* ctx, const tfc_plan* plan, tfc_step* step) {
  memset(ctx, 0, sizeof *ctx);
  ctx->pub.api = tfc_api_table();
  ctx->pub.step_id = step->id;
  ctx->step = step;
  ctx->plan = plan;
}

/* Reads the variables behind the node's reference inputs. */
int tfc_snapshot(const tfc_plan* plan, tfc_state* s, const tfc_plan_node* node, tfc_step* step,
                 int i) {
  for (int j = node->first_deref; j < node->first_deref + node->n_derefs; j++) {
    const tfc_deref* d = &plan->derefs[j];
    tfc_variable* v = s->slots[d->source].data;
    int code = tfc_variable_read_in(v, d->device, &s->slots[d->target]);
    if (!code) continue;
    char text[1024];
    if (code == TFC_FAILED_PRECONDITION) {
      tfc_variable_uninitialized(v, text, sizeof text);
    } else {
      snprintf(text, sizeof text, "no memory to move variable %s", v->name);
    }
    tfc_step_fail(step, i, code, text);
    return code;
  }
  return TFC_OK;
}

void tfc_run_serial(const tfc_plan* plan, tfc_state* s, tfc_step* step) {
  tfc_node_context ctx;
  tfc_context_init(&ctx, plan, step);
  for (int i = 0; i < plan->n_nodes; i++) {
    if (tfc_step_must_end(step)) return;
    const tfc_plan_node* node = &plan->nodes[i];
    if (i + AHEAD < plan->n_nodes) __builtin_prefetch(&s->slots[node[AHEAD].first_output], 1);
    ctx.input_flags = &plan->input_flags[node->first_input];
    int code = tfc_compute(&ctx, plan, s, node, i);
    if (code) {
      tfc_step_fail(step, i, code, "the kernel failed without a message");
      return;
    }
    for (int j = node->first_release; j < node->first_release + node->n_releases; j++)
      tfc_tensor_clear(&s->slots[plan->releases[j]]);
  }
}

void tfc_run_observed(const tfc_plan* plan, tfc_state* s, tfc_step* step) {
  tfc_node_context ctx;
  tfc_observer* o = step->observer;
  tfc_context_init(&ctx, plan, step);
  for (int i = 0; i < plan->n_nodes; i++) {
    if (tfc_step_must_end(step)) return;
    const tfc_plan_node* node = &plan->nodes[i];
    ctx.input_flags = &plan->input_flags[node->first_input];
    int code = tfc_observed_compute(o, &ctx, s, i);
    if (code) {
      tfc_step_fail(step, i, code, "the kernel failed without a message");
      return;
    }
    for (int j = node->first_release; j < node->first_release + node->n_releases; j++) {
      int slot = plan->releases[j];
      tfc_observe_free(o, s, slot);
      tfc_tensor_clear(&s->slots[slot]);
    }
  }
}
