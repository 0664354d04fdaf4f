/* CacheDataset in a file.
 *
 * NAME.cache has TensorFlow's records, with checksums: one says what the file is, each of the next
 * has an element, and the last one their number. The first iterator writes NAME.cache.partial and
 * renames it when its input ends. The lock of that file, which a process cannot leave behind, keeps
 * other writers out. An iterator that ends early removes it.
 */
#include "kernels_c/data/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/data/position.h"
#include "kernels_c/io/records.h"

TFC_ONE_LEVEL;

#define TITLE "tfcore cache 1"
enum { IS_TITLE = 'T', IS_ELEMENT = 'E', IS_END = 'Z' };

typedef struct file_cache {
  dataset base;
  char *path, *partial;
} file_cache;

typedef enum {
  UNDECIDED, /* there was no element so far */
  READS,
  WRITES,
  PASSES, /* the input's elements only: they can't all be written any more */
  N_MODES
} cache_mode;

typedef struct file_cache_iterator {
  iterator base;
  cache_mode mode;
  int64_t n;             /* elements so far */
  record_reader* reader; /* of READS */
  int file;              /* of WRITES */
  pid_t process;         /* that writes: a forked child must not */
} file_cache_iterator;

static const file_cache* cache_of(const file_cache_iterator* c) {
  return (const file_cache*)c->base.dataset;
}

static int fail_system(tfc_context* ctx, const char* path) {
  record_status status;
  record_fail_system(&status, errno, path);
  return tfc_error(ctx, status.code, "%s", status.text);
}

/* ---- Writing */

/* Gives the partial file up. */
static void abandon(file_cache_iterator* c) {
  if (c->mode != WRITES) return;
  if (c->process == getpid()) unlink(cache_of(c)->partial);
  close(c->file); /* unlocks it */
  c->mode = PASSES;
}

/* A record whose data begins behind the room that `begin_record` made for its head. */
static void begin_record(text_buffer* b, char kind) {
  char head[RECORD_HEAD + 1] = {0};
  head[RECORD_HEAD] = kind;
  text_append(b, head, sizeof head);
}

static int write_record(file_cache_iterator* c, tfc_context* ctx, text_buffer* b) {
  uint8_t head[RECORD_HEAD], foot[RECORD_FOOT];
  if (!b->failed) {
    record_frame(b->data + RECORD_HEAD, b->size - RECORD_HEAD, head, foot);
    memcpy(b->data, head, sizeof head);
    text_append(b, (char*)foot, sizeof foot);
  }
  if (b->failed)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for an element in a cache");
  for (size_t done = 0; done < b->size;) {
    ssize_t n = write(c->file, b->data + done, b->size - done);
    if (n < 0 && errno != EINTR) return fail_system(ctx, cache_of(c)->partial);
    if (n > 0) done += (size_t)n;
  }
  return TFC_OK;
}

static int write_title(file_cache_iterator* c, tfc_context* ctx) {
  text_buffer b = {0};
  begin_record(&b, IS_TITLE);
  text_add(&b, TITLE);
  wire_add_varint(&b, (uint64_t)c->base.dataset->n_components);
  int code = write_record(c, ctx, &b);
  text_free(&b);
  return code;
}

static int write_element(file_cache_iterator* c, tfc_context* ctx, tfc_tensor* element) {
  position p = {.ctx = ctx, .saves = true};
  begin_record(&p.saved, IS_ELEMENT);
  int code = position_tensors(&p, element, c->base.dataset->n_components);
  if (!code) code = write_record(c, ctx, &p.saved);
  text_free(&p.saved);
  return code;
}

static int complete(file_cache_iterator* c, tfc_context* ctx) {
  text_buffer b = {0};
  begin_record(&b, IS_END);
  wire_add_varint(&b, (uint64_t)c->n);
  int code = write_record(c, ctx, &b);
  text_free(&b);
  if (!code && rename(cache_of(c)->partial, cache_of(c)->path))
    code = fail_system(ctx, cache_of(c)->path);
  if (code) {
    abandon(c);
  } else {
    close(c->file);
    c->mode = PASSES;
  }
  return code;
}

/* Whether a file is the one of that name: it may have been renamed since it was opened. */
static bool is_at(int file, const char* path) {
  struct stat one, other;
  return !fstat(file, &one) && !stat(path, &other) && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

/* Opens and locks the partial file; *file is -1 if another iterator has just completed it. */
static int lock_partial(tfc_context* ctx, const file_cache* d, int* file) {
  for (;;) {
    *file = open(d->partial, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*file < 0) return fail_system(ctx, d->partial);
    if (flock(*file, LOCK_EX | LOCK_NB)) {
      int number = errno;
      close(*file);
      errno = number;
      if (number != EWOULDBLOCK) return fail_system(ctx, d->partial);
      return tfc_error(ctx, TFC_ALREADY_EXISTS,
                       "There appears to be a concurrent caching iterator running - cache lockfile "
                       "already exists ('%s').",
                       d->partial);
    }
    if (is_at(*file, d->partial)) break;
    close(*file);
  }
  if (!access(d->path, F_OK)) {
    unlink(d->partial);
    close(*file);
    *file = -1;
  }
  return TFC_OK;
}

static int begin_writing(file_cache_iterator* c, tfc_context* ctx) {
  int file;
  TFC_TRY(lock_partial(ctx, cache_of(c), &file));
  if (file < 0) return TFC_OK;
  c->file = file;
  c->process = getpid();
  c->mode = WRITES;
  int code = ftruncate(file, 0) ? fail_system(ctx, cache_of(c)->partial) : write_title(c, ctx);
  iterator** input = &c->base.input;
  if (!code && !*input) code = iterator_open(ctx, &c->base.dataset->inputs[0], input);
  if (code) {
    abandon(c);
    c->mode = UNDECIDED;
  }
  return code;
}

/* ---- Reading */

static int damaged(file_cache_iterator* c, tfc_context* ctx, const char* what) {
  return tfc_error(ctx, TFC_DATA_LOSS, "The cache file '%s' %s", cache_of(c)->path, what);
}

/* The next record and its kind. */
static int read_record(file_cache_iterator* c, tfc_context* ctx, char* kind, wire_reader* record) {
  const char* data;
  size_t size;
  record_status status;
  int code = record_next(c->reader, &data, &size, &status);
  if (code == RECORD_END) return damaged(c, ctx, "ends before its last element");
  if (code) return tfc_error(ctx, status.code, "%s", status.text);
  *record = wire_of(data, size);
  return wire_take(record, kind, 1) ? TFC_OK : damaged(c, ctx, "has an empty record");
}

static int read_title(file_cache_iterator* c, tfc_context* ctx) {
  char kind, title[sizeof TITLE - 1];
  uint64_t width;
  wire_reader record;
  TFC_TRY(read_record(c, ctx, &kind, &record));
  if (kind != IS_TITLE || !wire_take(&record, title, sizeof title) ||
      memcmp(title, TITLE, sizeof title) || !wire_varint(&record, &width))
    return damaged(c, ctx, "is not one of this version");
  if (width == (uint64_t)c->base.dataset->n_components) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The cache file '%s' has elements of %llu components, but the dataset has %d",
                   cache_of(c)->path, (unsigned long long)width, c->base.dataset->n_components);
}

static int read_element(file_cache_iterator* c, tfc_context* ctx, tfc_tensor* out, bool* end) {
  char kind;
  uint64_t n;
  position p = {.ctx = ctx};
  TFC_TRY(read_record(c, ctx, &kind, &p.left));
  *end = kind == IS_END && wire_varint(&p.left, &n) && n == (uint64_t)c->n;
  if (*end) return TFC_OK;
  if (kind != IS_ELEMENT) return damaged(c, ctx, "has lost elements");
  TFC_TRY(position_tensors(&p, out, c->base.dataset->n_components));
  c->n++;
  return TFC_OK;
}

/* ---- The iterator */

/* Reads the file if there is one. */
static int begin_reading(file_cache_iterator* c, tfc_context* ctx) {
  const char* path = cache_of(c)->path;
  if (access(path, F_OK)) return errno == ENOENT ? TFC_OK : fail_system(ctx, path);
  record_status status;
  record_options options = {.format = RECORD_TF};
  c->reader = record_open(path, strlen(path), &options, &status);
  if (!c->reader) return tfc_error(ctx, status.code, "%s", status.text);
  int code = read_title(c, ctx);
  if (!code) {
    c->mode = READS;
    return TFC_OK;
  }
  record_close(c->reader);
  c->reader = NULL;
  return code;
}

static int decide(file_cache_iterator* c, tfc_context* ctx) {
  while (c->mode == UNDECIDED) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(begin_reading(c, ctx));
    if (c->mode == UNDECIDED) TFC_TRY(begin_writing(c, ctx));
  }
  return TFC_OK;
}

static int file_cache_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  file_cache_iterator* c = (file_cache_iterator*)it;
  TFC_TRY(decide(c, ctx));
  if (c->mode == READS) return read_element(c, ctx, out, end);
  if (c->mode == WRITES && c->process != getpid()) abandon(c);
  int code = iterator_next(it->input, ctx, out, end);
  if (code && tfc_cancelled(ctx)) abandon(c); /* an element may be lost */
  if (code || c->mode != WRITES) return code;
  if (*end) return complete(c, ctx);
  code = write_element(c, ctx, out);
  c->n += !code;
  if (code) {
    iterator_drop(it->api, out, it->dataset->n_components);
    abandon(c);
  }
  return code;
}

/* What was written so far is not part of a position: the iterator it is restored into writes none.
 */
static int file_cache_position(iterator* it, position* p) {
  file_cache_iterator* c = (file_cache_iterator*)it;
  int64_t mode = c->mode == WRITES ? PASSES : c->mode;
  int64_t offset = c->reader ? record_tell(c->reader) : 0;
  TFC_TRY(position_count(p, &mode, N_MODES - 1));
  TFC_TRY(position_count(p, &c->n, INT64_MAX));
  TFC_TRY(position_count(p, &offset, INT64_MAX));
  if (mode == PASSES) {
    if (!p->saves) c->mode = PASSES;
    return position_of_input(it, p);
  }
  if (p->saves || mode == UNDECIDED) return TFC_OK;
  TFC_TRY(begin_reading(c, p->ctx));
  if (c->mode != READS) return position_misfit(p, "there is no file of its cache any more");
  record_status status;
  if (!record_seek(c->reader, offset, &status)) return TFC_OK;
  return tfc_error(p->ctx, status.code, "%s", status.text);
}

static void file_cache_close(iterator* it) {
  abandon((file_cache_iterator*)it);
  record_close(((file_cache_iterator*)it)->reader);
}

static void file_cache_destroy(dataset* d) {
  free(((file_cache*)d)->path);
  free(((file_cache*)d)->partial);
}

static const dataset_kind file_cache_kind = {.name = "FileCache",
                                             .object = DATASET_OBJECT(file_cache),
                                             .iterator_bytes = sizeof(file_cache_iterator),
                                             .next = file_cache_next,
                                             .cardinality = dataset_cardinality_of_input,
                                             .position = file_cache_position,
                                             .close = file_cache_close,
                                             .destroy = file_cache_destroy};

/* NULL: no memory. */
static char* with_suffix(const char* name, const char* suffix) {
  char* made = malloc(strlen(name) + strlen(suffix) + 1);
  if (made) strcat(strcpy(made, name), suffix);
  return made;
}

int tfc_file_cache_make(tfc_context* ctx, const tfc_string* filename) {
  file_cache* d;
  record_status status;
  TFC_TRY(dataset_new(ctx, &file_cache_kind, 1, 0, 0, (void**)&d));
  char* name = record_path(filename->data, filename->size, &status);
  if (!name) return tfc_error(ctx, status.code, "%s", status.text);
  if (tfc_is_remote(name)) {
    const int code = tfc_error(ctx, TFC_UNIMPLEMENTED,
                               "File system scheme '%.*s' not implemented for caches, which have "
                               "locks and are renamed (file: '%.1000s')",
                               (int)TFC_MIN(tfc_scheme_end(name) - name, 100), name, name);
    free(name);
    return code;
  }
  d->path = with_suffix(name, ".cache");
  d->partial = with_suffix(name, ".cache.partial");
  free(name);
  if (d->path && d->partial) return TFC_OK;
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the name of a cache");
}
