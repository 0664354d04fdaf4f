/* Singular values and eigenvalues of batches of matrices.
 *
 * A batch is spread over the threads of the pool; one loop of NumPy treats all matrices of a range.
 * LAPACK gets no threads of its own meanwhile: those of OpenBLAS spin while they wait for each
 * other, and on processors that others use, too, take many times longer than one thread.
 */
#include "registry/lapack.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

tfc_lapack tfc_lapack_loops;

/* ---- Threads of LAPACK: their number is one of the process. */

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static int n_calls, threads_before;

static void begin_call(void) {
  if (!tfc_lapack_loops.set_threads) return;
  pthread_mutex_lock(&threads_lock);
  if (n_calls++ == 0) {
    threads_before = tfc_lapack_loops.get_threads();
    tfc_lapack_loops.set_threads(1);
  }
  pthread_mutex_unlock(&threads_lock);
}

static void end_call(void) {
  if (!tfc_lapack_loops.set_threads) return;
  pthread_mutex_lock(&threads_lock);
  if (--n_calls == 0) tfc_lapack_loops.set_threads(threads_before);
  pthread_mutex_unlock(&threads_lock);
}

void tfc_lapack_after_fork(void) {
  pthread_mutex_init(&threads_lock, NULL); /* a thread of the parent may have held it */
  if (n_calls > 0) tfc_lapack_loops.set_threads(threads_before);
  n_calls = 0;
}

typedef float _Complex complex64;
typedef double _Complex complex128;

typedef struct decomposition_attrs {
  bool vectors, full;
} decomposition_attrs;

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int type_index(int32_t dtype) {
  return dtype == TFC_FLOAT ? 0 : dtype == TFC_DOUBLE ? 1 : dtype == TFC_COMPLEX64 ? 2 : 3;
}

static bool is_complex(int32_t dtype) {
  return dtype == TFC_COMPLEX64 || dtype == TFC_COMPLEX128;
}

/* ---- Elements */

static bool finite_reals(const void* data, int64_t n, bool wide) {
  bool finite = true; /* x - x is 0, or NaN */
  if (wide)
    for (int64_t i = 0; i < n; i++)
      finite &= ((const double*)data)[i] - ((const double*)data)[i] == 0;
  else
    for (int64_t i = 0; i < n; i++)
      finite &= ((const float*)data)[i] - ((const float*)data)[i] == 0;
  return finite;
}

static bool all_finite(const void* data, int64_t n, int32_t dtype) {
  return finite_reals(data, is_complex(dtype) ? 2 * n : n,
                      dtype == TFC_DOUBLE || dtype == TFC_COMPLEX128);
}

static void fill(void* data, int64_t n, int32_t dtype, double value) {
  for (int64_t i = 0; i < n; i++) switch (dtype) {
      case TFC_FLOAT: ((float*)data)[i] = (float)value; break;
      case TFC_DOUBLE: ((double*)data)[i] = value; break;
      case TFC_COMPLEX64: ((complex64*)data)[i] = (float)value; break;
      default: ((complex128*)data)[i] = value;
    }
}

static bool is_nan(const void* data, int32_t dtype) {
  return dtype == TFC_FLOAT || dtype == TFC_COMPLEX64 ? isnan(*(const float*)data)
                                                      : isnan(*(const double*)data);
}

static void conjugate(void* data, int64_t n, int32_t dtype) {
  if (dtype == TFC_COMPLEX64)
    for (int64_t i = 0; i < n; i++) ((float*)data)[2 * i + 1] *= -1;
  if (dtype == TFC_COMPLEX128)
    for (int64_t i = 0; i < n; i++) ((double*)data)[2 * i + 1] *= -1;
}

/* Unit matrices of n x n in the whole tensor. */
static void fill_with_units(tfc_tensor* t, int64_t n) {
  const size_t size = tfc_dtype_size(t->dtype);
  memset(t->data, 0, (size_t)t->n * size);
  for (int64_t i = 0; i < t->n; i++)
    if (i % (n * n) % (n + 1) == 0) fill((char*)t->data + (size_t)i * size, 1, t->dtype, 1);
}

/* ---- Shapes */

static int64_t batch_of(const tfc_tensor* x) {
  int64_t batch = 1;
  for (int i = 0; i < x->rank - 2; i++) batch *= x->dims[i];
  return batch;
}

static int check(tfc_context* ctx, const tfc_tensor* x, bool square) {
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got %d",
                     x->rank);
  const int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
  if (square && rows != columns)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input matrix must be square. It has %lld rows and %lld columns.",
                     (long long)rows, (long long)columns);
  if (rows > INT32_MAX || columns > INT32_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "LAPACK takes at most %d rows and columns, got %lld x %lld", INT32_MAX,
                     (long long)rows, (long long)columns);
  return TFC_OK;
}

/* Output i: the batch of x with matrices of rows x columns, or with vectors if columns is -1. */
static int make_output(tfc_context* ctx, int i, const tfc_tensor* x, int64_t rows,
                       int64_t columns) {
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank - 2] = rows;
  if (columns >= 0) dims[x->rank - 1] = columns;
  return tfc_output(ctx, i, columns < 0 ? x->rank - 1 : x->rank, dims);
}

/* What is not computed has no elements, as its static shape says. */
static int no_output(tfc_context* ctx, int i) {
  return tfc_output(ctx, i, 1, (const int64_t[]){0});
}

/* ---- Calls */

enum { MOST_ARGS = 4, MOST_STRIDES = 7 };

/* A call of a loop for one matrix. */
typedef struct call {
  const tfc_lapack_loop* loop;
  int n_args, n_dims, n_strides;
  char* args[MOST_ARGS];
  ptrdiff_t steps[MOST_ARGS]; /* bytes from one matrix to the next */
  ptrdiff_t dims[3], strides[MOST_STRIDES];
} call;

static void add_arg(call* c, const void* data, ptrdiff_t step) {
  c->args[c->n_args] = (char*)data;
  c->steps[c->n_args++] = step;
}

static void add_strides(call* c, ptrdiff_t first, ptrdiff_t second) {
  c->strides[c->n_strides++] = first;
  if (second) c->strides[c->n_strides++] = second;
}

/* Treats the matrices [begin, end). */
static void run_call(const call* c, int64_t begin, int64_t end) {
  char* args[MOST_ARGS];
  ptrdiff_t dims[4] = {end - begin}, steps[MOST_ARGS + MOST_STRIDES];
  for (int i = 0; i < c->n_args; i++) {
    args[i] = c->args[i] + begin * c->steps[i];
    steps[i] = c->steps[i];
  }
  memcpy(dims + 1, c->dims, sizeof c->dims);
  memcpy(steps + c->n_args, c->strides, (size_t)c->n_strides * sizeof *steps);
  c->loop->run(args, dims, steps, c->loop->data);
}

/* ---- Singular values and eigenvalues: one input, and outputs of which the first is values. */

typedef struct job {
  call call;
  tfc_tensor *values, *vectors[2]; /* vectors: NULL where there are none */
  const void* in;
  int64_t n, rows, columns; /* values, and sizes of a matrix */
  int64_t value_step;       /* elements of the output from one matrix's values to the next's */
  int32_t dtype;
  bool lower; /* only the lower triangle is read */
  bool nan_for_nan;
  int failed;
} job;

static bool is_finite_matrix(const job* p, int64_t k) {
  const size_t size = tfc_dtype_size(p->dtype);
  const char* a = (const char*)p->in + (size_t)(k * p->rows * p->columns) * size;
  if (!p->lower) return all_finite(a, p->rows * p->columns, p->dtype);
  bool all = true;
  for (int64_t i = 0; i < p->rows; i++)
    all &= all_finite(a + (size_t)(i * p->columns) * size, i + 1, p->dtype);
  return all;
}

static void* values_of(const job* p, int64_t k) {
  return (char*)p->values->data + (size_t)(k * p->value_step) * tfc_dtype_size(p->values->dtype);
}

static void fill_matrix(const job* p, tfc_tensor* t, int64_t k, int64_t batch, double value) {
  const int64_t n = t->n / batch;
  fill((char*)t->data + (size_t)(k * n) * tfc_dtype_size(t->dtype), n, t->dtype, value);
}

static void treat(job* p, int64_t begin, int64_t end) {
  for (int64_t k = begin; k < end; k++) { /* for a loop that has no memory and does nothing */
    memset(values_of(p, k), 0, (size_t)p->n * tfc_dtype_size(p->values->dtype));
    fill(values_of(p, k), 1, p->values->dtype, NAN);
  }
  run_call(&p->call, begin, end);
  for (int64_t k = begin; k < end; k++)
    if (is_nan(values_of(p, k), p->values->dtype)) {
      tfc_lapack_loops.forget_error();
      __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    }
}

static void treat_range(void* arg, int64_t begin, int64_t end) {
  job* p = arg;
  while (begin < end) { /* finite matrices that follow each other are one call */
    int64_t next = begin;
    while (next < end && is_finite_matrix(p, next)) next++;
    if (next > begin) treat(p, begin, next);
    if (next == end) return;
    if (!p->nan_for_nan) __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
    const int64_t batch = p->values->n / p->value_step;
    fill_matrix(p, p->values, next, batch, NAN);
    for (int i = 0; i < 2; i++)
      if (p->vectors[i]) fill_matrix(p, p->vectors[i], next, batch, NAN);
    begin = next + 1;
  }
}

/* Rough time of a decomposition with `passes` products of matrices. */
static double cost(const job* p, double passes) {
  const double size = (double)p->rows * (double)p->columns;
  return 1000 + 60 * (double)(p->rows + p->columns) + passes * 0.3 * size * (double)p->n;
}

static int run_job(tfc_context* ctx, job* p, double passes, const char* message) {
  const int64_t batch = batch_of(ctx->inputs[0]);
  if (batch == 0 || p->n == 0) return TFC_OK;
  p->in = ctx->inputs[0]->data;
  p->values = &ctx->outputs[0];
  begin_call();
  tfc_parallel_for(ctx, batch, cost(p, passes), treat_range, p);
  end_call();
  return p->failed ? tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", message) : TFC_OK;
}

static const char svd_failed[] =
    "Singular value decomposition was not successful. The input might not be valid.";

static int svd(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const decomposition_attrs* attrs = ctx->state;
  if (check(ctx, x, false) != TFC_OK) return TFC_INVALID_ARGUMENT;
  const int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1], least = smaller(m, n);
  const int64_t us = attrs->full ? m : least, vs = attrs->full ? n : least;
  const ptrdiff_t size = (ptrdiff_t)tfc_dtype_size(x->dtype);
  int code = make_output(ctx, 0, x, least, -1);
  if (code == TFC_OK) code = attrs->vectors ? make_output(ctx, 1, x, m, us) : no_output(ctx, 1);
  if (code == TFC_OK) code = attrs->vectors ? make_output(ctx, 2, x, n, vs) : no_output(ctx, 2);
  if (code != TFC_OK) return code;
  tfc_tensor *u = &ctx->outputs[1], *v = &ctx->outputs[2];
  if (least == 0) { /* there may be vectors nevertheless: any that are orthogonal */
    if (u->n) fill_with_units(u, m);
    if (v->n) fill_with_units(v, n);
    return TFC_OK;
  }
  const tfc_lapack_loop* loops = !attrs->vectors ? tfc_lapack_loops.singular_values
                                 : attrs->full   ? tfc_lapack_loops.full_svd
                                                 : tfc_lapack_loops.svd;
  job p = {.dtype = x->dtype, .n = least, .rows = m, .columns = n, .value_step = least};
  p.nan_for_nan = true;
  p.call = (call){.loop = &loops[type_index(x->dtype)], .dims = {m, n, least}};
  add_arg(&p.call, x->data, m * n * size);
  add_strides(&p.call, n * size, size);
  if (attrs->vectors) {
    add_arg(&p.call, u->data, m * us * size);
    add_strides(&p.call, us * size, size);
    p.vectors[0] = u;
  }
  add_arg(&p.call, ctx->outputs[0].data, least * size);
  add_strides(&p.call, size, 0);
  if (attrs->vectors) { /* LAPACK gives the adjoint of v */
    add_arg(&p.call, v->data, n * vs * size);
    add_strides(&p.call, size, vs * size);
    p.vectors[1] = v;
  }
  code = run_job(ctx, &p, attrs->vectors ? 20 : 3, svd_failed);
  if (code == TFC_OK && attrs->vectors) conjugate(v->data, v->n, x->dtype);
  return code;
}

static const char eig_failed[] =
    "Eigen decomposition was not successful. The input might not be valid.";
static const char self_adjoint_eig_failed[] =
    "Self-adjoint eigen decomposition was not successful. The input might not be valid.";

/* Eigenvalues of the n x n matrices go to `e`, eigenvectors to `v` unless it is NULL. */
static int eigen(tfc_context* ctx, const tfc_lapack_loop* loop, void* e, int64_t e_step, void* v,
                 int64_t v_step, double passes, bool lower) {
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t n = x->dims[x->rank - 1];
  const ptrdiff_t size = (ptrdiff_t)tfc_dtype_size(x->dtype);
  const ptrdiff_t out_size = (ptrdiff_t)tfc_dtype_size(ctx->outputs[0].dtype);
  job p = {
      .dtype = x->dtype, .n = n, .rows = n, .columns = n, .value_step = e_step, .lower = lower};
  p.call = (call){.loop = loop, .dims = {n}};
  add_arg(&p.call, x->data, n * n * size);
  add_strides(&p.call, n * size, size);
  add_arg(&p.call, e, e_step * out_size);
  add_strides(&p.call, out_size, 0);
  if (v) {
    add_arg(&p.call, v, v_step * out_size);
    add_strides(&p.call, n * out_size, out_size);
  }
  return run_job(ctx, &p, passes, lower ? self_adjoint_eig_failed : eig_failed);
}

static int self_adjoint_eig(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (check(ctx, x, true) != TFC_OK) return TFC_INVALID_ARGUMENT;
  const int64_t n = x->dims[x->rank - 1];
  const int code = make_output(ctx, 0, x, n + 1, n);
  if (code != TFC_OK) return code;
  char* out = ctx->outputs[0].data;
  return eigen(ctx, &tfc_lapack_loops.self_adjoint_eig[type_index(x->dtype)], out, (n + 1) * n,
               n ? out + (size_t)n * tfc_dtype_size(x->dtype) : NULL, (n + 1) * n, 9, true);
}

static int self_adjoint_eig_v2(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const decomposition_attrs* attrs = ctx->state;
  if (check(ctx, x, true) != TFC_OK) return TFC_INVALID_ARGUMENT;
  const int64_t n = x->dims[x->rank - 1];
  int code = make_output(ctx, 0, x, n, -1);
  if (code == TFC_OK) code = attrs->vectors ? make_output(ctx, 1, x, n, n) : no_output(ctx, 1);
  if (code != TFC_OK) return code;
  const tfc_lapack_loop* loops =
      attrs->vectors ? tfc_lapack_loops.self_adjoint_eig : tfc_lapack_loops.self_adjoint_values;
  return eigen(ctx, &loops[type_index(x->dtype)], ctx->outputs[0].data, n,
               attrs->vectors ? ctx->outputs[1].data : NULL, n * n, attrs->vectors ? 9 : 2, true);
}

/* NumPy may have no loop for complex64: then its input and its results are converted. */
static int wide_eig(tfc_context* ctx, bool vectors) {
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t n = x->dims[x->rank - 1], batch = batch_of(x);
  complex128* work = tfc_scratch(ctx, (size_t)(2 * x->n + batch * n + 1) * sizeof *work);
  if (!work) return TFC_RESOURCE_EXHAUSTED;
  complex128 *e = work + x->n, *v = e + batch * n;
  for (int64_t i = 0; i < x->n; i++) work[i] = ((const complex64*)x->data)[i];
  const tfc_lapack_loop* loops = vectors ? tfc_lapack_loops.eig : tfc_lapack_loops.values;
  const ptrdiff_t size = sizeof(complex128);
  call c = {.loop = &loops[type_index(TFC_COMPLEX128)], .dims = {n}};
  add_arg(&c, work, n * n * size);
  add_strides(&c, n * size, size);
  add_arg(&c, e, n * size);
  add_strides(&c, size, 0);
  if (vectors) {
    add_arg(&c, v, n * n * size);
    add_strides(&c, n * size, size);
  }
  for (int64_t i = 0; i < batch * n; i++) e[i] = NAN;
  const bool valid = all_finite(work, x->n, TFC_COMPLEX128);
  begin_call();
  if (valid && batch && n) run_call(&c, 0, batch);
  end_call();
  if (!valid || !all_finite(e, batch * n, TFC_COMPLEX128)) {
    tfc_lapack_loops.forget_error();
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", eig_failed);
  }
  for (int64_t i = 0; i < batch * n; i++) ((complex64*)ctx->outputs[0].data)[i] = (complex64)e[i];
  for (int64_t i = 0; vectors && i < x->n; i++)
    ((complex64*)ctx->outputs[1].data)[i] = (complex64)v[i];
  return TFC_OK;
}

static int general_eig(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const decomposition_attrs* attrs = ctx->state;
  if (check(ctx, x, true) != TFC_OK) return TFC_INVALID_ARGUMENT;
  const int64_t n = x->dims[x->rank - 1];
  int code = make_output(ctx, 0, x, n, -1);
  if (code == TFC_OK) code = attrs->vectors ? make_output(ctx, 1, x, n, n) : no_output(ctx, 1);
  if (code != TFC_OK) return code;
  const tfc_lapack_loop* loops = attrs->vectors ? tfc_lapack_loops.eig : tfc_lapack_loops.values;
  const tfc_lapack_loop* loop = &loops[type_index(x->dtype)];
  if (!loop->run) return wide_eig(ctx, attrs->vectors);
  return eigen(ctx, loop, ctx->outputs[0].data, n, attrs->vectors ? ctx->outputs[1].data : NULL,
               n * n, attrs->vectors ? 25 : 10, false);
}

static int create(tfc_construction* c, void** state) {
  decomposition_attrs attrs = {.vectors = true};
  int code = TFC_OK;
  if (strstr(c->op_type, "Svd")) {
    code = c->api->attr_bool(c, "compute_uv", &attrs.vectors);
    if (code == TFC_OK) code = c->api->attr_bool(c, "full_matrices", &attrs.full);
  } else {
    code = c->api->attr_bool(c, "compute_v", &attrs.vectors);
  }
  if (code != TFC_OK) return code;
  if (!(*state = malloc(sizeof attrs)))
    return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  memcpy(*state, &attrs, sizeof attrs);
  return TFC_OK;
}

#define WITH_STATE .create = create, .destroy = free
#define ROW(OP, TYPES, COMPUTE, ...) \
  {.op = OP, .device = "CPU", .types = TYPES, .compute = COMPUTE, __VA_ARGS__}

const tfc_kernel_def tfc_decompositions[TFC_N_DECOMPOSITIONS] = {
    ROW("Svd", "T=float|double|complex64|complex128", svd, WITH_STATE),
    ROW("BatchSvd", "T=float|double|complex64|complex128", svd, WITH_STATE),
    ROW("SelfAdjointEig", "T=float|double", self_adjoint_eig),
    ROW("BatchSelfAdjointEig", "T=float|double", self_adjoint_eig),
    ROW("SelfAdjointEigV2", "T=float|double|complex64|complex128", self_adjoint_eig_v2, WITH_STATE),
    ROW("BatchSelfAdjointEigV2", "T=float|double", self_adjoint_eig_v2, WITH_STATE),
    ROW("Eig", "T=float;Tout=complex64", general_eig, WITH_STATE),
    ROW("Eig", "T=double;Tout=complex128", general_eig, WITH_STATE),
    ROW("Eig", "T=complex64;Tout=complex64", general_eig, WITH_STATE),
    ROW("Eig", "T=complex128;Tout=complex128", general_eig, WITH_STATE),
};
