/* Sets of elements: unique values and differences, by a hash table with open addressing. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* An element as two words that are equal exactly if the elements are. */
typedef struct set_key {
  uint64_t low, high;
} set_key;

typedef struct element_set {
  const tfc_tensor* x; /* strings are compared here */
  int64_t* slots;      /* index of an element + 1, 0: free */
  int64_t* ids;        /* number given to the element in a slot */
  uint64_t mask;
} element_set;

static uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 32);
}

static uint64_t hash_bytes(const char* p, size_t n) {
  uint64_t h = 0x2545F4914F6CDD1Du ^ n;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t v;
    memcpy(&v, p, 8);
    h = mix(h ^ v);
  }
  uint64_t rest = 0;
  if (n) memcpy(&rest, p, n); /* an empty string may have no address */
  return mix(h ^ rest);
}

static uint64_t float_word(float f) {
  return tfc_bits_from_float(f == 0 ? 0 : f);
}
static uint64_t double_word(double d) {
  uint64_t bits;
  d = d == 0 ? 0 : d; /* both zeros are one value */
  memcpy(&bits, &d, 8);
  return bits;
}

/* *nan: the element equals none, not even itself. */
static set_key key_of(const tfc_tensor* t, int64_t i, bool* nan) {
  *nan = false;
  switch (t->dtype) {
    case TFC_FLOAT: {
      const float f = ((const float*)t->data)[i];
      *nan = f != f;
      return (set_key){float_word(f), 0};
    }
    case TFC_DOUBLE: {
      const double d = ((const double*)t->data)[i];
      *nan = d != d;
      return (set_key){double_word(d), 0};
    }
    case TFC_HALF:
    case TFC_BFLOAT16: {
      const float f = tfc_widen_one(t->dtype, ((const uint16_t*)t->data)[i]);
      *nan = f != f;
      return (set_key){float_word(f), 0};
    }
    case TFC_COMPLEX64: {
      const float* c = (const float*)t->data + 2 * i;
      *nan = c[0] != c[0] || c[1] != c[1];
      return (set_key){float_word(c[0]), float_word(c[1])};
    }
    case TFC_COMPLEX128: {
      const double* c = (const double*)t->data + 2 * i;
      *nan = c[0] != c[0] || c[1] != c[1];
      return (set_key){double_word(c[0]), double_word(c[1])};
    }
    case TFC_STRING: {
      const tfc_string* s = (const tfc_string*)t->data + i;
      return (set_key){hash_bytes(s->data, s->size), s->size};
    }
    default: {
      const size_t size = tfc_dtype_size(t->dtype);
      set_key k = {0, 0};
      memcpy(&k.low, (const char*)t->data + (size_t)i * size, size);
      return k;
    }
  }
}

static bool same_element(const tfc_tensor* a, int64_t i, set_key ka, const tfc_tensor* b,
                         int64_t j) {
  bool nan;
  const set_key kb = key_of(b, j, &nan);
  if (nan || ka.low != kb.low || ka.high != kb.high) return false;
  if (a->dtype != TFC_STRING) return true;
  const tfc_string x = ((const tfc_string*)a->data)[i], y = ((const tfc_string*)b->data)[j];
  return x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
}

static int new_set(tfc_context* ctx, const tfc_tensor* x, element_set* set) {
  uint64_t capacity = 16;
  while (capacity < 2 * (uint64_t)x->n) capacity *= 2;
  set->x = x;
  set->mask = capacity - 1;
  set->slots = tfc_scratch(ctx, capacity * sizeof(int64_t));
  set->ids = tfc_scratch(ctx, capacity * sizeof(int64_t));
  if (!set->slots || !set->ids) return TFC_RESOURCE_EXHAUSTED;
  memset(set->slots, 0, capacity * sizeof(int64_t));
  return TFC_OK;
}

/* The slot that holds element i of t, or a free one for it; always a free one for NaN. */
static uint64_t find_slot(const element_set* set, const tfc_tensor* t, int64_t i, bool* nan) {
  const set_key k = key_of(t, i, nan);
  uint64_t at = mix(k.low ^ mix(k.high)) & set->mask;
  while (set->slots[at] && (*nan || !same_element(t, i, k, set->x, set->slots[at] - 1)))
    at = (at + 1) & set->mask;
  return at;
}

static void put_index(tfc_tensor* t, int64_t i, int64_t value) {
  if (t->dtype == TFC_INT64)
    ((int64_t*)t->data)[i] = value;
  else
    ((int32_t*)t->data)[i] = (int32_t)value;
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
  const size_t bytes = (size_t)(x->n + 1) * sizeof(int64_t);
  int64_t *first = tfc_scratch(ctx, bytes), *counts = tfc_scratch(ctx, bytes), n = 0;
  if (!first || !counts) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < x->n; i++) {
    bool nan;
    const uint64_t at = find_slot(&set, x, i, &nan);
    if (!set.slots[at]) {
      set.slots[at] = i + 1;
      set.ids[at] = n;
      counts[n] = 0;
      first[n++] = i;
    }
    counts[set.ids[at]]++;
    put_index(&ctx->outputs[1], i, set.ids[at]);
  }
  TFC_TRY(pick(ctx, 0, x, first, n));
  if (ctx->n_outputs == 3) {
    TFC_TRY(tfc_output(ctx, 2, 1, &n));
    for (int64_t i = 0; i < n; i++) put_index(&ctx->outputs[2], i, counts[i]);
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
  bool nan;
  for (int64_t i = 0; i < y->n; i++) set.slots[find_slot(&set, y, i, &nan)] = i + 1;
  int64_t *left = tfc_scratch_items(ctx, x->n + 1, sizeof(int64_t)), n = 0;
  if (!left) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < x->n; i++)
    if (!set.slots[find_slot(&set, x, i, &nan)] || nan) left[n++] = i;
  TFC_TRY(pick(ctx, 0, x, left, n));
  TFC_TRY(tfc_output(ctx, 1, 1, &n));
  for (int64_t i = 0; i < n; i++) put_index(&ctx->outputs[1], i, left[i]);
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
