/* Expands Snappy's format: a length, then literal bytes and copies of what is there already. */
#include <stdlib.h>

#include "kernels_c/checkpoint/format/table.h"
#include "kernels_c/common/wire.h"

TFC_ONE_LEVEL;

enum { MOST_GROWTH = 32 }; /* a copy of 64 bytes takes 3; so more is not a length, but damage */

/* A number of `bytes` bytes, the lowest first. */
static bool take_number(wire_reader* r, int bytes, size_t* number) {
  *number = 0;
  if (wire_left(r) < (size_t)bytes) return false;
  for (int i = 0; i < bytes; i++) *number |= (size_t)*r->at++ << 8 * i;
  return true;
}

static bool expand(wire_reader* r, char* to, size_t size) {
  size_t done = 0, n, back;
  while (r->at < r->end) {
    uint8_t tag = *r->at++;
    int kind = tag & 3;
    n = (size_t)(tag >> 2) + 1;
    if (kind == 0) {
      if (n > 60) {
        if (!take_number(r, (int)n - 60, &n)) return false;
        n++;
      }
      if (n > size - done || !wire_take(r, to + done, n)) return false;
      done += n;
      continue;
    }
    if (kind == 1) n = (size_t)(tag >> 2 & 7) + 4;
    if (!take_number(r, kind == 3 ? 4 : kind, &back)) return false;
    if (kind == 1) back |= (size_t)(tag >> 5) << 8;
    if (back == 0 || back > done || n > size - done) return false;
    for (; n; n--, done++) to[done] = to[done - back]; /* the ranges may overlap */
  }
  return done == size;
}

char* ckpt_snappy_expand(const char* data, size_t size, size_t* expanded_size) {
  wire_reader r = wire_of(data, size);
  uint64_t wanted;
  if (!wire_varint(&r, &wanted) || wanted / MOST_GROWTH > size) return NULL;
  char* to = malloc(wanted + 1);
  if (to && !expand(&r, to, wanted)) {
    free(to);
    return NULL;
  }
  *expanded_size = wanted;
  return to;
}
