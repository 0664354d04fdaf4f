/* Records of files. The bytes of the file, expanded if it is compressed, pass through one buffer,
 * of which a record is a part. The buffer grows only as bytes arrive, whatever a record's length
 * says.
 */
#include "kernels_c/io/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/common/crc.h"
#include "kernels_c/io/inflate.h"
#include "kernels_c/io/lmdb.h"

TFC_ONE_LEVEL;

enum { BUFFER = 1 << 18, LEAST_BUFFER = 4096 };

struct record_reader {
  record_options options;
  int fd;
  void* remote; /* instead of fd, for paths with a scheme; NULL: none */
  const tfc_remote_files* files;
  lmdb_reader* database; /* RECORD_LMDB: instead of both, and of the buffer */
  tfc_string key;        /* of its last record */
  char* path;
  inflater* expander;    /* NULL: the file is not compressed */
  int read_error;        /* the code of the last read that failed; its text is in the status */
  uint8_t* raw;          /* compressed bytes */
  record_status* status; /* of the call that is running */
  uint8_t* buffer;
  size_t room, begin, end;
  int64_t at;   /* offset of buffer[begin] */
  size_t taken; /* bytes at `begin` that the last record had */
  bool ended;   /* there are no bytes after `end` */
  int64_t damaged;
  bool given_up; /* where the next record begins is not known */
};

/* ---- Errors and paths */

int record_fail(record_status* status, int code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(status->text, sizeof status->text, format, args);
  va_end(args);
  status->code = code;
  return code;
}

int record_fail_system(record_status* status, int number, const char* path) {
  return record_fail(status, tfc_code_of_errno(number), "%.1000s; %s", path, strerror(number));
}

static int no_memory(record_status* status, const char* path) {
  return record_fail(status, TFC_RESOURCE_EXHAUSTED, "no memory to read %.1000s", path);
}

char* record_path(const char* text, size_t size, record_status* status) {
  if (size && memchr(text, 0, size)) {
    record_fail(status, TFC_INVALID_ARGUMENT, "the name of a file has a null character: %.*s",
                (int)TFC_MIN(size, (size_t)1000), text);
    return NULL;
  }
  static const char local[] = "file://";
  char* path = malloc(size + 1);
  if (!path) {
    record_fail(status, TFC_RESOURCE_EXHAUSTED, "no memory for the name of a file");
    return NULL;
  }
  if (size) memcpy(path, text, size);
  path[size] = '\0';
  if (!strncmp(path, local, sizeof local - 1))
    memmove(path, path + sizeof local - 1, size - (sizeof local - 1) + 1);
  return path;
}

bool record_compression_of(const char* name, size_t size, record_compression* compression) {
  static const char* const names[] = {
      [RECORD_PLAIN] = "", [RECORD_ZLIB] = "ZLIB", [RECORD_GZIP] = "GZIP"};
  for (int i = 0; i < 3; i++)
    if (strlen(names[i]) == size && (!size || !memcmp(names[i], name, size))) {
      *compression = (record_compression)i;
      return true;
    }
  return false;
}

/* ---- Bytes */

/* Reads what the file has next, at most `size` bytes; *got 0 at its end. */
static int read_file(record_reader* r, void* to, size_t size, size_t* got) {
  if (r->remote) return r->read_error = r->files->read(r->remote, to, size, got, r->status);
  for (;;) {
    const ssize_t n = read(r->fd, to, size);
    if (n < 0 && errno == EINTR) continue;
    *got = n < 0 ? 0 : (size_t)n;
    if (n >= 0) return TFC_OK;
    return r->read_error = record_fail_system(r->status, errno, r->path);
  }
}

static int more_compressed(void* arg, const uint8_t** data, size_t* size) {
  record_reader* r = arg;
  *data = r->raw;
  return read_file(r, r->raw, r->options.buffer_size, size);
}

static int grow(record_reader* r, size_t room) {
  uint8_t* grown = realloc(r->buffer, room);
  if (!grown) return no_memory(r->status, r->path);
  r->buffer = grown;
  r->room = room;
  return TFC_OK;
}

/* Room for at least `size` more bytes after `end`, and for more if moving the others gives it. */
static int make_room(record_reader* r, size_t size) {
  if (r->room - r->end >= TFC_MAX(size, r->room / 2)) return TFC_OK;
  const size_t used = r->end - r->begin;
  if (r->begin) memmove(r->buffer, r->buffer + r->begin, used);
  r->begin = 0;
  r->end = used;
  return r->room - used >= size ? TFC_OK : grow(r, 2 * (used + size));
}

static int expand(record_reader* r) {
  const uint8_t* data;
  size_t size;
  TFC_TRY(make_room(r, INFLATE_MOST)); /* before: it gives each byte once */
  const int code = inflate_next(r->expander, &data, &size);
  if (code && inflate_problem(r->expander))
    return record_fail(
        r->status, code, "inflate() failed: %s, at byte %lld of what file '%.1000s' expands to",
        inflate_problem(r->expander), (long long)(r->at + (int64_t)(r->end - r->begin)), r->path);
  if (code) return r->status->code = r->read_error; /* its text is there */
  r->ended = size == 0;
  if (size) memcpy(r->buffer + r->end, data, size);
  r->end += size;
  return TFC_OK;
}

static int fill(record_reader* r) {
  if (r->expander) return expand(r);
  size_t got;
  TFC_TRY(make_room(r, 1));
  TFC_TRY(read_file(r, r->buffer + r->end, r->room - r->end, &got));
  r->end += got;
  r->ended = got == 0;
  return TFC_OK;
}

static size_t there(const record_reader* r) {
  return r->end - r->begin;
}

/* At least `size` bytes from `begin` on, unless the file ends before. */
static int need(record_reader* r, size_t size) {
  while (there(r) < size && !r->ended) TFC_TRY(fill(r));
  return TFC_OK;
}

static void consume(record_reader* r, size_t size) {
  r->begin += size;
  r->at += (int64_t)size;
}

/* *missing: how many bytes there are too few. */
static int skip(record_reader* r, int64_t size, int64_t* missing) {
  while (size > 0) {
    *missing = size; /* if reading fails */
    if (!there(r)) TFC_TRY(need(r, 1));
    if (!there(r)) break;
    const size_t n = TFC_MIN((uint64_t)size, (uint64_t)there(r));
    consume(r, n);
    size -= (int64_t)n;
  }
  *missing = size;
  return TFC_OK;
}

/* ---- TensorFlow's records: length (8 bytes), checksum of the length (4), data, checksum (4) */

static uint32_t word_at(const uint8_t* at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_word(uint8_t* at, uint32_t word) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(word >> 8 * i);
}

void record_frame(const void* data, size_t size, uint8_t head[RECORD_HEAD],
                  uint8_t foot[RECORD_FOOT]) {
  put_word(head, (uint32_t)size);
  put_word(head + 4, (uint32_t)((uint64_t)size >> 32));
  put_word(head + 8, tfc_crc_mask(tfc_crc(0, head, 8)));
  put_word(foot, tfc_crc_mask(tfc_crc(0, data, size)));
}

static int truncated(record_reader* r) {
  return record_fail(r->status, TFC_DATA_LOSS, "truncated record at %lld in file '%.1000s'",
                     (long long)r->at, r->path);
}

static int next_tf(record_reader* r, const char** data, size_t* size) {
  TFC_TRY(need(r, RECORD_HEAD));
  if (!there(r)) return RECORD_END;
  if (there(r) < RECORD_HEAD) return truncated(r);
  const uint8_t* head = r->buffer + r->begin;
  if (word_at(head + 8) != tfc_crc_mask(tfc_crc(0, head, 8)))
    return record_fail(r->status, TFC_DATA_LOSS,
                       "corrupted record at %lld (Is this even a TFRecord file?) in file '%.1000s'",
                       (long long)r->at, r->path);
  const uint64_t length = (uint64_t)word_at(head + 4) << 32 | word_at(head);
  if (length > INT64_MAX - RECORD_HEAD - RECORD_FOOT) return truncated(r);
  TFC_TRY(need(r, RECORD_HEAD + (size_t)length + RECORD_FOOT));
  if (there(r) < RECORD_HEAD + length + RECORD_FOOT) return truncated(r);
  const uint8_t* begin = r->buffer + r->begin + RECORD_HEAD;
  r->taken = RECORD_HEAD + (size_t)length + RECORD_FOOT;
  if (word_at(begin + length) != tfc_crc_mask(tfc_crc(0, begin, (size_t)length)))
    return record_fail(r->status, TFC_DATA_LOSS, "corrupted record at %lld in file '%.1000s'",
                       (long long)r->at + RECORD_HEAD, r->path);
  *data = (const char*)begin;
  *size = (size_t)length;
  return TFC_OK;
}

/* Sets `taken` if it knows where the next record begins. */
static int next_undamaged(record_reader* r, const char** data, size_t* size) {
  int64_t missing;
  for (;;) {
    int code = next_tf(r, data, size);
    if (code != TFC_DATA_LOSS) return code;
    if (!r->options.skip_damaged) {
      r->taken = 0; /* to say it again */
      return code;
    }
    r->damaged++;
    r->given_up = !r->taken;
    if (r->given_up) return RECORD_END;
    TFC_TRY(skip(r, (int64_t)r->taken, &missing));
    r->taken = 0;
  }
}

/* ---- Lines, records of a fixed length, whole files */

static int next_line(record_reader* r, const char** data, size_t* size) {
  size_t seen = 0;
  const char* end = NULL;
  while (!end) {
    if (there(r) > seen) end = memchr(r->buffer + r->begin + seen, '\n', there(r) - seen);
    if (end) break;
    seen = there(r);
    TFC_TRY(need(r, seen + 1));
    if (there(r) == seen) break;
  }
  if (!end && !seen) return RECORD_END;
  *data = (const char*)r->buffer + r->begin;
  *size = end ? (size_t)(end - *data) : seen;
  r->taken = *size + (end != NULL);
  if (*size && (*data)[*size - 1] == '\r') --*size;
  if (!end && !*size) return RECORD_END; /* only "\r" was left, as in TensorFlow */
  return TFC_OK;
}

static int next_fixed(record_reader* r, const char** data, size_t* size) {
  const record_options* o = &r->options;
  TFC_TRY(need(r, (size_t)(o->record_bytes + o->footer_bytes)));
  if (there(r) < (size_t)(o->record_bytes + o->footer_bytes)) return RECORD_END;
  *data = (const char*)r->buffer + r->begin;
  *size = (size_t)o->record_bytes;
  r->taken = (size_t)(o->hop_bytes ? o->hop_bytes : o->record_bytes);
  return TFC_OK;
}

/* An empty file is a record, too. */
static int next_whole(record_reader* r, const char** data, size_t* size) {
  if (r->ended) return RECORD_END;
  TFC_TRY(need(r, SIZE_MAX));
  *data = (const char*)r->buffer + r->begin;
  *size = r->taken = there(r);
  return TFC_OK;
}

/* `at` counts the records. */
static int next_pair(record_reader* r, const char** data, size_t* size) {
  tfc_string value;
  TFC_TRY(lmdb_next(r->database, &r->key, &value, r->status));
  *data = value.data;
  *size = value.size;
  r->at++;
  return TFC_OK;
}

int record_next(record_reader* r, const char** data, size_t* size, record_status* status) {
  int64_t missing = 0;
  r->status = status;
  if (r->database) return next_pair(r, data, size);
  const int code = r->taken ? skip(r, (int64_t)r->taken, &missing) : TFC_OK;
  r->taken = code ? (size_t)missing : 0;
  if (code) return code;
  if (r->given_up) return RECORD_END;
  switch (r->options.format) {
    case RECORD_TF: return next_undamaged(r, data, size);
    case RECORD_LINE: return next_line(r, data, size);
    case RECORD_FIXED: return next_fixed(r, data, size);
    default: return next_whole(r, data, size);
  }
}

/* ---- Places */

int64_t record_tell(const record_reader* r) {
  return r->at + (int64_t)r->taken;
}

static int start_at(record_reader* r, int64_t offset) {
  if (r->remote)
    TFC_TRY(r->files->seek(r->remote, offset, r->status));
  else if (lseek(r->fd, offset, SEEK_SET) < 0)
    return record_fail_system(r->status, errno, r->path);
  if (r->expander) inflate_restart(r->expander);
  r->begin = r->end = r->taken = 0;
  r->at = offset;
  r->ended = false;
  return TFC_OK;
}

tfc_string record_key(const record_reader* r) {
  return r->key;
}

static int seek_pair(record_reader* r, int64_t number) {
  const char* data;
  size_t size;
  int code = TFC_OK;
  lmdb_rewind(r->database);
  for (r->at = 0; r->at < number && !code;) code = next_pair(r, &data, &size);
  if (code != RECORD_END) return code;
  return record_fail(r->status, TFC_DATA_LOSS, "database '%.1000s' has only %lld records", r->path,
                     (long long)r->at);
}

int record_seek(record_reader* r, int64_t offset, record_status* status) {
  r->status = status;
  if (r->database) return seek_pair(r, offset);
  r->taken = 0;
  r->given_up = false;
  const bool ahead = offset >= r->at && offset - r->at <= (int64_t)there(r);
  if (!ahead && !r->expander) return start_at(r, offset);
  if (offset < r->at) TFC_TRY(start_at(r, 0));
  int64_t missing;
  TFC_TRY(skip(r, offset - r->at, &missing));
  if (!missing) return TFC_OK;
  return record_fail(status, TFC_DATA_LOSS, "file '%.1000s' ends before its byte %lld", r->path,
                     (long long)offset);
}

static int skip_header(record_reader* r) {
  const record_options* o = &r->options;
  int64_t missing = 0;
  const char* data;
  size_t size;
  if (o->format == RECORD_FIXED) TFC_TRY(skip(r, o->header_bytes, &missing));
  if (missing)
    return record_fail(r->status, TFC_INVALID_ARGUMENT,
                       "file '%.1000s' has %lld bytes, fewer than its header of %lld bytes",
                       r->path, (long long)r->at, (long long)o->header_bytes);
  int code = TFC_OK;
  for (int64_t i = 0; o->format == RECORD_LINE && i < o->skip_lines && !code; i++)
    code = record_next(r, &data, &size, r->status);
  return code == RECORD_END ? TFC_OK : code;
}

/* ---- Open files */

/* How many bytes are read at a time, and room for all of a file that is one record. */
static size_t buffer_size(const record_reader* r) {
  struct stat found;
  size_t size = r->options.buffer_size ? r->options.buffer_size : BUFFER;
  if (size < LEAST_BUFFER) size = LEAST_BUFFER;
  if (r->options.format == RECORD_WHOLE && !r->remote && !fstat(r->fd, &found) &&
      S_ISREG(found.st_mode) && !r->expander)
    size = TFC_MAX((size_t)found.st_size + 1, (size_t)LEAST_BUFFER);
  return size;
}

static int check_sizes(record_reader* r) {
  const record_options* o = &r->options;
  int64_t sum;
  if (o->format != RECORD_FIXED) return TFC_OK;
  if (o->record_bytes > 0 && o->header_bytes >= 0 && o->footer_bytes >= 0 && o->hop_bytes >= 0 &&
      !__builtin_add_overflow(o->record_bytes, o->footer_bytes, &sum))
    return TFC_OK;
  return record_fail(r->status, TFC_INVALID_ARGUMENT,
                     "records of %lld bytes, every %lld bytes, between %lld and %lld other bytes",
                     (long long)o->record_bytes, (long long)o->hop_bytes,
                     (long long)o->header_bytes, (long long)o->footer_bytes);
}

static int open_file(record_reader* r) {
  if (tfc_is_remote(r->path)) {
    r->files = tfc_remote(r->path, r->status);
    return r->files ? r->files->open(r->path, &r->remote, r->status) : r->status->code;
  }
  r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
  if (r->fd < 0) return record_fail_system(r->status, errno, r->path);
  (void)posix_fadvise(r->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return TFC_OK;
}

static int begin_reading(record_reader* r) {
  TFC_TRY(check_sizes(r));
  if (r->options.format == RECORD_LMDB) {
    r->database = lmdb_open(r->path, r->status);
    return r->database ? TFC_OK : r->status->code;
  }
  TFC_TRY(open_file(r));
  r->options.buffer_size = buffer_size(r);
  if (r->options.compression != RECORD_PLAIN) {
    const inflate_format format =
        r->options.compression == RECORD_GZIP ? INFLATE_GZIP : INFLATE_ZLIB;
    r->raw = malloc(r->options.buffer_size);
    r->expander = inflate_new(format, more_compressed, r);
    if (!r->raw || !r->expander) return no_memory(r->status, r->path);
  }
  TFC_TRY(grow(r, r->options.buffer_size));
  return skip_header(r);
}

record_reader* record_open(const char* path, size_t size, const record_options* options,
                           record_status* status) {
  char* own = record_path(path, size, status);
  if (!own) return NULL;
  record_reader* r = calloc(1, sizeof *r);
  if (!r) {
    no_memory(status, own);
    free(own);
    return NULL;
  }
  r->options = *options;
  r->path = own;
  r->fd = -1;
  r->status = status;
  if (!begin_reading(r)) return r;
  record_close(r);
  return NULL;
}

int64_t record_damaged(const record_reader* r) {
  return r->damaged;
}

void record_close(record_reader* r) {
  if (!r) return;
  if (r->damaged)
    fprintf(stderr, "tfcore: left out %lld damaged record%s of file '%.1000s'%s\n",
            (long long)r->damaged, r->damaged == 1 ? "" : "s", r->path,
            r->given_up ? " and what follows the last one" : "");
  if (r->fd >= 0) close(r->fd);
  if (r->remote) r->files->close(r->remote);
  lmdb_close(r->database);
  if (r->expander) inflate_free(r->expander);
  free(r->raw);
  free(r->buffer);
  free(r->path);
  free(r);
}

const record_functions* record_functions_table(void) {
  static const record_functions functions = {
      .compression_of = record_compression_of,
      .open = record_open,
      .next = record_next,
      .tell = record_tell,
      .seek = record_seek,
      .close = record_close,
      .frame = record_frame,
  };
  return &functions;
}
