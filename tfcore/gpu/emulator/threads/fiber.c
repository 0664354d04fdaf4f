/* Switching costs a few instructions: only what a function call preserves is saved. Stacks are
 * mapped once and kept. */
#define _GNU_SOURCE
#include "fiber.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK_BYTES TFC_FIBER_STACK
#define COLOURS 32
#define COLOUR_BYTES 192

static size_t guard_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

static int map_stack(tfc_fiber* fiber) {
  static unsigned count;
  const size_t guard = guard_bytes();
  char* base = mmap(NULL, guard + STACK_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return -1;
  if (mprotect(base, guard, PROT_NONE) != 0) {
    munmap(base, guard + STACK_BYTES);
    return -1;
  }
  fiber->low = (uintptr_t)(base + guard);
  /* Tops at different offsets in their pages, or they would compete for the same lines of the
   * cache. */
  fiber->high = fiber->low + STACK_BYTES - count++ % COLOURS * COLOUR_BYTES;
  return 0;
}

int tfc_fiber_overflowed(const tfc_fiber* fiber, uintptr_t address) {
  return fiber->low != 0 && address < fiber->low && address >= fiber->low - guard_bytes();
}

#if defined(TFC_ASSEMBLY_FIBERS) && defined(__x86_64__)

/* rdi: where to save the stack pointer, rsi: the one to continue with */
__asm__(
    ".text\n"
    ".globl tfc_fiber_swap\n"
    ".hidden tfc_fiber_swap\n"
    ".type tfc_fiber_swap, @function\n"
    "tfc_fiber_swap:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size tfc_fiber_swap, .-tfc_fiber_swap\n");

/* What a first switch pops: six registers, the entry, and a return address of 0, which ends
 * backtraces. */
static void* first_frame(uintptr_t high, void (*entry)(void)) {
  uintptr_t* sp = (uintptr_t*)(high & ~(uintptr_t)15) - 8;
  memset(sp, 0, 8 * sizeof *sp);
  sp[6] = (uintptr_t)entry;
  return sp;
}

#elif defined(TFC_ASSEMBLY_FIBERS)

/* x0: where to save the stack pointer, x1: the one to continue with */
__asm__(
    ".text\n"
    ".globl tfc_fiber_swap\n"
    ".hidden tfc_fiber_swap\n"
    ".type tfc_fiber_swap, %function\n"
    "tfc_fiber_swap:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x2, sp\n"
    "  str x2, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".size tfc_fiber_swap, .-tfc_fiber_swap\n");

/* What a first switch loads: twenty registers; x30 is where it returns to. */
static void* first_frame(uintptr_t high, void (*entry)(void)) {
  uintptr_t* sp = (uintptr_t*)(high & ~(uintptr_t)15) - 20;
  memset(sp, 0, 20 * sizeof *sp);
  sp[11] = (uintptr_t)entry;
  return sp;
}

#endif

#ifdef TFC_ASSEMBLY_FIBERS

int tfc_fiber_start(tfc_fiber* fiber, void (*entry)(void)) {
  if (fiber->low == 0 && map_stack(fiber) != 0) return -1;
  fiber->sp = first_frame(fiber->high, entry);
  return 0;
}

#else

int tfc_fiber_start(tfc_fiber* fiber, void (*entry)(void)) {
  if (fiber->low == 0 && map_stack(fiber) != 0) return -1;
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = (void*)fiber->low;
  fiber->context.uc_stack.ss_size = fiber->high - fiber->low;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, entry, 0);
  return 0;
}

#endif
