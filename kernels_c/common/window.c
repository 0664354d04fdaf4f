/* Layouts of images; see window.h. */
#include "kernels_c/common/window.h"

#include "kernels_c/array/copy.h"

TFC_ONE_LEVEL;

typedef struct {
  const char* from;
  char* to;
  int64_t rows, cols; /* of one image */
  size_t size;
} transpose_job;

static void transpose_range(void* arg, int64_t begin, int64_t end) {
  const transpose_job* j = arg;
  size_t image = (size_t)(j->rows * j->cols) * j->size;
  for (int64_t i = begin; i < end; i++)
    tfc_transpose_2d(j->from + (size_t)i * image, j->cols, j->to + (size_t)i * image, j->rows,
                     j->rows, j->cols, j->size, false);
}

static void transpose_images(tfc_context* ctx, const void* from, void* to, int64_t images,
                             int64_t rows, int64_t cols, size_t size) {
  transpose_job job = {from, to, rows, cols, size};
  tfc_parallel_for(ctx, images, (double)(rows * cols) * (double)size * 0.15, transpose_range, &job);
}

typedef struct {
  const char* from;
  char* to;
  int32_t dtype;
  bool widen;
} convert_job;

static void convert_range(void* arg, int64_t begin, int64_t end) {
  const convert_job* j = arg;
  if (j->widen)
    tfc_widen(j->dtype, j->from + 2 * begin, (float*)j->to + begin, end - begin);
  else
    tfc_narrow(j->dtype, (const float*)j->from + begin, j->to + 2 * begin, end - begin);
}

static void convert(tfc_context* ctx, int32_t dtype, const void* from, void* to, int64_t n,
                    bool widen) {
  convert_job job = {from, to, dtype, widen};
  tfc_parallel_for(ctx, n, 0.3, convert_range, &job);
}

static size_t working_size(const tfc_tensor* t, bool widen) {
  return widen && tfc_is_16bit_float(t->dtype) ? 4 : tfc_dtype_size(t->dtype);
}

const void* image_load(tfc_context* ctx, const tfc_tensor* t, image_dims d, bool nchw, bool widen) {
  size_t size = working_size(t, widen);
  int64_t n = image_size(d);
  const void* data = t->data;
  if (n == 0) return "";
  if (widen && tfc_is_16bit_float(t->dtype)) {
    void* wide = tfc_scratch(ctx, (size_t)n * size);
    if (!wide) return NULL;
    convert(ctx, t->dtype, data, wide, n, true);
    data = wide;
  }
  if (!nchw || d.c == 1 || d.h * d.w == 1) return data;
  void* turned = tfc_scratch(ctx, (size_t)n * size);
  if (turned) transpose_images(ctx, data, turned, d.n, d.c, d.h * d.w, size);
  return turned;
}

static bool in_place(const tfc_tensor* out, image_dims d, bool nchw, bool widen) {
  return !(widen && tfc_is_16bit_float(out->dtype)) && (!nchw || d.c == 1 || d.h * d.w == 1);
}

void* image_begin(tfc_context* ctx, const tfc_tensor* out, image_dims d, bool nchw, bool widen) {
  if (image_size(d) == 0) return (void*)"";
  if (in_place(out, d, nchw, widen)) return out->data;
  return tfc_scratch(ctx, (size_t)image_size(d) * working_size(out, widen));
}

int image_store(tfc_context* ctx, tfc_tensor* out, image_dims d, bool nchw, bool widen,
                void* work) {
  int64_t n = image_size(d);
  if (n == 0 || in_place(out, d, nchw, widen)) return TFC_OK;
  size_t size = working_size(out, widen);
  bool narrow = widen && tfc_is_16bit_float(out->dtype);
  if (nchw && d.c != 1 && d.h * d.w != 1) {
    void* turned = narrow ? tfc_scratch(ctx, (size_t)n * size) : out->data;
    if (!turned) return TFC_RESOURCE_EXHAUSTED;
    transpose_images(ctx, work, turned, d.n, d.h * d.w, d.c, size);
    work = turned;
  }
  if (narrow) convert(ctx, out->dtype, work, out->data, n, false);
  return TFC_OK;
}
