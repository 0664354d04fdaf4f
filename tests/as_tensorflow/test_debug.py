"""tensorflow.python.debug: watched values, dumps, and the commands of its prompt."""

import io
import os
import threading

import numpy as np
import pytest
from tfcore.core.step.observer import WATCH, Observer

import tfcore as tf
from tfcore.as_tensorflow.debug import dump, hooks, local_cli, watch, wrappers

BIG = 1 << 17


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def typed(monkeypatch):
    """Sets what the user types."""
    return lambda *lines: monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def watched_run(folder, fetches, feeds=None, session=None, **values):
    """(value of the fetches, DebugDumpDir)"""
    options = tf.RunOptions()
    watch.watch_graph(options, tf.get_default_graph(), debug_urls=f"file://{folder}", **values)
    if session is not None:
        result = session.run(fetches, feeds, options)
    else:
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            result = session.run(fetches, feeds, options)
    found = dump.DebugDumpDir(str(folder))
    found.set_python_graph(tf.get_default_graph())
    return result, found


def values_of(found, name):
    return [value.tolist() for value in found.get_tensors(name, 0, "DebugIdentity")]


# ---- Watched values


def test_each_execution_in_a_loop_and_the_branch_that_is_taken(tmp_path):
    x = tf.placeholder(tf.float32, [2])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.multiply(y, 2.0, name="double")), [0, x])
    z = tf.cond(y[0] > 0, lambda: tf.log(y - 8.0, name="log"), lambda: tf.negative(y, name="negative"))
    value, found = watched_run(tmp_path, z, {x: [1, 2]})
    assert values_of(found, "while/double") == [[2, 4], [4, 8], [8, 16]]
    assert values_of(found, "cond/log") == [value.tolist()] and value[0] == -np.inf
    assert not found.node_exists("cond/negative")
    names = [datum.tensor_name for datum in found.find(dump.has_inf_or_nan)]
    assert names == ["cond/log:0", "cond/Merge:0"]
    assert found.find(dump.has_inf_or_nan, exclude_node_names="cond/M")[0].node_name == "cond/log"
    times = [datum.timestamp for datum in found.dumped_tensor_data]
    assert times == sorted(set(times))
    assert found.get_rel_timestamps("while/double", 0, "DebugIdentity")[0] < times[-1] - found.t0


def test_values_are_those_of_their_time(tmp_path):
    """Memory is used again in the step, also by operations in place, and variables change."""
    v = tf.Variable(tf.ones([BIG]), name="v", use_resource=False)
    before = tf.identity(v, name="before")
    with tf.control_dependencies([before]):
        added = tf.assign_add(v, tf.fill([BIG], 2.0), name="added")
    doubled = tf.add(added, added, name="doubled")
    _, found = watched_run(tmp_path, tf.exp(tf.negative(doubled, name="negative")).op)
    for name, wanted in (("v", 1), ("before", 1), ("added", 3), ("doubled", 6), ("negative", -6)):
        (value,) = found.get_tensors(name, 0, "DebugIdentity")
        assert value.shape == (BIG,) and (value == wanted).all()


def test_types_and_outputs(tmp_path):
    text = tf.identity(tf.constant([b"a", b"\xff"]), name="text")
    parts = tf.split(tf.constant([1, 2], tf.int64), 2, name="parts")
    half = tf.cast(parts[0], tf.bfloat16, name="half")
    handle = tf.get_variable("handle", [], initializer=tf.zeros_initializer(), use_resource=True)
    _, found = watched_run(tmp_path, [text, *parts, half, handle.assign_add(1.0)])
    assert values_of(found, "text") == [[b"a", b"\xff"]] and values_of(found, "half") == [[1]]
    assert [d.output_slot for d in found.dumped_tensor_data if d.node_name == "parts"] == [0, 1]
    assert found.get_tensors("parts", 1, "DebugIdentity")[0].tolist() == [2]
    assert not found.node_exists("handle")  # a handle has no value
    assert not dump.has_inf_or_nan(None, found.get_tensors("text", 0, "DebugIdentity")[0])


def test_what_is_watched(tmp_path):
    tf.add(tf.constant(1.0, name="a"), 2.0, name="b")
    c = tf.add(tf.constant(1, name="ai"), 2, name="c")
    fetches = [tf.get_default_graph().get_tensor_by_name("b:0"), c]

    def nodes(name, **values):
        return sorted(watched_run(tmp_path / name, fetches, **values)[1].nodes())

    assert nodes("all") == ["a", "ai", "b", "b/y", "c", "c/y"]
    assert nodes("names", node_name_regex_whitelist="a") == ["a", "ai"]
    assert nodes("both", node_name_regex_allowlist="a|b$", op_type_regex_allowlist="Const") == ["a", "ai"]
    assert nodes("types", tensor_dtype_regex_whitelist="int") == ["ai", "c", "c/y"]
    options = tf.RunOptions()
    excluded = {"node_name_regex_denylist": ".*/", "op_type_regex_blacklist": "Add"}
    watch.watch_graph_with_denylists(options, tf.get_default_graph(), debug_urls="file:///x", **excluded)
    assert [w.node_name for w in options.debug_options.debug_tensor_watch_opts] == ["a", "ai"]
    with tf.Session() as session:  # without watches nothing is written
        session.run(fetches, options=tf.RunOptions())


def test_what_is_refused(tmp_path):
    x = tf.constant(1.0)
    with tf.Session() as session:
        for values, error, text in (
            ({"debug_urls": "grpc://localhost:1"}, tf.errors.UnimplementedError, "not to grpc://localhost:1"),
            ({"debug_ops": "DebugNanCount", "debug_urls": "file:///x"}, tf.errors.UnimplementedError, "DebugNanCount"),
            ({}, ValueError, "debug_urls must not be empty"),
            ({"debug_urls": "file:///x", "debug_ops": []}, ValueError, "debug_ops must not be empty"),
        ):
            options = tf.RunOptions()
            with pytest.raises(error, match=text):
                watch.watch_graph(options, x.graph, **values)
                session.run(x, options=options)
        (tmp_path / "file").write_text("")
        with pytest.raises(OSError, match="file"):  # a folder can't be made in a file
            watched_run(tmp_path / "file", x, session=session)
        assert session.run(x) == 1
    for name in ("GrpcDebugWrapperSession", "TensorBoardDebugWrapperSession", "GrpcDebugHook", "TensorBoardDebugHook"):
        with pytest.raises(NotImplementedError, match=f"tf_debug.{name}: tfcore sends no tensors to servers"):
            getattr(wrappers, name)(None, ["localhost:7000"])


def test_the_first_exception_of_a_watcher_ends_the_watching():
    x = tf.exp(tf.constant(1.0)) + 1.0
    seen = []

    def fail(op, output, value):
        seen.append(op.name)
        raise ValueError("no more")

    with tf.Session() as session:
        session.run(x)
        signature = next(iter(session._signatures.values()))
        observer = Observer(signature.plan, WATCH, fail)
        from tfcore.core.step.executor import run_observed

        run_observed(signature.plan, (), 1, 1, session._control, observer)
    assert isinstance(observer.watch_error, ValueError) and len(seen) == 1


def test_dumps_without_what_is_asked_for(tmp_path):
    _, found = watched_run(tmp_path, tf.constant(1.0, name="a"))
    with pytest.raises(dump.WatchKeyDoesNotExistInDebugDumpDirError, match='Watch key "b:0:DebugIdentity"'):
        found.get_tensors("b", 0, "DebugIdentity")
    with pytest.raises(OSError, match="does not exist"):
        dump.DebugDumpDir(str(tmp_path / "missing"))
    with pytest.raises(ValueError, match="naming pattern: a_0"):
        dump.DebugTensorDatum(str(tmp_path), "device/a_0")
    assert found.devices() == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert found.debug_watch_keys("a") == ["a:0:DebugIdentity"] and found.size == 1
    assert dump.load_tensor_from_event_file(found.dumped_tensor_data[0].file_path) == 1


# ---- Sessions


def test_dumping_session(tmp_path):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.square(x, name="y")
    asked = []

    def choose(fetches, feeds):
        asked.append((fetches, feeds))
        return watch.WatchOptions(node_name_regex_whitelist="y")

    session = wrappers.DumpingDebugWrapperSession(tf.Session(), str(tmp_path / "root"), choose)
    with session:
        assert session.run(y, {x: 3.0}) == 9 and y.eval({x: 4.0}) == 16
        assert session.make_callable(y, [x])(5.0) == 25
        assert session.run([]) == []
    first, second, third = sorted((tmp_path / "root").iterdir(), key=lambda folder: int(folder.name.split("_")[-1]))
    for folder, value in ((first, 9), (second, 16), (third, 25)):
        found = dump.DebugDumpDir(str(folder))
        assert [(d.tensor_name, d.get_tensor()) for d in found.dumped_tensor_data] == [("y:0", value)]
        assert "'y:0'" in found.run_fetches_info and "'x:0'" in found.run_feed_keys_info
    assert len(asked) == 3 and session.run_call_count == 4
    with pytest.raises(ValueError, match="session_root path points to a non-empty directory"):
        wrappers.DumpingDebugWrapperSession(session, str(tmp_path / "root"))
    with pytest.raises(TypeError, match="watch_fn is not callable"):
        wrappers.DumpingDebugWrapperSession(session, str(tmp_path / "other"), 3)
    with pytest.raises(TypeError, match="Expected type tf.Session or tf.train.MonitoredSession"):
        wrappers.DumpingDebugWrapperSession(None, str(tmp_path / "other"))


def test_a_wrapper_is_a_session(tmp_path, typed):
    typed()
    v = tf.Variable(3.0)
    session = local_cli.LocalCLIDebugWrapperSession(tf.Session())
    assert isinstance(session, tf.Session) and session.graph is tf.get_default_graph()
    session.run(v.initializer)
    saver = tf.train.Saver()
    path = saver.save(session, str(tmp_path / "model"))
    saver.restore(session, path)
    assert session.session.run(v) == 3
    for call in (lambda: session.partial_run_setup([v]), lambda: session.partial_run("", [v])):
        with pytest.raises(NotImplementedError, match="not implemented for debug-wrapper sessions"):
            call()
    with pytest.raises(ValueError, match="does not have a method called 'should_stop'"):
        session.should_stop()
    session.close()
    with pytest.raises(RuntimeError, match="closed"):
        session.run(v)


def train(session, steps=6, fails_at=3):
    """Runs steps; from `fails_at` on the loss is not finite."""
    x = tf.placeholder(tf.float32, [2], name="x")
    loss = tf.reduce_sum(tf.log(x, name="log"), name="loss")
    wrapper = session()
    return [float(wrapper.run(loss, {x: [1.0, 0.0 if i >= fails_at else 2.0]})) for i in range(steps)]


def output_of(capsys):
    return capsys.readouterr().out.split("tfdbg> ")


def test_runs_until_a_filter_passes(typed, capsys):
    typed("run -f has_inf_or_nan", "pt log:0", "pt log:0[1] -s", "pf x[0]", "ni -a -d -t loss", "li -r loss", "lo log")
    values = train(lambda: local_cli.LocalCLIDebugWrapperSession(tf.Session()))
    assert np.isfinite(values).tolist() == [True] * 3 + [False] * 3
    start, passed, log, element, feed, node, inputs, outputs, end = output_of(capsys)
    assert start.startswith("run-start: run #1: 1 fetch (loss:0); 1 feed(s)\nFetch(es):\n  loss:0\n")
    assert passed.startswith(
        'run-end: run #4: 1 fetch (loss:0); 1 feed(s)\n2 dumped tensor(s) passing filter "has_inf_'
    )
    assert [line.split()[-1] for line in passed.strip().splitlines()[-2:]] == ["log:0", "loss:0"]
    assert log.startswith('Tensor "log:0:DebugIdentity":\n  dtype: float32\n  shape: (2,)\n\narray([  0., -inf]')
    assert '"log:0:DebugIdentity[1]"' in element and "|       0       1       0" in element
    assert 'Tensor "x:0 (feed)[0]"' in feed and "array(1.)" in feed
    for part in ("Op: Sum", "[Log] log", "1 dumped tensor(s):", "keep_dims:", "in train"):
        assert part in node
    assert inputs.splitlines()[1:4] == ["|- (1) [Log] log", "|  |- (2) [Placeholder] x", "|- (1) [Const] Const"]
    assert outputs.startswith('Recipients of node "log" (Depth limit = 1):\n|- (1) [Sum] loss')
    assert end == "end of input: further steps run without the debugger\n"


def test_how_many_steps_run(typed, capsys):
    typed("run -n", "run -t 3", "run", "run --op_type_filter Log", "lt -t Su", "run -n -t 2", "exit")
    with pytest.raises(SystemExit):
        train(lambda: local_cli.LocalCLIDebugWrapperSession(tf.Session()), 20)
    parts = output_of(capsys)
    titles = [
        part.partition(":")[0] + part.partition("#")[2][:2].rstrip(":") for part in parts if part.startswith("run-")
    ]
    # Two starts; the third step after the second start; the two steps after it; two steps more.
    assert titles == ["run-start1", "run-start2", "run-end4", "run-end5", "run-end6", "run-start9"]
    assert "1 dumped tensor(s):" in parts[4] and parts[5].startswith("0 dumped tensor(s):")


def test_own_filters_and_wrong_commands(typed, capsys):
    typed(
        "run -f large",
        "run -f has_inf_or_nan -fenn log",
        "frobnicate",
        "pt nothing",
        "pt log[",
        'pt "log',
        "lt -s name",
        "run -t 0",
        "run -fenn a",
        "run --node_name_filter (",
        "ni missing",
        "pt log:0[7]",
        "lt -f large",
        "help",
        "",
    )
    wrapper = local_cli.LocalCLIDebugWrapperSession(tf.Session(), ui_type="curses")
    wrapper.add_tensor_filter("small", lambda datum, value: datum.node_name == "log" and value.max() < 1)
    train(lambda: wrapper)
    parts = output_of(capsys)
    assert parts[1] == 'ERROR: tensor filter "large" does not exist.\n\n'
    assert "passing filter" in parts[2] and "loss:0" in parts[2] and "log:0" not in parts[2]
    for part, text in zip(
        parts[3:],
        [
            'Invalid command prefix "frobnicate"',
            'Tensor "nothing:0" has no value in this step.',
            "Invalid tensor name or slice: log[",
            "Unclosed quote",
            "invalid choice: 'name'",
            "the number of steps must be positive, but got 0",
            "is valid only if the --till_filter_pass",
            "unterminated subpattern",
            "missing",
            "out of bounds",
            'tensor filter "large" does not exist',
        ],
        strict=False,
    ):
        assert part.startswith("ERROR: ") and text in part
    assert "lt, list_tensors: Lists the values" in parts[14]
    with pytest.raises(ValueError, match="Unknown UI type: 'window'"):
        local_cli.LocalCLIDebugWrapperSession(tf.Session(), ui_type="window")


def test_several_executions(typed, capsys):
    typed("run", "pt while/add", "pt while/add -n 1", "pt while/add -n 9")
    i = tf.while_loop(lambda i: i < 2, lambda i: tf.add(i, 1, name="add"), [0])
    local_cli.LocalCLIDebugWrapperSession(tf.Session()).run(i)
    parts = output_of(capsys)
    assert 'Tensor "while/add:0" generated 2 dumps; choose one with -n:\n\n#0 [' in parts[2]
    assert "array(2, dtype=int32)" in parts[3]
    assert "Specified number (9) exceeds the number of available dumps (2)" in parts[4]


def test_a_step_that_fails(typed, capsys):
    typed("run", "lt", "run")
    bad = tf.check_numerics(tf.log(tf.constant(0.0), name="log"), "bad")
    wrapper = local_cli.LocalCLIDebugWrapperSession(tf.Session())
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        wrapper.run(bad)
    shown = output_of(capsys)[1]
    assert "An error occurred during the run" in shown and "log:0" in shown


def test_threads_that_are_not_watched(typed, capsys):
    typed("run")
    wrapper = local_cli.LocalCLIDebugWrapperSession(tf.Session(), thread_name_filter="Worker")
    assert wrapper.run(tf.constant(1.0)) == 1 and capsys.readouterr().out == ""


def test_two_threads(typed, capsys):
    """A step ends while another thread's is under way: each has files of its own."""
    typed("run", "run", "run")
    first, second = tf.constant(1.0, name="first"), tf.constant(2.0, name="second")
    between, ended = threading.Event(), threading.Event()

    def wait(x):
        between.set()
        assert ended.wait(60)
        return x

    slow = tf.add(tf.py_func(wait, [first], tf.float32), 1.0, name="slow")
    wrapper = local_cli.LocalCLIDebugWrapperSession(tf.Session())
    thread = threading.Thread(target=lambda: wrapper.run(slow))
    thread.start()
    assert between.wait(60) and wrapper.run(second) == 2
    ended.set()
    thread.join()
    parts = output_of(capsys)
    assert parts[1].startswith("run-end: run #2:") and "second:0" in parts[1] and "first:0" not in parts[1]
    assert parts[2].startswith("run-end: run #1:") and "slow:0" in parts[2] and "first:0" in parts[2]


def test_dumps_are_deleted(typed, tmp_path):
    typed("run", "run")
    root = tmp_path / "dumps"
    train(lambda: local_cli.LocalCLIDebugWrapperSession(tf.Session(), dump_root=str(root)), 2)
    assert os.listdir(root) == []
    (root / "file").write_text("")
    with pytest.raises(ValueError, match="dump_root path points to a non-empty directory"):
        local_cli.LocalCLIDebugWrapperSession(tf.Session(), dump_root=str(root))


# ---- Hooks


def test_hooks(typed, tmp_path, capsys):
    typed("run -f has_inf_or_nan", "run")
    step = tf.train.create_global_step()
    loss = tf.log(1.0 - tf.cast(tf.assign_add(step, 1), tf.float32) / 2.0, name="loss")
    cli = hooks.LocalCLIDebugHook(ui_type="readline")
    cli.add_tensor_filter("mine", lambda datum, value: False)
    with tf.train.MonitoredSession(hooks=[cli, hooks.DumpingDebugHook(str(tmp_path / "root"))]) as session:
        for _ in range(3):
            session.run(loss)
    parts = output_of(capsys)
    assert "  mine\n" in parts[0] and parts[1].startswith("run-end: run #2:") and "loss:0" in parts[1]
    assert len(os.listdir(tmp_path / "root")) == 3


def test_a_wrapped_monitored_session(typed, capsys):
    typed("run")
    loss = tf.square(tf.constant(3.0), name="loss")
    with tf.train.MonitoredSession() as inner:
        session = local_cli.LocalCLIDebugWrapperSession(inner)
        assert session.run_step_fn(lambda context: context.run_with_hooks(loss)) == 9
        assert not session.should_stop()
    assert "loss:0" in output_of(capsys)[1]
