/* Copy-on-write in chunks: kernels that copy variables for a long time, as SaveV2 does, and those
 * that write to the variables meanwhile. kernel.h has the kernels' side.
 *
 * A variable's value that is being copied is shared by the variable and the slot of the copying
 * kernel, which copies it chunk by chunk without a lock. A writer that finds nobody else who shares
 * it writes in place, after it has kept, in memory of its own, the grains that it is about to
 * change in chunks that were not copied yet. If somebody else does share it, the variable gets a
 * whole copy, as always (variable.c).
 *
 * Writers never wait for a chunk that is being copied: they keep what they change, and the copying
 * thread looks afterwards which grains were kept meanwhile, and takes those from there. So that
 * thread may have any priority.
 *
 * What is kept for all copying kernels of the process is limited to half of the memory that would
 * be available if nothing were kept (available_memory.h), or to TFCORE_SAVE_MEMORY megabytes. What
 * is available is measured when a kernel begins, and whenever 64 MB more were kept, so that
 * processes on a machine, and whatever else needs memory, are taken into account. At the limit
 * writers wait for the kernel that copies their variable, which then does not rest. Each time that
 * it copies nothing for 0.1 s they may keep an eighth of the limit more, until it does: a disk that
 * hangs does not stop training.
 */
#ifndef TFCORE_COPY_ON_WRITE_H
#define TFCORE_COPY_ON_WRITE_H

#include "step/step.h"

typedef struct tfc_cow_set tfc_cow_set; /* all inputs of a running kernel */

/* On the kernel's thread. NULL without memory: the inputs are shared as always. */
tfc_cow_set* tfc_cow_open(tfc_node_context* ctx, int n_inputs);
/* Adds an input, which has a reference to the value. From then on writers may join. The kernel,
 * which runs in any case, says tfc_input_done for each input. */
void tfc_cow_add(tfc_cow_set* set, tfc_tensor* slot);
/* A kernel of the step has all values that it copies: those who wait for that are told. */
void tfc_cow_snapshot_taken(const tfc_step* step);
/* For the writer, with the variable's lock: true if only a copying kernel shares the buffer, so
 * that it may be written in place. It is then the first of ctx->written. */
bool tfc_cow_join(tfc_node_context* ctx, tfc_buffer* b);
void tfc_cow_keep_all(tfc_cow* c);
/* Forgets ctx->written, before the variables are unlocked. */
void tfc_cow_leave(tfc_node_context* ctx);

/* Entries of tfc_api. */
int64_t tfc_cow_copy_chunk(tfc_context* ctx, int input, int64_t chunk, void* to);
bool tfc_cow_copied(tfc_context* ctx, int64_t busy_ns, int64_t idle_ns);
void tfc_cow_input_done(tfc_context* ctx, int input);
tfc_cow* tfc_cow_of(tfc_context* ctx, const tfc_tensor* value);
void tfc_cow_before_write(tfc_cow* c, int64_t first_byte, int64_t bytes);

#endif
