/* Pages for blocks of 8 KB and more; heap.c explains the design. */
#ifndef TFCORE_HEAP_H
#define TFCORE_HEAP_H

#include "runtime.h"

typedef struct tfc_heap tfc_heap;

enum { TFC_PAGE = 4096 };

/* Bytes in use, bytes kept for reuse, and the peak in use of this period and of the one before. */
typedef struct tfc_usage {
  int64_t used, kept, peak, peak_before;
} tfc_usage;

/* How many bytes may be held, used or not. */
int64_t tfc_usage_bound(const tfc_usage* u, int64_t slack);
void tfc_usage_add(tfc_usage* u, int64_t bytes);
void tfc_usage_next_period(tfc_usage* u);

/* The heap of a source (NULL: of the system); it lives as long as the process. NULL: no memory. */
tfc_heap* tfc_heap_of(const tfc_source* source);
/* A buffer with `heap`, `data` and `size` set; `bytes` is a multiple of the page size. NULL: no
 * memory, or the limit is reached. */
tfc_buffer* tfc_heap_allocate(tfc_heap* heap, size_t bytes);
void tfc_heap_free(tfc_buffer* b);
/* Starts a new period and returns pages beyond the bound to the system. */
void tfc_heap_next_period(void);
void tfc_heap_trim(void); /* returns all free pages */
void tfc_heap_source_stats(const tfc_source* source, tfc_source_stats* out);

/* The allocator's count of the bytes that the process holds; false: it would exceed the limit. */
bool tfc_memory_reserve(int64_t bytes);
void tfc_memory_unreserve(int64_t bytes);

#endif
