/* MatrixSquareRoot, MatrixLogarithm.
 *
 * Both are computed from the Schur form a = u t u*, with an upper triangular t, in double precision
 * whatever the type: the recurrences for functions of t lose digits, and these ops are rare. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/linalg/linalg.h"

TFC_ONE_LEVEL;

typedef float _Complex complex64;
typedef double _Complex complex128;

enum {
  MATRICES = 4,         /* of scratch memory: t, u and two others */
  PARTS = 64,           /* of the batch, at most, each with scratch memory of its own */
  STEPS_PER_VALUE = 60, /* QR steps until an eigenvalue counts as not found */
  STEPS_PER_NUDGE = 10, /* steps until a shift of another kind breaks a cycle */
  MOST_ROOTS = 1100,    /* square roots until any regular matrix is near the unit matrix */
  NODES = 7             /* of the quadrature for logarithms */
};

/* Gauss-Legendre quadrature on [0, 1]; exact to double precision for log(1 + x) if |x| is at most
 * NEAR_ONE. Source: N. Higham, "Functions of Matrices", SIAM, 2008, chapter 11. */
#define NEAR_ONE 0.25
static const double nodes[NODES] = {
    0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5,
    0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
static const double weights[NODES] = {
    0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248, 0.20897959183673469388,
    0.19091502525255947248,  0.13985269574463833395, 0.064742483084434846635};

typedef struct function_job {
  tfc_context* ctx;
  int64_t n, batch, parts;
  complex128* scratch;
  bool logarithm;
} function_job;

/* ---- The Schur form */

/* a = p* a p with a Hessenberg matrix a, u = p; v: n elements. */
static void to_hessenberg(tfc_context* ctx, complex128* a, complex128* u, complex128* v,
                          int64_t n) {
  for (int64_t k = 0; k + 2 < n && !tfc_cancelled(ctx); k++) {
    double rest = 0;
    for (int64_t i = k + 2; i < n; i++) rest = hypot(rest, cabs(a[i * n + k]));
    if (rest == 0) continue;
    const complex128 first = a[(k + 1) * n + k];
    const double length = hypot(cabs(first), rest);
    const complex128 phase = first == 0 ? 1 : first / cabs(first);
    for (int64_t i = k + 1; i < n; i++) v[i] = a[i * n + k];
    v[k + 1] += phase * length;
    double size = 0;
    for (int64_t i = k + 1; i < n; i++) size = hypot(size, cabs(v[i]));
    for (int64_t i = k + 1; i < n; i++) v[i] /= size;
    for (int64_t j = k; j < n; j++) {
      complex128 sum = 0;
      for (int64_t i = k + 1; i < n; i++) sum += conj(v[i]) * a[i * n + j];
      for (int64_t i = k + 1; i < n; i++) a[i * n + j] -= 2 * sum * v[i];
    }
    for (int64_t r = 0; r < 2 * n; r++) { /* the rows of a, then of u */
      complex128 *row = r < n ? a + r * n : u + (r - n) * n, sum = 0;
      for (int64_t j = k + 1; j < n; j++) sum += row[j] * v[j];
      for (int64_t j = k + 1; j < n; j++) row[j] -= 2 * sum * conj(v[j]);
    }
    for (int64_t i = k + 2; i < n; i++) a[i * n + k] = 0;
  }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last element. */
static complex128 shift_of(const complex128* a, int64_t n, int64_t last) {
  const complex128 p = a[(last - 1) * n + last - 1], q = a[(last - 1) * n + last];
  const complex128 r = a[last * n + last - 1], s = a[last * n + last], half = (p - s) / 2;
  complex128 root = csqrt(half * half + q * r);
  if (creal(half) * creal(root) + cimag(half) * cimag(root) < 0) root = -root;
  return half + root == 0 ? s : s - q * r / (half + root);
}

/* One QR step on the rows [first, last]. */
static void qr_step(complex128* a, complex128* u, int64_t n, int64_t first, int64_t last,
                    complex128 shift) {
  for (int64_t k = first; k < last; k++) {
    const complex128 x = k == first ? a[k * n + k] - shift : a[k * n + k - 1];
    const complex128 y = k == first ? a[(k + 1) * n + k] : a[(k + 1) * n + k - 1];
    const double length = hypot(cabs(x), cabs(y));
    if (length == 0) continue;
    const complex128 c = x / length, s = y / length;
    for (int64_t j = k == first ? k : k - 1; j < n; j++) {
      const complex128 above = a[k * n + j], below = a[(k + 1) * n + j];
      a[k * n + j] = conj(c) * above + conj(s) * below;
      a[(k + 1) * n + j] = c * below - s * above;
    }
    const int64_t end = k + 2 < last ? k + 3 : last + 1;
    for (int64_t r = 0; r < end + n; r++) { /* the rows of a, then of u */
      complex128* row = r < end ? a + r * n : u + (r - end) * n;
      const complex128 left = row[k], right = row[k + 1];
      row[k] = left * c + right * s;
      row[k + 1] = right * conj(c) - left * conj(s);
    }
    if (k > first) a[(k + 1) * n + k - 1] = 0;
  }
}

/* a becomes t. False if the method does not converge. */
static bool schur(tfc_context* ctx, complex128* a, complex128* u, complex128* v, int64_t n) {
  for (int64_t i = 0; i < n * n; i++) u[i] = i % (n + 1) == 0;
  to_hessenberg(ctx, a, u, v, n);
  int steps = 0;
  for (int64_t last = n - 1; last > 0;) {
    int64_t first = last;
    for (; first > 0; first--) {
      const double low = cabs(a[first * n + first - 1]);
      const double size = cabs(a[first * (n + 1)]) + cabs(a[(first - 1) * (n + 1)]);
      if (low <= DBL_EPSILON * size || low < DBL_MIN) break;
    }
    if (first > 0) a[first * n + first - 1] = 0;
    if (first == last) {
      last--;
      steps = 0;
      continue;
    }
    if (++steps > STEPS_PER_VALUE || tfc_cancelled(ctx)) return false;
    const bool nudge = steps % STEPS_PER_NUDGE == 0;
    qr_step(a, u, n, first, last,
            nudge ? a[last * (n + 1)] + cabs(a[last * n + last - 1]) : shift_of(a, n, last));
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++) a[i * n + j] = 0;
  return true;
}

/* ---- Functions of an upper triangular matrix */

/* r r = t. Source: A. Bjorck, S. Hammarling, "A Schur method for the square root of a matrix",
 * Linear Algebra Appl. 52, 1983. */
static void triangular_root(tfc_context* ctx, const complex128* t, complex128* r, int64_t n) {
  memset(r, 0, (size_t)(n * n) * sizeof *r);
  for (int64_t j = 0; j < n && !tfc_cancelled(ctx); j++) {
    r[j * n + j] = csqrt(t[j * n + j]);
    for (int64_t i = j - 1; i >= 0; i--) {
      complex128 rest = t[i * n + j];
      for (int64_t k = i + 1; k < j; k++) rest -= r[i * n + k] * r[k * n + j];
      r[i * n + j] = rest / (r[i * n + i] + r[j * n + j]);
    }
  }
}

/* The largest sum of magnitudes in a column of t - 1. */
static double distance_from_one(const complex128* t, int64_t n) {
  double most = 0;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i <= j; i++) sum += cabs(t[i * n + j] - (i == j));
    if (!(sum <= most)) most = sum;
  }
  return most;
}

/* out += weight * x (1 + node x)^-1, where x = t - 1, upper triangular. */
static void add_node(tfc_context* ctx, const complex128* t, complex128* out, complex128* row,
                     int64_t n, double node, double weight) {
  for (int64_t i = 0; i < n && !tfc_cancelled(ctx); i++) /* y (1 + node x) = x, row by row */
    for (int64_t j = i; j < n; j++) {
      complex128 rest = t[i * n + j] - (i == j);
      for (int64_t k = i; k < j; k++) rest -= row[k] * node * t[k * n + j];
      row[j] = rest / (1 + node * (t[j * n + j] - 1));
      out[i * n + j] += weight * row[j];
    }
}

/* out = log(t), by 2^k log(t^(1 / 2^k)); other: as large as t. False if t is singular. */
static bool triangular_log(tfc_context* ctx, complex128* t, complex128* out, complex128* other,
                           complex128* row, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (t[i * n + i] == 0) return false;
    row[i] = clog(t[i * n + i]);
  }
  memcpy(other + n * n, row, (size_t)n * sizeof *row);
  int roots = 0;
  for (double far; !((far = distance_from_one(t, n)) <= NEAR_ONE); roots++) {
    if (roots == MOST_ROOTS || isnan(far) || tfc_cancelled(ctx)) return false;
    triangular_root(ctx, t, other, n);
    memcpy(t, other, (size_t)(n * n) * sizeof *t);
  }
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int k = 0; k < NODES; k++) add_node(ctx, t, out, row, n, nodes[k], weights[k]);
  for (int64_t i = 0; i < n * n; i++) out[i] *= ldexp(1, roots);
  /* The roots of diagonal elements came near 1 and lost digits. */
  for (int64_t i = 0; i < n; i++) out[i * n + i] = other[n * n + i];
  return true;
}

/* ---- Matrices */

static void load(const void* data, int32_t dtype, int64_t begin, int64_t n, complex128* out) {
  for (int64_t i = 0; i < n; i++) switch (dtype) {
      case TFC_FLOAT: out[i] = ((const float*)data)[begin + i]; break;
      case TFC_DOUBLE: out[i] = ((const double*)data)[begin + i]; break;
      case TFC_COMPLEX64: out[i] = ((const complex64*)data)[begin + i]; break;
      default: out[i] = ((const complex128*)data)[begin + i];
    }
}

static void store(const complex128* x, void* data, int32_t dtype, int64_t begin, int64_t n) {
  for (int64_t i = 0; i < n; i++) switch (dtype) {
      case TFC_FLOAT: ((float*)data)[begin + i] = (float)creal(x[i]); break;
      case TFC_DOUBLE: ((double*)data)[begin + i] = creal(x[i]); break;
      case TFC_COMPLEX64: ((complex64*)data)[begin + i] = (complex64)x[i]; break;
      default: ((complex128*)data)[begin + i] = x[i];
    }
}

static bool all_finite(const complex128* x, int64_t n) {
  bool finite = true;
  for (int64_t i = 0; i < n; i++) finite &= isfinite(creal(x[i])) && isfinite(cimag(x[i]));
  return finite;
}

/* Whether t, of a real matrix, has an eigenvalue on the negative axis: then no real root is a
 * function of the matrix. */
static bool has_negative_eigenvalue(const complex128* t, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n * n; i++) most = fmax(most, cabs(t[i]));
  const double rounding = 16 * (double)n * DBL_EPSILON * most;
  bool found = false;
  for (int64_t i = 0; i < n; i++)
    found |= creal(t[i * n + i]) < -rounding && fabs(cimag(t[i * n + i])) <= rounding;
  return found;
}

/* out = u f u*; other: as large as f. */
static void turn_back(tfc_context* ctx, const complex128* u, const complex128* f, complex128* other,
                      complex128* out, int64_t n) {
  memset(other, 0, (size_t)(n * n) * sizeof *other);
  for (int64_t i = 0; i < n && !tfc_cancelled(ctx); i++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = k; j < n; j++) other[i * n + j] += u[i * n + k] * f[k * n + j];
  for (int64_t i = 0; i < n && !tfc_cancelled(ctx); i++)
    for (int64_t j = 0; j < n; j++) {
      complex128 sum = 0;
      for (int64_t k = 0; k < n; k++) sum += other[i * n + k] * conj(u[j * n + k]);
      out[i * n + j] = sum;
    }
}

/* Makes the largest part of an element one of [1, 4), by a power of 4. Returns half its exponent.
 */
static int normalize(complex128* x, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fmax(fabs(creal(x[i])), fabs(cimag(x[i]))));
  if (most == 0) return 0;
  const int half = (int)floor(ilogb(most) / 2.0);
  for (int64_t i = 0; i < n; i++)
    x[i] = CMPLX(ldexp(creal(x[i]), -2 * half), ldexp(cimag(x[i]), -2 * half));
  return half;
}

/* Makes f, the function of a triangular matrix x, that of 4^half x. */
static void scale_back(complex128* f, int64_t n, int half, bool logarithm) {
  for (int64_t i = 0; i < n * n; i++)
    if (!logarithm)
      f[i] *= ldexp(1, half);
    else if (i % (n + 1) == 0)
      f[i] += 2 * half * log(2);
}

/* The matrices [begin, end), in scratch memory for one. */
static void compute_part(const function_job* p, complex128* scratch, int64_t begin, int64_t end) {
  const tfc_tensor* x = p->ctx->inputs[0];
  const int64_t n = p->n, size = n * n;
  const bool real = x->dtype == TFC_FLOAT || x->dtype == TFC_DOUBLE;
  for (int64_t m = begin; m < end && !tfc_cancelled(p->ctx); m++) {
    complex128 *t = scratch, *u = t + size, *f = u + size;
    complex128 *row = f + size, *other = row + n, *out = t;
    load(x->data, x->dtype, m * size, size, t);
    bool done = all_finite(t, size);
    const int half = done ? normalize(t, size) : 0;
    done = done && schur(p->ctx, t, u, row, n);
    if (real) done = done && !has_negative_eigenvalue(t, n);
    if (done && p->logarithm)
      done = triangular_log(p->ctx, t, f, other, row, n);
    else if (done)
      triangular_root(p->ctx, t, f, n);
    if (done) {
      scale_back(f, n, half, p->logarithm);
      turn_back(p->ctx, u, f, other, out, n);
    } else {
      for (int64_t i = 0; i < size; i++) out[i] = CMPLX(NAN, NAN);
    }
    store(out, p->ctx->outputs[0].data, x->dtype, m * size, size);
  }
}

static int64_t scratch_elements(int64_t n) {
  return MATRICES * n * n + 2 * n;
}

static void compute_parts(void* arg, int64_t begin, int64_t end) {
  const function_job* p = arg;
  for (int64_t k = begin; k < end; k++)
    compute_part(p, p->scratch + k * scratch_elements(p->n), p->batch * k / p->parts,
                 p->batch * (k + 1) / p->parts);
}

static int compute(tfc_context* ctx, bool logarithm) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_square(ctx, x));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  const int64_t n = x->dims[x->rank - 1], batch = x->n / (n * n);
  function_job p = {.ctx = ctx, .n = n, .batch = batch, .logarithm = logarithm};
  p.parts = TFC_MIN(batch, PARTS);
  p.scratch = tfc_scratch(ctx, (size_t)(p.parts * scratch_elements(n)) * sizeof *p.scratch);
  if (!p.scratch) return TFC_RESOURCE_EXHAUSTED;
  const double cube = (double)n * (double)n * (double)n;
  const double cost = (200 + (logarithm ? 60 : 40) * cube) * (double)batch / (double)p.parts;
  tfc_parallel_for(ctx, p.parts, cost, compute_parts, &p);
  return tfc_cancelled(ctx) ? TFC_CANCELLED : TFC_OK;
}

static int square_root(tfc_context* ctx) {
  return compute(ctx, false);
}

static int logarithm(tfc_context* ctx) {
  return compute(ctx, true);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MatrixSquareRoot", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, square_root),
    TFC_ROW("MatrixLogarithm", "T=" TFC_TYPES_COMPLEX, logarithm),
};
TFC_REGISTER_KERNELS(kernels);
