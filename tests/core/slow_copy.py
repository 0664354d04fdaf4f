"""A kernel that copies its input in chunks, as a save does, and stops before each of them until it may continue."""

import ctypes

from tests.client import slow_kernels
from tfcore.framework.definitions.op_def import define_op

SOURCE = r"""
#include <pthread.h>
#include "tfcore/kernel.h"

#define SHOWN __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long allowed, reached; /* under lock: chunks */

SHOWN void copy_allow(long chunks) {
  pthread_mutex_lock(&lock);
  allowed = chunks;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
/* Waits until the kernel has copied so many chunks and asks for the next. */
SHOWN void copy_wait(long chunks) {
  pthread_mutex_lock(&lock);
  while (reached < chunks) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}
SHOWN void copy_reset(void) {
  pthread_mutex_lock(&lock);
  reached = -1;
  allowed = 0;
  pthread_mutex_unlock(&lock);
}

static void pass(long chunk) {
  pthread_mutex_lock(&lock);
  reached = chunk;
  pthread_cond_broadcast(&changed);
  while (allowed <= chunk) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static int copy(tfc_context *ctx) {
  int code = tfc_output_like(ctx, 0, ctx->inputs[0]);
  int64_t n = 1;
  for (int64_t i = 0; !code && n; i++) {
    pass(i);
    n = tfc_copy_chunk(ctx, 0, i, (char *)ctx->outputs[0].data + i * TFC_COPY_CHUNK);
  }
  tfc_input_done(ctx, 0);
  return code;
}

static const tfc_kernel_def kernels[] = {
    {.op = "TestSlowCopy", .device = "CPU", .types = "", .compute = copy,
     .flags = TFC_KERNEL_BLOCKING | TFC_KERNEL_COPIES_INPUTS},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

Copy = define_op(
    "TestSlowCopy",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: type"],
    shape=lambda op: [op.inputs[0].dims],
    stateful=True,
)
_loaded = []


def build(folder):
    """Compiles and loads the kernel, once in a process; returns the library."""
    if _loaded:
        return _loaded[0]
    handle = slow_kernels.load(folder / "copy.c", SOURCE)
    for name in ("copy_allow", "copy_wait"):
        getattr(handle, name).argtypes = [ctypes.c_long]
    _loaded.append(handle)
    return handle
