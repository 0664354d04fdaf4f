/* What holds a step's memory, for out-of-memory errors. */
#include <stdlib.h>

#include "step/fused_loop.h"

static bool add(tfc_holders* h, int number, const tfc_buffer* b) {
  if (h->n == h->capacity) {
    size_t capacity = h->capacity ? 2 * h->capacity : 64;
    tfc_holder* more = realloc(h->items, capacity * sizeof *more);
    if (!more) return false;
    h->items = more;
    h->capacity = capacity;
  }
  h->items[h->n++] = (tfc_holder){b, (int64_t)b->size, number};
  return true;
}

typedef struct inside {
  tfc_holders* holders;
  int number;
} inside;

static void note_inside(void* arg, const tfc_tensor* value);

static void note(void* arg, int number, const tfc_tensor* value) {
  tfc_holders* h = arg;
  const tfc_buffer* b = value->buffer;
  if (!b || b->flags & TFC_BUFFER_BORROWED) return;
  if (!add(h, number, b)) h->complete = false;
  inside of = {h, number};
  tfc_visit_object(value, note_inside, &of);
}

static void note_inside(void* arg, const tfc_tensor* value) {
  inside* of = arg;
  note(of->holders, of->number, value);
}

/* fed: the number for all slots that no node writes; -1: each gets its own number. */
static void note_slots(tfc_holders* h, const tfc_plan* plan, const tfc_state* s, int base,
                       int fed) {
  for (int slot = 0; slot < plan->n_slots; slot++) {
    int node = plan->slot_nodes[slot];
    note(h, node >= 0 ? base + node : fed >= 0 ? fed : -1 - slot, &s->slots[slot]);
  }
}

void tfc_list_holders(const tfc_plan* plan, const tfc_state* s, const tfc_step* step,
                      tfc_holders* out) {
  *out = (tfc_holders){.complete = true};
  note_slots(out, plan, s, 0, -1);
  tfc_flow_visit(s, note, out);
  for (const tfc_kept_loop* k = step ? step->kept : NULL; k; k = k->next)
    note_slots(out, k->loop->plan, k->state, k->base, k->number);
}
