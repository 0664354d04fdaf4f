/* The functions that code compiled with -fsanitize=thread calls before each access.
 * ThreadSanitizer's own runtime is not linked: these are all there is.
 */
#include <string.h>

#include "check.h"
#include "device.h"

#define PC __builtin_return_address(0)

#define ALIGNED(name, bytes, access)                                   \
  void __tsan_##name##bytes(void* p);                                  \
  void __tsan_##name##bytes(void* p) {                                 \
    tfc_check_aligned((uintptr_t)p, bytes, access, PC);                \
  }                                                                    \
  void __tsan_volatile_##name##bytes(void* p);                         \
  void __tsan_volatile_##name##bytes(void* p) {                        \
    tfc_check_aligned((uintptr_t)p, bytes, access | CHECK_ATOMIC, PC); \
  }

#define UNALIGNED(name, bytes, access)                                \
  void __tsan_unaligned_##name##bytes(void* p);                       \
  void __tsan_unaligned_##name##bytes(void* p) {                      \
    tfc_check_access((uintptr_t)p, bytes, access, PC);                \
  }                                                                   \
  void __tsan_unaligned_volatile_##name##bytes(void* p);              \
  void __tsan_unaligned_volatile_##name##bytes(void* p) {             \
    tfc_check_access((uintptr_t)p, bytes, access | CHECK_ATOMIC, PC); \
  }

#define SIZES(define, name, access) \
  define(name, 2, access) define(name, 4, access) define(name, 8, access) define(name, 16, access)

ALIGNED(read, 1, CHECK_READ)
ALIGNED(write, 1, CHECK_WRITE)
SIZES(ALIGNED, read, CHECK_READ)
SIZES(ALIGNED, write, CHECK_WRITE)
SIZES(UNALIGNED, read, CHECK_READ)
SIZES(UNALIGNED, write, CHECK_WRITE)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_read_range(void* p, size_t bytes);
void __tsan_read_range(void* p, size_t bytes) {
  tfc_check_access((uintptr_t)p, bytes, CHECK_READ, PC);
}
void __tsan_write_range(void* p, size_t bytes);
void __tsan_write_range(void* p, size_t bytes) {
  tfc_check_access((uintptr_t)p, bytes, CHECK_WRITE, PC);
}

/* Atomic functions read and write; they count as writes. */
void tfc_host_atomic(const volatile void* p, size_t bytes) {
  tfc_check_aligned((uintptr_t)p, bytes, CHECK_WRITE | CHECK_ATOMIC, PC);
}

void* tfc_host_memcpy(void* to, const void* from, size_t bytes) {
  tfc_check_access((uintptr_t)from, bytes, CHECK_READ, PC);
  tfc_check_access((uintptr_t)to, bytes, CHECK_WRITE, PC);
  return memcpy(to, from, bytes);
}

void* tfc_host_memmove(void* to, const void* from, size_t bytes) {
  tfc_check_access((uintptr_t)from, bytes, CHECK_READ, PC);
  tfc_check_access((uintptr_t)to, bytes, CHECK_WRITE, PC);
  return memmove(to, from, bytes);
}

void* tfc_host_memset(void* to, int value, size_t bytes) {
  tfc_check_access((uintptr_t)to, bytes, CHECK_WRITE, PC);
  return memset(to, value, bytes);
}
