/* Numbers in text, with spaces around them. What most numbers look like is read here, the rest by
 * strtod. */
#ifndef TFCORE_NUMBER_H
#define TFCORE_NUMBER_H

#include "kernels_c/common/common.h"

/* Whether all of the text is a number that fits; it is then stored. */
bool number_int64(const char* text, size_t size, int64_t* value);
bool number_uint64(const char* text, size_t size, uint64_t* value);
bool number_double(const char* text, size_t size, double* value);
bool number_float(const char* text, size_t size, float* value);

#endif /* TFCORE_NUMBER_H */
