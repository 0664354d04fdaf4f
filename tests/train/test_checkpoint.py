"""tf.train.Checkpoint: keys, restoring before and after objects exist, checks, and checkpoints of savers."""

import collections
import gc
import os
import pathlib
from concurrent import futures

import numpy as np
import pytest

import tfcore as tf
from tests.fixtures.checkpoints import values
from tfcore.framework import protos
from tfcore.train.checkpoints.saver_builder import BaseSaverBuilder

FIXTURES = pathlib.Path(values.__file__).parent
SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


@pytest.fixture(params=[False, True], ids=["reference", "resource"])
def use_resource(request):
    return request.param


def variable(value, name=None, **options):
    return tf.Variable(value, name=name, **options)


def initialize(session):
    session.run(tf.global_variables_initializer())


def keys_of(path):
    return [name.removesuffix(SUFFIX) for name, _ in tf.train.list_variables(path)]


def graph_of(path):
    return protos.TrackableObjectGraph.FromString(tf.train.load_variable(path, "_CHECKPOINTABLE_OBJECT_GRAPH"))


class Model(tf.Module):
    """A module with two optimizers, as in the fixtures."""

    def __init__(self, use_resource=None):
        super().__init__()
        self.w = variable(tf.zeros([2, 2]), "w", use_resource=use_resource)
        first, second = variable(0.0, "first", use_resource=use_resource), variable([0.0, 0.0], "second")
        self.parts = [first, {"a/b.c": second}]
        self.same = self.w

    def trained(self):
        return [self.w, self.parts[0], self.parts[1]["a/b.c"]]


def loss_of(model):
    w, first, second = model.trained()
    return tf.reduce_sum(tf.square(w)) + first * tf.reduce_sum(second)


# ---- Keys


def test_keys_and_graph_of_objects(session, tmp_path):
    model, adam = Model(), tf.train.AdamOptimizer()
    train = adam.minimize(loss_of(model), var_list=[model.w, model.parts[0]])
    initialize(session)
    session.run(train)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=adam)
    path = checkpoint.save(tmp_path / "m")
    assert path == str(tmp_path / "m-1") and tf.train.latest_checkpoint(tmp_path) == path
    assert keys_of(path) == sorted(
        [
            "_CHECKPOINTABLE_OBJECT_GRAPH",
            "save_counter",
            "model/w",
            "model/parts/0",
            "model/parts/1/a.Sb..c",
            "optimizer/beta1_power",
            "optimizer/beta2_power",
            *(f"model/{v}/.OPTIMIZER_SLOT/optimizer/{slot}" for v in ("w", "parts/0") for slot in "mv"),
        ]
    )
    graph = graph_of(path)
    assert [c.local_name for c in graph.nodes[0].children] == ["model", "optimizer", "save_counter"]
    model_node = graph.nodes[graph.nodes[0].children[0].node_id]
    ids = {c.local_name: c.node_id for c in model_node.children}
    assert ids["w"] == ids["same"]
    assert graph.nodes[ids["w"]].attributes[0].full_name == "w"
    optimizer = graph.nodes[graph.nodes[0].children[1].node_id]
    assert {(s.slot_name, s.original_variable_node_id) for s in optimizer.slot_variables} == {
        (slot, of) for slot in "mv" for of in (ids["w"], graph.nodes[ids["parts"]].children[0].node_id)
    }


def test_slots_belong_to_both_the_variable_and_the_optimizer(session, tmp_path):
    v, adam = variable(1.0, "v"), tf.train.AdamOptimizer()
    adam.minimize(v * v)
    initialize(session)
    assert len(keys_of(tf.train.Checkpoint(v=v).write(tmp_path / "v"))) == 2
    assert len(keys_of(tf.train.Checkpoint(adam=adam).write(tmp_path / "adam"))) == 3
    assert len(keys_of(tf.train.Checkpoint(v=v, adam=adam).write(tmp_path / "both"))) == 6


def test_containers(session, tmp_path):
    Pair = collections.namedtuple("Pair", "left right")
    pair = Pair(variable(1), [variable(2), "text", (variable(3),)])
    checkpoint = tf.train.Checkpoint(pair=pair, table={"x": variable(4), "n": 5, 6: "no object"}, none=[])
    initialize(session)
    checkpoint.text = "not saved"
    checkpoint.later = variable(7)
    session.run(checkpoint.later.initializer)
    found = keys_of(checkpoint.write(tmp_path / "m"))
    assert found[1:] == ["later", "pair/left", "pair/right/0", "pair/right/2/0", "table/x"]
    checkpoint.table[8] = variable(9)
    with pytest.raises(ValueError, match="contains a non-string key, 8"):
        checkpoint.write(tmp_path / "m")


def test_cycles(session, tmp_path):
    parent, child = tf.Module("parent"), tf.Module("child")
    parent.child, child.parent = child, parent
    child.v = variable(3.0, "v")
    initialize(session)
    checkpoint = tf.train.Checkpoint(root=parent)
    path = checkpoint.write(tmp_path / "m")
    assert keys_of(path)[1:] == ["root/child/v"]
    session.run(child.v.assign(0))
    checkpoint.restore(path).run_restore_ops()
    assert session.run(child.v) == 3


def test_layers_and_cells(session, tmp_path):
    dense, norm = tf.layers.Dense(2), tf.layers.BatchNormalization()
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(2), tf.nn.rnn_cell.GRUCell(3)])
    norm(dense(tf.ones([1, 3])))
    cell(tf.ones([1, 2]), cell.zero_state(1, tf.float32))
    wrapped = tf.nn.rnn_cell.DropoutWrapper(cell)
    initialize(session)
    found = keys_of(tf.train.Checkpoint(dense=dense, norm=norm, rnn=wrapped).write(tmp_path / "m"))
    assert [k for k in found if k.startswith(("dense", "norm"))] == [
        "dense/bias",
        "dense/kernel",
        "norm/beta",
        "norm/gamma",
        "norm/moving_mean",
        "norm/moving_variance",
    ]
    assert [k for k in found if k.startswith("rnn")] == [
        "rnn/cell/cell-0/bias",
        "rnn/cell/cell-0/kernel",
        "rnn/cell/cell-1/candidate.Sbias",
        "rnn/cell/cell-1/candidate.Skernel",
        "rnn/cell/cell-1/gates.Sbias",
        "rnn/cell/cell-1/gates.Skernel",
    ]


def test_what_is_no_object_to_save():
    with pytest.raises(ValueError, match="was expecting a trackable object .* got 3"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(ValueError, match="was expecting a trackable object"):
        tf.train.Checkpoint(a=tf.constant(1.0))


def test_tables_that_checkpoints_cannot_save(session, tmp_path):
    table = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, 0)
    module = tf.Module()
    checkpoint = tf.train.Checkpoint(m=module)
    path = checkpoint.save(tmp_path / "m")
    status = checkpoint.restore(path)
    module.parts = [{"x": table}]
    with pytest.raises(ValueError, match="can't save mutable tables yet: .*MutableHashTable.* at m/parts/0/x"):
        checkpoint.save(tmp_path / "m")
    with pytest.raises(ValueError, match="can't save mutable tables yet: .*MutableHashTable"):
        status.assert_consumed()
    with pytest.raises(ValueError, match="can't save mutable tables yet: .*MutableHashTable"):
        tf.train.Checkpoint(a=table)
    module.parts = tf.contrib.lookup.MutableHashTable(tf.int64, tf.int64, 0, checkpoint=False)
    checkpoint.restore(checkpoint.save(tmp_path / "m")).assert_consumed()


# ---- Save and restore


def test_there_and_back(session, tmp_path, use_resource):
    model, adam, momentum = Model(use_resource), tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9)
    session.run(tf.global_variables_initializer())
    train = [o.minimize(loss_of(model), var_list=model.trained()) for o in (adam, momentum)]
    initialize(session)
    checkpoint = tf.train.Checkpoint(model=model, adam=adam, momentum=momentum)
    for v in model.trained():
        session.run(v.assign(np.ones(v.shape)))
    session.run(train)
    path = checkpoint.save(tmp_path / "m")
    everything = tf.global_variables()
    before = session.run(everything)
    session.run(train)
    status = checkpoint.restore(path).assert_consumed()
    added = len(tf.get_default_graph().get_operations())
    status.run_restore_ops()
    for old, new in zip(before, session.run(everything)):
        np.testing.assert_array_equal(old, new)
    # Neither saves nor restores add operations again.
    path = checkpoint.save(tmp_path / "m")
    assert path.endswith("m-2")
    checkpoint.restore(path).assert_consumed().initialize_or_restore(session)
    assert len(tf.get_default_graph().get_operations()) == added
    assert session.run(checkpoint.save_counter) == 2


@pytest.mark.parametrize("name", ["objects_of_graph-1", "objects_eager-1"])
@pytest.mark.parametrize("restore_first", [False, True], ids=["after", "before"])
def test_what_tensorflow_wrote(session, name, restore_first, use_resource):
    """Restored after all variables were made, or before any was."""
    expected = np.load(FIXTURES / f"{name[:-2]}.npz")
    checkpoint = tf.train.Checkpoint()
    if restore_first:
        status = checkpoint.restore(FIXTURES / name)
    with tf.name_scope("other/names"):
        checkpoint.model = model = Model(use_resource)
        checkpoint.adam, checkpoint.momentum = tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9)
        for optimizer in (checkpoint.adam, checkpoint.momentum):
            optimizer.minimize(loss_of(model), var_list=model.trained())
    if not restore_first:
        status = checkpoint.restore(FIXTURES / name)
    status.assert_consumed().initialize_or_restore()
    found = dict(zip(("w", "first", "second"), model.trained()))
    for i, v in enumerate(model.trained()):
        found.update({f"{slot}{i}": checkpoint.adam.get_slot(v, slot) for slot in "mv"})
        found[f"momentum{i}"] = checkpoint.momentum.get_slot(v, "momentum")
    found["beta1_power"], found["beta2_power"] = checkpoint.adam._get_beta_accumulators()
    found = session.run(found)
    assert set(found) == set(expected)
    for key, value in found.items():
        np.testing.assert_array_equal(value, expected[key], err_msg=key)
    assert session.run(checkpoint.save_counter) == 1


def test_partitioned_variables_are_one_tensor(session, tmp_path):
    def build(parts):
        partitioner = tf.fixed_size_partitioner(parts)
        v = tf.get_variable("v", [5, 2], initializer=tf.zeros_initializer(), partitioner=partitioner)
        momentum = tf.train.MomentumOptimizer(1.0, 0.9)
        return v, momentum, momentum.minimize(tf.reduce_sum(v * tf.reshape(tf.range(10.0), [5, 2])), var_list=list(v))

    v, momentum, train = build(2)
    initialize(session)
    session.run(train)
    path = tf.train.Checkpoint(v=v, momentum=momentum).write(tmp_path / "m")
    assert dict(tf.train.list_variables(path))["v/.OPTIMIZER_SLOT/momentum/momentum" + SUFFIX] == [5, 2]
    want = np.arange(10.0).reshape(5, 2)
    for parts in (1, 3):
        with tf.Graph().as_default(), tf.Session() as other:
            v, momentum, _ = build(parts)
            slots = [momentum.get_slot(part, "momentum") for part in v]
            checkpoint = tf.train.Checkpoint(v=v, momentum=momentum)
            checkpoint.restore(path).initialize_or_restore()
            assert (other.run(tf.convert_to_tensor(v)) == -want).all()
            assert (other.run(tf.concat(slots, 0)) == want).all()


def test_restored_where_the_names_lead(session, tmp_path):
    """A checkpoint and a program that share a part: each keeps the rest."""
    saved = tf.train.Checkpoint(a=variable(1.0), b=variable(2.0))
    initialize(session)
    path = saved.save(tmp_path / "m")
    checkpoint = tf.train.Checkpoint(b=variable(0.0), c=variable(7.0))
    status = checkpoint.restore(path)
    status.initialize_or_restore()
    assert session.run([checkpoint.b, checkpoint.c]) == [2, 7]
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound to checkpointed values"):
        status.assert_existing_objects_matched()
    del checkpoint.c
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).a"):
        status.assert_consumed()
    checkpoint.a = variable(0.0)
    status.assert_consumed().run_restore_ops()
    assert session.run(checkpoint.a) == 1


def test_trivial_matches(session, tmp_path):
    path = tf.train.Checkpoint(a=tf.Module()).write(tmp_path / "m")
    other = tf.train.Checkpoint(x=variable(1.0))
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        other.restore(path).assert_nontrivial_match()


def test_no_checkpoint(session):
    checkpoint = tf.train.Checkpoint(v=variable(5.0))
    status = checkpoint.restore(None)
    for method in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match=r"No checkpoint specified \(save_path=None\)"):
            method()
    with pytest.raises(AssertionError, match="no restore ops are available"):
        status.run_restore_ops()
    assert status.expect_partial() is status
    status.initialize_or_restore()
    assert session.run([checkpoint.v, checkpoint.save_counter]) == [5, 0]


def test_a_later_restore_wins(session, tmp_path):
    saved = tf.train.Checkpoint(v=variable(1.0))
    initialize(session)
    path = saved.save(tmp_path / "m")
    root = tf.train.Checkpoint()
    first, second = root.restore(None), tf.train.Checkpoint(inner=root)
    root.v = variable(5.0)
    outer = tf.train.Checkpoint(v=root.v)
    outer.restore(path).run_restore_ops()
    first.initialize_or_restore()  # leaves the variable alone, which a later restore found
    assert session.run(root.v) == 1
    del second


def test_shared_objects_that_are_two(session, tmp_path, caplog):
    v = variable(1.0)
    saved = tf.train.Checkpoint(a=v, b=v)
    initialize(session)
    path = saved.write(tmp_path / "m")
    checkpoint = tf.train.Checkpoint(a=variable(0.0), b=variable(0.0))
    with caplog.at_level("WARNING", logger="tensorflow"):
        status = checkpoint.restore(path)
    assert "Inconsistent references" in caplog.text
    status.initialize_or_restore()
    assert session.run([checkpoint.a, checkpoint.b]) == [1, 0]


def test_warning_about_what_was_not_restored(session, tmp_path, caplog):
    saved = tf.train.Checkpoint(a=variable(1.0), b=variable(2.0))
    initialize(session)
    path = saved.write(tmp_path / "m")
    for silent in (False, True):
        caplog.clear()
        status = tf.train.Checkpoint(a=saved.a).restore(path)
        if silent:
            status.expect_partial()
        with caplog.at_level("WARNING", logger="tensorflow"):
            del status
            gc.collect()
        assert ("could not be found in the restored object: (root).b" in caplog.text) != silent


# ---- Partitioned variables as a whole and in parts


def build_parts(number=3):
    partitioner = tf.fixed_size_partitioner(number)
    return tf.get_variable("parts", [6], initializer=tf.zeros_initializer(), partitioner=partitioner)


def load(parts, session):
    for index, part in enumerate(parts):
        part.load([2.0 * index, 2.0 * index + 1], session)


@pytest.mark.parametrize("of", [lambda parts: parts, lambda parts: parts[:1], lambda parts: parts[1:]])
@pytest.mark.parametrize("part_first", [False, True])
def test_parts_beside_their_whole_are_saved_once(session, tmp_path, of, part_first):
    parts = build_parts()
    momentum = tf.train.MomentumOptimizer(0.0, 0.0)
    train = momentum.minimize(tf.reduce_sum(parts * tf.range(6.0)), var_list=list(parts))
    module = tf.Module()
    first, second = ("a", "b") if part_first else ("b", "a")
    setattr(module, first, of(tf.trainable_variables()))
    setattr(module, second, parts)
    initialize(session)
    session.run(train)
    load(parts, session)
    checkpoint = tf.train.Checkpoint(m=module, o=momentum)
    path = checkpoint.save(tmp_path / "m")
    assert keys_of(path)[1:] == [f"m/{second}", f"m/{second}/.OPTIMIZER_SLOT/o/momentum", "save_counter"]
    assert dict(tf.train.list_variables(path))[f"m/{second}" + SUFFIX] == [6]
    initialize(session)
    checkpoint.restore(path).assert_consumed().initialize_or_restore()
    slots = [momentum.get_slot(part, "momentum") for part in parts]
    assert session.run(tf.concat(list(parts), 0)).tolist() == list(range(6))
    assert session.run(tf.concat(slots, 0)).tolist() == list(range(6))


def test_a_whole_of_which_only_parts_are_in_the_checkpoint(session, tmp_path):
    parts = build_parts()
    load(parts, session)
    path = tf.train.Checkpoint(some=list(parts)[:2]).write(tmp_path / "m")
    initialize(session)
    checkpoint = tf.train.Checkpoint(some=list(parts)[:2], whole=parts)
    status = checkpoint.restore(path)
    with pytest.raises(AssertionError, match="Found 2 Python objects"):  # the whole, and the counter
        status.assert_existing_objects_matched()
    status.initialize_or_restore()
    assert session.run(tf.concat(list(parts), 0)).tolist() == [0, 1, 2, 3, 0, 0]
    # A later restore keeps the part that it found.
    earlier = checkpoint.restore(None)
    tf.train.Checkpoint(some=list(parts)[:2]).restore(path).expect_partial().run_restore_ops()
    list(parts)[2].load([8.0, 9.0], session)
    earlier.initialize_or_restore()
    assert session.run(tf.concat(list(parts), 0)).tolist() == [0, 1, 2, 3, 0, 0]


def test_two_values_for_a_part_and_its_whole(session, tmp_path):
    """The part takes the one that is found first, and not whichever is written last."""
    saved = tf.train.Checkpoint(part=variable(tf.ones([2])), whole=variable(tf.fill([6], 2.0)))
    initialize(session)
    path = saved.write(tmp_path / "m")
    parts = build_parts()
    tf.train.Checkpoint(part=list(parts)[0], whole=parts).restore(path).expect_partial().run_restore_ops()
    assert session.run(tf.concat(list(parts), 0)).tolist() == [1, 1, 2, 2, 2, 2]


def test_slots_that_are_reached_in_parts(session, tmp_path):
    parts = build_parts()
    momentum = tf.train.MomentumOptimizer(0.0, 0.0)
    momentum.minimize(tf.reduce_sum(parts), var_list=list(parts))
    initialize(session)
    checkpoint = tf.train.Checkpoint(v=parts, o=momentum, slot=momentum.get_slot(list(parts)[1], "momentum"))
    with pytest.raises(NotImplementedError, match="A slot variable was re-used"):
        checkpoint.write(tmp_path / "m")


# ---- Errors


def test_errors_of_restore(session, tmp_path):
    saved = tf.train.Checkpoint(v=variable([1.0, 2.0]))
    initialize(session)
    path = saved.write(tmp_path / "m")
    with pytest.raises(tf.errors.NotFoundError):
        saved.restore(str(tmp_path / "none"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        tf.train.Checkpoint(v=variable([0.0] * 3)).restore(path).initialize_or_restore()
    resource = variable([0.0] * 3, use_resource=True)  # takes on the shape
    tf.train.Checkpoint(v=resource).restore(path).initialize_or_restore()
    assert session.run(resource).tolist() == [1, 2]
    for use_resource in (False, True):
        with pytest.raises(tf.errors.InvalidArgumentError):
            checkpoint = tf.train.Checkpoint(v=variable([0, 0], use_resource=use_resource))
            checkpoint.restore(path).initialize_or_restore()


def test_a_match_that_fails_fails_again(session, tmp_path):
    saved = tf.train.Checkpoint(v=variable([1.0, 2.0]))
    initialize(session)
    path = saved.write(tmp_path / "m")
    with tf.Graph().as_default() as graph, tf.Session() as other:
        checkpoint = tf.train.Checkpoint()
        initial = checkpoint.restore(None)
        status = checkpoint.restore(path).expect_partial()
        checkpoint.v = variable([5.0, 5.0])
        initialize(other)
        graph.finalize()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="finalized"):
                status.run_restore_ops()
            with pytest.raises(RuntimeError, match="finalized"):
                status.assert_consumed()
        with pytest.raises(RuntimeError, match="finalized"):
            checkpoint.restore(path)
        checkpoint.v.load([7.0, 7.0], other)
        initial.initialize_or_restore()  # no restore found it
        assert other.run(checkpoint.v).tolist() == [5, 5]


@pytest.mark.parametrize("data", [b"\xff\xff", b"", b"\x0a\x04\x0a\x02\x08\x07"], ids=["garbage", "empty", "outside"])
def test_a_damaged_graph_of_objects(session, tmp_path, data):
    path = str(tmp_path / "m")
    session.run(tf.raw_ops.SaveV2(prefix=path, tensor_names=["_CHECKPOINTABLE_OBJECT_GRAPH"], shape_and_slices=[""],
                                  tensors=[tf.constant(data)]))  # fmt: skip
    with pytest.raises(tf.errors.DataLossError, match="_CHECKPOINTABLE_OBJECT_GRAPH in checkpoint .*m"):
        tf.train.Checkpoint().restore(path)


def test_the_session_may_be_given(tmp_path):
    with tf.Graph().as_default() as graph:
        checkpoint = tf.train.Checkpoint(v=variable(1.0))
        status = checkpoint.restore(None)
    with tf.Session(graph=graph) as session:  # neither the default session nor the default graph is meant
        with tf.Graph().as_default(), tf.Session():
            status.initialize_or_restore(session)
            path = checkpoint.save(tmp_path / "new" / "folder" / "m", session=session)
    assert keys_of(path)[1:] == ["save_counter", "v"]


def test_without_a_session(tmp_path):
    checkpoint = tf.train.Checkpoint(v=variable(1.0))
    status = checkpoint.restore(None)
    calls = [lambda: checkpoint.save(tmp_path / "m"), lambda: checkpoint.write(tmp_path / "m"),
             status.initialize_or_restore]  # fmt: skip
    with futures.ThreadPoolExecutor(1) as thread:  # which has no default session
        for call in calls:
            with pytest.raises(RuntimeError, match="in graph mode without a default session"):
                thread.submit(call).result()


def test_a_save_that_fails_leaves_no_parts(session, tmp_path):
    with tf.device("/job:localhost/task:0"):
        a = variable(1.0)
    checkpoint = tf.train.Checkpoint(a=a, b=variable(2.0))
    with pytest.raises(tf.errors.FailedPreconditionError):
        checkpoint.write(tmp_path / "m")
    assert os.listdir(tmp_path) == []
    initialize(session)
    path = checkpoint.write(tmp_path / "m")
    assert keys_of(path)[1:] == ["a", "b"]
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"]


# ---- Savers


def test_a_saver_restores_a_checkpoint_of_objects(session, tmp_path, caplog, use_resource):
    v, w = variable([1.0, 2.0], "v", use_resource=use_resource), variable(3, "scope/w", use_resource=use_resource)
    momentum = tf.train.MomentumOptimizer(0.1, 0.9)
    momentum.minimize(tf.reduce_sum(v), var_list=[v])
    initialize(session)
    checkpoint = tf.train.Checkpoint(any=[v, w], momentum=momentum)
    path = checkpoint.save(tmp_path / "m")
    session.run([v.assign([0.0, 0.0]), w.assign(0)])
    saver = tf.train.Saver()
    with caplog.at_level("WARNING", logger="tensorflow"):
        saver.restore(session, path)
    assert "Restoring an object-based checkpoint using a name-based saver" in caplog.text
    assert session.run(v).tolist() == [1, 2] and session.run(w) == 3
    other = tf.train.Checkpoint(below=checkpoint).write(tmp_path / "other")  # in which they have other keys
    saver.restore(session, other)
    added = len(tf.get_default_graph().get_operations())
    for one in (path, other, path):
        saver.restore(session, one)
    assert len(tf.get_default_graph().get_operations()) == added
    variable(1.0, "other")
    with pytest.raises(tf.errors.NotFoundError, match=r"Existing variables not in the checkpoint: other\n"):
        tf.train.Saver().restore(session, path)
    x = variable([0.0, 0.0], "x")
    tf.train.Saver({"v": x}).restore(session, path)
    assert session.run(x).tolist() == [1, 2]


def test_objects_that_programs_define_keep_their_names(session, tmp_path):
    """A saver that restores an object-based checkpoint saves afterwards as before."""

    class Negative(BaseSaverBuilder.SaveableObject):
        def __init__(self, v):
            super().__init__(v, [BaseSaverBuilder.SaveSpec(-v, "", "v")], "v")

        def restore(self, restored_tensors, restored_shapes):
            return self.op.assign(-restored_tensors[0])

    v = variable(3.0, "v")
    negative = Negative(v)
    initialize(session)
    path = tf.train.Checkpoint(any=v).write(tmp_path / "m")
    saver = tf.train.Saver([negative])
    for _ in range(2):
        saver.restore(session, path)
        assert session.run(v) == -3
    assert negative.specs[0].name == "v"
    assert tf.train.list_variables(tf.train.Saver([negative]).save(session, str(tmp_path / "s"))) == [("v", [])]


def test_a_saver_restores_parts_from_a_checkpoint_of_objects(session, tmp_path):
    checkpoint = tf.train.Checkpoint(v=variable(np.arange(5.0), "v"))
    initialize(session)
    path = checkpoint.save(tmp_path / "m")
    with tf.Graph().as_default(), tf.Session() as other:
        parts = tf.get_variable("v", [5], tf.float64, partitioner=tf.fixed_size_partitioner(2))
        tf.train.Saver().restore(other, path)
        assert other.run(tf.convert_to_tensor(parts)).tolist() == [0, 1, 2, 3, 4]


def test_objects_from_a_checkpoint_of_a_saver(session, tmp_path, caplog):
    v, adam = variable([1.0, 2.0], "v"), tf.train.AdamOptimizer()
    train = adam.minimize(tf.reduce_sum(v * v))
    initialize(session)
    session.run(train)
    path = tf.train.Saver().save(session, str(tmp_path / "m"))
    before = session.run(adam.variables())
    checkpoint = tf.train.Checkpoint(v=v, adam=adam)
    with caplog.at_level("WARNING", logger="tensorflow"):
        status = checkpoint.restore(path)
    assert "Restoring a name-based tf.train.Saver checkpoint" in caplog.text
    with pytest.raises(AssertionError, match="Object not restored"):
        status.assert_consumed()
    session.run(train)
    status.initialize_or_restore()
    added = len(tf.get_default_graph().get_operations())
    status.initialize_or_restore()
    status = checkpoint.restore(path)
    status.initialize_or_restore()
    assert len(tf.get_default_graph().get_operations()) == added
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    for old, new in zip(before, session.run(adam.variables())):
        np.testing.assert_array_equal(old, new)
    assert session.run(checkpoint.save_counter) == 0  # it was initialized
    checkpoint.other = variable(1.0, "other")
    with pytest.raises(tf.errors.NotFoundError, match="other"):
        checkpoint.restore(path).run_restore_ops()
