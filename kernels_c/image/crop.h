/* Positions of CropAndResize. */
#ifndef TFCORE_IMAGE_CROP_H
#define TFCORE_IMAGE_CROP_H

#include "kernels_c/common/common.h"

/* A position along an axis of an image: the pixels below and above it, the share of the one above.
 */
typedef struct crop_place {
  int32_t below, above;
  float share;
  bool inside; /* the image; else there are no pixels */
} crop_place;

/* Place i of `steps` between `begin` and `end`, parts of an axis of `size` pixels. */
crop_place crop_place_at(float begin, float end, int64_t size, int64_t steps, int64_t i,
                         bool nearest);

#endif /* TFCORE_IMAGE_CROP_H */
