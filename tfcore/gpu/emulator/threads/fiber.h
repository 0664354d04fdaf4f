/* Fibers: stacks of their own, between which a thread of the system switches. */
#ifndef TFCORE_HOST_FIBER_H
#define TFCORE_HOST_FIBER_H

#include <stddef.h>
#include <stdint.h>

enum { TFC_FIBER_STACK = 128 << 10 };

/* Other processors, and builds with TFC_PORTABLE_FIBERS, take the C library's contexts. */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(TFC_PORTABLE_FIBERS)
#define TFC_ASSEMBLY_FIBERS
#else
#include <ucontext.h>
#endif

#pragma GCC visibility push(hidden)

typedef struct {
#ifdef TFC_ASSEMBLY_FIBERS
  void* sp; /* where the registers of a fiber that does not run are saved */
#else
  ucontext_t context;
#endif
  uintptr_t low, high; /* the stack; below `low` lies a page without access */
} tfc_fiber;

/* Gives a fiber a stack, if it has none, and lets its next switch call `entry`, which never
 * returns. Returns 0, or -1 if there is no memory. */
int tfc_fiber_start(tfc_fiber* fiber, void (*entry)(void));

/* Saves the running fiber in `from` and continues `to`. */
#ifdef TFC_ASSEMBLY_FIBERS
void tfc_fiber_swap(void** save, void* sp);
static inline void tfc_fiber_switch(tfc_fiber* from, tfc_fiber* to) {
  tfc_fiber_swap(&from->sp, to->sp);
}
/* Brings the top of the stack of a fiber that is switched to soon to the cache. */
static inline void tfc_fiber_prefetch(const tfc_fiber* fiber) {
  const char* sp = (const char*)fiber->sp;
  for (int line = 0; line < 4; line++) __builtin_prefetch(sp + 64 * line, 1);
}
#else
static inline void tfc_fiber_switch(tfc_fiber* from, tfc_fiber* to) {
  swapcontext(&from->context, &to->context);
}
static inline void tfc_fiber_prefetch(const tfc_fiber* fiber) {
  (void)fiber;
}
#endif

/* Whether an address lies in the page below the fiber's stack. */
int tfc_fiber_overflowed(const tfc_fiber* fiber, uintptr_t address);

#pragma GCC visibility pop

#endif
