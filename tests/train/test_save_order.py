"""Several saves to one prefix at the same time: the checkpoint is one of them, as a whole."""

import glob
import os
import sys
import threading

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.train.checkpoints import save_order

pytestmark = pytest.mark.cpu
ROUNDS = 15


def _at_once(*functions):
    errors = []

    def call(function):
        try:
            function()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=call, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


class Program:
    """A graph with two variables that are equal to a number, and a session of it."""

    def __init__(self, number, **options):
        self.number = number
        with tf.Graph().as_default() as graph:
            with tf.device("/cpu:0"):
                a = tf.Variable(np.full(300_000, number, np.float32), name="a")
            tf.Variable(np.full(100, number, np.float32), name="b")  # another device, so a second shard
            tf.no_op(name=f"program_{number}")
            self.step = a.assign_add(tf.zeros(a.shape)).op
            self.saver = tf.train.Saver(**options)
            init = tf.global_variables_initializer()
        self.session = tf.Session(graph=graph)
        self.session.run(init)

    def run_save(self, prefix):
        """As another process does, whose threads do not wait for those here."""
        self.session.run(self.saver.saver_def.save_tensor_name, {self.saver.saver_def.filename_tensor_name: prefix})


def _number_of(prefix):
    reader = tf.train.NewCheckpointReader(prefix)  # which compares the checksums
    (number,) = {*reader.get_tensor("a").tolist(), *reader.get_tensor("b").tolist()}
    return number


def test_no_data_of_one_save_has_the_index_of_another(tmp_path):
    programs = [Program(1), Program(2), Program(3, sharded=True), Program(4, sharded=True)]
    for i in range(ROUNDS):
        prefix = str(tmp_path / f"m{i % 2}")
        _at_once(*[lambda p=p, prefix=prefix: p.run_save(prefix) for p in programs])
        assert _number_of(prefix) in (1, 2, 3, 4)
        names = [name for name in os.listdir(tmp_path) if name.startswith(f"m{i % 2}")]
        assert len(names) <= 3 and not [name for name in names if "temp" in name], names


def _data(prefix):
    return {os.path.basename(path) for path in glob.glob(prefix + ".data*") if "tempstate" not in path}


def test_a_save_that_began_earlier_leaves_the_data_of_a_later_one_until_it_ends(tmp_path):
    """It is larger, and so ends last, unless the later one had no core for a while."""
    early, late = Program(1), Program(2)
    with early.session.graph.as_default():
        large = tf.Variable(tf.zeros([8 << 20]), name="large", collections=[])
        saver = tf.train.Saver([large, *tf.global_variables()])
    early.session.run(large.initializer)
    for i in range(30):
        prefix = str(tmp_path / f"m{i}")
        save = threading.Thread(target=saver.save, args=(early.session, prefix), kwargs={"in_background": True})
        save.start()
        while not glob.glob(prefix + ".data*"):
            late.session.run(late.step)
        over = threading.Event()

        def train(over=over):
            while not over.is_set():
                late.session.run(late.step)

        _at_once(train, lambda prefix=prefix, over=over: (late.run_save(prefix), over.set()))
        between = _data(prefix)
        ends_last = bool(glob.glob(prefix + ".data*tempstate*")) and f"m{i}.data-00000-of-00002" not in between
        save.join()
        if ends_last:
            break
    assert ends_last and between == {f"m{i}.data-00000-of-00001"} and _data(prefix) == {f"m{i}.data-00000-of-00002"}
    assert _number_of(prefix) == 1


@pytest.mark.parametrize("sharded", [False, True])
def test_threads_save_one_after_the_other(sharded, tmp_path):
    """So the graph beside a checkpoint is that of its variables."""
    programs, prefix = [Program(1, sharded=sharded), Program(2, sharded=sharded)], str(tmp_path / "m")
    for _ in range(ROUNDS):
        _at_once(*[lambda p=p: p.saver.save(p.session, prefix) for p in programs * 2])
        with tf.Graph().as_default() as graph:
            tf.train.import_meta_graph(prefix + ".meta")
            assert f"program_{_number_of(prefix):.0f}" in [op.name for op in graph.get_operations()]
        assert not glob.glob(str(tmp_path / "*temp*"))


def test_threads_with_one_saver_list_all_checkpoints(tmp_path):
    program = Program(1, max_to_keep=100)
    _at_once(
        *[
            lambda n=n: [
                program.saver.save(program.session, str(tmp_path / "m"), n + i, write_meta_graph=False)
                for i in range(5)
            ]
            for n in (0, 10, 20, 30)
        ]
    )
    expected = {str(tmp_path / f"m-{n + i}") for n in (0, 10, 20, 30) for i in range(5)}
    assert set(program.saver.last_checkpoints) == expected
    assert set(tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths) == expected


def test_a_handler_of_a_signal_may_save_in_the_middle_of_a_save(tmp_path):
    program, prefix = Program(1), str(tmp_path / "m")

    class Interrupted(tf.train.Saver):
        def export_meta_graph(self, *args, **kwargs):  # within a save, on its thread
            program.saver.save(program.session, prefix)
            return super().export_meta_graph(*args, **kwargs)

    with program.session.graph.as_default():
        Interrupted().save(program.session, prefix)
    assert _number_of(prefix) == 1


def test_a_handler_of_a_signal_may_save_at_any_place(tmp_path):
    path, met = str(tmp_path / "m"), set()

    def handle(frame, event, arg):
        if frame.f_code.co_filename != save_order.__file__:
            return None
        if event == "line" and frame.f_lineno not in met:
            met.add(frame.f_lineno)
            with save_order.until_listed(path), save_order.saving_to(path):
                pass
        return handle

    def save():
        sys.settrace(handle)
        with save_order.until_listed(path), save_order.saving_to(path), save_order.deleting(path) as is_old:
            assert not is_old

    thread = threading.Thread(target=save, daemon=True)
    thread.start()
    thread.join(60 * PATIENCE)
    assert not thread.is_alive() and len(met) > 10
    with save_order.deleting(path) as is_old:
        assert is_old


def test_an_old_checkpoint_that_is_saved_again_is_not_deleted(tmp_path):
    program = Program(1)

    class Late(tf.train.Saver):
        other = None

        def _list_latest(self, *args):
            if self.other is not None:
                other, self.other = self.other, None
                _at_once(other)  # meanwhile the files are there, but the list has those of the save before
            super()._list_latest(*args)

    with program.session.graph.as_default():
        saver = Late(max_to_keep=1)
    saver.save(program.session, str(tmp_path / "m"), 1)
    saver.other = lambda: saver.save(program.session, str(tmp_path / "m"), 2)
    saver.save(program.session, str(tmp_path / "m"), 1)
    assert _number_of(str(tmp_path / "m-1")) == 1
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "m-1")
    assert not tf.train.checkpoint_exists(str(tmp_path / "m-2"))


def test_nobody_waits_for_a_save_to_delete_its_old_checkpoint(tmp_path):
    """Its thread may want to list another checkpoint, in a handler of a signal, before it continues."""
    program = Program(1, max_to_keep=1)
    saver, prefix = program.saver, str(tmp_path / "m")
    saver.save(program.session, prefix, 1)
    with save_order.until_listed(f"{prefix}-1"), save_order.saving_to(f"{prefix}-1"):
        _at_once(lambda: saver.save(program.session, prefix, 2))
    assert tf.train.checkpoint_exists(f"{prefix}-1") and tf.train.checkpoint_exists(f"{prefix}-2")
