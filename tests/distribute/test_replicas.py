"""What replicas do together: calls, meetings, contexts, sums."""

import collections
import contextvars
import copy
import threading
import types

import numpy as np
import pytest

import tfcore as tf
from tfcore.distribute.values import PerReplica

distribute = tf.distribute


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield
    assert not [t for t in threading.enumerate() if type(t).__name__ == "_Replica"]


def value_of(fetches):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
        return sess.run(fetches)


def mirrored(replicas=2):
    return distribute.MirroredStrategy([f"/cpu:{i}" for i in range(replicas)])


def number():
    return tf.cast(distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def test_a_program_without_a_strategy():
    strategy = distribute.get_strategy()
    assert not distribute.has_strategy() and not distribute.in_cross_replica_context()
    assert strategy.num_replicas_in_sync == 1 and distribute.get_strategy() is strategy
    context = distribute.get_replica_context()
    assert (context.replica_id_in_sync_group, context.num_replicas_in_sync, context.devices) == (0, 1, ("",))
    assert context.merge_call(lambda s, x: (s, x), (3,)) == (strategy, 3)
    assert strategy.run(lambda x: x + 1, args=(3,)) == 4
    assert strategy.reduce("SUM", 3.0) == 3.0
    with strategy.scope():
        assert not distribute.has_strategy()
    with pytest.raises(RuntimeError, match="unsupported by default tf.distribute.Strategy"):
        _ = strategy.extended.worker_devices
    assert distribute.get_loss_reduction() is distribute.ReduceOp.SUM


def test_contexts():
    strategy = mirrored()
    seen = []

    def replica():
        context = distribute.get_replica_context()
        seen.append((context.devices, distribute.in_cross_replica_context(), distribute.get_strategy() is strategy))
        return context.merge_call(lambda s: (distribute.get_replica_context(), distribute.in_cross_replica_context()))

    with strategy.scope() as entered:
        assert entered is strategy is distribute.get_strategy() and distribute.has_strategy()
        assert distribute.in_cross_replica_context() and distribute.get_replica_context() is None
        with strategy.scope():
            assert distribute.in_cross_replica_context()
        assert strategy.run(replica) == (None, True)
        with pytest.raises(RuntimeError, match="Mixing different tf.distribute.Strategy objects"):
            with distribute.OneDeviceStrategy("/cpu:0").scope():
                pass
    assert not distribute.has_strategy()
    assert seen == [((f"/replica:0/task:0/device:CPU:{i}",), False, True) for i in range(2)]
    assert strategy.extended.worker_devices == tuple(f"/replica:0/task:0/device:CPU:{i}" for i in range(2))


def test_a_strategy_for_the_rest_of_the_program():
    strategy = mirrored()
    distribute.experimental_set_strategy(strategy)
    assert distribute.get_strategy() is strategy
    distribute.experimental_set_strategy(None)
    assert not distribute.has_strategy()


def test_arguments_and_results():
    strategy = mirrored()
    args = (PerReplica([1, 2]), {"same": 3, "each": [PerReplica([4, 5])]})
    found = strategy.run(lambda a, b: {"sum": a + b["same"] + b["each"][0], "same": b["same"], "name": "x" + "y"}, args)
    assert found["sum"].values == (8, 10) and found["same"] == 3 and found["name"] == "xy"
    assert strategy.experimental_local_results(found["sum"]) == strategy.unwrap(found["sum"]) == (8, 10)
    assert strategy.experimental_local_results(7) == (7,)
    assert repr(found["sum"]) == "PerReplica:{\n  0: 8,\n  1: 10\n}"
    with pytest.raises(ValueError, match="values of different structures"):
        strategy.run(lambda n: [0] * n, (PerReplica([1, 2]),))


class Options(dict):
    def __init__(self, title, **items):
        super().__init__(items)
        self.title = title


class Pair(tuple):
    def __new__(cls, first, second):
        return super().__new__(cls, (first, second))


class Items(list):
    def __init__(self, title, *items):
        super().__init__(items)
        self.title = title


Point = collections.namedtuple("Point", ["a"])


@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize(
    "structure",
    [
        collections.Counter(a=3),
        collections.defaultdict(int, a=3),
        collections.OrderedDict(a=3),
        collections.UserDict(a=3),
        types.MappingProxyType({"a": 3}),
        Options("x", a=3),
        Items("x", 3),
        Pair(3, 3),
        Point(3),
        [3],
        {"a": 3},
    ],
)
def test_structures_whose_constructors_differ(structure, replicas):
    first = 0 if isinstance(structure, list | tuple) else "a"
    seen = []

    def replica(same, each):
        seen.append((type(same), type(each), same[first], each[first], getattr(each, "title", "x")))
        return same, each

    each = copy.copy(structure) if isinstance(structure, collections.abc.MutableMapping | list) else structure
    if each is not structure:
        each[first] = PerReplica(range(replicas))
    same, found = mirrored(replicas).run(replica, (structure, each))
    values = range(replicas) if each is not structure else [3] * replicas
    assert seen == [(type(structure), type(structure), 3, value, "x") for value in values]
    assert type(same) is type(found) is type(structure) and same == structure
    if each is not structure and replicas > 1:
        assert found[first].values == (0, 1) and each[first].values == (0, 1) and structure[first] == 3


def test_replicas_have_lists_and_dicts_of_their_own():
    def replica(items, options):
        items.append(options.setdefault("x", len(items)))
        return len(items)

    items, options = [], {}
    assert mirrored().run(replica, (items, options)) == 1 and (items, options) == ([], {})


def test_operations_are_on_the_replicas_devices_and_in_their_scopes():
    strategy = mirrored()
    with tf.name_scope("outer"), strategy.scope():
        found = strategy.run(lambda: tf.constant(1.0, name="x"))
    assert [v.device for v in found.values] == ["/device:CPU:0", "/device:CPU:1"]
    assert [v.op.name for v in found.values] == ["outer/x", "outer/replica_1/x"]


def test_strict_broadcasting_reaches_replicas_and_their_meetings():
    strategy, message = mirrored(), "Strict broadcasting: operands of ranks 2 and 1 would both be repeated"
    subtract = lambda *args: tf.zeros([3, 1]) - tf.zeros([3])  # noqa: E731

    def meets(strict):
        with tf.strict_broadcasting(strict):
            return distribute.get_replica_context().merge_call(subtract)

    with tf.strict_broadcasting():
        with pytest.raises(ValueError, match=message):
            strategy.run(subtract)
        assert strategy.run(meets, (False,)).shape == (3, 3)
        with pytest.raises(ValueError, match=message):
            subtract()
    with pytest.raises(ValueError, match=message):
        strategy.run(meets, (True,))
    assert [v.shape for v in strategy.run(subtract).values] == [(3, 3)] * 2 and subtract().shape == (3, 3)


def test_context_variables_of_the_caller_reach_replicas():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(3)
    assert mirrored().run(lambda: variable.get()) == 3


def test_merge_call_meets_in_the_order_of_the_calls():
    strategy = mirrored(3)
    events = []

    def replica():
        for step in range(2):
            events.append((step, distribute.get_replica_context().devices[0][-1]))
            found = distribute.get_replica_context().merge_call(merged, (step, number()), {"scale": 2.0})
        return found

    def merged(s, step, values, scale):
        events.append((step, "merged"))
        return s.reduce("SUM", values) * scale, PerReplica(["a", "b", "c"])

    total, letters = strategy.run(replica)
    assert letters.values == ("a", "b", "c") and value_of(total) == 6.0
    assert events == [(0, "0"), (0, "1"), (0, "2"), (0, "merged"), (1, "0"), (1, "1"), (1, "2"), (1, "merged")]


def test_replicas_that_do_not_meet():
    strategy = mirrored()

    def only_first():
        if distribute.get_replica_context().devices[0].endswith("0"):
            distribute.get_replica_context().merge_call(lambda s: None)

    def in_a_conditional():
        context = distribute.get_replica_context()
        merge = lambda: context.merge_call(lambda s, x: tf.constant(1), (number(),))  # noqa: E731
        return tf.cond(tf.constant(True), merge, lambda: tf.constant(2))

    def fails():
        if distribute.get_replica_context().devices[0].endswith("1"):
            raise KeyError("the second")
        distribute.get_replica_context().merge_call(lambda s: None)

    with pytest.raises(RuntimeError, match="called a different number of replica_context"):
        strategy.run(only_first)
    with pytest.raises(RuntimeError, match="inside tf.cond or tf.while_loop"):
        strategy.run(in_a_conditional)
    with pytest.raises(KeyError, match="the second"):
        strategy.run(fails)
    with pytest.raises(ZeroDivisionError):
        strategy.run(lambda: distribute.get_replica_context().merge_call(lambda s: 1 / 0))


def test_replicas_that_meet_again_after_another_has_failed():
    strategy, seen = mirrored(3), []

    def replica():
        context = distribute.get_replica_context()
        if context.devices[0].endswith("2"):
            raise KeyError("the third")
        try:
            context.merge_call(lambda s: None)
        finally:
            try:
                context.merge_call(lambda s: seen.append("met"))
            except BaseException as error:
                seen.append(type(error).__name__)

    with pytest.raises(KeyError, match="the third"):
        strategy.run(replica)
    assert seen == ["_Stopped", "_Stopped"]


def test_what_needs_another_context():
    strategy = mirrored()
    cross = "Method requires being in cross-replica context"
    for call in (lambda: strategy.run(int), lambda: strategy.reduce("SUM", 1.0)):
        with pytest.raises(RuntimeError, match=cross):
            strategy.run(call)
    with strategy.scope():
        variable = tf.get_variable("v", initializer=1.0)
        with pytest.raises(RuntimeError, match="apply_gradients is called in a cross-replica context"):
            tf.train.GradientDescentOptimizer(0.1).minimize(variable * 2.0)
    with pytest.raises(RuntimeError, match="Need to be inside"):
        strategy.run(lambda: distribute.ReplicaContext(strategy, 0).merge_call(int))


@pytest.mark.parametrize("replicas", [1, 2])
def test_reduce(replicas):
    strategy = mirrored(replicas)
    rows = np.arange(5, dtype=np.float32)
    parts = np.array_split(rows, replicas)
    value = PerReplica([tf.constant(p) for p in parts]) if replicas > 1 else tf.constant(rows)
    structure = {"sum": value}
    assert value_of(strategy.reduce("sum", structure, axis=0))["sum"] == 10.0
    np.testing.assert_allclose(value_of(strategy.reduce(distribute.ReduceOp.MEAN, value, axis=0)), 2.0)
    scalars = strategy.run(lambda: number() + 1.0)
    assert value_of(strategy.reduce("MEAN", scalars)) == (replicas + 1) / 2
    with pytest.raises(ValueError, match="reduce_op must be one of .*, but got 'x'"):
        strategy.reduce("x", 3.0)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), [0, 2], (), (0, 1, 2)])
def test_mean_over_several_dimensions(axis):
    x = np.arange(48, dtype=np.float64).reshape(4, 3, 4)
    found = value_of(mirrored().reduce("MEAN", PerReplica([tf.constant(x[:2]), tf.constant(x[2:])]), axis=axis))
    axes = tuple(axis) if isinstance(axis, list) else axis
    np.testing.assert_allclose(found, (x[:2].mean(axes) + x[2:].mean(axes)) / 2)  # as both have as many elements


@pytest.mark.parametrize(
    "dtype, result, value, size",
    [
        (tf.float16, tf.float16, 0.5, 70000),
        (tf.float16, tf.float16, 4.0, 70000),
        (tf.bfloat16, tf.bfloat16, 1.0, 1000),
        (tf.int8, tf.float32, 100, 300),
        (tf.int32, tf.float64, 2**30, 8),
        (tf.complex64, tf.complex64, 1j, 4),
    ],
)
def test_mean_of_more_elements_than_a_type_can_count(dtype, result, value, size):
    rows = tf.cast(tf.fill([size], tf.constant(value)), dtype)
    mean = mirrored().reduce("MEAN", PerReplica([rows, rows]), axis=0)
    assert mean.dtype == result and value_of(mean) == value


def test_values_that_are_the_same_in_all_replicas():
    strategy = mirrored()
    assert strategy.reduce("MEAN", 3.0) == 3.0 and strategy.reduce("SUM", 0) == 0
    with pytest.raises(ValueError, match="A non-DistributedValues value 3.0 cannot be reduced"):
        strategy.reduce("SUM", 3.0)


def test_all_reduce_and_its_gradient():
    strategy = mirrored()

    def replica():
        x = number() + 1.0  # 1 and 2
        total, mean = (
            distribute.get_replica_context().all_reduce("SUM", {"x": x})["x"],
            distribute.get_replica_context().all_reduce(distribute.ReduceOp.MEAN, x),
        )
        loss = total * x  # 3 x, whose gradient through the sum is that of both losses: x + other
        return total, mean, tf.gradients(loss, x)[0]

    totals, means, gradients = value_of([v.values for v in strategy.run(replica)])
    assert totals == (3.0, 3.0) and means == (1.5, 1.5)
    assert gradients == (3.0 + 3.0, 3.0 + 3.0)


def test_updates_outside_of_replicas():
    strategy = mirrored()
    extended = strategy.extended
    with strategy.scope():
        variable = tf.get_variable("v", initializer=1.0)
        update = extended.update(variable, lambda v, x: v.assign_add(x), args=(2.0,))
        assert isinstance(update, tf.Operation)
        (named,) = extended.update_non_slot([variable], lambda: tf.constant(5), group=False)
        copies = extended.broadcast_to(4.0, ["/cpu:0", "/cpu:1"])
        assert [c.device for c in copies.values] == ["/device:CPU:0", "/device:CPU:1"]
        with strategy.colocate_vars_with(variable):
            assert tf.get_variable("w", initializer=1.0).device == variable.device
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update)
        assert sess.run([extended.read_var(variable), named]) == [3.0, 5]
        assert sess.run(list(copies.values)) == [4.0, 4.0]


def test_cross_device_ops():
    value = PerReplica([tf.constant(1.0), tf.constant(4.0)])
    sum_of_squares = distribute.ReductionToOneDevice("/cpu:1", lambda values: tf.add_n([v * v for v in values]))
    found = sum_of_squares.reduce("SUM", value, "/cpu:0")
    assert found.device == "/device:CPU:1" and value_of(found) == 17.0
    assert value_of(distribute.NcclAllReduce().batch_reduce("MEAN", [(value, value)])) == [2.5]
    with pytest.raises(ValueError, match="NCCL all-reduce requires num_packs >= 0, but -1 is specified"):
        distribute.NcclAllReduce(-1)
    slices = [tf.IndexedSlices(tf.constant([[v]]), tf.constant([i])) for i, v in enumerate((2.0, 6.0))]
    mean = distribute.HierarchicalCopyAllReduce().reduce("MEAN", PerReplica(slices), "/cpu:0")
    assert value_of([mean.values, mean.indices])[0].tolist() == [[1.0], [3.0]]
    with pytest.raises(ValueError, match="Some replicas have an IndexedSlices and others a Tensor"):
        distribute.CrossDeviceOps().reduce("SUM", PerReplica([slices[0], tf.constant([[1.0]])]), "/cpu:0")


def test_strategies_refuse_devices_that_are_named_twice():
    with pytest.raises(AssertionError, match="No duplicates allowed in `devices` argument"):
        distribute.MirroredStrategy(["/cpu:0", "/device:CPU:0"])
    with pytest.raises(ValueError, match="cross_device_ops must be a tf.distribute.CrossDeviceOps, but got 3"):
        distribute.MirroredStrategy(cross_device_ops=3)
    assert distribute.MirroredStrategy().extended.device_names == ("/device:CPU:0",)
