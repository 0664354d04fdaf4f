"""tf.raw_ops: every op, called with TensorFlow's names of arguments."""

import inspect
import pathlib

import numpy as np
import pytest

import tfcore as tf
from tests.harness import own_ops
from tfcore.framework.definitions.op_call import compile_call
from tfcore.framework.definitions.op_def import registered_ops

# Each line is an op type and the arguments of its function in TensorFlow 2.21's raw_ops.
ARGUMENTS = dict(
    line.split(maxsplit=1) for line in pathlib.Path(__file__).with_name("raw_op_arguments.txt").read_text().splitlines()
)
LATER = [f"ScatterNd{kind}" for kind in ("Add", "Max", "Min", "Sub", "Update")]  # without TensorFlow 2's attribute
# Without what later tests define and load, and without the op types that are not TensorFlow's: those that the compiler
# makes, collectives, which have another design here, and users' own CUDA.
OPS = [op for op in own_ops() if not op.name.startswith(("_", "Group", "Cuda")) or op.name.startswith("GroupBy")]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_raw_ops_by_keyword():
    out = tf.raw_ops.MatMul(a=[[1.0, 2.0]], b=[[3.0], [4.0]], transpose_a=False, transpose_b=False, name="product")
    assert out.op.type == "MatMul" and out.op.name == "product"
    with tf.Session() as session:
        assert session.run(out) == [[11.0]]
    assert tf.raw_ops.Add(x=1, y=2).op.type == "Add"


def test_every_registered_op_is_a_raw_op():
    import tfcore.raw_ops as raw

    for op_def in registered_ops():
        if not op_def.name.startswith("Test"):
            assert getattr(raw, op_def.name) is op_def


def test_raw_op_errors():
    with pytest.raises(TypeError):
        tf.raw_ops.MatMul(a=1.0)
    with pytest.raises(TypeError):
        tf.raw_ops.MatMul(a=1.0, b=1.0, c=1.0)
    with pytest.raises(AttributeError):
        _ = tf.raw_ops.NoSuchOp


def _arguments(op_def):
    names = list(inspect.signature(compile_call(op_def)).parameters)
    return names[: names.index("name") + 1]  # without the attributes that inputs determine


def test_arguments_are_those_of_tensorflow():
    wanted = {op: names.split() for op, names in ARGUMENTS.items()}
    for op in LATER:
        wanted[op].remove("bad_indices_policy")
    assert {op.name: _arguments(op) for op in OPS} == wanted


X = [[1.0, 2.0], [3.0, 4.0]]
# Op, arguments by TensorFlow's names, those that OpDefs and GraphDefs call otherwise, what comes out.
RENAMED = [
    *((op, {"input": X, "axis": [0]}, {"axis": "reduction_indices"}, out) for op, out in (
        ("Max", [3, 4]), ("Mean", [2, 3]), ("Min", [1, 2]), ("Prod", [3, 8]), ("Sum", [4, 6]),
        ("EuclideanNorm", [10**0.5, 20**0.5]))),
    *((op, {"input": [[True, True], [False, True]], "axis": 0}, {"axis": "reduction_indices"}, out)
      for op, out in (("All", [False, True]), ("Any", [True, True]))),
    ("ExpandDims", {"input": [1.0, 2.0], "axis": -1}, {"axis": "dim"}, [[1], [2]]),
    ("Squeeze", {"input": [[[1.0], [2.0]]], "axis": [0]}, {"axis": "squeeze_dims"}, [[1], [2]]),
    ("Split", {"axis": 1, "value": X, "num_split": 2}, {"axis": "split_dim"}, [[[1], [3]], [[2], [4]]]),
    ("SplitV", {"value": X, "size_splits": [1, 1], "axis": 0, "num_split": 2}, {"axis": "split_dim"},
     [[[1, 2]], [[3, 4]]]),
    ("Select", {"condition": [True, False], "x": [1, 2], "y": [3, 4]}, {"x": "t", "y": "e"}, [1, 4]),
    ("Where", {"condition": [0.0, 3.0]}, {"condition": "input"}, [[1]]),
]  # fmt: skip


@pytest.mark.parametrize("op, arguments, originals, expected", RENAMED, ids=[row[0] for row in RENAMED])
def test_renamed_arguments(op, arguments, originals, expected):
    call = getattr(tf.raw_ops, op)
    by_name = call(**arguments)
    by_original = call(**{originals.get(name, name): value for name, value in arguments.items()})
    by_position = call(*arguments.values())
    with tf.Session() as session:
        for outputs in session.run([by_name, by_original, by_position]):
            np.testing.assert_allclose(outputs, expected, rtol=1e-6)
    for name, original in originals.items():
        with pytest.raises(TypeError, match=rf"{op}\(\) got '{original}' and '{name}', which are the same argument"):
            call(**arguments, **{original: arguments[name]})


def test_graphs_keep_the_names_of_op_defs():
    attrs = tf.raw_ops.Squeeze(input=[[1.0]], axis=[0]).op.node_def.attr
    assert attrs["squeeze_dims"].list.i == [0] and "axis" not in attrs
