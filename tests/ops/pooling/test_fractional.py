"""Fractional pools: TensorFlow's regions, values, gradients, refusals; the records test the gradient ops."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.pooling import fractional as records

KINDS = {"Max": records.maxima, "Avg": records.means}
IMAGES = np.random.default_rng(0).permutation(7 * 9 * 2 * 3).reshape(3, 7, 9, 2)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def _pool(kind, x, ratio=(1.0, 1.5, 1.3, 1.0), **attrs):
    return getattr(tf.raw_ops, f"Fractional{kind}Pool")(value=x, pooling_ratio=ratio, **attrs)


def _seeded(seed, seed2, **attrs):
    return {"deterministic": True, "seed": seed, "seed2": seed2, **attrs}


# What TensorFlow 2.21 draws for images of some sizes.
@pytest.mark.parametrize(
    "size, pseudo_random, seeds, rows, columns",
    [
        ((7, 9), False, (3, 5), [0, 1, 3, 5, 7], [0, 2, 4, 5, 7, 8, 9]),
        ((9, 9), True, (7, 8), [0, 1, 3, 4, 6, 7, 9], [0, 2, 3, 5, 6, 8, 9]),
        ((9, 13), False, (7, 8), [0, 2, 3, 4, 5, 7, 9], [0, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13]),
        ((3, 4), True, (5, 0), [0, 2, 3], [0, 1, 2, 4]),
        ((3, 4), False, (5, 0), [0, 1, 3], [0, 2, 3, 4]),
        ((20, 4), True, (1, 2), [0, 1, 3, 4, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20], None),
    ],
)
def test_regions_are_tensorflows(size, pseudo_random, seeds, rows, columns):
    out = _pool("Max", np.zeros((1, *size, 1)), pseudo_random=pseudo_random, **_seeded(*seeds))
    assert run(out[1]).tolist() == rows
    assert columns is None or run(out[2]).tolist() == columns


# Quotients that are whole numbers but for the float32 that the ratio is, and others.
@pytest.mark.parametrize("ratio", [1.0, 1.1, 1.2, 1.25, 1.3, 1.44, 1.5, 1.7, 1.8, 2.2, 2.4, 3.3])
def test_static_sizes_are_those_of_runs(ratio):
    sizes = [4, 11, 12, 13, 17, 18, 24, 33, 36, 55, 72]
    out = [_pool("Max", np.zeros((1, size, size, 1)), (1.0, ratio, ratio, 1.0)) for size in sizes]
    for tensors, values in zip(out, run([list(tensors) for tensors in out])):
        assert [tuple(t.shape.as_list()) for t in tensors] == [v.shape for v in values]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_regions(kind, overlapping, dtype):
    images = (IMAGES - 100).astype(dtype)
    for pseudo_random in (False, True):
        y, rows, columns = run(list(_pool(kind, images, overlapping=overlapping, pseudo_random=pseudo_random)))
        for axis, (beginnings, size, ratio) in enumerate([(rows, 7, 1.5), (columns, 9, 1.3)]):
            assert beginnings[0] == 0 and beginnings[-1] == size and y.shape[1 + axis] == int(size / ratio)
            assert set(np.diff(beginnings)) <= {1, 2}
        wanted = records.pool(
            images.astype(np.float64 if dtype[0] == "f" else dtype), rows, columns, overlapping, KINDS[kind]
        )
        np.testing.assert_allclose(y, wanted, rtol=1e-6)
        assert y.dtype == dtype


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind):
    x = tf.constant(IMAGES[:1] / 8.0)
    for overlapping in (False, True):
        y = _pool(kind, x, overlapping=overlapping, **_seeded(1, 2))[0]
        with tf.Session():
            error = tf.test.compute_gradient_error(x, x.shape.as_list(), y, y.shape.as_list(), delta=1e-3)
        assert error < 1e-6


def test_each_run_draws_other_regions():
    images = np.zeros((1, 100, 100, 1))
    rows = _pool("Max", images)[1]
    fixed = [_pool("Max", images, **_seeded(1, 2))[1], _pool("Max", images, deterministic=True)[1]]
    with tf.Session() as session:
        assert len({tuple(session.run(rows)) for _ in range(5)}) == 5
        for same in fixed:
            assert len({tuple(session.run(same)) for _ in range(3)}) == 1
        both = session.run([_pool("Max", images)[1], _pool("Max", images)[1]])
        assert both[0].tolist() != both[1].tolist()  # equal calls are not merged


def test_maxima_of_nan():
    y = run(_pool("Max", np.full((1, 2, 2, 1), np.nan, np.float32), [1.0, 2.0, 2.0, 1.0]))[0]
    assert y.tolist() == [[[[np.finfo(np.float32).min]]]]


def test_wrappers():
    for kind in KINDS:
        wrapper = getattr(tf.nn, f"fractional_{kind.lower()}_pool")
        out = wrapper(IMAGES, [1.0, 1.5, 1.3, 1.0], True, True, True, 3, 4, name=kind)
        assert out.output.op.type == f"Fractional{kind}Pool" and out[0].op.name == kind
        assert [t.shape.as_list() for t in out] == [[3, 4, 6, 2], [5], [7]]
        attrs = {name: out[0].op.get_attr(name) for name in ("pseudo_random", "overlapping", "deterministic")}
        assert all(attrs.values()) and out[0].op.get_attr("seed2") == 4


def test_shapes():
    def shapes(dims):
        return [t.shape for t in _pool("Avg", tf.placeholder(tf.float32, dims))]

    assert [s.as_list() for s in shapes([None, 7, None, 2])] == [[None, 4, None, 2], [5], [None]]
    assert [s.as_list() for s in shapes(None)] == [[None] * 4, [None], [None]]


@pytest.mark.parametrize(
    "shape, ratio, attrs, error, text",
    [
        ((1, 4, 4, 1), [1, 0.5, 1, 1], {}, ValueError, "pooling_ratio cannot be smaller than 1, got: 0.5"),
        ((1, 4, 4, 1), [1, 1, 1, 1, 1], {}, ValueError, "pooling_ratio field must specify 4 dimensions"),
        ((4, 4, 1), [1, 1, 1, 1], {}, ValueError, "Shape must be rank 4 but is rank 3"),
        ((2, 4, 4, 1), [2, 1, 1, 1], {}, tf.errors.UnimplementedError, "average pooling is not yet supported"),
        ((1, 4, 4, 2), [1, 1, 1, 2], {}, tf.errors.UnimplementedError, "average pooling is not yet supported"),
        ((1, 4, 4, 1), [1, np.nan, 1, 1], {}, tf.errors.InvalidArgumentError, "cannot be smaller than 1, got: -?nan"),
        ((1, 4, 4, 1), [1, np.inf, 1, 1], {}, tf.errors.InvalidArgumentError, "dimension 1. Input dim size: 4 pool"),
        ((1, 7, 9, 1), [1, 8, 1, 1], {}, tf.errors.InvalidArgumentError, "Input dim size: 7 pooling ratio: 8"),
        ((0, 7, 9, 1), [1, 1, 1, 1], {}, tf.errors.InvalidArgumentError, "dimension 0. Input dim size: 0 po"),
        ((1, 4, 4, 1), [1, 1, 1, 1], {"seed": 1}, tf.errors.InvalidArgumentError, "Both seed and seed2 should be 0"),
    ],
)  # fmt: skip
def test_refusals(shape, ratio, attrs, error, text):
    with pytest.raises(error, match=text):
        run(_pool("Avg", np.zeros(shape), ratio, **attrs)[0])


X4 = np.arange(16.0).reshape(1, 4, 4, 1)
Y4 = np.array([1.0, 3, 13, 15]).reshape(1, 2, 2, 1)


def _grad(op, *values):
    types = [tf.float64 if np.asarray(v).dtype.kind == "f" and np.size(v) else tf.int64 for v in values]
    fed = [tf.placeholder(t) for t in types]
    return run(
        getattr(tf.raw_ops, op)(**dict(zip(op_names(op), fed, strict=True))), dict(zip(fed, values, strict=True))
    )


def op_names(op):
    first = ("orig_input", "orig_output") if "Max" in op else ("orig_input_tensor_shape",)
    return (*first, "out_backprop", "row_pooling_sequence", "col_pooling_sequence")


@pytest.mark.parametrize(
    "changes, text",
    [
        ({0: X4[0]}, "orig_input should be a tensor of rank 4"),
        ({1: Y4[0]}, "orig_output should be a tensor of rank 4"),
        ({1: Y4 + 1}, "tensor_out_dup is not the same as tensor_out"),
        ({3: [0, 4]}, "tensor_out_dup is not the same as tensor_out"),
        ({3: [0, 1, 2, 4]}, "tensor_out_dup is not the same as tensor_out"),
        ({3: [0, 0, 4]}, "Row sequence tensor values must not be negative, got 0 0 4"),
        ({4: [-1, 2, 4]}, "Column sequence tensor values must not be negative, got -1 2 4"),
        ({3: [[0, 1, 4]]}, r"row_pooling_sequence must be a vector, received shape \[1,3\]"),
        ({2: Y4[:, :1]}, "out_backprop has shape"),
        ({0: np.concatenate([X4, X4])}, "tensor_out_dup is not the same"),
        ({3: [0, 1, 2**62]}, None),
    ],
)
def test_the_gradient_of_maxima_refuses(changes, text):
    values = [changes.get(i, v) for i, v in enumerate([X4, Y4, Y4, [0, 1, 4], [0, 2, 4]])]
    if text is None:  # regions end with the image
        assert _grad("FractionalMaxPoolGrad", *values).sum() == Y4.sum()
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _grad("FractionalMaxPoolGrad", *values)


@pytest.mark.parametrize(
    "changes, text",
    [
        ({0: [1, 4, 4]}, "original input tensor shape must be1-dimensional and 4 elements"),
        ({0: [1, -4, 4, 1]}, "Expected a non-negative size, got -4"),
        ({0: [1, 2**40, 2**40, 1]}, "has too many elements"),
        ({1: Y4[0]}, "out_backprop must be 4-dimensional"),
        ({1: Y4[:, :0] + 0.5}, "out_backprop must be positive for all dimension, got:0"),
        ({2: [0, 4]}, "row_seq_tensor must have at least 3 elements, but got 2"),
        ({3: [0, 4]}, "col_seq_tensor must have at least 3 elements, but got 2"),
        ({2: [-1, 1, 4]}, "Row sequence tensor values must not be negative, got -1 1 4"),
        ({0: [2, 4, 4, 1]}, "does not fit to an input of shape"),
    ],
)
def test_the_gradient_of_means_refuses(changes, text):
    values = [changes.get(i, v) for i, v in enumerate([[1, 4, 4, 1], Y4, [0, 1, 4], [0, 2, 4]])]
    fed = [tf.placeholder(t) for t in (tf.int64, tf.float64, tf.int64, tf.int64)]
    out = tf.raw_ops.FractionalAvgPoolGrad(**dict(zip(op_names("Avg"), fed, strict=True)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(out, dict(zip(fed, values, strict=True)))


@pytest.mark.parametrize(("size", "ratio", "wanted"), [(11, 1.1, 10), (16, 1.6, 10), (24, 1.2, 20), (173, 1.73, 100)])
def test_sizes_are_divided_in_single_precision(size, ratio, wanted):
    x = tf.placeholder(tf.float32)
    pooled = _pool("Max", x, (1.0, ratio, 1.0, 1.0))
    assert run(pooled.output, {x: np.zeros((1, size, 1, 1))}).shape == (1, wanted, 1, 1)
    static = _pool("Avg", np.zeros((1, size, 1, 1), np.float32), (1.0, ratio, 1.0, 1.0))
    assert static.output.shape == (1, wanted, 1, 1) and static.row_pooling_sequence.shape == (wanted + 1,)
