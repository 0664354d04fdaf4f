/* UniqueV2, UniqueWithCountsV2: the distinct slices along an axis. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/hash.h"

TFC_ONE_LEVEL;

/* Slice j has the elements (o, j, i) for all o < outer and i < inner. */
typedef struct slices {
  const tfc_tensor* x;
  int axis;
  int64_t outer, n, inner;
} slices;

static int64_t element_at(const slices* s, int64_t o, int64_t j, int64_t i) {
  return (o * s->n + j) * s->inner + i;
}

/* The part `part` of an element that is a floating-point number; complex ones have two. */
static double part_of(const tfc_tensor* x, int64_t i, int part) {
  switch (x->dtype) {
    case TFC_FLOAT: return ((const float*)x->data)[i];
    case TFC_DOUBLE: return ((const double*)x->data)[i];
    case TFC_COMPLEX64: return ((const float*)x->data)[2 * i + part];
    case TFC_COMPLEX128: return ((const double*)x->data)[2 * i + part];
    default: return tfc_widen_one(x->dtype, ((const uint16_t*)x->data)[i]);
  }
}

static int parts_of(int32_t dtype) {
  if (dtype == TFC_COMPLEX64 || dtype == TFC_COMPLEX128) return 2;
  return dtype == TFC_FLOAT || dtype == TFC_DOUBLE || tfc_is_16bit_float(dtype);
}

static uint64_t hash_element(const tfc_tensor* x, int64_t i) {
  if (x->dtype == TFC_STRING) {
    const tfc_string* s = (const tfc_string*)x->data + i;
    return tfc_hash_bytes(s->data, s->size);
  }
  const int parts = parts_of(x->dtype);
  if (!parts) {
    const size_t size = tfc_dtype_size(x->dtype);
    return tfc_hash_bytes((const char*)x->data + (size_t)i * size, size);
  }
  uint64_t h = 0;
  for (int part = 0; part < parts; part++) {
    const double value = part_of(x, i, part), same = value == 0 ? 0 : value; /* -0 is 0 */
    h = tfc_mix(h ^ tfc_hash_bytes(&same, sizeof same));
  }
  return h;
}

static bool same_element(const tfc_tensor* x, int64_t i, int64_t j) {
  if (x->dtype == TFC_STRING) {
    const tfc_string a = ((const tfc_string*)x->data)[i], b = ((const tfc_string*)x->data)[j];
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
  }
  const int parts = parts_of(x->dtype);
  for (int part = 0; part < parts; part++)
    if (part_of(x, i, part) != part_of(x, j, part)) return false;
  const size_t size = tfc_dtype_size(x->dtype);
  const char* data = x->data;
  return parts || !memcmp(data + (size_t)i * size, data + (size_t)j * size, size);
}

static uint64_t hash_slice(const slices* s, int64_t j) {
  uint64_t h = 0;
  for (int64_t o = 0; o < s->outer; o++)
    for (int64_t i = 0; i < s->inner; i++)
      h = tfc_mix(h ^ hash_element(s->x, element_at(s, o, j, i)));
  return h;
}

/* A slice with NaN equals none. */
static bool same_slice(const slices* s, int64_t a, int64_t b) {
  for (int64_t o = 0; o < s->outer; o++)
    for (int64_t i = 0; i < s->inner; i++)
      if (!same_element(s->x, element_at(s, o, a, i), element_at(s, o, b, i))) return false;
  return true;
}

static int read_slices(tfc_context* ctx, slices* s) {
  const tfc_tensor *x = ctx->inputs[0], *axis = ctx->inputs[1];
  int64_t d = 0;
  if (axis->rank != 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis expects a 1D vector.");
  if (axis->n > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "axis does not support input tensors larger than 1 elements");
  if (!axis->n && x->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "unique expects a 1D vector.");
  if (axis->n) d = tfc_index_at(axis, 0);
  if (d < 0) d += x->rank;
  if (d < 0 || d >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis has to be between [0, %d)", x->rank);
  *s = (slices){.x = x,
                .axis = (int)d,
                .outer = tfc_product((int)d, x->dims),
                .n = x->dims[d],
                .inner = tfc_product(x->rank - (int)d - 1, x->dims + d + 1)};
  return TFC_OK;
}

/* The number of each slice; firsts[k] is the first slice that has number k. */
static int number_slices(tfc_context* ctx, const slices* s, int64_t* numbers, int64_t* firsts,
                         int64_t* count) {
  uint64_t capacity = 16;
  while (capacity < 2 * (uint64_t)s->n) capacity *= 2;
  int64_t* slots = tfc_scratch_items(ctx, (int64_t)capacity, sizeof *slots);
  if (!slots) return TFC_RESOURCE_EXHAUSTED;
  memset(slots, 0, capacity * sizeof *slots);
  *count = 0;
  for (int64_t j = 0; j < s->n; j++) {
    if (parts_of(s->x->dtype) &&
        !same_slice(s, j, j)) { /* NaN: found by none, so not put into a slot */
      firsts[*count] = j;
      numbers[j] = (*count)++;
      continue;
    }
    uint64_t at = hash_slice(s, j) & (capacity - 1);
    while (slots[at] && !same_slice(s, j, firsts[slots[at] - 1])) at = (at + 1) & (capacity - 1);
    if (!slots[at]) {
      firsts[*count] = j;
      slots[at] = ++*count;
    }
    numbers[j] = slots[at] - 1;
  }
  return TFC_OK;
}

static int pick(tfc_context* ctx, const slices* s, const int64_t* firsts, int64_t count) {
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, s->x->dims, sizeof dims);
  dims[s->axis] = count;
  TFC_TRY(tfc_output(ctx, 0, s->x->rank, dims));
  for (int64_t k = 0; k < count; k++) {
    tfc_box box = {.rank = 2,
                   .dims = {s->outer, s->inner},
                   .to = {count * s->inner, 1},
                   .from = {s->n * s->inner, 1}};
    if (s->outer && s->inner)
      TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], k * s->inner, s->x, firsts[k] * s->inner, &box));
  }
  return TFC_OK;
}

static int compute(tfc_context* ctx) {
  slices s;
  int64_t count;
  TFC_TRY(read_slices(ctx, &s));
  int64_t* numbers = tfc_scratch_items(ctx, 2 * s.n + 1, sizeof *numbers);
  if (!numbers) return TFC_RESOURCE_EXHAUSTED;
  int64_t* firsts = numbers + s.n;
  TFC_TRY(number_slices(ctx, &s, numbers, firsts, &count));
  TFC_TRY(pick(ctx, &s, firsts, count));
  TFC_TRY(tfc_output(ctx, 1, 1, &s.n));
  for (int64_t j = 0; j < s.n; j++) tfc_put_index(&ctx->outputs[1], j, numbers[j]);
  if (ctx->n_outputs < 3) return TFC_OK;
  TFC_TRY(tfc_output(ctx, 2, 1, &count));
  memset(firsts, 0, (size_t)count * sizeof *firsts);
  for (int64_t j = 0; j < s.n; j++) firsts[numbers[j]]++;
  for (int64_t k = 0; k < count; k++) tfc_put_index(&ctx->outputs[2], k, firsts[k]);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("UniqueV2", "T=" TFC_TYPES_VALUES, compute),
    TFC_ROW("UniqueWithCountsV2", "T=" TFC_TYPES_VALUES, compute),
};
TFC_REGISTER_KERNELS(kernels);
