/* See random/stream.h. */
#include "kernels_c/random/stream.h"

#include <stdlib.h>
#include <time.h>

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static uint64_t entropy(void) {
  uint64_t bits = 0;
  FILE* file = fopen("/dev/urandom", "rb");
  if (!file || fread(&bits, sizeof bits, 1, file) != 1)
    bits = (uint64_t)time(NULL) * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)&bits;
  if (file) fclose(file);
  return bits;
}

tfc_generator tfc_random_generator(int64_t seed, int64_t seed2) {
  bool seeded = seed != 0 || seed2 != 0;
  return (tfc_generator){.key = seeded ? (uint64_t)seed : entropy(),
                         .high = seeded ? (uint64_t)seed2 : entropy()};
}

static int read_seeds(tfc_construction* c, int64_t* seed, int64_t* seed2) {
  TFC_TRY(c->api->attr_int(c, "seed", seed));
  return c->api->attr_int(c, "seed2", seed2);
}

int tfc_random_seed(tfc_construction* c, tfc_generator* g) {
  int64_t seed, seed2;
  TFC_TRY(read_seeds(c, &seed, &seed2));
  *g = tfc_random_generator(seed, seed2);
  return TFC_OK;
}

static void* make_generator(void* arg) {
  const int64_t* seeds = arg;
  tfc_generator* g = malloc(sizeof *g);
  if (g) *g = tfc_random_generator(seeds[0], seeds[1]);
  return g;
}

int tfc_random_find(tfc_construction* c, const char* op_name, int64_t seed, int64_t seed2,
                    tfc_generator** g) {
  int64_t seeds[2] = {seed, seed2};
  return c->api->resource(c, "generator", "", op_name, make_generator, seeds, free, (void**)g);
}

int tfc_random_open(tfc_construction* c, tfc_random_state* s) {
  int64_t seed, seed2;
  TFC_TRY(read_seeds(c, &seed, &seed2));
  s->always_alike = false;
  c->api->attr_bool(c, "_always_alike", &s->always_alike); /* NOT_FOUND: false */
  return tfc_random_find(c, c->op_name, seed, seed2, &s->generator);
}

int tfc_random_create(tfc_construction* c, void** state) {
  tfc_random_state* s = malloc(sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int code = tfc_random_open(c, s);
  if (code)
    free(s);
  else
    *state = s;
  return code;
}

void tfc_random_destroy(void* state) {
  free(state);
}

int tfc_random_reserve(tfc_context* ctx, int64_t blocks, philox* stream) {
  const tfc_random_state* state = ctx->state;
  tfc_generator* g = state->generator;
  tfc_draw_place at;
  TFC_TRY(tfc_draw(ctx, g, blocks, &at));
  stream->key = __atomic_load_n(&g->key, __ATOMIC_RELAXED);
  stream->high = __atomic_load_n(&g->high, __ATOMIC_RELAXED);
  if (at.number < 0) {
    stream->block = __atomic_fetch_add(&g->used, (uint64_t)blocks, __ATOMIC_RELAXED);
  } else if (state->always_alike && !at.scope && !at.taken) {
    stream->block = (uint64_t)at.number * (uint64_t)blocks;
  } else {
    philox mixer = {.key = at.scope, .high = stream->high, .block = (uint64_t)at.number};
    uint32_t word[PHILOX_WORDS];
    philox_block(&mixer, word);
    stream->high = word[0] | (uint64_t)word[1] << 32;
    stream->block = (uint64_t)at.taken;
  }
  return TFC_OK;
}

int tfc_random_stateless(tfc_context* ctx, int input, philox* p) {
  const tfc_tensor* seed = ctx->inputs[input];
  if (seed->rank != 1 || seed->dims[0] != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "seed must have shape [2], not %s",
                     tfc_shape_text(seed).text);
  philox mixer = {.key = 0x02461e293ec8f720u,
                  .high = (uint64_t)tfc_index_at(seed, 1),
                  .block = (uint64_t)tfc_index_at(seed, 0)};
  uint32_t word[PHILOX_WORDS];
  philox_block(&mixer, word);
  p->key = word[0] | (uint64_t)word[1] << 32;
  p->high = word[2] | (uint64_t)word[3] << 32;
  p->block = 0;
  return TFC_OK;
}

enum { RANDOM_AUTO = 3 };

int tfc_random_keyed(tfc_context* ctx, int input, philox* p) {
  const tfc_tensor *key = ctx->inputs[input], *counter = ctx->inputs[input + 1];
  const tfc_tensor* algorithm = ctx->inputs[input + 2];
  if (key->rank != 1 || key->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "key must have shape [1], not %s",
                     tfc_shape_text(key).text);
  if (counter->rank != 1 || counter->n < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "counter must be a vector of at least 2 elements, not of shape %s",
                     tfc_shape_text(counter).text);
  if (algorithm->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "algorithm must be of shape [], not %s",
                     tfc_shape_text(algorithm).text);
  const int64_t number = tfc_index_at(algorithm, 0);
  if (number != TFC_RANDOM_PHILOX && number != RANDOM_AUTO)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Unsupported algorithm id: %lld",
                     (long long)number);
  p->key = *(const uint64_t*)key->data;
  p->block = ((const uint64_t*)counter->data)[0];
  p->high = ((const uint64_t*)counter->data)[1];
  return TFC_OK;
}

int tfc_random_shape(tfc_context* ctx, int input, int* rank, int64_t* dims) {
  const tfc_tensor* shape = ctx->inputs[input];
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "shape must be a vector of {int32,int64}, got shape %s",
                     tfc_shape_text(shape).text);
  if (shape->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "shape has %lld dimensions, at most %d are supported", (long long)shape->n,
                     TFC_MAX_RANK);
  *rank = (int)shape->n;
  tfc_read_indices(shape, dims);
  for (int i = 0; i < *rank; i++)
    if (dims[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                       (long long)dims[i]);
  if (tfc_count(*rank, dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape %s has too many elements",
                     tfc_dims_text(*rank, dims).text);
  return TFC_OK;
}

int tfc_random_range(tfc_context* ctx, int input, int64_t* low, int64_t* high) {
  const char* names[2] = {"minval", "maxval"};
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[input + i]->rank != 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", names[i],
                       tfc_shape_text(ctx->inputs[input + i]).text);
  *low = tfc_index_at(ctx->inputs[input], 0);
  *high = tfc_index_at(ctx->inputs[input + 1], 0);
  if (*low >= *high && ctx->outputs[0].n > 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Need minval < maxval, got %lld >= %lld",
                     (long long)*low, (long long)*high);
  return TFC_OK;
}
