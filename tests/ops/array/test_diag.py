"""Diagonals of matrices: what the wrappers make, static shapes, errors."""

import numpy as np
import pytest

import tfcore as tf

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)


def run(tensor, feeds=None):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_operations_are_tensorflows(graph):
    tf.matrix_diag([1.0, 2.0])
    tf.linalg.diag_part(MATRIX, name="part")
    tf.linalg.set_diag(MATRIX, [1.0, 2.0, 3.0])
    made = {op.name: op.type for op in graph.get_operations() if op.type != "Const"}
    assert made == {"diag": "MatrixDiagV3", "part": "MatrixDiagPartV3", "set_diag": "MatrixSetDiagV3"}
    assert graph.get_operation_by_name("diag").get_attr("align") == b"RIGHT_LEFT"
    assert [t.name for t in graph.get_operation_by_name("diag").inputs] == [
        f"diag/{name}:0" for name in ("diagonal", "k", "num_rows", "num_cols", "padding_value")
    ]


@pytest.mark.parametrize(
    ("align", "above", "below"),
    [
        ("LEFT_RIGHT", [2, 7, -1], [-1, 4, 9]),
        ("RIGHT_LEFT", [-1, 2, 7], [4, 9, -1]),
        ("LEFT_LEFT", [2, 7, -1], [4, 9, -1]),
        ("RIGHT_RIGHT", [-1, 2, 7], [-1, 4, 9]),
    ],
)
def test_alignment(align, above, below):
    band = run(tf.matrix_diag_part(MATRIX, k=(-1, 2), padding_value=-1, align=align))
    assert band.tolist() == [above, [1, 6, 11], [0, 5, 10], below]
    inside = (np.indices((3, 4))[1] - np.indices((3, 4))[0] >= -1) & (np.tri(3, 4, 2) > 0)
    rebuilt = run(tf.matrix_diag(band, k=(-1, 2), num_rows=3, num_cols=4, padding_value=50, align=align))
    assert np.array_equal(rebuilt, np.where(inside, MATRIX, 50))
    replaced = run(tf.matrix_set_diag(np.full((3, 4), 50, np.float32), band, k=(-1, 2), align=align))
    assert np.array_equal(replaced, rebuilt)


def test_bool_padding():
    assert run(tf.matrix_diag(np.array([True, True]), padding_value=1)).all()
    assert run(tf.matrix_diag_part(tf.constant([[True, False]]), k=(0, 1))).tolist() == [[False], [True]]
    with pytest.raises(TypeError, match="Expected bool, got 0"):
        tf.matrix_diag([True, False])


def test_nothing_inside():
    assert run(tf.matrix_diag(np.zeros([0], np.float32), k=-1, padding_value=7)).tolist() == [[7]]
    assert run(tf.matrix_diag_part(np.zeros([0, 3]), k=(0, 2))).shape == (3, 0)
    assert run(tf.matrix_diag_part(np.zeros([2, 3, 0]), k=(-2, 0))).shape == (2, 3, 0)
    assert run(tf.matrix_set_diag(np.zeros([2, 0, 3]), np.zeros([2, 3, 0]), k=(0, 2))).shape == (2, 0, 3)


def test_set_diag_leaves_its_input_alone():
    x = tf.constant(MATRIX)
    with tf.Session() as session:
        before, after = session.run([x, tf.matrix_set_diag(x, np.full(3, -1, np.float32), k=1)])
    assert np.array_equal(before, MATRIX)
    assert (after[[0, 1, 2], [1, 2, 3]] == -1).all()


def test_static_shapes():
    def placeholder(*dims, dtype=tf.float32):
        return tf.placeholder(dtype, dims)

    def dims(tensor):
        return None if tensor.shape.ndims is None else tensor.shape.as_list()

    scalar = placeholder(dtype=tf.int32)
    assert dims(tf.matrix_diag(placeholder(2, 3))) == [2, 3, 3]
    assert dims(tf.matrix_diag(placeholder(2, 3), k=-2)) == [2, 5, 5]
    assert dims(tf.matrix_diag(placeholder(2, 3), k=(0, 1), num_cols=7)) == [3, 7]
    assert dims(tf.matrix_diag(placeholder(None, None), k=1)) == [None, None, None]
    assert dims(tf.matrix_diag(placeholder(None), num_rows=4)) == [4, None]
    assert dims(tf.matrix_diag(placeholder(3), num_rows=scalar)) == [None, None]
    assert dims(tf.matrix_diag(placeholder(3), num_rows=scalar, num_cols=3)) == [None, 3]
    assert dims(tf.matrix_diag(placeholder(3), k=scalar)) is None
    assert dims(tf.matrix_diag_part(placeholder(2, 3, 4), k=(-1, 1))) == [2, 3, 3]
    assert dims(tf.matrix_diag_part(placeholder(3, None), k=[1])) == [None]
    assert dims(tf.matrix_diag_part(placeholder(3, 4), k=scalar)) is None
    assert dims(tf.matrix_set_diag(placeholder(None, None, None), placeholder(5, 3))) == [5, None, None]
    assert dims(tf.matrix_set_diag(tf.placeholder(tf.float32), placeholder(5, 2, 3), k=(0, 1))) == [5, None, None]
    assert dims(tf.matrix_set_diag(placeholder(3, 3), tf.placeholder(tf.float32), k=scalar)) == [3, 3]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tf.matrix_diag_part(MATRIX, k=(2, 1)), "lower_diag_index is greater than upper_diag_index"),
        (lambda: tf.matrix_diag_part(MATRIX, k=[0, 1, 2]), "a vector with one or two elements. It has 3 elements."),
        (lambda: tf.matrix_diag_part(MATRIX, k=[[0]]), "Shape must be at most rank 1 but is rank 2"),
        (lambda: tf.matrix_diag_part(MATRIX, k=4), "lower_diag_index is out of bound."),
        (lambda: tf.matrix_diag_part(MATRIX, k=(0, 4)), "upper_diag_index is out of bound."),
        (lambda: tf.matrix_diag_part(MATRIX, padding_value=[0]), "Shape must be rank 0 but is rank 1"),
        (lambda: tf.matrix_diag_part(MATRIX[0]), "Shape must be at least rank 2 but is rank 1"),
        (lambda: tf.matrix_diag_part(MATRIX, align="MIDDLE"), 'not in the list of allowed values: "LEFT_RIGHT"'),
        (lambda: tf.matrix_diag(1.0), "Shape must be at least rank 1 but is rank 0"),
        (lambda: tf.matrix_diag(MATRIX, k=(0, 1)), "num_diags = 3, d_lower = 0, d_upper = 1 2 4"),
        (lambda: tf.matrix_diag(MATRIX[0], k=(0, 1)), "num_diags = 4, d_lower = 0, d_upper = 1 1 4"),
        (lambda: tf.matrix_diag(MATRIX, num_rows=3), "num_rows is too small"),
        (lambda: tf.matrix_diag(MATRIX, num_cols=3), "num_cols is too small."),
        (
            lambda: tf.matrix_diag(MATRIX, num_rows=5, num_cols=5),
            "num_rows = 5 != min_num_rows = 4, num_cols = 5 != min",
        ),
        (lambda: tf.matrix_set_diag(MATRIX, MATRIX[0], k=(0, 1)), "Shape must be rank 2 but is rank 1"),
        (lambda: tf.matrix_set_diag(MATRIX, MATRIX[0], k=-3), "lower_diag_index is out of bound."),
        (lambda: tf.matrix_set_diag(MATRIX, 1.0), "Shape must be at least rank 1 but is rank 0"),
    ],
)
def test_errors_when_built(build, message):
    with pytest.raises(ValueError) as caught:
        build()
    assert message in str(caught.value)


def _part(x=MATRIX, k=0, padding=0.0):
    return tf.raw_ops.MatrixDiagPartV3, [x, np.array(k, np.int32), np.float32(padding)]


def _diag(x=MATRIX, k=0, rows=-1, cols=-1, padding=0.0):
    return tf.raw_ops.MatrixDiagV3, [x, *(np.array(n, np.int32) for n in (k, rows, cols)), np.float32(padding)]


def _set(x=MATRIX, diagonal=MATRIX[0, :3], k=0):
    return tf.raw_ops.MatrixSetDiagV3, [x, diagonal, np.array(k, np.int32)]


_NO_ROOM = "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
_WRONG_COUNT = (
    "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range."
)
_WRONG_SHAPE = (
    "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the "
    "longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: [3,4]\nDiagonal shape: {}\nExpected "
    "diagonal shape: {}"
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (_part(k=[2, 1]), "lower_diag_index must not be larger than upper_diag_index: 2 > 1"),
        (_part(k=[0, 1, 2]), "diag_index must have only one or two elements, received 3 elements."),
        (_part(k=[]), "Expected diag_index to have at least 1 element"),
        (_part(k=[[0]]), "diag_index must be a scalar or vector, received shape: [1,1]"),
        (_part(k=4), "lower_diag_index is out of bound: 4. It must be between -3 and 4"),
        (_part(k=[-3, 0]), "lower_diag_index is out of bound: -3. It must be between -3 and 4"),
        (_part(k=[0, 2**31 - 1]), "upper_diag_index is out of bound: 2147483647. It must be between -3 and 4"),
        (_part(padding=[0, 0]), "Padding must be scalar."),
        (_part(x=MATRIX[0]), "input must be at least 2-dim, received shape: [4]"),
        (_diag(x=np.float32(1)), "diagonal must be at least 1-dim, received shape: []"),
        (_diag(k=[1, 0]), "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
        (_diag(k=[]), "Expected diag_index to have at least 1 element"),
        (_diag(k=[0, 1]), _WRONG_COUNT),
        (_diag(x=MATRIX[0], k=[0, 1]), _WRONG_COUNT),
        (_diag(k=[-(2**31), 2**31 - 1]), _WRONG_COUNT),
        (_diag(rows=3), "The number of rows is too small."),
        (_diag(rows=-2), "The number of rows is too small."),
        (_diag(cols=3), "The number of columns is too small."),
        (_diag(rows=5, cols=5), _NO_ROOM),
        (_diag(rows=[4]), "num_rows must be a scalar"),
        (_diag(cols=[]), "num_cols must be a scalar"),
        (_diag(padding=[0]), "padding_value must be a scalar"),
        (_diag(k=2**31 - 1), "Shape [3,2147483651,2147483651] has too many elements"),
        (_set(k=[1, 0]), "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
        (_set(k=[]), "diag_index must have at least one element"),
        (_set(k=-3), "lower_diag_index is out of bound: -3. It must be between -3 and 4"),
        (_set(k=[0, 1]), "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and"),
        (_set(diagonal=np.float32(1)), "diagonal must be at least 1-dim, received shape: []"),
        (_set(diagonal=MATRIX[0]), _WRONG_SHAPE.format("[4]", "[3]")),
        (_set(diagonal=MATRIX[:1, :3]), _WRONG_SHAPE.format("[1,3]", "[3]")),
        (_set(diagonal=MATRIX[:2], k=[0, 1]), _WRONG_SHAPE.format("[2,4]", "[2,3]")),
        (_set(x=MATRIX[0]), "input must be at least 2-dim, received shape: [4]"),
    ],
)
def test_errors_when_run(call, message):
    op, values = call
    values = [np.asarray(v) for v in values]
    inputs = [tf.placeholder(v.dtype) for v in values]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(op(*inputs), dict(zip(inputs, values, strict=True)))
    assert message in str(caught.value)


def test_gradient_of_unknown_shapes():
    """Where the shape of the matrices is known only at run time."""
    x = tf.placeholder(tf.float32)
    weights = np.arange(1.0, 7).reshape(2, 3)
    (gradient,) = tf.gradients(tf.matrix_diag_part(x, k=(0, 1)) * weights, [x])
    assert run(gradient, {x: MATRIX}).tolist() == [[4, 1, 0, 0], [0, 5, 2, 0], [0, 0, 6, 3]]
