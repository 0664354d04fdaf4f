"""Where replica_device_setter puts variables, and how strategies choose among parameter servers."""

import hashlib

import pytest

import tfcore as tf
from tfcore.train import replica_device_setter

CLUSTER = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def devices(number, device=None, **arguments):
    """Devices of so many scalar variables, made under the setter and, if given, an inner device."""
    with tf.device(replica_device_setter(**arguments)):
        with tf.device(device or tf.DeviceSpec()):
            return [tf.Variable(0.0).device for _ in range(number)]


class TestSetter:
    def test_variables_go_to_servers_in_turn_and_the_rest_to_the_worker(self):
        with tf.device(replica_device_setter(cluster=CLUSTER, worker_device="/job:worker/task:1")):
            x = tf.placeholder(tf.float32, [None, 4])
            w = tf.Variable(tf.zeros([4, 2]), name="w")
            b = tf.Variable(tf.zeros([2]), name="b")
            with tf.variable_scope("layer"):
                u = tf.get_variable("u", [2, 2])
            y = tf.matmul(tf.matmul(x, w) + b, u)
        assert [v.device for v in (w, b, u)] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
        for v in (w, b, u):
            assert v.initializer.device == v.value().device == v.device
        assert {t.device for t in (x, y, y.op.inputs[0], w.initial_value)} == {"/job:worker/task:1"}
        drawn = u.initial_value.op  # made by a function: placed with the variable
        assert drawn.device == "" and drawn.get_attr("_class") == [b"loc:@layer/u"]

    def test_number_of_tasks(self):
        assert devices(4, ps_tasks=3) == [f"/job:ps/task:{i}" for i in (0, 1, 2, 0)]

    def test_parts_are_merged(self):
        assert devices(2, "/cpu:1", ps_tasks=2) == [f"/job:ps/task:{i}/device:CPU:1" for i in (0, 1)]
        assert devices(2, "/job:ps/cpu:3", ps_tasks=2, ps_device="/job:ps/cpu:0") == [
            f"/job:ps/task:{i}/device:CPU:3" for i in (0, 1)
        ]
        with tf.device("/gpu:1"):
            assert devices(1, ps_tasks=2) == ["/job:ps/task:0/device:GPU:1"]

    def test_an_inner_job_or_task_decides(self):
        with tf.device(replica_device_setter(ps_tasks=3)):
            with tf.device("/job:worker/task:7"):
                assert tf.Variable(0.0).device == "/job:worker/task:7"
            with tf.device("/job:ps/task:2"):
                assert tf.Variable(0.0).device == "/job:ps/task:2"
            # One with another job does not take a turn, one with an own task does.
            assert tf.Variable(0.0).device == "/job:ps/task:1"

    def test_device_specs(self):
        ps, worker = tf.DeviceSpec(job="store", device_type="CPU", device_index=0), tf.DeviceSpec(job="w", task=3)
        with tf.device(replica_device_setter(2, ps, worker)):
            assert tf.Variable(0.0).device == "/job:store/task:0/device:CPU:0"
            assert tf.no_op().device == "/job:w/task:3"

    def test_without_merging_any_own_device_counts(self):
        with pytest.warns(DeprecationWarning, match="merge_devices"):
            setter = replica_device_setter(3, merge_devices=False)
        with tf.device(setter):
            with tf.device("/cpu:1"):
                assert tf.Variable(0.0).device == "/device:CPU:1"
            assert tf.Variable(0.0).device == "/job:ps/task:0"

    def test_op_types(self):
        with tf.device(replica_device_setter(2, ps_ops=["NoOp"])):
            assert [tf.no_op().device for _ in range(2)] == ["/job:ps/task:0", "/job:ps/task:1"]
            assert tf.Variable(0.0).device == "/job:worker"

    def test_without_a_device_for_one_side(self):
        assert devices(1, ps_tasks=2, ps_device="") == ["/job:worker"]
        assert devices(2, ps_tasks=2, ps_device="/cpu:0") == ["/device:CPU:0"] * 2
        with tf.device(replica_device_setter(2, worker_device="")):
            assert tf.no_op().device == ""

    @pytest.mark.parametrize(
        "arguments", [{}, {"ps_tasks": 0}, {"cluster": {"worker": ["a:1"]}}, {"cluster": {"ps": []}}]
    )
    def test_no_servers(self, arguments):
        assert replica_device_setter(**arguments) is None

    def test_clusters(self):
        spec = tf.train.ClusterSpec({"ps": {3: "a:1"}, "worker": ["b:1"]})
        for cluster in (spec, spec.as_cluster_def()):
            assert devices(2, cluster=cluster) == ["/job:ps/task:0"] * 2
        assert devices(1, cluster={"store": ["a:1"]}, ps_device="/job:store") == ["/job:store/task:0"]

    def test_wrong_arguments(self):
        with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
            replica_device_setter(cluster=5)
        with pytest.raises(TypeError, match="ps_strategy must be callable"):
            replica_device_setter(2, ps_strategy=1)

    def test_local_variables_stay_with_the_worker(self):
        with tf.device(replica_device_setter(2, worker_device="/job:worker/task:1")):
            local = tf.Variable(0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
            named = tf.get_local_variable("count", [])
            both = tf.Variable(0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.GLOBAL_VARIABLES])
        assert local.device == local.initializer.device == local.value().device == "/job:worker/task:1"
        assert named.device == "/job:worker/task:1"
        assert both.device == "/job:ps/task:0"

    def test_the_mark_of_local_variables_survives_a_graph_def(self, graph):
        tf.get_local_variable("count", [])
        definition = graph.as_graph_def()
        with tf.Graph().as_default() as copy:
            with tf.device(replica_device_setter(1)):
                tf.import_graph_def(definition, name="")
        assert copy.get_operation_by_name("count").device == "/job:worker"


class TestWhatFollowsVariables:
    """Assignments, slots and updates are where the variable is, whatever device scopes say."""

    @pytest.fixture
    def pair(self):
        with tf.device(replica_device_setter(2, worker_device="/job:worker/task:0")):
            yield tf.Variable(tf.zeros([3]), name="v"), tf.Variable(tf.zeros([3]), name="w")

    def test_operations_on_references(self, pair):
        v, w = pair
        changes = [
            tf.assign(w, v),
            tf.assign_add(w, [1.0, 2.0, 3.0]),
            w.assign_sub(v),
            tf.scatter_add(w, [0], [1.0]),
            tf.is_variable_initialized(w),
            w.assign(v).op.inputs[0],
        ]
        with tf.device("/cpu:0"):
            changes.append(w.assign(v))
        assert {t.device for t in changes} == {"/job:ps/task:1"}
        assert changes[0].op.get_attr("_class") == [b"loc:@w"]
        assert tf.identity(w).device == "/job:worker/task:0"

    def test_report_of_uninitialized_variables(self, pair):
        report = tf.report_uninitialized_variables()
        ops = tf.get_default_graph().get_operations()
        tests = {op.name: op.device for op in ops if op.type == "IsVariableInitialized"}
        assert sorted(tests.values()) == ["/job:ps/task:0", "/job:ps/task:1"]
        assert report.device == "/job:worker/task:0/device:CPU:0"

    @pytest.mark.parametrize(
        "optimizer",
        [
            tf.train.GradientDescentOptimizer(0.1),
            tf.train.MomentumOptimizer(0.1, 0.9),
            tf.train.AdagradOptimizer(0.1),
            tf.train.AdadeltaOptimizer(0.1),
            tf.train.FtrlOptimizer(0.1),
            tf.train.RMSPropOptimizer(0.1, centered=True),
            tf.train.ProximalAdagradOptimizer(0.1),
        ],
        ids=lambda o: o.get_name(),
    )
    def test_slots_and_updates(self, graph, optimizer, pair):
        loss = tf.reduce_sum(tf.square(pair[0] * pair[1]))
        optimizer.minimize(loss)
        for v in pair:
            slots = [optimizer.get_slot(v, name) for name in optimizer.get_slot_names()]
            assert {s.device for s in slots} <= {v.device}
            assert all(s.initial_value.op.colocation_groups() == [b"loc:@" + v.op.name.encode()] for s in slots)
            updates = [op for op in v.op.outputs[0].consumers() if "Apply" in op.type]
            assert [op.device for op in updates] == [v.device]

    @pytest.mark.parametrize("optimizer", [tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer])
    def test_the_step_counter_waits_beside_itself(self, graph, pair, optimizer):
        """Else servers would report to the worker, and the worker to the server that counts."""
        with tf.device(replica_device_setter(2, worker_device="/job:worker/task:0")):
            step = tf.Variable(0, name="step", trainable=False)
            train = optimizer(0.1).minimize(tf.reduce_sum(tf.square(pair[0] * pair[1])), global_step=step)
        assert train.device == step.device == "/job:ps/task:0"
        todo, waits = [train], set()
        while todo:
            op = todo.pop()
            waits.add((op.device, tuple(sorted({c.device for c in op.control_inputs}))))
            todo.extend(op.control_inputs)
        assert not any("worker" in device for device, _ in waits)
        crossing = [op for op in graph.get_operations() for c in op.control_inputs if c.device != op.device]
        assert len(crossing) <= 2  # one edge a pair of tasks, for each place that waits

    def test_values_of_others_stay_between_servers(self, pair):
        """Initial values made of other variables, and moving averages."""
        v, w = pair
        assert v.initialized_value().device == v.device
        average = tf.train.ExponentialMovingAverage(0.9)
        average.apply([w])
        assert average.average(w).device == w.device == average.average(w).initial_value.device

    def test_variables_of_an_optimizer_as_a_whole_take_no_turn(self, pair):
        optimizer = tf.train.AdamOptimizer(0.1)
        optimizer.minimize(tf.reduce_sum(tf.square(pair[0] * pair[1])))
        assert {v.device for v in optimizer._get_beta_accumulators()} == {pair[0].device}
        assert tf.Variable(0.0).device == "/job:ps/task:0"

    def test_a_rate_in_another_type_does_not_travel_between_servers(self):
        with tf.device(replica_device_setter(2, worker_device="/job:worker/task:0")):
            v, w = (tf.Variable(tf.zeros([3], tf.float64)) for _ in range(2))
            rate = tf.placeholder(tf.float32, [])
            tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(v * w))
        for x in (v, w):
            (update,) = [op for op in x.op.outputs[0].consumers() if "Apply" in op.type]
            assert update.inputs[1].op.type == "Cast" and update.inputs[1].device == "/job:worker/task:0"


class TestStrategies:
    def test_the_strategy_sees_the_whole_operation(self):
        seen = []

        def strategy(op):
            seen.append((op.name, op.type, op.outputs[0].shape.as_list()))
            return 1

        with tf.device(replica_device_setter(2, ps_strategy=strategy)):
            assert tf.Variable(tf.zeros([2, 3]), name="w").device == "/job:ps/task:1"
            tf.Variable(1, name="x")
        assert seen == [("w", "VariableV2", [2, 3]), ("x", "VariableV2", [])]

    def test_greedy(self):
        """The published example: loads of 10, 5, 5, 5 on two tasks."""
        strategy = tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)
        with tf.device(replica_device_setter(2, ps_strategy=strategy)):
            sizes = [10, 5, 5, 5, 1]
            found = [tf.Variable(tf.zeros([n]), name=f"v{n}").device[-1] for n in sizes]
        assert found == ["0", "1", "1", "0", "1"]

    def test_greedy_spreads_parts(self):
        strategy = tf.train.GreedyLoadBalancingStrategy(3, tf.train.byte_size_load_fn)
        with tf.device(replica_device_setter(3, ps_strategy=strategy)):
            big = tf.get_variable("big", [12, 4], partitioner=tf.fixed_size_partitioner(2))
            small = tf.get_variable("small", [12], partitioner=tf.fixed_size_partitioner(3))
        assert [v.device[-1] for v in big] == ["0", "1"]
        assert [v.device[-1] for v in small] == ["2", "2", "2"]

    def test_byte_size(self):
        size = tf.train.byte_size_load_fn
        assert size(tf.Variable(tf.zeros([3, 5])).op) == 60
        assert size(tf.Variable(1.0).op) == 4
        assert size(tf.zeros([7], tf.complex128).op) == 112
        with pytest.raises(ValueError, match="must have a single output"):
            size(tf.split(tf.zeros([4]), 2)[0].op)
        with pytest.raises(ValueError, match="not fully defined"):
            size(tf.placeholder(tf.float32, [None]).op)

    def test_random(self):
        strategy = tf.contrib.training.RandomStrategy(7, seed=3)
        with tf.device(replica_device_setter(7, ps_strategy=strategy)):
            names = [f"v{i}" for i in range(40)]
            found = [int(tf.Variable(0.0, name=name).device[-1]) for name in names]
        assert found == [int(hashlib.md5(f"{name}_3".encode()).hexdigest(), 16) % 7 for name in names]
        assert set(found) == set(range(7))


PARTITIONERS = {
    "fixed": (tf.fixed_size_partitioner(3), [4, 3, 3]),
    "min_max": (tf.min_max_variable_partitioner(max_partitions=4, min_slice_size=64), [4, 3, 3]),
    "axis_size": (tf.variable_axis_size_partitioner(48), [3, 3, 2, 2]),
}


class TestPartitionedVariables:
    @pytest.mark.parametrize("name", PARTITIONERS)
    def test_parts_and_their_slots_are_spread(self, name):
        partitioner, rows = PARTITIONERS[name]
        with tf.device(replica_device_setter(2, worker_device="/job:worker/task:0")):
            table = tf.get_variable("t", [10, 4], partitioner=partitioner)
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            optimizer.minimize(tf.reduce_sum(tf.square(table)))
        assert [v.shape.as_list()[0] for v in table] == rows
        assert [v.device for v in table] == [f"/job:ps/task:{i % 2}" for i in range(len(rows))]
        assert [optimizer.get_slot(v, "momentum").device for v in table] == [v.device for v in table]
        assert table.as_tensor().device in ("", "/job:worker/task:0")
