/* CUDA on the host: the interface of the runtime that runs a kernel's blocks.
 *
 * A family compiled for the host is a shared object. It exports, under the name
 * of each kernel, what one thread of the kernel runs. Its undefined symbols are
 * those of this runtime, so the program that loads it exports the runtime's.
 *
 * One launch runs at a time. A second one, of another thread, waits.
 */
#ifndef TFCORE_HOST_BLOCK_H
#define TFCORE_HOST_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tfc_host_kind {
  TFC_HOST_OK = 0,
  TFC_HOST_INVALID =
      1, /* a grid, block or size that CUDA refuses, or a kernel that no loaded family has */
  TFC_HOST_MEMORY = 2,      /* no memory for stacks or for what the checks remember */
  TFC_HOST_BOUNDS = 3,      /* an access outside what is live, found by a check */
  TFC_HOST_MISALIGNED = 4,  /* an address that is not a multiple of the access's size */
  TFC_HOST_RACE = 5,        /* two accesses that nothing orders */
  TFC_HOST_DIVERGENT = 6,   /* threads of a block at different barriers, or past the end */
  TFC_HOST_MASK = 7,        /* a mask names a thread that does not take part */
  TFC_HOST_STACK = 8,       /* the stack of a thread is full */
  TFC_HOST_FAULT = 9,       /* an access that the system refused */
  TFC_HOST_ARITHMETIC = 10, /* an integer division by zero, say */
  TFC_HOST_TRAP = 11        /* the kernel called __trap, or an assertion failed */
};

typedef struct {
  int32_t kind;    /* tfc_host_kind */
  char text[1020]; /* one line: kernel, block, thread, and what is wrong where */
} tfc_host_report;

typedef void (*tfc_host_kernel)(const void* params);

/* Runs all blocks of a grid, one after another, and returns the kind of error
 * (0: none). The order of blocks, and that of threads where nothing orders
 * them, comes from the seed; with seed 0 it is the natural one. Shared memory
 * is filled with TFC_HOST_POISON before each block. After an error the rest of
 * the grid does not run. `report` may be NULL. */
#define TFC_HOST_POISON 0xCB
int tfc_host_launch(tfc_host_kernel kernel, dim3 grid, dim3 block, size_t dynamic_shared,
                    const void* params, uint64_t seed, tfc_host_report* report);

/* The device's memory, for the checks: nothing in it is live yet. A second call
 * replaces the range of the first. Returns 0, or TFC_HOST_MEMORY. */
int tfc_host_memory(const void* base, size_t bytes);

/* Marks a part of the device's memory live or dead; to the byte. Kernels of
 * checked builds may only touch what is live. An access past the end shows only
 * where something dead follows: leave a gap between allocations. */
void tfc_host_allow(const void* p, size_t bytes, int on);

#ifdef __cplusplus
}
#endif
#endif
