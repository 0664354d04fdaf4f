/* Ranges of pages in a region of addresses. A freed address is reused as late as possible, and at
 * least one free page lies between neighbours.
 */
#ifndef TFCORE_EMULATOR_RANGES_H
#define TFCORE_EMULATOR_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t start;
  uint64_t bytes; /* asked for; the range fills whole pages */
  bool leaving;   /* being freed: nobody may use it any more */
  void* owner;    /* who has taken it */
  unsigned flags; /* of the taker */
} range;

typedef struct {
  uint64_t start, end; /* of the region */
  uint64_t limit;      /* of the sum of all ranges */
  uint64_t used;
  uint64_t next; /* where the search begins */
  range* list;   /* ascending */
  size_t count, capacity;
} ranges;

/* False if the limit is reached or no address is free. */
bool ranges_take(ranges* r, uint64_t bytes, void* owner, uint64_t* start);
/* The range that has all of these bytes, or NULL; valid until the next change. */
range* ranges_find(const ranges* r, uint64_t start, uint64_t bytes);
/* The range that starts there, or NULL. */
range* ranges_at(const ranges* r, uint64_t start);
void ranges_drop(ranges* r, uint64_t start);
uint64_t range_pages(const range* r); /* bytes of its pages */

#endif
