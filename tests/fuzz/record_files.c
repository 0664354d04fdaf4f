/* Reads damaged files of records: record_files FOLDER FIRST-SEED ROUNDS FILE...
 *
 * Each round changes a few bytes of one of the files, whose names begin with their compression
 * ("plain", "zlib", "gzip"), mostly repairs the checksums of what is not compressed, and reads all
 * of it in each format, with a small and with a large buffer, from its beginning and from places of
 * records. Built with AddressSanitizer by test_record_files.py. */
#include <stdlib.h>

#include "kernels_c/common/common.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/io/records.h"
#include "tests/fuzz/damage.h"

/* Records as long as their lengths say, with checksums that agree. */
static void repair(bytes b) {
  for (size_t at = 0; at + RECORD_HEAD <= b.size;) {
    uint64_t length;
    memcpy(&length, b.data + at, 8);
    const uint32_t crc = tfc_crc_mask(tfc_crc(0, b.data + at, 8));
    memcpy(b.data + at + 8, &crc, 4);
    if (length > b.size || at + RECORD_HEAD + length + RECORD_FOOT > b.size) return;
    const uint32_t of_data = tfc_crc_mask(tfc_crc(0, b.data + at + RECORD_HEAD, (size_t)length));
    memcpy(b.data + at + RECORD_HEAD + length, &of_data, 4);
    at += RECORD_HEAD + (size_t)length + RECORD_FOOT;
  }
}

/* All records from here; returns how many, and adds up their bytes so that each is read. */
static uint64_t read_all(record_reader* r, int64_t* places, uint64_t most, uint64_t* sum) {
  record_status status = {0};
  uint64_t n = 0;
  for (;; n++) {
    const char* data;
    size_t size;
    if (n < most) places[n] = record_tell(r);
    const int code = record_next(r, &data, &size, &status);
    if (code) {
      if (code != RECORD_END && (code != status.code || !status.text[0])) abort();
      return n;
    }
    for (size_t i = 0; i < size; i++) *sum += (unsigned char)data[i];
  }
}

static uint64_t read_file_as(const char* path, const record_options* options) {
  enum { PLACES = 64 };
  int64_t places[PLACES] = {0};
  record_status status = {0};
  record_reader* r = record_open(path, strlen(path), options, &status);
  uint64_t sum = 0;
  if (!r) {
    if (!status.code || !status.text[0]) abort();
    return 0;
  }
  const uint64_t n = read_all(r, places, PLACES, &sum);
  for (int k = 0; k < 2 && n > 1; k++) {
    const uint64_t from = draw(TFC_MIN(n, (uint64_t)PLACES));
    int64_t unused;
    if (record_seek(r, places[from], &status)) abort();
    if (read_all(r, &unused, 0, &sum) != n - from) abort();
  }
  if (!record_seek(r, INT64_MAX - 5, &status) && options->compression != RECORD_PLAIN) abort();
  record_close(r);
  return n + (sum == 1); /* the sum must be computed */
}

int main(int argc, char** argv) {
  const uint64_t first = strtoull(argv[2], NULL, 10), rounds = strtoull(argv[3], NULL, 10);
  uint64_t read = 0;
  char path[1000];
  snprintf(path, sizeof path, "%s/damaged", argv[1]);
  for (uint64_t round = 0; round < rounds; round++) {
    state = (first + round) * 0x9e3779b97f4a7c15ull | 1;
    const char* name = argv[4 + draw((uint64_t)(argc - 4))];
    const char* base = strrchr(name, '/') + 1;
    bytes b = read_file(name);
    damage_bytes(&b);
    if (base[0] == 'p' && draw(4)) repair(b);
    write_file(path, b);
    free(b.data);
    record_options o = {.record_bytes = 1 + (int64_t)draw(300),
                        .header_bytes = (int64_t)draw(30),
                        .footer_bytes = (int64_t)draw(30),
                        .hop_bytes = (int64_t)draw(400),
                        .skip_lines = (int64_t)draw(4),
                        .buffer_size = draw(2) ? 1 : 0};
    o.compression = base[0] == 'z' ? RECORD_ZLIB : base[0] == 'g' ? RECORD_GZIP : RECORD_PLAIN;
    o.format = draw(2) ? RECORD_TF : (record_format)draw(4);
    read += read_file_as(path, &o);
  }
  printf("rounds %llu read %llu\n", (unsigned long long)rounds, (unsigned long long)read);
  return 0;
}
