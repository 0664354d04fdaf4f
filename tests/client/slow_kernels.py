"""Kernels that take long, wait or block, compiled for the tests; and the operations that run them."""

import ctypes
import os
import shutil
import subprocess

import pytest

from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import define_op

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "kernels_c", "include")
COMPILER = shutil.which("cc") or shutil.which("gcc")
SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "tfcore/kernel.h"

#define SHOWN __attribute__((visibility("default")))

static void sleep_ms(int ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

/* Wait: asynchronous, until slow_release() or the cancellation. */
typedef struct waiter {
  const struct tfc_api *api;
  tfc_async *async;
  struct waiter *next;
} waiter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static waiter *waiters;
static int waiting; /* atomic */

SHOWN int slow_waiting(void) { return __atomic_load_n(&waiting, __ATOMIC_SEQ_CST); }

static void count(int n) { __atomic_fetch_add(&waiting, n, __ATOMIC_SEQ_CST); }

static void forget(void *p) {
  waiter *w = p;
  pthread_mutex_lock(&lock);
  waiter **link = &waiters;
  while (*link != w) link = &(*link)->next;
  *link = w->next;
  pthread_mutex_unlock(&lock);
  count(-1);
  tfc_resume(w->api, w->async, TFC_CANCELLED);
  free(w);
}

SHOWN void slow_release(void) {
  waiter *mine = NULL;
  pthread_mutex_lock(&lock);
  for (waiter **link = &waiters; *link;) {
    waiter *w = *link;
    if (tfc_claim(w->api, w->async)) {
      *link = w->next;
      w->next = mine;
      mine = w;
    } else {
      link = &w->next;
    }
  }
  pthread_mutex_unlock(&lock);
  while (mine) {
    waiter *w = mine;
    mine = w->next;
    tfc_context *ctx = tfc_async_context(w->api, w->async);
    int code = tfc_output_input(ctx, 0, 0);
    count(-1);
    tfc_resume(w->api, w->async, code);
    free(w);
  }
}

static int wait(tfc_context *ctx) {
  const struct tfc_api *api = ctx->api;
  if (!tfc_scratch(ctx, 1000)) return TFC_RESOURCE_EXHAUSTED;
  tfc_async *a = tfc_suspend(ctx);
  if (!a) return TFC_INTERNAL;
  waiter *w = malloc(sizeof *w);
  w->api = api;
  w->async = a;
  pthread_mutex_lock(&lock);
  bool waits = tfc_on_cancel(api, a, forget, w);
  if (waits) {
    w->next = waiters;
    waiters = w;
    count(1);
  }
  pthread_mutex_unlock(&lock);
  if (!waits) {
    free(w);
    tfc_resume(api, a, TFC_CANCELLED);
  }
  return TFC_PENDING;
}

/* Later: asynchronous, resumed by a thread of its own after some ms, with no ear for cancellations. */
static void *come_later(void *p) {
  waiter w = *(waiter *)p;
  free(p);
  sleep_ms(30);
  int code = tfc_output_input(tfc_async_context(w.api, w.async), 0, 0);
  tfc_resume(w.api, w.async, code);
  return NULL;
}

static int later(tfc_context *ctx) {
  waiter *w = malloc(sizeof *w);
  w->api = ctx->api;
  w->async = tfc_suspend(ctx);
  pthread_t thread;
  pthread_create(&thread, NULL, come_later, w);
  pthread_detach(thread);
  return TFC_PENDING;
}

/* Block: holds its thread until the cancellation, or until as many of them run as its input says. */
static int block(tfc_context *ctx) {
  static int all_run; /* atomic; until the last one ends */
  const tfc_tensor *x = ctx->inputs[0];
  int wanted = ((const int *)x->data)[0];
  if (__atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST) >= wanted) __atomic_store_n(&all_run, 1, __ATOMIC_SEQ_CST);
  while (!tfc_cancelled(ctx) && !__atomic_load_n(&all_run, __ATOMIC_SEQ_CST)) sleep_ms(1);
  bool cancelled = tfc_cancelled(ctx);
  if (!__atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST)) __atomic_store_n(&all_run, 0, __ATOMIC_SEQ_CST);
  return cancelled ? TFC_CANCELLED : tfc_output_input(ctx, 0, 0);
}

/* Deaf: takes as many ms as its input says. */
static int deaf(tfc_context *ctx) {
  const tfc_tensor *x = ctx->inputs[0];
  count(1);
  sleep_ms(((const int *)x->data)[0]);
  count(-1);
  return tfc_output_input(ctx, 0, 0);
}

/* Loop: a parallel loop of items of a millisecond each; says how many ran. */
static int64_t items; /* atomic */
SHOWN int64_t slow_items(void) { return __atomic_load_n(&items, __ATOMIC_SEQ_CST); }

static void one_ms(void *arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) {
    sleep_ms(1);
    __atomic_fetch_add(&items, 1, __ATOMIC_SEQ_CST);
  }
}

static int loop(tfc_context *ctx) {
  const tfc_tensor *x = ctx->inputs[0];
  __atomic_store_n(&items, 0, __ATOMIC_SEQ_CST);
  int n = ((const int *)x->data)[0];
  count(1);
  tfc_parallel_for(ctx, n, 1e6, one_ms, NULL);
  count(-1);
  return tfc_output_input(ctx, 0, 0);
}

/* Hold: keeps its variable locked until the cancellation, changed and not unlocked. */
static int hold(tfc_context *ctx) {
  static const int input[] = {0};
  tfc_tensor *value;
  int code = tfc_ref_lock(ctx, 1, input, TFC_REF_WRITE, &value);
  if (code) return code;
  count(1);
  while (!tfc_cancelled(ctx)) sleep_ms(1);
  count(-1);
  return TFC_CANCELLED;
}

/* Guard: holds a lock of its own until the cancellation. */
static int guard(tfc_context *ctx) {
  static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
  count(1);
  while (!tfc_cancelled(ctx)) sleep_ms(1);
  count(-1);
  pthread_mutex_unlock(&own);
  return TFC_CANCELLED;
}

static int not_async(tfc_context *ctx) {
  return tfc_suspend(ctx) ? TFC_PENDING : TFC_INTERNAL;
}

static const tfc_kernel_def kernels[] = {
    {.op = "TestSlowWait", .device = "CPU", .types = "", .compute = wait, .flags = TFC_KERNEL_ASYNC},
    {.op = "TestSlowLater", .device = "CPU", .types = "", .compute = later, .flags = TFC_KERNEL_ASYNC},
    {.op = "TestSlowBlock", .device = "CPU", .types = "", .compute = block, .flags = TFC_KERNEL_BLOCKING},
    {.op = "TestSlowDeaf", .device = "CPU", .types = "", .compute = deaf},
    {.op = "TestSlowLoop", .device = "CPU", .types = "", .compute = loop,
     .flags = TFC_KERNEL_LEAVES_LOOPS | TFC_KERNEL_INTERRUPTIBLE},
    {.op = "TestSlowWholeLoop", .device = "CPU", .types = "", .compute = loop},
    {.op = "TestSlowHold", .device = "CPU", .types = "", .compute = hold},
    {.op = "TestSlowGuard", .device = "CPU", .types = "", .compute = guard},
    {.op = "TestSlowNotAsync", .device = "CPU", .types = "", .compute = not_async},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""


def _unary(name, dtype="int32"):
    return define_op(
        name, inputs=[f"x: {dtype}"], outputs=[f"y: {dtype}"], shape=lambda op: [op.inputs[0].dims], stateful=True
    )


Wait, Later, Block, Deaf = (_unary(name) for name in ("TestSlowWait", "TestSlowLater", "TestSlowBlock", "TestSlowDeaf"))
Loop, WholeLoop, NotAsync = (_unary(name) for name in ("TestSlowLoop", "TestSlowWholeLoop", "TestSlowNotAsync"))
Guard = _unary("TestSlowGuard")
Hold = define_op(
    "TestSlowHold", inputs=["ref: Ref(T)"], outputs=[], attrs=["T: type"], shape=lambda op: [], stateful=True
)


_loaded = []


def load(path, source):
    """Writes the text of a library of kernels to the path, compiles it and loads it; returns the library."""
    if COMPILER is None:
        pytest.skip("no C compiler")
    path.write_text(source)
    library = path.with_suffix(".so")
    flags = ["-O1", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", f"-I{HEADER}"]
    subprocess.run([COMPILER, *flags, "-o", str(library), str(path)], check=True)
    registry.load_library(library)
    return ctypes.CDLL(str(library))


def build(folder):
    """Compiles and loads the kernels, once in a process; returns the library, for slow_release() and slow_waiting()."""
    if _loaded:
        return _loaded[0]
    handle = load(folder / "slow.c", SOURCE)
    handle.slow_items.restype = ctypes.c_int64
    _loaded.append(handle)
    return handle
