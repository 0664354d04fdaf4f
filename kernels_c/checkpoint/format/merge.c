/* Makes one checkpoint of several: the data files are renamed, and the indexes united. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/bundle.h"

TFC_ONE_LEVEL;

enum { ALL = -1 }; /* no data file has this number of shards */

/* Gives the data files that the entries name numbers from *next on, and notes what they had. */
static int renumber(ckpt_index* x, int32_t* next, int32_t** old, ckpt_status* status) {
  int32_t first = *next;
  *old = malloc((size_t)x->n * sizeof **old + 1);
  if (!*old) return ckpt_out_of_memory(status);
  for (int64_t i = 0; i < x->n; i++) {
    ckpt_entry* e = &x->entries[i];
    if (e->n_slices) continue;
    int32_t at = 0, used = *next - first;
    while (at < used && (*old)[at] != e->shard) at++;
    if (at == used) (*old)[(*next)++ - first] = e->shard;
    e->shard = first + at;
  }
  return TFC_OK;
}

static int rename_data(const char* from, int32_t shard, int32_t n_from, const char* to,
                       int32_t number, int32_t n_to, ckpt_status* status) {
  char* old = ckpt_data_path(from, shard, n_from);
  char* new = ckpt_data_path(to, number, n_to);
  int code = old && new ? ckpt_rename(old, new, status) : ckpt_out_of_memory(status);
  free(old);
  free(new);
  return code;
}

typedef struct part {
  const char* prefix;
  ckpt_index index;
  int32_t first, n; /* numbers of its data files */
  int32_t* old;     /* what they were */
  bool missing;
} part;

static int read_parts(part* parts, int64_t n, bool allow_missing, int32_t* n_shards,
                      ckpt_status* status) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    part* p = &parts[i];
    int code = ckpt_index_read(&p->index, p->prefix, status);
    p->missing = code == TFC_NOT_FOUND && allow_missing;
    if (p->missing) continue;
    if (code == TFC_NOT_FOUND)
      return ckpt_fail(status, TFC_NOT_FOUND,
                       "%s.index; No such file or directory. All tasks that save parts of a "
                       "checkpoint need a file system that they share",
                       p->prefix);
    if (code) return code;
    found++;
    p->first = *n_shards;
    TFC_TRY(renumber(&p->index, n_shards, &p->old, status));
    p->n = *n_shards - p->first;
  }
  if (found) return TFC_OK;
  return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                   "At least one prefix checkpoint file must exist, but none was found");
}

/* Moves the entries of all parts to one index. */
static int gather(part* parts, int64_t n, ckpt_index* merged, ckpt_status* status) {
  for (int64_t i = 0; i < n; i++) {
    ckpt_index* x = &parts[i].index;
    for (int64_t j = 0; j < x->n; j++) {
      ckpt_entry e = x->entries[j];
      x->entries[j] = (ckpt_entry){0};
      TFC_TRY(ckpt_index_add(merged, e, status));
    }
  }
  return ckpt_index_sort(merged, status);
}

static int put_in_place(part* parts, int64_t n, const char* prefix, ckpt_index* merged,
                        ckpt_status* status) {
  for (int64_t i = 0; i < n; i++)
    for (int32_t k = 0; k < parts[i].n; k++)
      TFC_TRY(rename_data(parts[i].prefix, parts[i].old[k], parts[i].index.n_shards, prefix,
                          parts[i].first + k, merged->n_shards, status));
  TFC_TRY(ckpt_sync_folder(prefix, status));
  TFC_TRY(ckpt_index_write(merged, prefix, status));
  return ckpt_sync_folder(prefix, status);
}

/* What is left of the parts; nothing depends on it. */
static void remove_part(const char* prefix) {
  char* index = ckpt_format("%s.index", prefix);
  if (index) ckpt_remove(index);
  free(index);
  ckpt_remove_others(prefix, ALL);
}

/* With the lock of the checkpoint's folder, so that it gets all of its files before others use its
 * prefix. */
static int merge(part* parts, int64_t n, int32_t n_shards, const char* prefix,
                 ckpt_status* status) {
  ckpt_index merged = {0};
  int code = ckpt_free_shards(prefix, TFC_MAX(n_shards, 1), &merged.n_shards, status);
  if (!code) code = gather(parts, n, &merged, status);
  if (!code) code = put_in_place(parts, n, prefix, &merged, status);
  for (int64_t i = 0; i < n && !code; i++)
    if (!parts[i].missing && strcmp(parts[i].prefix, prefix)) remove_part(parts[i].prefix);
  if (!code) ckpt_remove_others(prefix, merged.n_shards);
  ckpt_index_free(&merged);
  return code;
}

int ckpt_merge(const char* const* prefixes, int64_t n, const char* prefix, bool allow_missing,
               ckpt_status* status) {
  part* parts = calloc((size_t)n + 1, sizeof *parts);
  if (!parts) return ckpt_out_of_memory(status);
  int32_t n_shards = 0;
  for (int64_t i = 0; i < n; i++) parts[i].prefix = prefixes[i];
  int lock = -1, code = read_parts(parts, n, allow_missing, &n_shards, status);
  if (!code) code = ckpt_lock_folder(prefix, &lock, status);
  if (!code) code = merge(parts, n, n_shards, prefix, status);
  ckpt_unlock_folder(lock);
  for (int64_t i = 0; i < n; i++) {
    ckpt_index_free(&parts[i].index);
    free(parts[i].old);
  }
  free(parts);
  return code;
}
