"""A kernel that holds its input until it may read it, as a save does."""

import ctypes

from tests.client import slow_kernels
from tfcore.framework.definitions.op_def import define_op

SOURCE = r"""
#include <pthread.h>
#include <string.h>
#include "tfcore/kernel.h"

#define SHOWN __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int allowed, reached; /* under lock */

static void set(int *what, int value) {
  pthread_mutex_lock(&lock);
  *what = value;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
static void wait_for(const int *what) {
  pthread_mutex_lock(&lock);
  while (!*what) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

SHOWN void reader_allow(int yes) { set(&allowed, yes); }
SHOWN void reader_wait(void) { wait_for(&reached); set(&reached, 0); }

static int read(tfc_context *ctx) {
  const tfc_tensor *in = ctx->inputs[0];
  set(&reached, 1);
  wait_for(&allowed);
  int code = tfc_output_like(ctx, 0, in);
  if (!code) memcpy(ctx->outputs[0].data, in->data, (size_t)in->n * sizeof(float));
  return code;
}

static const tfc_kernel_def kernels[] = {
    {.op = "TestSlowRead", .device = "CPU", .types = "T=float", .compute = read, .flags = TFC_KERNEL_BLOCKING},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

Read = define_op(
    "TestSlowRead",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["T: type"],
    shape=lambda op: [op.inputs[0].dims],
    stateful=True,
)
_loaded = []


def build(folder):
    """Compiles and loads the kernel, once in a process; returns the library."""
    if not _loaded:
        handle = slow_kernels.load(folder / "reader.c", SOURCE)
        handle.reader_allow.argtypes = [ctypes.c_int]
        _loaded.append(handle)
    return _loaded[0]
