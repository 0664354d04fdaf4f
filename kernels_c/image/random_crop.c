/* RandomCrop: a part of an image, at a random place, with TensorFlow's values. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/stream.h"

TFC_ONE_LEVEL;

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

enum { HEIGHT, WIDTH };

static int read_target(tfc_context* ctx, int64_t target[2]) {
  static const char* const names[] = {"height", "width"};
  const tfc_tensor *image = ctx->inputs[0], *size = ctx->inputs[1];
  if (image->rank != 3) REFUSE("input must be 3-dimensional%s", tfc_shape_text(image).text);
  if (size->rank != 1) REFUSE("shape_t must be 1-dimensional%s", tfc_shape_text(size).text);
  if (size->n != 2) REFUSE("shape_t must have two elements%s", tfc_shape_text(size).text);
  for (int i = WIDTH; i >= HEIGHT; i--) {
    target[i] = tfc_index_at(size, i);
    if (target[i] < 0)
      REFUSE("target_%s must not be negative, got %lld", names[i], (long long)target[i]);
    if (image->dims[i] < target[i])
      return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                       "%s must be >= target_%s: %s = %lld, target_%s = %lld", names[i], names[i],
                       names[i], (long long)image->dims[i], names[i], (long long)target[i]);
  }
  return TFC_OK;
}

/* A dimension that is not cut takes no random word, but each run takes a block. */
static int draw_places(tfc_context* ctx, const int64_t target[2], int64_t place[2]) {
  philox_word_stream words = {.used = PHILOX_WORDS};
  TFC_TRY(tfc_random_reserve(ctx, 1, &words.blocks));
  for (int i = WIDTH; i >= HEIGHT; i--) {
    const int64_t room = ctx->inputs[0]->dims[i] - target[i];
    place[i] = room ? philox_next_word(&words) % (room + 1) : 0;
  }
  return TFC_OK;
}

static int random_crop(tfc_context* ctx) {
  const tfc_tensor* image = ctx->inputs[0];
  int64_t target[2], place[2];
  TFC_TRY(read_target(ctx, target));
  if (target[HEIGHT] == image->dims[HEIGHT] && target[WIDTH] == image->dims[WIDTH])
    return tfc_output_input(ctx, 0, 0);
  TFC_TRY(draw_places(ctx, target, place));
  const int64_t dims[] = {target[HEIGHT], target[WIDTH], image->dims[2]};
  TFC_TRY(tfc_output(ctx, 0, 3, dims));
  const int64_t pixel = dims[2] * (int64_t)tfc_dtype_size(image->dtype);
  const int64_t row = dims[1] * pixel, whole = image->dims[1] * pixel;
  if (row == 0) return TFC_OK;
  for (int64_t i = 0; i < dims[0]; i++)
    memcpy((char*)ctx->outputs[0].data + i * row,
           (const char*)image->data + (place[HEIGHT] + i) * whole + place[WIDTH] * pixel,
           (size_t)row);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RandomCrop", "T=uint8|" TFC_TYPES_SIGNED "|" TFC_TYPES_WIDE_FLOATS, random_crop,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
};
TFC_REGISTER_KERNELS(kernels);
