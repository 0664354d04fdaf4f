#include "ranges.h"

#include <stdlib.h>
#include <string.h>

#include "shared.h"

static uint64_t end_of(const range* r) {
  return r->start + round_up(r->bytes, PAGE);
}

uint64_t range_pages(const range* r) {
  return round_up(r->bytes, PAGE);
}

/* The first range that ends after an address. */
static size_t first_after(const ranges* r, uint64_t address) {
  size_t low = 0, high = r->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (end_of(&r->list[middle]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The first gap of `pages` bytes, with a free page on both sides, in [from, to); its end if none.
 */
static uint64_t search(const ranges* r, uint64_t from, uint64_t to, uint64_t pages) {
  uint64_t start = from + PAGE;
  for (size_t i = first_after(r, from); i < r->count && start + pages + PAGE <= to; i++) {
    if (start + pages + PAGE <= r->list[i].start) return start;
    start = end_of(&r->list[i]) + PAGE;
  }
  return start + pages + PAGE <= to ? start : to;
}

bool ranges_take(ranges* r, uint64_t bytes, void* owner, uint64_t* start) {
  if (bytes > r->limit || round_up(bytes, PAGE) > r->limit - r->used) return false;
  uint64_t pages = round_up(bytes, PAGE);
  uint64_t found = search(r, r->next, r->end, pages);
  if (found == r->end) found = search(r, r->start, r->end, pages);
  if (found == r->end) return false;
  if (r->count == r->capacity) {
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    range* list = realloc(r->list, capacity * sizeof *list);
    if (!list) return false;
    r->list = list;
    r->capacity = capacity;
  }
  size_t i = first_after(r, found);
  memmove(r->list + i + 1, r->list + i, (r->count - i) * sizeof *r->list);
  r->list[i] = (range){.start = found, .bytes = bytes, .owner = owner};
  r->count++;
  r->used += pages;
  r->next = found + pages;
  *start = found;
  return true;
}

range* ranges_find(const ranges* r, uint64_t start, uint64_t bytes) {
  size_t i = first_after(r, start);
  if (i == r->count || r->list[i].leaving || start < r->list[i].start) return NULL;
  uint64_t offset = start - r->list[i].start;
  return offset <= r->list[i].bytes && bytes <= r->list[i].bytes - offset ? &r->list[i] : NULL;
}

range* ranges_at(const ranges* r, uint64_t start) {
  size_t i = first_after(r, start);
  return i < r->count && r->list[i].start == start ? &r->list[i] : NULL;
}

void ranges_drop(ranges* r, uint64_t start) {
  range* gone = ranges_at(r, start);
  r->used -= range_pages(gone);
  size_t i = gone - r->list;
  memmove(gone, gone + 1, (r->count - i - 1) * sizeof *gone);
  r->count--;
}
