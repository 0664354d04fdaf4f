/* Takes a text out of a queue for a kernel that is not done with it: a reader, which opens the file
 * of that name. The kernel is suspended meanwhile, and holds no thread.
 */
#ifndef TFCORE_QUEUE_TAKE_H
#define TFCORE_QUEUE_TAKE_H

#include "kernels_c/common/resource_handle.h"

typedef struct queue_attempt queue_take;

/* Called once for each take that begins, without locks, on any thread; frees the take. code:
 * TFC_OK, or that of an error which the context has. `text`, which has `size` bytes, is to be
 * freed. */
typedef void (*queue_taken)(void* arg, int code, char* text, size_t size);

#pragma GCC visibility push(hidden)

/* Input `input` is the handle of a queue. ctx: of a suspended kernel, valid until the end of the
 * take. NULL: the error is set. */
queue_take* queue_take_new(tfc_context* ctx, int input, queue_taken taken, void* arg);
/* May call `taken` before it returns. */
void queue_take_begin(queue_take*);
/* The take is to end. True: it has ended, and `taken` will not be called; false: it will be. */
bool queue_take_withdraw(queue_take*);
void queue_take_free(queue_take*);

#pragma GCC visibility pop

#endif /* TFCORE_QUEUE_TAKE_H */
