/* Sizes, vectors and small functions of the convolution engine, a template over the element type.
 * Its parts are listed by conv/float.c, conv/double.c and conv/int32.c, which define
 *  - CONV_T, the element type;
 *  - CONV_MASK_T, a signed integer type of the same size;
 *  - CONV_NAME(x), x with the suffix of the type;
 *  - CONV_SHORT, if the parts with fewer multiplications are included.
 */
#include <string.h>

#include "kernels_c/common/areas.h"
#include "kernels_c/common/simd_types.h"
#include "kernels_c/conv/conv.h"

#if TFC_LEVEL_NUM == 2
#define CONV_MR 14
#elif TFC_LEVEL_NUM == 1
#define CONV_MR 6
#elif defined(__aarch64__)
#define CONV_MR 14
#else
#define CONV_MR 4
#endif
#define CONV_NV 2
/* Fewest inner columns, and fewest rows in a column, to process columns at the edge separately. */
#define CONV_RIM_COLS 4
#define CONV_RIM_ROWS 6
#define CONV_RIM_CHANNELS \
  16 /* and fewest input channels: short blocks of k cost more than they save */
/* From this many input channels on, the gradient of the filter goes tap by tap. */
#define CONV_FILTER_CHANNELS 24

#define T CONV_T
#define VL ((int)(TFC_VECTOR_BYTES / sizeof(T)))
#define NB (CONV_NV * VL) /* output channels of a block */

TFC_VECTOR_TYPE(conv_vec, T);
TFC_VECTOR_TYPE(conv_mask, CONV_MASK_T);
typedef conv_vec_unaligned vec;
typedef conv_mask_unaligned ivec;

static inline vec load(const T* p) {
  return *(const vec*)p;
}
static inline void store(T* p, vec v) {
  *(vec*)p = v;
}

/* Keeps the compiler from seeing how pointers relate, so that it holds three of them in registers
 * instead of one for each row of the tile. */
#define HIDE(x) __asm__("" : "+r"(x))

static inline int64_t min64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t max64(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
