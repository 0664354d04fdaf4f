/* Finds the static part of a plan: nodes of one device whose kernels keep no state, with nothing
 * between them that runs elsewhere, so that their work can be recorded and replayed (replay.c). */
#include "step/static_part.h"

#include <stdlib.h>

enum { FEWEST_NODES = 4, BRIEF_NS = 100000 /* what comes before the part runs on one thread */ };

static bool is_reference(const tfc_plan* plan, int slot) {
  return plan->slot_dtypes[slot] >= TFC_REF;
}

static bool fits_in_device(const tfc_plan* plan, int slot) {
  int dtype = plan->slot_dtypes[slot] % TFC_REF;
  return !tfc_is_object(dtype) && dtype != TFC_STRING;
}

enum { WAITS = TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING | TFC_NODE_MAY_WAIT };

static bool may_be_inside(const tfc_plan* plan, const tfc_plan_node* node) {
  enum {
    NEVER = TFC_KERNEL_STATEFUL | TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING |
    TFC_KERNEL_INTERRUPTIBLE | TFC_KERNEL_PYTHON
  };
  if (node->checked || node->flags & NEVER || node->n_inputs > 64) return false;
  for (int i = 0; i < node->n_inputs; i++)
    if (!fits_in_device(plan, plan->input_slots[node->first_input + i])) return false;
  for (int i = 0; i < node->n_outputs; i++) {
    int slot = node->first_output + i;
    if (!fits_in_device(plan, slot) || (is_reference(plan, slot) && !node->n_inputs)) return false;
  }
  return true;
}

static tfc_device* device_with_most_nodes(const tfc_plan* plan) {
  tfc_device* best = NULL;
  int most = FEWEST_NODES - 1;
  for (int i = 0; i < plan->n_nodes; i++) {
    tfc_device* d = plan->nodes[i].device;
    if (!d || !d->graphs || d == best) continue;
    int n = 0;
    for (int k = i; k < plan->n_nodes; k++) n += plan->nodes[k].device == d;
    if (n > most) most = n, best = d;
  }
  return best;
}

/* Whether the node's input `i` is in the host's memory. */
static bool is_on_host(const tfc_plan* plan, const tfc_plan_node* node, int i) {
  int slot = plan->input_slots[node->first_input + i];
  for (int j = node->first_deref; j < node->first_deref + node->n_derefs; j++)
    if (plan->derefs[j].target == slot) return !plan->derefs[j].device;
  int made_by = plan->slot_nodes[slot];
  if (made_by < 0) return true; /* fed */
  const tfc_plan_node* maker = &plan->nodes[made_by];
  return !maker->device || maker->host_outputs[slot - maker->first_output];
}

/* Whether all its outputs are on the host, and some are for nodes that can't be inside, as the
 * constant shape of random numbers. Inside, it would make those nodes come after the part. */
static bool serves_others(const tfc_plan* plan, const tfc_plan_node* node) {
  bool any = false;
  for (int i = 0; i < node->n_outputs; i++)
    if (!node->host_outputs[i]) return false;
  for (int j = 0; j < node->n_consumers; j++)
    any |= !may_be_inside(plan, &plan->nodes[plan->consumers[node->first_consumer + j]]);
  return any;
}

/* Whether a node runs before the part, inside or after it. `seen` has a bit for each place of the
 * nodes that it waits for. *ok = false: the plan can have no static part. */
static int place(const tfc_plan* plan, tfc_device* device, int i, unsigned seen, bool* ok) {
  const tfc_plan_node* node = &plan->nodes[i];
  bool sends, is_remote, after = seen >> TFC_AFTER & 1, inside = seen >> TFC_INSIDE & 1;
  if (tfc_is_transfer(node, &sends, &is_remote)) {
    if (is_remote) *ok = false;
    bool from_host = sends && is_on_host(plan, node, 0);
    if (after || (sends && !from_host)) return TFC_AFTER;
    if (!inside) {
      /* A _Recv on the host waits for a device; one without a node before it, for another thread.
       * The one thread that runs this piece can't suspend it. */
      if (!sends && (!(seen >> TFC_BEFORE & 1) || !node->device)) *ok = false;
      return TFC_BEFORE;
    }
    /* A shape that goes to the device: the _Recv is the only one that waits for the _Send. */
    if (!sends) return node->device == device ? TFC_INSIDE : TFC_AFTER;
    if (!from_host || node->n_consumers != 1) return TFC_AFTER;
    return plan->nodes[plan->consumers[node->first_consumer]].device == device ? TFC_INSIDE
                                                                               : TFC_AFTER;
  }
  if (after) return TFC_AFTER;
  bool fits = node->device == device && may_be_inside(plan, node);
  if (fits && (inside || !serves_others(plan, node))) return TFC_INSIDE;
  return inside ? TFC_AFTER : TFC_BEFORE;
}

static uint8_t* find_places(const tfc_plan* plan, tfc_device* device) {
  uint8_t* seen = calloc((size_t)plan->n_nodes + 1, 1);
  uint8_t* places = calloc((size_t)plan->n_nodes + 1, 1);
  bool ok = seen && places;
  double ns = 0;
  for (int i = 0; i < plan->n_nodes && ok; i++) {
    const tfc_plan_node* node = &plan->nodes[i];
    places[i] = (uint8_t)place(plan, device, i, seen[i], &ok);
    bool sends, is_remote, waits = node->flags & WAITS;
    if (places[i] == TFC_BEFORE && !tfc_is_transfer(node, &sends, &is_remote)) {
      if (!node->device) ns += node->ns;
      ok = ok && !waits && ns < BRIEF_NS && node->n_inputs <= 64;
    }
    for (int j = 0; j < node->n_consumers; j++)
      seen[plan->consumers[node->first_consumer + j]] |= (uint8_t)(1 << places[i]);
  }
  free(seen);
  if (ok) return places;
  free(places);
  return NULL;
}

/* Lists nodes by place. */
static bool list_nodes(const tfc_plan* plan, tfc_part* p, const uint8_t* places) {
  p->nodes = malloc(((size_t)plan->n_nodes + 1) * sizeof *p->nodes);
  p->pending = calloc((size_t)plan->n_nodes + 1, sizeof *p->pending);
  if (!p->nodes || !p->pending) return false;
  int at = 0;
  for (int where = TFC_BEFORE; where <= TFC_AFTER; where++)
    for (int i = 0; i < plan->n_nodes; i++)
      if (places[i] == where) {
        p->nodes[at++] = i;
        p->n[where]++;
      }
  for (int i = 0; i < plan->n_nodes; i++) {
    const tfc_plan_node* node = &plan->nodes[i];
    if (places[i] != TFC_AFTER) {
      p->pending[i] = -1;
      continue;
    }
    p->after_waits |= (node->flags & WAITS) || node->n_inputs > 64;
    for (int j = 0; j < node->n_consumers; j++)
      p->pending[plan->consumers[node->first_consumer + j]]++;
  }
  return p->n[TFC_INSIDE] >= FEWEST_NODES;
}

static int maker_of(const tfc_plan* plan, int slot) {
  return plan->slot_nodes[slot];
}

static bool list_edges(const tfc_plan* plan, tfc_part* p, const uint8_t* places) {
  size_t room = (size_t)plan->n_slots + 1;
  int32_t* uses = calloc(room, sizeof *uses); /* by nodes inside */
  bool* taken = calloc(room, 1);              /* references that come in */
  bool* snapshot = calloc(room, 1);
  p->inputs = calloc(room, sizeof(tfc_part_edge));
  p->references = calloc(room, sizeof(tfc_part_edge));
  p->outputs = calloc(room, sizeof(tfc_part_edge));
  bool ok = uses && taken && snapshot && p->inputs && p->references && p->outputs;
  for (int j = 0; ok && j < plan->n_derefs; j++) snapshot[plan->derefs[j].target] = true;
  for (int k = 0; ok && k < p->n[TFC_INSIDE]; k++) {
    const tfc_plan_node* node = &plan->nodes[p->nodes[p->n[TFC_BEFORE] + k]];
    for (int j = node->first_input; j < node->first_input + node->n_inputs; j++) {
      int slot = plan->input_slots[j];
      if (!is_repeated(plan, node, j)) uses[slot]++;
      if (is_reference(plan, slot)) taken[slot] = true;
    }
    for (int j = node->first_deref; j < node->first_deref + node->n_derefs; j++)
      taken[plan->derefs[j].source] = true;
  }
  for (int slot = 0; ok && slot < plan->n_slots; slot++) {
    int maker = maker_of(plan, slot);
    bool inside = maker >= 0 && places[maker] == TFC_INSIDE;
    if (inside) {
      int others = plan->slot_uses[slot] - uses[slot];
      if (others > 0 || is_reference(plan, slot))
        p->outputs[p->n_outputs++] = (tfc_part_edge){slot, others, maker};
      continue;
    }
    if (snapshot[slot]) continue;
    if (taken[slot] && is_reference(plan, slot))
      p->references[p->n_references++] = (tfc_part_edge){slot, uses[slot], -1};
    else if (uses[slot]) {
      const tfc_plan_node* node = maker >= 0 ? &plan->nodes[maker] : NULL;
      bool there = node && node->device == p->device && !(node->flags & TFC_KERNEL_INTERRUPTIBLE);
      p->inputs[p->n_inputs++] = (tfc_part_edge){slot, uses[slot], there ? maker : -1};
    }
  }
  free(uses);
  free(taken);
  free(snapshot);
  return ok;
}

static void free_part(tfc_part* p) {
  free(p->nodes);
  free(p->pending);
  free(p->inputs);
  free(p->references);
  free(p->outputs);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

void tfc_find_part(tfc_plan* plan, bool dynamic) {
  tfc_device* device = plan->n_frames ? NULL : device_with_most_nodes(plan);
  uint8_t* places = device ? find_places(plan, device) : NULL;
  if (!places) return;
  tfc_part* p = calloc(1, sizeof *p);
  if (p) {
    pthread_mutex_init(&p->lock, NULL);
    p->device = device;
    p->was_dynamic = dynamic;
    if (list_nodes(plan, p, places) && list_edges(plan, p, places)) {
      __atomic_store_n(&plan->part, p, __ATOMIC_RELEASE); /* steps of other threads may run */
    } else {
      free_part(p);
    }
  }
  free(places);
}

void tfc_free_part(tfc_plan* plan) {
  tfc_part* p = plan->part;
  if (!p) return;
  plan->part = NULL;
  tfc_remove_recordings(p);
  free_part(p);
}
