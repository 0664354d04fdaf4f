"""Savers: names, slices, shards, which checkpoints are kept, graphs, errors, and TensorFlow's own checkpoints."""

import errno
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf
from tests.fixtures.checkpoints import values
from tfcore.platform import io_gfile, tf_logging
from tfcore.train.checkpoints.saveable import saveables_of
from tfcore.train.checkpoints.saver_builder import BaseSaverBuilder, BulkSaverBuilder

FIXTURES = pathlib.Path(values.__file__).parent


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def initialized():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def everything(session):
    return dict(zip([v.name for v in tf.global_variables()], session.run(tf.global_variables())))


def assert_equal(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def model():
    """A trained model: a partitioned variable, slots, strings, integers, a scalar step."""
    with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(2)):
        weights = tf.get_variable("weights", [6, 10], initializer=tf.random_normal_initializer(seed=1))
    bias = tf.Variable(np.arange(10.0), name="bias", dtype=tf.float32)
    tf.Variable(np.array([b"a", b"", b"\xff\0"], object), name="text", trainable=False)
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones([2, 6]), weights) + bias))
    return tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step), loss


# ---- Values


@pytest.mark.parametrize(
    "options", [{}, {"sharded": True}, {"write_version": 1}, {"write_version": 1, "sharded": True}]
)
def test_training_goes_on_where_it_was(options, tmp_path):
    with tf.device("/cpu:0"):
        other = tf.get_variable("other", [3])  # another device, so a second shard
    train, loss = model()
    saver = tf.train.Saver(**options)
    with initialized() as session:
        session.run([train] * 3)
        path = saver.save(session, str(tmp_path / "m"))
        saved = everything(session)
        losses = [session.run([train, loss])[1] for _ in range(5)]
    with tf.Session() as session:
        saver.restore(session, path)
        assert_equal(everything(session), saved)
        assert [session.run([train, loss])[1] for _ in range(5)] == losses
    assert other.op.name in tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
    if options == {"sharded": True}:
        names = ["m.data-00000-of-00002", "m.data-00001-of-00002", "m.index", "m.meta"]
        assert sorted(os.listdir(tmp_path)) == ["checkpoint", *names]


@pytest.mark.parametrize("task", ["", "/job:localhost", "/job:ps/task:1"])
@pytest.mark.parametrize("use_resource", [False, True])
def test_the_global_step_is_read_before_what_it_counts(use_resource, task, graph):
    with tf.device(task):
        tf.Variable(1.0, name="a", use_resource=use_resource)
        tf.Variable(1.0, name="z", use_resource=use_resource)
    step = tf.train.get_or_create_global_step()
    tf.train.Saver()
    save = graph.get_operation_by_name("save/SaveV2")
    a, read_step, z = save.inputs[3:]
    assert read_step.op.type == "Identity" and read_step.op.inputs[0].op is step.op
    for value, name in (a, "a"), (z, "z"):
        if not use_resource and task != "/job:ps/task:1":
            assert value.op.name == name  # which the save reads when it has all of its other inputs
        else:
            read = value.op.inputs[0].op if use_resource else value.op
            assert list(read.control_inputs) == [read_step.op] and read.inputs[0].op.name == name
            assert read.device == task


def test_a_task_saves_its_own_variables_itself(graph):
    with tf.device("/job:ps/task:1"):
        v, step = tf.Variable(1.0, name="v"), tf.train.create_global_step()
    BulkSaverBuilder().save_by_task(tf.constant("m"), saveables_of([v, step]))
    save = graph.get_operation_by_name("SaveV2")
    assert save.device == "/job:ps/task:1/device:CPU:0"
    assert {t.op.type for t in save.inputs[3:]} == {"Identity", v.op.type} and v.op in [t.op for t in save.inputs]


def test_an_object_that_saves_nothing(tmp_path):
    class Nothing(BaseSaverBuilder.SaveableObject):
        def restore(self, restored_tensors, restored_shapes):
            return tf.no_op()

    tf.Variable(1.0, name="v")
    tf.train.get_or_create_global_step()
    saver = tf.train.Saver([*tf.global_variables(), Nothing("nothing", [], "nothing")])
    with initialized() as session:
        saver.restore(session, saver.save(session, str(tmp_path / "m")))


def test_names(tmp_path):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    with initialized() as session:
        path = tf.train.Saver({"first": v, "second": w}).save(session, str(tmp_path / "m"))
        assert tf.train.list_variables(path) == [("first", []), ("second", [])]
        tf.train.Saver({"first": w}).restore(session, path)
        assert session.run([v, w]) == [1, 1]
        path = tf.train.Saver([w]).save(session, str(tmp_path / "n"))
        assert tf.train.load_variable(path, "w:0") == 1


def test_a_variable_in_other_parts(tmp_path):
    """Rows in two parts, columns in three, and whole, each from each."""
    value = np.arange(42, dtype=np.int32).reshape(6, 7)
    makers = {"rows": tf.fixed_size_partitioner(2), "columns": tf.fixed_size_partitioner(3, axis=1), "whole": None}
    for kind, partitioner in makers.items():
        with tf.Graph().as_default(), tf.variable_scope("", partitioner=partitioner):
            v = tf.get_variable("v", value.shape, tf.int32, tf.zeros_initializer())
            with tf.Session() as session:
                for part in v if partitioner else [v]:
                    info = part._get_save_slice_info()
                    cut = tuple(slice(o, o + s) for o, s in zip(info.var_offset, info.var_shape)) if info else ...
                    part.load(value[cut], session)
                tf.train.Saver().save(session, str(tmp_path / kind))
    for partitioner in makers.values():
        for source in makers:
            with tf.Graph().as_default(), tf.variable_scope("", partitioner=partitioner):
                v = tf.get_variable("v", value.shape, tf.int32, tf.zeros_initializer())
                with tf.Session() as session:
                    tf.train.Saver().restore(session, str(tmp_path / source))
                    np.testing.assert_array_equal(session.run(tf.convert_to_tensor(v)), value)


def test_reshape(tmp_path):
    v = tf.Variable(np.arange(6.0))
    with initialized() as session:
        path = tf.train.Saver([v]).save(session, str(tmp_path / "m"))
    with tf.Graph().as_default():
        w = tf.Variable(np.zeros([2, 3]), name=v.op.name)
        with tf.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="mismatch between the current graph"):
                tf.train.Saver().restore(session, path)
            tf.train.Saver(reshape=True).restore(session, path)
            assert session.run(w).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_objects_that_programs_define(tmp_path):
    """A saveable object that keeps a variable's negative."""

    class Negative(BaseSaverBuilder.SaveableObject):
        def __init__(self, variable):
            super().__init__(variable, [BaseSaverBuilder.SaveSpec(-variable, "", "negative")], "negative")

        def restore(self, restored_tensors, restored_shapes):
            return self.op.assign(-restored_tensors[0])

    v = tf.Variable(3.0, collections=[])
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, Negative(v))
    for builder in (None, BaseSaverBuilder()):
        saver = tf.train.Saver(builder=builder)
        with tf.Session() as session:
            session.run(v.initializer)
            path = saver.save(session, str(tmp_path / "m"))
            assert tf.train.load_variable(path, "negative") == -3
            session.run(v.assign(0.0))
            saver.restore(session, path)
            assert session.run(v) == 3


def test_restore_sequentially(tmp_path):
    model()
    saver = tf.train.Saver(builder=BaseSaverBuilder(), restore_sequentially=True)
    with initialized() as session:
        path, saved = saver.save(session, str(tmp_path / "m")), everything(session)
        session.run(tf.global_variables_initializer())
        saver.restore(session, path)
        assert_equal(everything(session), saved)


# ---- Files


def test_which_checkpoints_are_kept(tmp_path):
    v = tf.Variable(1)
    saver = tf.train.Saver(max_to_keep=2)
    with initialized() as session:
        paths = [saver.save(session, str(tmp_path / "m"), global_step=i) for i in range(4)]
    assert saver.last_checkpoints == paths[2:]
    assert [tf.train.checkpoint_exists(p) for p in paths] == [False, False, True, True]
    assert not list(tmp_path.glob("m-0*"))
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert state.model_checkpoint_path == tf.train.latest_checkpoint(tmp_path) == paths[3]
    assert list(state.all_model_checkpoint_paths) == paths[2:]
    assert len(tf.train.get_checkpoint_mtimes(paths)) == 2
    again = tf.train.Saver(max_to_keep=2)  # as after a restart
    again.recover_last_checkpoints(state.all_model_checkpoint_paths)
    with initialized() as session:
        again.save(session, str(tmp_path / "m"), global_step=9)
    assert [tf.train.checkpoint_exists(p) for p in paths] == [False, False, False, True]
    tf.train.remove_checkpoint(paths[3])
    assert not list(tmp_path.glob("m-3*")) and v is not None


def test_fewer_checkpoints_are_kept_after_a_restart(tmp_path):
    v = tf.Variable(1)
    with initialized() as session:
        saver = tf.train.Saver(max_to_keep=4)
        for step in range(4):
            saver.save(session, str(tmp_path / "m"), global_step=step)
        again = tf.train.Saver(max_to_keep=2)
        again.recover_last_checkpoints(saver.last_checkpoints)
        again.save(session, str(tmp_path / "m"), global_step=4)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == ["m-3.index", "m-4.index"]
    assert again.last_checkpoints == [str(tmp_path / "m-3"), str(tmp_path / "m-4")] and v is not None


def test_a_checkpoint_that_vanishes_is_not_recovered(tmp_path, monkeypatch):
    """Another process deletes it between a look at its name and one at its time."""
    v = tf.Variable(1, name="v")
    saver = tf.train.Saver()
    with initialized() as session:
        paths = [saver.save(session, str(tmp_path / "m"), global_step=i) for i in range(2)]
    stat = io_gfile.stat
    monkeypatch.setattr(io_gfile, "stat", lambda path: stat(path + ".gone" if "m-0" in path else path))
    saver.recover_last_checkpoints(paths)
    assert saver.last_checkpoints == paths[1:] and v is not None


def test_a_checkpoint_that_is_saved_again_is_kept(tmp_path, monkeypatch):
    """It was to be deleted by a save that failed before."""
    v = tf.Variable(1)
    saver = tf.train.Saver(max_to_keep=1)
    one, other = (str(tmp_path / name) for name in ("one", "other"))

    def fail(*arguments):
        raise OSError(errno.ENOSPC, "no space left")

    with initialized() as session:
        saver.save(session, one)
        with monkeypatch.context() as patch:
            patch.setattr("tfcore.train.checkpoints.checkpoint_management.write_state", fail)
            with pytest.raises(tf.errors.ResourceExhaustedError):
                saver.save(session, other)
        assert saver.save(session, one) == tf.train.latest_checkpoint(tmp_path)
        saver.restore(session, one)
    assert not tf.train.checkpoint_exists(other) and v is not None


def test_one_checkpoint_per_hours_is_kept(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    tf.Variable(1)
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1)
    with initialized() as session:
        for i in range(8):
            now[0] += 1800
            saver.save(session, str(tmp_path / "m"), global_step=i, write_meta_graph=False)
    kept = sorted(p.name for p in tmp_path.glob("*.index"))
    assert kept == ["m-2.index", "m-4.index", "m-6.index", "m-7.index"]


def test_all_are_kept(tmp_path):
    tf.Variable(1)
    saver = tf.train.Saver(max_to_keep=None)
    with initialized() as session:
        for i in range(7):
            saver.save(session, str(tmp_path / "m"), global_step=i, write_meta_graph=False)
    assert len(list(tmp_path.glob("*.index"))) == 7
    assert list(tf.train.get_checkpoint_state(tmp_path).all_model_checkpoint_paths) == [str(tmp_path / "m-6")]


def test_a_folder_that_moves(tmp_path):
    tf.Variable(1)
    saver = tf.train.Saver(save_relative_paths=True, pad_step_number=True)
    os.mkdir(tmp_path / "a")
    with initialized() as session:
        path = saver.save(session, str(tmp_path / "a" / "m"), tf.constant(12))
    assert path == str(tmp_path / "a" / "m-00000012")
    os.rename(tmp_path / "a", tmp_path / "b")
    assert tf.train.latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "m-00000012")


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("sub")
    tf.Variable(1)
    with initialized() as session:
        assert tf.train.Saver().save(session, "sub/m") == "sub/m"
        assert (tmp_path / "sub" / "checkpoint").read_text().startswith('model_checkpoint_path: "m"\n')
        assert tf.train.latest_checkpoint("sub") == "sub/m"
        assert tf.train.Saver().save(session, "n") == "n" and tf.train.latest_checkpoint(".") == "./n"


def test_states_that_cannot_be_read(tmp_path):
    assert tf.train.latest_checkpoint(tmp_path) is None
    (tmp_path / "checkpoint").write_text("nonsense {")
    assert tf.train.get_checkpoint_state(tmp_path) is None
    (tmp_path / "checkpoint").write_text("")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.get_checkpoint_state(tmp_path)
    tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "gone"))
    assert tf.train.latest_checkpoint(tmp_path) is None
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "checkpoint"))
    with pytest.raises(tf.errors.NotFoundError, match="none/checkpoint; No such file or directory"):
        tf.train.update_checkpoint_state(str(tmp_path / "none"), "m")
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        tf.train.generate_checkpoint_state_proto("/d", "/d/a", ["/d/a"], [1.0, 2.0])


# ---- Graphs


def test_a_graph_with_its_saver(tmp_path):
    train, loss = model()
    tf.add_to_collection("train", train)
    saver = tf.train.Saver()
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    with initialized() as session:
        path = saver.save(session, str(tmp_path / "m"))
        saved = everything(session)
        expected = session.run([train, loss])[1]
    for scope in (None, "imported"):
        with tf.Graph().as_default(), tf.Session() as session:
            again = tf.train.import_meta_graph(path + ".meta", import_scope=scope)
            again.restore(session, path)
            prefix = scope + "/" if scope else ""
            assert_equal(everything(session), {prefix + name: value for name, value in saved.items()})
            (op,) = tf.get_collection("train")
            assert session.run([op, prefix + loss.name])[1] == expected
            assert len(tf.get_collection(tf.GraphKeys.SAVERS)) == 1


def test_a_graph_without_saver():
    v = tf.Variable(1.0, name="v")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(meta)
        assert saver.as_saver_def().restore_op_name == "save/restore_all" and v.op.name == "v"
    with tf.Graph().as_default() as empty:
        tf.constant(1)
        meta = tf.train.export_meta_graph(graph=empty)
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(meta) is None


def test_names_of_operations_are_tensorflow_s():
    tf.Variable(1.0, name="v")
    saver_def = tf.train.Saver().as_saver_def()
    assert (
        saver_def.filename_tensor_name == "save/Const:0" and saver_def.save_tensor_name == "save/control_dependency:0"
    )
    assert saver_def.restore_op_name == "save/restore_all" and saver_def.version == tf.train.SaverDef.V2
    assert tf.train.Saver.from_proto(saver_def).to_proto() == saver_def
    assert tf.train.Saver(name="other").to_proto("save") is None


# ---- TensorFlow's checkpoints


@pytest.mark.parametrize("name", ["trained-3", "sharded"])
def test_a_checkpoint_of_tensorflow(name):
    with np.load(FIXTURES / "trained.npz") as data:
        expected = dict(data)
    with tf.Session() as session:
        saver = tf.train.import_meta_graph(str(FIXTURES / "trained-3.meta"))
        saver.restore(session, str(FIXTURES / name))
        found = session.run({v.op.name: v for v in tf.global_variables()})
    loss = expected.pop("loss")
    assert_equal(found, expected)
    assert loss.shape == ()


# ---- Errors


def test_what_cannot_be_saved():
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, name="w")
    with pytest.raises(ValueError, match="The same saveable will be restored with two names"):
        tf.train.Saver({"a": v, "b": v})
    with pytest.raises(ValueError, match="At least two variables have the same name: v"):
        tf.train.Saver([v, v])
    with pytest.raises(TypeError, match="Variables to save should be passed in a dict or a list"):
        tf.train.Saver(v)
    with pytest.raises(TypeError, match="Variable to save is not a Variable"):
        tf.train.Saver([tf.constant(1)])
    with pytest.raises(TypeError, match="Name is not a string"):
        tf.train.Saver({1: w})
    with pytest.raises(ValueError, match="saver_def must specify the save_tensor_name"):
        tf.train.Saver(saver_def=tf.train.SaverDef())
    with pytest.raises(ValueError, match="var_list` is provided then build cannot be deferred"):
        tf.train.Saver([v], defer_build=True)


def test_no_variables(tmp_path):
    with pytest.raises(ValueError, match="No variables to save"):
        tf.train.Saver()
    saver = tf.train.Saver(allow_empty=True)
    with tf.Session() as session:
        assert saver.save(session, str(tmp_path / "m")) is None
        saver.restore(session, "anything")
    late = tf.train.Saver([], defer_build=True)
    with pytest.raises(ValueError, match="No variables to save"):
        late.build()
    late = tf.train.Saver(defer_build=True)
    with tf.Session() as session, pytest.raises(RuntimeError, match="should be called before save"):
        late.save(session, "m")


def test_wrong_paths(tmp_path):
    tf.Variable(1.0, name="v")
    saver = tf.train.Saver()
    with initialized() as session:
        with pytest.raises(ValueError, match="Parent directory of .*/b/m doesn't exist, can't save"):
            saver.save(session, str(tmp_path / "a" / "b" / "m"))
        with pytest.raises(ValueError, match="must not contain path components"):
            saver.save(session, str(tmp_path / "m"), latest_filename="a/b")
        with pytest.raises(ValueError, match="'latest_filename' collides with 'save_path'"):
            saver.save(session, str(tmp_path / "checkpoint"))
        with pytest.raises(TypeError, match="'sess' must be a Session"):
            saver.save(None, str(tmp_path / "m"))
        with pytest.raises(ValueError, match="Can't load save_path when it is None"):
            saver.restore(session, None)
        with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint: .*none"):
            saver.restore(session, str(tmp_path / "none"))
        path = saver.save(session, str(tmp_path / "m"))
        for end in (".index", ".meta", ".data-00000-of-00001"):
            with pytest.raises(ValueError, match=r"Did you mean .*/m, without the end of the file's name"):
                saver.restore(session, path + end)


def test_a_checkpoint_of_another_model(tmp_path):
    with tf.Graph().as_default():
        tf.Variable(1.0, name="layer_1/weights")
        tf.Variable([1, 2], name="ids")
        with initialized() as session:
            path = tf.train.Saver().save(session, str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="layer1/weights")
        with pytest.raises(tf.errors.NotFoundError) as failure:
            tf.train.Saver().restore(session, path)
    text = str(failure.value)
    assert "a Variable name or other graph key that is missing" in text and "Key layer1/weights not found" in text
    assert "The checkpoint has 2 tensors; similar names are: layer_1/weights" in text
    for wrong in ([1.0, 2.0], [1, 2, 3]):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.Variable(wrong, name="ids")
            with pytest.raises(tf.errors.InvalidArgumentError, match="mismatch between the current graph"):
                tf.train.Saver().restore(session, path)


@pytest.mark.parametrize("use_resource", [False, True])
def test_another_shape_names_variable_and_file(tmp_path, use_resource):
    def variables(*columns):
        for name, n in zip("abc", columns):
            tf.get_variable(f"net/{name}", [2, n], use_resource=use_resource)
        return tf.train.Saver()

    with tf.Graph().as_default() as graph:
        saver = variables(1, 2, 3)
        with initialized() as session:
            path = saver.save(session, str(tmp_path / "m"))
        kind = "AssignVariableOp" if use_resource else "Assign"
        restored = [op.name for op in graph.get_operations() if op.type == kind and op.name.startswith("save/")]
        assert restored == ["save/Assign/net/a", "save/Assign/net/b", "save/Assign/net/c"]
    if use_resource:  # takes on the other shape
        return
    with tf.Graph().as_default(), tf.Session() as session:
        saver = variables(1, 5, 3)
        with pytest.raises(tf.errors.InvalidArgumentError) as failure:
            saver.restore(session, path)
    text = str(failure.value)
    assert "lhs shape= [2,5] rhs shape= [2,2]" in text and "[[node save/Assign/net/b (op: Assign)" in text
    assert text.endswith(f"The checkpoint is {path}")


def test_two_processes_that_save_to_one_folder(tmp_path, monkeypatch):
    """It is said once; not for a process that continues where another one has ended, nor for two savers of one."""
    warned = []
    monkeypatch.setattr(tf_logging, "warning", lambda text, *values: warned.append(text % values))
    other = f"import tfcore as tf; tf.train.update_checkpoint_state({str(tmp_path)!r}, 'b-1')"
    v = tf.Variable(1.0)
    savers = [tf.train.Saver(), tf.train.Saver()]
    with tf.Session() as sess:
        sess.run(v.initializer)
        subprocess.run([sys.executable, "-c", other], check=True)
        for step, saver in enumerate([*savers, *savers]):
            saver.save(sess, str(tmp_path / "a"), global_step=step)
        assert warned == []
        subprocess.run([sys.executable, "-c", other], check=True)
        for step in (5, 6):
            savers[0].save(sess, str(tmp_path / "a"), global_step=step)
    (line,) = warned
    assert line.startswith(f"Another process has written {tmp_path}/checkpoint since this one ({os.getpid()} on ")
