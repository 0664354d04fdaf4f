/* AudioSpectrogram: magnitudes of the frequencies in windows of sounds, by Fourier transforms of
 * real numbers in double precision. linalg/fft.c transforms complex lines of any length; a power of
 * two and real input take half the work. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct spectrogram_state {
  int64_t window, stride;
  bool squared;
} spectrogram_state;

/* Tables for one length. A transform of n real numbers is one of n / 2 complex ones: those with
 * even indices are the real parts. */
typedef struct fft_tables {
  int64_t n, half;
  double* window;          /* Hann's */
  double *cosines, *sines; /* of stages of 2, 4, ... n / 2 numbers, at 1, 2, ... n / 4 */
  double *mix_re, *mix_im; /* exp(-2 pi i k / n) / 2i, for k up to n / 2 */
  int32_t* place;          /* [n / 2]: indices with their bits reversed */
} fft_tables;

typedef struct spectrogram_run {
  tfc_context* ctx;
  const spectrogram_state* state;
  const float* input; /* [samples, channels] */
  float* out;         /* [channels, rows, n / 2 + 1] */
  int64_t channels, rows;
  fft_tables fft;
  bool failed;
} spectrogram_run;

/* ---- Tables. */

static int64_t power_of_two(int64_t at_least) {
  int64_t n = 1;
  while (n < at_least) n *= 2;
  return n;
}

static void fill_tables(fft_tables* t, int64_t window) {
  for (int64_t i = 0; i < window; i++)
    t->window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)window);
  for (int64_t size = 1; size < t->half; size *= 2)
    for (int64_t k = 0; k < size; k++) {
      const double angle = -M_PI * (double)k / (double)size;
      t->cosines[size + k] = cos(angle);
      t->sines[size + k] = sin(angle);
    }
  for (int64_t k = 0; k <= t->half; k++) {
    const double angle = -2 * M_PI * (double)k / (double)t->n;
    t->mix_re[k] = sin(angle) / 2;
    t->mix_im[k] = -cos(angle) / 2;
  }
  for (int64_t i = 0, j = 0; i < t->half; i++) {
    t->place[i] = (int32_t)j;
    int64_t bit = t->half >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
  }
}

static int make_tables(tfc_context* ctx, int64_t window, fft_tables* t) {
  t->n = power_of_two(window);
  t->half = t->n / 2;
  const size_t half = (size_t)t->half + 1;
  t->window = tfc_scratch(ctx, (size_t)window * sizeof(double));
  double* numbers = tfc_scratch(ctx, 4 * half * sizeof *numbers);
  t->place = tfc_scratch(ctx, half * sizeof *t->place);
  if (!t->window || !numbers || !t->place) return TFC_RESOURCE_EXHAUSTED;
  t->cosines = numbers;
  t->sines = numbers + half;
  t->mix_re = numbers + 2 * half;
  t->mix_im = numbers + 3 * half;
  fill_tables(t, window);
  return TFC_OK;
}

/* ---- One window. */

static void load_window(const spectrogram_run* r, const float* from, double* re, double* im) {
  const fft_tables* t = &r->fft;
  const int64_t window = r->state->window, stride = r->channels;
  for (int64_t i = 0; i < t->half; i++) {
    const int64_t even = 2 * i, odd = even + 1, to = t->place[i];
    re[to] = even < window ? (double)from[even * stride] * t->window[even] : 0;
    im[to] = odd < window ? (double)from[odd * stride] * t->window[odd] : 0;
  }
}

static void transform(const fft_tables* t, double* restrict re, double* restrict im) {
  for (int64_t size = 1; size < t->half; size *= 2) {
    const double* restrict c = t->cosines + size, * restrict s = t->sines + size;
    for (int64_t first = 0; first < t->half; first += 2 * size) {
      double* restrict a_re = re + first, * restrict a_im = im + first;
      double* restrict b_re = a_re + size, * restrict b_im = a_im + size;
      for (int64_t k = 0; k < size; k++) {
        const double x = b_re[k] * c[k] - b_im[k] * s[k], y = b_re[k] * s[k] + b_im[k] * c[k];
        b_re[k] = a_re[k] - x;
        b_im[k] = a_im[k] - y;
        a_re[k] += x;
        a_im[k] += y;
      }
    }
  }
}

/* The transform of the real numbers is, with z[n / 2] = z[0],
 * (z[k] + conj z[n / 2 - k]) / 2 + exp(-2 pi i k / n) (z[k] - conj z[n / 2 - k]) / 2i. */
static void store_magnitudes(const fft_tables* t, double* re, double* im, bool squared, float* to) {
  re[t->half] = re[0];
  im[t->half] = im[0];
  for (int64_t k = 0; k <= t->half; k++) {
    const int64_t back = t->half - k;
    const double even_re = (re[k] + re[back]) / 2, even_im = (im[k] - im[back]) / 2;
    const double odd_re = re[k] - re[back], odd_im = im[k] + im[back];
    const double x = even_re + t->mix_re[k] * odd_re - t->mix_im[k] * odd_im;
    const double y = even_im + t->mix_re[k] * odd_im + t->mix_im[k] * odd_re;
    to[k] = (float)(x * x + y * y);
  }
  if (squared) return;
  for (int64_t k = 0; k <= t->half; k++) to[k] = sqrtf(to[k]);
}

/* Item: a window of a channel. */
static void transform_range(void* arg, int64_t begin, int64_t end) {
  spectrogram_run* r = arg;
  const fft_tables* t = &r->fft;
  double* re = tfc_scratch(r->ctx, 2 * (size_t)(t->half + 1) * sizeof *re);
  if (!re) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  double* im = re + t->half + 1;
  for (int64_t i = begin; i < end; i++) {
    const int64_t channel = i / r->rows, row = i % r->rows;
    load_window(r, r->input + row * r->state->stride * r->channels + channel, re, im);
    transform(t, re, im);
    store_magnitudes(t, re, im, r->state->squared, r->out + i * (t->half + 1));
  }
}

/* ---- The kernel. */

static int spectrogram(tfc_context* ctx) {
  const spectrogram_state* s = ctx->state;
  const tfc_tensor* input = ctx->inputs[0];
  if (input->rank != 2) REFUSE("input must be 2-dimensional%s", tfc_shape_text(input).text);
  if (s->window < 2) REFUSE("window_size must be > 1, got %lld", (long long)s->window);
  if (s->stride < 1) REFUSE("stride must be > 0, got %lld", (long long)s->stride);
  spectrogram_run r = {.ctx = ctx, .state = s, .input = input->data, .channels = input->dims[1]};
  const int64_t rest = input->dims[0] - s->window;
  r.rows = rest < 0 ? 0 : 1 + rest / s->stride;
  const int64_t width = power_of_two(s->window) / 2 + 1;
  TFC_TRY(tfc_output(ctx, 0, 3, (int64_t[]){r.channels, r.rows, width}));
  if (!ctx->outputs[0].n) return TFC_OK;
  TFC_TRY(make_tables(ctx, s->window, &r.fft));
  r.out = ctx->outputs[0].data;
  const double n = (double)r.fft.n;
  tfc_parallel_for(ctx, r.channels * r.rows, n * (2 + 0.4 * log2(n)), transform_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

static int read_attrs(tfc_construction* c, void* state) {
  spectrogram_state* s = state;
  TFC_TRY(tfc_attr_int32(c, "window_size", &s->window));
  TFC_TRY(tfc_attr_int32(c, "stride", &s->stride));
  return c->api->attr_bool(c, "magnitude_squared", &s->squared);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(spectrogram_state), read_attrs, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AudioSpectrogram", "", spectrogram, TFC_STATE(create),
            .flags = TFC_KERNEL_LEAVES_LOOPS),
};
TFC_REGISTER_KERNELS(kernels);
