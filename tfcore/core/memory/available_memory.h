/* How much memory the process can still get. */
#ifndef TFCORE_AVAILABLE_MEMORY_H
#define TFCORE_AVAILABLE_MEMORY_H

#include <stdint.h>

/* Bytes that can be had without swapping: of the machine, and of the control groups that the
 * process is in. INT64_MAX if the system does not say. */
int64_t tfc_available_memory(void);
/* For tests: what it returns from now on; -1: what the system says. Returns the value before. */
int64_t tfc_pretend_available_memory(int64_t bytes);

#endif
