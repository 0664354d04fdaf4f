/* The index of a checkpoint, and the names of its files. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/bundle.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

enum { VERSION = 1 };

static void free_entry(ckpt_entry* e) {
  free(e->key);
  free(e->slices);
}

void ckpt_index_free(ckpt_index* x) {
  for (int64_t i = 0; i < x->n; i++) free_entry(&x->entries[i]);
  free(x->entries);
  *x = (ckpt_index){0};
}

int ckpt_index_add(ckpt_index* x, ckpt_entry entry, ckpt_status* status) {
  if (x->n == x->room) {
    int64_t room = x->room ? 2 * x->room : 16;
    ckpt_entry* grown = realloc(x->entries, (size_t)room * sizeof *grown);
    if (!grown) {
      free_entry(&entry);
      return ckpt_out_of_memory(status);
    }
    x->entries = grown;
    x->room = room;
  }
  x->entries[x->n++] = entry;
  return TFC_OK;
}

const ckpt_entry* ckpt_index_find(const ckpt_index* x, const char* key, size_t size) {
  int64_t low = 0, high = x->n;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    const ckpt_entry* e = &x->entries[middle];
    int order = ckpt_compare(e->key, e->key_size, key, size);
    if (order == 0) return e;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* ---- Names */

char* ckpt_data_path(const char* prefix, int32_t shard, int32_t n_shards) {
  return ckpt_format("%s.data-%05d-of-%05d", prefix, shard, n_shards);
}

int ckpt_free_shards(const char* prefix, int32_t wanted, int32_t* n_shards, ckpt_status* status) {
  ckpt_index now = {0};
  *n_shards = wanted;
  int code = ckpt_index_read(&now, prefix, status);
  if (code == TFC_OK && now.n_shards == wanted) *n_shards = wanted + 1;
  ckpt_index_free(&now);
  if (code == TFC_OK || code == TFC_NOT_FOUND) return TFC_OK;
  /* What can't be read for a reason that may pass is not to be overwritten. */
  return code == TFC_DATA_LOSS || code == TFC_FAILED_PRECONDITION ? TFC_OK : code;
}

/* The number of shards in the name of a data file "base.data-00000-of-00001"; -1 for other names.
 */
static int64_t shards_in_name(const char* name, const char* base) {
  size_t size = strlen(base);
  if (strncmp(name, base, size) || strncmp(name + size, ".data-", 6)) return -1;
  const char* at = name + size + 6;
  if (!isdigit((unsigned char)*at)) return -1;
  while (isdigit((unsigned char)*at)) at++;
  if (strncmp(at, "-of-", 4) || !isdigit((unsigned char)at[4])) return -1;
  char* end;
  long long count = strtoll(at + 4, &end, 10);
  return *end ? -1 : count;
}

typedef struct other_files {
  const char* prefix;
  int32_t n_shards;
  const tfc_remote_files* files;
} other_files;

static void remove_other(void* arg, const char* path) {
  const other_files* o = arg;
  const size_t size = ckpt_folder_size(o->prefix);
  tfc_file_status status;
  if (strncmp(path, o->prefix, size)) return; /* the prefix is a pattern, too */
  const int64_t count = shards_in_name(path + size, o->prefix + size);
  if (count >= 0 && count != o->n_shards) o->files->remove(path, &status);
}

static void remove_remote_others(const char* prefix, int32_t n_shards) {
  tfc_file_status status;
  other_files o = {prefix, n_shards, tfc_remote(prefix, &status)};
  char* pattern = ckpt_format("%s.data-*", prefix);
  if (pattern && o.files) o.files->match(pattern, remove_other, &o, &status);
  free(pattern);
}

void ckpt_remove_others(const char* prefix, int32_t n_shards) {
  if (tfc_is_remote(prefix)) {
    remove_remote_others(prefix, n_shards);
    return;
  }
  size_t size = ckpt_folder_size(prefix);
  char* folder = size ? strndup(prefix, size) : strdup("./");
  DIR* list = folder ? opendir(folder) : NULL;
  for (struct dirent* item; list && (item = readdir(list));) {
    int64_t count = shards_in_name(item->d_name, prefix + size);
    if (count < 0 || count == n_shards) continue;
    char* path = ckpt_format("%s%s", folder, item->d_name);
    if (path) unlink(path);
    free(path);
  }
  if (list) closedir(list);
  free(folder);
}

/* ---- Reading */

static int malformed(ckpt_status* status, const char* prefix, const ckpt_pair* pair) {
  return ckpt_fail(status, TFC_DATA_LOSS, "%s.index is damaged: malformed entry for '%.*s'", prefix,
                   (int)TFC_MIN(pair->key_size, 400), pair->key);
}

static int read_header(const ckpt_pair* pair, const char* prefix, ckpt_index* x,
                       ckpt_status* status) {
  wire_reader r = wire_of(pair->value, pair->value_size);
  wire_field f;
  int more;
  uint64_t endianness = 0, oldest = 0;
  while ((more = wire_next(&r, &f)) > 0) {
    if (f.number == 1 && f.type == WIRE_VARINT) {
      if (f.value > INT32_MAX) return malformed(status, prefix, pair);
      x->n_shards = (int32_t)f.value;
    }
    if (f.number == 2 && f.type == WIRE_VARINT) endianness = f.value;
    if (f.number != 3 || f.type != WIRE_BYTES) continue;
    wire_field part;
    while ((more = wire_next(&f.bytes, &part)) > 0)
      if (part.number == 2 && part.type == WIRE_VARINT) oldest = part.value;
    if (more < 0) return malformed(status, prefix, pair);
  }
  if (more < 0) return malformed(status, prefix, pair);
  if (endianness)
    return ckpt_fail(status, TFC_UNIMPLEMENTED,
                     "%s.index: the checkpoint is big-endian, which is not supported", prefix);
  if (oldest > VERSION)
    return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                     "Checkpoint min consumer version %llu above current version %d for %s",
                     (unsigned long long)oldest, VERSION, prefix);
  return TFC_OK;
}

static bool add_slice_to(ckpt_entry* e, wire_reader bytes) {
  ckpt_slice* grown = realloc(e->slices, (size_t)(e->n_slices + 1) * sizeof *grown);
  if (!grown) return false;
  e->slices = grown;
  if (!ckpt_read_slice(bytes, &grown[e->n_slices])) return false;
  e->n_slices++;
  return true;
}

static bool read_field(ckpt_entry* e, const wire_field* f) {
  bool is_number = f->type == WIRE_VARINT;
  switch (f->number) {
    case 1: e->dtype = (int32_t)f->value; return is_number && f->value <= INT32_MAX;
    case 2: return f->type == WIRE_BYTES && ckpt_read_shape(f->bytes, &e->rank, e->dims);
    case 3: e->shard = (int32_t)f->value; return is_number && f->value <= INT32_MAX;
    case 4: e->offset = (int64_t)f->value; return is_number && f->value <= INT64_MAX;
    case 5: e->size = (int64_t)f->value; return is_number && f->value <= INT64_MAX;
    case 6: e->crc = (uint32_t)f->value; return f->type == WIRE_FIXED32;
    case 7: return f->type == WIRE_BYTES && add_slice_to(e, f->bytes);
    default: return true;
  }
}

static int read_entry(const ckpt_pair* pair, const char* prefix, ckpt_index* x,
                      ckpt_status* status) {
  ckpt_entry e = {.key = malloc(pair->key_size + 1), .key_size = pair->key_size};
  if (!e.key) return ckpt_out_of_memory(status);
  memcpy(e.key, pair->key, pair->key_size);
  e.key[pair->key_size] = '\0';
  wire_reader r = wire_of(pair->value, pair->value_size);
  wire_field f;
  int more;
  while ((more = wire_next(&r, &f)) > 0 && read_field(&e, &f)) continue;
  if (more != 0) {
    free_entry(&e);
    return malformed(status, prefix, pair);
  }
  return ckpt_index_add(x, e, status);
}

int ckpt_index_read(ckpt_index* x, const char* prefix, ckpt_status* status) {
  ckpt_table table;
  *x = (ckpt_index){0};
  char* path = ckpt_format("%s.index", prefix);
  if (!path) return ckpt_out_of_memory(status);
  int code = ckpt_table_open(&table, path, status);
  free(path);
  if (code) return code;
  bool has_header = false;
  for (int64_t block = 0; block < table.index.n && !code; block++) {
    code = ckpt_table_load(&table, block, status);
    for (int64_t i = 0; !code && i < table.current.n; i++) {
      const ckpt_pair* pair = &table.current.pairs[i];
      bool is_header = !has_header && pair->key_size == 0;
      code = (is_header ? read_header : read_entry)(pair, prefix, x, status);
      has_header |= is_header;
    }
  }
  if (!code && !has_header)
    code = ckpt_fail(status, TFC_DATA_LOSS,
                     "%s.index is damaged: Hit an error while looking up the header entry", prefix);
  for (int64_t i = 1; i < x->n && !code; i++) /* blocks are ordered inside; are they in order? */
    if (ckpt_compare(x->entries[i - 1].key, x->entries[i - 1].key_size, x->entries[i].key,
                     x->entries[i].key_size) >= 0)
      code = ckpt_fail(status, TFC_DATA_LOSS, "%s.index is damaged: keys are not in order", prefix);
  ckpt_table_close(&table);
  if (code) ckpt_index_free(x);
  return code;
}

/* ---- Writing */

static int by_key(const void* a, const void* b) {
  const ckpt_entry *x = a, *y = b;
  return ckpt_compare(x->key, x->key_size, y->key, y->key_size);
}

/* Unites entries of one tensor that have different slices of it. */
static int unite(ckpt_index* x, ckpt_status* status) {
  int64_t kept = 0;
  for (int64_t i = 0; i < x->n; i++) {
    ckpt_entry *e = &x->entries[i], *into = kept ? &x->entries[kept - 1] : NULL;
    if (!into || by_key(into, e)) {
      ckpt_entry moved = *e;
      *e = (ckpt_entry){0};
      x->entries[kept++] = moved;
      continue;
    }
    int shown = (int)TFC_MIN(e->key_size, 400);
    if (!into->n_slices || !e->n_slices)
      return ckpt_fail(status, TFC_INVALID_ARGUMENT, "Adding duplicate key: %.*s", shown, e->key);
    bool same = into->dtype == e->dtype && into->rank == e->rank;
    for (int d = 0; same && d < e->rank; d++) same = into->dims[d] == e->dims[d];
    if (!same)
      return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                       "slices of '%.*s' have different types or shapes: %s %s and %s %s", shown,
                       e->key, tfc_dtype_name(into->dtype),
                       tfc_dims_text(into->rank, into->dims).text, tfc_dtype_name(e->dtype),
                       tfc_dims_text(e->rank, e->dims).text);
    size_t count = (size_t)into->n_slices + (size_t)e->n_slices;
    ckpt_slice* all = realloc(into->slices, count * sizeof *all);
    if (!all) return ckpt_out_of_memory(status);
    memcpy(all + into->n_slices, e->slices, (size_t)e->n_slices * sizeof *all);
    into->slices = all;
    into->n_slices = (int32_t)count;
    free_entry(e);
    *e = (ckpt_entry){0};
  }
  x->n = kept;
  return TFC_OK;
}

static int write_header(ckpt_table_writer* w, int32_t n_shards, ckpt_status* status) {
  text_buffer header = {0}, version = {0};
  wire_add_int(&header, 1, n_shards);
  wire_add_int(&version, 1, VERSION);
  wire_add_bytes(&header, 3, text_c(&version), version.size);
  int code = header.failed || version.failed
                 ? ckpt_out_of_memory(status)
                 : ckpt_table_add(w, "", 0, header.data, header.size, status);
  text_free(&header);
  text_free(&version);
  return code;
}

static int write_entry(ckpt_table_writer* w, const ckpt_entry* e, ckpt_status* status) {
  text_buffer value = {0};
  wire_add_int(&value, 1, e->dtype);
  ckpt_add_shape(&value, 2, e->rank, e->dims);
  wire_add_int(&value, 3, e->shard);
  wire_add_int(&value, 4, e->offset);
  wire_add_int(&value, 5, e->size);
  wire_add_fixed32(&value, 6, e->crc);
  for (int i = 0; i < e->n_slices; i++) ckpt_add_slice(&value, 7, &e->slices[i]);
  int code = value.failed ? ckpt_out_of_memory(status)
                          : ckpt_table_add(w, e->key, e->key_size, value.data, value.size, status);
  text_free(&value);
  return code;
}

int ckpt_index_sort(ckpt_index* x, ckpt_status* status) {
  if (x->n > 1) qsort(x->entries, (size_t)x->n, sizeof *x->entries, by_key);
  return unite(x, status);
}

int ckpt_index_write(ckpt_index* x, const char* prefix, ckpt_status* status) {
  TFC_TRY(ckpt_index_sort(x, status));
  ckpt_file file;
  char* path = ckpt_format("%s.index", prefix);
  if (!path) return ckpt_out_of_memory(status);
  int code = ckpt_file_create(&file, path, status);
  free(path);
  if (code) return code;
  ckpt_table_writer w = {.file = &file};
  code = write_header(&w, x->n_shards, status);
  for (int64_t i = 0; i < x->n && !code; i++) code = write_entry(&w, &x->entries[i], status);
  if (!code)
    code = ckpt_table_finish(&w, status);
  else
    ckpt_table_abandon(&w);
  if (!code) code = ckpt_file_commit(&file, status);
  ckpt_file_discard(&file);
  return code;
}
