/* Writes a checkpoint: first all bytes of the tensors, then the index, which makes it complete. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/bundle.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

/* Makes the folder of the checkpoint if it is only that one which is missing, as TensorFlow does.
 */
static int make_folder(const char* prefix, ckpt_status* status) {
  size_t size = ckpt_folder_size(prefix);
  if (size <= 1) return TFC_OK;             /* the current folder, or the root */
  if (tfc_is_remote(prefix)) return TFC_OK; /* made when the file is put in place */
  char* folder = strndup(prefix, size - 1);
  if (!folder) return ckpt_out_of_memory(status);
  /* Other failures show when the file is created. */
  int code = mkdir(folder, 0777) ? TFC_OK : ckpt_sync_folder(folder, status);
  free(folder);
  return code;
}

int ckpt_writer_open(ckpt_writer* w, const char* prefix, ckpt_status* status) {
  *w = (ckpt_writer){.prefix = strdup(prefix), .data.fd = -1};
  if (!w->prefix) return ckpt_out_of_memory(status);
  TFC_TRY(make_folder(prefix, status));
  TFC_TRY(ckpt_free_shards(prefix, 1, &w->index.n_shards, status));
  char* path = ckpt_data_path(prefix, 0, w->index.n_shards);
  if (!path) return ckpt_out_of_memory(status);
  int code = ckpt_file_create(&w->data, path, status);
  free(path);
  return code;
}

/* Lengths, the checksum of the lengths, and the bytes of all strings. The checksum is that of the
 * lengths as fixed-size numbers. */
static int append_strings(ckpt_file* f, const tfc_tensor* t, uint32_t* crc, ckpt_status* status) {
  const tfc_string* strings = t->data;
  text_buffer lengths = {0};
  int code = TFC_OK;
  for (int64_t i = 0; i < t->n && !code; i++) {
    uint64_t length = strings[i].size;
    *crc = tfc_crc(*crc, &length, length > UINT32_MAX ? 8 : 4);
    wire_add_varint(&lengths, length);
    if (lengths.size < 1 << 16 && i + 1 < t->n) continue;
    code = lengths.failed ? ckpt_out_of_memory(status)
                          : ckpt_file_append(f, lengths.data, lengths.size, NULL, status);
    lengths.size = 0;
  }
  text_free(&lengths);
  if (code) return code;
  uint32_t of_lengths = tfc_crc_mask(*crc);
  TFC_TRY(ckpt_file_append(f, &of_lengths, 4, crc, status));
  for (int64_t i = 0; i < t->n; i++)
    TFC_TRY(ckpt_file_append(f, strings[i].data, strings[i].size, crc, status));
  return TFC_OK;
}

static int append_tensor(ckpt_writer* w, const tfc_tensor* t, ckpt_entry* e, ckpt_status* status) {
  const size_t bytes = (size_t)t->n * tfc_dtype_size(t->dtype);
  uint32_t crc = 0;
  e->offset = w->data.size + (int64_t)w->data.used;
  int code = t->dtype == TFC_STRING ? append_strings(&w->data, t, &crc, status)
                                    : ckpt_file_append(&w->data, t->data, bytes, &crc, status);
  e->size = w->data.size + (int64_t)w->data.used - e->offset;
  e->crc = tfc_crc_mask(crc);
  return code;
}

static bool copy_key(ckpt_entry* e, const char* key, size_t size) {
  e->key = malloc(size + 1);
  if (!e->key) return false;
  if (size) memcpy(e->key, key, size);
  e->key[size] = '\0';
  e->key_size = size;
  return true;
}

/* The entry under the tensor's own name that says which slice there is. */
static int add_whole(ckpt_writer* w, const char* name, size_t size, int32_t dtype, int rank,
                     const int64_t* dims, const ckpt_slice* slice, ckpt_status* status) {
  ckpt_entry whole = {.dtype = dtype, .rank = rank, .n_slices = 1, .slices = malloc(sizeof *slice)};
  if (!whole.slices || !copy_key(&whole, name, size)) {
    free(whole.slices);
    return ckpt_out_of_memory(status);
  }
  whole.slices[0] = *slice;
  memcpy(whole.dims, dims, (size_t)rank * sizeof *dims);
  return ckpt_index_add(&w->index, whole, status);
}

int ckpt_writer_add(ckpt_writer* w, const char* name, size_t size, const tfc_tensor* t, int rank,
                    const int64_t* dims, const ckpt_slice* slice, ckpt_status* status) {
  if (size == 0)
    return ckpt_fail(status, TFC_INVALID_ARGUMENT, "A tensor in a checkpoint needs a name");
  ckpt_entry e = {.dtype = t->dtype, .rank = t->rank};
  memcpy(e.dims, t->dims, (size_t)t->rank * sizeof *e.dims);
  bool is_part = slice && !ckpt_slice_is_whole(slice);
  text_buffer key = {0};
  if (is_part)
    ckpt_add_slice_key(&key, name, size, slice);
  else
    text_append(&key, name, size);
  bool copied = !key.failed && copy_key(&e, text_c(&key), key.size);
  text_free(&key);
  if (!copied) return ckpt_out_of_memory(status);
  if (append_tensor(w, t, &e, status)) {
    free(e.key);
    return status->code;
  }
  TFC_TRY(ckpt_index_add(&w->index, e, status));
  return is_part ? add_whole(w, name, size, t->dtype, rank, dims, slice, status) : TFC_OK;
}

/* With the folder's lock: names the data again, as another save to the prefix may have ended since
 * this one began, and its data must stay until this one's index is there. */
static int name_data(ckpt_writer* w, ckpt_status* status) {
  TFC_TRY(ckpt_free_shards(w->prefix, 1, &w->index.n_shards, status));
  char* path = ckpt_data_path(w->prefix, 0, w->index.n_shards);
  if (!path) return ckpt_out_of_memory(status);
  free(w->data.path);
  w->data.path = path;
  return TFC_OK;
}

static int put_in_place(ckpt_writer* w, ckpt_status* status) {
  TFC_TRY(name_data(w, status));
  /* The index must not reach the disk before what it names. */
  TFC_TRY(ckpt_file_put_in_place(&w->data, status));
  int code = ckpt_sync_folder(w->prefix, status);
  if (!code) code = ckpt_index_write(&w->index, w->prefix, status);
  if (code) {
    ckpt_remove(w->data.path);
    return code;
  }
  TFC_TRY(ckpt_sync_folder(w->prefix, status));
  ckpt_remove_others(w->prefix, w->index.n_shards);
  return TFC_OK;
}

int ckpt_writer_finish(ckpt_writer* w, ckpt_status* status) {
  int lock;
  TFC_TRY(ckpt_index_sort(&w->index, status));
  TFC_TRY(ckpt_file_sync(&w->data, status)); /* which takes long, before others have to wait */
  TFC_TRY(ckpt_lock_folder(w->prefix, &lock, status));
  const int code = put_in_place(w, status);
  ckpt_unlock_folder(lock);
  return code;
}

void ckpt_writer_close(ckpt_writer* w) {
  ckpt_file_discard(&w->data);
  ckpt_index_free(&w->index);
  free(w->prefix);
  *w = (ckpt_writer){.data.fd = -1};
}
