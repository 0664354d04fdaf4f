/* CacheDataset, in memory: the first iterator that reaches the end leaves its elements to later
 * ones. Caches in files are in cache_file.c. */
#include "kernels_c/data/cache_file.h"
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

typedef struct elements {
  tfc_tensor* items;
  int64_t n, capacity;
} elements;

typedef struct cache {
  dataset base;
  pthread_mutex_t lock;
  elements all; /* under lock until `full`, and unchanged from then on */
  bool full;    /* atomic */
} cache;

typedef struct cache_iterator {
  iterator base;
  elements read;   /* what it has seen so far */
  int64_t next;    /* in the full cache */
  bool incomplete; /* an element was lost: the pass is of no use to others */
} cache_iterator;

static void clear(const tfc_api* api, elements* e, int width) {
  for (int64_t i = 0; i < e->n; i++) iterator_drop(api, e->items + i * width, width);
  free(e->items);
  *e = (elements){0};
}

static int append(tfc_context* ctx, elements* e, const tfc_tensor* element, int width) {
  if (e->n == e->capacity) {
    int64_t capacity = e->capacity ? 2 * e->capacity : 64;
    tfc_tensor* items = realloc(e->items, (size_t)(capacity * width) * sizeof *items + 1);
    if (!items)
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to cache element %lld",
                       (long long)e->n);
    e->items = items;
    e->capacity = capacity;
  }
  for (int i = 0; i < width; i++) tfc_hold(ctx->api, &e->items[e->n * width + i], &element[i]);
  e->n++;
  return TFC_OK;
}

static bool is_full(cache* d) {
  return __atomic_load_n(&d->full, __ATOMIC_ACQUIRE);
}

static int cache_open(iterator* it, tfc_context* ctx) {
  return is_full((cache*)it->dataset) ? TFC_OK : iterator_open_input(it, ctx);
}

static void publish(cache* d, elements* read) {
  pthread_mutex_lock(&d->lock);
  if (!d->full) {
    d->all = *read;
    *read = (elements){0};
    __atomic_store_n(&d->full, true, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&d->lock);
}

static int cache_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  cache* d = (cache*)it->dataset;
  cache_iterator* c = (cache_iterator*)it;
  int width = it->dataset->n_components;
  if (!it->input) {
    *end = c->next >= d->all.n;
    for (int i = 0; i < width && !*end; i++)
      tfc_hold(ctx->api, &out[i], &d->all.items[c->next * width + i]);
    c->next += !*end;
    return TFC_OK;
  }
  int code = iterator_next(it->input, ctx, out, end);
  if (code) {
    c->incomplete |= tfc_cancelled(ctx); /* in the middle of a batch, for example */
    return code;
  }
  if (*end) {
    if (!c->incomplete) publish(d, &c->read);
    return TFC_OK;
  }
  code = append(ctx, &c->read, out, width);
  if (code) iterator_drop(it->api, out, width);
  return code;
}

static int elements_position(position* p, elements* e, int width) {
  int64_t n = e->n;
  TFC_TRY(position_count(p, &n, INT64_MAX));
  if (p->saves) return position_tensors(p, e->items, n * width);
  tfc_tensor* element = iterator_allocate(p->ctx, (size_t)width, sizeof *element);
  int code = element ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
  while (e->n < n && !code) {
    code = position_tensors(p, element, width);
    if (!code) code = append(p->ctx, e, element, width);
    iterator_drop(p->ctx->api, element, width);
  }
  free(element);
  return code;
}

static void restored_full(iterator* it) {
  cache_iterator* c = (cache_iterator*)it;
  publish((cache*)it->dataset, &c->read);
  clear(it->api, &c->read, it->dataset->n_components);
  iterator_close(it->input);
  it->input = NULL;
}

/* With all elements of the cache, whether it is full or not. */
static int cache_position(iterator* it, position* p) {
  cache* d = (cache*)it->dataset;
  cache_iterator* c = (cache_iterator*)it;
  bool full = !it->input;
  TFC_TRY(position_bool(p, &full));
  TFC_TRY(elements_position(p, p->saves && full ? &d->all : &c->read, d->base.n_components));
  TFC_TRY(position_bool(p, &c->incomplete));
  if (!full) return position_of_input(it, p);
  if (p->saves) return position_int(p, &c->next);
  TFC_TRY(position_count(p, &c->next, c->read.n));
  return position_commit_later(p, restored_full, it);
}

static void cache_close(iterator* it) {
  clear(it->api, &((cache_iterator*)it)->read, it->dataset->n_components);
}

static void cache_destroy(dataset* d) {
  clear(d->handle.api, &((cache*)d)->all, d->n_components);
  pthread_mutex_destroy(&((cache*)d)->lock);
}

static const dataset_kind cache_kind = {.name = "Cache",
                                        .object = DATASET_OBJECT(cache),
                                        .iterator_bytes = sizeof(cache_iterator),
                                        .open = cache_open,
                                        .next = cache_next,
                                        .cardinality = dataset_cardinality_of_input,
                                        .position = cache_position,
                                        .close = cache_close,
                                        .destroy = cache_destroy};

static int make_cache(tfc_context* ctx) {
  cache* d;
  const tfc_tensor* name = ctx->inputs[1];
  if (name->rank) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "filename must be a scalar");
  if (((const tfc_string*)name->data)->size) return tfc_file_cache_make(ctx, name->data);
  TFC_TRY(dataset_new(ctx, &cache_kind, 1, 0, 0, (void**)&d));
  pthread_mutex_init(&d->lock, NULL);
  return TFC_OK;
}

static int make_cache_v2(tfc_context* ctx) {
  TFC_TRY(dataset_check_unshared(ctx, 2));
  return make_cache(ctx);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DummyMemoryCache", "", dataset_make_unshared),
    TFC_ROW("CacheDatasetV2", "", make_cache_v2, TFC_STATE(dataset_create_plain)),
    TFC_ROW("CacheDataset", "", make_cache, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
