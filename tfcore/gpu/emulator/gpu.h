/* The device process: what runs commands on an emulated GPU. One thread does everything; a second
 * one waits for the host's end.
 */
#ifndef TFCORE_EMULATOR_GPU_H
#define TFCORE_EMULATOR_GPU_H

#include "../driver_api.h"
#include "shared.h"

typedef struct {
  int index;
  machine* shared;
  channel* channel;
  char* arena;
  char* views[MAX_DEVICES]; /* the memory of other devices, for copies between them */
  uint64_t random;          /* state of the generator of all orders */
} gpu;

extern gpu self;

uint64_t draw(void); /* 64 random bits */
static inline bool chance(unsigned one_in) {
  return draw() % one_in == 0;
}

/* ---- gpu_memory.c */

CUresult memory_allocate(uint64_t start, uint64_t bytes);
void memory_free(uint64_t start, uint64_t bytes);
/* Lets commands touch, or no longer touch, a variable of a module. */
void memory_lend(uint64_t start, uint64_t bytes, bool on);
void memory_allow(uint64_t start, uint64_t bytes, bool on); /* dead memory is poisoned */
/* Where memory of a command is in this process; NULL, and the device has failed, if a part of it is
 * not live. `what` says who touches it. `tail` follows the command. */
char* memory_find(place p, uint64_t bytes, const char* what, char* tail);

/* ---- gpu_modules.c */

/* Loads a file, or an image in the arena; both leave the index of the module in *at. */
CUresult module_load(const char* path, uint64_t* at, uint64_t bytes);
void module_unload(uint64_t index);
CUresult module_find(const char* name, uint64_t* at); /* in: module, out: function */
/* Finds a variable; in: module, out: its address and its size. */
CUresult module_global(const char* name, uint64_t* at, uint64_t* bytes);
void launch(const command* c, const char* parameters);

/* ---- gpu_execute.c */

/* Makes the device fail: the first error and its text stay. */
void fail(CUresult status, const char* text, ...) __attribute__((format(printf, 2, 3)));
/* Runs a command that completes at once: all but WAIT, CALL and GRAPH. */
void execute(command* c);

/* ---- gpu_schedule.c */

void schedule(void); /* does not return */

#endif
