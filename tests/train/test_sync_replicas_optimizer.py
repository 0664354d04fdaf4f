"""SyncReplicasOptimizer in one process: workers are training operations of one graph, which here share by name.

`tests/distributed/train/test_sync_replicas_optimizer.py` has workers that are processes.
"""

import contextlib
import threading
import time
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.train.optimizers import sync_replicas_optimizer

LIMIT_S = 60 * PATIENCE
ROWS = 5


def worker_of(optimizer, *args, **kwargs):
    """A `SyncReplicasOptimizer` that shares with those of the same graph, as if each were of a worker's own graph."""
    optimizer = tf.train.SyncReplicasOptimizer(optimizer, *args, **kwargs)
    apply = optimizer.apply_gradients

    def apply_gradients(*args, **kwargs):
        with mock.patch.object(sync_replicas_optimizer, "_unique_suffix", str):
            return apply(*args, **kwargs)

    optimizer.apply_gradients = apply_gradients
    return optimizer


class Workers:
    """A model of a dense and a sparse variable, and the training operations of `count` workers, who feed gradients."""

    def __init__(self, needed, count, make=lambda: tf.train.GradientDescentOptimizer(1.0), total=None, **options):
        self.step = tf.Variable(np.int64(0), trainable=False, name="global_step")
        self.dense = tf.Variable(np.zeros(3), name="dense")
        self.rows = tf.Variable(np.zeros((ROWS, 2)), name="rows")
        self.optimizers, self.train_ops, self.feeds = [], [], []
        for _ in range(count):
            dense = tf.placeholder(tf.float64, [3])
            indices, values = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float64, [None, 2])
            slices = tf.IndexedSlices(values, indices, tf.constant([ROWS, 2]))
            optimizer = worker_of(make(), needed, total or count, **options)
            pairs = [(dense, self.dense), (slices, self.rows)]
            self.train_ops.append(optimizer.apply_gradients(pairs, global_step=self.step))
            self.optimizers.append(optimizer)
            self.feeds.append((dense, indices, values))

    @contextlib.contextmanager
    def session(self, num_tokens=-1):
        """A session in which the chief's thread runs."""
        hooks = [opt.make_session_run_hook(i == 0, num_tokens) for i, opt in enumerate(self.optimizers)]
        for hook in hooks:
            hook.begin()
        initialize = tf.global_variables_initializer()
        coord = tf.train.Coordinator()
        with tf.Session() as self.sess:
            self.sess.run(initialize)
            for hook in reversed(hooks):  # the chief's thread last
                hook.after_create_session(self.sess, coord)
            yield self
            coord.request_stop()
            coord.join()  # the chief's thread still waits for gradients

    def run(self, worker, gradient):
        """A step of a worker; returns its token. gradient: (dense, indices, values)."""
        return int(self.sess.run(self.train_ops[worker], dict(zip(self.feeds[worker], gradient))))

    def run_all(self, gradients):
        """A step of several workers at the same time; {worker: gradient} -> {worker: token}."""
        tokens = {}

        def run(worker):
            tokens[worker] = self.run(worker, gradients[worker])

        threads = [threading.Thread(target=run, args=[i], daemon=True) for i in gradients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT_S)
        assert tokens.keys() == gradients.keys()
        return tokens

    def reaches(self, step):
        """Waits until the global step is `step`, and returns the variables."""
        until = time.monotonic() + LIMIT_S
        while (now := self.sess.run(self.step)) < step and time.monotonic() < until:
            time.sleep(0.0005)
        assert now == step
        return self.sess.run([self.dense, self.rows])

    def local_steps(self):
        return self.sess.run([opt._local_step for opt in self.optimizers])


def gradient(rng):
    """A dense gradient and a sparse one, with indices in any order and some of them equal."""
    count = int(rng.integers(0, 7))
    return rng.normal(size=3), rng.integers(0, ROWS, count), rng.normal(size=(count, 2))


def mean(gradients):
    """The mean of dense gradients, and of the rows: over the gradients that have the row."""
    gradients = list(gradients)
    dense = np.mean([g[0] for g in gradients], axis=0)
    sums, owners = np.zeros((ROWS, 2)), np.zeros((ROWS, 1))
    for _, indices, values in gradients:
        np.add.at(sums, indices, values)
        owners[np.unique(indices)] += 1
    return dense, sums / np.maximum(owners, 1)


def simple(value):
    return np.full(3, value), [1], [[value, value]]


# ---- Values


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_step_applies_the_mean_of_all_gradients(count):
    rng = np.random.default_rng(count)
    dense, rows = np.zeros(3), np.zeros((ROWS, 2))
    with tf.Graph().as_default(), Workers(count, count).session(num_tokens=0) as workers:
        for step in range(1, 21):
            gradients = {i: gradient(rng) for i in range(count)}
            assert workers.run_all(gradients) == dict.fromkeys(gradients, step)
            dense_mean, rows_mean = mean(gradients.values())
            dense, rows = dense - dense_mean, rows - rows_mean
            found = workers.reaches(step)
            np.testing.assert_allclose(found[0], dense, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(found[1], rows, rtol=1e-12, atol=1e-12)


def test_training_is_that_of_one_process_with_the_joint_batch():
    """Through minimize, with slots; all workers read the same variables."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 5)), rng.normal(size=(12, 1))

    def train(shares):
        with tf.Graph().as_default():
            step = tf.Variable(0, trainable=False, dtype=tf.int64)
            w = tf.Variable(np.full((5, 1), 0.25), name="w")
            ops, optimizers = [], []
            for i in range(shares):
                rows = slice(12 // shares * i, 12 // shares * (i + 1))
                loss = tf.reduce_mean(tf.square(tf.matmul(x[rows], w) - y[rows]))
                wrapped = tf.train.MomentumOptimizer(0.05, 0.9)
                optimizers.append(worker_of(wrapped, shares) if shares > 1 else wrapped)
                ops.append(optimizers[-1].minimize(loss, global_step=step))
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                if shares > 1:
                    sess.run(optimizers[0].chief_init_op)
                    sess.run([opt.local_step_init_op for opt in optimizers])
                    assert optimizers[0].get_slot_names() == ["momentum"]
                    assert optimizers[0].variables() == [optimizers[0].get_slot(w, "momentum")]
                update = ops[0] if shares == 1 else optimizers[0].get_chief_queue_runner().enqueue_ops[0]
                for _ in range(15):
                    sess.run(update if shares == 1 else [update, *ops])
                return sess.run([w, step])

    expected, steps = train(1)
    for shares in (2, 3):
        found, made = train(shares)
        assert made == steps == 15
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_each_step_of_several_batches_of_one_worker():
    """More gradients are needed than there are workers: the tokens let each compute several."""
    with tf.Graph().as_default(), Workers(3, 1).session(num_tokens=2) as workers:
        tokens = [workers.run(0, simple(float(i))) for i in range(9)]
        assert tokens == [0, 0, 1, 1, 1, 2, 2, 2, 3]
        dense, rows = workers.reaches(3)
    np.testing.assert_allclose(dense, -(1 + 4 + 7) * np.ones(3))
    np.testing.assert_allclose(rows[1], -(1 + 4 + 7) * np.ones(2))


def test_moving_averages_follow_each_step():
    with tf.Graph().as_default():
        averages = tf.train.ExponentialMovingAverage(0.5)
        step, v = tf.Variable(0, trainable=False), tf.Variable(0.0)
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(1.0), 1, variable_averages=averages, variables_to_average=[v]
        )
        train = optimizer.apply_gradients([(tf.constant(-4.0), v)], global_step=step)
        update = optimizer.get_chief_queue_runner().enqueue_ops[0]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(optimizer.chief_init_op)
            for expected in (2.0, 5.0, 8.5):
                sess.run([train, update])
                assert sess.run(averages.average(v)) == expected


# ---- Stale gradients and tokens


def test_the_first_gradients_after_the_start_are_wasted():
    """With the usual tokens each worker makes a step before the first update; the next gradients are stale."""
    with tf.Graph().as_default(), Workers(2, 2).session() as workers:
        assert workers.run(0, simple(0.1)) == 0
        assert workers.run(1, simple(0.3)) == 0
        np.testing.assert_allclose(workers.reaches(1)[0], -0.2)
        assert [workers.run(0, simple(5.0)), workers.run(1, simple(7.0))] == [1, 1]
        np.testing.assert_allclose(workers.reaches(1)[0], -0.2)
        assert workers.run_all({0: simple(0.1), 1: simple(0.5)}) == {0: 2, 1: 2}
        np.testing.assert_allclose(workers.reaches(2)[0], -0.5)


def test_the_first_two_of_three_win():
    with tf.Graph().as_default(), Workers(2, 3).session(num_tokens=3) as workers:
        workers.run(0, simple(1.0)), workers.run(2, simple(3.0))
        dense, rows = workers.reaches(1)
        np.testing.assert_allclose(dense, -2)
        np.testing.assert_allclose(rows[1], -2)
        workers.run(1, simple(100.0))  # too late
        assert [workers.run(i, simple(100.0)) for i in range(3)] == [1, 1, 1]  # computed from step 0, too
        np.testing.assert_allclose(workers.reaches(1)[0], -2)
        assert workers.run_all({0: simple(1.0), 1: simple(2.0)}) == {0: 2, 1: 2}
        np.testing.assert_allclose(workers.reaches(2)[0], -3.5)
        assert workers.local_steps() == [2, 2, 1]


@settings(max_examples=15, deadline=None)
@given(needed=st.integers(1, 4), total=st.integers(1, 4), seed=st.integers(0, 1000))
def test_random_orders_of_workers_follow_the_model(needed, total, seed):
    """Whoever need not wait may be next: tokens, steps and values are those of a model in plain Python."""
    rng = np.random.default_rng(seed)
    dense, rows = np.zeros(3), np.zeros((ROWS, 2))
    step, local, summed = 0, [0] * total, []
    tokens = [0] * max(needed, total)
    with tf.Graph().as_default(), Workers(needed, total).session(num_tokens=len(tokens)) as workers:
        for _ in range(25):
            fresh = [i for i in range(total) if local[i] == step]
            ready = range(total) if tokens else fresh
            together = 1 if tokens else needed - len(summed)  # without a token, so many workers make the update
            chosen = rng.choice(ready, together, replace=False)
            gradients = {int(i): gradient(rng) for i in chosen}
            summed += [g for i, g in gradients.items() if local[i] == step]
            if len(summed) == needed:
                dense_mean, rows_mean = mean(summed)
                dense, rows, step, summed = dense - dense_mean, rows - rows_mean, step + 1, []
                tokens += [step] * max(needed, total)
            for i, token in workers.run_all(gradients).items():
                assert token == tokens.pop(0)
                local[i] = token
            found = workers.reaches(step)
            np.testing.assert_allclose(found[0], dense, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(found[1], rows, rtol=1e-9, atol=1e-9)
        assert workers.local_steps() == local


# ---- Arguments and states


def optimizer_of(needed=2, total=None):
    return tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), needed, total)


def test_errors_of_apply_gradients():
    with tf.Graph().as_default():
        v, step = tf.Variable(1.0), tf.Variable(0, trainable=False)
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            optimizer_of().apply_gradients([], step)
        with pytest.raises(ValueError, match="Global step is required to check staleness"):
            optimizer_of().apply_gradients([(tf.constant(1.0), v)])
        with pytest.raises(ValueError, match="Unknown grad type!"):
            optimizer_of().apply_gradients([(1.0, v)], step)
        with pytest.raises(ValueError, match="No gradients provided for any variable"):
            optimizer_of().minimize(tf.constant(1.0), global_step=step)
        with pytest.raises(ValueError, match="Must specify the optimizer name"):
            tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1, name="")


def test_what_needs_apply_gradients_first():
    with tf.Graph().as_default():
        optimizer = optimizer_of()
        hook = optimizer.make_session_run_hook(True)
        with pytest.raises(ValueError, match=r"Should be called after apply_gradients\(\)"):
            optimizer.get_chief_queue_runner()
        with pytest.raises(ValueError, match=r"get_init_tokens_op\(\) should be called after apply_gradients\(\)"):
            optimizer.get_init_tokens_op()
        with pytest.raises(ValueError, match="apply_gradient should be called before using the hook"):
            hook.begin()
        optimizer.minimize(tf.Variable(1.0), global_step=tf.Variable(0, trainable=False))
        hook.begin()


def test_first_tokens():
    with tf.Graph().as_default():
        step, optimizer = tf.Variable(7, trainable=False), optimizer_of(needed=5, total=2)
        optimizer.minimize(tf.Variable(1.0), global_step=step)
        with pytest.raises(ValueError, match=r"Too few tokens to finish the first step: 2 \(given\) vs 3 \(needed\)"):
            optimizer.get_init_tokens_op(2)
        size, token = optimizer._tokens.size(), optimizer._tokens.dequeue()
        usual, three = optimizer.get_init_tokens_op(), optimizer.get_init_tokens_op(3)
        with tf.Session() as sess:
            sess.run(step.initializer)
            sess.run(usual)
            assert [sess.run(size), sess.run(token), sess.run(size)] == [5, 7, 4]
            sess.run(three)
            assert sess.run(size) == 7
        enough = optimizer_of(needed=1, total=2)
        enough.minimize(tf.Variable(1.0), global_step=step)
        assert enough.get_init_tokens_op(0).type == "NoOp"


def test_devices_and_names():
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}
    with tf.Graph().as_default() as graph:
        setter = tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:1")
        with tf.device(setter):
            step = tf.train.get_or_create_global_step()
            table = tf.Variable(tf.zeros([4, 2]), name="table")
            bias = tf.Variable(tf.zeros([2]), name="bias")
            loss = tf.reduce_sum(tf.gather(table, [1, 1]) + bias)
            optimizer = optimizer_of()
            train = optimizer.minimize(loss, global_step=step)
        assert train.op.type == "Assign" and train.op.inputs[0].op.name == "sync_rep_local_step"
        assert optimizer._local_step.device == "/job:worker/task:1"
        assert optimizer._local_step in tf.local_variables() and optimizer._local_step not in tf.global_variables()
        queue = graph.get_operation_by_name("sync_token_q")
        assert (queue.device, queue.get_attr("shared_name")) == (step.device, b"sync_token_q")
        places = {}
        for op in graph.get_operations():
            if "ConditionalAccumulator" in op.type:
                places[op.get_attr("shared_name")] = op.device
        assert places == {b"table:0/grad_accum": table.device, b"bias:0/grad_accum": bias.device}
        assert len({step.device, table.device, bias.device}) == 2


def shared_names(graph):
    kinds = ("FIFOQueueV2", "ResourceConditionalAccumulator")
    return {op.get_attr("shared_name") for op in graph.get_operations() if op.type in kinds}


def test_optimizers_of_one_graph_share_nothing():
    """Both train one variable and have one step, as in a GAN: tokens and gradients stay apart."""
    with tf.Graph().as_default() as graph:
        step, v = tf.Variable(0, trainable=False), tf.Variable(0.0)
        first, second = optimizer_of(needed=1), optimizer_of(needed=1)
        trains = [opt.apply_gradients([(tf.constant(g), v)], step) for opt, g in ((first, -1.0), (second, -10.0))]
        assert len(shared_names(graph)) == 6
        update = second.get_chief_queue_runner().enqueue_ops[0]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run([first.chief_init_op, second.chief_init_op])
            sess.run(first.get_init_tokens_op(3))
            sess.run(trains[0])
            assert sess.run(second._tokens.size()) == 0
            sess.run([trains[1], update])
            assert sess.run(v) == 10.0


def test_shared_names_do_not_depend_on_the_scope_of_a_worker():
    def names(scope):
        with tf.Graph().as_default() as graph:
            step, v = tf.Variable(0, trainable=False), tf.Variable(0.0, name="v")
            with tf.name_scope(scope):
                for _ in range(2):
                    optimizer_of().apply_gradients([(tf.constant(1.0), v)], step)
            return shared_names(graph)

    assert names("worker0") == names("worker1") and len(names("worker0")) == 6


def test_the_hook_needs_initialized_variables():
    with tf.Graph().as_default():
        optimizer = optimizer_of()
        v = tf.Variable(1.0, name="v")
        optimizer.minimize(v, global_step=tf.Variable(0, trainable=False, name="count"))
        hook = optimizer.make_session_run_hook(False)
        hook.begin()
        with tf.Session() as sess:
            sess.run(v.initializer)
            with pytest.raises(RuntimeError, match=r"did not make model ready .* Variables not initialized: count$"):
                hook.after_create_session(sess, tf.train.Coordinator())


def test_the_end_of_the_chief_lets_waiting_workers_go_on():
    with tf.Graph().as_default():
        workers = Workers(2, 2)
        hook = workers.optimizers[0].make_session_run_hook(True, num_tokens=0)
        hook.begin()
        with tf.Session() as workers.sess:
            workers.sess.run(
                [tf.global_variables_initializer(), *[o._local_step.initializer for o in workers.optimizers]]
            )
            done = []
            thread = threading.Thread(target=lambda: done.append(workers.run(1, simple(1.0))), daemon=True)
            thread.start()
            hook.end(workers.sess)
            thread.join(LIMIT_S)
            assert done == [0]


def test_a_worker_that_ends_leaves_its_token_to_the_others():
    """tensorflow/tensorflow#20342: the gradients of the worker with more data wait for those of the other one."""
    with tf.Graph().as_default():
        workers = Workers(2, 2)
        hook = workers.optimizers[1].make_session_run_hook(False)
        hook.begin()
        with workers.session(num_tokens=0):
            assert workers.run_all({0: simple(1.0), 1: simple(1.0)}) == {0: 1, 1: 1}
            hook.end(workers.sess)
            for token in (1, 2, 2, 3):  # two gradients for each step
                assert workers.run_all({0: simple(1.0)}) == {0: token}
            assert workers.reaches(3)[0].tolist() == [-3, -3, -3]


def test_a_monitored_session_does_not_wait_for_the_chiefs_thread():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        optimizer = optimizer_of(needed=1)
        train = optimizer.apply_gradients([(tf.constant(-1.0), tf.Variable(0.0))], global_step=step)
        hooks = [optimizer.make_session_run_hook(True, num_tokens=0), tf.train.StopAtStepHook(last_step=5)]
        tokens = []
        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            while not sess.should_stop():
                tokens.append(int(sess.run(train)))
            ended = time.monotonic()
        assert time.monotonic() - ended < 100  # it would be 120 s
        assert tokens == [1, 2, 3, 4, 5]


class Checked(tf.train.GradientDescentOptimizer):
    def apply_gradients(self, pairs, *args, **kwargs):
        pairs = [(tf.check_numerics(gradient, "a bad gradient"), variable) for gradient, variable in pairs]
        return super().apply_gradients(pairs, *args, **kwargs)


def test_an_error_in_an_update_is_no_hang():
    with tf.Graph().as_default():
        step, v = tf.train.get_or_create_global_step(), tf.Variable([1.0, 2.0])
        g = tf.placeholder(tf.float32, [2])
        optimizer = tf.train.SyncReplicasOptimizer(Checked(0.1), 1, 1)
        train = optimizer.apply_gradients([(g, v)], global_step=step)
        hook = optimizer.make_session_run_hook(True, num_tokens=0)
        hook.begin()
        coord = tf.train.Coordinator()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            hook.after_create_session(sess, coord)
            assert sess.run(train, {g: [1, 1]}) == 1
            options = tf.RunOptions(timeout_in_ms=int(1000 * LIMIT_S))
            sess.run(train, {g: [np.nan, 1]}, options)  # released, with a token of the last step
            assert coord.wait_for_stop(LIMIT_S)
            with pytest.raises(tf.errors.InvalidArgumentError, match="a bad gradient"):
                coord.join()
