/* Cast and Bitcast.
 *
 * Ten real types (bool reads as uint8) are converted directly. half and bfloat16 go through float,
 * complex types through their real part, a block at a time.
 *
 * Real to integer truncates; values out of range become what x86 makes of them, on every processor:
 * the most negative int32 (int64 for the 64-bit types), cut to the target's size. */
#include "kernels_c/cwise/cast.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

typedef void (*cast_loop)(const void* from, void* to, int64_t n);

static inline int32_t int32_from_float(float x) {
  return (x >= -0x1p31f) & (x < 0x1p31f) ? (int32_t)x : INT32_MIN;
}
static inline int32_t int32_from_double(double x) {
  return (x > -0x1p31 - 1) & (x < 0x1p31) ? (int32_t)x : INT32_MIN;
}
static inline int64_t int64_from_double(double x) {
  return (x >= -0x1p63) & (x < 0x1p63) ? (int64_t)x : INT64_MIN;
}
static inline int64_t int64_from_float(float x) {
  return (x >= -0x1p63f) & (x < 0x1p63f) ? (int64_t)x : INT64_MIN;
}
static inline uint32_t uint32_from_double(double x) {
  return x >= 0x1p31 && x < 0x1p32 ? (uint32_t)(x - 0x1p31) + 0x80000000u
                                   : (uint32_t)int32_from_double(x);
}
static inline uint64_t uint64_from_double(double x) {
  return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)(x - 0x1p63) + 0x8000000000000000ull
                                   : (uint64_t)int64_from_double(x);
}

/* ---- Loops: S and D are names of types without _t; EXPRESSION is of x. */

#define LOOP(S, ST, D, DT, PREVENT, EXPRESSION)                       \
  static void cast_##S##_##D(const void* from, void* to, int64_t n) { \
    const ST* xs = from;                                              \
    DT* ys = to;                                                      \
    for (int64_t i = 0; i < n; i++) {                                 \
      PREVENT;                                                        \
      ST x = xs[i];                                                   \
      ys[i] = (DT)(EXPRESSION);                                       \
    }                                                                 \
  }
#define FAST(S, ST, D, DT, EXPRESSION) LOOP(S, ST, D, DT, (void)0, EXPRESSION)
#define PLAIN(S, ST, D, DT, EXPRESSION) LOOP(S, ST, D, DT, TFC_NO_VECTORS, EXPRESSION)

#define FROM_INTEGER(S, HOT)           \
  PLAIN(S, S##_t, int8, int8_t, x)     \
  PLAIN(S, S##_t, int16, int16_t, x)   \
  PLAIN(S, S##_t, uint16, uint16_t, x) \
  PLAIN(S, S##_t, uint32, uint32_t, x) \
  PLAIN(S, S##_t, uint64, uint64_t, x) \
  HOT(S, S##_t, uint8, uint8_t, x)     \
  HOT(S, S##_t, int32, int32_t, x)     \
  HOT(S, S##_t, int64, int64_t, x)     \
  HOT(S, S##_t, float, float, x)       \
  HOT(S, S##_t, double, double, x)     \
  HOT(S, S##_t, truth, uint8_t, x != 0)
FROM_INTEGER(int8, PLAIN)
FROM_INTEGER(int16, PLAIN)
FROM_INTEGER(uint16, PLAIN)
FROM_INTEGER(uint32, PLAIN)
FROM_INTEGER(uint64, PLAIN)
FROM_INTEGER(uint8, FAST)
FROM_INTEGER(int32, FAST)
FROM_INTEGER(int64, FAST)

#define FROM_REAL(S)                                   \
  PLAIN(S, S, int8, int8_t, int32_from_##S(x))         \
  PLAIN(S, S, int16, int16_t, int32_from_##S(x))       \
  PLAIN(S, S, uint16, uint16_t, int32_from_##S(x))     \
  PLAIN(S, S, uint32, uint32_t, uint32_from_double(x)) \
  PLAIN(S, S, uint64, uint64_t, uint64_from_double(x)) \
  FAST(S, S, uint8, uint8_t, int32_from_##S(x))        \
  FAST(S, S, int32, int32_t, int32_from_##S(x))        \
  FAST(S, S, int64, int64_t, int64_from_##S(x))        \
  FAST(S, S, truth, uint8_t, x != 0)
FROM_REAL(float)
FROM_REAL(double)
FAST(float, float, double, double, x)
FAST(double, double, float, float, x)
FAST(float, float, float, float, x)
FAST(double, double, double, double, x)
/* For conversions to a 16-bit type: see tfc_double_to_float_odd. */
PLAIN(double, double, odd, float, tfc_double_to_float_odd(x))

#define ROW(S)                                                       \
  {[TFC_INT8] = cast_##S##_int8,   [TFC_UINT8] = cast_##S##_uint8,   \
   [TFC_INT16] = cast_##S##_int16, [TFC_UINT16] = cast_##S##_uint16, \
   [TFC_INT32] = cast_##S##_int32, [TFC_UINT32] = cast_##S##_uint32, \
   [TFC_INT64] = cast_##S##_int64, [TFC_UINT64] = cast_##S##_uint64, \
   [TFC_FLOAT] = cast_##S##_float, [TFC_DOUBLE] = cast_##S##_double, \
   [TFC_BOOL] = cast_##S##_truth}
static const cast_loop real_casts[TFC_N_DTYPES][TFC_N_DTYPES] = {
    [TFC_INT8] = ROW(int8),     [TFC_UINT8] = ROW(uint8),   [TFC_INT16] = ROW(int16),
    [TFC_UINT16] = ROW(uint16), [TFC_INT32] = ROW(int32),   [TFC_UINT32] = ROW(uint32),
    [TFC_INT64] = ROW(int64),   [TFC_UINT64] = ROW(uint64), [TFC_FLOAT] = ROW(float),
    [TFC_DOUBLE] = ROW(double), [TFC_BOOL] = ROW(uint8),
};

/* ---- The kernel: from -> [real type] -> [real type] -> to */

typedef struct cast {
  int32_t from, to, wide_from, wide_to;
  cast_loop loop;
  int zeroed_bits; /* of the wide source's mantissa: Truncate */
} cast;
typedef struct cast_run {
  const cast* c;
  const char* from;
  char* to;
} cast_run;

enum { BLOCK = 256 };

/* The real type that a type is read or written through. */
static int32_t wide_type(int32_t dtype) {
  switch (dtype) {
    case TFC_HALF:
    case TFC_BFLOAT16:
    case TFC_COMPLEX64: return TFC_FLOAT;
    case TFC_COMPLEX128: return TFC_DOUBLE;
    default: return dtype;
  }
}
static void read_wide(const cast* c, const char* from, void* wide, int64_t n) {
  switch (c->from) {
    case TFC_HALF:
    case TFC_BFLOAT16: tfc_widen(c->from, from, wide, n); break;
    case TFC_COMPLEX64:
      for (int64_t i = 0; i < n; i++) ((float*)wide)[i] = ((const float*)from)[2 * i];
      break;
    case TFC_COMPLEX128:
      for (int64_t i = 0; i < n; i++) ((double*)wide)[i] = ((const double*)from)[2 * i];
      break;
    default: memcpy(wide, from, (size_t)n * tfc_dtype_size(c->from));
  }
}
static void write_wide(const cast* c, const void* wide, char* to, int64_t n) {
  switch (c->to) {
    case TFC_HALF:
    case TFC_BFLOAT16: tfc_narrow(c->to, wide, to, n); break;
    case TFC_COMPLEX64:
      for (int64_t i = 0; i < n; i++) ((float*)to)[2 * i] = ((const float*)wide)[i];
      for (int64_t i = 0; i < n; i++) ((float*)to)[2 * i + 1] = 0;
      break;
    case TFC_COMPLEX128:
      for (int64_t i = 0; i < n; i++) ((double*)to)[2 * i] = ((const double*)wide)[i];
      for (int64_t i = 0; i < n; i++) ((double*)to)[2 * i + 1] = 0;
      break;
    default: memcpy(to, wide, (size_t)n * tfc_dtype_size(c->to));
  }
}
static void zero_low_bits(const cast* c, void* wide, int64_t n) {
  if (c->wide_from == TFC_FLOAT) {
    uint32_t* bits = wide;
    for (int64_t i = 0; i < n; i++)
      if ((bits[i] & 0x7fffffffu) <= 0x7f800000u) bits[i] &= ~0u << c->zeroed_bits;
  } else {
    uint64_t* bits = wide;
    for (int64_t i = 0; i < n; i++)
      if ((bits[i] & 0x7fffffffffffffffull) <= 0x7ff0000000000000ull)
        bits[i] &= ~0ull << c->zeroed_bits;
  }
}

static void direct_range(void* arg, int64_t begin, int64_t end) {
  const cast_run* r = arg;
  r->c->loop(r->from + (size_t)begin * tfc_dtype_size(r->c->from),
             r->to + (size_t)begin * tfc_dtype_size(r->c->to), end - begin);
}
static void blocks_range(void* arg, int64_t begin, int64_t end) {
  const cast_run* r = arg;
  const cast* c = r->c;
  size_t from_size = tfc_dtype_size(c->from), to_size = tfc_dtype_size(c->to);
  _Alignas(64) char before[BLOCK * 8], after[BLOCK * 8];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = TFC_MIN(BLOCK, end - i);
    read_wide(c, r->from + (size_t)i * from_size, before, n);
    if (c->zeroed_bits) zero_low_bits(c, before, n);
    c->loop(before, after, n);
    write_wide(c, after, r->to + (size_t)i * to_size, n);
  }
}
/* Between complex types: both parts, as twice as many real numbers. */
static void complex_range(void* arg, int64_t begin, int64_t end) {
  const cast_run* r = arg;
  for (int64_t i = 2 * begin; i < 2 * end; i += BLOCK) {
    int64_t n = TFC_MIN(BLOCK, 2 * end - i);
    if (r->c->from == TFC_COMPLEX64) {
      cast_float_double((const float*)r->from + i, (double*)r->to + i, n);
    } else {
      _Alignas(64) double part[BLOCK];
      memcpy(part, (const double*)r->from + i, (size_t)n * sizeof *part);
      if (r->c->zeroed_bits) zero_low_bits(r->c, part, n);
      cast_double_float(part, (float*)r->to + i, n);
    }
  }
}

static int create_Cast(tfc_construction* k, void** state) {
  bool truncate = false;
  TFC_TRY(k->api->attr_bool(k, "Truncate", &truncate));
  cast* c = calloc(1, sizeof *c);
  if (!c) return k->api->error(k, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = c;
  c->from = k->input_dtypes[0] % TFC_REF;
  c->to = k->output_dtypes[0] % TFC_REF;
  c->wide_from = wide_type(c->from);
  c->wide_to = wide_type(c->to);
  if (c->wide_from < TFC_N_DTYPES && c->wide_to < TFC_N_DTYPES)
    c->loop = real_casts[c->wide_from][c->wide_to];
  if (c->wide_from == TFC_DOUBLE && tfc_is_16bit_float(c->to)) c->loop = cast_double_odd;
  if (truncate) c->zeroed_bits = tfc_cast_zeroed_bits(c->from, c->to);
  return TFC_OK;
}

static int compute_Cast(tfc_context* ctx) {
  const cast* c = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0};
  if (c->from == c->to) return tfc_output_input(ctx, 0, 0);
  if (!c->loop)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Cast %s to %s is not supported",
                     tfc_dtype_name(c->from), tfc_dtype_name(c->to));
  bool direct = c->from == c->wide_from && c->to == c->wide_to && !c->zeroed_bits;
  bool between_complex = tfc_dtype_size(c->from) + tfc_dtype_size(c->to) == 24 &&
                         (c->from == TFC_COMPLEX64 || c->to == TFC_COMPLEX64);
  /* Only the block form works in place: loops over different types must not alias. */
  if (!direct && tfc_dtype_size(c->from) == tfc_dtype_size(c->to))
    TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  else
    TFC_TRY(tfc_output_like(ctx, 0, x));
  cast_run run = {c, x->data, ctx->outputs[0].data};
  tfc_range_fn range = between_complex ? complex_range : direct ? direct_range : blocks_range;
  if (x->n < 4096)
    range(&run, 0, x->n);
  else
    tfc_parallel_for(ctx, x->n, 0.5, range, &run);
  return TFC_OK;
}

/* ---- Bitcast: the same bytes with another type; sizes may differ by a last dimension. */

static int compute_Bitcast(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_bitcast_output(ctx));
  if (x->n) memcpy(ctx->outputs[0].data, x->data, (size_t)x->n * tfc_dtype_size(x->dtype));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Cast", "SrcT=" TFC_TYPES_PLAIN ";DstT=" TFC_TYPES_PLAIN, compute_Cast,
            TFC_STATE(create_Cast)),
    TFC_ROW("Bitcast", "T=" TFC_TYPES_NUMBERS ";type=" TFC_TYPES_NUMBERS, compute_Bitcast),
};
TFC_REGISTER_KERNELS(kernels);
