/* What the files of the runtime share: the launch that runs, its block, and its threads. */
#ifndef TFCORE_HOST_RUN_H
#define TFCORE_HOST_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "device.h"
#include "fiber.h"

#pragma GCC visibility push(hidden)

enum {
  MAX_THREADS = 1024,
  WARP = 32,
  MAX_WARPS = MAX_THREADS / WARP,
  MAX_DYNAMIC_SHARED = 227 << 10,
  MAX_PARAMS = 4096
};

/* A family's shared object, from when it is loaded until it is unloaded. */
typedef struct module {
  struct module* next;
  const void* anchor;  /* an address in it that tells it from others */
  char* path;          /* NULL if unknown */
  uintptr_t low, high; /* where it is mapped */
  uintptr_t variables; /* outside of functions: what kernels may write */
  size_t variable_bytes;
  uintptr_t shared;     /* its static shared memory: all its uninitialised data */
  size_t shared_bytes;  /* multiple of 8 */
  uint8_t* shared_live; /* a bit for each byte of a variable; only for checked builds */
  void* shared_cells;   /* what the checks remember about it; only for checked builds */
  int checked;
} module;

/* The module that an address lies in, or NULL. */
const module* tfc_module_of(const void* p);

/* ---- threads.c: the threads of a block */

extern struct tfc_run {
  tfc_host_kernel kernel;
  const void* params;
  const module* module; /* of the kernel */
  int threads;          /* in a block */
  int current;          /* the thread that runs */
  uint64_t random;      /* state of the generator that draws orders; 0: the natural order */
} tfc_run;

uint64_t tfc_random(void); /* draws 64 bits */
uint64_t tfc_coprime_step(
    uint64_t count); /* a step that visits all of `count` places, 1 in the natural order */

int tfc_threads_prepare(void);            /* before a launch: 0, or -1 if there is no memory */
void tfc_threads_run(void);               /* runs the block that blockIdx names */
const tfc_fiber* tfc_threads_fiber(void); /* of the thread that runs; NULL when none does */

/* The block that runs as the n-th of the launch. */
uint3 tfc_block_at(uint64_t n);

/* ---- report.c: the end of a launch by an error */

/* Ends the launch from inside a thread. The report begins with the kernel, the block and the
 * thread. */
_Noreturn void tfc_fail(int kind, const char* text, ...) __attribute__((format(printf, 2, 3)));

/* The same for a failure that has no thread. Returns the kind. */
int tfc_refuse(tfc_host_report* report, int kind, const char* text, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs all blocks by calling `run`; returns how that ended. */
int tfc_guarded(void (*run)(void), tfc_host_report* report);

const char* tfc_file_name(const char* path); /* without its folder */
void tfc_describe_thread(int thread, char* text, size_t bytes);
/* The source line of an instruction, or its place in the shared object if that cannot be found. */
void tfc_describe_code(const void* pc, char* text, size_t bytes);

/* ---- check.c: what checked builds remember about memory. Other builds skip it. */

int tfc_check_prepare(
    module* m); /* when a checked module is loaded: 0, or -1 if there is no memory */
void tfc_check_release(module* m);
int tfc_check_launch(const module* m, size_t dynamic_shared,
                     size_t blocks); /* 0, or -1 if there is no memory */
void tfc_check_block(void);
void tfc_check_barrier(void);
void tfc_check_warp(
    int warp); /* what the threads of a warp did before comes before what they do next */
void tfc_check_thread(int thread, const tfc_fiber* fiber);

#pragma GCC visibility pop

#endif
