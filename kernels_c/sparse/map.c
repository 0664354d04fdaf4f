/* AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors
 * that wait, under numbers, until they are taken. In place of them their numbers go through a
 * queue.
 *
 * A map belongs to the resource manager; the ops that use it name it alike.
 */
#include <pthread.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/resource_handle.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

typedef struct stored {
  struct stored* next; /* in its bucket */
  int64_t number;
  tfc_tensor indices, values, shape;
} stored;

typedef struct sparse_map {
  char* name;
  const tfc_api* api; /* atomic: of the first op that used it */
  pthread_mutex_t mutex;
  stored** bucket;
  int64_t n_buckets, n; /* n_buckets: a power of two, or 0 */
  int64_t next_number;
} sparse_map;

static void drop(const tfc_api* api, stored* s) {
  tfc_let_go(api, &s->indices);
  tfc_let_go(api, &s->values);
  tfc_let_go(api, &s->shape);
  free(s);
}

static void drop_all(const tfc_api* api, stored* list) {
  while (list) {
    stored* next = list->next;
    drop(api, list);
    list = next;
  }
}

/* ---- The map. */

static void* make_map(void* arg) {
  char** name = arg;
  sparse_map* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  pthread_mutex_init(&m->mutex, NULL);
  m->name = *name;
  *name = NULL;
  return m;
}

static void destroy_map(void* object) {
  sparse_map* m = object;
  for (int64_t i = 0; i < m->n_buckets; i++) drop_all(m->api, m->bucket[i]);
  pthread_mutex_destroy(&m->mutex);
  free(m->bucket);
  free(m->name);
  free(m);
}

/* The state is the map. */
static int create_map(tfc_construction* c, void** state) {
  const char* container;
  size_t size;
  char* name;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(tfc_resource_name(c, &name));
  char* key = name;
  const int code = c->api->resource(c, "sparse tensors map", container, key, make_map, &name,
                                    destroy_map, state);
  free(name); /* unless make_map took it over */
  return code;
}

static sparse_map* map_of(tfc_context* ctx) {
  sparse_map* m = ctx->state;
  if (!__atomic_load_n(&m->api, __ATOMIC_ACQUIRE))
    __atomic_store_n(&m->api, ctx->api, __ATOMIC_RELEASE);
  return m;
}

static stored** bucket_of(sparse_map* m, int64_t number) {
  return &m->bucket[number & (m->n_buckets - 1)];
}

/* With the mutex: as many buckets as tensors. False: no memory. */
static bool make_room(sparse_map* m, int64_t n) {
  int64_t room = m->n_buckets ? m->n_buckets : 64;
  while (room < n) room *= 2;
  if (room == m->n_buckets) return true;
  const int64_t n_before = m->n_buckets;
  stored** before = m->bucket;
  stored** bucket = calloc((size_t)room, sizeof *bucket);
  if (!bucket) return false;
  m->bucket = bucket;
  m->n_buckets = room;
  for (int64_t i = 0; i < n_before; i++)
    for (stored *s = before[i], *next; s; s = next) {
      next = s->next;
      s->next = *bucket_of(m, s->number);
      *bucket_of(m, s->number) = s;
    }
  free(before);
  return true;
}

/* Puts a list in, and writes the numbers of its tensors. On failure nothing is in the map. */
static int put_all(tfc_context* ctx, sparse_map* m, stored* list, int64_t* numbers) {
  int64_t n = 0;
  for (const stored* s = list; s; s = s->next) n++;
  pthread_mutex_lock(&m->mutex);
  const bool ok = make_room(m, m->n + n);
  while (ok && list) {
    stored* s = list;
    list = s->next;
    *numbers++ = s->number = m->next_number++;
    s->next = *bucket_of(m, s->number);
    *bucket_of(m, s->number) = s;
    m->n++;
  }
  pthread_mutex_unlock(&m->mutex);
  if (ok) return TFC_OK;
  drop_all(ctx->api, list);
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for sparse tensors in map '%s'",
                   m->name);
}

/* NULL: there is none of that number. */
static stored* take_one(sparse_map* m, int64_t number) {
  if (!m->n_buckets) return NULL;
  for (stored** link = bucket_of(m, number); *link; link = &(*link)->next) {
    stored* s = *link;
    if (s->number != number) continue;
    *link = s->next;
    m->n--;
    return s;
  }
  return NULL;
}

/* ---- AddSparseToTensorsMap */

static int add_one(tfc_context* ctx) {
  sparse_map* m = map_of(ctx);
  TFC_TRY(sparse_check_parts(ctx, ctx->inputs[0], ctx->inputs[1], ctx->inputs[2]));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  stored* s = calloc(1, sizeof *s);
  if (!s) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a sparse tensor");
  int code = tfc_keep(ctx, &s->indices, ctx->inputs[0]);
  if (!code) code = tfc_keep(ctx, &s->values, ctx->inputs[1]);
  if (!code) code = tfc_keep(ctx, &s->shape, ctx->inputs[2]);
  if (!code) return put_all(ctx, m, s, ctx->outputs[0].data);
  drop(ctx->api, s);
  return code;
}

/* ---- AddManySparseToTensorsMap: each row is a tensor. */

static int copy_value(tfc_context* ctx, tfc_tensor* to, int64_t i, const tfc_tensor* from,
                      int64_t k) {
  if (from->dtype == TFC_STRING) {
    const tfc_string* s = (const tfc_string*)from->data + k;
    return tfc_string_set(ctx, to, i, s->data ? s->data : "", s->size);
  }
  const size_t size = tfc_dtype_size(from->dtype);
  memcpy((char*)to->data + (size_t)i * size, (const char*)from->data + (size_t)k * size, size);
  return TFC_OK;
}

/* A tensor of the elements order[0..n), without their first index. */
static int make_row(tfc_context* ctx, stored* s, const sparse_indices* indices,
                    const int64_t* order, int64_t n, const int64_t* shape) {
  const int64_t rank = indices->rank - 1, dims[] = {n, rank};
  s->indices.dtype = s->shape.dtype = TFC_INT64;
  s->values.dtype = ctx->inputs[1]->dtype;
  TFC_TRY(tfc_make(ctx, &s->indices, 2, dims));
  TFC_TRY(tfc_make(ctx, &s->values, 1, &n));
  TFC_TRY(tfc_make(ctx, &s->shape, 1, &rank));
  memcpy(s->shape.data, shape + 1, (size_t)rank * sizeof *shape);
  for (int64_t i = 0; i < n; i++) {
    memcpy((int64_t*)s->indices.data + i * rank, sparse_row(indices, order[i]) + 1,
           (size_t)rank * sizeof(int64_t));
    TFC_TRY(copy_value(ctx, &s->values, i, ctx->inputs[1], order[i]));
  }
  return TFC_OK;
}

/* A list of all rows, the first at its beginning. */
static int make_rows(tfc_context* ctx, const sparse_indices* indices, const int64_t* order,
                     const int64_t* shape, stored** list) {
  stored** link = list;
  for (int64_t row = 0, at = 0; row < shape[0]; row++) {
    int64_t n = 0;
    while (at + n < indices->n && sparse_row(indices, order[at + n])[0] == row) n++;
    stored* s = *link = calloc(1, sizeof *s);
    if (!s) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a sparse tensor");
    link = &s->next;
    TFC_TRY(make_row(ctx, s, indices, order + at, n, shape));
    at += n;
  }
  return TFC_OK;
}

static int check_rows(tfc_context* ctx, const sparse_indices* indices, const int64_t* shape) {
  if (indices->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Rank of input SparseTensor should be > 1, but saw rank: %lld",
                     (long long)indices->rank);
  for (int64_t i = 0; i < indices->n; i++)
    if (sparse_row(indices, i)[0] < 0 || sparse_row(indices, i)[0] >= shape[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Received unexpected column 0 value in input SparseTensor: %lld < 0 or >= N "
                       "(= %lld)",
                       (long long)sparse_row(indices, i)[0], (long long)shape[0]);
  return TFC_OK;
}

static int add_many(tfc_context* ctx) {
  sparse_map* m = map_of(ctx);
  sparse_indices indices;
  TFC_TRY(sparse_check_parts(ctx, ctx->inputs[0], ctx->inputs[1], ctx->inputs[2]));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &indices));
  if (ctx->inputs[2]->n == 0) return check_rows(ctx, &(sparse_indices){0}, NULL);
  const int64_t* shape = sparse_copy_vector(ctx, ctx->inputs[2]);
  if (!shape) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(check_rows(ctx, &indices, shape));
  TFC_TRY(tfc_output(ctx, 0, 1, shape));
  int64_t* order = tfc_scratch(ctx, (size_t)(indices.n + 1) * sizeof *order);
  if (!order) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(sparse_sort(ctx, &indices, order));
  stored* list = NULL;
  const int code = make_rows(ctx, &indices, order, shape, &list);
  if (!code) return put_all(ctx, m, list, ctx->outputs[0].data);
  drop_all(ctx->api, list);
  return code;
}

/* ---- TakeManySparseFromTensorsMap */

static int take_all(tfc_context* ctx, sparse_map* m, stored** taken, int64_t n) {
  int64_t missing = -1, i = 0;
  pthread_mutex_lock(&m->mutex);
  for (; i < n; i++) {
    missing = tfc_index_at(ctx->inputs[0], i);
    taken[i] = take_one(m, missing);
    if (!taken[i]) break;
  }
  pthread_mutex_unlock(&m->mutex);
  if (i == n) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Unable to find SparseTensor: %lld in map: %s",
                   (long long)missing, m->name);
}

/* The shape of the whole: the largest sizes; *elements: how many there are. */
static int whole_shape(tfc_context* ctx, stored* const* taken, int64_t n, int64_t* shape,
                       int64_t* elements) {
  const int64_t rank = n ? taken[0]->shape.n : 0;
  shape[0] = n;
  *elements = 0;
  for (int64_t d = 0; d < rank; d++) shape[1 + d] = 0;
  for (int64_t i = 0; i < n; i++) {
    const stored* s = taken[i];
    if (s->values.dtype != ctx->outputs[1].dtype)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() == %s",
          tfc_dtype_name(ctx->outputs[1].dtype), (long long)i, tfc_dtype_name(s->values.dtype));
    if (s->shape.n != rank)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Inconsistent rank across SparseTensors: rank prior to SparseTensor[%lld] was: "
          "%lld but rank of SparseTensor[%lld] is: %lld",
          (long long)i, (long long)rank, (long long)i, (long long)s->shape.n);
    for (int64_t d = 0; d < rank; d++)
      shape[1 + d] = TFC_MAX(shape[1 + d], ((const int64_t*)s->shape.data)[d]);
    *elements += s->values.n;
  }
  return TFC_OK;
}

static int put_whole(tfc_context* ctx, stored* const* taken, int64_t n, int64_t rank,
                     int64_t elements) {
  const int64_t dims[] = {elements, 1 + rank};
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  TFC_TRY(tfc_output(ctx, 1, 1, &elements));
  int64_t* to = ctx->outputs[0].data;
  for (int64_t i = 0, at = 0; i < n; i++) {
    const stored* s = taken[i];
    for (int64_t k = 0; k < s->values.n; k++, to += 1 + rank) {
      to[0] = i;
      memcpy(to + 1, (const int64_t*)s->indices.data + k * rank, (size_t)rank * sizeof *to);
      TFC_TRY(copy_value(ctx, &ctx->outputs[1], at++, &s->values, k));
    }
  }
  return TFC_OK;
}

static int take_many(tfc_context* ctx) {
  sparse_map* m = map_of(ctx);
  const tfc_tensor* numbers = ctx->inputs[0];
  const int64_t n = numbers->n;
  int64_t elements;
  if (numbers->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "sparse_handles should be a vector but received shape %s",
                     tfc_shape_text(numbers).text);
  if (n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Must have at least 1 element, but found 0");
  stored** taken = tfc_scratch(ctx, (size_t)n * sizeof *taken);
  if (!taken) return TFC_RESOURCE_EXHAUSTED;
  memset(taken, 0, (size_t)n * sizeof *taken);
  int code = take_all(ctx, m, taken, n);
  const int64_t rank = code ? 0 : taken[0]->shape.n;
  int64_t* shape = code ? NULL : tfc_scratch(ctx, (size_t)(1 + rank) * sizeof *shape);
  if (!code && !shape) code = TFC_RESOURCE_EXHAUSTED;
  if (!code) code = whole_shape(ctx, taken, n, shape, &elements);
  if (!code) code = put_whole(ctx, taken, n, rank, elements);
  if (!code) code = sparse_put_vector(ctx, 2, shape, 1 + rank);
  for (int64_t i = 0; i < n && taken[i]; i++) drop(ctx->api, taken[i]);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AddSparseToTensorsMap", "", add_one, .create = create_map),
    TFC_ROW("AddManySparseToTensorsMap", "", add_many, .create = create_map),
    TFC_ROW("TakeManySparseFromTensorsMap", "", take_many, .create = create_map),
};
TFC_REGISTER_KERNELS(kernels);
