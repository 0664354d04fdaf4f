"""Handles: objects of a kernel as values in the graph; a library compiled here counts which of them are alive."""

import os
import threading

import numpy as np
import pytest

import tfcore as tf
from tests.core.test_registry import COMPILER, HEADER
from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import define_op

LIBRARY = r"""
#include "kernels_c/common/handle.h"

typedef struct tally { tfc_handle handle; tfc_tensor held; int64_t sum; } tally;

static int64_t alive, made;

static void destroy_tally(void *object) {
  tally *t = object;
  tfc_let_go(t->handle.api, &t->held);
  __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
}

static void visit_tally(void *object, void (*fn)(void *, const tfc_tensor *), void *arg) {
  fn(arg, &((tally *)object)->held);
}

static const tfc_handle_kind tally_kind = {"Tally", {sizeof(tally), destroy_tally, visit_tally}};
static const tfc_handle_kind other_kind = {"Other", {sizeof(tally), destroy_tally}};

static int make(tfc_context *ctx, const tfc_handle_kind *kind) {
  tally *t;
  int code = tfc_handle_new(ctx, 0, kind, (void **)&t);
  if (code) return code;
  if (t->sum || t->held.buffer) return tfc_error(ctx, TFC_INTERNAL, "the object is not zeroed");
  __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  return TFC_OK;
}

static int make_tally(tfc_context *ctx) { return make(ctx, &tally_kind); }
static int make_other(tfc_context *ctx) { return make(ctx, &other_kind); }

static int add(tfc_context *ctx) {
  tally *t;
  int code = tfc_handle_get(ctx, 0, &tally_kind, (void **)&t);
  if (code || (code = tfc_output_scalar(ctx, 0))) return code;
  int64_t x = *(const int64_t *)ctx->inputs[1]->data;
  *(int64_t *)ctx->outputs[0].data = __atomic_add_fetch(&t->sum, x, __ATOMIC_RELAXED);
  return TFC_OK;
}

static int keep(tfc_context *ctx) {
  tally *t;
  int code = tfc_handle_get(ctx, 0, &tally_kind, (void **)&t);
  if (code) return code;
  tfc_let_go(ctx->api, &t->held);
  tfc_hold(ctx->api, &t->held, ctx->inputs[1]);
  return tfc_output_input(ctx, 0, 0);
}

static int give(tfc_context *ctx) {
  tally *t;
  int code = tfc_handle_get(ctx, 0, &tally_kind, (void **)&t);
  return code ? code : tfc_output_tensor(ctx, 0, &t->held);
}

static int count(tfc_context *ctx) {
  int code = tfc_output_scalar(ctx, 0);
  if (code || (code = tfc_output_scalar(ctx, 1))) return code;
  *(int64_t *)ctx->outputs[0].data = alive;
  *(int64_t *)ctx->outputs[1].data = made;
  return TFC_OK;
}

static int from_nothing(tfc_context *ctx) { return tfc_output_scalar(ctx, 0); }
static int not_a_handle(tfc_context *ctx) {
  void *object;
  return tfc_output_object(ctx, 0, &tally_kind.type, &object);
}

static const tfc_kernel_def kernels[] = {
    {.op = "TestTally", .device = "CPU", .types = "", .compute = make_tally},
    {.op = "TestOther", .device = "CPU", .types = "", .compute = make_other},
    {.op = "TestTallyAdd", .device = "CPU", .types = "", .compute = add},
    {.op = "TestTallyKeep", .device = "CPU", .types = "", .compute = keep},
    {.op = "TestTallyGive", .device = "CPU", .types = "", .compute = give},
    {.op = "TestTallyCount", .device = "CPU", .types = "", .compute = count},
    {.op = "TestFromNothing", .device = "CPU", .types = "", .compute = from_nothing},
    {.op = "TestNotAHandle", .device = "CPU", .types = "", .compute = not_a_handle},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

Tally = define_op("TestTally", outputs=["handle: resource"], stateful=True)
Other = define_op("TestOther", outputs=["handle: resource"], stateful=True)
Add = define_op("TestTallyAdd", inputs=["handle: resource", "x: int64"], outputs=["sum: int64"])
Keep = define_op("TestTallyKeep", inputs=["handle: resource", "x: float"], outputs=["same: resource"])
Give = define_op("TestTallyGive", inputs=["handle: resource"], outputs=["x: float"])
Count = define_op("TestTallyCount", outputs=["alive: int64", "made: int64"], stateful=True)
FromNothing = define_op("TestFromNothing", outputs=["handle: resource"], stateful=True)
NotAHandle = define_op("TestNotAHandle", outputs=["x: float"], stateful=True)


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C compiler")
    import subprocess

    folder = tmp_path_factory.mktemp("handles")
    path, target = folder / "handles.c", folder / "handles.so"
    path.write_text(LIBRARY)
    flags = ["-shared", "-fPIC", "-O1", "-std=gnu11", f"-I{HEADER}", f"-I{os.path.dirname(os.path.dirname(HEADER))}"]
    subprocess.run([COMPILER, *flags, str(path), "-o", str(target)], check=True, capture_output=True)
    registry.load_library(str(target))


@pytest.fixture(autouse=True)
def everything_is_destroyed():
    yield
    with tf.Graph().as_default(), tf.Session() as s:
        assert s.run(Count())[0] == 0


def test_an_object_lives_while_something_uses_it():
    with tf.Graph().as_default(), tf.Session() as s:
        h = Tally()
        first = Add(tf.identity(h), 5)
        with tf.control_dependencies([first]):
            second = Add(h, 7)
        with tf.control_dependencies([second]):
            alive = Count().alive
        with tf.control_dependencies([alive]):
            last = Add(h, tf.constant(0, tf.int64))
        for _ in range(3):  # each step has an object of its own
            assert s.run([first, second, alive, last]) == [5, 12, 1, 12]


def test_objects_of_equal_ops_differ():
    with tf.Graph().as_default(), tf.Session() as s:
        a, b = Tally(), Tally()
        assert s.run([Add(a, 1), Add(b, 1)]) == [1, 1]


def test_uses_of_an_object_are_not_merged():
    with tf.Graph().as_default(), tf.Session() as s:
        h = Tally()
        assert sorted(s.run([Add(h, 1), Add(h, 1), Add(h, 1)])) == [1, 2, 3]


def test_objects_nobody_uses_are_destroyed():
    with tf.Graph().as_default(), tf.Session() as s:
        s.run(Tally().op)
        s.run([Tally().op, tf.identity(Tally()).op])


def test_held_tensors_are_shared_and_come_out_again():
    value = np.arange(1000, dtype=np.float32)
    with tf.Graph().as_default(), tf.Session() as s:
        x = tf.placeholder(tf.float32)
        doubled = x + x
        h = Keep(Tally(), doubled)
        out = Give(h)
        result = out + 1.0  # must not take over memory that the object holds
        with tf.control_dependencies([result]):
            again = tf.identity(Give(h))
        for _ in range(2):
            a, b = s.run([result, again], {x: value})
            np.testing.assert_array_equal(a, 2 * value + 1)
            np.testing.assert_array_equal(b, 2 * value)
        np.testing.assert_array_equal(s.run(out, {x: value}), 2 * value)


def test_objects_of_a_failed_step_are_destroyed():
    with tf.Graph().as_default(), tf.Session() as s:
        h = Keep(Tally(), tf.ones([100]))
        with tf.control_dependencies([h]):
            bad = tf.check_numerics(tf.constant(np.nan), "stop")
        with tf.control_dependencies([bad]):
            out = Give(h)
        with pytest.raises(tf.errors.InvalidArgumentError, match="stop"):
            s.run(out)


def test_steps_on_many_threads():
    with tf.Graph().as_default(), tf.Session() as s:
        h = Keep(Tally(), tf.ones([50]))
        sums = [Add(h, i) for i in range(20)]
        with tf.control_dependencies(sums):
            total, values = Add(h, 0), tf.reduce_sum(Give(h))
        wrong = []

        def work():
            for _ in range(50):
                if s.run([total, values]) != [190, 50]:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong


def test_the_wrong_kind_of_object():
    with tf.Graph().as_default(), tf.Session() as s:
        wrong = Add(Other(), 1)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="access a resource of kind Tally with the handle of a Other"
        ):
            s.run(wrong)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: FromNothing().op, tf.errors.UnimplementedError, "makes output 0, a handle, from memory that holds no"),
        (lambda: NotAHandle(), tf.errors.InternalError, "gives output 0, a float, an object"),
    ],
)
def test_kernels_that_mix_up_handles_and_memory(make, error, text):
    with tf.Graph().as_default(), tf.Session() as s, pytest.raises(error, match=text):
        s.run(make())


def test_fetched_handles_are_opaque():
    """As in TensorFlow: bytes that name the object, which nothing takes back."""
    with tf.Graph().as_default(), tf.Session() as s:
        h = Tally()
        handle, tally = s.run([h, Add(h, 1)])
        assert handle.dtype == [("resource", "u1", (1,))]
        assert b"TestTally" in handle.tobytes()
        assert tally == 1
        with pytest.raises(TypeError, match="resource can't be fed"):
            s.run(Add(h, 1), {h: 1})


def test_handles_are_not_stacked():
    """Kernels for every type copy elements; the elements of handles are not theirs to copy."""
    with tf.Graph().as_default(), tf.Session() as s:
        both = tf.stack([Tally(), Tally()])
        with pytest.raises(tf.errors.OpError):
            s.run(both.op)


def test_users_of_a_handle_are_where_the_object_is():
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as s:
        with tf.device("/cpu:1"):
            h = Tally()
        x = tf.constant(2, tf.int64)
        with tf.device("/cpu:0"):
            y = Add(h, x) + 1
        assert s.run(y) == 3
