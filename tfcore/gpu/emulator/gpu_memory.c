/* The device's memory: what is allocated, and which parts of it are live. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"
#include "threads/block.h"

/* Live ranges, ascending and disjoint. Neighbours stay apart: an access must lie in one of them. */
typedef struct {
  uint64_t start, end;
} live_range;

static live_range* live;
static size_t count, capacity;

/* The first range that ends after an address. */
static size_t first_after(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (live[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void insert(size_t at, live_range r) {
  if (count == capacity) {
    capacity = capacity ? 2 * capacity : 64;
    live = realloc(live, capacity * sizeof *live);
    if (!live) abort();
  }
  memmove(live + at + 1, live + at, (count - at) * sizeof *live);
  live[at] = r;
  count++;
}

static void erase(size_t from, size_t to) {
  memmove(live + from, live + to, (count - to) * sizeof *live);
  count -= to - from;
}

static void set_dead(uint64_t start, uint64_t end) {
  size_t i = first_after(start);
  if (i < count && live[i].start < start) {
    live_range rest = {end, live[i].end};
    live[i].end = start;
    i++;
    if (rest.start < rest.end) insert(i, rest);
  }
  size_t k = i;
  while (k < count && live[k].end <= end) k++;
  if (k < count && live[k].start < end) live[k].start = end;
  erase(i, k);
}

static bool is_live(uint64_t start, uint64_t bytes) {
  size_t i = first_after(start);
  return i < count && live[i].start <= start && bytes <= live[i].end - start;
}

void memory_lend(uint64_t start, uint64_t bytes, bool on) {
  set_dead(start, start + bytes);
  if (on) insert(first_after(start), (live_range){start, start + bytes});
}

static void set_live(uint64_t start, uint64_t bytes, bool on) {
  memory_lend(start, bytes, on);
  tfc_host_allow((void*)start, bytes, on);
}

void memory_allow(uint64_t start, uint64_t bytes, bool on) {
  set_live(start, bytes, on);
  if (!on) memset((void*)start, POISON, bytes);
}

CUresult memory_allocate(uint64_t start, uint64_t bytes) {
  uint64_t pages = round_up(bytes, PAGE);
  if (mprotect((void*)start, pages, PROT_READ | PROT_WRITE)) return CUDA_ERROR_OUT_OF_MEMORY;
  memset((void*)start, POISON, pages);
  set_live(start, bytes, true);
  return CUDA_SUCCESS;
}

/* The host returns the pages to the system. */
void memory_free(uint64_t start, uint64_t bytes) {
  set_live(start, bytes, false);
  mprotect((void*)start, round_up(bytes, PAGE), PROT_NONE);
}

char* memory_find(place p, uint64_t bytes, const char* what, char* tail) {
  if (p.device == IN_COMMAND) return tail;
  if (p.device == IN_ARENA) return self.arena + p.at;
  if (p.device != self.index) return self.views[p.device] + (p.at - self.shared->bases[p.device]);
  if (is_live(p.at, bytes)) return (char*)p.at;
  fail(CUDA_ERROR_ILLEGAL_ADDRESS,
       "%s touches memory that is not live: %lu bytes at 0x%lx of emulated GPU %d", what, bytes,
       p.at, self.index);
  return NULL;
}
