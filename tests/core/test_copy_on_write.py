"""Variables that are copied in chunks while steps update them: what is copied is of one instant."""

import threading

import numpy as np
import pytest
from tfcore.core.runtime import copy_stats, memory_stats, pretend_available_memory

import tfcore as tf
from tests.compiler.plans import plan_of
from tests.core import slow_copy
from tfcore.variables.resource_variable import is_resource_variable

pytestmark = pytest.mark.cpu

CHUNK = 1 << 18  # bytes
GRAIN = 1 << 12
ROWS, WIDTH = 1 << 12, 1 << 8  # 16 chunks of 256 rows


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return slow_copy.build(tmp_path_factory.mktemp("copy"))


@pytest.fixture
def sess(library):
    with tf.Graph().as_default(), tf.Session() as s:
        yield s
        library.copy_allow(1 << 30)  # if the test has failed


class Copying:
    """Copies a variable on a thread, until `chunks` chunks are copied; `result` lets it continue."""

    def __init__(self, library, sess, value, chunks):
        self._library = library
        sess.run(value.assign_add(tf.zeros(value.shape)).op)  # its memory is not the constant's any more
        library.copy_reset()
        library.copy_allow(chunks)
        # As a saver does; a resource variable is read by an operation, and copied as a whole then.
        op = slow_copy.Copy(value if is_resource_variable(value) else value._ref())
        self._thread = threading.Thread(target=self._run, args=(sess, op))
        self._thread.start()
        library.copy_wait(chunks)

    def _run(self, sess, op):
        self._value = sess.run(op)

    def result(self):
        self._library.copy_allow(1 << 30)
        self._thread.join()
        return self._value


START = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH) % 1000
ONES = np.ones((ROWS, WIDTH), np.float32)
PLACES = [3, 700, 700, 4090]


def _scattered(add=1.0):
    result = START.copy()
    np.add.at(result, PLACES, add)
    return result


def _momentum(v):
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    return optimizer.apply_gradients([(-ONES, v)])


UPDATES = {
    "assign_add": (lambda v: tf.assign_add(v, ONES), START + 1),
    "assign_sub": (lambda v: tf.assign_sub(v, ONES), START - 1),
    "assign": (lambda v: tf.assign(v, ONES), ONES),
    "scatter_add": (lambda v: tf.scatter_add(v, PLACES, ONES[:4]), _scattered()),
    "scatter_nd_add": (lambda v: tf.scatter_nd_add(v, [[p] for p in PLACES], ONES[:4]), _scattered()),
    "slice": (lambda v: v[5:7].assign(ONES[:2]), np.concatenate([START[:5], ONES[:2], START[7:]])),
    "descent": (lambda v: tf.train.GradientDescentOptimizer(1.0).apply_gradients([(-ONES, v)]), START + 1),
    "momentum": (_momentum, START + 1),
    "sparse": (
        lambda v: tf.train.MomentumOptimizer(1.0, 0.0).apply_gradients(
            [(tf.IndexedSlices(-ONES[:4], tf.constant(PLACES)), v)]
        ),
        _scattered(),
    ),
}


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("copied", [0, 2, 15])
@pytest.mark.parametrize("name", UPDATES)
def test_an_update_that_meets_a_copy(name, copied, use_resource, library, sess):
    update, after = UPDATES[name]
    v = tf.Variable(START, use_resource=use_resource)
    op = update(v)
    sess.run(tf.global_variables_initializer())
    copying = Copying(library, sess, v, copied)
    sess.run(op)
    assert (sess.run(v) == after).all()
    if name == "assign_add":
        sess.run(op)
        after = after + 1
    assert (copying.result() == START).all() and (sess.run(v) == after).all()


def test_an_update_that_has_the_variable_twice(library, sess):
    v = tf.Variable(START, use_resource=False)
    op = tf.raw_ops.ApplyMomentum(var=v._ref(), accum=v._ref(), lr=0.0, grad=0 * ONES, momentum=1.0)
    sess.run(tf.global_variables_initializer())
    copying = Copying(library, sess, v, 2)
    sess.run(op)
    assert (sess.run(v) == START).all()
    assert (copying.result() == START).all()


def test_only_grains_that_change_are_kept(library, sess):
    v = tf.Variable(START)
    sess.run(v.initializer)
    update, row = tf.scatter_add(v, [4000], ONES[:1]).op, tf.gather(v, 4000)
    copying = Copying(library, sess, v, 2)
    before = memory_stats()["bytes_in_use"]
    for _ in range(3):
        sess.run(update)
    assert memory_stats()["bytes_in_use"] - before < 3 * GRAIN
    assert (sess.run(row) == START[4000] + 3).all() and (copying.result() == START).all()
    assert memory_stats()["bytes_in_use"] < before + CHUNK


def test_what_was_copied_is_not_kept(library, sess):
    v = tf.Variable(START)
    sess.run(v.initializer)
    update = tf.assign_add(v, tf.constant(ONES)).op
    copying = Copying(library, sess, v, 14)
    sess.run(update)
    before = memory_stats()["bytes_in_use"]
    sess.run(update)
    assert memory_stats()["bytes_in_use"] - before < CHUNK
    assert (copying.result() == START).all()


def test_others_who_read_the_variable_have_their_own_value(library, sess):
    """A step that holds a value of the variable, too: the update makes a whole copy."""
    v = tf.Variable(START)
    sess.run(v.initializer)
    update, read = tf.assign_add(v, ONES).op, tf.identity(v)
    copying = Copying(library, sess, v, 3)
    with tf.Session(graph=sess.graph):
        pass
    held = sess.run(read)
    keep = sess.make_callable(tf.get_session_handle(read))()
    sess.run(update)
    assert (held == START).all() and (keep.eval() == START).all()
    assert (copying.result() == START).all() and (sess.run(v) == START + 1).all()


def test_two_copies_of_one_variable_and_two_variables_with_one_value(library, sess):
    v, w = tf.Variable(START), tf.Variable(START)
    sess.run(tf.global_variables_initializer())
    sess.run(tf.assign(w, v))
    updates = [tf.assign_add(v, ONES).op, tf.assign_sub(w, ONES).op]
    copying = Copying(library, sess, v, 5)
    sess.run(updates)
    assert (copying.result() == START).all()
    assert (sess.run(v) == START + 1).all() and (sess.run(w) == START - 1).all()


@pytest.mark.parametrize("memory", ["0", "1", None, "lots"])
def test_the_rest_is_kept_if_the_copy_stands_still(memory, library, sess, monkeypatch):
    """Beyond the limit an update waits, but not for ever; the usual limit is not reached."""
    if memory is None:
        monkeypatch.delenv("TFCORE_SAVE_MEMORY", raising=False)
    else:
        monkeypatch.setenv("TFCORE_SAVE_MEMORY", memory)
    v = tf.Variable(START)
    sess.run(v.initializer)
    copying = Copying(library, sess, v, 1)
    before = copy_stats()
    sess.run(tf.assign_add(v, ONES).op)
    after = copy_stats()
    assert (after["waits"] > before["waits"]) == (memory in ("0", "1"))
    assert after["kept_bytes"] - before["kept_bytes"] == 15 * CHUNK
    assert (copying.result() == START).all() and (sess.run(v) == START + 1).all()


def test_what_may_be_kept_is_for_all_copies_together(library, sess, monkeypatch):
    monkeypatch.setenv("TFCORE_SAVE_MEMORY", "1")
    v, w = tf.Variable(START), tf.Variable(START)
    updates = [tf.scatter_add(value, tf.range(300, 812), ONES[:512]).op for value in (v, w)]  # half a megabyte each
    sess.run(tf.global_variables_initializer())
    copies = [Copying(library, sess, value, 1) for value in (v, w)]
    before = copy_stats()["waits"]
    sess.run(updates[0])
    assert copy_stats()["waits"] == before
    sess.run(updates[1])  # continues because the copy stands still
    assert copy_stats()["waits"] > before
    assert all((copy.result() == START).all() for copy in copies)
    assert copy_stats()["kept_now"] == 0


def test_what_may_be_kept_follows_the_memory_that_is_available(library, sess, monkeypatch):
    """Which others use, too: it is measured again when 64 MB more are kept."""
    monkeypatch.delenv("TFCORE_SAVE_MEMORY", raising=False)
    v = tf.Variable(tf.zeros([20 << 20]))
    update = tf.assign_add(v, tf.fill([20 << 20], 1.0)).op
    sess.run(v.initializer)
    pretended = pretend_available_memory(1 << 30)
    try:
        copying = Copying(library, sess, v, 1)
        before = copy_stats()["waits"]
        pretend_available_memory(0)
        sess.run(update)
        assert copy_stats()["waits"] > before
        assert not copying.result().any() and copy_stats()["kept_now"] == 0
    finally:
        pretend_available_memory(pretended)


@pytest.mark.parametrize("in_background", [False, True])
@pytest.mark.parametrize("threads", [1, 4])
def test_updates_all_the_time(threads, in_background, tmp_path, sess):
    """Many saves while threads train: the elements of each saved variable are equal."""
    names = [f"v{i}" for i in range(3)]
    variables = [tf.Variable(tf.zeros([1 << 18, 2]), name=n, use_resource=n == "v1") for n in names]
    rows = tf.range(1 << 18)
    updates = [
        tf.assign_add(variables[0], tf.ones([1 << 18, 2])).op,
        variables[1].assign_add(tf.ones([1 << 18, 2])).op,
        tf.scatter_add(variables[2], rows, tf.ones([1 << 18, 2])).op,
    ]
    saver = tf.train.Saver(max_to_keep=2)
    sess.run(tf.global_variables_initializer())
    over, errors = threading.Event(), []

    def train():
        try:
            while not over.is_set():
                sess.run(updates)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    training = [threading.Thread(target=train) for _ in range(threads)]
    for t in training:
        t.start()
    try:
        last = [0.0] * 3
        for i in range(6):
            path = saver.save(sess, str(tmp_path / "m"), i, write_meta_graph=False, in_background=in_background)
            reader = tf.train.NewCheckpointReader(path)
            values = [reader.get_tensor(n) for n in names]
            assert all((v == v[0, 0]).all() for v in values), [np.unique(v) for v in values]
            assert [v[0, 0] >= before for v, before in zip(values, last)] == [True] * 3
            last = [v[0, 0] for v in values]
    finally:
        over.set()
        for t in training:
            t.join()
    assert not errors


def test_a_save_reads_resource_variables_itself(sess):
    v, w = (tf.Variable(START, use_resource=True, name=n) for n in "vw")
    saver = tf.train.Saver()
    save = sess.graph.get_operation_by_name("save/SaveV2")
    names = {t.op.name for t in save.inputs[3:]}
    plan = plan_of(sess, [save])
    (node,) = [n for n in plan.ops if n.type == "SaveV2"]
    assert [s.type for s, _ in node.inputs[3:]] == ["_ResourceVariable"] * 2 and len(names) == 2
    # Others use the value, too: the save gets what they get.
    plan = plan_of(sess, [save, save.inputs[3]])
    (node,) = [n for n in plan.ops if n.type == "SaveV2"]
    assert sorted(s.type for s, _ in node.inputs[3:]) == ["Identity", "_ResourceVariable"]
    assert saver.saver_def.save_tensor_name


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("use_resource", [False, True])
def test_a_save_reads_variables_itself_after_the_global_step(use_resource, sharded, sess):
    tf.Variable(START, use_resource=use_resource, name="v")
    tf.train.create_global_step()
    saver = tf.train.Saver(sharded=sharded)
    save = sess.graph.get_tensor_by_name(saver.saver_def.save_tensor_name)
    (node,) = [n for n in plan_of(sess, [save]).ops if n.type == "SaveV2"]
    assert [source.op.name for source, _ in node.inputs[3:]] == ["save/global_step", "v"]
