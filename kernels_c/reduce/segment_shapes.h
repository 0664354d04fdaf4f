/* Shapes of reductions by segment, and segments without rows, for all devices. */
#ifndef TFCORE_SEGMENT_SHAPES_H
#define TFCORE_SEGMENT_SHAPES_H

#include "kernels_c/common/index_text.h"

#pragma GCC visibility push(hidden)

/* Makes output 0: a row for each segment. `lead`: the dimensions of the ids. */
int tfc_segment_output(tfc_context* ctx, int64_t segments, int lead);
/* The element of a segment without rows, as bytes; infinities stand for the lowest and the highest
 * finite number. */
void tfc_segment_empty(int32_t dtype, double empty, uint64_t bits[2]);
/* Unsorted segments: checks everything but the ids. */
int tfc_unsorted_check(tfc_context* ctx, int64_t* segments);
/* The text about an id that is too large: element i of the ids, which are called `name`. */
void tfc_segment_text(const tfc_index_shapes* ids, const char* name, int64_t i, int64_t id,
                      int64_t segments, char* text, size_t size);

#pragma GCC visibility pop

#endif /* TFCORE_SEGMENT_SHAPES_H */
