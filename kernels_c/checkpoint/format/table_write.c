/* Writes tables. */
#include <stdlib.h>

#include "kernels_c/checkpoint/format/table.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/common/wire.h"

TFC_ONE_LEVEL;

enum {
  RESTART_EVERY = 16, /* keys between two that are stored whole */
  BLOCK = 262144,     /* bytes from which a block is closed */
  LARGE = 524288      /* a pair of this size begins a new block */
};
static const uint64_t MAGIC = 0xdb4775248b80fb57u;

int ckpt_compare(const void* a, size_t a_size, const void* b, size_t b_size) {
  size_t both = TFC_MIN(a_size, b_size);
  int order = both ? memcmp(a, b, both) : 0;
  return order ? order : (a_size > b_size) - (a_size < b_size);
}

static bool push(uint32_t** list, size_t* n, size_t* room, size_t value) {
  if (*n == *room) {
    size_t more = *room ? 2 * *room : 64;
    uint32_t* grown = realloc(*list, more * sizeof **list);
    if (!grown) return false;
    *list = grown;
    *room = more;
  }
  (*list)[(*n)++] = (uint32_t)value;
  return true;
}

static void add_pair(text_buffer* b, size_t shared, const char* key, size_t key_size,
                     const char* value, size_t value_size) {
  wire_add_varint(b, shared);
  wire_add_varint(b, key_size - shared);
  wire_add_varint(b, value_size);
  text_append(b, key + shared, key_size - shared);
  text_append(b, value, value_size);
}

/* Appends a block with its restarts and checksum to the file, and empties it. */
static int close_block(ckpt_file* file, text_buffer* block, uint32_t* restarts, size_t n,
                       text_buffer* handle, ckpt_status* status) {
  static const char raw = 0; /* not compressed */
  uint32_t first = 0, crc = 0, count = n ? (uint32_t)n : 1;
  text_append(block, (const char*)(n ? restarts : &first), 4 * count);
  text_append(block, (const char*)&count, 4);
  if (block->failed) return ckpt_out_of_memory(status);
  wire_add_varint(handle, (uint64_t)(file->size + (int64_t)file->used));
  wire_add_varint(handle, block->size);
  TFC_TRY(ckpt_file_append(file, block->data, block->size, &crc, status));
  TFC_TRY(ckpt_file_append(file, &raw, 1, &crc, status));
  crc = tfc_crc_mask(crc);
  block->size = 0;
  return ckpt_file_append(file, &crc, 4, NULL, status);
}

/* The shortest key that is not below `last`, and below `next` (NULL: anything). */
static void add_separator(text_buffer* key, const text_buffer* last, const uint8_t* next,
                          size_t next_size) {
  const uint8_t* from = (const uint8_t*)last->data;
  size_t same = 0, i = 0;
  text_append(key, last->data, last->size);
  if (key->failed) return;
  uint8_t* to = (uint8_t*)key->data;
  if (!next) { /* the first byte that can be raised */
    while (i < last->size && from[i] == 255) i++;
    if (i == last->size) return;
    to[i]++;
    key->size = i + 1;
    return;
  }
  while (same < last->size && same < next_size && from[same] == next[same]) same++;
  if (same == last->size || same == next_size) return; /* one is the beginning of the other */
  if (from[same] == 255 || from[same] + 1 >= next[same]) return;
  to[same]++;
  key->size = same + 1;
}

static int end_block(ckpt_table_writer* w, const void* next, size_t next_size,
                     ckpt_status* status) {
  text_buffer handle = {0}, key = {0};
  int code = close_block(w->file, &w->block, w->restarts, w->n_restarts, &handle, status);
  if (!code) {
    add_separator(&key, &w->last, next, next_size);
    bool ok = push(&w->index_restarts, &w->n_index, &w->index_room, w->index.size);
    add_pair(&w->index, 0, text_c(&key), key.size, text_c(&handle), handle.size);
    if (!ok || handle.failed || key.failed || w->index.failed) code = ckpt_out_of_memory(status);
  }
  text_free(&handle);
  text_free(&key);
  w->n_restarts = 0;
  w->since_restart = 0;
  return code;
}

int ckpt_table_add(ckpt_table_writer* w, const void* key, size_t key_size, const void* value,
                   size_t value_size, ckpt_status* status) {
  if (value_size > (size_t)UINT32_MAX - 2 * LARGE)
    return ckpt_fail(status, TFC_INVALID_ARGUMENT, "%s: a value of %zu bytes is too large",
                     w->file->path, value_size);
  /* A block that is full is closed now that the next key is known: TensorFlow's files have the
   * shortest key between the two. */
  if (w->block.size &&
      (w->block.size + 4 * w->n_restarts + 4 >= BLOCK || key_size + value_size >= LARGE))
    TFC_TRY(end_block(w, key, key_size, status));
  size_t shared = 0;
  if (w->n_restarts == 0 || w->since_restart == RESTART_EVERY) {
    if (!push(&w->restarts, &w->n_restarts, &w->room, w->block.size))
      return ckpt_out_of_memory(status);
    w->since_restart = 0;
  } else {
    const char* bytes = key;
    while (shared < key_size && shared < w->last.size && bytes[shared] == w->last.data[shared])
      shared++;
  }
  add_pair(&w->block, shared, key, key_size, value, value_size);
  w->since_restart++;
  w->last.size = 0;
  text_append(&w->last, key, key_size);
  if (w->block.failed || w->last.failed) return ckpt_out_of_memory(status);
  return TFC_OK;
}

int ckpt_table_finish(ckpt_table_writer* w, ckpt_status* status) {
  text_buffer meta = {0}, meta_handle = {0}, index_handle = {0}, footer = {0};
  int code = w->n_restarts ? end_block(w, NULL, 0, status) : TFC_OK;
  if (!code) code = close_block(w->file, &meta, NULL, 0, &meta_handle, status);
  if (!code)
    code = close_block(w->file, &w->index, w->index_restarts, w->n_index, &index_handle, status);
  if (!code) {
    text_append(&footer, text_c(&meta_handle), meta_handle.size);
    text_append(&footer, text_c(&index_handle), index_handle.size);
    while (footer.size < 40 && !footer.failed) text_append(&footer, "", 1);
    text_append(&footer, (const char*)&MAGIC, 8);
    code = footer.failed || meta_handle.failed || index_handle.failed
               ? ckpt_out_of_memory(status)
               : ckpt_file_append(w->file, footer.data, footer.size, NULL, status);
  }
  text_free(&meta);
  text_free(&meta_handle);
  text_free(&index_handle);
  text_free(&footer);
  ckpt_table_abandon(w);
  return code;
}

void ckpt_table_abandon(ckpt_table_writer* w) {
  text_free(&w->block);
  text_free(&w->index);
  text_free(&w->last);
  free(w->restarts);
  free(w->index_restarts);
  *w = (ckpt_table_writer){0};
}
