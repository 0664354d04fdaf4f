/* Positions of iterators: how they are written and read. */
#include "kernels_c/data/position.h"

#include "kernels_c/common/tensor_proto.h"
#include "kernels_c/data/rows.h"

TFC_ONE_LEVEL;

/* Ahead of the name of the first stage's kind, whose length is what older positions begin with. */
enum { WITH_NUMBERS = 1 };

position position_to_save(tfc_context* inner) {
  position p = {.ctx = inner, .saves = true, .has_numbers = true};
  wire_add_varint(&p.saved, WITH_NUMBERS);
  return p;
}

position position_to_restore(tfc_context* inner, const text_buffer* bytes) {
  position p = {.ctx = inner, .left = wire_of(text_c(bytes), bytes->size)};
  p.has_numbers = bytes->size && *p.left.at == WITH_NUMBERS;
  p.left.at += p.has_numbers;
  return p;
}

int position_misfit(position* p, const char* what) {
  p->refused = true;
  return tfc_error(p->ctx, TFC_INVALID_ARGUMENT,
                   "The saved position does not fit the iterator's dataset: %s", what);
}

static int damaged(position* p) {
  p->refused = true;
  return tfc_error(p->ctx, TFC_DATA_LOSS, "The saved position of an iterator is damaged");
}

/* After values were appended. */
static int appended(position* p) {
  if (!p->saved.failed) return TFC_OK;
  return tfc_error(p->ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the position of an iterator");
}

/* ---- Values */

int position_int(position* p, int64_t* value) {
  uint64_t word = (uint64_t)*value;
  if (p->saves) {
    wire_add_varint(&p->saved, word);
    return appended(p);
  }
  if (!wire_varint(&p->left, &word)) return damaged(p);
  *value = (int64_t)word;
  return TFC_OK;
}

int position_count(position* p, int64_t* value, int64_t most) {
  int64_t found = *value;
  TFC_TRY(position_int(p, &found));
  if (found < 0 || found > most) return position_misfit(p, "it is beyond its end");
  if (!p->saves) *value = found; /* else other threads may be reading it */
  return TFC_OK;
}

int position_bool(position* p, bool* value) {
  int64_t number = *value;
  TFC_TRY(position_count(p, &number, 1));
  if (!p->saves) *value = number;
  return TFC_OK;
}

int position_memory(position* p, void* data, size_t size) {
  if (!p->saves) return wire_take(&p->left, data, size) ? TFC_OK : damaged(p);
  text_append(&p->saved, data, size);
  return appended(p);
}

/* The next bytes, when it restores: their number, then themselves. */
static int take_bytes(position* p, wire_reader* bytes) {
  uint64_t size;
  if (!wire_varint(&p->left, &size) || size > wire_left(&p->left)) return damaged(p);
  *bytes = wire_of(p->left.at, (size_t)size);
  p->left.at += size;
  return TFC_OK;
}

static int add_bytes(position* p, const char* data, size_t size) {
  wire_add_varint(&p->saved, size);
  text_append(&p->saved, data, size);
  return appended(p);
}

int position_text(position* p, char** text) {
  bool some = *text != NULL;
  TFC_TRY(position_bool(p, &some));
  if (!some) return TFC_OK;
  if (p->saves) return add_bytes(p, *text, strlen(*text));
  wire_reader bytes;
  TFC_TRY(take_bytes(p, &bytes));
  *text = strndup((const char*)bytes.at, wire_left(&bytes));
  if (*text) return TFC_OK;
  return tfc_error(p->ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the position of an iterator");
}

/* ---- Tensors */

/* Nothing stands for a dataset of rows, which follow. */
static int save_tensor(position* p, tfc_tensor* t) {
  if (rows_is_dataset(t)) {
    TFC_TRY(add_bytes(p, "", 0));
    return rows_dataset_position(p, t);
  }
  if (tfc_is_object(t->dtype))
    return tfc_error(p->ctx, TFC_UNIMPLEMENTED,
                     "The position of an iterator that holds values of type %s can't be saved",
                     tfc_dtype_name(t->dtype));
  text_buffer message = {0};
  tensor_proto_add(&message, t->rank, t->dims, t, 0, false);
  p->saved.failed |= message.failed;
  int code = add_bytes(p, text_c(&message), message.size);
  text_free(&message);
  return code;
}

static int restore_tensor(position* p, tfc_tensor* t) {
  wire_reader message;
  tensor_proto found;
  TFC_TRY(take_bytes(p, &message));
  if (!wire_left(&message)) return rows_dataset_position(p, t);
  if (tensor_proto_open(message, &found)) return damaged(p);
  t->dtype = found.dtype;
  TFC_TRY(tfc_make(p->ctx, t, found.rank, found.dims));
  int code = tensor_proto_store(p->ctx, &found, "a saved position", t, 0);
  if (code) tfc_let_go(p->ctx->api, t);
  return code;
}

int position_tensors(position* p, tfc_tensor* tensors, int64_t n) {
  int64_t done = 0;
  int code = TFC_OK;
  for (; done < n && !code; done++)
    code = p->saves ? save_tensor(p, &tensors[done]) : restore_tensor(p, &tensors[done]);
  for (int64_t i = 0; code && !p->saves && i < done; i++) tfc_let_go(p->ctx->api, &tensors[i]);
  return code;
}

/* ---- What datasets share */

typedef struct position_commit {
  void (*fn)(iterator*);
  iterator* it;
} position_commit;

int position_commit_later(position* p, void (*fn)(iterator*), iterator* it) {
  size_t n = (size_t)p->n_commits;
  position_commit* grown = realloc(p->commits, (n + 1) * sizeof *grown);
  if (!grown)
    return tfc_error(p->ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the position of an iterator");
  grown[p->n_commits++] = (position_commit){fn, it};
  p->commits = grown;
  return TFC_OK;
}

void position_end(position* p, int code) {
  for (int64_t i = 0; i < p->n_commits && !code; i++) p->commits[i].fn(p->commits[i].it);
  free(p->commits);
  p->commits = NULL;
}

/* ---- Stages */

/* The name of its kind stands before the position of a stage: that of another pipeline is noticed.
 */
static int check_kind(iterator* it, position* p) {
  const char* name = it->dataset->kind->name;
  if (p->saves) return add_bytes(p, name, strlen(name));
  wire_reader saved;
  TFC_TRY(take_bytes(p, &saved));
  size_t size = wire_left(&saved);
  if (size == strlen(name) && !memcmp(saved.at, name, size)) return TFC_OK;
  p->refused = true;
  return tfc_error(
      p->ctx, TFC_INVALID_ARGUMENT,
      "The saved position does not fit the iterator's dataset: it has a stage %.*s where the "
      "dataset has %s",
      (int)TFC_MIN(size, (size_t)40), (const char*)saved.at, name);
}

int position_of_pipeline(iterator* it, position* p) {
  const dataset_kind* kind = it->dataset->kind;
  TFC_TRY(check_kind(it, p));
  TFC_TRY(position_bool(p, &it->ended));
  if (!kind->position)
    return tfc_error(p->ctx, TFC_UNIMPLEMENTED,
                     "The position of an iterator over a %s dataset can't be saved", kind->name);
  return kind->position(it, p);
}

int position_of_stage(position* p, const tfc_tensor* dataset, iterator** it) {
  bool is_open = *it != NULL;
  TFC_TRY(position_bool(p, &is_open));
  if (!is_open) {
    iterator_close(*it);
    *it = NULL;
    return TFC_OK;
  }
  if (!*it) TFC_TRY(iterator_open(p->ctx, dataset, it));
  return position_of_pipeline(*it, p);
}

int position_of_input(iterator* it, position* p) {
  return position_of_stage(p, &it->dataset->inputs[0], &it->input);
}
