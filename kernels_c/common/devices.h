/* Tables of kernels that serve the CPU and GPUs.
 *
 * setup.py compiles some files twice: the second time with TFC_DEVICE "GPU", for the library of
 * launchers. Such a file only forwards tensors, or moves elements through array/copy.h, which has
 * an implementation for each device. Its rows are made by the macros below.
 *
 * As in TensorFlow, most kernels of a GPU leave int32 on the host: programs compute shapes with it.
 * They have two rows there: one for int32 (and strings and resources, if elements are not looked
 * at) with all arguments in host memory, one for the other types.
 */
#ifndef TFCORE_DEVICES_H
#define TFCORE_DEVICES_H

#include "kernels_c/common/common.h"

#define TFC_GPU_NUMBERS_BUT_INT32 \
  "float|double|half|bfloat16|int8|int16|int64|uint8|uint16|uint32|uint64|complex64|complex128"
#define TFC_GPU_TYPES_BUT_INT32 TFC_GPU_NUMBERS_BUT_INT32 "|bool"
#define TFC_GPU_TYPES TFC_GPU_TYPES_BUT_INT32 "|int32"

/* A kernel's row. CREATE: makes its own state, which free() destroys, or TFC_NO_STATE. HOST: the
 * arguments that are on the host for all types, or NULL; ALL: all arguments. TYPE: the attribute
 * with the type of the others. */
#define TFC_ROW(OP, TYPES, COMPUTE, CREATE, DESTROY, HOST) \
  {.op = OP,                                               \
   .device = TFC_DEVICE,                                   \
   .types = TYPES,                                         \
   .compute = COMPUTE,                                     \
   .create = CREATE,                                       \
   .destroy = DESTROY,                                     \
   .host_args = HOST}

#define TFC_NO_STATE NULL

#if TFC_FOR_GPU

/* It forwards inputs or looks at shapes only. */
#define TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, ALL)                \
  TFC_ROW(OP, TYPE "=int32|string|resource", COMPUTE, CREATE, free, ALL), \
      TFC_ROW(OP, TYPE "=" TFC_GPU_TYPES_BUT_INT32, COMPUTE, CREATE, free, HOST)
/* The row for int32, strings and resources only. */
#define TFC_FORWARDS_ON_HOST(OP, TYPE, COMPUTE, CREATE, ALL) \
  TFC_ROW(OP, TYPE "=int32|string|resource", COMPUTE, CREATE, free, ALL)
/* The executor runs it; bool, the type of predicates, is on the host, too. */
#define TFC_STEERS(OP, TYPE, COMPUTE, HOST, ALL)                             \
  TFC_ROW(OP, TYPE "=int32|bool|string|resource", COMPUTE, NULL, NULL, ALL), \
      TFC_ROW(OP, TYPE "=" TFC_GPU_NUMBERS_BUT_INT32, COMPUTE, NULL, NULL, HOST)
/* It passes a reference to a variable on. Variables of int32 are on the CPU. */
#define TFC_REFERS(OP, TYPE, COMPUTE, CREATE, HOST) \
  TFC_ROW(OP, TYPE "=" TFC_GPU_TYPES_BUT_INT32, COMPUTE, CREATE, NULL, HOST)
/* It copies elements; int32 on the host. The file has TFC_COPIER(CREATE). */
#define TFC_COPIES(OP, TYPE, COMPUTE, CREATE, HOST, ALL)                          \
  TFC_ROW(OP, TYPE "=int32", COMPUTE, CREATE##_on_host, tfc_copier_destroy, ALL), \
      TFC_ROW(OP, TYPE "=" TFC_GPU_TYPES_BUT_INT32, COMPUTE, CREATE##_on_device,  \
              tfc_copier_destroy, HOST)
/* It copies elements, int32 too. */
#define TFC_COPIES_ALL(OP, TYPE, COMPUTE, CREATE, HOST) \
  TFC_ROW(OP, TYPE "=" TFC_GPU_TYPES, COMPUTE, CREATE##_on_device, tfc_copier_destroy, HOST)

/* What copies need is found when a kernel is created, and lies before the kernel's own state:
 * kernels_cuda/array/copy.c. */
typedef int (*tfc_create_fn)(tfc_construction*, void** state);
int tfc_copier_create(tfc_construction* c, bool on_host, tfc_create_fn own, void** state);
void tfc_copier_destroy(void* state);
void* tfc_own_state(const tfc_context* ctx);

#define TFC_COPIER(CREATE)                                           \
  static int CREATE##_on_host(tfc_construction* c, void** state) {   \
    return tfc_copier_create(c, true, CREATE, state);                \
  }                                                                  \
  static int CREATE##_on_device(tfc_construction* c, void** state) { \
    return tfc_copier_create(c, false, CREATE, state);               \
  }                                                                  \
  _Static_assert(1, "")

#else

#define TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, ALL) \
  TFC_ROW(OP, "", COMPUTE, CREATE, free, HOST)
#define TFC_FORWARDS_ON_HOST(OP, TYPE, COMPUTE, CREATE, ALL) \
  TFC_ROW(OP, "", COMPUTE, CREATE, free, NULL)
#define TFC_STEERS(OP, TYPE, COMPUTE, HOST, ALL) TFC_ROW(OP, "", COMPUTE, NULL, NULL, HOST)
#define TFC_REFERS(OP, TYPE, COMPUTE, CREATE, HOST) TFC_ROW(OP, "", COMPUTE, CREATE, NULL, HOST)
#define TFC_COPIES(OP, TYPE, COMPUTE, CREATE, HOST, ALL) \
  TFC_ROW(OP, "", COMPUTE, CREATE, free, HOST)
#define TFC_COPIES_ALL(OP, TYPE, COMPUTE, CREATE, HOST) TFC_ROW(OP, "", COMPUTE, CREATE, free, HOST)
#define TFC_COPIER(CREATE) _Static_assert(1, "")

/* The kernel's own state, in a file that copies. */
static inline void* tfc_own_state(const tfc_context* ctx) {
  return ctx->state;
}

#endif

#endif /* TFCORE_DEVICES_H */
