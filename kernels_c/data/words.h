/* Random words, whose place in their stream a position can hold. */
#ifndef TFCORE_WORDS_H
#define TFCORE_WORDS_H

#include "kernels_c/data/position.h"
#include "kernels_c/random/stream.h"

typedef philox_word_stream words;

static inline words words_of(int64_t seed, int64_t seed2) {
  return (words){.blocks = {.key = (uint64_t)seed, .high = (uint64_t)seed2}, .used = PHILOX_WORDS};
}

/* Seeds that are both 0 stand for others at random. */
static inline void words_seed(int64_t* seed, int64_t* seed2) {
  if (*seed || *seed2) return;
  tfc_generator random = tfc_random_generator(0, 0);
  *seed = (int64_t)random.key;
  *seed2 = (int64_t)random.high;
}

static inline int words_position(position* p, words* w) {
  TFC_TRY(position_memory(p, w, sizeof *w));
  if (w->used < 0 || w->used > PHILOX_WORDS) return position_misfit(p, "random numbers");
  return TFC_OK;
}

#endif
