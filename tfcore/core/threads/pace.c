/* See pace.h. */
#include "threads/pace.h"

/* The cost is at most 1/PARTS of the elapsed time. */
enum { PARTS = 40 };

bool tfc_pace_others_run(tfc_pace* p) {
  int64_t started;
  const bool now = tfc_steps_running(&started) > 0, lately = started != p->started;
  p->started = started;
  if (now || lately) return true;
  p->since = 0;
  return false;
}

void tfc_pace_add(tfc_pace* p, int64_t busy_ns, int64_t spread_ns) {
  if (!p->since) {
    p->since = tfc_now_ns();
    p->cost = 0;
  }
  p->cost += busy_ns + spread_ns / tfc_pool_threads();
}

int64_t tfc_pace_due(const tfc_pace* p) {
  return p->since + p->cost * PARTS;
}
