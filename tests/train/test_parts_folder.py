"""Folders with parts of sharded saves: those of savers that were killed are removed by the next one, and no others."""

import glob
import os
import signal
import subprocess
import sys
import threading

import pytest

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.train.checkpoints import parts_folder, saver_builder
from tfcore.train.checkpoints.parts_folder import PartsFolder, remove_dead

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system does not tell whether it has started"),
]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
A, B, C, D = (f"_temp_{letter * 32}" for letter in "abcd")

KILLED = """
import glob, os, signal, sys, threading
import tfcore as tf
v = tf.Variable(tf.zeros([32 << 20]))
step, saver = tf.assign_add(tf.Variable(0), 1).op, tf.train.Saver([v], sharded=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    save = threading.Thread(target=saver.save, args=(sess, sys.argv[1], 5), kwargs={"in_background": True})
    save.start()
    while not glob.glob(sys.argv[1] + "-5_temp_*/*tempstate*"):
        sess.run(step)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.alone
def test_parts_of_a_killed_saver_are_removed(tmp_path):
    path = str(tmp_path / "m")
    done = subprocess.run([sys.executable, "-c", KILLED, path], cwd=ROOT, timeout=60 * PATIENCE)
    assert done.returncode == -signal.SIGKILL and len(glob.glob(f"{path}-5_temp_*/part-*")) == 1
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([1.0, 2.0], name="v")
        saver, whole = tf.train.Saver(sharded=True), tf.train.Saver()
        sess.run(v.initializer)
        whole.save(sess, path, 6)
        saver.save(sess, str(tmp_path / "other"), 6)
        assert glob.glob(f"{path}-5_temp_*")
        saver.save(sess, path, 7)
        assert not glob.glob(str(tmp_path / "*_temp_*"))
        saver.restore(sess, f"{path}-7")


def test_others_stay(tmp_path):
    path = str(tmp_path / "m")
    with PartsFolder(f"{path}-3{A}"):
        os.mkdir(path + B)  # TensorFlow's, or one whose saver is about to lock it
        for name in (f"mm-3{C}", f"m-3{C}x", f"m-x{C}", f"m-3{D}"):
            os.mkdir(tmp_path / name)
            with open(tmp_path / name / "saver", "w") as file:  # nobody has the lock
                file.write("another machine" if D in name else parts_folder._machine())
        before = sorted(os.listdir(tmp_path))
        remove_dead(path)
        assert sorted(os.listdir(tmp_path)) == before
        os.rename(tmp_path / f"m-x{C}", tmp_path / f"m-4{C}")
        remove_dead(f"file://{path}-7")
        assert sorted({*os.listdir(tmp_path), f"m-x{C}"}) == before
    assert not os.path.exists(f"{path}-3{A}")


def test_each_save_has_its_own(tmp_path):
    """Also those of one saver, and of savers in other processes that import its graph."""
    prefix = str(tmp_path / "m")
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0, name="v")
        op = graph.get_tensor_by_name(tf.train.Saver(sharded=True).saver_def.save_tensor_name).op
    with saver_builder.parts_folder(op, prefix) as one, saver_builder.parts_folder(op, prefix) as other:
        assert list(one) == list(other) and list(one.values()) != list(other.values())
        assert len(os.listdir(tmp_path)) == 2
    assert os.listdir(tmp_path) == []


def test_the_graph_of_a_saver_of_tensorflow_2(tmp_path):
    """Which has parts in PREFIX_temp: one folder for all that save to the prefix."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        linear = os.path.join(ROOT, "tests", "fixtures", "saved_models", "linear")
        names = tf.saved_model.loader.load(sess, ["serve"], linear).saver_def
        op = graph.get_tensor_by_name(names.save_tensor_name).op
        with saver_builder.parts_folder(op, str(tmp_path / "m")) as feeds:
            assert [tensor.op.type for tensor in feeds] == ["Select"]
            assert os.listdir(tmp_path) == ["m" + os.path.dirname(*feeds.values())]
        saver = tf.train.Saver(saver_def=names)
        saver.restore(sess, saver.save(sess, str(tmp_path / "m"), write_state=False))
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.index", "m.meta"]


def test_other_strings_of_a_save_stay_what_they_are(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        text = tf.strings.join(["a", tf.constant(["_temp_x", "y"])])
        saved = saver_builder.SaveableObject(text, [saver_builder.SaveSpec(text, "", "text")], "text")
        save = saver_builder.BulkSaverBuilder().save_by_task(tf.constant(str(tmp_path / "m")), [saved])
        with saver_builder.parts_folder(save.op, str(tmp_path / "m")) as feeds:
            assert feeds == {}
            sess.run(save)
    assert tf.train.load_variable(str(tmp_path / "m"), "text").tolist() == [b"a_temp_x", b"ay"]


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch):
    with PartsFolder(str(tmp_path / "missing" / f"m{A}")), PartsFolder(f"gs://bucket/m{A}"):
        assert os.listdir(tmp_path) == []
    remove_dead("gs://bucket/m")
    remove_dead(str(tmp_path / "missing" / "m"))
    monkeypatch.setattr(parts_folder, "_machine", lambda: None)
    with PartsFolder(str(tmp_path / f"m{A}")):
        assert os.listdir(tmp_path) == []


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    path = f"{tmp_path}/m{A}"
    with PartsFolder(path):
        child = os.fork()
        if not child:
            links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
            os._exit(sum(os.path.exists(link) and os.readlink(link) == f"{path}/saver" for link in links))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        remove_dead(f"{tmp_path}/m")
        assert os.path.isdir(path)
    assert not os.path.exists(path) and not parts_folder._locks


@pytest.mark.parametrize("when", ["open", "close"])
def test_a_child_that_is_forked_while_the_lock_is_made_or_closed_does_not_keep_it(when, tmp_path, monkeypatch):
    real, path, codes, threads = getattr(os, when), f"{tmp_path}/m{A}", [], []

    def fork():
        child = os.fork()
        if not child:
            links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
            os._exit(any(os.path.exists(link) and os.readlink(link).startswith(f"{tmp_path}/m") for link in links))
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def during(what, *arguments):
        monkeypatch.undo()
        fd = real(what, *arguments) if when == "open" else what
        threads.append(threading.Thread(target=fork))
        threads[0].start()
        threads[0].join(0.2)  # the child is forked now, or has to wait
        return fd if when == "open" else real(fd)

    folder = PartsFolder(path)
    if when == "close":
        folder.__enter__()
        monkeypatch.setattr(os, "close", during)
        parts_folder._close(folder._lock)
    else:
        monkeypatch.setattr(parts_folder, "_machine", lambda: "this one")
        monkeypatch.setattr(os, "open", during)
        folder.__enter__()
        threads[0].join()
        folder.__exit__()
    threads[0].join()
    assert codes == [0]
