/* What stages with threads of their own count, and what AUTOTUNE may use.
 *
 * A stage that is tuned begins with one thread, or one slot, and grows when whoever takes its
 * elements had to wait and more would have helped. The memory of all tuned stages together has a
 * budget, which only limits growth: a stage always has what it began with.
 */
#ifndef TFCORE_DATA_TUNING_H
#define TFCORE_DATA_TUNING_H

#include <time.h>

#include "kernels_c/data/dataset.h"

enum { AUTOTUNE = -1, MOST_SLOTS = 1 << 20 };

static inline int64_t tuning_now(void) {
  enum { SECOND = 1000000000 };
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static inline void tuning_count(int64_t* count, int64_t more) {
  __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

/* Adds the time since `*since` and begins again. */
static inline void tuning_lap(int64_t* count, int64_t* since) {
  int64_t now = tuning_now();
  tuning_count(count, now - *since);
  *since = now;
}

#pragma GCC visibility push(hidden)
/* Bytes of an element's tensors, with those of its strings. */
int64_t tuning_bytes(const tfc_tensor* element, int n);
/* Makes `*reserved`, a stage's part of the budget, `bytes`. False: the budget has not so much, and
 * nothing changes; a stage may always give back. */
bool tuning_reserve(int64_t* reserved, int64_t bytes);
#pragma GCC visibility pop

#endif /* TFCORE_DATA_TUNING_H */
