/* What programs share that damage files: random numbers, and whole files in memory. */
#ifndef TFCORE_DAMAGE_H
#define TFCORE_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static uint64_t draw(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state * 0x2545f4914f6cdd1dull >> 11) % below;
}

typedef struct bytes {
  char* data;
  size_t size;
} bytes;

static bytes read_file(const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) perror(path), exit(2);
  fseek(f, 0, SEEK_END);
  bytes b = {.size = (size_t)ftell(f)};
  b.data = malloc(b.size + 64);
  rewind(f);
  if (fread(b.data, 1, b.size, f) != b.size) exit(2);
  fclose(f);
  return b;
}

static void write_file(const char* path, bytes b) {
  FILE* f = fopen(path, "wb");
  if (!f || fwrite(b.data, 1, b.size, f) != b.size) perror(path), exit(2);
  fclose(f);
}

/* A few changes: bits, bytes, the end, pieces that are moved. */
static inline void damage_bytes(bytes* b) {
  for (uint64_t n = 1 + draw(3); n && b->size; n--) {
    const size_t at = (size_t)draw(b->size);
    switch (draw(4)) {
      case 0: b->data[at] ^= (char)(1 << draw(8)); break;
      case 1: b->data[at] = (char)draw(256); break;
      case 2: b->size = at; break;
      default:
        memmove(b->data + at, b->data + b->size / 2,
                b->size - at < b->size / 2 ? b->size - at : b->size / 2);
    }
  }
}

#endif
