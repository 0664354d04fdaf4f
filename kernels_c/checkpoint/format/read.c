/* Reads boxes of tensors from a checkpoint, straight into their memory where a stored piece has the
 * order of the box. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/bundle.h"
#include "kernels_c/common/crc.h"
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

enum {
  CHUNK = 2 << 20,  /* bytes that one thread reads */
  PIECE = 128 << 10 /* bytes of one call; their checksum is computed while they are in the cache */
};
static const double NS_PER_BYTE = 0.2;

/* ---- Opening */

static int no_match(ckpt_status* status, int code, const char* pattern) {
  return ckpt_fail(
      status, code,
      "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s",
      pattern);
}

typedef struct remote_tables {
  ckpt_reader* r;
  ckpt_status* status;
} remote_tables;

static void open_remote_table(void* arg, const char* path) {
  const remote_tables* t = arg;
  if (!t->status->code) ckpt_v1_open_table(t->r, path, t->status);
}

static int open_remote_tables(ckpt_reader* r, ckpt_status* status) {
  tfc_file_status remote;
  remote_tables tables = {r, status};
  const tfc_remote_files* files = tfc_remote(r->prefix, &remote);
  status->code = TFC_OK;
  if (!files || files->match(r->prefix, open_remote_table, &tables, &remote))
    ckpt_fail(status, remote.code, "%s", remote.text);
  else if (!status->code && !r->n_tables)
    no_match(status, TFC_NOT_FOUND, r->prefix);
  if (status->code) ckpt_reader_close(r);
  return status->code;
}

int ckpt_reader_open_v1(ckpt_reader* r, const char* pattern, ckpt_status* status) {
  glob_t found = {0};
  *r = (ckpt_reader){.prefix = strdup(pattern), .is_v1 = true};
  if (!r->prefix) return ckpt_out_of_memory(status);
  if (tfc_is_remote(pattern)) return open_remote_tables(r, status);
  int failed = glob(pattern, GLOB_NOESCAPE, NULL, &found);
  if (failed || !found.gl_pathc)
    no_match(status, failed == GLOB_NOSPACE ? TFC_RESOURCE_EXHAUSTED : TFC_NOT_FOUND, pattern);
  else
    status->code = TFC_OK;
  for (size_t i = 0; !status->code && i < found.gl_pathc; i++)
    ckpt_v1_open_table(r, found.gl_pathv[i], status);
  globfree(&found);
  if (status->code) ckpt_reader_close(r);
  return status->code;
}

int ckpt_reader_open(ckpt_reader* r, const char* prefix, ckpt_status* status) {
  *r = (ckpt_reader){.prefix = strdup(prefix)};
  if (!r->prefix) return ckpt_out_of_memory(status);
  if (ckpt_index_read(&r->index, prefix, status) == TFC_OK) return TFC_OK;
  ckpt_reader_close(r);
  return status->code == TFC_NOT_FOUND ? ckpt_reader_open_v1(r, prefix, status) : status->code;
}

void ckpt_reader_close(ckpt_reader* r) {
  for (int32_t i = 0; i < r->n_open; i++) {
    close(r->shards[i].fd);
    free(r->shards[i].path);
  }
  for (int32_t i = 0; i < r->n_tables; i++) ckpt_table_close(&r->tables[i]);
  ckpt_index_free(&r->index);
  free(r->shards);
  free(r->tables);
  free(r->prefix);
  *r = (ckpt_reader){0};
}

static int open_shard(ckpt_reader* r, int32_t number, struct ckpt_shard** shard,
                      ckpt_status* status) {
  for (int32_t i = 0; i < r->n_open; i++)
    if (r->shards[i].number == number) {
      *shard = &r->shards[i];
      return TFC_OK;
    }
  struct ckpt_shard* grown = realloc(r->shards, (size_t)(r->n_open + 1) * sizeof *grown);
  if (!grown) return ckpt_out_of_memory(status);
  r->shards = grown;
  struct ckpt_shard made = {.number = number,
                            .path = ckpt_data_path(r->prefix, number, r->index.n_shards)};
  if (!made.path) return ckpt_out_of_memory(status);
  made.fd = ckpt_open_to_read(made.path, &made.size, status);
  if (made.fd < 0) {
    free(made.path);
    return status->code;
  }
  r->shards[r->n_open] = made;
  *shard = &r->shards[r->n_open++];
  return TFC_OK;
}

/* ---- Ranges of data files: read in chunks, in any order; checksums are put together afterwards */

typedef struct range {
  const ckpt_entry *entry, *tensor; /* where it is; whose it is */
  int fd;
  char* to;
  char* temporary; /* to be freed: the data belongs elsewhere */
} range;

/* Where data that was read aside belongs. Requests for parts of one stored piece share its range.
 */
typedef struct placing {
  int64_t range, request;
  ckpt_box piece;
} placing;

typedef struct chunk {
  int64_t range, offset;
  size_t size;
  uint32_t crc;
  int failure; /* errno; -1: the file has ended; -2: cancelled */
} chunk;

typedef struct reading {
  ckpt_reader* reader;
  ckpt_status* status;
  range* ranges;
  placing* placings;
  chunk* chunks;
  int64_t n, room, n_placings, placings_room, n_chunks;
} reading;

static void read_chunks(void* arg, int64_t begin, int64_t end) {
  reading* all = arg;
  for (int64_t i = begin; i < end; i++) {
    chunk* c = &all->chunks[i];
    const range* x = &all->ranges[c->range];
    const ckpt_status* s = all->status; /* the question may be asked on any thread */
    if (s->cancelled && s->cancelled(s->arg)) c->failure = -2;
    for (size_t at = 0; at < c->size && !c->failure; at += PIECE) {
      size_t size = TFC_MIN(c->size - at, PIECE);
      char* to = x->to + c->offset + at;
      if (!ckpt_read_at(x->fd, to, size, x->entry->offset + c->offset + (int64_t)at))
        c->failure = errno ? errno : -1;
      else
        c->crc = tfc_crc(c->crc, to, size);
    }
  }
}

static const char* path_of(const ckpt_reader* r, int32_t number) {
  for (int32_t i = 0; i < r->n_open; i++)
    if (r->shards[i].number == number) return r->shards[i].path;
  return r->prefix;
}

static int fail_for(const reading* all, const range* x, int code, const char* what) {
  return ckpt_fail(all->status, code, "%s: tensor '%.*s': %s",
                   path_of(all->reader, x->entry->shard), (int)TFC_MIN(x->tensor->key_size, 400),
                   x->tensor->key, what);
}

static int chunk_error(const reading* all, const chunk* c) {
  char text[128];
  const range* x = &all->ranges[c->range];
  if (c->failure == -2) return ckpt_fail(all->status, TFC_CANCELLED, "the step was cancelled");
  if (c->failure == -1)
    return fail_for(all, x, TFC_DATA_LOSS, "Read less bytes than requested; the file is truncated");
  ckpt_fail_system(all->status, c->failure, "");
  snprintf(text, sizeof text, "%s", all->status->text + 2);
  return fail_for(all, x, all->status->code, text);
}

static int compare_checksums(const reading* all) {
  uint32_t crc = 0;
  for (int64_t i = 0; i < all->n_chunks; i++) {
    const chunk* c = &all->chunks[i];
    if (c->failure) return chunk_error(all, c);
    crc = c->offset ? tfc_crc_combine(crc, c->crc, c->size) : c->crc;
    const range* x = &all->ranges[c->range];
    if (c->offset + (int64_t)c->size < x->entry->size || x->entry->dtype == TFC_STRING) continue;
    if (tfc_crc_mask(crc) != x->entry->crc) {
      char text[128];
      snprintf(text, sizeof text,
               "Checksum does not match: stored %u vs. calculated on the restored bytes %u",
               x->entry->crc, tfc_crc_mask(crc));
      return fail_for(all, x, TFC_DATA_LOSS, text);
    }
  }
  return TFC_OK;
}

static int run_ranges(reading* all, ckpt_loop loop, void* loop_arg) {
  int64_t count = 0;
  for (int64_t i = 0; i < all->n; i++) count += (all->ranges[i].entry->size + CHUNK - 1) / CHUNK;
  if (!count) return TFC_OK;
  all->chunks = malloc((size_t)count * sizeof *all->chunks);
  if (!all->chunks) return ckpt_out_of_memory(all->status);
  double bytes = 0;
  for (int64_t i = 0; i < all->n; i++) {
    int64_t size = all->ranges[i].entry->size;
    bytes += (double)size;
    for (int64_t at = 0; at < size; at += CHUNK)
      all->chunks[all->n_chunks++] = (chunk){i, at, (size_t)TFC_MIN(size - at, CHUNK), 0, 0};
  }
  if (loop)
    loop(loop_arg, count, 2000 + bytes / (double)count * NS_PER_BYTE, read_chunks, all);
  else
    read_chunks(all, 0, count);
  return compare_checksums(all);
}

/* ---- From pieces to boxes */

/* Whether the elements of `piece`, inside `box`, are one range of it; and where that begins. */
static bool is_range(const ckpt_box* piece, const ckpt_box* box, int64_t* first) {
  bool after = false, ok = true; /* after a dimension that the piece covers only in part */
  *first = 0;
  for (int d = box->rank - 1; d >= 0; d--) {
    ok &= !after || piece->dims[d] == 1;
    after |= piece->dims[d] != box->dims[d];
  }
  for (int d = 0; d < box->rank; d++)
    *first = *first * box->dims[d] + piece->start[d] - box->start[d];
  return ok;
}

/* Calls fn for each run of `common` along the last dimension: its place in both boxes. */
typedef int (*run_fn)(void* arg, int64_t in_piece, int64_t in_box, int64_t n);
static int for_runs(const ckpt_box* common, const ckpt_box* piece, const ckpt_box* box, run_fn fn,
                    void* arg) {
  int64_t at[TFC_MAX_RANK] = {0};
  int last = common->rank - 1;
  if (last < 0) return fn(arg, 0, 0, 1);
  for (;;) {
    int64_t from = 0, to = 0;
    for (int d = 0; d <= last; d++) {
      from = from * piece->dims[d] + common->start[d] + at[d] - piece->start[d];
      to = to * box->dims[d] + common->start[d] + at[d] - box->start[d];
    }
    TFC_TRY(fn(arg, from, to, common->dims[last]));
    int d = last - 1;
    while (d >= 0 && ++at[d] == common->dims[d]) at[d--] = 0;
    if (d < 0) return TFC_OK;
  }
}

typedef struct copying {
  const char* from;
  char* to;
  size_t size;
} copying;

static int copy_run(void* arg, int64_t in_piece, int64_t in_box, int64_t n) {
  const copying* c = arg;
  memcpy(c->to + (size_t)in_box * c->size, c->from + (size_t)in_piece * c->size,
         (size_t)n * c->size);
  return TFC_OK;
}

/* Strings of a piece, as pointers into memory, until they are in their places. */
typedef struct setting {
  const tfc_string* strings;
  const ckpt_request* request;
} setting;

static int set_run(void* arg, int64_t in_piece, int64_t in_box, int64_t n) {
  const setting* s = arg;
  for (int64_t i = 0; i < n; i++)
    TFC_TRY(s->request->set_string(s->request->arg, in_box + i, s->strings[in_piece + i].data,
                                   s->strings[in_piece + i].size));
  return TFC_OK;
}

/* Splits the bytes of a string tensor, comparing both checksums. */
static int split_strings(const reading* all, const range* x, int64_t n, tfc_string* strings) {
  wire_reader r = wire_of(x->to, (size_t)x->entry->size);
  uint32_t crc = 0, stored, shown;
  for (int64_t i = 0; i < n; i++) {
    uint64_t length;
    if (!wire_varint(&r, &length) || length > (uint64_t)x->entry->size)
      return fail_for(all, x, TFC_DATA_LOSS, "The lengths of its strings are malformed");
    strings[i].size = length;
    crc = tfc_crc(crc, &length, length > UINT32_MAX ? 8 : 4);
  }
  shown = tfc_crc_mask(crc);
  if (!wire_take(&r, &stored, 4) || stored != shown)
    return fail_for(all, x, TFC_DATA_LOSS, "The length checksum does not match");
  crc = tfc_crc(crc, &stored, 4);
  if (tfc_crc_mask(tfc_crc(crc, r.at, wire_left(&r))) != x->entry->crc)
    return fail_for(all, x, TFC_DATA_LOSS, "Checksum does not match");
  for (int64_t i = 0; i < n; i++) {
    if (strings[i].size > wire_left(&r))
      return fail_for(all, x, TFC_DATA_LOSS, "It ends before its last string");
    strings[i].data = (char*)r.at;
    r.at += strings[i].size;
  }
  return r.at == r.end ? TFC_OK : fail_for(all, x, TFC_DATA_LOSS, "It has more than its strings");
}

static int place_strings(const reading* all, const range* x, const ckpt_box* piece,
                         const ckpt_request* q, const ckpt_box* common) {
  int64_t n = ckpt_box_count(piece);
  if (n > x->entry->size) /* each has a length of a byte at least */
    return fail_for(all, x, TFC_DATA_LOSS, "It has too few bytes for its strings");
  tfc_string* strings = malloc((size_t)n * sizeof *strings + 1);
  if (!strings) return ckpt_out_of_memory(all->status);
  setting s = {strings, q};
  int code = split_strings(all, x, n, strings);
  if (!code && for_runs(common, piece, &q->box, set_run, &s))
    code = ckpt_out_of_memory(all->status);
  free(strings);
  return code;
}

/* Moves what was read aside to where it belongs. */
static int place(const reading* all, const placing* p, const ckpt_request* q) {
  const range* x = &all->ranges[p->range];
  ckpt_box common;
  if (!ckpt_intersect(&p->piece, &q->box, &common)) return TFC_OK;
  if (x->entry->dtype == TFC_STRING) return place_strings(all, x, &p->piece, q, &common);
  copying c = {x->to, q->data, tfc_dtype_size(x->entry->dtype)};
  return for_runs(&common, &p->piece, &q->box, copy_run, &c);
}

/* ---- Planning */

static range* new_range(reading* all) {
  if (all->n == all->room) {
    int64_t room = all->room ? 2 * all->room : 16;
    range* grown = realloc(all->ranges, (size_t)room * sizeof *grown);
    if (!grown) return NULL;
    all->ranges = grown;
    all->room = room;
  }
  return memset(&all->ranges[all->n++], 0, sizeof(range));
}

/* The range of a stored piece of a tensor that is read aside for a request before this one; NULL if
 * there is none. Requests for parts of one tensor follow each other. */
static range* found_range(const reading* all, const ckpt_entry* tensor, const ckpt_entry* stored) {
  for (int64_t i = all->n - 1; i >= 0 && all->ranges[i].tensor == tensor; i--)
    if (all->ranges[i].entry == stored && all->ranges[i].temporary) return &all->ranges[i];
  return NULL;
}

static int place_later(reading* all, const range* x, int64_t request, const ckpt_box* piece) {
  if (all->n_placings == all->placings_room) {
    int64_t room = all->placings_room ? 2 * all->placings_room : 16;
    placing* grown = realloc(all->placings, (size_t)room * sizeof *grown);
    if (!grown) return ckpt_out_of_memory(all->status);
    all->placings = grown;
    all->placings_room = room;
  }
  all->placings[all->n_placings++] = (placing){x - all->ranges, request, *piece};
  return TFC_OK;
}

/* Adds the range of a stored piece, read in place if possible. */
static int plan_piece(reading* all, const ckpt_request* q, int64_t request,
                      const ckpt_entry* stored, const ckpt_box* piece) {
  struct ckpt_shard* shard = NULL;
  TFC_TRY(open_shard(all->reader, stored->shard, &shard, all->status));
  int fd = shard->fd;
  int64_t file_size = shard->size;
  range* x = found_range(all, q->entry, stored);
  if (x) return place_later(all, x, request, piece);
  x = new_range(all);
  if (!x) return ckpt_out_of_memory(all->status);
  *x = (range){stored, q->entry, fd, NULL, NULL};
  size_t element = tfc_dtype_size(stored->dtype);
  int64_t n = ckpt_box_count(piece), bytes;
  bool is_string = stored->dtype == TFC_STRING;
  if (n < 0 || stored->dtype != q->entry->dtype ||
      (!is_string &&
       (__builtin_mul_overflow(n, (int64_t)element, &bytes) || bytes != stored->size)))
    return fail_for(all, x, TFC_DATA_LOSS, "Its size in the index does not fit its type and shape");
  if (stored->offset > file_size || stored->size > file_size - stored->offset)
    return fail_for(all, x, TFC_DATA_LOSS, "Read less bytes than requested; the file is truncated");
  ckpt_box common;
  int64_t first;
  bool inside = ckpt_intersect(piece, &q->box, &common) && ckpt_box_count(&common) == n;
  if (!is_string && inside && is_range(piece, &q->box, &first)) {
    x->to = (char*)q->data + (size_t)first * element;
    return TFC_OK;
  }
  x->to = x->temporary = malloc((size_t)stored->size + 1);
  return x->to ? place_later(all, x, request, piece) : ckpt_out_of_memory(all->status);
}

static int find_piece(const reading* all, const ckpt_entry* e, const ckpt_slice* slice,
                      const ckpt_entry** stored) {
  text_buffer key = {0};
  ckpt_add_slice_key(&key, e->key, e->key_size, slice);
  *stored = key.failed ? NULL : ckpt_index_find(&all->reader->index, key.data, key.size);
  bool failed = key.failed;
  text_free(&key);
  if (failed) return ckpt_out_of_memory(all->status);
  if (*stored) return TFC_OK;
  return ckpt_fail(all->status, TFC_DATA_LOSS,
                   "%s.index: tensor '%.*s': A slice is not in the index", all->reader->prefix,
                   (int)TFC_MIN(e->key_size, 400), e->key);
}

static int bad_slices(const reading* all, const ckpt_entry* e, int code, const char* what) {
  return ckpt_fail(all->status, code, "%s: tensor '%.*s': %s", all->reader->prefix,
                   (int)TFC_MIN(e->key_size, 400), e->key, what);
}

/* Notes where in the table's block a string is. */
static int note_string(void* arg, int64_t i, const char* text, size_t size) {
  tfc_string* strings = arg;
  strings[i] = (tfc_string){.data = (char*)text, .size = size};
  return TFC_OK;
}

/* Reads a piece aside, and moves what it has in common with the box to its place. */
static int read_v1_part(reading* all, const ckpt_request* q, const ckpt_slice* slice,
                        const ckpt_box* piece, const ckpt_box* common) {
  const ckpt_entry* e = q->entry;
  const bool is_string = e->dtype == TFC_STRING;
  const size_t element = is_string ? sizeof(tfc_string) : tfc_dtype_size(e->dtype);
  int64_t n = ckpt_box_count(piece);
  char* data = calloc((size_t)n, element);
  if (!data) return ckpt_out_of_memory(all->status);
  copying c = {data, q->data, element};
  setting s = {(tfc_string*)(void*)data, q};
  int code = ckpt_v1_read(all->reader, e, slice, n, data, note_string, data, all->status);
  if (!code && for_runs(common, piece, &q->box, is_string ? set_run : copy_run,
                        is_string ? (void*)&s : (void*)&c))
    code = ckpt_out_of_memory(all->status); /* for a string */
  free(data);
  return code;
}

static int read_v1_piece(reading* all, const ckpt_request* q, const ckpt_slice* slice,
                         const ckpt_box* piece) {
  int64_t n = ckpt_box_count(piece);
  const ckpt_entry* e = q->entry;
  ckpt_box common;
  if (n < 0 || !ckpt_intersect(piece, &q->box, &common)) return TFC_OK;
  /* A piece of equal size may lie elsewhere. */
  int64_t n_common = ckpt_box_count(&common);
  if (n == n_common && n == ckpt_box_count(&q->box))
    return ckpt_v1_read(all->reader, e, slice, n, q->data, q->set_string, q->arg, all->status);
  return read_v1_part(all, q, slice, piece, &common);
}

/* Plans the pieces that share elements with the request, and checks that they cover it. */
static int plan_slices(reading* all, const ckpt_request* q, int64_t request) {
  const ckpt_entry* e = q->entry;
  int64_t covered = 0, n_used = 0;
  ckpt_box* used = malloc((size_t)e->n_slices * sizeof *used);
  if (!used) return ckpt_out_of_memory(all->status);
  int code = TFC_OK;
  for (int32_t i = 0; i < e->n_slices && !code; i++) {
    ckpt_box piece, common, both;
    const ckpt_entry* stored = NULL;
    code = ckpt_slice_box(&e->slices[i], e->rank, e->dims, &piece, all->status);
    if (code || !ckpt_intersect(&piece, &q->box, &common)) continue;
    for (int64_t j = 0; j < n_used && !code; j++)
      if (ckpt_intersect(&used[j], &common, &both))
        code = bad_slices(all, e, TFC_INTERNAL, "Overlapping slices");
    used[n_used++] = common;
    covered += ckpt_box_count(&common);
    if (code) continue;
    if (all->reader->is_v1)
      code = read_v1_piece(all, q, &e->slices[i], &piece);
    else if (!(code = find_piece(all, e, &e->slices[i], &stored)))
      code = plan_piece(all, q, request, stored, &piece);
  }
  free(used);
  if (!code && covered != ckpt_box_count(&q->box))
    code = bad_slices(all, e, TFC_INVALID_ARGUMENT,
                      "Does not have sufficient slices for partitioned tensor");
  return code;
}

static int plan(reading* all, const ckpt_request* q, int64_t request) {
  const ckpt_entry* e = q->entry;
  if (!tfc_dtype_size(e->dtype))
    return ckpt_fail(all->status, TFC_UNIMPLEMENTED,
                     "%s: tensor '%.*s': Restoring data type %d not yet supported",
                     all->reader->prefix, (int)TFC_MIN(e->key_size, 400), e->key, e->dtype);
  if (ckpt_box_count(&q->box) == 0) return TFC_OK;
  if (e->n_slices) return plan_slices(all, q, request);
  ckpt_box whole = ckpt_whole_box(e->rank, e->dims);
  return plan_piece(all, q, request, e, &whole);
}

int ckpt_reader_read(ckpt_reader* r, const ckpt_request* requests, int64_t n, ckpt_loop loop,
                     void* loop_arg, ckpt_status* status) {
  reading all = {.reader = r, .status = status};
  int code = TFC_OK;
  for (int64_t i = 0; i < n && !code; i++) code = plan(&all, &requests[i], i);
  if (!code) code = run_ranges(&all, loop, loop_arg);
  for (int64_t i = 0; i < all.n_placings && !code; i++)
    code = place(&all, &all.placings[i], &requests[all.placings[i].request]);
  for (int64_t i = 0; i < all.n; i++) free(all.ranges[i].temporary);
  free(all.ranges);
  free(all.placings);
  free(all.chunks);
  return code;
}

const ckpt_functions* ckpt_functions_table(void) {
  static const ckpt_functions functions = {
      .path = ckpt_path,
      .open = ckpt_reader_open,
      .close = ckpt_reader_close,
      .read = ckpt_reader_read,
      .find = ckpt_index_find,
      .crc = tfc_crc,
      .crc_portable = tfc_crc_portable,
      .crc_combine = tfc_crc_combine,
  };
  return &functions;
}
