/* Datasets of the records of files: TextLineDataset, TFRecordDataset, FixedLengthRecordDataset,
 * LMDBDataset. */
#include <sys/stat.h>

#include "kernels_c/data/position.h"
#include "kernels_c/data/threads/tuning.h"
#include "kernels_c/io/records.h"

TFC_ONE_LEVEL;

typedef struct files {
  dataset base;        /* its value: the names */
  stage_counts counts; /* damaged records only */
  record_options options;
} files;

typedef struct files_iterator {
  iterator base;
  int64_t next; /* the file after the one that is open */
  record_reader* reader;
} files_iterator;

static int fail(tfc_context* ctx, const record_status* status) {
  return tfc_error(ctx, status->code, "%s", status->text);
}

/* TensorFlow refuses files whose records do not fill them. */
static int check_size(tfc_context* ctx, const record_options* o, const tfc_string* name) {
  record_status status;
  struct stat found;
  char* path = record_path(name->data, name->size, &status);
  if (!path) return fail(ctx, &status);
  int code = TFC_OK;
  int64_t size = -1; /* not known: what is wrong with the file shows when it is opened */
  const tfc_remote_files* files = tfc_is_remote(path) ? tfc_remote(path, &status) : NULL;
  if (files)
    files->size(path, &size, &status);
  else if (!tfc_is_remote(path) && !stat(path, &found))
    size = found.st_size;
  if (size >= 0) {
    int64_t body = size - o->header_bytes - o->footer_bytes;
    if (body < 0 || body % o->record_bytes)
      code = tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Excluding the header (%lld bytes) and footer (%lld bytes), input file \"%s\" has body "
          "length %lld bytes, which is not an exact multiple of the record length (%lld bytes).",
          (long long)o->header_bytes, (long long)o->footer_bytes, path, (long long)body,
          (long long)o->record_bytes);
  }
  free(path);
  return code;
}

static int open_next(files_iterator* f, tfc_context* ctx) {
  const files* d = (files*)f->base.dataset;
  const tfc_string* name = (const tfc_string*)d->base.values[0].data + f->next++;
  if (d->options.format == RECORD_FIXED && d->options.compression == RECORD_PLAIN)
    TFC_TRY(check_size(ctx, &d->options, name));
  record_status status;
  f->reader = record_open(name->data, name->size, &d->options, &status);
  return f->reader ? TFC_OK : fail(ctx, &status);
}

static void close_file(files_iterator* f) {
  record_close(f->reader);
  f->reader = NULL;
}

static int set_text(tfc_context* ctx, tfc_tensor* out, const char* data, size_t size) {
  out->dtype = TFC_STRING;
  TFC_TRY(tfc_make(ctx, out, 0, NULL));
  const int code = tfc_string_set(ctx, out, 0, data, size);
  if (!code) return TFC_OK;
  tfc_let_go(ctx->api, out);
  return tfc_error(ctx, code, "no memory for a record of %zu bytes", size);
}

/* A record; before it its key, if it has one. */
static int set_record(files_iterator* f, tfc_context* ctx, tfc_tensor* out, const char* data,
                      size_t size) {
  const files* d = (const files*)f->base.dataset;
  if (d->options.format != RECORD_LMDB) return set_text(ctx, out, data, size);
  const tfc_string key = record_key(f->reader);
  TFC_TRY(set_text(ctx, out, key.data, key.size));
  const int code = set_text(ctx, out + 1, data, size);
  if (code) tfc_let_go(ctx->api, out);
  return code;
}

/* After an error it continues with the next file, as in TensorFlow. */
static int files_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  files_iterator* f = (files_iterator*)it;
  files* d = (files*)it->dataset;
  const char* data;
  size_t size;
  record_status status;
  for (;; close_file(f)) {
    TFC_TRY(iterator_check(ctx));
    *end = !f->reader && f->next >= it->dataset->values[0].n;
    if (*end) return TFC_OK;
    if (!f->reader) TFC_TRY(open_next(f, ctx));
    int64_t damaged = record_damaged(f->reader);
    int code = record_next(f->reader, &data, &size, &status);
    damaged = record_damaged(f->reader) - damaged;
    if (damaged) tuning_count(&d->counts.damaged, damaged);
    if (code == RECORD_END) continue;
    if (code) {
      close_file(f);
      return fail(ctx, &status);
    }
    return set_record(f, ctx, out, data, size);
  }
}

/* The next file's number, and the offset in the one that is open, or -1. */
static int files_position(iterator* it, position* p) {
  files_iterator* f = (files_iterator*)it;
  int64_t offset = f->reader ? record_tell(f->reader) : -1;
  record_status status;
  TFC_TRY(position_count(p, &f->next, it->dataset->values[0].n));
  TFC_TRY(position_int(p, &offset));
  if (p->saves || offset < 0) return TFC_OK;
  if (!f->next) return position_misfit(p, "no file is open");
  f->next--;
  TFC_TRY(open_next(f, p->ctx));
  return record_seek(f->reader, offset, &status) ? fail(p->ctx, &status) : TFC_OK;
}

static void files_close(iterator* it) {
  close_file((files_iterator*)it);
}

static const dataset_kind files_kind = {.name = "Files",
                                        .object = DATASET_OBJECT(files),
                                        .iterator_bytes = sizeof(files_iterator),
                                        .next = files_next,
                                        .position = files_position,
                                        .close = files_close};

/* ---- Kernels */

static int make_files(tfc_context* ctx, record_format format, int compression, int buffer_size,
                      files** made) {
  files* d;
  TFC_TRY(dataset_new(ctx, &files_kind, 0, 0, 1, (void**)&d));
  d->options.format = format;
  int64_t bytes;
  TFC_TRY(dataset_int(ctx, buffer_size, "buffer_size", &bytes));
  const bool unspecified = bytes == -1 && format == RECORD_TF;
  if (bytes < 0 && !unspecified)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`buffer_size` must be >= 0 (0 == default)");
  d->options.buffer_size = (size_t)TFC_MAX(bytes, 0);
  if (d->base.values[0].rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`filenames` must be a scalar or a vector.");
  *made = d;
  if (!compression) return TFC_OK;
  const tfc_tensor* t = ctx->inputs[compression];
  if (t->rank) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "compression_type must be a scalar");
  const tfc_string* name = t->data;
  if (record_compression_of(name->data, name->size, &d->options.compression)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Unsupported compression_type: %.*s",
                   (int)TFC_MIN(name->size, (size_t)100), name->data);
}

static int make_lines(tfc_context* ctx) {
  files* d;
  return make_files(ctx, RECORD_LINE, 1, 2, &d);
}

static int make_records(tfc_context* ctx) {
  files* d;
  return make_files(ctx, RECORD_TF, 1, 2, &d);
}

static int make_undamaged(tfc_context* ctx) {
  files* d = NULL;
  TFC_TRY(make_files(ctx, RECORD_TF, 1, 2, &d));
  d->options.skip_damaged = true;
  d->base.counts = &d->counts;
  return TFC_OK;
}

static int make_fixed(tfc_context* ctx) {
  files* d = NULL;
  TFC_TRY(make_files(ctx, RECORD_FIXED, ctx->n_inputs > 5 ? 5 : 0, 4, &d));
  TFC_TRY(dataset_int(ctx, 1, "header_bytes", &d->options.header_bytes));
  TFC_TRY(dataset_int(ctx, 2, "record_bytes", &d->options.record_bytes));
  TFC_TRY(dataset_int(ctx, 3, "footer_bytes", &d->options.footer_bytes));
  if (d->options.header_bytes < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`header_bytes` must be >= 0");
  if (d->options.record_bytes <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`record_bytes` must be > 0");
  if (d->options.footer_bytes < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`footer_bytes` must be >= 0");
  return TFC_OK;
}

static int make_lmdb(tfc_context* ctx) {
  files* d;
  TFC_TRY(dataset_new(ctx, &files_kind, 0, 0, 1, (void**)&d));
  d->base.n_components = 2; /* key and value */
  d->options.format = RECORD_LMDB;
  if (d->base.values[0].rank <= 1) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`filenames` must be a scalar or a vector.");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TextLineDataset", "", make_lines, TFC_STATE(dataset_create_plain)),
    TFC_ROW("TFRecordDataset", "", make_records, TFC_STATE(dataset_create_plain)),
    TFC_ROW("_UndamagedTFRecordDataset", "", make_undamaged, TFC_STATE(dataset_create_plain)),
    TFC_ROW("FixedLengthRecordDataset", "", make_fixed, TFC_STATE(dataset_create_plain)),
    TFC_ROW("LMDBDataset", "", make_lmdb, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ExperimentalLMDBDataset", "", make_lmdb, TFC_STATE(dataset_create_plain)),
    TFC_ROW("FixedLengthRecordDatasetV2", "", make_fixed, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
