/* Plans of convolutions: the forward one, and one for each phase of the strides of the gradient of
 * the input. */
#include "kernels_c/conv/plan.h"

/* A filter of one plane sees each plane as an image of its own. */
static conv_sizes flattened(const conv_sizes* s) {
  conv_sizes flat = *s;
  if (s->d.filter == 1 && s->d.stride == 1 && s->d.pad == 0 && s->d.out == s->d.in) {
    flat.n *= s->d.in;
    flat.d.in = flat.d.out = 1;
  }
  return flat;
}

static conv_tap* forward_taps(tfc_context* ctx, const window_dim* d) {
  conv_tap* taps = tfc_scratch(ctx, (size_t)d->filter * sizeof(conv_tap));
  if (taps)
    for (int64_t i = 0; i < d->filter; i++) taps[i] = (conv_tap){i * d->dilation - d->pad, i};
  return taps;
}

static int forward_plan(tfc_context* ctx, const conv_sizes* s, conv_plan* p) {
  *p = (conv_plan){.images = s->n,
                   .d = s->d.in,
                   .h = s->h.in,
                   .w = s->w.in,
                   .c = s->c,
                   .planes = s->d.out,
                   .rows = s->h.out,
                   .cols = s->w.out,
                   .step_d = s->d.stride,
                   .step_h = s->h.stride,
                   .step_w = s->w.stride,
                   .taps_d = s->d.filter,
                   .taps_h = s->h.filter,
                   .taps_w = s->w.filter,
                   .oc = s->oc,
                   .out_image = s->d.out * s->h.out * s->w.out * s->oc,
                   .out_plane = s->h.out * s->w.out * s->oc,
                   .out_row = s->w.out * s->oc,
                   .out_col = s->oc,
                   .f_d = s->h.filter * s->w.filter * s->c * s->oc,
                   .f_h = s->w.filter * s->c * s->oc,
                   .f_w = s->c * s->oc,
                   .f_c = s->oc,
                   .f_oc = 1};
  p->tap_d = forward_taps(ctx, &s->d);
  p->tap_h = forward_taps(ctx, &s->h);
  p->tap_w = forward_taps(ctx, &s->w);
  return p->tap_d && p->tap_h && p->tap_w ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static int run(tfc_context* ctx, int32_t dtype, const conv_plan* p, const void* in,
               const void* filter, void* out, const conv_epilogue* e) {
  switch (dtype) {
    case TFC_DOUBLE: return conv_run_double(ctx, p, in, filter, out, e);
    case TFC_INT32: return conv_run_uint32(ctx, p, in, filter, out, e);
    default: return conv_run_float(ctx, p, in, filter, out, e);
  }
}

int conv_forward(tfc_context* ctx, const conv_sizes* sizes, int32_t dtype, const void* x,
                 const void* filter, void* out, const conv_epilogue* epilogue) {
  conv_plan p;
  const conv_sizes s = flattened(sizes);
  TFC_TRY(forward_plan(ctx, &s, &p));
  return run(ctx, dtype, &p, x, filter, out, epilogue);
}

int conv_backward_filter(tfc_context* ctx, const conv_sizes* sizes, int32_t dtype, const void* x,
                         const void* grad, void* filter) {
  conv_plan p;
  const conv_sizes s = flattened(sizes);
  TFC_TRY(forward_plan(ctx, &s, &p));
  return dtype == TFC_DOUBLE ? conv_filter_double(ctx, &p, x, grad, filter)
                             : conv_filter_float(ctx, &p, x, grad, filter);
}

/* ---- Input gradient: for each phase (pixel % stride) of the input pixels, a convolution of the
 * output gradient with the flipped filter, with its channels exchanged. */

/* Where the taps of a phase are: output = input / stride + offset. */
static int64_t phase_taps(const window_dim* d, int64_t phase, conv_tap* taps) {
  int64_t n = 0;
  for (int64_t i = d->filter - 1; i >= 0; i--) {
    int64_t at = phase + d->pad - i * d->dilation;
    if (at % d->stride == 0) taps[n++] = (conv_tap){at / d->stride, i};
  }
  return n;
}

/* Input pixels of a phase. */
static int64_t phase_size(const window_dim* d, int64_t phase) {
  return (d->in - phase + d->stride - 1) / d->stride;
}

typedef struct {
  const conv_sizes* s;
  int32_t dtype;
  const void *grad, *filter;
  char* out;
  conv_tap *tap_d, *tap_h, *tap_w;
} backward_job;

static int phase_taps_make(tfc_context* ctx, backward_job* job) {
  const conv_sizes* s = job->s;
  job->tap_d = tfc_scratch(ctx, (size_t)s->d.filter * sizeof(conv_tap));
  job->tap_h = tfc_scratch(ctx, (size_t)s->h.filter * sizeof(conv_tap));
  job->tap_w = tfc_scratch(ctx, (size_t)s->w.filter * sizeof(conv_tap));
  return job->tap_d && job->tap_h && job->tap_w ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static size_t element_size(int32_t dtype) {
  return dtype == TFC_DOUBLE ? 8 : 4;
}

/* What all plans of input gradients have in common, for a result with `width` columns of `oc`
 * channels; columns step_w apart belong to the plan. */
static conv_plan backward_plan(const backward_job* job, int64_t pd, int64_t ph, int64_t width,
                               int64_t oc) {
  const conv_sizes* s = job->s;
  return (conv_plan){.images = s->n,
                     .d = s->d.out,
                     .h = s->h.out,
                     .w = s->w.out,
                     .c = s->oc,
                     .planes = phase_size(&s->d, pd),
                     .rows = phase_size(&s->h, ph),
                     .step_d = 1,
                     .step_h = 1,
                     .step_w = 1,
                     .taps_d = phase_taps(&s->d, pd, job->tap_d),
                     .taps_h = phase_taps(&s->h, ph, job->tap_h),
                     .tap_d = job->tap_d,
                     .tap_h = job->tap_h,
                     .tap_w = job->tap_w,
                     .oc = oc,
                     .out_image = s->d.in * s->h.in * width * oc,
                     .out_plane = s->d.stride * s->h.in * width * oc,
                     .out_row = s->h.stride * width * oc,
                     .f_d = s->h.filter * s->w.filter * s->c * s->oc,
                     .f_h = s->w.filter * s->c * s->oc,
                     .f_c = 1,
                     .f_oc = s->oc};
}

static int run_phase(tfc_context* ctx, const backward_job* job, conv_plan* p, int64_t first) {
  if (conv_taps(p) == 0) p->taps_d = p->taps_h = p->taps_w = 0;
  return run(ctx, job->dtype, p, job->grad, job->filter,
             job->out + (size_t)first * element_size(job->dtype), NULL);
}

static int backward_phase(tfc_context* ctx, const backward_job* job, int64_t pd, int64_t ph,
                          int64_t pw) {
  const conv_sizes* s = job->s;
  conv_plan p = backward_plan(job, pd, ph, s->w.in, s->c);
  p.cols = phase_size(&s->w, pw);
  p.taps_w = phase_taps(&s->w, pw, job->tap_w);
  p.out_col = s->w.stride * s->c;
  p.f_w = s->c * s->oc;
  return run_phase(ctx, job, &p, ((pd * s->h.in + ph) * s->w.in + pw) * s->c);
}

static int backward_many(tfc_context* ctx, const backward_job* job) {
  const conv_sizes* s = job->s;
  for (int64_t pd = 0; pd < TFC_MIN(s->d.stride, s->d.in); pd++)
    for (int64_t ph = 0; ph < TFC_MIN(s->h.stride, s->h.in); ph++)
      for (int64_t pw = 0; pw < TFC_MIN(s->w.stride, s->w.in); pw++)
        TFC_TRY(backward_phase(ctx, job, pd, ph, pw));
  return TFC_OK;
}

/* ---- Input gradient of few channels. Vectors of output channels would be nearly empty, so a row
 * of the filter, taps and channels, is the vector: first parts[row][ow][tap][c], a convolution
 * along the other dimensions only, then each input pixel adds up its parts. */

typedef struct {
  const conv_sizes* s;
  const void* parts;
  void* out;
} fold_job;

#define FOLD_RANGE(NAME, T)                                                  \
  static void NAME(void* arg, int64_t begin, int64_t end) {                  \
    const fold_job* job = arg;                                               \
    const window_dim* w = &job->s->w;                                        \
    int64_t c = job->s->c, taps = w->filter;                                 \
    for (int64_t row = begin; row < end; row++) {                            \
      T* out = (T*)job->out + row * w->in * c;                               \
      const T* part = (const T*)job->parts + row * w->out * taps * c;        \
      memset(out, 0, (size_t)(w->in * c) * sizeof(T));                       \
      for (int64_t q = 0; q < w->out; q++, part += taps * c) {               \
        int64_t at = q * w->stride - w->pad;                                 \
        if (w->dilation == 1 && at >= 0 && at + taps <= w->in) {             \
          for (int64_t i = 0; i < taps * c; i++) out[at * c + i] += part[i]; \
          continue;                                                          \
        }                                                                    \
        for (int64_t k = 0; k < taps; k++, at += w->dilation)                \
          for (int64_t i = 0; i < c && at >= 0 && at < w->in; i++)           \
            out[at * c + i] += part[k * c + i];                              \
      }                                                                      \
    }                                                                        \
  }
FOLD_RANGE(fold_float, float)
FOLD_RANGE(fold_double, double)
FOLD_RANGE(fold_int32, uint32_t)

static int backward_few(tfc_context* ctx, const backward_job* job) {
  const conv_sizes* s = job->s;
  int64_t rows = s->n * s->d.in * s->h.in, wide = s->w.filter * s->c;
  size_t size = element_size(job->dtype);
  backward_job parts = *job;
  parts.out = tfc_scratch(ctx, (size_t)(rows * s->w.out * wide) * size + 1);
  if (!parts.out) return TFC_RESOURCE_EXHAUSTED;
  job->tap_w[0] = (conv_tap){0, 0};
  for (int64_t pd = 0; pd < TFC_MIN(s->d.stride, s->d.in); pd++)
    for (int64_t ph = 0; ph < TFC_MIN(s->h.stride, s->h.in); ph++) {
      conv_plan p = backward_plan(&parts, pd, ph, s->w.out, wide);
      p.cols = s->w.out;
      p.taps_w = 1;
      p.out_col = wide;
      TFC_TRY(run_phase(ctx, &parts, &p, (pd * s->h.in + ph) * s->w.out * wide));
    }
  fold_job fold = {s, parts.out, job->out};
  tfc_parallel_for(ctx, rows, (double)(s->w.out * wide) * 0.3 + 10,
                   job->dtype == TFC_DOUBLE  ? fold_double
                   : job->dtype == TFC_INT32 ? fold_int32
                                             : fold_float,
                   &fold);
  return TFC_OK;
}

int conv_backward_input(tfc_context* ctx, const conv_sizes* sizes, int32_t dtype, const void* grad,
                        const void* filter, void* out) {
  const conv_sizes s = flattened(sizes);
  backward_job job = {.s = &s, .dtype = dtype, .grad = grad, .filter = filter, .out = out};
  TFC_TRY(phase_taps_make(ctx, &job));
  bool few = s.c <= 4 && s.w.filter > 1 && s.n * s.d.out * s.h.out * s.w.out * s.oc > 0;
  return few ? backward_few(ctx, &job) : backward_many(ctx, &job);
}
