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

/* Lines of n real values, or of their n / 2 + 1 frequencies, along the last dimension; n is even.
 */
typedef struct real_job {
  const void *plan, *roots; /* of n / 2; the n-th */
  const void* x;
  void* y;
  int64_t n, row; /* row: elements from one line of x to the next */
  /* The dimensions before the last that are transformed, two at most: sizes in y and in x. */
  int64_t sizes[2], given[2];
  int64_t n_lines, lines_per_task;
  bool inverse, failed;
} real_job;

/* The line of x that belongs to a line of y. */
static int64_t source_line(const real_job* job, int64_t line) {
  const int64_t last = line % job->sizes[1], rest = line / job->sizes[1];
  const int64_t first = rest % job->sizes[0], batch = rest / job->sizes[0];
  return (batch * job->given[0] + first) * job->given[1] + last;
}

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

/* ---- Real values. Half-length transforms serve even lengths; for others, values become complex.
 */

/* The lengths; checks that the input has enough elements. */
static int read_lengths(tfc_context* ctx, int axes, bool inverse, int64_t* lengths) {
  const tfc_tensor *x = ctx->inputs[0], *given = ctx->inputs[1];
  if (x->rank < axes)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must have rank of at least %d but got: %s",
                     axes, tfc_shape_text(x).text);
  if (given->rank != 1 || given->n != axes)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "fft_length must have shape [%d], not %s", axes,
                     tfc_shape_text(given).text);
  for (int i = 0; i < axes; i++) {
    lengths[i] = tfc_index_at(given, i);
    if (lengths[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "fft_length[%d] must >= 0, but got: %lld", i,
                       (long long)lengths[i]);
    const int axis = x->rank - axes + i;
    const bool halved = inverse && i == axes - 1;
    const int64_t least = halved && lengths[i] ? lengths[i] / 2 + 1 : lengths[i];
    if (x->dims[axis] < least && x->dims[axis] != 0) /* no elements count as zeros */
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input dimension %d must have length of at least %lld but got: %lld", axis,
                       (long long)least, (long long)x->dims[axis]);
  }
  return TFC_OK;
}

/* Complex transforms along the dimensions before the last one, of a tensor with these sizes. */
static int transform_before_last(tfc_context* ctx, void* data, int rank, const int64_t* dims,
                                 int axes, bool inverse, bool is_double) {
  fft_job job = {.x = data, .y = data, .stride = dims[rank - 1], .inverse = inverse};
  job.is_double = is_double;
  const int64_t count = tfc_product(rank, dims);
  for (int axis = rank - 2; axis >= rank - axes; axis--) {
    job.n_lines = count / dims[axis];
    TFC_TRY(transform_axis(ctx, &job, dims[axis]));
    job.stride *= dims[axis];
  }
  return TFC_OK;
}

static int transform_half(tfc_context* ctx, real_job* job, bool is_double) {
  fft_plan_float plan_float;
  fft_plan_double plan_double;
  TFC_TRY(is_double ? plan_real_double(ctx, job, &plan_double)
                    : plan_real_float(ctx, job, &plan_float));
  job->lines_per_task = TFC_MAX(1, TFC_MIN(2 * TASK_NUMBERS / job->n, MOST_LINES));
  const int64_t tasks = (job->n_lines + job->lines_per_task - 1) / job->lines_per_task;
  tfc_parallel_for(ctx, tasks, 20 + 2.5 * (double)(job->n * job->lines_per_task),
                   is_double ? real_lines_double : real_lines_float, job);
  return job->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

static double part(const void* data, bool is_double, int64_t i) {
  return is_double ? ((const double*)data)[i] : (double)((const float*)data)[i];
}

static void put(void* data, bool is_double, int64_t i, double value) {
  if (is_double)
    ((double*)data)[i] = value;
  else
    ((float*)data)[i] = (float)value;
}

/* Any length: the line as n complex numbers. */
static int transform_whole(tfc_context* ctx, const real_job* job, bool is_double) {
  const int64_t n = job->n, half = n / 2 + 1, total = job->n_lines * n;
  void* z = tfc_scratch_items(ctx, 2 * total, is_double ? sizeof(double) : sizeof(float));
  if (!z) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t at = 0; at < total; at++) {
    const int64_t i = at % n, from = source_line(job, at / n) * job->row;
    const bool mirrored = job->inverse && i >= half, edge = i == 0 || 2 * i == n;
    const int64_t place = from + (mirrored ? n - i : i);
    const double im = job->inverse && !edge ? part(job->x, is_double, 2 * place + 1) : 0;
    put(z, is_double, 2 * at, part(job->x, is_double, job->inverse ? 2 * place : place));
    put(z, is_double, 2 * at + 1, mirrored ? -im : im);
  }
  fft_job whole = {.x = z, .y = z, .stride = 1, .n_lines = job->n_lines, .inverse = job->inverse};
  whole.is_double = is_double;
  TFC_TRY(transform_axis(ctx, &whole, n));
  for (int64_t at = 0; job->inverse && at < total; at++)
    put(job->y, is_double, at, part(z, is_double, 2 * at));
  for (int64_t at = 0; !job->inverse && at < 2 * job->n_lines * half; at++)
    put(job->y, is_double, at, part(z, is_double, at / (2 * half) * 2 * n + at % (2 * half)));
  return TFC_OK;
}

static int transform_real(tfc_context* ctx, real_job* job, bool is_double) {
  const bool half = job->n % 2 == 0 && is_smooth(job->n / 2);
  return half ? transform_half(ctx, job, is_double) : transform_whole(ctx, job, is_double);
}

static int fill_with_zeros(tfc_tensor* t) {
  memset(t->data, 0, (size_t)t->n * tfc_dtype_size(t->dtype));
  return TFC_OK;
}

/* Fills in the sizes of the dimensions before the last that are transformed. */
static void cut(const tfc_tensor* x, int axes, const int64_t* lengths, real_job* job,
                int64_t* dims) {
  for (int i = 0; i < 2; i++) job->sizes[i] = job->given[i] = 1;
  for (int i = 0; i < axes - 1; i++) {
    const int at = 2 - (axes - 1) + i, axis = x->rank - axes + i;
    job->given[at] = x->dims[axis];
    job->sizes[at] = dims[axis] = lengths[i];
  }
}

static int rfft(tfc_context* ctx, int axes) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t lengths[3] = {0}, dims[TFC_MAX_RANK];
  TFC_TRY(read_lengths(ctx, axes, false, lengths));
  memcpy(dims, x->dims, sizeof dims);
  real_job job = {.x = x->data, .n = lengths[axes - 1], .row = x->dims[x->rank - 1]};
  cut(x, axes, lengths, &job, dims);
  dims[x->rank - 1] = job.n ? job.n / 2 + 1 : 0;
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  job.y = out->data;
  if (x->n == 0) return fill_with_zeros(out);
  job.n_lines = out->n / dims[x->rank - 1];
  const bool is_double = x->dtype == TFC_DOUBLE;
  TFC_TRY(transform_real(ctx, &job, is_double));
  return transform_before_last(ctx, out->data, x->rank, dims, axes, false, is_double);
}

/* The frequencies that are used, of which the dimensions before the last are transformed. */
static int begin_inverse(tfc_context* ctx, int axes, real_job* job, const int64_t* dims) {
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t half = job->n / 2 + 1;
  const size_t size = tfc_dtype_size(x->dtype);
  char* copy = tfc_scratch_items(ctx, job->n_lines * half, size);
  if (!copy) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t line = 0; line < job->n_lines; line++)
    memcpy(copy + (size_t)(line * half) * size,
           (const char*)x->data + (size_t)(source_line(job, line) * job->row) * size,
           (size_t)half * size);
  int64_t sizes[TFC_MAX_RANK];
  memcpy(sizes, dims, sizeof sizes);
  sizes[x->rank - 1] = job->row = half;
  for (int i = 0; i < 2; i++) job->given[i] = job->sizes[i];
  job->x = copy;
  return transform_before_last(ctx, copy, x->rank, sizes, axes, true, x->dtype == TFC_COMPLEX128);
}

static int irfft(tfc_context* ctx, int axes) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t lengths[3] = {0}, dims[TFC_MAX_RANK];
  TFC_TRY(read_lengths(ctx, axes, true, lengths));
  memcpy(dims, x->dims, sizeof dims);
  real_job job = {.x = x->data, .n = lengths[axes - 1], .row = x->dims[x->rank - 1]};
  job.inverse = true;
  cut(x, axes, lengths, &job, dims);
  dims[x->rank - 1] = job.n;
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  job.y = out->data;
  if (x->n == 0) return fill_with_zeros(out);
  job.n_lines = out->n / job.n;
  if (axes > 1) TFC_TRY(begin_inverse(ctx, axes, &job, dims));
  return transform_real(ctx, &job, x->dtype == TFC_COMPLEX128);
}

#define REAL_KERNEL(NAME, FUNCTION, AXES) \
  static int NAME(tfc_context* ctx) {     \
    return FUNCTION(ctx, AXES);           \
  }
REAL_KERNEL(rfft1, rfft, 1)
REAL_KERNEL(rfft2, rfft, 2)
REAL_KERNEL(rfft3, rfft, 3)
REAL_KERNEL(irfft1, irfft, 1)
REAL_KERNEL(irfft2, irfft, 2)
REAL_KERNEL(irfft3, irfft, 3)

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
    TFC_ROW("RFFT", "Treal=float;Tcomplex=complex64", rfft1),
    TFC_ROW("RFFT", "Treal=double;Tcomplex=complex128", rfft1),
    TFC_ROW("RFFT2D", "Treal=float;Tcomplex=complex64", rfft2),
    TFC_ROW("RFFT2D", "Treal=double;Tcomplex=complex128", rfft2),
    TFC_ROW("RFFT3D", "Treal=float;Tcomplex=complex64", rfft3),
    TFC_ROW("RFFT3D", "Treal=double;Tcomplex=complex128", rfft3),
    TFC_ROW("IRFFT", "Treal=float;Tcomplex=complex64", irfft1),
    TFC_ROW("IRFFT", "Treal=double;Tcomplex=complex128", irfft1),
    TFC_ROW("IRFFT2D", "Treal=float;Tcomplex=complex64", irfft2),
    TFC_ROW("IRFFT2D", "Treal=double;Tcomplex=complex128", irfft2),
    TFC_ROW("IRFFT3D", "Treal=float;Tcomplex=complex64", irfft3),
    TFC_ROW("IRFFT3D", "Treal=double;Tcomplex=complex128", irfft3),
    TFC_ROW("BatchFFT", "", fft1),
    TFC_ROW("BatchFFT2D", "", fft2),
    TFC_ROW("BatchFFT3D", "", fft3),
    TFC_ROW("BatchIFFT", "", ifft1),
    TFC_ROW("BatchIFFT2D", "", ifft2),
    TFC_ROW("BatchIFFT3D", "", ifft3),
};
TFC_REGISTER_KERNELS(kernels);
