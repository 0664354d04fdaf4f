/* RandomIndexShuffle: one element of a random permutation, without the others.
 *
 * A block cipher permutes all numbers of a block's size; values above the largest index are
 * encrypted again until they are not. The cipher is Simon with words of any size and few rounds: R.
 * Beaulieu et al., "The Simon and Speck families of lightweight block ciphers", IACR ePrint
 * 2013/404; the walk through cycles: J. Black and P. Rogaway, "Ciphers with arbitrary finite
 * domains", CT-RSA 2002.
 */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

enum { SMALLEST_BLOCK = 16, KEY_WORDS = 3 };

/* A word has `bits` bits; the mask has these. */
typedef struct cipher {
  int bits, rounds;
  uint64_t mask;
  uint64_t* keys; /* one a round */
} cipher;

static uint64_t rotate(const cipher* c, uint64_t v, int by) {
  return (v << by | v >> (c->bits - by)) & c->mask;
}
static uint64_t rotate_right(const cipher* c, uint64_t v, int by) {
  return rotate(c, v, c->bits - by);
}

/* The bits of a block that can hold numbers up to `last`: even, as a block is two words. */
static int block_bits(uint64_t last) {
  const int bits = (int)ceil(log2((double)last));
  return TFC_MIN(TFC_MAX(bits + bits % 2, SMALLEST_BLOCK), 64);
}

static void set_key(cipher* c, uint64_t last, const uint32_t key[KEY_WORDS]) {
  c->bits = block_bits(last) / 2;
  c->mask = ((uint64_t)1 << c->bits) - 1;
  uint64_t constants = 0x7369f885192c0ef5u & c->mask;
  for (int i = 0; i < c->rounds; i++) {
    if (i < KEY_WORDS) {
      c->keys[i] = key[i] & c->mask;
      continue;
    }
    const uint64_t k = c->keys[i - 1];
    c->keys[i] = (0xfffffffcu & c->mask) ^ (constants & 1) ^ c->keys[i - 3] ^
                 rotate_right(c, k, 3) ^ rotate_right(c, k, 4);
    constants >>= 1;
  }
}

static uint64_t mix(const cipher* c, uint64_t v) {
  return (rotate(c, v, 1) & rotate(c, v, 8)) ^ rotate(c, v, 2);
}

static uint64_t encrypt(const cipher* c, uint64_t v) {
  uint64_t left = v >> c->bits & c->mask, right = v & c->mask;
  for (int i = 0; i < c->rounds; i += 2) {
    left ^= mix(c, right) ^ c->keys[i];
    right ^= mix(c, left) ^ c->keys[i + 1];
  }
  return left << c->bits | right;
}

static uint64_t shuffle(const cipher* c, uint64_t index, uint64_t last) {
  if (last == 0) return 0;
  do index = encrypt(c, index);
  while (index > last);
  return index;
}

/* ---- The kernel */

/* Element i of an integer tensor, or the only one. */
static uint64_t integer_at(const tfc_tensor* t, int64_t i) {
  switch (t->dtype) {
    case TFC_INT32:
    case TFC_INT64: return (uint64_t)tfc_index_at(t, i);
    case TFC_UINT32: return __atomic_load_n((const uint32_t*)t->data + i, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t*)t->data + i, __ATOMIC_RELAXED);
  }
}

static void put_integer(tfc_tensor* t, int64_t i, uint64_t value) {
  if (tfc_dtype_size(t->dtype) == 8)
    ((uint64_t*)t->data)[i] = value;
  else
    ((uint32_t*)t->data)[i] = (uint32_t)value;
}

static int check_shapes(tfc_context* ctx, int64_t n) {
  const tfc_tensor *index = ctx->inputs[0], *seed = ctx->inputs[1], *last = ctx->inputs[2];
  if (index->rank > 1 || (index->rank == 1 && index->n != n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Index must be a scalar or vector, but got %s",
                     tfc_shape_text(index).text);
  const bool row = seed->rank == 1 && seed->n == KEY_WORDS;
  if (!row && !(seed->rank == 2 && seed->dims[0] == n && seed->dims[1] == KEY_WORDS))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Seed must be a vector of size [3] or a matrix of size [%lld, 3] but got %s.",
                     (long long)n, tfc_shape_text(seed).text);
  if (last->rank > 1 || (last->rank == 1 && last->n != n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Maxval must be a scalar or a vector of the same size as index but got %s",
                     tfc_shape_text(last).text);
  return TFC_OK;
}

static int random_index(tfc_context* ctx) {
  const tfc_tensor *index = ctx->inputs[0], *seed = ctx->inputs[1], *last = ctx->inputs[2];
  const bool scalar = index->rank == 0 && seed->rank == 1 && last->rank == 0;
  const int64_t n = TFC_MAX(TFC_MAX(index->n, last->n), seed->n / KEY_WORDS);
  TFC_TRY(check_shapes(ctx, n));
  TFC_TRY(tfc_output(ctx, 0, !scalar, &n));
  cipher c = {.rounds = (int)*(const int64_t*)ctx->state};
  c.keys = tfc_scratch_items(ctx, c.rounds, sizeof *c.keys);
  if (!c.keys) return TFC_RESOURCE_EXHAUSTED;
  const bool is_signed = index->dtype == TFC_INT32 || index->dtype == TFC_INT64;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t from = integer_at(index, index->rank ? i : 0);
    const uint64_t most = integer_at(last, last->rank ? i : 0);
    if (is_signed && ((int64_t)from < 0 || (int64_t)most < 0))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be >= 0 but was %lld",
                       (int64_t)from < 0 ? "index" : "max_index",
                       (long long)((int64_t)from < 0 ? from : most));
    if (from > most)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "max_index must be >= index, but %llu < %llu",
                       (unsigned long long)most, (unsigned long long)from);
    uint32_t key[KEY_WORDS];
    for (int k = 0; k < KEY_WORDS; k++)
      key[k] = (uint32_t)integer_at(seed, (seed->rank == 2 ? i : 0) * KEY_WORDS + k);
    if (most) set_key(&c, most, key);
    put_integer(&ctx->outputs[0], i, shuffle(&c, from, most));
  }
  return TFC_OK;
}

static int create_rounds(tfc_construction* c, void** state) {
  int64_t rounds;
  TFC_TRY(c->api->attr_int(c, "rounds", &rounds));
  if (rounds < 4 || rounds % 2 || rounds > 1 << 20)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "rounds must be an even number of at least 4, but was %lld",
                         (long long)rounds);
  int64_t* kept = tfc_new_state(c, sizeof *kept);
  if (!kept) return TFC_RESOURCE_EXHAUSTED;
  *kept = rounds;
  *state = kept;
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RandomIndexShuffle",
            "dtype=" TFC_TYPES_INDICES "|uint32|uint64;Tseed=" TFC_TYPES_INDICES "|uint32|uint64",
            random_index, TFC_STATE(create_rounds)),
};
TFC_REGISTER_KERNELS(kernels);
