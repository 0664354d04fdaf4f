/* Streams of random words, for the kernels of all devices. */
#ifndef TFCORE_RANDOM_STREAM_H
#define TFCORE_RANDOM_STREAM_H

#include "kernels_c/common/common.h"

/* A stream: the two seeds are its key and the upper half of its counter. */
typedef struct philox {
  uint64_t key;
  uint64_t high;
  uint64_t block; /* lower half of the counter: the next block */
} philox;

enum { PHILOX_WORDS = 4 };        /* of a block */
enum { TFC_RANDOM_PHILOX = 1 };   /* TensorFlow's number of the algorithm */
enum { BLOCKS_PER_NUMBER = 256 }; /* enough for any rejection */

/* The next block, by plain arithmetic. */
static inline void philox_block(const philox* p, uint32_t* words) {
  uint32_t c0 = (uint32_t)p->block, c1 = (uint32_t)(p->block >> 32);
  uint32_t c2 = (uint32_t)p->high, c3 = (uint32_t)(p->high >> 32);
  uint32_t k0 = (uint32_t)p->key, k1 = (uint32_t)(p->key >> 32);
  for (int i = 0; i < 10; i++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
  }
  words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

/* Words of a stream, one by one. Begin with {stream, .used = PHILOX_WORDS}. */
typedef struct philox_word_stream {
  philox blocks;
  uint32_t words[PHILOX_WORDS];
  int used;
} philox_word_stream;

static inline uint32_t philox_next_word(philox_word_stream* s) {
  if (s->used == PHILOX_WORDS) {
    philox_block(&s->blocks, s->words);
    s->blocks.block++;
    s->used = 0;
  }
  return s->words[s->used++];
}
/* In [0, 1). */
static inline float philox_next_float(philox_word_stream* s) {
  return tfc_float_from_bits((philox_next_word(s) & 0x7fffffu) | 0x3f800000u) - 1.0f;
}

/* The random numbers of an op in a session. A restored checkpoint may change them at any time. */
typedef struct tfc_generator {
  uint64_t key, high; /* from the seeds, or entropy if both are 0; atomic */
  uint64_t used;      /* blocks taken so far; atomic */
} tfc_generator;

/* The state of a stateful op, or its first member. */
typedef struct tfc_random_state {
  tfc_generator* generator; /* a resource of the session, under the op's name */
  bool always_alike;        /* each run draws as many blocks: only the compiler says so */
} tfc_random_state;

#pragma GCC visibility push(hidden)
/* A generator at its beginning, from the values or from the attributes seed and seed2. */
tfc_generator tfc_random_generator(int64_t seed, int64_t seed2);
int tfc_random_seed(tfc_construction* c, tfc_generator* g);
/* Finds or makes the generator of an op; made with these seeds. */
int tfc_random_find(tfc_construction* c, const char* op_name, int64_t seed, int64_t seed2,
                    tfc_generator** g);
/* That of the op itself. */
int tfc_random_open(tfc_construction* c, tfc_random_state* s);
int tfc_random_create(tfc_construction* c, void** state);
void tfc_random_destroy(void* state);
/* The op's stream at its next unused block; reserves `blocks` blocks for the caller. In a call with
 * a number (tfc_draw) the place depends on the number alone. If each call draws alike, it is the
 * one that calls one after the other would come to; else each call has a stream of its own. */
int tfc_random_reserve(tfc_context* ctx, int64_t blocks, philox* stream);
/* The stream of a stateless op: key and counter are one block made of the seed pair. */
int tfc_random_stateless(tfc_context* ctx, int input, philox* p);
/* The stream of a stateless op with the inputs key, counter and algorithm. */
int tfc_random_keyed(tfc_context* ctx, int input, philox* p);
/* Reads and checks the input with the shape of the output. */
int tfc_random_shape(tfc_context* ctx, int input, int* rank, int64_t* dims);
/* Reads minval and maxval from inputs `input` and `input` + 1; output 0 exists. */
int tfc_random_range(tfc_context* ctx, int input, int64_t* low, int64_t* high);
#pragma GCC visibility pop

#endif /* TFCORE_RANDOM_STREAM_H */
