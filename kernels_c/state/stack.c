/* StackV2, StackPushV2, StackPopV2, StackCloseV2: the stacks on which a loop saves values for its
 * gradient.
 *
 * A stack holds references to tensors; nothing is copied. It is an object in the graph (handle.h),
 * destroyed with its values after the last operation that uses it has run.
 *
 * Tensors pushed with swap_memory can be moved out while memory is short: the allocator requests it
 * (tfc_on_low_memory), and those that will be popped last go first, into a file without a name, one
 * after the other. The end of the file is read back first, so the file is a stack, too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels_c/common/file_errors.h"
#include "kernels_c/common/handle.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

enum {
  SMALLEST_SWAPPED = 4096, /* bytes: smaller tensors would free little memory */
  FIRST_CAPACITY = 16
};

typedef struct item {
  tfc_tensor value;
  int64_t offset; /* in the file; -1: it is in memory */
  bool may_swap;
} item;

typedef struct stack {
  tfc_handle handle;
  int32_t locked; /* atomic; held for a few instructions, or while memory is written to the file */
  int32_t dtype;
  bool closed, listed;
  int file; /* if file_size > 0 */
  int64_t size, capacity, max_size, serial;
  int64_t n_swapped; /* items below this one need not be looked at to swap more */
  int64_t file_size;
  int64_t process; /* `forks` when it was listed: that of the process whose file and list it uses */
  item* items;
  const char* name;           /* the kernel's */
  struct stack *next, **link; /* in the list of stacks that can give memory back */
} stack;

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER; /* before the lock of a stack */
static stack* listed_stacks;
static int64_t forks;   /* number of forks between the first process and this one */
static int64_t counter; /* atomic: makes names unique, as TensorFlow's are */

/* A child shares the open files of its parent's stacks: it must neither write to them nor read what
 * the parent has overwritten. So it forgets these stacks, which belong to the parent's steps. */
static void forget_stacks_in_child(void) {
  pthread_mutex_init(&list_mutex, NULL);
  listed_stacks = NULL;
  forks++;
}

__attribute__((constructor)) static void guard_forks(void) {
  pthread_atfork(NULL, NULL, forget_stacks_in_child);
}

static bool try_lock(stack* s) {
  return !__atomic_exchange_n(&s->locked, 1, __ATOMIC_ACQUIRE);
}
static void lock(stack* s) {
  while (!try_lock(s)) {
    while (__atomic_load_n(&s->locked, __ATOMIC_RELAXED)) sched_yield();
  }
}
static void unlock(stack* s) {
  __atomic_store_n(&s->locked, 0, __ATOMIC_RELEASE);
}

static void drop_items(stack* s) {
  for (int64_t i = 0; i < s->size; i++)
    if (s->items[i].offset < 0) tfc_let_go(s->handle.api, &s->items[i].value);
  free(s->items);
  if (s->file_size) close(s->file);
  s->items = NULL;
  s->size = s->capacity = s->n_swapped = s->file_size = 0;
}

static void destroy_stack(void* object) {
  stack* s = object;
  if (s->listed && s->process == forks) {
    pthread_mutex_lock(&list_mutex);
    *s->link = s->next;
    if (s->next) s->next->link = s->link;
    pthread_mutex_unlock(&list_mutex);
  }
  drop_items(s);
}

static void visit_items(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  stack* s = object;
  lock(s);
  for (int64_t i = 0; i < s->size; i++)
    if (s->items[i].offset < 0) fn(arg, &s->items[i].value);
  unlock(s);
}

static const tfc_handle_kind stack_kind = {"Stack", {sizeof(stack), destroy_stack, visit_items}};

/* ---- Moving values to the file and back. */

static bool write_all(int file, const char* data, int64_t size, int64_t offset) {
  while (size > 0) {
    ssize_t n = pwrite(file, data, (size_t)size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, size -= n, offset += n;
  }
  return true;
}

static bool read_all(int file, char* data, int64_t size, int64_t offset) {
  while (size > 0) {
    ssize_t n = pread(file, data, (size_t)size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, size -= n, offset += n;
  }
  return true;
}

static int64_t bytes_of(const tfc_tensor* t) {
  return t->n * (int64_t)tfc_dtype_size(t->dtype);
}

/* Moves a value to the end of the file; false if that can't be done. */
static bool swap_item(stack* s, item* it) {
  const int64_t bytes = bytes_of(&it->value);
  if (s->file_size == 0 && (s->file = tfc_open_unnamed()) < 0) return false;
  if (!write_all(s->file, it->value.data, bytes, s->file_size)) {
    if (s->file_size == 0) close(s->file);
    return false;
  }
  tfc_let_go(s->handle.api, &it->value);
  it->offset = s->file_size;
  s->file_size += bytes;
  return true;
}

/* Moves values to the file, the oldest first, until `wanted` bytes are freed; returns how many. */
static int64_t swap_out(stack* s, int64_t wanted) {
  int64_t freed = 0;
  bool all_before = true;
  for (int64_t i = s->n_swapped; i < s->size && freed < wanted; i++) {
    item* it = &s->items[i];
    const int64_t bytes = bytes_of(&it->value);
    if (it->offset < 0 && it->may_swap && bytes >= SMALLEST_SWAPPED) {
      if (!tfc_exclusive(s->handle.api, &it->value)) {
        all_before = false; /* in use by now */
        continue;
      }
      if (!swap_item(s, it)) break;
      freed += bytes;
    }
    if (all_before) s->n_swapped = i + 1;
  }
  return freed;
}

/* Called by the allocator on a thread that needs memory and holds no lock of this file. */
static int64_t give_memory_back(int64_t wanted) {
  int64_t freed = 0;
  pthread_mutex_lock(&list_mutex);
  for (stack* s = listed_stacks; s && freed < wanted; s = s->next) {
    if (!try_lock(s)) continue;
    freed += swap_out(s, wanted - freed);
    unlock(s);
  }
  pthread_mutex_unlock(&list_mutex);
  return freed;
}

static void list_stack(stack* s) {
  pthread_mutex_lock(&list_mutex);
  if (!s->listed) {
    s->listed = true;
    s->process = forks;
    s->next = listed_stacks;
    s->link = &listed_stacks;
    if (s->next) s->next->link = &s->next;
    listed_stacks = s;
  }
  pthread_mutex_unlock(&list_mutex);
  tfc_on_low_memory(s->handle.api, give_memory_back);
}

/* Makes output 0 from an item that was taken off the stack. */
static int swap_in(tfc_context* ctx, stack* s, const item* it) {
  const int64_t bytes = bytes_of(&it->value);
  if (s->process != forks)
    return tfc_error(ctx, TFC_DATA_LOSS, "Stack[%s_%lld] belongs to the parent of this process",
                     s->name, (long long)s->serial);
  TFC_TRY(tfc_output(ctx, 0, it->value.rank, it->value.dims)); /* may swap out others: no lock */
  const bool ok = read_all(s->file, ctx->outputs[0].data, bytes, it->offset);
  const int error = errno;
  lock(s);
  if (s->file_size == it->offset + bytes && s->file_size > 0) {
    s->file_size = it->offset;
    if (s->file_size == 0) close(s->file);
  }
  unlock(s);
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_DATA_LOSS, "Stack[%s_%lld] cannot read a swapped value back: %s",
                   s->name, (long long)s->serial, strerror(error));
}

/* ---- Kernels. */

typedef struct stack_attrs {
  int32_t dtype;
  char name[]; /* of the stack, else of the operation */
} stack_attrs;

static int create_Stack(tfc_construction* c, void** state) {
  int32_t dtype;
  const char* name;
  size_t size;
  TFC_TRY(c->api->attr_type(c, "elem_type", &dtype));
  TFC_TRY(c->api->attr_string(c, "stack_name", &name, &size));
  if (size == 0) name = c->op_name, size = strlen(name);
  stack_attrs* attrs = malloc(sizeof *attrs + size + 1);
  if (!attrs) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  attrs->dtype = dtype;
  memcpy(attrs->name, name, size);
  attrs->name[size] = 0;
  *state = attrs;
  return TFC_OK;
}

static int compute_Stack(tfc_context* ctx) {
  const stack_attrs* attrs = ctx->state;
  int64_t max_size = -1;
  if (ctx->n_inputs) {
    if (ctx->inputs[0]->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Stack size must be a scalar, but had shape: %s",
                       tfc_shape_text(ctx->inputs[0]).text);
    max_size = *(const int32_t*)ctx->inputs[0]->data;
  }
  stack* s = NULL;
  TFC_TRY(tfc_handle_new(ctx, 0, &stack_kind, (void**)&s));
  s->dtype = attrs->dtype;
  s->name = attrs->name;
  s->max_size = max_size < 0 ? INT32_MAX : max_size;
  s->serial = __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  return TFC_OK;
}

typedef struct text {
  char text[256];
} text;

static text stack_text(const stack* s) {
  text t;
  snprintf(t.text, sizeof t.text, "Stack[%s_%lld]", s->name, (long long)s->serial);
  return t;
}

static int closed(tfc_context* ctx, const stack* s) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has already been closed.", stack_text(s).text);
}

/* With the lock: fails if a value can't be pushed; makes room for it. */
static int check_push(tfc_context* ctx, stack* s) {
  if (s->closed) return closed(ctx, s);
  if (s->size >= s->max_size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s overflowed its max_size (%lld)",
                     stack_text(s).text, (long long)s->max_size);
  if (s->size < s->capacity) return TFC_OK;
  const int64_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
  item* items = realloc(s->items, (size_t)capacity * sizeof *items);
  if (!items)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for %lld entries of %s",
                     (long long)capacity, stack_text(s).text);
  s->items = items;
  s->capacity = capacity;
  return TFC_OK;
}

/* The state: whether the value may be swapped. */
static int create_StackPush(tfc_construction* c, void** state) {
  bool swap;
  TFC_TRY(c->api->attr_bool(c, "swap_memory", &swap));
  const int32_t dtype = c->input_dtypes[1] % TFC_REF;
  bool* may_swap = malloc(sizeof *may_swap);
  if (!may_swap) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  /* A GPU's memory can't be written to a file. */
  *may_swap = swap && !TFC_FOR_GPU && dtype != TFC_STRING && dtype != TFC_RESOURCE;
  *state = may_swap;
  return TFC_OK;
}

static int compute_StackPush(tfc_context* ctx) {
  const tfc_tensor* value = ctx->inputs[1];
  const bool may_swap = *(const bool*)ctx->state;
  stack* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &stack_kind, (void**)&s));
  if (value->dtype != s->dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Must have type %s but got %s",
                     tfc_dtype_name(s->dtype), tfc_dtype_name(value->dtype));
  if (may_swap && !__atomic_load_n(&s->listed, __ATOMIC_RELAXED)) list_stack(s);
  lock(s);
  const int code = check_push(ctx, s);
  if (!code) {
    item* it = &s->items[s->size++];
    tfc_hold(ctx->api, &it->value, value);
    it->offset = -1;
    it->may_swap = may_swap;
  }
  unlock(s);
  return code ? code : tfc_output_input(ctx, 0, 1);
}

static int compute_StackPop(tfc_context* ctx) {
  stack* s = NULL;
  item top;
  TFC_TRY(tfc_handle_get(ctx, 0, &stack_kind, (void**)&s));
  if (ctx->outputs[0].dtype != s->dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Must have type %s but got %s",
                     tfc_dtype_name(s->dtype), tfc_dtype_name(ctx->outputs[0].dtype));
  lock(s);
  const bool is_closed = s->closed, is_empty = s->size == 0;
  if (!is_closed && !is_empty) {
    top = s->items[--s->size];
    if (s->n_swapped > s->size) s->n_swapped = s->size;
  }
  unlock(s);
  if (is_closed) return closed(ctx, s);
  if (is_empty)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s is empty when calling Pop().",
                     stack_text(s).text);
  if (top.offset >= 0) return swap_in(ctx, s, &top);
  const int code = tfc_output_tensor(ctx, 0, &top.value);
  tfc_let_go(ctx->api, &top.value);
  return code;
}

static int compute_StackClose(tfc_context* ctx) {
  stack* s = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &stack_kind, (void**)&s));
  lock(s);
  s->closed = true;
  drop_items(s);
  unlock(s);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_FORWARDS("StackV2", "elem_type", compute_Stack, create_Stack, "max_size,handle",
                 "max_size,handle"),
    TFC_FORWARDS("StackPushV2", "T", compute_StackPush, create_StackPush, "handle",
                 "handle,elem,output"),
    TFC_FORWARDS("StackPopV2", "elem_type", compute_StackPop, TFC_NO_STATE, "handle",
                 "handle,elem"),
    TFC_ROW("StackCloseV2", "", compute_StackClose, .host_args = "handle"),
#if !TFC_FOR_GPU
    /* TensorFlow 1.0's ops: the compiler replaces them by those above. */
    TFC_ROW("Stack", "", compute_Stack, TFC_STATE(create_Stack)),
    TFC_ROW("StackPush", "", compute_StackPush, TFC_STATE(create_StackPush)),
    TFC_ROW("StackPop", "", compute_StackPop),
    TFC_ROW("StackClose", "", compute_StackClose),
#endif
};
TFC_REGISTER_KERNELS(kernels);
