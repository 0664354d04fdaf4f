/* UniqueDataset: the elements that did not come before. */
#include "kernels_c/data/index.h"
#include "kernels_c/data/rows.h"

TFC_ONE_LEVEL;

typedef struct unique_iterator {
  iterator base;
  rows seen;
  hash_index index; /* of `seen` */
} unique_iterator;

static uint64_t hash_bytes(uint64_t hash, const char* data, size_t size) {
  uint64_t word = 0;
  for (; size >= sizeof word; data += sizeof word, size -= sizeof word) {
    memcpy(&word, data, sizeof word);
    hash = index_mix(hash, word);
  }
  word = 0;
  if (size) memcpy(&word, data, size);
  return index_mix(hash, word ^ (uint64_t)size << 56);
}

static uint64_t hash_tensor(const tfc_tensor* t) {
  uint64_t hash = (uint64_t)t->rank;
  if (t->dtype != TFC_STRING)
    return hash_bytes(hash, t->data, (size_t)t->n * tfc_dtype_size(t->dtype));
  const tfc_string* s = t->data;
  for (int64_t i = 0; i < t->n; i++) hash = hash_bytes(hash, s[i].data, s[i].size);
  return hash;
}

static bool equal(const tfc_tensor* a, const tfc_tensor* b) {
  if (a->dtype != b->dtype || a->rank != b->rank) return false;
  if (memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims)) return false;
  if (a->dtype != TFC_STRING)
    return !a->n || !memcmp(a->data, b->data, (size_t)a->n * tfc_dtype_size(a->dtype));
  const tfc_string *s = a->data, *t = b->data;
  for (int64_t i = 0; i < a->n; i++)
    if (s[i].size != t[i].size || (s[i].size && memcmp(s[i].data, t[i].data, s[i].size)))
      return false;
  return true;
}

typedef struct comparison {
  const unique_iterator* unique;
  const tfc_tensor* element;
} comparison;

static bool same(void* arg, int64_t position) {
  const comparison* c = arg;
  return equal(&c->unique->seen.items[position], c->element);
}

/* Notes an element; *fresh: it has not come before. */
static int note(unique_iterator* u, tfc_context* ctx, const tfc_tensor* element, bool* fresh) {
  if (element->dtype != TFC_INT32 && element->dtype != TFC_INT64 && element->dtype != TFC_STRING)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or "
                     "`tf.string` component, not a %s.",
                     tfc_dtype_name(element->dtype));
  comparison c = {u, element};
  uint64_t hash = hash_tensor(element);
  *fresh = index_find(&u->index, hash, same, &c) < 0;
  if (!*fresh) return TFC_OK;
  tfc_tensor kept;
  tfc_hold(ctx->api, &kept, element);
  TFC_TRY(rows_append(ctx, &u->seen, &kept, 1));
  int code = index_add(ctx, &u->index, hash);
  if (code) tfc_let_go(ctx->api, &u->seen.items[--u->seen.n]);
  return code;
}

static int unique_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  for (bool fresh = false; !fresh;) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(iterator_next(it->input, ctx, out, end));
    if (*end) return TFC_OK;
    int code = note((unique_iterator*)it, ctx, out, &fresh);
    if (code || !fresh) tfc_let_go(ctx->api, out);
    if (code) return code;
  }
  return TFC_OK;
}

static void unique_close(iterator* it) {
  unique_iterator* u = (unique_iterator*)it;
  rows_clear(it->api, &u->seen, 1);
  free(u->index.entries);
}

static int unique_position(iterator* it, position* p) {
  unique_iterator* u = (unique_iterator*)it;
  TFC_TRY(rows_position(p, &u->seen, 1));
  for (int64_t i = 0; i < u->seen.n && !p->saves; i++)
    TFC_TRY(index_add(p->ctx, &u->index, hash_tensor(&u->seen.items[i])));
  return position_of_input(it, p);
}

static const dataset_kind unique_kind = {.name = "Unique",
                                         .object = DATASET_OBJECT(dataset),
                                         .iterator_bytes = sizeof(unique_iterator),
                                         .open = iterator_open_input,
                                         .next = unique_next,
                                         .position = unique_position,
                                         .close = unique_close};

static int make_unique(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &unique_kind, 1, 0, 0, (void**)&d));
  if (d->n_components == 1) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "UniqueDataset only supports inputs with a single component.");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("UniqueDataset", "", make_unique, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
