/* The check of one access. */
#ifndef TFCORE_HOST_CHECK_H
#define TFCORE_HOST_CHECK_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { CHECK_READ = 0, CHECK_WRITE = 1, CHECK_ATOMIC = 2 };

/* `pc` is where the access returns to. Ends the launch if the access is wrong. */
void tfc_check_access(uintptr_t address, size_t bytes, int access, const void* pc);

/* The same for an access that must be aligned to its size. */
void tfc_check_aligned(uintptr_t address, size_t bytes, int access, const void* pc);

#pragma GCC visibility pop

#endif
