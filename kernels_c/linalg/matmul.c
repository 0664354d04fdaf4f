/* MatMul, BatchMatMul, BatchMatMulV2 and V3, _FusedMatMul, _MatMulColumns, _MatMulAddN: maps
 * operations to products of gemm.h.
 *
 * float and double go straight to gemm. half and bfloat16 are widened to float and rounded once at
 * the end; complex numbers are split into real and imaginary parts, with four real products;
 * integers, which wrap, have plain loops.
 */
#include "kernels_c/linalg/matmul.h"

#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/linalg/gemm.h"
#include "kernels_c/linalg/matmul_shape.h"

static int64_t a_index(const product* p, int64_t i) {
  return p->a_of ? p->a_of[i] : p->n_a == 1 ? 0 : i;
}
static int64_t b_index(const product* p, int64_t i) {
  return p->b_of ? p->b_of[i] : p->n_b == 1 ? 0 : i;
}

/* ---- float and double. */

static gemm_args matrix_args(const product* p, int64_t i) {
  const int64_t size = p->dtype == TFC_FLOAT ? 4 : 8;
  return (gemm_args){.m = p->m,
                     .n = p->n,
                     .k = p->k,
                     .a = (const char*)p->a + a_index(p, i) * p->m * p->k * size,
                     .a_rs = p->a_rs,
                     .a_cs = p->a_cs,
                     .b = (const char*)p->b + b_index(p, i) * p->k * p->n * size,
                     .b_rs = p->b_rs,
                     .b_cs = p->b_cs,
                     .c = (char*)p->c + i * p->m * p->n * size,
                     .c_rs = p->n,
                     .c_cs = 1,
                     .bias = p->bias,
                     .flags = p->flags};
}

static void gemm(tfc_context* ctx, int32_t dtype, const gemm_args* g) {
  if (dtype == TFC_FLOAT) {
    gemm_float(ctx, g);
  } else {
    gemm_double(ctx, g);
  }
}

#define ACTIVATE(NAME, V, T, LANES)                                             \
  static inline V NAME##_vector(V x, activation f, T alpha) {                   \
    switch (f) {                                                                \
      case ELU: return V##_select(x < 0, V##_expm1(x), x);                      \
      case LEAKY_RELU: return V##_select(x > 0, x, x * V##_set1(alpha));        \
      case TANH: return V##_tanh(x);                                            \
      case SIGMOID: return V##_sigmoid(x);                                      \
      default: return x;                                                        \
    }                                                                           \
  }                                                                             \
  static void NAME(void* arg, int64_t begin, int64_t end) {                     \
    const product* p = arg;                                                     \
    T* c = p->c;                                                                \
    for (int64_t i = begin; i < end; i += LANES) {                              \
      const int n = (int)TFC_MIN(end - i, LANES);                               \
      const V x = NAME##_vector(V##_load_n(c + i, n), p->activation, p->alpha); \
      V##_store_n(c + i, x, n);                                                 \
    }                                                                           \
  }
ACTIVATE(activate_float, vf, float, VF_N)
ACTIVATE(activate_double, vd, double, VD_N)

static void batch_range(void* arg, int64_t begin, int64_t end) {
  const product* p = arg;
  for (int64_t i = begin; i < end; i++) {
    const gemm_args g = matrix_args(p, i);
    gemm(NULL, p->dtype, &g);
  }
}

/* Large matrices run one after the other, each on all threads; many small ones in parallel. */
static int multiply_real(tfc_context* ctx, product* p) {
  if (p->batch > 1 && p->n_b == 1 && p->n_a == p->batch && p->a_rs == p->k && p->a_cs == 1) {
    /* All rows are multiplied by the same b and are contiguous: one tall matrix. */
    p->m *= p->batch;
    p->batch = p->n_a = 1;
  }
  const double cost = gemm_cost_ns(p->m, p->n, p->k, p->dtype == TFC_FLOAT ? 4 : 8);
  if (p->batch == 1 || (cost > 200e3 && p->batch < 8)) {
    for (int64_t i = 0; i < p->batch; i++) {
      const gemm_args g = matrix_args(p, i);
      gemm(ctx, p->dtype, &g);
    }
  } else {
    tfc_parallel_for(ctx, p->batch, cost, batch_range, p);
  }
  if (p->activation > RELU6) {
    tfc_parallel_for(ctx, p->batch * p->m * p->n, 1,
                     p->dtype == TFC_FLOAT ? activate_float : activate_double, p);
  }
  return TFC_OK;
}

/* ---- half and bfloat16. */

typedef struct conversion {
  int32_t dtype; /* of the narrow side */
  const void* from;
  void* to;
} conversion;

static void widen_range(void* arg, int64_t begin, int64_t end) {
  const conversion* c = arg;
  tfc_widen(c->dtype, (const uint16_t*)c->from + begin, (float*)c->to + begin, end - begin);
}
static void narrow_range(void* arg, int64_t begin, int64_t end) {
  const conversion* c = arg;
  tfc_narrow(c->dtype, (const float*)c->from + begin, (uint16_t*)c->to + begin, end - begin);
}

static int widen(tfc_context* ctx, int32_t dtype, const void** data, int64_t n) {
  float* wide = tfc_scratch(ctx, (size_t)n * sizeof(float));
  if (!wide && n) return TFC_RESOURCE_EXHAUSTED;
  conversion c = {dtype, *data, wide};
  tfc_parallel_for(ctx, n, 0.1, widen_range, &c);
  *data = wide;
  return TFC_OK;
}

static int multiply_16bit(tfc_context* ctx, product* p) {
  const int32_t dtype = p->dtype;
  const int64_t n = p->batch * p->m * p->n;
  void* const narrow = p->c;
  TFC_TRY(widen(ctx, dtype, &p->a, p->n_a * p->m * p->k));
  TFC_TRY(widen(ctx, dtype, &p->b, p->n_b * p->k * p->n));
  if (p->bias) TFC_TRY(widen(ctx, dtype, &p->bias, p->n));
  p->dtype = TFC_FLOAT;
  p->c = tfc_scratch(ctx, (size_t)n * sizeof(float));
  if (!p->c && n) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(multiply_real(ctx, p));
  conversion c = {dtype, p->c, narrow};
  tfc_parallel_for(ctx, n, 0.2, narrow_range, &c);
  return TFC_OK;
}

/* ---- Complex. */

typedef struct planes {
  bool is_double, conjugate;
  void *whole, *real, *imaginary;
} planes;

static void split_range(void* arg, int64_t begin, int64_t end) {
  const planes* p = arg;
  if (p->is_double) {
    const double *z = p->whole, sign = p->conjugate ? -1 : 1;
    double *re = p->real, *im = p->imaginary;
    for (int64_t i = begin; i < end; i++) re[i] = z[2 * i], im[i] = sign * z[2 * i + 1];
  } else {
    const float *z = p->whole, sign = p->conjugate ? -1 : 1;
    float *re = p->real, *im = p->imaginary;
    for (int64_t i = begin; i < end; i++) re[i] = z[2 * i], im[i] = sign * z[2 * i + 1];
  }
}
static void join_range(void* arg, int64_t begin, int64_t end) {
  const planes* p = arg;
  if (p->is_double) {
    const double *re = p->real, *im = p->imaginary;
    double* z = p->whole;
    for (int64_t i = begin; i < end; i++) z[2 * i] = re[i], z[2 * i + 1] = im[i];
  } else {
    const float *re = p->real, *im = p->imaginary;
    float* z = p->whole;
    for (int64_t i = begin; i < end; i++) z[2 * i] = re[i], z[2 * i + 1] = im[i];
  }
}
static void negate_range(void* arg, int64_t begin, int64_t end) {
  const planes* p = arg;
  for (int64_t i = begin; i < end; i++) {
    if (p->is_double) {
      ((double*)p->imaginary)[i] = -((double*)p->imaginary)[i];
    } else {
      ((float*)p->imaginary)[i] = -((float*)p->imaginary)[i];
    }
  }
}

static int make_planes(tfc_context* ctx, planes* p, int64_t n) {
  const size_t size = p->is_double ? 8 : 4;
  p->real = tfc_scratch(ctx, 2 * (size_t)n * size);
  if (!p->real && n) return TFC_RESOURCE_EXHAUSTED;
  p->imaginary = (char*)p->real + (size_t)n * size;
  return TFC_OK;
}

/* c (+)= a * b of planes. */
static int multiply_planes(tfc_context* ctx, const product* p, void* c, const void* a,
                           const void* b, unsigned flags) {
  product real = *p;
  real.a = a;
  real.b = b;
  real.c = c;
  real.flags = flags;
  return multiply_real(ctx, &real);
}

static int multiply_complex(tfc_context* ctx, product* p) {
  const bool is_double = p->dtype == TFC_COMPLEX128;
  const int64_t n_a = p->n_a * p->m * p->k, n_b = p->n_b * p->k * p->n;
  const int64_t n_c = p->batch * p->m * p->n;
  planes a = {is_double, p->conj_a, (void*)p->a, NULL, NULL};
  planes b = {is_double, p->conj_b, (void*)p->b, NULL, NULL};
  planes c = {is_double, false, p->c, NULL, NULL};
  TFC_TRY(make_planes(ctx, &a, n_a));
  TFC_TRY(make_planes(ctx, &b, n_b));
  TFC_TRY(make_planes(ctx, &c, n_c));
  tfc_parallel_for(ctx, n_a, 0.5, split_range, &a);
  tfc_parallel_for(ctx, n_b, 0.5, split_range, &b);
  p->dtype = is_double ? TFC_DOUBLE : TFC_FLOAT;
  TFC_TRY(multiply_planes(ctx, p, c.imaginary, a.real, b.imaginary, 0));
  TFC_TRY(multiply_planes(ctx, p, c.imaginary, a.imaginary, b.real, GEMM_ACCUMULATE));
  TFC_TRY(multiply_planes(ctx, p, c.real, a.real, b.real, 0));
  tfc_parallel_for(ctx, n_b, 0.3, negate_range, &b);
  TFC_TRY(multiply_planes(ctx, p, c.real, a.imaginary, b.imaginary, GEMM_ACCUMULATE));
  tfc_parallel_for(ctx, n_c, 0.5, join_range, &c);
  return TFC_OK;
}

/* ---- Integers: W is an unsigned type in which products of T may wrap; signed ones have the same
 * bits. Items of the parallel loop are rows of c. */

#define INTEGER_ROWS(NAME, T, W)                                                                \
  static void NAME(void* arg, int64_t begin, int64_t end) {                                     \
    const product* p = arg;                                                                     \
    const int64_t m = p->m, n = p->n, k = p->k, a_cs = p->a_cs, b_rs = p->b_rs, b_cs = p->b_cs; \
    for (int64_t row = begin; row < end; row++) {                                               \
      const T* a = (const T*)p->a + a_index(p, row / m) * m * k + row % m * p->a_rs;            \
      const T* b = (const T*)p->b + b_index(p, row / m) * k * n;                                \
      T* c = (T*)p->c + row * n;                                                                \
      if (b_cs == 1) {                                                                          \
        memset(c, 0, (size_t)n * sizeof(T));                                                    \
        for (int64_t q = 0; q < k; q++) {                                                       \
          const W x = a[q * a_cs];                                                              \
          for (int64_t j = 0; j < n; j++) c[j] = (T)((W)c[j] + x * (W)b[q * b_rs + j]);         \
        }                                                                                       \
      } else {                                                                                  \
        for (int64_t j = 0; j < n; j++) {                                                       \
          W sum = 0;                                                                            \
          for (int64_t q = 0; q < k; q++) sum += (W)a[q * a_cs] * (W)b[j * b_cs + q * b_rs];    \
          c[j] = (T)sum;                                                                        \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
  }
INTEGER_ROWS(integer_rows_1, uint8_t, uint32_t)
INTEGER_ROWS(integer_rows_2, uint16_t, uint32_t)
INTEGER_ROWS(integer_rows_4, uint32_t, uint32_t)
INTEGER_ROWS(integer_rows_8, uint64_t, uint64_t)

static int multiply_integers(tfc_context* ctx, product* p) {
  tfc_range_fn rows;
  switch (tfc_dtype_size(p->dtype)) {
    case 1: rows = integer_rows_1; break;
    case 2: rows = integer_rows_2; break;
    case 4: rows = integer_rows_4; break;
    default: rows = integer_rows_8; break;
  }
  tfc_parallel_for(ctx, p->batch * p->m, 10 + 0.2 * (double)p->n * (double)p->k, rows, p);
  return TFC_OK;
}

int matmul_multiply(tfc_context* ctx, product* p) {
  if (p->batch == 0 || p->m == 0 || p->n == 0) return TFC_OK;
  switch (p->dtype) {
    case TFC_FLOAT:
    case TFC_DOUBLE: return multiply_real(ctx, p);
    case TFC_HALF:
    case TFC_BFLOAT16: return multiply_16bit(ctx, p);
    case TFC_COMPLEX64:
    case TFC_COMPLEX128: return multiply_complex(ctx, p);
    default: return multiply_integers(ctx, p);
  }
}

/* ---- Shapes. */

static void set_matrices(product* p, const tfc_tensor* a, const tfc_tensor* b,
                         const matmul_shape* s) {
  p->dtype = a->dtype;
  p->a = a->data;
  p->b = b->data;
  p->m = s->m;
  p->n = s->n;
  p->k = s->k;
  p->a_rs = s->a_rs;
  p->a_cs = s->a_cs;
  p->b_rs = s->b_rs;
  p->b_cs = s->b_cs;
}

static int take_matrices(tfc_context* ctx, product* p, int flags) {
  matmul_shape s = {0};
  TFC_TRY(matmul_fit(ctx, flags, &s));
  set_matrices(p, ctx->inputs[0], ctx->inputs[1], &s);
  p->batch = p->n_a = p->n_b = 1;
  return TFC_OK;
}

static int make_matrix(tfc_context* ctx, product* p) {
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){p->m, p->n}));
  p->c = ctx->outputs[0].data;
  return TFC_OK;
}

static int prepare_matmul(tfc_context* ctx, product* p, int flags) {
  TFC_TRY(take_matrices(ctx, p, flags));
  return make_matrix(ctx, p);
}

/* ---- MatMul. */

static int create_MatMul(tfc_construction* c, void** state) {
  return matmul_flags(c, "transpose_a", "transpose_b", state);
}

static int compute_MatMul(tfc_context* ctx) {
  product p = {0};
  TFC_TRY(prepare_matmul(ctx, &p, (int)(intptr_t)ctx->state));
  return matmul_multiply(ctx, &p);
}

/* ---- BatchMatMul, BatchMatMulV2. */

static int create_BatchMatMul(tfc_construction* c, void** state) {
  return matmul_flags(c, "adj_x", "adj_y", state);
}

/* Fills of[i] with the matrix of t that makes output matrix i, for batch dims that broadcast. */
static void broadcast_index(int64_t* of, const tfc_tensor* t, int rank, const int64_t* dims,
                            int64_t batch) {
  int64_t stride[TFC_MAX_RANK], index[TFC_MAX_RANK] = {0}, at = 0;
  matmul_batch_strides(t, rank, stride);
  for (int64_t i = 0; i < batch; i++) {
    of[i] = at;
    for (int d = rank - 1; d >= 0; d--) {
      at += stride[d];
      if (++index[d] < dims[d]) break;
      at -= stride[d] * dims[d];
      index[d] = 0;
    }
  }
}

/* The rest of a batch product of x and y, whose shape is known. */
static int multiply_batch(tfc_context* ctx, const tfc_tensor* x, const tfc_tensor* y,
                          const matmul_shape* s) {
  const int flags = (int)(intptr_t)ctx->state, rank = s->rank - 2;
  product p = {0};
  set_matrices(&p, x, y, s);
  p.conj_a = flags & TRANSPOSE_A;
  p.conj_b = flags & TRANSPOSE_B;
  p.batch = tfc_count(rank, s->dims);
  p.n_a = tfc_count(x->rank - 2, x->dims);
  p.n_b = tfc_count(y->rank - 2, y->dims);
  TFC_TRY(tfc_output(ctx, 0, s->rank, s->dims));
  p.c = ctx->outputs[0].data;
  const bool index_x = p.n_a != 1 && p.n_a != p.batch, index_y = p.n_b != 1 && p.n_b != p.batch;
  if (p.batch && (index_x || index_y)) {
    int64_t* of = tfc_scratch(ctx, 2 * (size_t)p.batch * sizeof(int64_t));
    if (!of) return TFC_RESOURCE_EXHAUSTED;
    if (index_x) {
      broadcast_index(of, x, rank, s->dims, p.batch);
      p.a_of = of;
    }
    if (index_y) {
      broadcast_index(of + p.batch, y, rank, s->dims, p.batch);
      p.b_of = of + p.batch;
    }
  }
  return matmul_multiply(ctx, &p);
}

static int compute_BatchMatMul(tfc_context* ctx) {
  matmul_shape s = {0};
  TFC_TRY(matmul_fit_batch(ctx, (int)(intptr_t)ctx->state, &s));
  return multiply_batch(ctx, ctx->inputs[0], ctx->inputs[1], &s);
}

static int compute_BatchMatMulV2(tfc_context* ctx) {
  matmul_shape s = {0};
  TFC_TRY(matmul_fit_batch_v2(ctx, (int)(intptr_t)ctx->state, &s));
  return multiply_batch(ctx, ctx->inputs[0], ctx->inputs[1], &s);
}

/* ---- BatchMatMulV3: the types may differ; narrow integers become the type of the result first. */

typedef struct widening {
  const tfc_tensor* from;
  tfc_tensor to;
} widening;

static void widen_integers(void* arg, int64_t begin, int64_t end) {
  const widening* w = arg;
  for (int64_t i = begin; i < end; i++) {
    const int32_t x = w->from->dtype == TFC_INT8 ? ((const int8_t*)w->from->data)[i]
                                                 : ((const uint8_t*)w->from->data)[i];
    if (w->to.dtype == TFC_INT32)
      ((int32_t*)w->to.data)[i] = x;
    else
      ((tfc_bfloat16*)w->to.data)[i] = tfc_float_to_bfloat16((float)x);
  }
}

static int as_type(tfc_context* ctx, int32_t dtype, const tfc_tensor* t, widening* w) {
  *w = (widening){t, *t};
  if (t->dtype == dtype) return TFC_OK;
  w->to.dtype = dtype;
  w->to.data = tfc_scratch(ctx, (size_t)t->n * tfc_dtype_size(dtype) + 1);
  if (!w->to.data) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, t->n, 0.5, widen_integers, w);
  return TFC_OK;
}

static int compute_BatchMatMulV3(tfc_context* ctx) {
  matmul_shape s = {0};
  widening x, y;
  TFC_TRY(matmul_fit_batch_v2(ctx, (int)(intptr_t)ctx->state, &s));
  TFC_TRY(as_type(ctx, ctx->outputs[0].dtype, ctx->inputs[0], &x));
  TFC_TRY(as_type(ctx, ctx->outputs[0].dtype, ctx->inputs[1], &y));
  return multiply_batch(ctx, &x.to, &y.to, &s);
}

/* ---- _FusedMatMul: MatMul, then BiasAdd, then an activation. */

typedef struct fused_state {
  int flags;
  bool bias;
  activation activation;
  float alpha;
} fused_state;

static int parse_fused_ops(tfc_construction* c, fused_state* s) {
  static const char* const names[] = {[RELU] = "Relu", [RELU6] = "Relu6",
                                      [ELU] = "Elu",   [LEAKY_RELU] = "LeakyRelu",
                                      [TANH] = "Tanh", [SIGMOID] = "Sigmoid"};
  int n = 1;
  for (int i = 0; i < n; i++) {
    const char* name = "";
    size_t size = 0;
    TFC_TRY(c->api->attr_strings(c, "fused_ops", i, &name, &size, &n));
    if (n == 0) break;
    activation found = LINEAR;
    for (activation x = RELU; x <= SIGMOID; x++) {
      if (size == strlen(names[x]) && memcmp(name, names[x], size) == 0) found = x;
    }
    if (i == 0 && size == 7 && memcmp(name, "BiasAdd", size) == 0) {
      s->bias = true;
    } else if (found && i == n - 1) {
      s->activation = found;
    } else {
      return c->api->error(c, TFC_UNIMPLEMENTED,
                           "Fusion is not implemented: %.*s as fused op %d of %d", (int)size, name,
                           i + 1, n);
    }
  }
  return TFC_OK;
}

static int create_FusedMatMul(tfc_construction* c, void** state) {
  fused_state s = {0};
  void* flags;
  double alpha;
  TFC_TRY(matmul_flags(c, "transpose_a", "transpose_b", &flags));
  TFC_TRY(c->api->attr_float(c, "leakyrelu_alpha", &alpha));
  TFC_TRY(parse_fused_ops(c, &s));
  if (c->n_inputs != 2 + s.bias)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Fused MatMul must have %d extra arguments, but has %d", (int)s.bias,
                         c->n_inputs - 2);
  s.flags = (int)(intptr_t)flags;
  s.alpha = (float)alpha;
  fused_state* copy = malloc(sizeof s);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *copy = s;
  *state = copy;
  return TFC_OK;
}

static int compute_FusedMatMul(tfc_context* ctx) {
  const fused_state* s = ctx->state;
  product p = {0};
  TFC_TRY(prepare_matmul(ctx, &p, s->flags));
  if (s->bias) {
    const tfc_tensor* bias = ctx->inputs[2];
    if (bias->rank != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "bias must be 1-dimensional: %s",
                       tfc_shape_text(bias).text);
    if (bias->n != p.n)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "bias must have as many elements as the product has columns: %s vs. [%lld,%lld]",
          tfc_shape_text(bias).text, (long long)p.m, (long long)p.n);
    p.bias = bias->data;
  }
  p.flags = s->activation == RELU ? GEMM_RELU : s->activation == RELU6 ? GEMM_RELU6 : 0;
  p.activation = s->activation;
  p.alpha = s->alpha;
  return matmul_multiply(ctx, &p);
}

/* ---- _MatMulColumns: some columns of a product, those of `size` from `begin` on. */

typedef struct columns {
  int flags;
  int64_t begin, size;
} columns;

static int create_MatMulColumns(tfc_construction* c, void** state) {
  columns s = {0};
  void* flags;
  TFC_TRY(matmul_flags(c, "transpose_a", "transpose_b", &flags));
  TFC_TRY(c->api->attr_int(c, "begin", &s.begin));
  TFC_TRY(c->api->attr_int(c, "size", &s.size));
  s.flags = (int)(intptr_t)flags;
  columns* copy = malloc(sizeof s);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *copy = s;
  *state = copy;
  return TFC_OK;
}

static int compute_MatMulColumns(tfc_context* ctx) {
  const columns* s = ctx->state;
  product p = {0};
  TFC_TRY(take_matrices(ctx, &p, s->flags));
  if (s->begin < 0 || s->size < 0 || s->size > p.n || s->begin > p.n - s->size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%lld columns from %lld on of a product that has %lld", (long long)s->size,
                     (long long)s->begin, (long long)p.n);
  if (p.k) /* else there may be no memory behind b */
    p.b = (const char*)p.b + s->begin * p.b_cs * (int64_t)tfc_dtype_size(p.dtype);
  p.n = s->size;
  TFC_TRY(make_matrix(ctx, &p));
  return matmul_multiply(ctx, &p);
}

/* ---- _MatMulAddN: the sum of several products. */

static int prepare_terms(tfc_context* ctx, gemm_args* terms, product* p) {
  const int count = ctx->n_inputs / 2;
  for (int i = 0; i < count; i++) {
    const tfc_tensor *a = ctx->inputs[i], *b = ctx->inputs[count + i];
    if (a->rank != 2 || b->rank != 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] is not a matrix. Instead it has shape %s",
                       a->rank != 2 ? i : count + i, tfc_shape_text(a->rank != 2 ? a : b).text);
    matmul_shape s = {0};
    TFC_TRY(matmul_fit_two(ctx, a, b, (int)(intptr_t)ctx->state, &s));
    set_matrices(p, a, b, &s);
    terms[i] = matrix_args(p, 0);
    if (terms[i].m != terms->m || terms[i].n != terms->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Inputs must have the same size and shape.  Input 0: [%lld,%lld] != input "
                       "%d: [%lld,%lld]",
                       (long long)terms->m, (long long)terms->n, i, (long long)terms[i].m,
                       (long long)terms[i].n);
  }
  return TFC_OK;
}

static int compute_MatMulAddN(tfc_context* ctx) {
  const int count = ctx->n_inputs / 2;
  product p = {.batch = 1, .n_a = 1, .n_b = 1};
  gemm_args* terms = tfc_scratch(ctx, (size_t)count * sizeof *terms);
  if (!terms) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(prepare_terms(ctx, terms, &p));
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){p.m, p.n}));
  for (int i = 0; i < count; i++) terms[i].c = ctx->outputs[0].data;
  const bool done = p.dtype == TFC_FLOAT ? gemm_sum_float(ctx, terms, count, GEMM_NEW)
                                         : gemm_sum_double(ctx, terms, count, GEMM_NEW);
  return done ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

/* ---- Registration. */

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MatMul",
            "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES "|" TFC_TYPES_UNSIGNED
            "|" TFC_TYPES_COMPLEX,
            compute_MatMul, .create = create_MatMul),
    TFC_ROW("BatchMatMul", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES "|" TFC_TYPES_COMPLEX,
            compute_BatchMatMul, .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV2",
            "T=" TFC_TYPES_FLOATS "|int16|" TFC_TYPES_INDICES "|" TFC_TYPES_UNSIGNED
            "|" TFC_TYPES_COMPLEX,
            compute_BatchMatMulV2, .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=bfloat16;Tb=bfloat16;Tout=bfloat16", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=half;Tb=half;Tout=half", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=float;Tb=float;Tout=float", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=double;Tb=double;Tout=double", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=int16;Tb=int16;Tout=int16", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=int32;Tb=int32;Tout=int32", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=int64;Tb=int64;Tout=int64", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=complex64;Tb=complex64;Tout=complex64", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=complex128;Tb=complex128;Tout=complex128", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=int8|uint8;Tb=int8|uint8;Tout=int32", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=int8|uint8;Tb=bfloat16;Tout=bfloat16", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("BatchMatMulV3", "Ta=bfloat16;Tb=int8|uint8;Tout=bfloat16", compute_BatchMatMulV3,
            .create = create_BatchMatMul),
    TFC_ROW("_FusedMatMul", "T=" TFC_TYPES_FLOATS, compute_FusedMatMul,
            TFC_STATE(create_FusedMatMul)),
    TFC_ROW("_MatMulColumns", "T=" TFC_TYPES_WIDE_FLOATS, compute_MatMulColumns,
            TFC_STATE(create_MatMulColumns)),
    TFC_ROW("_MatMulAddN", "T=" TFC_TYPES_WIDE_FLOATS, compute_MatMulAddN, .create = create_MatMul),
};
TFC_REGISTER_KERNELS(kernels);
