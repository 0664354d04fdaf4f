/* CacheDataset in a file. */
#ifndef TFCORE_CACHE_FILE_H
#define TFCORE_CACHE_FILE_H

#include "kernels_c/data/dataset.h"

#pragma GCC visibility push(hidden)
/* The kernel of a CacheDataset whose input `filename` is not empty. */
int tfc_file_cache_make(tfc_context* ctx, const tfc_string* filename);
#pragma GCC visibility pop

#endif
