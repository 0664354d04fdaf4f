/* Images as PNG files. */
#ifndef TFCORE_SUMMARY_PNG_H
#define TFCORE_SUMMARY_PNG_H

#include "kernels_c/common/text.h"

/* Pixels or bytes between two looks whether the step was cancelled: some milliseconds. */
enum { SUMMARY_PIECE = 1 << 20 };

/* Appends a file. The pixels have 1 (gray), 3 (red, green, blue) or 4 (with alpha) bytes each, rows
 * from top to bottom. If memory is short, `out` has failed. What it has is worth nothing if the
 * step was cancelled, or if the result is false: compressed, the image has more bytes than a chunk
 * of a PNG file, or a message, may have. */
bool summary_add_png(tfc_context* ctx, text_buffer* out, const uint8_t* pixels, int64_t height,
                     int64_t width, int channels);

#endif /* TFCORE_SUMMARY_PNG_H */
