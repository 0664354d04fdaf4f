/* Discrete Fourier transforms over the last one, two or three dimensions. Lengths with large prime
 * factors are convolutions (Bluestein's algorithm), in double precision. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"

/* The lines of a tensor along one dimension. x and y may be the same. */
typedef struct fft_job {
  const void* plan; /* of the length */
  const void* x;
  void* y;
  int64_t stride; /* between the elements of a line */
  int64_t n_lines, lines_per_task;
  bool inverse, is_double, failed;
} fft_job;

enum { TILE = 16 }; /* elements of a line that are moved at a time */

static int64_t first_element(const fft_job* job, int64_t n, int64_t line) {
  return line / job->stride * job->stride * n + line % job->stride;
}

#define T float
#include "kernels_c/linalg/fft_type.h"

#define T double
#include "kernels_c/linalg/fft_type.h"

enum { LARGEST_RADIX = 31 };

static bool is_smooth(int64_t n) {
  for (int radix = 2; radix <= LARGEST_RADIX; radix++)
    while (n % radix == 0) n /= radix;
  return n == 1;
}

/* ---- Bluestein: 2 j k = j^2 + k^2 - (j - k)^2, so that a transform is a convolution with a chirp.
 */

typedef struct chirp_plan {
  fft_plan_double convolution; /* a power of two that is at least 2 n - 1 */
  int64_t n;
  double *re, *im;               /* exp(-pi i k^2 / n) */
  double *filter_re, *filter_im; /* the transformed conjugate chirp, divided by the power of two */
} chirp_plan;

static int plan_chirp(tfc_context* ctx, int64_t n, chirp_plan* p) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  p->n = n;
  TFC_TRY(plan_length_double(ctx, m, &p->convolution));
  p->re = tfc_scratch_items(ctx, 2 * n + 4 * m, sizeof *p->re);
  if (!p->re) return TFC_RESOURCE_EXHAUSTED;
  p->im = p->re + n;
  double *re = p->im + n, *im = re + m, *re2 = im + m, *im2 = re2 + m;
  memset(re, 0, (size_t)(2 * m) * sizeof *re);
  for (int64_t k = 0, square = 0; k < n; k++) { /* square: k^2 modulo 2 n */
    const double turn = -M_PI * (double)square / (double)n;
    p->re[k] = cos(turn);
    p->im[k] = sin(turn);
    re[k] = re[(m - k) % m] = p->re[k] / (double)m;
    im[k] = im[(m - k) % m] = -p->im[k] / (double)m;
    square = (square + 2 * k + 1) % (2 * n);
  }
  transform_double(&p->convolution, 1, &re, &im, &re2, &im2);
  p->filter_re = re;
  p->filter_im = im;
  return TFC_OK;
}

/* (*re + i *im) *= wr + i wi */
static inline void multiply(double* re, double* im, double wr, double wi) {
  const double r = *re;
  *re = r * wr - *im * wi;
  *im = r * wi + *im * wr;
}

static void chirp_lines(void* arg, int64_t begin, int64_t end) {
  fft_job* job = arg;
  const chirp_plan* p = job->plan;
  const int64_t n = p->n, m = p->convolution.n, stride = job->stride;
  double* memory = malloc((size_t)(4 * m) * sizeof *memory);
  if (!memory) {
    __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
    return;
  }
  const double sign = job->inverse ? -1 : 1, scale = job->inverse ? 1 / (double)n : 1;
  double *re = memory, *im = re + m, *re2 = im + m, *im2 = re2 + m;
  for (int64_t line = begin; line < end; line++) {
    const int64_t first = first_element(job, n, line);
    for (int64_t i = 0; i < n; i++) {
      const int64_t at = 2 * (first + i * stride);
      re[i] = job->is_double ? ((const double*)job->x)[at] : ((const float*)job->x)[at];
      im[i] = job->is_double ? ((const double*)job->x)[at + 1] : ((const float*)job->x)[at + 1];
      im[i] *= sign;
      multiply(re + i, im + i, p->re[i], p->im[i]);
    }
    for (int64_t i = n; i < m; i++) re[i] = im[i] = 0;
    transform_double(&p->convolution, 1, &re, &im, &re2, &im2);
    for (int64_t i = 0; i < m; i++) { /* the inverse transform by conjugates */
      multiply(re + i, im + i, p->filter_re[i], p->filter_im[i]);
      im[i] = -im[i];
    }
    transform_double(&p->convolution, 1, &re, &im, &re2, &im2);
    for (int64_t i = 0; i < n; i++) {
      const int64_t at = 2 * (first + i * stride);
      im[i] = -im[i];
      multiply(re + i, im + i, p->re[i] * scale, p->im[i] * scale);
      if (job->is_double) {
        ((double*)job->y)[at] = re[i];
        ((double*)job->y)[at + 1] = sign * im[i];
      } else {
        ((float*)job->y)[at] = (float)re[i];
        ((float*)job->y)[at + 1] = (float)(sign * im[i]);
      }
    }
  }
  free(memory);
}

/* ---- Dimensions of a tensor */

/* Numbers of all lines of a task, so that they stay in a cache. */
enum { TASK_NUMBERS = 1 << 15, MOST_LINES = 16 };

static int transform_axis(tfc_context* ctx, fft_job* job, int64_t n) {
  fft_plan_float plan_float;
  fft_plan_double plan_double;
  chirp_plan plan_of_chirp;
  tfc_range_fn work;
  if (!is_smooth(n)) {
    TFC_TRY(plan_chirp(ctx, n, &plan_of_chirp));
    job->plan = &plan_of_chirp;
    job->lines_per_task = 1;
    work = chirp_lines;
  } else {
    job->lines_per_task = TFC_MAX(1, TFC_MIN(TASK_NUMBERS / n, MOST_LINES));
    work = job->is_double ? smooth_lines_double : smooth_lines_float;
    job->plan = job->is_double ? (void*)&plan_double : (void*)&plan_float;
    if (job->is_double)
      TFC_TRY(plan_length_double(ctx, n, &plan_double));
    else
      TFC_TRY(plan_length_float(ctx, n, &plan_float));
  }
  const int64_t tasks = (job->n_lines + job->lines_per_task - 1) / job->lines_per_task;
  const double cost = (work == chirp_lines ? 60.0 : 4.0) * (double)(n * job->lines_per_task);
  tfc_parallel_for(ctx, tasks, 20 + cost, work, job);
  return job->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

static int fft(tfc_context* ctx, int axes, bool inverse) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < axes)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must have rank of at least %d but got: %s",
                     axes, tfc_shape_text(x).text);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  fft_job job = {.x = x->data,
                 .y = ctx->outputs[0].data,
                 .stride = 1,
                 .inverse = inverse,
                 .is_double = x->dtype == TFC_COMPLEX128};
  for (int axis = x->rank - 1; axis >= x->rank - axes; axis--) {
    const int64_t n = x->dims[axis];
    job.n_lines = x->n / n;
    TFC_TRY(transform_axis(ctx, &job, n));
    job.stride *= n;
    job.x = job.y;
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
