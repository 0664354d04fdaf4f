/* Table files: maps from byte strings to byte strings, ordered by key, in blocks with checksums.
 * The index of a checkpoint is one; checkpoints of the first format are tables altogether. */
#ifndef TFCORE_CHECKPOINT_TABLE_H
#define TFCORE_CHECKPOINT_TABLE_H

#include "kernels_c/checkpoint/format/file.h"

/* ---- Writing. All zero but `file` to begin with. */

typedef struct ckpt_table_writer {
  ckpt_file* file;
  text_buffer block, index, last; /* the open block, the index block, the last key */
  uint32_t *restarts, *index_restarts;
  size_t n_restarts, room, n_index, index_room;
  int since_restart;
} ckpt_table_writer;

/* Keys must come in increasing order of their bytes. */
int ckpt_table_add(ckpt_table_writer*, const void* key, size_t key_size, const void* value,
                   size_t value_size, ckpt_status*);
/* Appends what is left, and frees the memory of the writer. */
int ckpt_table_finish(ckpt_table_writer*, ckpt_status*);
void ckpt_table_abandon(ckpt_table_writer*);

/* Order of keys: negative, 0 or positive. */
int ckpt_compare(const void* a, size_t a_size, const void* b, size_t b_size);

/* ---- Reading */

typedef struct ckpt_pair {
  const char *key, *value;
  size_t key_size, value_size;
} ckpt_pair;

/* A block in memory: its pairs point into `keys` and `data`. */
typedef struct ckpt_block {
  char* data;
  text_buffer keys;
  ckpt_pair* pairs;
  int64_t n;
} ckpt_block;

typedef struct ckpt_table {
  int fd;
  char* path;
  int64_t size;
  ckpt_block index;   /* the values are the places of the blocks */
  ckpt_block current; /* the block that was read last ... */
  int64_t number;     /* ... and its number; -1: none */
} ckpt_table;

/* DATA_LOSS: it is not a table, or damaged. */
int ckpt_table_open(ckpt_table*, const char* path, ckpt_status*);
void ckpt_table_close(ckpt_table*);
/* Makes block `number` the current one. */
int ckpt_table_load(ckpt_table*, int64_t number, ckpt_status*);
/* *found is NULL if there is no such key; it lives as long as the block is the current one. */
int ckpt_table_find(ckpt_table*, const void* key, size_t size, const ckpt_pair** found,
                    ckpt_status*);

/* Expands data in Snappy's format; NULL if it is malformed or there is no memory. */
char* ckpt_snappy_expand(const char* data, size_t size, size_t* expanded_size);

#endif /* TFCORE_CHECKPOINT_TABLE_H */
