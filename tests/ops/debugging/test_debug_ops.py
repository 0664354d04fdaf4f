"""Tensors for debuggers: TensorFlow's numbers, files, gates, refusals; the records test the rest."""

import json
import os

import numpy as np
import pytest

import tfcore as tf

X = np.float32([[1, np.nan, -np.inf, 0], [-2.5, np.inf, 3, np.nan]])
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
FOLDER = "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"
OPS = ["Identity", "NanCount", "NumericSummary"]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def _watch(op, x=X, tensor_name="a/b:1", **attrs):
    out = getattr(tf.raw_ops, "Debug" + op)(input=x, tensor_name=tensor_name, **attrs)
    with tf.Session() as session:
        return session.run(out)


def _events(folder):
    """(folder, name without the time, event) of each file."""
    found = []
    for where, _, files in os.walk(folder):
        for file in files:
            with open(os.path.join(where, file), "rb") as data:
                event = tf.Event.FromString(data.read())
            name, _, time = file.rpartition("_")
            assert event.wall_time == int(time)
            found.append((os.path.relpath(where, folder), name, event))
    return sorted(found, key=lambda entry: entry[:2])


# The finite numbers are 1, 0, -2.5 and 3.
REST = [-2.5, 3, 0.375, 3.921875, 1, 2, 2, 4]


@pytest.mark.parametrize(
    "bounds, counts",
    [
        ({}, [1, 8, 2, 1, 1, 1, 2, 1]),
        ({"lower_bound": -2.0, "upper_bound": 2.0}, [1, 8, 2, 2, 0, 1, 1, 2]),
        ({"lower_bound": 2.0, "upper_bound": -2.0}, [1, 8, 2, 4, 0, 0, 0, 2]),
    ],
)
def test_numbers_are_tensorflows(bounds, counts):
    assert _watch("NumericSummary", **bounds).tolist() == counts + REST


def test_files(tmp_path):
    urls = [f"file://{tmp_path}/{name}" for name in ("first", "second")]
    for op in OPS:
        value = _watch(op, device_name=DEVICE, debug_urls=urls)
        if op == "Identity":
            np.testing.assert_array_equal(value, X)
    events = _events(tmp_path / "first")
    assert events == _events(tmp_path / "second")
    assert [entry[:2] for entry in events] == [(f"{FOLDER}/a", f"b_1_Debug{op}") for op in OPS]
    for op, (_, _, event) in zip(OPS, events, strict=True):
        (value,) = event.summary.value
        assert (value.tag, value.node_name) == ("a/b", f"a/b:1:Debug{op}")
        np.testing.assert_array_equal(tf.make_ndarray(value.tensor), _watch(op))
        data = value.metadata.plugin_data
        assert data.plugin_name == "debugger"
        assert json.loads(data.content) == {"device": DEVICE, "outputSlot": 1, "numChunks": 1, "chunkIndex": 0}


def test_files_have_the_names_of_those_of_watched_steps(tmp_path):
    """Two pieces of code write the layout that `as_tensorflow/debug/dump.py` reads."""
    x = tf.constant(X, name="a/b")
    options = tf.RunOptions()
    options.debug_options.debug_tensor_watch_opts.add(
        node_name="a/b", output_slot=0, debug_ops=["DebugIdentity"], debug_urls=[f"file://{tmp_path}/step"]
    )
    with tf.Session() as session:
        session.run(x, options=options)
    _watch("Identity", tensor_name="a/b:0", device_name=DEVICE, debug_urls=[f"file://{tmp_path}/op"])
    of_step, of_op = (
        [os.path.relpath(os.path.join(where, file.rpartition("_")[0]), root) for where, _, (file,) in _full(root)]
        for root in (tmp_path / "step", tmp_path / "op")
    )
    assert of_step == of_op == [f"{FOLDER}/a/b_0_DebugIdentity"]


def _full(root):
    """What os.walk gives, of the folders that have files."""
    return [entry for entry in os.walk(root) if entry[2]]


def test_strings_are_written(tmp_path):
    text = np.array([b"a", b"bc\0"], object)
    assert _watch("Identity", text, "s", debug_urls=[f"file://{tmp_path}"]).tolist() == text.tolist()
    ((folder, name, event),) = _events(tmp_path)
    assert (folder, name) == ("_tfdbg_device_", "s_0_DebugIdentity")
    assert list(event.summary.value[0].tensor.string_val) == text.tolist()


def test_healthy_tensors_are_not_written(tmp_path):
    for i, number in enumerate([1.0, np.inf]):
        url = f"file://{tmp_path}/{i}"
        assert _watch("NumericSummary", [number, 2.0], debug_urls=[url], mute_if_healthy=True)[1] == 2
    assert os.listdir(tmp_path) == ["1"]


def test_each_run_writes(tmp_path):
    """Equal operations are not merged, and those on constants not folded."""
    outs = [
        tf.raw_ops.DebugNanCount(input=[1.0], tensor_name=f"t{i // 2}", debug_urls=[f"file://{tmp_path}/{i}"])
        for i in range(2)
    ] * 2
    with tf.Session() as session:
        for _ in range(3):
            session.run(outs)
    assert [len(_events(tmp_path / str(i))) for i in range(2)] == [3, 3]


@pytest.mark.parametrize("op", OPS)
def test_gates(op, tmp_path):
    """There is no debugger that could open one."""
    for urls in ([], ["grpc://localhost:1"]):
        assert _watch(op, gated_grpc=True, debug_urls=urls).shape == (0,)
    folder = f"file://{tmp_path}"
    assert _watch(op, gated_grpc=True, debug_urls=["grpc://localhost:1", folder]).size > 0
    assert len(_events(tmp_path)) == 1


@pytest.mark.parametrize("url", ["http://x", "/tmp/x", ""])
def test_wrong_urls(url):
    with pytest.raises(tf.errors.InternalError, match=f"Invalid debug target URL: {url}"):
        _watch("Identity", debug_urls=[url])


def test_what_cannot_be_published(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    text = "Publishing to 1 of 2 debug target URLs failed, due to the following errors: Failed to create directory"
    with pytest.raises(tf.errors.InternalError, match=text):
        _watch("Identity", debug_urls=[f"file://{tmp_path}/file/x", f"file://{tmp_path}/ok"])
    assert len(_events(tmp_path / "ok")) == 1
    with pytest.raises(tf.errors.InternalError, match="no connection to the debugger grpc://localhost:1"):
        _watch("Identity", debug_urls=["grpc://localhost:1"])


@pytest.mark.parametrize(
    "name, text",
    [
        ("", 'Failed to parse tensor name: ""'),
        ("a:0:1", 'Failed to parse tensor name: "a:0:1"'),
        ("a:b", 'Invalid string value for output_slot: "b"'),
        ("a:", 'Invalid string value for output_slot: ""'),
        ("a:99999999999999999999", "Invalid string value for output_slot"),
    ],
)
def test_wrong_names(name, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _watch("Identity", tensor_name=name)


def test_shapes():
    x = tf.placeholder(tf.float32, [2, None])
    known = [getattr(tf.raw_ops, "Debug" + op)(input=x, tensor_name="a").shape.as_list() for op in OPS]
    assert known == [[2, None], [1], [16]]
    gated = [getattr(tf.raw_ops, "Debug" + op)(input=x, tensor_name="a", gated_grpc=True).shape for op in OPS]
    assert gated[0].ndims is None and [s.as_list() for s in gated[1:]] == [[None], [None]]
