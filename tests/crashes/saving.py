"""The program that is watched: saves numbered checkpoints, and marks each in the log once `save` has returned.

python -m tests.crashes.saving FOLDER SCENARIO crash|export|ENOSPC|EIO
"""

import concurrent.futures
import contextlib
import ctypes
import errno
import os
import sys
import tempfile
import threading

import numpy as np

import tfcore as tf
from tfcore.saved_model.loader import get_asset_tensors

SAVES = 4


def loaded_recorder():
    recorder = ctypes.CDLL(None)
    recorder.recorder_fail.argtypes = [ctypes.c_long, ctypes.c_int]
    return recorder


def model(scenario, first=0, size=3000):
    """A saver, the operation that makes all variables one larger, and how to save."""
    if "background" in scenario:
        size = 300_001
    with tf.device("/cpu:0"):
        a = tf.Variable(np.full(size, first, np.float32), name="a")
    b = tf.Variable(first, name="b", collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.GLOBAL_STEP])
    tf.Variable([b"text"], name="c")
    saver = tf.train.Saver(sharded="sharded" in scenario, max_to_keep=2)
    numbered = "numbered" in scenario
    return saver, tf.group(a.assign_add(tf.ones([size])), b.assign_add(1)), b, numbered


@contextlib.contextmanager
def others_training():
    """Trains in another session meanwhile, in steps so long that one is nearly always running."""
    over, begun = threading.Event(), threading.Event()

    def train():
        with tf.Graph().as_default(), tf.Session() as session:
            step = session.make_callable(tf.random.uniform([1 << 20]).op)
            while not over.is_set():
                step()
                begun.set()

    thread = threading.Thread(target=train)
    thread.start()
    begun.wait()
    yield
    over.set()
    thread.join()


class OtherProgram:
    """Saves the same number at the same time, in variables of other sizes, as another process does."""

    def __init__(self):
        with tf.Graph().as_default() as graph:
            self._saver, self._step, _, _ = model("sharded", size=5000)
            initialize = tf.global_variables_initializer()
        self._session = tf.Session(graph=graph)
        self._session.run(initialize)
        self._thread = concurrent.futures.ThreadPoolExecutor(1)

    @contextlib.contextmanager
    def saving(self, prefix):
        """Meanwhile."""
        self._session.run(self._step)
        names = self._saver.saver_def
        saved = self._thread.submit(self._session.run, names.save_tensor_name, {names.filename_tensor_name: prefix})
        yield
        saved.result()


def value_of(prefix):
    """The number of a checkpoint; all of it is read, and has to agree."""
    reader = tf.train.NewCheckpointReader(prefix)
    assert sorted(reader.get_variable_to_shape_map()) == ["a", "b", "c"]
    a, b = reader.get_tensor("a"), int(reader.get_tensor("b"))
    assert (a == b).all() and reader.get_tensor("c").tolist() == [b"text"]
    return b


def crash(folder, scenario):
    recorder = loaded_recorder()
    saver, step, number, numbered = model(scenario)
    background = "background" in scenario
    options = {"in_background": background}
    other = OtherProgram() if "two" in scenario else None
    with tf.Session() as session, others_training() if background else contextlib.nullcontext():
        session.run(tf.global_variables_initializer())
        for i in range(1, SAVES + 1):
            session.run(step)
            recorder.recorder_mark(b"begin %d" % i)
            with contextlib.nullcontext() if other is None else other.saving(os.path.join(folder, "m")):
                saver.save(session, os.path.join(folder, "m"), global_step=number if numbered else None, **options)
            recorder.recorder_mark(b"saved %d" % i)


def crash_with_hook(folder, scenario):
    """The same by a hook: training continues, and only the last save ends before it. The number is that of the step."""
    recorder = loaded_recorder()
    saver, step, number, _ = model(scenario, first=1)

    class Marks(tf.train.CheckpointSaverListener):
        def before_save(self, session, global_step_value):
            recorder.recorder_mark(b"begin %d" % global_step_value)

        def after_save(self, session, global_step_value):
            recorder.recorder_mark(b"saved %d" % global_step_value)
            self.saved = global_step_value

    marks, seen = Marks(), set()
    hook = tf.train.CheckpointSaverHook(
        folder, save_steps=1, saver=saver, checkpoint_basename="m", listeners=[marks], in_background=True
    )
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(), [hook]) as session:
        while len(seen) < SAVES:
            session.run(step)
            seen.add(marks.saved)


def export(folder):
    """Writes numbered SavedModels, m1 and so on, with a file."""
    recorder = loaded_recorder()
    saver, step, _, _ = model("")
    with tempfile.NamedTemporaryFile(suffix=".txt") as vocabulary, tf.Session() as session:
        vocabulary.write(b"word\n" * 300)
        vocabulary.flush()
        asset = tf.constant(vocabulary.name)
        session.run(tf.global_variables_initializer())
        for i in range(1, SAVES + 1):
            session.run(step)
            recorder.recorder_mark(b"begin %d" % i)
            builder = tf.saved_model.Builder(os.path.join(folder, "models", f"m{i}"))
            tf.get_default_graph().clear_collection(tf.saved_model.ASSETS_KEY)
            builder.add_meta_graph_and_variables(session, ["serve"], None, [asset], saver=saver)
            builder.save()
            recorder.recorder_mark(b"saved %d" % i)


def number_of_model(folder):
    """The number that a complete SavedModel has; None if the folder has none."""
    if not tf.saved_model.contains_saved_model(folder):
        return None
    with tf.Graph().as_default(), tf.Session() as session:
        graph_def = tf.saved_model.load(session, ["serve"], folder)
        (asset,) = get_asset_tensors(folder, graph_def).values()
        with open(asset, "rb") as file:
            assert file.read() == b"word\n" * 300
    return value_of(os.path.join(folder, "variables", "variables"))


def fail(folder, scenario, number_of_error):
    """Saves again and again; each time one call more succeeds before the disk is full. Prints how often it failed."""
    recorder = loaded_recorder()
    saver, step, number, numbered = model(scenario)
    failures = 0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        saved = session.run(number)
        saver.save(session, os.path.join(folder, "m"), global_step=number if numbered else None)
        while True:
            session.run(step)
            recorder.recorder_fail(failures, number_of_error)
            try:
                saver.save(session, os.path.join(folder, "m"), global_step=number if numbered else None)
            except tf.errors.OpError as error:
                recorder.recorder_fail(-1, 0)
                assert folder in str(error), error
                assert value_of(tf.train.latest_checkpoint(folder)) in (saved, session.run(number)), error
                saved = value_of(tf.train.latest_checkpoint(folder))
                assert not [
                    name for name in os.listdir(folder) if "tempstate" in name or ".tmp" in name or "_temp_" in name
                ]
                failures += 1
                continue
            recorder.recorder_fail(-1, 0)
            break
        saver.save(session, os.path.join(folder, "m"), global_step=number if numbered else None)
        assert value_of(tf.train.latest_checkpoint(folder)) == session.run(number)
    print("failures", failures)


if __name__ == "__main__":
    path, wanted, mode = sys.argv[1:]
    if mode == "crash":
        (crash_with_hook if "hook" in wanted else crash)(path, wanted)
    elif mode == "export":
        export(path)
    else:
        fail(path, wanted, getattr(errno, mode))
