/* Const: the value is copied to the device by the first step and kept. */
#include <pthread.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/common/launcher.h"

typedef struct const_state {
  tfc_tensor given;   /* on the host */
  tfc_tensor value;   /* on the device */
  const tfc_api* api; /* NULL: the value is not there yet */
  pthread_mutex_t mutex;
} const_state;

static int read_const(tfc_construction* c, void* state) {
  const_state* s = state;
  TFC_TRY(c->api->attr_tensor(c, "value", &s->given));
  pthread_mutex_init(&s->mutex, NULL);
  return TFC_OK;
}
static int const_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(const_state), read_const, state);
}

static void const_destroy(void* state) {
  const_state* s = state;
  if (s->api) tfc_let_go(s->api, &s->value);
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

/* With the lock held: steps that come later read the value after this copy. */
static int copy_to_device(tfc_context* ctx, const_state* s) {
  s->value.dtype = s->given.dtype;
  TFC_TRY(tfc_make(ctx, &s->value, s->given.rank, s->given.dims));
  const size_t bytes = (size_t)s->given.n * tfc_dtype_size(s->given.dtype);
  const int code = bytes ? tfc_device_upload(ctx, s->value.data, s->given.data, bytes) : TFC_OK;
  if (code == TFC_OK)
    __atomic_store_n(&s->api, ctx->api, __ATOMIC_RELEASE);
  else
    tfc_let_go(ctx->api, &s->value);
  return code;
}

static int const_compute(tfc_context* ctx) {
  const_state* s = ctx->state;
  int code = TFC_OK;
  if (!__atomic_load_n(&s->api, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&s->mutex);
    if (!s->api) code = copy_to_device(ctx, s);
    pthread_mutex_unlock(&s->mutex);
  }
  return code == TFC_OK ? tfc_output_tensor(ctx, 0, &s->value) : code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Const", "dtype=" TFC_TYPES_PLAIN_BUT_INT32, const_compute, .create = const_create,
            .destroy = const_destroy),
};
TFC_REGISTER_KERNELS(kernels);
