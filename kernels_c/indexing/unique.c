/* Sets of elements: unique values and differences, by a hash table with open addressing. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/hash.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* The words of elements of up to 8 bytes are equal exactly if the elements are; those of longer
 * ones and of strings are hashes. */
typedef struct set_slot {
  uint64_t word;
  int64_t number; /* of the element, from 1; 0: free */
} set_slot;

typedef struct element_set {
  tfc_context* ctx;
  const tfc_tensor* x;
  int64_t* first; /* where each element of the set has its first place in x */
  int64_t n;      /* elements in the set */
  set_slot* slots;
  int bits; /* there are 2^bits slots; more as the set grows, so that a small one stays in a cache
             */
} element_set;

/* Words are made for so many elements at a time. */
enum { BLOCK = 512, FIRST_BITS = 10 };

/* Both zeros are one value. */
static uint64_t float_word(float f) {
  return tfc_bits_from_float(f == 0 ? 0 : f);
}
static uint64_t double_word(double d) {
  uint64_t bits;
  d = d == 0 ? 0 : d;
  memcpy(&bits, &d, 8);
  return bits;
}

#define WORDS(T, WORD, IS_NAN)                    \
  do {                                            \
    const T* x = (const T*)t->data + begin * per; \
    for (int64_t i = 0; i < n; i++) {             \
      const T* e = x + i * per;                   \
      words[i] = WORD;                            \
      nan[i] = IS_NAN;                            \
    }                                             \
  } while (0)

/* The words of n elements. nan[i]: the element equals none, not even itself. */
static void load_words(const tfc_tensor* t, int64_t begin, int64_t n, uint64_t* words, bool* nan) {
  const int64_t per = t->dtype == TFC_COMPLEX64 || t->dtype == TFC_COMPLEX128 ? 2 : 1;
  switch (t->dtype) {
    case TFC_FLOAT: WORDS(float, float_word(*e), *e != *e); return;
    case TFC_DOUBLE: WORDS(double, double_word(*e), *e != *e); return;
    case TFC_HALF: WORDS(uint16_t, *e & 0x7FFF ? *e : 0, (*e & 0x7FFF) > 0x7C00); return;
    case TFC_BFLOAT16: WORDS(uint16_t, *e & 0x7FFF ? *e : 0, (*e & 0x7FFF) > 0x7F80); return;
    case TFC_COMPLEX64:
      WORDS(float, float_word(e[0]) << 32 | float_word(e[1]), e[0] != e[0] || e[1] != e[1]);
      return;
    case TFC_COMPLEX128:
      WORDS(double, tfc_mix(double_word(e[0]) ^ tfc_mix(double_word(e[1]))),
            e[0] != e[0] || e[1] != e[1]);
      return;
    case TFC_STRING: WORDS(tfc_string, tfc_hash_bytes(e->data, e->size), false); return;
    default: break;
  }
  switch (tfc_dtype_size(t->dtype)) {
    case 1: WORDS(uint8_t, *e, false); return;
    case 2: WORDS(uint16_t, *e, false); return;
    case 4: WORDS(uint32_t, *e, false); return;
    default: WORDS(uint64_t, *e, false);
  }
}

/* Whether elements with the same word are the same; none of them is NaN. */
static bool same_element(const tfc_tensor* a, int64_t i, const tfc_tensor* b, int64_t j) {
  if (a->dtype == TFC_COMPLEX128) {
    const double *x = (const double*)a->data + 2 * i, *y = (const double*)b->data + 2 * j;
    return x[0] == y[0] && x[1] == y[1];
  }
  if (a->dtype != TFC_STRING) return true;
  const tfc_string x = ((const tfc_string*)a->data)[i], y = ((const tfc_string*)b->data)[j];
  return x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
}

/* The high bits of the product depend on all bits of the word. */
static uint64_t home_slot(const element_set* set, uint64_t word) {
  return ((word ^ word >> 32) * 0x9E3779B97F4A7C15u) >> (64 - set->bits);
}

static int add_slots(element_set* set, int bits) {
  const int64_t old_slots = set->bits ? (int64_t)1 << set->bits : 0, n_slots = (int64_t)1 << bits;
  const set_slot* old = set->slots;
  set->slots = tfc_scratch_items(set->ctx, n_slots, sizeof *set->slots);
  if (!set->slots) return TFC_RESOURCE_EXHAUSTED;
  memset(set->slots, 0, (size_t)n_slots * sizeof *set->slots);
  set->bits = bits;
  for (int64_t i = 0; i < old_slots; i++) {
    if (!old[i].number) continue;
    uint64_t at = home_slot(set, old[i].word);
    while (set->slots[at].number) at = (at + 1) & (uint64_t)(n_slots - 1);
    set->slots[at] = old[i];
  }
  return TFC_OK;
}

/* An empty set of elements of x. */
static int new_set(tfc_context* ctx, const tfc_tensor* x, element_set* set) {
  *set = (element_set){.ctx = ctx, .x = x};
  set->first = tfc_scratch_items(ctx, x->n + 1, sizeof *set->first);
  if (!set->first) return TFC_RESOURCE_EXHAUSTED;
  return add_slots(set, FIRST_BITS);
}

/* The slot of element i of t, or a free one. */
static set_slot* find_slot(const element_set* set, uint64_t word, const tfc_tensor* t, int64_t i) {
  const uint64_t mask = ((uint64_t)1 << set->bits) - 1;
  for (uint64_t at = home_slot(set, word);; at = (at + 1) & mask) {
    set_slot* slot = &set->slots[at];
    if (!slot->number ||
        (slot->word == word && same_element(t, i, set->x, set->first[slot->number - 1])))
      return slot;
  }
}

/* Adds n elements of set->x from `begin` on; numbers[i]: which of the set each is. */
static int add_elements(element_set* set, int64_t begin, int64_t n, int64_t* numbers) {
  uint64_t words[BLOCK];
  bool nan[BLOCK];
  load_words(set->x, begin, n, words, nan);
  /* At most half of the slots are taken. */
  while (set->n + n > (int64_t)1 << (set->bits - 1)) TFC_TRY(add_slots(set, set->bits + 1));
  for (int64_t i = 0; i < n; i++) {
    set_slot* slot = nan[i] ? NULL : find_slot(set, words[i], set->x, begin + i);
    if (!slot || !slot->number) {
      set->first[set->n++] = begin + i;
      if (slot) *slot = (set_slot){words[i], set->n};
      numbers[i] = set->n - 1;
    } else {
      numbers[i] = slot->number - 1;
    }
  }
  return TFC_OK;
}

/* y[i] = x[places[i]] */
static int pick(tfc_context* ctx, int output, const tfc_tensor* x, const int64_t* places,
                int64_t n) {
  TFC_TRY(tfc_output(ctx, output, 1, &n));
  tfc_tensor* y = &ctx->outputs[output];
  const size_t size = tfc_dtype_size(x->dtype);
  for (int64_t i = 0; i < n; i++) {
    if (x->dtype == TFC_STRING) {
      const tfc_string* s = (const tfc_string*)x->data + places[i];
      TFC_TRY(tfc_string_set(ctx, y, i, s->data, s->size));
    } else {
      memcpy((char*)y->data + (size_t)i * size, (const char*)x->data + (size_t)places[i] * size,
             size);
    }
  }
  return TFC_OK;
}

static int unique(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank != 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "unique expects a 1D vector.");
  element_set set;
  TFC_TRY(new_set(ctx, x, &set));
  TFC_TRY(tfc_output(ctx, 1, 1, &x->n));
  int64_t* counts = NULL;
  if (ctx->n_outputs == 3) {
    counts = tfc_scratch_items(ctx, x->n + 1, sizeof *counts);
    if (!counts) return TFC_RESOURCE_EXHAUSTED;
  }
  for (int64_t begin = 0; begin < x->n; begin += BLOCK) {
    const int64_t n = TFC_MIN(BLOCK, x->n - begin), before = set.n;
    int64_t numbers[BLOCK];
    TFC_TRY(add_elements(&set, begin, n, numbers));
    for (int64_t i = 0; i < n; i++) tfc_put_index(&ctx->outputs[1], begin + i, numbers[i]);
    if (!counts) continue;
    memset(counts + before, 0, (size_t)(set.n - before) * sizeof *counts);
    for (int64_t i = 0; i < n; i++) counts[numbers[i]]++;
  }
  TFC_TRY(pick(ctx, 0, x, set.first, set.n));
  if (counts) {
    TFC_TRY(tfc_output(ctx, 2, 1, &set.n));
    for (int64_t i = 0; i < set.n; i++) tfc_put_index(&ctx->outputs[2], i, counts[i]);
  }
  return TFC_OK;
}

static int list_diff(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (x->rank != 1 || y->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s should be a 1D vector.",
                     x->rank != 1 ? "x" : "y");
  element_set set;
  TFC_TRY(new_set(ctx, y, &set));
  for (int64_t begin = 0; begin < y->n; begin += BLOCK) {
    int64_t numbers[BLOCK];
    TFC_TRY(add_elements(&set, begin, TFC_MIN(BLOCK, y->n - begin), numbers));
  }
  int64_t *left = tfc_scratch_items(ctx, x->n + 1, sizeof *left), n_left = 0;
  if (!left) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t begin = 0; begin < x->n; begin += BLOCK) {
    const int64_t n = TFC_MIN(BLOCK, x->n - begin);
    uint64_t words[BLOCK];
    bool nan[BLOCK];
    load_words(x, begin, n, words, nan);
    for (int64_t i = 0; i < n; i++)
      if (nan[i] || !find_slot(&set, words[i], x, begin + i)->number) left[n_left++] = begin + i;
  }
  TFC_TRY(pick(ctx, 0, x, left, n_left));
  TFC_TRY(tfc_output(ctx, 1, 1, &n_left));
  for (int64_t i = 0; i < n_left; i++) tfc_put_index(&ctx->outputs[1], i, left[i]);
  return TFC_OK;
}

/* The host does this for GPUs, too, as in TensorFlow: optimizers look for indices that are given
 * twice, and their variables should not be on the CPU for that. */
static const tfc_kernel_def kernels[] = {
    TFC_ROW("Unique", TFC_ON_GPU("T=" TFC_TYPES_INDICES), unique, .host_args = TFC_ON_GPU("*")),
    TFC_ROW("UniqueWithCounts", TFC_ON_GPU("T=" TFC_TYPES_INDICES), unique,
            .host_args = TFC_ON_GPU("*")),
    TFC_ROW("ListDiff", TFC_ON_GPU("T=" TFC_TYPES_INDICES), list_diff,
            .host_args = TFC_ON_GPU("*")),
};
TFC_REGISTER_KERNELS(kernels);
