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

/* What gives each iterator of a dataset seeds of its own. */
typedef struct seed_source {
  pthread_mutex_t lock;
  words next;  /* under lock */
  words noted; /* under lock, see dataset_note */
} seed_source;

static inline void seeds_init(seed_source* s, int64_t seed, int64_t seed2) {
  pthread_mutex_init(&s->lock, NULL);
  s->next = words_of(seed, seed2);
}

/* The words of an iterator. */
static inline words seeds_take(seed_source* s) {
  pthread_mutex_lock(&s->lock);
  int64_t seed = philox_next_word(&s->next), seed2 = philox_next_word(&s->next);
  pthread_mutex_unlock(&s->lock);
  return words_of(seed, seed2);
}

static inline words seeds_get(seed_source* s) {
  pthread_mutex_lock(&s->lock);
  words next = s->next;
  pthread_mutex_unlock(&s->lock);
  return next;
}

static inline void seeds_set(seed_source* s, words next) {
  pthread_mutex_lock(&s->lock);
  s->next = next;
  pthread_mutex_unlock(&s->lock);
}

static inline void seeds_note(seed_source* s, bool back) {
  pthread_mutex_lock(&s->lock);
  *(back ? &s->next : &s->noted) = back ? s->noted : s->next;
  pthread_mutex_unlock(&s->lock);
}

static inline int words_position(position* p, words* w) {
  TFC_TRY(position_memory(p, w, sizeof *w));
  if (w->used < 0 || w->used > PHILOX_WORDS) return position_misfit(p, "random numbers");
  return TFC_OK;
}

#endif
