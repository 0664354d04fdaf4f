/* The rows of kernel tables. A file with kernels ends with one table:
 *
 *   static const tfc_kernel_def kernels[] = {
 *       TFC_ROW("Erf", "T=" TFC_TYPES_FLOATS, compute_Erf),
 *       TFC_ROW("LeakyRelu", "T=" TFC_TYPES_FLOATS, compute_LeakyRelu, TFC_STATE(create_alpha)),
 *       TFC_ROW("SetSize", "", set_size, TFC_STATE(size_create), .host_args = "set_shape"),
 *   };
 *   TFC_REGISTER_KERNELS(kernels);
 *
 * A row has the op type, the types that the kernel serves, the compute function, and any of the
 * other fields of tfc_kernel_def by name.
 */
#ifndef TFCORE_KERNEL_TABLE_H
#define TFCORE_KERNEL_TABLE_H

#include <stdlib.h>

#include "kernels_c/common/common.h"

#define TFC_ROW(OP, TYPES, COMPUTE, ...) \
  {.op = OP, .device = TFC_DEVICE, .types = TYPES, .compute = COMPUTE, __VA_ARGS__}

/* For kernels whose state free() destroys, and for those without a state. */
#define TFC_STATE(CREATE) .create = CREATE, .destroy = free
/* A create() of such a state: zeroed memory that `fill` fills in. */
static inline int tfc_make_state(tfc_construction* c, size_t bytes,
                                 int (*fill)(tfc_construction* c, void* state), void** state) {
  void* made = calloc(1, bytes);
  if (!made) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  const int code = fill(c, made);
  if (code == TFC_OK)
    *state = made;
  else
    free(made);
  return code;
}
#define TFC_NO_STATE NULL

/* ---- Sets of types. A list that contains one of them is written with it: tests check it. */

#define TFC_TYPES_WIDE_FLOATS "float|double"
#define TFC_TYPES_FLOATS "half|bfloat16|" TFC_TYPES_WIDE_FLOATS
#define TFC_TYPES_FLOATS_BUT_BFLOAT16 "half|" TFC_TYPES_WIDE_FLOATS
#define TFC_TYPES_FLOATS_BUT_DOUBLE "half|bfloat16|float"
#define TFC_TYPES_INDICES "int32|int64"
#define TFC_TYPES_SIGNED_BUT_INT32 "int8|int16|int64"
#define TFC_TYPES_SIGNED TFC_TYPES_SIGNED_BUT_INT32 "|int32"
#define TFC_TYPES_UNSIGNED "uint8|uint16|uint32|uint64"
#define TFC_TYPES_INTEGERS TFC_TYPES_SIGNED "|" TFC_TYPES_UNSIGNED
#define TFC_TYPES_REALS_BUT_INT32 \
  TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED_BUT_INT32 "|" TFC_TYPES_UNSIGNED
#define TFC_TYPES_REALS TFC_TYPES_REALS_BUT_INT32 "|int32"
#define TFC_TYPES_COMPLEX "complex64|complex128"
#define TFC_TYPES_NUMBERS_BUT_INT32 TFC_TYPES_REALS_BUT_INT32 "|" TFC_TYPES_COMPLEX
#define TFC_TYPES_NUMBERS TFC_TYPES_NUMBERS_BUT_INT32 "|int32"
/* All whose elements are plain memory. */
#define TFC_TYPES_PLAIN_BUT_INT32 TFC_TYPES_NUMBERS_BUT_INT32 "|bool"
#define TFC_TYPES_PLAIN TFC_TYPES_PLAIN_BUT_INT32 "|int32"
#define TFC_TYPES_VALUES TFC_TYPES_PLAIN "|string"

/* ---- Tables that serve the CPU and GPUs.
 *
 * setup.py compiles some files twice: the second time with TFC_DEVICE "GPU", for the library of
 * launchers. Such a file only forwards tensors, or moves elements through array/copy.h, which has
 * an implementation for each device.
 *
 * As in TensorFlow, most kernels of a GPU leave int32 on the host: programs compute shapes with it.
 * They have two rows there: one for int32 (and strings and resources, if elements are not looked
 * at) with all arguments in host memory, one for the other types.
 *
 * CREATE: makes the kernel's own state, which free() destroys, or TFC_NO_STATE. HOST: the arguments
 * that are on the host for all types, or NULL; ALL: all arguments. TYPE: the attribute with the
 * type of the others. */

#if TFC_FOR_GPU

/* TEXT on GPUs, nothing on CPUs: types and host_args. */
#define TFC_ON_GPU(TEXT) TEXT
/* It forwards inputs or looks at shapes only. */
#define TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, ALL)                                  \
  TFC_ROW(OP, TYPE "=int32|string|resource", COMPUTE, TFC_STATE(CREATE), .host_args = ALL), \
      TFC_ROW(OP, TFC_BUT_INT32(TYPE), COMPUTE, TFC_STATE(CREATE), .host_args = HOST)
/* The executor runs it; bool, the type of predicates, is on the host, too. */
#define TFC_STEERS(OP, TYPE, COMPUTE, HOST, ALL)                              \
  TFC_ROW(OP, TYPE "=int32|bool|string|resource", COMPUTE, .host_args = ALL), \
      TFC_ROW(OP, TYPE "=" TFC_TYPES_NUMBERS_BUT_INT32, COMPUTE, .host_args = HOST)
/* It copies elements; int32 on the host. The file has TFC_COPIER(CREATE). */
#define TFC_COPIES(OP, TYPE, COMPUTE, CREATE, HOST, ALL)                                         \
  TFC_ROW(OP, TYPE "=int32", COMPUTE, .create = CREATE##_on_host, .destroy = tfc_copier_destroy, \
          .host_args = ALL),                                                                     \
      TFC_ROW(OP, TFC_BUT_INT32(TYPE), COMPUTE, .create = CREATE##_on_device,                    \
              .destroy = tfc_copier_destroy, .host_args = HOST)
/* It copies elements, int32 too. */
#define TFC_COPIES_ALL(OP, TYPE, COMPUTE, CREATE, HOST)                        \
  TFC_ROW(OP, TYPE "=" TFC_TYPES_PLAIN, COMPUTE, .create = CREATE##_on_device, \
          .destroy = tfc_copier_destroy, .host_args = HOST)

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

#define TFC_ON_GPU(TEXT) ""
#define TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, ALL) \
  TFC_ROW(OP, "", COMPUTE, TFC_STATE(CREATE), .host_args = HOST)
#define TFC_STEERS(OP, TYPE, COMPUTE, HOST, ALL) TFC_ROW(OP, "", COMPUTE, .host_args = HOST)
#define TFC_COPIES(OP, TYPE, COMPUTE, CREATE, HOST, ALL) \
  TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, ALL)
#define TFC_COPIES_ALL(OP, TYPE, COMPUTE, CREATE, HOST) \
  TFC_FORWARDS(OP, TYPE, COMPUTE, CREATE, HOST, HOST)
#define TFC_COPIER(CREATE) _Static_assert(1, "")

/* The kernel's own state, in a file that copies. */
static inline void* tfc_own_state(const tfc_context* ctx) {
  return ctx->state;
}

#endif

/* All types, but of a GPU those that stay on the host are left out: variables of int32, for
 * example, are on the CPU. */
#define TFC_BUT_INT32(TYPE) TFC_ON_GPU(TYPE "=" TFC_TYPES_PLAIN_BUT_INT32)

#endif /* TFCORE_KERNEL_TABLE_H */
