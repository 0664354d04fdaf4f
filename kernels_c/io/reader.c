/* WholeFileReader, TextLineReader, FixedLengthRecordReader, TFRecordReader, LMDBReader,
 * IdentityReader, and the ops that use them.
 *
 * A reader belongs to the resource manager; its op outputs a handle. The ops with "V2" in their
 * names differ from the others in the type of the handle in graphs only.
 */
#include "kernels_c/io/reader.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"
#include "kernels_c/common/wire.h"

TFC_ONE_LEVEL;

static const tfc_handle_kind handle_kind = TFC_RESOURCE_KIND("Reader", NULL);

/* ---- Making a reader. */

static void drop_reader(void* object) {
  reader_drop(object);
}

/* Takes the form over. */
static void* make_reader(void* arg) {
  reader_form* form = arg;
  reader* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  pthread_mutex_init(&r->mutex, NULL);
  pthread_cond_init(&r->idle, NULL);
  r->refs = 1;
  r->form = *form;
  *form = (reader_form){0};
  return r;
}

static int find_reader(tfc_construction* c, reader_form* form, void** state) {
  const char* container;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(tfc_resource_name(c, &form->name));
  const char* type = form->type;
  reader* r;
  TFC_TRY(c->api->resource(c, "reader", container, form->name, make_reader, form, drop_reader,
                           (void**)&r));
  if (strcmp(r->form.type, type))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Shared reader '%s' has type '%s' that does not match requested type '%s'",
                         r->form.name, r->form.type, type);
  *state = r;
  return TFC_OK;
}

/* The state is the reader. */
static int create_reader(tfc_construction* c, reader_form form, void** state) {
  const int code = find_reader(c, &form, state);
  free(form.name);
  return code;
}

static int create_identity(tfc_construction* c, void** state) {
  return create_reader(c, (reader_form){.type = "IdentityReader", .names = true}, state);
}

static int create_whole(tfc_construction* c, void** state) {
  const reader_form form = {.type = "WholeFileReader", .options.format = RECORD_WHOLE};
  return create_reader(c, form, state);
}

static int create_lines(tfc_construction* c, void** state) {
  reader_form form = {.type = "TextLineReader", .options.format = RECORD_LINE};
  TFC_TRY(c->api->attr_int(c, "skip_header_lines", &form.options.skip_lines));
  if (form.options.skip_lines < 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "skip_header_lines must be >= 0 not %lld",
                         (long long)form.options.skip_lines);
  return create_reader(c, form, state);
}

static int read_compression(tfc_construction* c, const char* attr, reader_form* form) {
  const char* name;
  size_t size;
  TFC_TRY(c->api->attr_string(c, attr, &name, &size));
  if (record_compression_of(name, size, &form->options.compression)) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s must be '', 'ZLIB' or 'GZIP' not '%.*s'", attr,
                       (int)TFC_MIN(size, (size_t)100), name);
}

static int create_records(tfc_construction* c, void** state) {
  reader_form form = {.type = "TFRecordReader", .options.format = RECORD_TF};
  TFC_TRY(read_compression(c, "compression_type", &form));
  return create_reader(c, form, state);
}

static int create_lmdb(tfc_construction* c, void** state) {
  return create_reader(c, (reader_form){.type = "LMDBReader", .options.format = RECORD_LMDB},
                       state);
}

static int create_undamaged(tfc_construction* c, void** state) {
  reader_form form = {.type = "UndamagedTFRecordReader",
                      .options = {.format = RECORD_TF, .skip_damaged = true}};
  TFC_TRY(read_compression(c, "compression_type", &form));
  return create_reader(c, form, state);
}

static int read_bytes(tfc_construction* c, const char* attr, int64_t least, int64_t* value) {
  TFC_TRY(c->api->attr_int(c, attr, value));
  if (*value >= least) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s must be >= %lld not %lld", attr,
                       (long long)least, (long long)*value);
}

static int create_fixed(tfc_construction* c, void** state) {
  reader_form form = {.type = "FixedLengthRecordReader", .options.format = RECORD_FIXED};
  TFC_TRY(read_bytes(c, "header_bytes", 0, &form.options.header_bytes));
  TFC_TRY(read_bytes(c, "record_bytes", 1, &form.options.record_bytes));
  TFC_TRY(read_bytes(c, "footer_bytes", 0, &form.options.footer_bytes));
  TFC_TRY(read_bytes(c, "hop_bytes", 0, &form.options.hop_bytes));
  if (!strcmp(c->op_type, "FixedLengthRecordReaderV2"))
    TFC_TRY(read_compression(c, "encoding", &form));
  return create_reader(c, form, state);
}

static int compute_handle(tfc_context* ctx) {
  return tfc_resource_handle_new(ctx, &handle_kind);
}

/* Handles have one type in kernels (compiler/handles.py). */
static int compute_same(tfc_context* ctx) {
  return tfc_output_input(ctx, 0, 0);
}

static int find(tfc_context* ctx, reader** r) {
  return tfc_resource_handle_get(ctx, &handle_kind, (void**)r);
}

/* ---- Reading. */

static int compute_read(tfc_context* ctx) {
  reader* r = NULL;
  TFC_TRY(find(ctx, &r));
  return reader_read_now(ctx, r, -1);
}

static int compute_read_up_to(tfc_context* ctx) {
  reader* r = NULL;
  TFC_TRY(find(ctx, &r));
  if (ctx->inputs[2]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_records must be a scalar, not %s",
                     tfc_shape_text(ctx->inputs[2]).text);
  const int64_t most = tfc_index_at(ctx->inputs[2], 0);
  if (most < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_records must be >= 0 not %lld",
                     (long long)most);
  if (most > 0) return reader_read_now(ctx, r, most);
  TFC_TRY(tfc_output(ctx, 0, 1, &most));
  return tfc_output(ctx, 1, 1, &most);
}

/* ---- Counts and state. */

static int output_count(tfc_context* ctx, size_t offset) {
  reader* r = NULL;
  TFC_TRY(find(ctx, &r));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  const int64_t* count = (const int64_t*)((const char*)r + offset);
  *(int64_t*)ctx->outputs[0].data = __atomic_load_n(count, __ATOMIC_RELAXED);
  return TFC_OK;
}

static int compute_produced(tfc_context* ctx) {
  return output_count(ctx, offsetof(reader, produced));
}
static int compute_completed(tfc_context* ctx) {
  return output_count(ctx, offsetof(reader, units_finished));
}

static int compute_damaged(tfc_context* ctx) {
  return output_count(ctx, offsetof(reader, damaged));
}

static int compute_reset(tfc_context* ctx) {
  reader* r = NULL;
  TFC_TRY(find(ctx, &r));
  TFC_TRY(reader_lock_idle(ctx, r));
  reader_reset(r);
  pthread_mutex_unlock(&r->mutex);
  return TFC_OK;
}

/* TensorFlow's message ReaderBaseState. Only readers whose units are single records have it. */
enum { FIELD_STARTED = 1, FIELD_FINISHED = 2, FIELD_PRODUCED = 3, FIELD_UNIT = 4 };

static int check_has_state(tfc_context* ctx, const reader* r, const char* what) {
  if (r->form.names || r->form.options.format == RECORD_WHOLE) return TFC_OK;
  return tfc_error(ctx, TFC_UNIMPLEMENTED, "Reader %s of a %s", what, r->form.type);
}

static int compute_serialize(tfc_context* ctx) {
  reader* r = NULL;
  text_buffer state = {0};
  TFC_TRY(find(ctx, &r));
  TFC_TRY(check_has_state(ctx, r, "SerializeState"));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  TFC_TRY(reader_lock_idle(ctx, r));
  wire_add_int(&state, FIELD_STARTED, r->units_started);
  wire_add_int(&state, FIELD_FINISHED, r->units_finished);
  wire_add_int(&state, FIELD_PRODUCED, r->produced);
  if (r->name_size) wire_add_bytes(&state, FIELD_UNIT, r->name, r->name_size);
  pthread_mutex_unlock(&r->mutex);
  const int code = state.failed
                       ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a state")
                       : tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(&state), state.size);
  text_free(&state);
  return code;
}

typedef struct reader_saved {
  int64_t started, finished, produced;
  wire_reader unit;
} reader_saved;

static bool parse_saved(const tfc_string* text, reader_saved* saved) {
  wire_reader w = wire_of(text->data, text->size);
  wire_field f;
  int there;
  while ((there = wire_next(&w, &f)) > 0) {
    if (f.type != (f.number == FIELD_UNIT ? WIRE_BYTES : WIRE_VARINT)) continue;
    if (f.number == FIELD_STARTED) saved->started = (int64_t)f.value;
    if (f.number == FIELD_FINISHED) saved->finished = (int64_t)f.value;
    if (f.number == FIELD_PRODUCED) saved->produced = (int64_t)f.value;
    if (f.number == FIELD_UNIT) saved->unit = f.bytes;
  }
  return there == 0;
}

static int malformed(tfc_context* ctx, const reader* r, const tfc_string* text) {
  text_buffer shown = {0};
  text_add_escaped(&shown, text->data, TFC_MIN(text->size, (size_t)400));
  const int code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "Could not parse state for %s '%s': %s",
                             r->form.type, r->form.name, text_c(&shown));
  text_free(&shown);
  return code;
}

static int restore(tfc_context* ctx, reader* r, const reader_saved* saved) {
  const size_t size = wire_left(&saved->unit);
  if (saved->started < 0 || saved->finished < 0 || saved->produced < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Unexpected negative value when restoring in %s '%s': %lld units started, "
                     "%lld finished, %lld records",
                     r->form.type, r->form.name, (long long)saved->started,
                     (long long)saved->finished, (long long)saved->produced);
  if (saved->started > saved->finished)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Inconsistent work started vs. finished when restoring in %s '%s': %lld units "
                     "started, %lld finished",
                     r->form.type, r->form.name, (long long)saved->started,
                     (long long)saved->finished);
  char* name = malloc(size + 1);
  if (!name) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a state");
  if (size) memcpy(name, saved->unit.at, size);
  reader_reset(r);
  r->name = name;
  r->name_size = size;
  __atomic_store_n(&r->units_started, saved->started, __ATOMIC_RELAXED);
  __atomic_store_n(&r->units_finished, saved->finished, __ATOMIC_RELAXED);
  __atomic_store_n(&r->produced, saved->produced, __ATOMIC_RELAXED);
  return TFC_OK;
}

static int compute_restore(tfc_context* ctx) {
  reader* r = NULL;
  reader_saved saved = {0};
  TFC_TRY(find(ctx, &r));
  if (ctx->inputs[1]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Reader state must be scalar, but had shape: %s",
                     tfc_shape_text(ctx->inputs[1]).text);
  TFC_TRY(check_has_state(ctx, r, "RestoreState"));
  const tfc_string* text = ctx->inputs[1]->data;
  const bool parsed = parse_saved(text, &saved);
  TFC_TRY(reader_lock_idle(ctx, r));
  const int code = parsed ? restore(ctx, r, &saved) : malformed(ctx, r, text);
  if (code) reader_reset(r); /* as in TensorFlow */
  pthread_mutex_unlock(&r->mutex);
  return code;
}

/* Those that read, or wait until nobody does, are asynchronous: so they never run in a step that
 * keeps Python's global lock. */
static const tfc_kernel_def kernels[] = {
    TFC_ROW("WholeFileReader", "", compute_handle, .create = create_whole),
    TFC_ROW("WholeFileReaderV2", "", compute_handle, .create = create_whole),
    TFC_ROW("TextLineReader", "", compute_handle, .create = create_lines),
    TFC_ROW("TextLineReaderV2", "", compute_handle, .create = create_lines),
    TFC_ROW("FixedLengthRecordReader", "", compute_handle, .create = create_fixed),
    TFC_ROW("FixedLengthRecordReaderV2", "", compute_handle, .create = create_fixed),
    TFC_ROW("TFRecordReader", "", compute_handle, .create = create_records),
    TFC_ROW("TFRecordReaderV2", "", compute_handle, .create = create_records),
    TFC_ROW("FakeQueue", "", compute_same),
    TFC_ROW("LMDBReader", "", compute_handle, .create = create_lmdb),
    TFC_ROW("_UndamagedTFRecordReader", "", compute_handle, .create = create_undamaged),
    TFC_ROW("_ReaderNumRecordsDamaged", "", compute_damaged),
    TFC_ROW("IdentityReader", "", compute_handle, .create = create_identity),
    TFC_ROW("IdentityReaderV2", "", compute_handle, .create = create_identity),
    TFC_ROW("ReaderRead", "", compute_read, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderReadV2", "", compute_read, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderReadUpTo", "", compute_read_up_to, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderReadUpToV2", "", compute_read_up_to, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderNumRecordsProduced", "", compute_produced),
    TFC_ROW("ReaderNumRecordsProducedV2", "", compute_produced),
    TFC_ROW("ReaderNumWorkUnitsCompleted", "", compute_completed),
    TFC_ROW("ReaderNumWorkUnitsCompletedV2", "", compute_completed),
    TFC_ROW("ReaderSerializeState", "", compute_serialize, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderSerializeStateV2", "", compute_serialize, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderRestoreState", "", compute_restore, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderRestoreStateV2", "", compute_restore, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderReset", "", compute_reset, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ReaderResetV2", "", compute_reset, .flags = TFC_KERNEL_ASYNC),
};
TFC_REGISTER_KERNELS(kernels);
