/* The arithmetic of positions, with TensorFlow's rounding: compiled for the lowest level only,
 * which does not fuse multiplications and additions. */
#include <math.h>

#include "kernels_c/image/crop.h"

TFC_ONE_LEVEL;

crop_place crop_place_at(float begin, float end, int64_t size, int64_t steps, int64_t i,
                         bool nearest) {
  float last = (float)(size - 1), scale = steps > 1 ? (end - begin) * last / (float)(steps - 1) : 0;
  float at = steps > 1 ? begin * last + (float)i * scale : (float)(0.5 * (begin + end) * last);
  crop_place p = {.inside = at >= 0 && at <= last};
  if (!p.inside) return p;
  int64_t below = (int64_t)(nearest ? roundf(at) : floorf(at));
  int64_t above = (int64_t)(nearest ? roundf(at) : ceilf(at));
  p.below = (int32_t)TFC_MIN(below, size - 1); /* `last` may have been rounded up */
  p.above = (int32_t)TFC_MIN(above, size - 1);
  p.share = nearest ? 0 : at - (float)p.below;
  return p;
}
