/* GetSessionHandle, GetSessionTensor, DeleteSessionTensor: tensors that a session keeps under a
 * name, "operation;number;device", which a program can feed to later steps.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

enum { BUCKETS = 256 };

typedef struct session_tensor {
  struct session_tensor* next;
  int64_t number;
  char* handle; /* all of it, as other sessions give the same numbers */
  tfc_tensor value;
} session_tensor;

/* All that a session, or a task, keeps. */
typedef struct session_tensors {
  const tfc_api* api; /* atomic: set once, before there are tensors */
  pthread_mutex_t mutex;
  int64_t last;                    /* number; under the mutex */
  session_tensor* bucket[BUCKETS]; /* under the mutex */
} session_tensors;

typedef struct session_state {
  session_tensors* kept;
  char* name; /* of an operation that makes handles, and */
  char* device;
} session_state;

static void free_tensor(const tfc_api* api, session_tensor* t) {
  if (t->value.buffer) tfc_let_go(api, &t->value);
  free(t->handle);
  free(t);
}

static void destroy_tensors(void* object) {
  session_tensors* s = object;
  for (int b = 0; b < BUCKETS; b++)
    while (s->bucket[b]) {
      session_tensor* t = s->bucket[b];
      s->bucket[b] = t->next;
      free_tensor(s->api, t);
    }
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

/* A handle from a process that this one has replaced must name none of this one's tensors. So the
 * numbers begin at a random multiple of 2^20. */
static void* make_tensors(void* arg) {
  (void)arg;
  session_tensors* s = calloc(1, sizeof *s);
  uint32_t any;
  if (!s) return NULL;
  if (getrandom(&any, sizeof any, 0) != sizeof any) any = (uint32_t)getpid();
  s->last = (int64_t)any << 20;
  pthread_mutex_init(&s->mutex, NULL);
  return s;
}

static void destroy_state(void* state) {
  session_state* s = state;
  free(s->name);
  free(s->device);
  free(s);
}

static int read_names(tfc_construction* c, session_state* s) {
  const char* device;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "_device", &device, &size));
  s->name = strdup(c->op_name);
  s->device = strndup(device, size);
  return s->name && s->device ? TFC_OK : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

static int create(tfc_construction* c, bool makes, void** state) {
  session_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  int code = c->api->resource(c, "session tensors", "", "session tensors", make_tensors, NULL,
                              destroy_tensors, (void**)&s->kept);
  if (!code && makes) code = read_names(c, s);
  if (code)
    destroy_state(s);
  else
    *state = s;
  return code;
}
static int create_maker(tfc_construction* c, void** state) {
  return create(c, true, state);
}
static int create_user(tfc_construction* c, void** state) {
  return create(c, false, state);
}

static session_tensors* tensors_of(tfc_context* ctx) {
  session_tensors* s = ((session_state*)ctx->state)->kept;
  if (!__atomic_load_n(&s->api, __ATOMIC_ACQUIRE))
    __atomic_store_n(&s->api, ctx->api, __ATOMIC_RELEASE);
  return s;
}

static session_tensor** bucket_of(session_tensors* s, int64_t number) {
  return &s->bucket[number % BUCKETS];
}

/* With the mutex: the link to the tensor, or to NULL. */
static session_tensor** find(session_tensors* s, const tfc_string* handle, int64_t number) {
  session_tensor** link = bucket_of(s, number);
  for (; *link; link = &(*link)->next)
    if ((*link)->number == number && strlen((*link)->handle) == handle->size &&
        !memcmp((*link)->handle, handle->data, handle->size))
      break;
  return link;
}

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a session's tensor");
}

/* Names the tensor, keeps it, and outputs its handle. */
static int fill(tfc_context* ctx, session_tensor* t) {
  const session_state* state = ctx->state;
  const size_t room = strlen(state->name) + strlen(state->device) + 32;
  t->handle = malloc(room);
  if (!t->handle) return no_memory(ctx);
  snprintf(t->handle, room, "%s;%" PRId64 ";%s", state->name, t->number, state->device);
  TFC_TRY(tfc_keep(ctx, &t->value, ctx->inputs[0]));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  return tfc_string_set(ctx, &ctx->outputs[0], 0, t->handle, strlen(t->handle));
}

static int compute_get_handle(tfc_context* ctx) {
  session_tensors* s = tensors_of(ctx);
  session_tensor* t = calloc(1, sizeof *t);
  if (!t) return no_memory(ctx);
  pthread_mutex_lock(&s->mutex);
  t->number = ++s->last;
  pthread_mutex_unlock(&s->mutex);
  const int code = fill(ctx, t);
  if (code) {
    free_tensor(ctx->api, t);
    return code;
  }
  pthread_mutex_lock(&s->mutex);
  t->next = *bucket_of(s, t->number);
  *bucket_of(s, t->number) = t;
  pthread_mutex_unlock(&s->mutex);
  return TFC_OK;
}

/* The number in a handle, or 0. */
static int64_t number_of(const tfc_string* handle) {
  char digits[24];
  const char* end = handle->data + handle->size;
  const char* from = handle->size ? memchr(handle->data, ';', handle->size) : NULL;
  const char* to = from ? memchr(from + 1, ';', (size_t)(end - from - 1)) : NULL;
  if (!to || to - from > (ptrdiff_t)sizeof digits) return 0;
  memcpy(digits, from + 1, (size_t)(to - from - 1));
  digits[to - from - 1] = '\0';
  const long long number = strtoll(digits, NULL, 10);
  return number > 0 ? number : 0;
}

static int read_handle(tfc_context* ctx, const tfc_string** handle, int64_t* number) {
  if (ctx->inputs[0]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "a tensor's handle must be one string, not shape %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  *handle = ctx->inputs[0]->data;
  *number = number_of(*handle);
  return TFC_OK;
}

static int not_found(tfc_context* ctx, const tfc_string* handle) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The tensor with handle '%.*s' is not in the session store.",
                   (int)TFC_MIN(handle->size, (size_t)500), handle->size ? handle->data : "");
}

static int compute_get_tensor(tfc_context* ctx) {
  session_tensors* s = tensors_of(ctx);
  const tfc_string* handle;
  int64_t number;
  tfc_tensor value;
  TFC_TRY(read_handle(ctx, &handle, &number));
  pthread_mutex_lock(&s->mutex);
  const session_tensor* t = *find(s, handle, number);
  if (t) tfc_hold(ctx->api, &value, &t->value);
  pthread_mutex_unlock(&s->mutex);
  if (!t) return not_found(ctx, handle);
  const int code =
      value.dtype == ctx->outputs[0].dtype
          ? tfc_output_tensor(ctx, 0, &value)
          : tfc_error(ctx, TFC_INVALID_ARGUMENT,
                      "the tensor with this handle is of type %s, not %s",
                      tfc_dtype_name(value.dtype), tfc_dtype_name(ctx->outputs[0].dtype));
  tfc_let_go(ctx->api, &value);
  return code;
}

static int compute_delete(tfc_context* ctx) {
  session_tensors* s = tensors_of(ctx);
  const tfc_string* handle;
  int64_t number;
  TFC_TRY(read_handle(ctx, &handle, &number));
  pthread_mutex_lock(&s->mutex);
  session_tensor** link = find(s, handle, number);
  session_tensor* t = *link;
  if (t) *link = t->next;
  pthread_mutex_unlock(&s->mutex);
  if (!t) return not_found(ctx, handle);
  free_tensor(s->api, t);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("GetSessionHandle", "", compute_get_handle, .create = create_maker,
            .destroy = destroy_state),
    TFC_ROW("GetSessionTensor", "", compute_get_tensor, .create = create_user,
            .destroy = destroy_state),
    TFC_ROW("DeleteSessionTensor", "", compute_delete, .create = create_user,
            .destroy = destroy_state),
};
TFC_REGISTER_KERNELS(kernels);
