/* The convolution engine for one element type, a template. It is compiled in a file for each type,
 * so that its functions need no name of the type and its parts leave their macros defined. It wants
 *   CONV_SHORT      if the parts with fewer multiplications are included
 *   CONV_NO_FILTER  if there is no gradient of the filter
 */
#include <string.h>

#include "kernels_c/common/areas.h"
#include "kernels_c/common/simd_types.h"
#include "kernels_c/common/template.h"
#include "kernels_c/conv/conv.h"

// clang-format off: each part builds on the ones before
#include "kernels_c/conv/vector.h"
#include "kernels_c/conv/tile.h"
#include "kernels_c/conv/forward.h"
#ifndef CONV_NO_FILTER
#include "kernels_c/conv/filter.h"
#endif
#ifdef CONV_SHORT
#include "kernels_c/conv/winograd.h"
#include "kernels_c/conv/winograd_filter.h"
#endif
// clang-format on

#undef T
#undef CONV_SHORT
#undef CONV_NO_FILTER
