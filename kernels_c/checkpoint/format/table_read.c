/* Reads tables; whatever the file holds, nothing is read beyond what is there. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/table.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/common/wire.h"

TFC_ONE_LEVEL;

enum { FOOTER = 48, TRAILER = 5, RAW = 0, SNAPPY = 1 };
static const uint64_t MAGIC = 0xdb4775248b80fb57u;

static int damaged(const ckpt_table* t, ckpt_status* status, const char* what) {
  return ckpt_fail(status, TFC_DATA_LOSS, "%s is damaged: %s", t->path, what);
}

static void free_block(ckpt_block* b) {
  free(b->data);
  free(b->pairs);
  text_free(&b->keys);
  *b = (ckpt_block){0};
}

/* Reads a block of `size` bytes and its trailer, and expands it. */
static int read_bytes(ckpt_table* t, uint64_t offset, uint64_t size, char** data, size_t* n,
                      ckpt_status* status) {
  if (offset > (uint64_t)t->size || size > (uint64_t)t->size - offset ||
      (uint64_t)t->size - offset - size < TRAILER)
    return damaged(t, status, "a block lies outside of the file");
  char* bytes = malloc(size + TRAILER);
  if (!bytes) return ckpt_out_of_memory(status);
  if (!ckpt_read_at(t->fd, bytes, size + TRAILER, (int64_t)offset)) {
    int number = errno;
    free(bytes);
    return number ? ckpt_fail_system(status, number, t->path)
                  : damaged(t, status, "it has become shorter");
  }
  uint32_t stored;
  memcpy(&stored, bytes + size + 1, 4);
  if (stored != tfc_crc_mask(tfc_crc(0, bytes, size + 1))) {
    free(bytes);
    return damaged(t, status, "block checksum mismatch");
  }
  *data = bytes;
  *n = size;
  if (bytes[size] == RAW) return TFC_OK;
  *data = bytes[size] == SNAPPY ? ckpt_snappy_expand(bytes, size, n) : NULL;
  free(bytes);
  return *data ? TFC_OK : damaged(t, status, "a block can't be decompressed");
}

/* Splits a block into its pairs. Keys get their addresses at the end, as their memory moves. */
static int split(ckpt_table* t, ckpt_block* b, size_t size, ckpt_status* status) {
  uint32_t n_restarts;
  if (size < 4) return damaged(t, status, "a block is too short");
  memcpy(&n_restarts, b->data + size - 4, 4);
  if (n_restarts > (size - 4) / 4) return damaged(t, status, "a block has too many restarts");
  wire_reader r = wire_of(b->data, size - 4 - 4 * (size_t)n_restarts);
  int64_t room = 0;
  size_t last = 0; /* where the key before begins */
  while (r.at < r.end) {
    uint64_t shared, rest, value;
    if (!wire_varint(&r, &shared) || !wire_varint(&r, &rest) || !wire_varint(&r, &value) ||
        rest > wire_left(&r) || value > wire_left(&r) - rest || shared > b->keys.size - last)
      return damaged(t, status, "bad entry in block");
    if (b->n == room) {
      room = room ? 2 * room : 64;
      ckpt_pair* grown = realloc(b->pairs, (size_t)room * sizeof *grown);
      if (!grown) return ckpt_out_of_memory(status);
      b->pairs = grown;
    }
    size_t begin = b->keys.size;
    for (size_t i = 0; i < shared && !b->keys.failed; i++)
      text_append(&b->keys, &(char){b->keys.data[last + i]}, 1);
    text_append(&b->keys, (const char*)r.at, rest);
    if (b->keys.failed) return ckpt_out_of_memory(status);
    b->pairs[b->n++] = (ckpt_pair){
        .value = (const char*)r.at + rest, .key_size = shared + rest, .value_size = value};
    r.at += rest + value;
    last = begin;
  }
  const char* key = text_c(&b->keys);
  for (int64_t i = 0; i < b->n; i++) {
    b->pairs[i].key = key;
    key += b->pairs[i].key_size;
    if (i && ckpt_compare(b->pairs[i - 1].key, b->pairs[i - 1].key_size, b->pairs[i].key,
                          b->pairs[i].key_size) >= 0)
      return damaged(t, status, "keys are not in order");
  }
  return TFC_OK;
}

static int read_block(ckpt_table* t, uint64_t offset, uint64_t size, ckpt_block* b,
                      ckpt_status* status) {
  size_t n = 0;
  free_block(b);
  TFC_TRY(read_bytes(t, offset, size, &b->data, &n, status));
  int code = split(t, b, n, status);
  if (code) free_block(b);
  return code;
}

static int read_footer(ckpt_table* t, ckpt_status* status) {
  char footer[FOOTER];
  uint64_t magic, unused, offset, size;
  if (t->size < FOOTER || !ckpt_read_at(t->fd, footer, FOOTER, t->size - FOOTER))
    return damaged(t, status, "it is too short to be a table");
  memcpy(&magic, footer + 40, 8);
  if (magic != MAGIC) return damaged(t, status, "it is not a table (bad magic number)");
  wire_reader r = wire_of(footer, 40);
  if (!wire_varint(&r, &unused) || !wire_varint(&r, &unused) || !wire_varint(&r, &offset) ||
      !wire_varint(&r, &size))
    return damaged(t, status, "its footer is malformed");
  return read_block(t, offset, size, &t->index, status);
}

int ckpt_table_open(ckpt_table* t, const char* path, ckpt_status* status) {
  *t = (ckpt_table){.fd = -1, .number = -1, .path = strdup(path)};
  if (!t->path) return ckpt_out_of_memory(status);
  t->fd = ckpt_open_to_read(path, &t->size, status);
  if (t->fd >= 0) {
    status->code = TFC_OK;
    read_footer(t, status);
  }
  if (status->code) ckpt_table_close(t);
  return status->code;
}

void ckpt_table_close(ckpt_table* t) {
  if (t->fd >= 0) close(t->fd);
  free(t->path);
  free_block(&t->index);
  free_block(&t->current);
  *t = (ckpt_table){.fd = -1, .number = -1};
}

int ckpt_table_load(ckpt_table* t, int64_t number, ckpt_status* status) {
  if (number == t->number) return TFC_OK;
  const ckpt_pair* place = &t->index.pairs[number];
  wire_reader r = wire_of(place->value, place->value_size);
  uint64_t offset, size;
  if (!wire_varint(&r, &offset) || !wire_varint(&r, &size))
    return damaged(t, status, "its index is malformed");
  t->number = -1;
  TFC_TRY(read_block(t, offset, size, &t->current, status));
  t->number = number;
  return TFC_OK;
}

/* The first pair whose key is not below `key`. */
static int64_t lower_bound(const ckpt_block* b, const void* key, size_t size) {
  int64_t low = 0, high = b->n;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (ckpt_compare(b->pairs[middle].key, b->pairs[middle].key_size, key, size) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int ckpt_table_find(ckpt_table* t, const void* key, size_t size, const ckpt_pair** found,
                    ckpt_status* status) {
  *found = NULL;
  int64_t number = lower_bound(&t->index, key, size);
  if (number == t->index.n) return TFC_OK;
  TFC_TRY(ckpt_table_load(t, number, status));
  int64_t i = lower_bound(&t->current, key, size);
  if (i < t->current.n &&
      !ckpt_compare(t->current.pairs[i].key, t->current.pairs[i].key_size, key, size))
    *found = &t->current.pairs[i];
  return TFC_OK;
}
