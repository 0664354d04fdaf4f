/* What programs share that damage files: random numbers, and whole files in memory. */
#ifndef TFCORE_DAMAGE_H
#define TFCORE_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

#endif
