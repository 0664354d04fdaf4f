/* Small helpers shared by the built-in kernels. */
#ifndef TFCORE_COMMON_H
#define TFCORE_COMMON_H

#include <stdio.h>
#include <string.h>
#include <tfcore/kernel.h>

/* For files whose kernels gain nothing from wider instructions: setup.py compiles such a file once,
 * for the lowest level, and links it into the library of every level. It can't use anything that
 * depends on the level. */
#if defined(TFC_LEVEL_NUM)
#define TFC_ONE_LEVEL _Static_assert(0, "this file is compiled for one level only")
#else
#define TFC_ONE_LEVEL _Static_assert(1, "")
#endif

/* For files that describe copies of boxes, whichever device makes them, or only pass tensors on;
 * shapes and checks; arithmetic on int32 in the host's memory: they are also linked into the
 * library of GPUs' kernels (kernel_table.h). */
#define TFC_ALL_DEVICES _Static_assert(1, "")

/* In a loop: prevents vectorization, for loops that are too rare for its cost in code size and
 * compile time. */
#define TFC_NO_VECTORS __asm__ volatile("")

/* The device type for which a file's kernels are built. */
#ifdef TFC_DEVICE
#define TFC_FOR_GPU 1
#else
#define TFC_FOR_GPU 0
#define TFC_DEVICE "CPU"
#endif

#define TFC_MIN(A, B) ((A) < (B) ? (A) : (B))
#define TFC_MAX(A, B) ((A) > (B) ? (A) : (B))

/* Returns the code of a call that failed. */
#define TFC_TRY(CALL)                      \
  do {                                     \
    int tfc_try_code = (CALL);             \
    if (tfc_try_code) return tfc_try_code; \
  } while (0)

/* ---- Element types. */

/* X(dtype, C type, TensorFlow's name) for every type with a C arithmetic type. */
#define TFC_FOR_INTEGERS(X)       \
  X(TFC_INT8, int8_t, int8)       \
  X(TFC_UINT8, uint8_t, uint8)    \
  X(TFC_INT16, int16_t, int16)    \
  X(TFC_UINT16, uint16_t, uint16) \
  X(TFC_INT32, int32_t, int32)    \
  X(TFC_UINT32, uint32_t, uint32) \
  X(TFC_INT64, int64_t, int64)    \
  X(TFC_UINT64, uint64_t, uint64)
#define TFC_FOR_FLOATS(X)    \
  X(TFC_FLOAT, float, float) \
  X(TFC_DOUBLE, double, double)
#define TFC_FOR_COMPLEX(X)                    \
  X(TFC_COMPLEX64, float _Complex, complex64) \
  X(TFC_COMPLEX128, double _Complex, complex128)
#define TFC_FOR_REALS(X) TFC_FOR_FLOATS(X) TFC_FOR_INTEGERS(X)

/* switch (dtype) { TFC_CASE(TFC_FLOAT, float, expression using T) ... } */
#define TFC_CASE(DTYPE, CTYPE, ...) \
  case DTYPE: {                     \
    typedef CTYPE T;                \
    __VA_ARGS__;                    \
  } break;
/* Runs the statement with T defined as the element type; no effect for types outside the list. */
#define TFC_SWITCH_INTEGERS(DTYPE, ...)         \
  switch (DTYPE) {                              \
    TFC_CASE(TFC_INT8, int8_t, __VA_ARGS__)     \
    TFC_CASE(TFC_UINT8, uint8_t, __VA_ARGS__)   \
    TFC_CASE(TFC_INT16, int16_t, __VA_ARGS__)   \
    TFC_CASE(TFC_UINT16, uint16_t, __VA_ARGS__) \
    TFC_CASE(TFC_INT32, int32_t, __VA_ARGS__)   \
    TFC_CASE(TFC_UINT32, uint32_t, __VA_ARGS__) \
    TFC_CASE(TFC_INT64, int64_t, __VA_ARGS__)   \
    TFC_CASE(TFC_UINT64, uint64_t, __VA_ARGS__) \
    default: break;                             \
  }
/* For work that only moves elements: T is an unsigned type of the element's size (16 bytes:
 * tfc_16). */
typedef struct tfc_16 {
  uint64_t part[2];
} tfc_16;
#define TFC_SWITCH_SIZE(SIZE, ...)     \
  switch (SIZE) {                      \
    TFC_CASE(1, uint8_t, __VA_ARGS__)  \
    TFC_CASE(2, uint16_t, __VA_ARGS__) \
    TFC_CASE(4, uint32_t, __VA_ARGS__) \
    TFC_CASE(8, uint64_t, __VA_ARGS__) \
    TFC_CASE(16, tfc_16, __VA_ARGS__)  \
    default: break;                    \
  }

/* The type of the integers of a quantized type; others are what they are. */
static inline int32_t tfc_plain_type(int32_t dtype) {
  switch (dtype) {
    case TFC_QINT8: return TFC_INT8;
    case TFC_QUINT8: return TFC_UINT8;
    case TFC_QINT16: return TFC_INT16;
    case TFC_QUINT16: return TFC_UINT16;
    case TFC_QINT32: return TFC_INT32;
    default: return dtype;
  }
}

static inline const char* tfc_dtype_name(int32_t dtype) {
  switch (dtype % TFC_REF) {
    case TFC_FLOAT: return "float";
    case TFC_DOUBLE: return "double";
    case TFC_INT32: return "int32";
    case TFC_UINT8: return "uint8";
    case TFC_INT16: return "int16";
    case TFC_INT8: return "int8";
    case TFC_STRING: return "string";
    case TFC_COMPLEX64: return "complex64";
    case TFC_INT64: return "int64";
    case TFC_BOOL: return "bool";
    case TFC_BFLOAT16: return "bfloat16";
    case TFC_UINT16: return "uint16";
    case TFC_COMPLEX128: return "complex128";
    case TFC_HALF: return "half";
    case TFC_RESOURCE: return "resource";
    case TFC_VARIANT: return "variant";
    case TFC_UINT32: return "uint32";
    case TFC_UINT64: return "uint64";
    case TFC_QINT8: return "qint8";
    case TFC_QUINT8: return "quint8";
    case TFC_QINT16: return "qint16";
    case TFC_QUINT16: return "quint16";
    case TFC_QINT32: return "qint32";
    default: return "unknown";
  }
}

/* ---- Half precision. Rounding to nearest, ties to even; subnormals, infinities kept; NaN stays
 * NaN. */

static inline float tfc_float_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}
static inline uint32_t tfc_bits_from_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

/* Without branches, so that loops over it become vector code. */
static inline float tfc_half_to_float(tfc_half h) {
  uint32_t sign = (uint32_t)(h.bits & 0x8000u) << 16, magnitude = h.bits & 0x7fffu;
  /* Exponent rebiased by a multiplication with 2^112, which also makes subnormals normal. */
  uint32_t bits = tfc_bits_from_float(tfc_float_from_bits(magnitude << 13) * 0x1p112f);
  bits |= magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return tfc_float_from_bits(bits | sign);
}
static inline tfc_half tfc_float_to_half(float x) {
  uint32_t bits = tfc_bits_from_float(x), sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  /* Normal results: add half a unit (less one if even) and shift; a carry into the exponent is
   * right, also into infinity. */
  uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  /* Subnormal results: the addition of 0.5 leaves them, rounded, in the low bits. */
  uint32_t subnormal =
      tfc_bits_from_float(tfc_float_from_bits(TFC_MIN(magnitude, 0x38800000u)) + 0.5f) -
      0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : result;
  return (tfc_half){(uint16_t)(result | sign)};
}
static inline float tfc_bfloat16_to_float(tfc_bfloat16 b) {
  return tfc_float_from_bits((uint32_t)b.bits << 16);
}
static inline tfc_bfloat16 tfc_float_to_bfloat16(float x) {
  uint32_t bits = tfc_bits_from_float(x);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;
  return (tfc_bfloat16){(uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}
/* Double to 16 bits in one rounding: through float rounded to odd, which keeps the information
 * below its last bit. */
static inline float tfc_double_to_float_odd(double x) {
  float nearest = (float)x;
  uint32_t bits = tfc_bits_from_float(nearest);
  if ((double)nearest == x || nearest != nearest || (bits & 1)) return nearest;
  /* Even and inexact: the odd neighbour on the side of x. From infinity that is FLT_MAX. */
  int away = (x > 0) ? x > (double)nearest : x < (double)nearest;
  return tfc_float_from_bits(away ? bits + 1 : bits - 1);
}
static inline tfc_half tfc_double_to_half(double x) {
  return tfc_float_to_half(tfc_double_to_float_odd(x));
}
static inline tfc_bfloat16 tfc_double_to_bfloat16(double x) {
  return tfc_float_to_bfloat16(tfc_double_to_float_odd(x));
}

static inline bool tfc_is_16bit_float(int32_t dtype) {
  return dtype == TFC_HALF || dtype == TFC_BFLOAT16;
}
/* One element of TFC_HALF or TFC_BFLOAT16 (dtype) to float and back, inlined into loops. */
static inline float tfc_widen_one(int32_t dtype, uint16_t bits) {
  return dtype == TFC_HALF ? tfc_half_to_float((tfc_half){bits})
                           : tfc_bfloat16_to_float((tfc_bfloat16){bits});
}
static inline uint16_t tfc_narrow_one(int32_t dtype, float x) {
  return dtype == TFC_HALF ? tfc_float_to_half(x).bits : tfc_float_to_bfloat16(x).bits;
}
/* n elements of TFC_HALF or TFC_BFLOAT16 (dtype) to float and back: half.c. */
void tfc_widen(int32_t dtype, const void* from, float* to, int64_t n);
void tfc_narrow(int32_t dtype, const float* from, void* to, int64_t n);

/* ---- Shapes. */

static inline bool tfc_same_shape(const tfc_tensor* a, const tfc_tensor* b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i]) return false;
  return true;
}
/* false if the product does not fit. */
static inline bool tfc_multiply(int64_t a, int64_t b, int64_t* product) {
  return !__builtin_mul_overflow(a, b, product);
}
/* Product of dims[0..rank); -1 if one is negative or the product does not fit. */
static inline int64_t tfc_count(int rank, const int64_t* dims) {
  int64_t n = 1;
  bool zero = false;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0) return -1;
    if (dims[i] == 0)
      zero = true;
    else if (!tfc_multiply(n, dims[i], &n))
      return -1;
  }
  return zero ? 0 : n;
}
/* "[2,3]", as in TensorFlow's messages. */
typedef struct tfc_text {
  char text[200];
} tfc_text;
static inline tfc_text tfc_dims_text(int rank, const int64_t* dims) {
  tfc_text t;
  size_t used = (size_t)snprintf(t.text, sizeof t.text, "[");
  for (int i = 0; i < rank && used < sizeof t.text - 24; i++)
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, i ? ",%lld" : "%lld",
                             (long long)dims[i]);
  snprintf(t.text + used, sizeof t.text - used, "]");
  return t;
}
/* The text of a shape that is not fully known: "[?,3]", or "<unknown>". */
static inline tfc_text tfc_partial_dims_text(int rank, const int64_t* dims) {
  tfc_text t = {"<unknown>"};
  if (rank < 0) return t;
  size_t used = (size_t)snprintf(t.text, sizeof t.text, "[");
  for (int i = 0; i < rank && used < sizeof t.text - 24; i++) {
    const char* comma = i ? "," : "";
    used +=
        (size_t)(dims[i] < 0 ? snprintf(t.text + used, 3, "%s?", comma)
                             : snprintf(t.text + used, 23, "%s%lld", comma, (long long)dims[i]));
  }
  snprintf(t.text + used, 2, "]");
  return t;
}
static inline tfc_text tfc_shape_text(const tfc_tensor* t) {
  return tfc_dims_text(t->rank, t->dims);
}
/* Copies a rank 0 or 1 int32/int64 tensor to an array; the caller must have checked its size. */
static inline void tfc_read_indices(const tfc_tensor* t, int64_t* to) {
  for (int64_t i = 0; i < t->n; i++) to[i] = tfc_index_at(t, i);
}
/* Reads a shape, axes, ...: a vector (or scalar) of at most max indices, *n of them. */
static inline int tfc_read_vector(tfc_context* ctx, int input, int max, int64_t* to, int* n) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input %d must be a vector, got shape %s", input,
                     tfc_shape_text(t).text);
  if (t->n > max)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input %d has %lld elements, at most %d are supported", input, (long long)t->n,
                     max);
  tfc_read_indices(t, to);
  *n = (int)t->n;
  return TFC_OK;
}

#endif /* TFCORE_COMMON_H */
