/* Explains faults of host code that touches memory of a device: prints a line, and lets what would
 * have happened happen. For tests (TFCORE_EMULATED_GPU_EXPLAIN=1).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#include "host.h"

static struct sigaction before;

/* Reads without the lock: the thread that faults may hold it, and the text is only an explanation.
 */
static int describe(uint64_t address, char* text, size_t size) {
  for (int i = 0; i < emu.count; i++) {
    const ranges* r = &emu.devices[i].memory;
    if (address < r->start || address >= r->end) continue;
    range* found = ranges_find(r, address, 1);
    if (!found)
      return snprintf(text, size, "host code touched 0x%lx, an address of emulated GPU %d\n",
                      address, i);
    return snprintf(text, size,
                    "host code touched byte %lu of an allocation of %lu bytes at 0x%lx on "
                    "emulated GPU %d\n",
                    address - found->start, found->bytes, found->start, i);
  }
  if (address - (uint64_t)emu.arena < emu.shared->arena_bytes)
    return snprintf(text, size, "host code touched 0x%lx, pinned memory that is not allocated\n",
                    address);
  return 0;
}

static void explain(int signal, siginfo_t* info, void* context) {
  (void)context;
  char text[200];
  int n = emu.forked ? 0 : describe((uint64_t)info->si_addr, text, sizeof text);
  if (n > 0 && write(STDERR_FILENO, text, n) < 0) n = 0;
  sigaction(signal, &before, NULL); /* the instruction runs again and faults as it would have */
}

void explain_faults(void) {
  struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, &before);
}
