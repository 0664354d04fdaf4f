"""tf.profiler: numbers and texts are those of TensorFlow 2.21 for the same graphs, unless computed beside the test."""

import json

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework import protos
from tfcore.profiler import float_ops, op_log, statistics

Builder = tf.profiler.ProfileOptionBuilder


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variable(name, shape):
    return tf.get_variable(name, shape, initializer=tf.zeros_initializer())


def dense():
    x = tf.placeholder(tf.float32, [8, 3], name="x")
    y = tf.nn.bias_add(tf.matmul(x, variable("w", [3, 4])), variable("b", [4]))
    return {x: np.ones([8, 3])}, tf.nn.softmax(y, name="y")


def convolutions():
    x = tf.placeholder(tf.float32, [2, 16, 16, 3], name="x")
    y = tf.nn.conv2d(x, variable("k", [3, 3, 3, 8]), strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.depthwise_conv2d(y, variable("d", [3, 3, 8, 2]), [1, 1, 1, 1], "SAME")
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    return {x: np.ones([2, 16, 16, 3])}, tf.reduce_sum(tf.nn.bias_add(y, variable("bias", [16])))


def gradients_of_convolutions():
    feeds, y = convolutions()
    return feeds, tf.gradients(y, tf.trainable_variables())


def batch_norm():
    x = tf.placeholder(tf.float32, [4, 5], name="x")
    mean, variance = tf.nn.moments(x, [0])
    y = tf.nn.batch_normalization(x, mean, variance, variable("beta", [5]), variable("gamma", [5]), 1e-3)
    return {x: np.ones([4, 5])}, tf.gradients(tf.nn.l2_loss(y), tf.trainable_variables())


def loop():
    w, x = variable("w", [3, 3]), tf.placeholder(tf.float32, [3, 3], name="x")
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.matmul(y, w)), [tf.constant(0), x])
    return {x: np.eye(3)}, y


def training():
    feeds, y = dense()
    return feeds, tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))


def various():
    x = tf.placeholder(tf.float32, [4, 5, 6], name="x")
    y = tf.placeholder(tf.float32, [4, 6, 2], name="y")
    z = tf.matmul(x, y)
    z = tf.matmul(z, z, transpose_a=True)
    z = tf.add_n([z, z, z])
    e = tf.squared_difference(z, tf.rsqrt(z))
    c = tf.nn.conv3d(tf.zeros([1, 4, 4, 4, 2]), tf.zeros([2, 2, 2, 2, 3]), [1, 1, 1, 1, 1], "VALID")
    tf.nn.conv2d(tf.zeros([1, 2, 4, 4]), tf.zeros([2, 2, 2, 3]), [1, 1, 1, 1], "VALID", data_format="NCHW")
    feeds = {x: np.ones([4, 5, 6]), y: np.ones([4, 6, 2])}
    return feeds, [tf.argmax(z, -1), tf.pow(e, 2.0) / tf.maximum(e, 1.0), c]


def traced(fetches, feeds):
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fetches, feeds, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    return metadata


def quiet(options):
    return Builder(options).with_empty_output().build()


@pytest.mark.parametrize(
    "build, static, with_step, n_parameters",
    [
        (dense, 384, 384, 16),
        (convolutions, 95935, 95935, 376),
        (gradients_of_convolutions, 211663, 211663, 376),
        (batch_norm, 329, None, 10),
        (loop, 56, 225, 9),  # the product of 54 and the addition run 4 times, the comparison 5
        (training, 947, None, 16),
        (various, 3720, None, 0),
    ],
)
def test_sums(build, static, with_step, n_parameters):
    feeds, fetches = build()
    for command in ("scope", "graph", "op"):
        found = tf.profiler.profile(cmd=command, options=quiet(Builder.float_operation()))
        assert found.total_float_ops == static
        found = tf.profiler.profile(cmd=command, options=quiet(Builder.trainable_variables_parameter()))
        assert found.total_parameters == n_parameters
    if with_step:
        found = tf.profiler.profile(run_meta=traced(fetches, feeds), options=quiet(Builder.float_operation()))
        assert found.total_float_ops == with_step


def test_a_step_completes_shapes_and_leaves_the_graph(capsys):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    hidden = tf.matmul(x, variable("w", [3, 4]))
    y = tf.reduce_mean(tf.square(hidden + 1.0))
    options = quiet(Builder.float_operation())
    assert tf.profiler.profile(options=options).total_float_ops == 0
    assert "4 ops no flops stats due to incomplete shapes." in capsys.readouterr().err
    assert tf.profiler.profile(run_meta=traced(y, {x: np.ones([5, 3])}), options=options).total_float_ops == 60
    assert tf.profiler.profile(run_meta=traced(y, {x: np.ones([7, 3])}), options=options).total_float_ops == 84
    assert hidden.shape.as_list() == [None, 4]


def test_the_printed_tree(capsys):
    dense()
    tf.profiler.profile(tf.get_default_graph())
    assert capsys.readouterr().out == (
        "\n=========================Options=============================\n"
        "-max_depth                  10000\n-min_bytes                  0\n-min_peak_bytes             0\n"
        "-min_residual_bytes         0\n-min_output_bytes           0\n-min_micros                 0\n"
        "-min_accelerator_micros     0\n-min_cpu_micros             0\n-min_params                 0\n"
        "-min_float_ops              0\n-min_occurrence             0\n-step                       -1\n"
        "-order_by                   name\n-account_type_regexes       _trainable_variables\n"
        "-start_name_regexes         .*\n-trim_name_regexes          \n-show_name_regexes          .*\n"
        "-hide_name_regexes          \n-account_displayed_op_only  true\n-select                     params\n"
        "-output                     stdout:\n"
        "\n==================Model Analysis Report======================\n\nDoc:\n"
        "scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.\n"
        "param: Number of parameters (in the Variable).\n\nProfile:\nnode name | # parameters\n"
        "_TFProfRoot (--/16 params)\n  b (4, 4/4 params)\n  w (3x4, 12/12 params)\n"
        "\n======================End of Report==========================\n"
    )


def profile_lines(path, command="scope", run_meta=None, **values):
    """The lines of a profile below its legend."""
    options = {**Builder().with_file_output(path).build(), **values}
    tf.profiler.profile(run_meta=run_meta, cmd=command, options=options)
    return path.read_text().split("Profile:\n")[1].splitlines()[1:]


def test_lists_of_op_types(tmp_path):
    dense()
    lines = profile_lines(tmp_path / "out", "op", select=["float_ops"], order_by="float_ops", min_float_ops=1)
    assert lines == [
        "MatMul                   192 float_ops (100.00%, 50.00%)",
        "Softmax                  160 float_ops (50.00%, 41.67%)",
        "BiasAdd                     32 float_ops (8.33%, 8.33%)",
    ]


def test_what_options_show(tmp_path):
    out = tmp_path / "out"
    with tf.variable_scope("a"):
        dense()
    values = {"select": ["params"], "max_depth": 2, "account_type_regexes": ["VariableV2"]}
    assert profile_lines(out, **values) == ["_TFProfRoot (--/16 params)", "  a (--/16 params)"]
    shown = {"show_name_regexes": ["a/.*"], "hide_name_regexes": [".*read", ".*Initializer.*"]}
    lines = profile_lines(out, select=["params"], order_by="params", account_type_regexes=["VariableV2"], **shown)
    assert lines == ["_TFProfRoot (--/16 params)", "  a/w (3x4, 12/12 params)", "  a/b (4, 4/4 params)"]
    lines = profile_lines(
        out, "graph", select=["float_ops"], start_name_regexes=[".*MatMul"], trim_name_regexes=["a/x"]
    )
    assert [line.strip().partition(" ")[0] for line in lines[:2]] == ["_TFProfRoot", "a/MatMul"] and len(lines) == 4
    hidden = {"hide_name_regexes": [".*Softmax", ".*/y"], "account_displayed_op_only": True, "select": ["float_ops"]}
    assert profile_lines(out, **hidden)[0] == "_TFProfRoot (--/224 flops)"  # 384 without the softmax
    occurrence = profile_lines(out, select=["occurrence", "op_types", "input_shapes"], show_name_regexes=[".*MatMul"])
    assert occurrence[1].strip() == "a/MatMul (MatMul, 0/0|1/1, 0:8x3|1:3x4)"


def test_a_graph_deeper_than_pythons_stack():
    x = tf.placeholder(tf.float32, [2])
    for _ in range(3000):
        x = -x
    found = tf.profiler.profile(cmd="graph", options=quiet(Builder.float_operation()))
    assert found.total_float_ops == 6000


# ---- Steps


def step(*nodes):
    """A RunMetadata with (name, device, start, end, bytes) of nodes."""
    metadata = protos.RunMetadata()
    for name, device, start, end, n_bytes in nodes:
        found = next((d for d in metadata.step_stats.dev_stats if d.device == device), None)
        found = found or metadata.step_stats.dev_stats.add(device=device)
        stats = found.node_stats.add(node_name=name, all_start_micros=start, op_end_rel_micros=end - start)
        stats.memory.add(allocator_name="cpu", total_bytes=n_bytes, peak_bytes=n_bytes + 1, live_bytes=n_bytes // 2)
    return metadata


CPU, GPU = "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"


def two_nodes():
    a = tf.placeholder(tf.float32, [2], name="a")
    with tf.name_scope("s"):
        return tf.square(a, name="b")


def test_times_and_memory_of_steps(tmp_path):
    two_nodes()
    profiler = tf.profiler.Profiler(tf.get_default_graph())
    profiler.add_step(1, step(("a", CPU, 10, 20, 8), ("s/b", CPU, 20, 50, 16)))
    profiler.add_step(7, step(("s/b", CPU, 20, 30, 16), ("s/b", CPU, 30, 60, 16)))
    options = quiet(Builder.time_and_memory())
    first, second, mean = (profiler.profile_name_scope({**options, "step": number}) for number in (1, 7, -1))
    assert (first.total_exec_micros, first.total_requested_bytes, first.total_peak_bytes) == (40, 24, 26)
    assert (second.total_exec_micros, second.total_requested_bytes, second.total_residual_bytes) == (40, 32, 16)
    assert mean.total_exec_micros == 10 + 35
    by_type = profiler.profile_operations({**options, "step": 7})
    square = by_type.children[0]
    assert (square.name, square.exec_micros, square.graph_nodes[0].run_count) == ("Square", 40, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Options -step=3 not found.\nAvailable steps: 1 7"):
        profiler.profile_graph({**options, "step": 3})
    saved = protos.ProfileProto.FromString(profiler.serialize_to_string())
    assert list(saved.steps) == [1, 7] and saved.has_trace
    assert {node.name: len(node.execs) for node in saved.nodes.values()} == {"a": 1, "s/b": 2}
    path = tmp_path / "step"
    profiler.profile_graph(Builder(options).with_timeline_output(path).build())
    for number, count in ((1, 2), (7, 2)):
        events = json.loads((tmp_path / f"step_{number}").read_text())["traceEvents"]
        assert sum(event["ph"] == "X" and event.get("cat") == "Op" for event in events) == count


def test_gpus(capsys):
    b = two_nodes()
    metadata = step(
        ("s/b", GPU, 10, 12, 8), ("s/b:Square", f"{GPU}/stream:all", 20, 90, 0), ("RecvTensor", CPU, 1, 2, 0)
    )
    found = tf.profiler.profile(run_meta=metadata, cmd="op", options=quiet(Builder.time_and_memory()))
    square = found.children[0]
    assert (square.exec_micros, square.accelerator_exec_micros, square.cpu_exec_micros) == (72, 70, 2)
    advice = tf.profiler.advise(run_meta=metadata, options={"AcceleratorUtilizationChecker": {}})
    assert list(advice.checkers["AcceleratorUtilizationChecker"].reports) == [
        f"device: {GPU.lower()} utilization: 0.88"  # 70 of the 80 microseconds from 10 to 90
    ]
    assert list(advice.checkers) == ["AcceleratorUtilizationChecker"]
    assert b.op.name == "s/b" and "utilization: 0.88" in capsys.readouterr().out


def test_advice():
    two_nodes()
    with tf.name_scope("BatchNorm"):
        tf.constant(1.0)
    advice = tf.profiler.advise(run_meta=step(("a", CPU, 10, 20, 8), ("s/b", CPU, 1000, 1990, 16)))
    reports = list(advice.checkers["ExpensiveOperationChecker"].reports)
    assert reports[0].splitlines() == [
        "top 1 operation type: Square, cpu: 990us, accelerator: 0us, total: 990us (99.00%)",
        "top 2 operation type: Placeholder, cpu: 10us, accelerator: 0us, total: 10us (1.00%)",
    ]
    assert reports[1] == "top 1 graph node: s, cpu: 0us, accelerator: 0us, total: 0us"
    reports = list(advice.checkers["OperationChecker"].reports)
    assert reports == ["Maybe use faster FusedBatchNorm instead of BatchNorm"]


def test_lines_of_the_program(tmp_path):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.matmul(x, variable("w", [3, 4]))
    tf.gradients(y, tf.trainable_variables())
    values = {"select": ["float_ops"], "show_name_regexes": [r"test_profile.*"], "min_float_ops": 1}
    lines = [line.strip() for line in profile_lines(tmp_path / "out", "code", **values)]
    (forward,) = [line for line in lines if "test_lines_of_the..." in line and "(gradient)" not in line]
    (backward,) = [line for line in lines if "test_lines_of_the..." in line and "(gradient)" in line]
    assert forward.endswith("(48/48 flops)")
    assert backward.endswith("(96/96 flops)")  # with that of x, which nothing uses


# ---- Statistics


def test_own_statistics():
    @statistics.RegisterStatistics("Cosh", "flops")
    def count(graph, node):
        return statistics.OpStats("flops", 11)

    try:
        op = tf.cosh(1.0).op
        assert float_ops.get_stats_for_node_def(op.graph, op.node_def, "flops").value == 11
        assert float_ops.get_stats_for_node_def(op.graph, op.node_def, "weights").value is None
        assert tf.profiler.profile(options=quiet(Builder.float_operation())).total_float_ops == 11
        with pytest.raises(KeyError, match="Registering two statistical functions with name 'Cosh,flops'!"):
            statistics.RegisterStatistics("Cosh", "flops")(count)
    finally:
        del statistics.functions["Cosh", "flops"]
    for arguments, text in (((3, "flops"), "op_type must be a string"), (("A", "b,c"), "must not contain a comma")):
        with pytest.raises(TypeError, match=text):
            statistics.RegisterStatistics(*arguments)
    total = statistics.OpStats("flops")
    total += statistics.OpStats("flops", 3)
    total += statistics.OpStats("flops", 4)
    assert total.value == 7
    with pytest.raises(ValueError, match="Can't add an OpStat of type flops to one of weights"):
        total += statistics.OpStats("weights", 1)


def test_logs_of_operations(tmp_path):
    dense()
    log = tf.profiler.OpLogProto()
    log.log_entries.add(name="y", float_ops=1000, types=["last"])
    log.log_entries.add(name="nowhere")
    found = tf.profiler.profile(op_log=log, options=quiet(Builder().with_accounted_types(["last"]).build()))
    assert found.total_float_ops == 1000 and len(log.log_entries[0].types) == 1
    tf.profiler.write_op_log(tf.get_default_graph(), str(tmp_path), log)
    written = tf.profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in written.log_entries}
    assert entries["MatMul"].float_ops == 192 and list(entries["w"].types) == ["_trainable_variables"]
    assert entries["y"].float_ops == 1000
    trace = entries["y"].code_def.traces[-1]
    assert written.id_to_string[trace.file_id] == __file__
    assert written.id_to_string[trace.function_id] == "dense"
    assert op_log.merge_default_with_oplog(None, add_trace=False, add_trainable_var=False).log_entries[0].float_ops


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
def test_counts_beyond_int64_are_its_maximum(cmd):
    x = tf.placeholder(tf.float32, [2**31, 2**31])
    y = tf.matmul(x, x) + x
    variable("w", [2**30, 2**30, 16])
    found = tf.profiler.profile(cmd=cmd, options=quiet(Builder.float_operation()))
    assert found.total_float_ops == 2**63 - 1
    found = tf.profiler.profile(cmd=cmd, options=quiet(Builder.trainable_variables_parameter()))
    assert found.total_parameters == 2**63 - 1
    assert y.shape == x.shape


def test_folders_that_do_not_exist(tmp_path):
    feeds, y = dense()
    options = Builder(Builder.float_operation()).with_file_output(f"{tmp_path}/none/text").build()
    with pytest.raises(tf.errors.NotFoundError, match="none/text; No such file or directory"):
        tf.profiler.profile(options=options)
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(y, feeds, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    options = Builder(Builder.time_and_memory()).with_timeline_output(f"{tmp_path}/none/time").build()
    with pytest.raises(tf.errors.NotFoundError, match="none/time_0; No such file or directory"):
        tf.profiler.profile(run_meta=metadata, options=options)
