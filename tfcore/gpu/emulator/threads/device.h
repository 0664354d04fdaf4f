/* What code compiled for the host calls while it runs. Only cuda.cuh uses these. */
#ifndef TFCORE_HOST_DEVICE_H
#define TFCORE_HOST_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A barrier of the block. Returns for how many threads `predicate` was not 0.
 * `name`, `file` and `line` tell barriers from each other. */
int tfc_host_barrier(int predicate, const char* name, const char* file, int line);

/* An operation of the threads of a warp that `mask` names. */
enum tfc_host_exchange {
  TFC_EXCHANGE_NOTHING, /* only waits */
  TFC_EXCHANGE_VALUE,   /* the value of lane `source`; poison if it takes no part */
  TFC_EXCHANGE_BALLOT,  /* the lanes whose value is not 0 */
  TFC_EXCHANGE_MATCH    /* the lanes whose value is the caller's */
};
uint64_t tfc_host_exchange(int kind, unsigned mask, uint64_t value, int source, const char* name,
                           const char* file, int line);

/* Checked builds: an atomic access, and functions of string.h. */
void tfc_host_atomic(const volatile void* p, size_t bytes);
void* tfc_host_memcpy(void* to, const void* from, size_t bytes);
void* tfc_host_memmove(void* to, const void* from, size_t bytes);
void* tfc_host_memset(void* to, int value, size_t bytes);

void tfc_host_trap(const char* what, const char* file, int line) __attribute__((noreturn));

extern unsigned char tfc_host_dynamic_shared[];

/* A family announces itself when it is loaded and unloaded. `anchor` is any address in it. */
void tfc_host_loaded(const void* anchor, int checked);
void tfc_host_unloaded(const void* anchor);
/* Its kernels may write to the memory between these addresses. */
void tfc_host_variables(const void* anchor, const void* begin, const void* end);

#ifdef __cplusplus
}
#endif
#endif
