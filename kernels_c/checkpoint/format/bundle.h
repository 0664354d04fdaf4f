/* Checkpoints: the tensors of TensorFlow's second format, and of its first one.
 *
 * The second format is a table, PREFIX.index, of what is where in the files
 * PREFIX.data-SSSSS-of-NNNNN, which hold nothing but the tensors' bytes. The first one is a table
 * that has the data, too. Checksums of all that is read are compared.
 */
#ifndef TFCORE_CHECKPOINT_BUNDLE_H
#define TFCORE_CHECKPOINT_BUNDLE_H

#include "kernels_c/checkpoint/format/slice.h"
#include "kernels_c/checkpoint/format/table.h"

typedef struct ckpt_entry {
  char* key; /* the tensor's name, or the key of a slice */
  size_t key_size;
  int32_t dtype;
  int rank;
  int64_t dims[TFC_MAX_RANK];
  int32_t shard;
  int64_t offset, size;
  uint32_t crc; /* masked */
  int32_t n_slices;
  ckpt_slice* slices; /* if there are any, the data is at their keys */
} ckpt_entry;

typedef struct ckpt_index {
  ckpt_entry* entries; /* when read: ordered by key */
  int64_t n, room;
  int32_t n_shards;
} ckpt_index;

/* ---- checkpoint/format/index.c: the index */

int ckpt_index_read(ckpt_index*, const char* prefix, ckpt_status*);
/* Takes over what the entry points to; also if it fails. */
int ckpt_index_add(ckpt_index*, ckpt_entry entry, ckpt_status*);
/* Sorts it, and unites the slices of a tensor. */
int ckpt_index_sort(ckpt_index*, ckpt_status*);
/* Sorts the index, writes it aside and puts it in its place. */
int ckpt_index_write(ckpt_index*, const char* prefix, ckpt_status*);
void ckpt_index_free(ckpt_index*);
const ckpt_entry* ckpt_index_find(const ckpt_index*, const char* key, size_t size);
/* NULL without memory. */
char* ckpt_data_path(const char* prefix, int32_t shard, int32_t n_shards);
/* The number of shards in the names of a checkpoint's next data files, at least `wanted`: not that
 * of the checkpoint that has this prefix now, which stays complete until the new index replaces its
 * own. */
int ckpt_free_shards(const char* prefix, int32_t wanted, int32_t* n_shards, ckpt_status*);
/* Removes the data files of a prefix whose names have another number of shards. Nothing depends on
 * it: failures are ignored. */
void ckpt_remove_others(const char* prefix, int32_t n_shards);

/* ---- checkpoint/format/write.c */

typedef struct ckpt_writer {
  char* prefix;
  ckpt_file data;
  ckpt_index index;
} ckpt_writer;

int ckpt_writer_open(ckpt_writer*, const char* prefix, ckpt_status*);
/* dims, slice: the shape of the whole tensor, and which part of it `t` is; NULL: all. */
int ckpt_writer_add(ckpt_writer*, const char* name, size_t size, const tfc_tensor* t, int rank,
                    const int64_t* dims, const ckpt_slice* slice, ckpt_status*);
/* From then on the checkpoint survives a crash of the machine. */
int ckpt_writer_finish(ckpt_writer*, ckpt_status*);
/* Removes what is not finished, and frees memory. */
void ckpt_writer_close(ckpt_writer*);

/* ---- checkpoint/format/merge.c: makes the checkpoint of a prefix of those of several others,
 * which are removed. allow_missing: some of them may not exist. */
int ckpt_merge(const char* const* prefixes, int64_t n, const char* prefix, bool allow_missing,
               ckpt_status*);

/* ---- checkpoint/format/read.c */

typedef struct ckpt_reader {
  char* prefix;
  bool is_v1;
  ckpt_index index;   /* of the first format: the tensors of all tables */
  ckpt_table* tables; /* of the first format, or NULL */
  int32_t n_tables;
  struct ckpt_shard {
    int32_t number;
    int fd;
    int64_t size;
    char* path;
  }* shards; /* data files that are open */
  int32_t n_open;
} ckpt_reader;

/* Opens the checkpoint of a prefix, or else the tables of the first format that the prefix names
 * or matches (* and ? in the last part of the path). */
int ckpt_reader_open(ckpt_reader*, const char* prefix, ckpt_status*);
int ckpt_reader_open_v1(ckpt_reader*, const char* pattern, ckpt_status*);
void ckpt_reader_close(ckpt_reader*);

/* Calls fn for parts of [0, n), and returns when all are done. */
typedef void (*ckpt_loop)(void* arg, int64_t n, double ns_each, tfc_range_fn fn, void* fn_arg);

typedef struct ckpt_request {
  const ckpt_entry* entry;
  ckpt_box box;
  void* data; /* where the box goes, unless it is of strings */
  int (*set_string)(void* arg, int64_t i, const char* text, size_t size);
  void* arg;
} ckpt_request;

/* Reads all requests. `loop` reads large ones in parallel; NULL: one after the other. */
int ckpt_reader_read(ckpt_reader*, const ckpt_request*, int64_t n, ckpt_loop, void* loop_arg,
                     ckpt_status*);

/* ---- checkpoint/format/v1.c: the first format */

int ckpt_v1_open_table(ckpt_reader*, const char* path, ckpt_status*);
/* The elements of a slice, `count` of them, to `to`; strings to set_string. */
int ckpt_v1_read(ckpt_reader*, const ckpt_entry*, const ckpt_slice*, int64_t count, void* to,
                 int (*set_string)(void*, int64_t, const char*, size_t), void* arg, ckpt_status*);

typedef struct ckpt_v1_tensor {
  const char* name;
  size_t name_size;
  const tfc_tensor* value;
  ckpt_slice slice;
  int64_t dims[TFC_MAX_RANK]; /* of the whole */
} ckpt_v1_tensor;

/* Writes a table aside and puts it in its place. */
int ckpt_v1_write(const char* path, ckpt_v1_tensor*, int64_t n, ckpt_status*);

/* ---- For tfcore/core/registry/checkpoint.pyx, which has the function's result by name
 * (registry.pyx) */

typedef struct ckpt_functions {
  int (*path)(const char*, size_t, char**, ckpt_status*);
  int (*open)(ckpt_reader*, const char*, ckpt_status*);
  void (*close)(ckpt_reader*);
  int (*read)(ckpt_reader*, const ckpt_request*, int64_t, ckpt_loop, void*, ckpt_status*);
  const ckpt_entry* (*find)(const ckpt_index*, const char*, size_t);
  uint32_t (*crc)(uint32_t, const void*, size_t);
  uint32_t (*crc_portable)(uint32_t, const void*, size_t);
  uint32_t (*crc_combine)(uint32_t, uint32_t, uint64_t);
} ckpt_functions;

TFC_EXPORT const ckpt_functions* ckpt_functions_table(void);

#endif /* TFCORE_CHECKPOINT_BUNDLE_H */
