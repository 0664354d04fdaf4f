"""AllreduceOptimizer: training by several workers is training by one with the whole batch."""

import hashlib

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import tasks
from tests.distributed.collectives.test_collective import join
from tests.distributed.fabric.test_fabric import wait_until
from tfcore.train.optimizers.allreduce_optimizer import buckets

OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.02),
    "momentum": lambda: tf.train.MomentumOptimizer(0.005, 0.8),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
}
BATCH = 24


def model(words, x, y):
    """A table that is looked up (its gradient is sparse) and two layers, some of them larger than a message."""
    rng = np.random.default_rng(5)
    table = tf.Variable(rng.standard_normal((11, 6)).astype("f4") / 3, name="table")
    hidden = tf.Variable(rng.standard_normal((16, 300)).astype("f4") / 4, name="hidden")
    bias = tf.Variable(np.zeros(300, "f4"), name="bias")
    out = tf.Variable(rng.standard_normal((300, 1)).astype("f4") / 8, name="out")
    features = tf.concat([x, tf.gather(table, words)], 1)
    return tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(features, hidden) + bias), out) - y))


def train(task, bucket_bytes):
    """For each optimizer the losses of the joined batches, and a digest of the variables at the end."""
    d, results = join(task), {}
    for name in OPTIMIZERS:
        with tf.Graph().as_default(), tf.Session() as session:
            losses, final = train_with(OPTIMIZERS[name](), d, task, session, bucket_bytes)
        results[name] = [losses, hashlib.sha1(b"".join(np.asarray(v).tobytes() for v in final)).hexdigest()]
    return results


def train_with(optimizer, d, task, session, bucket_bytes):
    rng = np.random.default_rng(7)
    words = tf.placeholder(tf.int32, [None])
    x = tf.placeholder(tf.float32, [None, 10])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = model(words, x, y)
    if task.size > 1:
        optimizer = tf.train.AllreduceOptimizer(optimizer, bucket_bytes=bucket_bytes)
    step = optimizer.minimize(loss)
    joined = d.allreduce(loss, "mean", name="joined_loss")
    losses = []
    session.run(tf.global_variables_initializer())
    for _ in range(12):
        batch = rng.integers(0, 11, BATCH), rng.standard_normal((BATCH, 10)), rng.standard_normal((BATCH, 1))
        mine = [part[task.rank :: task.size] for part in batch]
        losses.append(float(session.run([joined, step], dict(zip((words, x, y), mine)))[0]))
    return losses, session.run(tf.global_variables())


def test_losses_are_those_of_one_process_with_the_joined_batch():
    [alone] = tasks.run(1, train, 0)
    together = [tasks.run(2, train, 8 << 20), tasks.run(3, train, 2000)]
    for name in OPTIMIZERS:
        expected, _ = alone[name]
        assert sum(expected[-3:]) < sum(expected[:3]), name
        for results in together:
            assert len({ranks[name][1] for ranks in results}) == 1, f"{name}: variables drifted apart"
            for ranks in results:
                np.testing.assert_allclose(ranks[name][0], expected, rtol=1e-5, atol=1e-5, err_msg=name)


def gates_and_slots(task):
    join(task)
    v = tf.Variable([1.0, 2.0])
    out = []
    for gate in (tf.train.Optimizer.GATE_NONE, tf.train.Optimizer.GATE_OP, tf.train.Optimizer.GATE_GRAPH):
        wrapped = tf.train.MomentumOptimizer(1.0, 0.5)
        optimizer = tf.train.AllreduceOptimizer(wrapped, op="sum")
        step = optimizer.minimize(tf.reduce_sum(v * (task.rank + 1.0)), gate_gradients=gate)
        assert optimizer.get_slot(v, "momentum") is wrapped.get_slot(v, "momentum")
        assert optimizer.get_slot_names() == ["momentum"] and optimizer.variables() == wrapped.variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            out.append(session.run(v).tolist())
    return out


def test_gates_and_slots():
    assert tasks.run(2, gates_and_slots) == [[[-2.0, -1.0]] * 3] * 2


def initial_values(task):
    join(task)
    v = tf.Variable(np.full([3000], task.rank, "f4"), name="v")
    w = tf.Variable(np.int64(10 + task.rank), name="w")
    optimizer = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(1.0))
    everything, one = optimizer.broadcast_variables(root=1), tf.distributed.broadcast_variables([w], name="One")
    out = []
    with tf.Session() as session:
        for op in (one, everything):
            session.run(tf.global_variables_initializer())
            session.run(op)
            values = session.run([v, w])
            out.append([float(values[0].min()), float(values[0].max()), int(values[1])])
            session.run(v.assign_add(tf.ones_like(v)))  # what was received is the variable's own now
    return out


def test_initial_values_come_from_one_rank():
    assert tasks.run(3, initial_values) == [[[float(r), float(r), 10], [1.0, 1.0, 11]] for r in range(3)]


def error_of(fn):
    try:
        fn()
    except (tf.errors.InvalidArgumentError, tf.errors.AbortedError) as error:
        return error.message  # Aborted: another rank was first to see it, and says what it saw
    return None


def different_values(task, case):
    """The errors of the steps and, for the case "initial values", whether the first one changed nothing."""
    join(task)
    odd = task.rank == 1
    rate = tf.placeholder_with_default(0.01, []) if case == "fed rate" else 0.01
    w = tf.Variable(tf.random_normal([3, 2]) if case == "initial values" else tf.ones([3, 2]), name="w")
    large = tf.Variable(tf.zeros([1 << 20]), name="large")
    x = tf.placeholder(tf.float32, [3])
    loss = tf.reduce_sum(tf.linalg.matvec(w, x, transpose_a=True) ** 2) + tf.reduce_sum(large[:5]) ** 2
    optimizer = tf.train.AllreduceOptimizer(tf.train.MomentumOptimizer(rate, 0.9))
    step = optimizer.minimize(loss)
    texts = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        start = session.run(w)
        feeds = {x: np.full(3, task.rank + 1.0)}

        def run(n=1):
            texts.extend(error_of(lambda: session.run(step, feeds)) for _ in range(n))

        run()
        if case == "initial values":
            unchanged = bool((session.run(w) == start).all())
            session.run(optimizer.broadcast_variables())
            run()
            return [*texts, unchanged]
        if odd and case == "one is assigned":
            w.load(np.zeros([3, 2]), session)
        if odd and case == "slot":
            optimizer.get_slot(w, "momentum").load(np.ones([3, 2]), session)
        if odd and case == "one element":
            session.run(tf.scatter_update(large, [(1 << 20) - 3], [1e-30]))
        if odd and case == "fed rate":
            feeds[rate] = 0.02
        run(64 if case == "one element" else 2)
    return texts


@pytest.mark.parametrize(
    "case, name",
    [("one is assigned", "w"), ("slot", "w/Momentum"), ("one element", "large"), ("fed rate", "w")],
)
def test_values_that_differ_are_named(case, name):
    results = tasks.run(3, different_values, case)
    for first, *others in results:
        assert first is None
        assert (others[0] is None) == (case in ("fed rate", "one element"))
        text = next(text for text in others if text)
        assert f"'{name}'" in text and "(rank 1)" in text and "broadcast_variables()" in text, text


def test_different_initial_values_are_an_error():
    """The normal case of a program without a seed."""
    for first, after_broadcast, unchanged in tasks.run(3, different_values, "initial values"):
        assert "'w'" in first and "broadcast_variables()" in first, first
        assert after_broadcast is None and unchanged


def different_constants(task, case, device=""):
    join(task)
    odd = task.rank == 1
    rate, momentum = 0.02 if odd and case == "rate" else 0.01, 0.5 if odd and case == "momentum" else 0.9
    with tf.device(device):
        w = tf.Variable([1.0, 2.0], name="w")
    loss = tf.reduce_sum(w * w)
    if case == "decayed":
        rate = tf.train.exponential_decay(0.01, tf.train.get_or_create_global_step(), 100, 0.5 if odd else 0.9)
    optimizer = tf.train.AllreduceOptimizer(tf.train.MomentumOptimizer(rate, momentum))
    step = optimizer.minimize(loss * tf.constant(task.rank + 1.0))  # gradients are each rank's own affair
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(tf.global_variables_initializer())
        text = error_of(lambda: session.run(step))
        task.meet()
        return [text, session.run(w).tolist()]


@pytest.mark.parametrize(
    "case, parts",
    [
        ("rate", ["Momentum/learning_rate", "0.01", "0.02"]),
        ("momentum", ["Momentum/momentum", "0.9", "0.5"]),
        ("decayed", ["ExponentialDecay", "0.9", "0.5"]),
    ],
)
@pytest.mark.parametrize("device", ["", "/cpu:1"])  # where the updates are, but not the collectives
def test_constants_that_differ_are_named(case, parts, device):
    for text, w in tasks.run(2, different_constants, case, device):
        assert w == [1.0, 2.0]
        for part in [*parts, "(rank 0)", "(rank 1)"]:
            assert part in text, text


def test_constants_of_gradients_may_differ():
    results = tasks.run(2, different_constants, "none")
    assert [text for text, _ in results] == [None, None] and results[0] == results[1]


def own_updates(task):
    """What a rank updates by itself is its own affair."""
    d = join(task)
    total = d.allreduce(tf.ones([2]), name="total")
    mine = tf.Variable([1.0, 1.0])
    step = tf.train.GradientDescentOptimizer(0.1 * (task.rank + 1)).minimize(tf.reduce_sum(mine))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([total, step])[0].tolist()


def test_constants_of_other_updates_may_differ():
    assert tasks.run(2, own_updates) == [[2.0, 2.0]] * 2


def test_buckets_follow_backpropagation():
    x = tf.constant(np.zeros([4, 8], "f4"))
    weights = [tf.Variable(np.zeros([8, 8], "f4")) for _ in range(4)]
    for w in weights:
        x = tf.matmul(x, w)
    half = tf.Variable(np.zeros([4], "f2"))
    loss = tf.reduce_sum(x) + tf.cast(tf.reduce_sum(half), tf.float32)
    grads = tf.gradients(loss, [*(w._ref() for w in weights), half._ref()])
    assert sorted(buckets(grads, 600)) == sorted([[3, 2], [1, 0], [4]])
    assert sorted(buckets(grads, 0)) == [[0], [1], [2], [3], [4]]
    assert sorted(buckets([*grads[:2], None], 1 << 20)) == [[1, 0]]


def test_what_is_refused():
    with pytest.raises(TypeError, match="must be an Optimizer"):
        tf.train.AllreduceOptimizer(0.1)
    sgd = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="op must be one of 'mean'"):
        tf.train.AllreduceOptimizer(sgd, op="prod")
    with pytest.raises(ValueError, match="negative"):
        tf.train.AllreduceOptimizer(sgd, bucket_bytes=-1)
    assert tf.train.AllreduceOptimizer(sgd).get_name() == "AllreduceGradientDescent"


class EndsLast(tf.train.SessionRunHook):
    """Rank 0 ends when the other one has ended: steps without the other one continue, those with it fail."""

    def __init__(self, fabric, total):
        self._fabric, self._total = fabric, total

    def end(self, session):
        if self._fabric.rank() == 0:
            assert wait_until(lambda: not self._fabric.alive(1))
            with pytest.raises((tf.errors.AbortedError, tf.errors.UnavailableError)) as info:
                session.run(self._total)
            self.message = info.value.message


def end_one_after_the_other(task, mode):
    from tfcore.distributed.fabric import fabric

    d = join(task)
    v, step = tf.Variable(3.0), tf.train.get_or_create_global_step()
    optimizer = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(0.25), lost_workers=mode)
    train = optimizer.minimize(v * v, step)
    last = EndsLast(fabric, d.allreduce(v, group=d.survivors() if mode == "continue" else None))
    final = tf.train.FinalOpsHook(v * 2.0)
    hooks = [optimizer.make_session_run_hook(), tf.train.StopAtStepHook(3), last, final]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(train)
    return [float(final.final_ops_values), last.message if task.rank == 0 else None]


@pytest.mark.parametrize("mode", ["wait", "continue"])
def test_a_worker_that_ends_after_another(mode):
    [[value, message], other] = tasks.run(2, end_one_after_the_other, mode)
    assert value == 0.75 and other == [0.75, None]
    assert ("Training waits for" if mode == "wait" else "The workers have changed") in message


def scores(task):
    """Those of this rank at steps 4 to 6, and during an update. Only rank 2 knows that its place is taken."""
    from tfcore.distributed.collectives import collective

    d = join(task)
    collective.begin_epoch(1, [] if task.rank == 2 else [2])
    v, step = tf.Variable(3.0), tf.train.get_or_create_global_step()
    optimizer = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(0.25), lost_workers="wait")
    optimizer.minimize(v * v, step)
    hook = optimizer.make_session_run_hook()
    hook.begin()
    with tf.Session() as session:
        session.run(optimizer._updating.initializer)
        found = []
        for at in (4, 5, 6):
            step.load(at, session)
            found.append(int(session.run(hook._score)))
        optimizer._updating.load(1, session)
        found.append(int(session.run(hook._score)))
    task.meet()
    return d.size(), found


def test_the_newest_state_is_found_by_workers_that_count_the_group_differently():
    found = tasks.run(3, scores)
    assert [size for size, _ in found] == [2, 2, 3]
    in_order = [found[rank][1][i] for i in range(3) for rank in (2, 1, 0)]  # by step, then the lowest rank
    assert in_order == sorted(set(in_order)) and in_order[0] > 0
    assert [mine[3] for _, mine in found] == [-1] * 3
