"""Values that a kernel keeps beyond the step (tfc_keep): a library compiled here remembers its last input."""

import gc

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

import tfcore as tf
from tests.core.test_registry import COMPILER, HEADER, compile_library

LIBRARY = r"""
#include <stdlib.h>
#include "tfcore/kernel.h"

typedef struct memory { const tfc_api *api; tfc_tensor last; } memory;

static int create(tfc_construction *c, void **state) {
  (void)c;
  *state = calloc(1, sizeof(memory));
  return *state ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static void destroy(void *state) {
  memory *m = state;
  if (m->last.buffer) tfc_let_go(m->api, &m->last);
  free(m);
}

/* The input of the run before; of the first run, its own. One step at a time. */
static int remember(tfc_context *ctx) {
  memory *m = ctx->state;
  m->api = ctx->api;
  tfc_tensor now;
  int code = tfc_keep(ctx, &now, ctx->inputs[0]);
  if (code) return code;
  code = tfc_output_tensor(ctx, 0, m->last.buffer ? &m->last : &now);
  if (m->last.buffer) tfc_let_go(ctx->api, &m->last);
  m->last = now;
  return code;
}

static const tfc_op_def ops[] = {
    {.name = "TestRemember", .inputs = "x: T", .outputs = "y: T", .attrs = "T: type", .flags = TFC_OP_STATEFUL}};
TFC_REGISTER_OPS(ops);
static const tfc_kernel_def kernels[] = {
    {.op = "TestRemember", .device = "CPU", .compute = remember, .create = create, .destroy = destroy,
     .flags = TFC_KERNEL_STATEFUL}};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

pytestmark = pytest.mark.skipif(not COMPILER or not HEADER, reason="no C compiler")


@pytest.fixture(scope="module")
def remember(tmp_path_factory):
    return tf.load_op_library(compile_library(tmp_path_factory.mktemp("keep"), LIBRARY, "keep")).test_remember


def test_a_fed_value_is_copied(remember):
    x = tf.placeholder(tf.float32)
    y = remember(x)
    array = np.arange(1000, dtype=np.float32)
    with tf.Session() as sess:
        sess.run(y, {x: array})
        array[:] = -1
        np.testing.assert_array_equal(sess.run(y, {x: array}), np.arange(1000))
        array[:] = 7
        np.testing.assert_array_equal(sess.run(y, {x: array}), np.full(1000, -1))


@pytest.mark.parametrize("value", [np.float64(3), np.zeros([0, 2], np.int32), np.array([b"a", b"long " * 99], object)])
def test_scalars_empty_tensors_and_strings(remember, value):
    x = tf.placeholder(tf.as_dtype(value.dtype))
    y = remember(x)
    with tf.Session() as sess:
        sess.run(y, {x: value})
        np.testing.assert_array_equal(sess.run(y, {x: value}), value)


def test_a_computed_value_is_shared(remember):
    """No copy, and what the kernel keeps is not overwritten by a later step that reuses memory."""
    x = tf.placeholder(tf.float32, [1 << 20])
    y = remember(x * 2)
    with tf.Session() as sess:
        sess.run(y, {x: np.ones(1 << 20)})
        gc.collect()
        before = memory_stats()["bytes_in_use"]
        for i in range(2, 6):
            found = sess.run(y, {x: np.full(1 << 20, i)})
            assert (found == 2 * (i - 1)).all()
            del found
        assert memory_stats()["bytes_in_use"] < before + (1 << 20)


def test_no_memory_for_the_copy(remember):
    x = tf.placeholder(tf.float32)
    y = remember(x, name="keeper")
    array = np.ones(4 << 20, np.float32)
    with tf.Session() as sess:
        sess.run(y, {x: np.float32(1)})
        trim_memory()
        set_memory_limit(memory_stats()["bytes_reserved"] + (8 << 20))
        try:
            with pytest.raises(tf.errors.ResourceExhaustedError, match="(?s)OOM .*keeper"):
                sess.run(y.op, {x: array})
        finally:
            set_memory_limit(0)
        assert sess.run(y, {x: array}) == 1


def test_values_are_aligned_to_cache_lines(remember):
    x = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        for n in (100, 500, 1000, 1999, 2015, 2016, 2017, 2047, 2048, 2049, 65536, 70000):
            found = sess.run(x + 1, {x: np.ones(n)})
            assert found.size == n and (n < 500 or found.ctypes.data % 64 == 0), n
