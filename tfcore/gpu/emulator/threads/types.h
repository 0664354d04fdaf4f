/* The vector types of CUDA's built-in variables and launches, for C and C++. */
#ifndef TFCORE_HOST_TYPES_H
#define TFCORE_HOST_TYPES_H

typedef struct uint3 {
  unsigned int x, y, z;
} uint3;

typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
#endif
} dim3;

#endif
