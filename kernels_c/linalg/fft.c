/* Discrete Fourier transforms over the last one, two or three dimensions, computed in double
 * precision: radix two for powers of two, Bluestein's convolution for other lengths. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"

typedef double _Complex z;

/* Plain multiplication: the compiler's built-in one calls a function for NaNs. */
static inline z mul(z a, z b) {
  const double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return CMPLX(ar * br - ai * bi, ar * bi + ai * br);
}

/* exp(-2 pi i k / n), exact for quarter turns. */
static z root(int64_t k, int64_t n) {
  const double turn = -2 * M_PI * (double)(k % n) / (double)n;
  if (4 * (k % n) % n == 0) {
    static const double cosines[] = {1, 0, -1, 0};
    const int64_t quarter = 4 * (k % n) / n;
    return CMPLX(cosines[quarter], -cosines[(quarter + 3) % 4]);
  }
  return CMPLX(cos(turn), sin(turn));
}

/* How to transform lines of one length. */
typedef struct fft_plan {
  int64_t n, m; /* length; the power of two that is computed with */
  z* roots;     /* of the m-th order, m / 2 of them */
  z* chirp;     /* n; NULL for powers of two */
  z* filter;    /* m: the transformed conjugate chirp */
} fft_plan;

static void transform_power_of_two(const fft_plan* p, z* x) {
  const int64_t m = p->m;
  for (int64_t i = 1, j = 0; i < m; i++) {
    int64_t bit = m >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const z t = x[i];
      x[i] = x[j];
      x[j] = t;
    }
  }
  for (int64_t half = 1; half < m; half *= 2)
    for (int64_t first = 0; first < m; first += 2 * half)
      for (int64_t k = 0; k < half; k++) {
        z *a = x + first + k, *b = a + half;
        const z t = mul(*b, p->roots[k * (m / 2 / half)]);
        *b = *a - t;
        *a += t;
      }
}

/* x has room for m numbers; n are given. */
static void transform(const fft_plan* p, z* x) {
  if (!p->chirp) {
    transform_power_of_two(p, x);
    return;
  }
  for (int64_t i = 0; i < p->n; i++) x[i] = mul(x[i], p->chirp[i]);
  for (int64_t i = p->n; i < p->m; i++) x[i] = 0;
  transform_power_of_two(p, x);
  for (int64_t i = 0; i < p->m; i++) x[i] = conj(mul(x[i], p->filter[i]));
  transform_power_of_two(p, x);
  for (int64_t i = 0; i < p->n; i++) x[i] = mul(conj(x[i]) / (double)p->m, p->chirp[i]);
}

/* Tables in scratch memory. */
static int plan_length(tfc_context* ctx, int64_t n, fft_plan* p) {
  const bool power = (n & (n - 1)) == 0;
  *p = (fft_plan){.n = n, .m = 1};
  while (p->m < (power ? n : 2 * n - 1)) p->m *= 2;
  p->roots = tfc_scratch(ctx, (size_t)(p->m / 2 + 1) * sizeof(z));
  if (!p->roots) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t k = 0; k < p->m / 2; k++) p->roots[k] = root(k, p->m);
  if (power) return TFC_OK;
  z* chirp = tfc_scratch(ctx, (size_t)n * sizeof(z));
  p->filter = tfc_scratch(ctx, (size_t)p->m * sizeof(z));
  if (!chirp || !p->filter) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < p->m; i++) p->filter[i] = 0;
  for (int64_t k = 0, square = 0; k < n; k++) {
    chirp[k] = root(square, 2 * n);
    p->filter[k] = p->filter[(p->m - k) % p->m] = conj(chirp[k]);
    square = (square + 2 * k + 1) % (2 * n);
  }
  transform_power_of_two(p, p->filter);
  p->chirp = chirp;
  return TFC_OK;
}

/* ---- Lines of a tensor along one dimension. */

typedef struct fft_job {
  fft_plan plan;
  z* data;
  int64_t stride; /* between the elements of a line */
  bool inverse;
  int failed;
} fft_job;

static void transform_lines(void* arg, int64_t begin, int64_t end) {
  fft_job* job = arg;
  const int64_t n = job->plan.n, stride = job->stride;
  z* line = malloc((size_t)job->plan.m * sizeof(z));
  if (!line) {
    __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t l = begin; l < end; l++) {
    z* x = job->data + l / stride * stride * n + l % stride;
    for (int64_t i = 0; i < n; i++) line[i] = job->inverse ? conj(x[i * stride]) : x[i * stride];
    transform(&job->plan, line);
    for (int64_t i = 0; i < n; i++)
      x[i * stride] = job->inverse ? conj(line[i]) / (double)n : line[i];
  }
  free(line);
}

static int fft(tfc_context* ctx, int axes, bool inverse) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < axes)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must have rank of at least %d but got: %s",
                     axes, tfc_shape_text(x).text);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  z* data = tfc_scratch(ctx, (size_t)x->n * sizeof(z));
  if (!data) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < x->n; i++)
    data[i] =
        x->dtype == TFC_COMPLEX64 ? ((const float _Complex*)x->data)[i] : ((const z*)x->data)[i];
  int64_t stride = 1;
  for (int axis = x->rank - 1; axis >= x->rank - axes; axis--) {
    fft_job job = {.data = data, .stride = stride, .inverse = inverse};
    const int64_t n = x->dims[axis];
    TFC_TRY(plan_length(ctx, n, &job.plan));
    tfc_parallel_for(ctx, x->n / n, 20 + 10.0 * (double)job.plan.m, transform_lines, &job);
    if (job.failed) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    stride *= n;
  }
  for (int64_t i = 0; i < x->n; i++) {
    if (x->dtype == TFC_COMPLEX64)
      ((float _Complex*)ctx->outputs[0].data)[i] = (float _Complex)data[i];
    else
      ((z*)ctx->outputs[0].data)[i] = data[i];
  }
  return TFC_OK;
}

#define FFT_KERNEL(NAME, AXES, INVERSE) \
  static int NAME(tfc_context* ctx) {   \
    return fft(ctx, AXES, INVERSE);     \
  }
FFT_KERNEL(fft1, 1, false)
FFT_KERNEL(fft2, 2, false)
FFT_KERNEL(fft3, 3, false)
FFT_KERNEL(ifft1, 1, true)
FFT_KERNEL(ifft2, 2, true)
FFT_KERNEL(ifft3, 3, true)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("FFT", "Tcomplex=" TFC_TYPES_COMPLEX, fft1),
    TFC_ROW("FFT2D", "Tcomplex=" TFC_TYPES_COMPLEX, fft2),
    TFC_ROW("FFT3D", "Tcomplex=" TFC_TYPES_COMPLEX, fft3),
    TFC_ROW("IFFT", "Tcomplex=" TFC_TYPES_COMPLEX, ifft1),
    TFC_ROW("IFFT2D", "Tcomplex=" TFC_TYPES_COMPLEX, ifft2),
    TFC_ROW("IFFT3D", "Tcomplex=" TFC_TYPES_COMPLEX, ifft3),
    TFC_ROW("BatchFFT", "", fft1),
    TFC_ROW("BatchFFT2D", "", fft2),
    TFC_ROW("BatchFFT3D", "", fft3),
    TFC_ROW("BatchIFFT", "", ifft1),
    TFC_ROW("BatchIFFT2D", "", ifft2),
    TFC_ROW("BatchIFFT3D", "", ifft3),
};
TFC_REGISTER_KERNELS(kernels);
