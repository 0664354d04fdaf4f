/* Memory of this process that other processes of the host can read. */
#ifndef TFCORE_ARENA_H
#define TFCORE_ARENA_H

#include "runtime.h"

/* Makes the arena, once per process. The arenas of `parties` processes must fit into one address
 * space. Returns NULL, or the text of an error. */
const char* tfc_arena_open(int parties);
int tfc_arena_fd(void);
bool tfc_arena_holds(const void* p, size_t bytes);
size_t tfc_arena_offset(const void* p);
size_t tfc_arena_bytes(void);
const tfc_source* tfc_arena_source(void); /* NULL before it is open */

/* A file without a name, sealed: nobody can change its size or take the seals away. -1 and errno.
 */
int tfc_make_memory(const char* name, size_t size);
/* NULL and errno if it can't be mapped. */
void* tfc_map_fd(int fd, size_t size, bool writable);
/* A peer must not be able to take a part of its memory away: reading that would end this process
 * (SIGBUS). NULL, or why memory that it has announced can't be used. */
const char* tfc_check_peer_memory(int fd, size_t size);

#endif
