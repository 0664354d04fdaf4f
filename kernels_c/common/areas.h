/* Work areas for the threads of a kernel. */
#ifndef TFCORE_AREAS_H
#define TFCORE_AREAS_H

#include "tfcore/kernel.h"

/* Per-thread work areas for the body of a tfc_parallel_for: at least as many as threads,
 * so that taking one never waits. */
typedef struct {
  char* memory;
  size_t bytes; /* of one area */
  int count;
  unsigned char* busy;
} tfc_areas;

/* TFC_OK, or the code to return. */
int tfc_areas_make(tfc_context* ctx, tfc_areas* areas, size_t bytes);
void* tfc_areas_take(tfc_areas* areas);
void tfc_areas_give(tfc_areas* areas, void* area);

#endif /* TFCORE_AREAS_H */
