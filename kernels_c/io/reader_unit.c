/* The file that a reader reads, and its records. See reader.h. */
#include "kernels_c/common/text.h"
#include "kernels_c/io/reader.h"

TFC_ONE_LEVEL;

enum { DIGITS = 21 };

/* Others read the counts at any time. */
static void set_count(int64_t* count, int64_t value) {
  __atomic_store_n(count, value, __ATOMIC_RELAXED);
}

void reader_begin_unit(reader* r, char* name, size_t size) {
  free(r->name);
  r->name = name;
  r->name_size = size;
  r->unit = READER_NEW_UNIT;
}

static void close_unit(reader* r) {
  record_close(r->file);
  r->file = NULL;
  r->unit = READER_NO_UNIT;
  r->ready = false;
}

static void end_unit(reader* r) {
  close_unit(r);
  set_count(&r->units_finished, r->units_started);
}

static int open_unit(reader* r, record_status* status) {
  char* key = realloc(r->key, r->name_size + 1 + DIGITS);
  r->unit = READER_NO_UNIT; /* one that can't be opened is left out */
  if (!key) return record_fail(status, TFC_RESOURCE_EXHAUSTED, "no memory for a record's key");
  memcpy(key, r->name, r->name_size);
  r->key = key;
  if (!r->form.names) {
    r->file = record_open(r->name, r->name_size, &r->form.options, status);
    if (!r->file) return status->code;
  }
  r->unit = READER_IN_UNIT;
  r->number = r->form.options.format == RECORD_LINE ? r->form.options.skip_lines : 0;
  set_count(&r->units_started, r->units_started + 1);
  return TFC_OK;
}

static int next_record(reader* r, record_status* status) {
  if (r->form.names) {
    r->data = r->name;
    r->size = r->name_size;
    return TFC_OK;
  }
  r->offset = record_tell(r->file);
  const int64_t before = record_damaged(r->file);
  const int code = record_next(r->file, &r->data, &r->size, status);
  set_count(&r->damaged, r->damaged + record_damaged(r->file) - before);
  return code;
}

reader_state reader_prepare(reader* r, record_status* status) {
  while (!r->ready) {
    if (r->unit == READER_NO_UNIT) return READER_NEEDS_UNIT;
    if (r->unit == READER_NEW_UNIT && open_unit(r, status)) return READER_FAILED;
    const int code = next_record(r, status);
    if (code == RECORD_END)
      end_unit(r);
    else if (code)
      return READER_FAILED;
    else
      r->ready = true;
  }
  return READER_READY;
}

/* A whole unit is one record, whose key is the unit's name. */
static bool one_record(const reader* r) {
  return r->form.names || r->form.options.format == RECORD_WHOLE;
}

static void make_key(reader* r) {
  char digits[DIGITS];
  int n = 0;
  r->key_size = r->name_size;
  if (one_record(r)) return;
  int64_t number = r->offset;
  if (r->form.options.format == RECORD_LINE) number = r->number + 1;
  if (r->form.options.format == RECORD_FIXED) number = r->number;
  do digits[n++] = (char)('0' + number % 10);
  while (number /= 10);
  r->key[r->key_size++] = ':';
  while (n) r->key[r->key_size++] = digits[--n];
}

/* The key of a pair of a database is its own. */
static tfc_string key_of(reader* r) {
  if (r->form.options.format == RECORD_LMDB) return record_key(r->file);
  make_key(r);
  return (tfc_string){r->key, r->key_size};
}

/* After its last use: the data may be gone. */
static void count_record(reader* r) {
  r->ready = false;
  r->number++;
  set_count(&r->produced, r->produced + 1);
  if (one_record(r)) end_unit(r);
}

/* ---- Outputs */

static int produce_one(reader* r, tfc_context* ctx) {
  TFC_TRY(tfc_output_scalar(ctx, 0));
  TFC_TRY(tfc_output_scalar(ctx, 1));
  const tfc_string key = key_of(r);
  TFC_TRY(tfc_string_set(ctx, &ctx->outputs[0], 0, key.data, key.size));
  TFC_TRY(tfc_string_set(ctx, &ctx->outputs[1], 0, r->data, r->size));
  count_record(r);
  return TFC_OK;
}

/* Texts one after the other: how many records there will be is known at their end only. */
typedef struct text_list {
  text_buffer bytes, sizes; /* sizes: of size_t */
  int64_t n;
} text_list;

static void add_text(text_list* l, const char* data, size_t size) {
  text_append(&l->bytes, data ? data : "", size);
  text_append(&l->sizes, (const char*)&size, sizeof size);
  l->n++;
}

static int output_texts(tfc_context* ctx, int output, text_list* l) {
  size_t at = 0, size;
  int code = l->bytes.failed || l->sizes.failed
                 ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for records")
                 : tfc_output(ctx, output, 1, &l->n);
  for (int64_t i = 0; i < l->n && !code; i++, at += size) {
    memcpy(&size, l->sizes.data + (size_t)i * sizeof size, sizeof size);
    code = tfc_string_set(ctx, &ctx->outputs[output], i, l->bytes.data + at, size);
  }
  text_free(&l->bytes);
  text_free(&l->sizes);
  return code;
}

/* Up to the end of the unit, or to an error, which the next read reports. */
static int produce_many(reader* r, tfc_context* ctx, int64_t most) {
  text_list keys = {0}, values = {0};
  record_status status;
  while (r->ready) {
    const tfc_string key = key_of(r);
    add_text(&keys, key.data, key.size);
    add_text(&values, r->data, r->size);
    count_record(r);
    if (keys.n == most || r->unit != READER_IN_UNIT || values.bytes.failed) break;
    const int code = next_record(r, &status);
    if (code == RECORD_END) end_unit(r);
    r->ready = !code;
  }
  const int code = output_texts(ctx, 0, &keys), other = output_texts(ctx, 1, &values);
  return code ? code : other;
}

int reader_produce(reader* r, tfc_context* ctx, int64_t most) {
  return most < 0 ? produce_one(r, ctx) : produce_many(r, ctx, most);
}

/* ---- The end */

void reader_forget_unit(reader* r) {
  close_unit(r);
  free(r->name);
  r->name = NULL;
  r->name_size = 0;
}

void reader_reset(reader* r) {
  reader_forget_unit(r);
  set_count(&r->units_started, 0);
  set_count(&r->units_finished, 0);
  set_count(&r->produced, 0);
  set_count(&r->damaged, 0);
}

void reader_drop(reader* r) {
  if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL)) return;
  reader_reset(r);
  pthread_mutex_destroy(&r->mutex);
  pthread_cond_destroy(&r->idle);
  free(r->key);
  free(r->form.name);
  free(r);
}
