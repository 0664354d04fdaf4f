/* Images as PNG files. */
#ifndef TFCORE_SUMMARY_PNG_H
#define TFCORE_SUMMARY_PNG_H

#include "text.h"

/* Appends a file. The pixels have 1 (gray), 3 (red, green, blue) or 4 (with alpha) bytes each, rows
 * from top to bottom. If memory is short, `out` has failed. */
void summary_add_png(text_buffer* out, const uint8_t* pixels, int64_t height, int64_t width,
                     int channels);

#endif /* TFCORE_SUMMARY_PNG_H */
