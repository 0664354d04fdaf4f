"""Convolutions of volumes: big sizes, shapes, refusals, wrappers, second gradients, threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.records.conv import conv_3d as records
from tfcore.testing import cpu_level, cpu_levels, evaluate

R = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def numbers_from_the_beginning():
    """The tests that ran before in this process do not decide which numbers a test draws."""
    R.bit_generator.state = np.random.default_rng(1).bit_generator.state


def _volume(*shape):
    return R.uniform(-1, 1, shape).astype(np.float32)


def _attrs(**changes):
    attrs = {"strides": [1] * 5, "padding": "SAME", "data_format": "NDHWC", "dilations": [1] * 5}
    return {**attrs, **changes}


def _run(tensor, feeds=None):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor, feeds)


# ---- Values


BIG = [
    ("video", (1, 12, 30, 33, 3), (3, 7, 7, 3, 24), {"strides": [1, 1, 2, 2, 1]}),
    ("many channels", (1, 6, 9, 10, 80), (3, 3, 3, 80, 48), {}),
    ("blocks of taps", (1, 5, 12, 11, 150), (3, 7, 5, 150, 20), {}),
    ("planes apart", (2, 13, 9, 17, 20), (3, 2, 3, 20, 17), {"dilations": [1, 3, 2, 1, 1]}),
    ("stride above the filter", (2, 11, 9, 8, 5), (1, 2, 1, 5, 9), {"strides": [1, 3, 3, 2, 1]}),
    ("filter above the volume", (2, 2, 3, 2, 4), (5, 7, 3, 4, 8), {}),
    ("planes one by one", (2, 5, 20, 21, 32), (1, 3, 3, 32, 32), {}),
    ("pointwise", (2, 3, 10, 11, 30), (1, 1, 1, 30, 40), {}),
    ("whole volume", (3, 4, 5, 6, 7), (4, 5, 6, 7, 33), {"padding": "VALID"}),
    ("along the depth", (1, 40, 3, 4, 16), (9, 1, 1, 16, 16), {"strides": [1, 2, 1, 1, 1]}),
]


@pytest.mark.parametrize("shape, filters, changes", [b[1:] for b in BIG], ids=[b[0] for b in BIG])
def test_large_sizes(shape, filters, changes):
    attrs = _attrs(**changes)
    x, f = _volume(*shape), _volume(*filters)
    wide = x.astype(np.float64), f.astype(np.float64)
    expected = records.conv3d(*wide, **attrs)
    g = _volume(*expected.shape)
    far = g.astype(np.float64)
    cases = {
        "Conv3D": ([x, f], expected),
        "Conv3DBackpropInputV2": (
            [np.array(shape, np.int32), f, g],
            records.conv3d_backprop_input(shape, wide[1], far, **attrs),
        ),
        "Conv3DBackpropFilterV2": (
            [x, np.array(filters, np.int32), g],
            records.conv3d_backprop_filter(wide[0], filters, far, **attrs),
        ),
    }
    for op, (inputs, result) in cases.items():
        with tf.Graph().as_default():
            y = getattr(tf.raw_ops, op)(*inputs, **attrs)
        for level in cpu_levels():
            with cpu_level(level):
                value = _run(y)
            close = {"rtol": 0, "atol": 5e-6 * np.abs(result).max()}
            np.testing.assert_allclose(value, result, err_msg=f"{op} at level {level}", **close)


def test_threads_change_nothing():
    x, f = _volume(2, 9, 20, 21, 24), _volume(3, 3, 3, 24, 40)
    with tf.Graph().as_default():
        y = tf.nn.conv3d(x, f, [1] * 5, "SAME")
        values = [y, *tf.gradients(y * y, [y.op.inputs[0], y.op.inputs[1]])]
        results = []
        for threads in (1, 3):
            config = tf.ConfigProto(intra_op_parallelism_threads=threads)
            with tf.Session(config=config) as session:
                results.append(session.run(values))
    for one, three in zip(*results):
        np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("op", ["Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"])
def test_empty_batch(op):
    x, f = np.zeros((0, 2, 3, 4, 5), np.float32), _volume(1, 2, 2, 5, 6)
    g = np.zeros((0, 2, 3, 4, 6), np.float32)
    inputs = {
        "Conv3D": [x, f],
        "Conv3DBackpropInputV2": [np.array(x.shape), f, g],
        "Conv3DBackpropFilterV2": [x, np.array(f.shape, np.int32), g],
    }[op]
    result = evaluate(op, *inputs, **_attrs())
    shape = {"Conv3D": g.shape, "Conv3DBackpropInputV2": x.shape, "Conv3DBackpropFilterV2": f.shape}[op]
    np.testing.assert_array_equal(result, np.zeros(shape, np.float32))


def test_second_gradients():
    """The gradient of the gradient, against differences of the first."""
    with tf.Graph().as_default():
        x = tf.constant(R.normal(size=(1, 3, 4, 3, 2)))
        f = tf.constant(R.normal(size=(2, 2, 3, 2, 2)))
        y = tf.nn.conv3d(x, f, [1, 2, 1, 1, 1], "SAME", dilations=[1, 1, 2, 1, 1])
        dx, df = tf.gradients(y * y, [x, f])
        total = tf.reduce_sum(dx * dx) + tf.reduce_sum(df * df)
        with tf.Session():
            pairs = tf.test.compute_gradient([x, f], [x.shape.as_list(), f.shape.as_list()], total, [])
    for symbolic, numeric in pairs:
        np.testing.assert_allclose(symbolic, numeric, rtol=1e-3, atol=1e-3 * np.abs(symbolic).max())


# ---- Shapes


def _static(shape, filters, **changes):
    with tf.Graph().as_default():
        x, f = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, filters)
        return tf.raw_ops.Conv3D(input=x, filter=f, **_attrs(**changes)).shape.as_list()


def test_shapes_with_unknown_sizes():
    assert _static(None, None) == [None] * 5
    assert _static([None, 5, None, 7, 3], [2, 2, None, 3, 4]) == [None, 5, None, 7, 4]
    assert _static([2, 5, None, 7, 3], [2, 2, None, 3, 4], padding="VALID") == [2, 4, None, None, 4]
    assert _static([2, 3, 8, 9, 10], [1, 1, 1, 3, 6], strides=[1, 1, 2, 2, 2], data_format="NCDHW") == [2, 6, 4, 5, 5]


@given(st.data())
def test_static_shapes_are_the_real_ones(data):
    draw = data.draw
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    taps, strides = ([draw(st.integers(1, 3)) for _ in range(3)] for _ in range(2))
    sizes = [draw(st.integers(1 if padding == "SAME" else t, 6)) for t in taps]
    with tf.Graph().as_default():
        x = tf.ones([1, *sizes, 2])
        y = tf.nn.conv3d(x, tf.ones([*taps, 2, 3]), [1, *strides, 1], padding)
        back = tf.nn.conv3d_transpose(y, tf.ones([*taps, 2, 3]), tf.shape(x), strides, padding)
        static, (value, larger) = y.shape.as_list(), _run_all(y, back)
    assert static == list(value.shape)
    assert larger.shape == (1, *sizes, 2)


def _run_all(*tensors):
    with tf.Session(graph=tensors[0].graph) as session:
        return session.run(tensors)


# ---- Refusals


ONES = {"input": (1, 4, 4, 4, 2), "filter": (2, 2, 2, 2, 3)}


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"input": (1, 4, 4, 2)}, "Shape must be rank 5 but is rank 4"),
        ({"input": (1, 4, 4, 4, 3)}, "Depth of input \\(3\\) is not a multiple of input depth of filter \\(2\\)"),
        ({"input": (1, 4, 4, 4, 0), "filter": (1, 1, 1, 0, 2)}, "Depth of filter must not be 0"),
        ({"strides": [1, 0, 1, 1, 1]}, "Stride must be > 0, but got 0"),
        ({"strides": [1] * 4}, "Attr 'strides' of 'Conv3D' Op passed list of length 4 less than minimum 5."),
        ({"strides": [1] * 6}, "Conv3D requires the stride attribute to contain 5 values, but got: 6"),
        ({"dilations": [1] * 4}, "Conv3D requires the dilation attribute to contain 5 values, but got: 4"),
        ({"dilations": [1, 0, 1, 1, 1]}, "Dilation rate must be >= 1, but got 0"),
        ({"filter": (5, 2, 2, 2, 3), "padding": "VALID"}, "Negative dimension size caused by subtracting 5 from 4"),
        ({"padding": "EXPLICIT"}, "Value for attr 'padding' of \"EXPLICIT\" is not in the list of allowed values"),
        ({"data_format": "NHWC"}, "Value for attr 'data_format' of \"NHWC\" is not in the list of allowed values"),
    ],
)
def test_refused_when_built(changes, text):
    shapes = {**ONES, **{name: changes.pop(name) for name in ("input", "filter") if name in changes}}
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.nn.conv3d(*(tf.ones(s) for s in shapes.values()), **_attrs(**changes))


@pytest.mark.parametrize(
    "changes, error, text",
    [
        ({"input": (4, 4, 4)}, tf.errors.InvalidArgumentError, "input must be 5-dimensional"),
        ({"input": (1, 4, 4, 4, 3)}, tf.errors.InvalidArgumentError, "input and filter must have the same depth: 3 vs"),
        ({"input": (1, 4, 4, 4, 4)}, tf.errors.InvalidArgumentError, "input and filter must have the same depth: 4 vs"),
        ({"filter": (0, 2, 2, 2, 3)}, tf.errors.InvalidArgumentError, "filter must not have zero elements"),
        ({"strides": [2, 1, 1, 1, 1]}, tf.errors.UnimplementedError, "strides in the batch and depth dimensions"),
        ({"dilations": [1, 1, 1, 1, 2]}, tf.errors.InvalidArgumentError, "dilations rates in the batch and depth"),
        (
            {"filter": (6, 2, 2, 2, 3), "padding": "VALID"},
            tf.errors.InvalidArgumentError,
            "Computed output size would be negative: -1 .input_size: 4, effective_filter_size: 6, stride: 1",
        ),
    ],
)
def test_refused_when_run(changes, error, text):
    shapes = {**ONES, **{name: changes.pop(name) for name in ("input", "filter") if name in changes}}
    with tf.Graph().as_default():
        feeds = {tf.placeholder(tf.float32): np.ones(shape) for shape in shapes.values()}
        y = tf.nn.conv3d(*feeds, **_attrs(**changes))
        with pytest.raises(error, match=text):
            _run(y, feeds)


@pytest.mark.parametrize(
    "sizes, grad, text",
    [
        ([1, 4, 4, 4], (1, 4, 4, 4, 3), "input_sizes input must be 1-dim with 5 elements"),
        ([1, -4, 4, 4, 2], (1, 4, 4, 4, 3), "negative or too large"),
        ([1, 7, 4, 4, 2], (1, 4, 4, 4, 3), "Size of out_backprop doesn't match computed: actual = 4, computed = 7"),
        ([2, 4, 4, 4, 2], (1, 4, 4, 4, 3), "must have the same batch size"),
        ([1, 4, 4, 4, 5], (1, 4, 4, 4, 3), "input and filter must have the same depth: 5 vs 2"),
        ([1, 4, 4, 4, 2], (1, 4, 4, 4, 4), "filter and out_backprop must have the same out_depth"),
        ([2**31, 2**31, 4, 4, 2], (1, 4, 4, 4, 3), "negative or too large"),
    ],
)
def test_wrong_sizes_of_gradients(sizes, grad, text):
    with tf.Graph().as_default():
        feeds = {tf.placeholder(tf.int64): sizes, tf.placeholder(tf.float32): np.ones(grad)}
        where, value = feeds
        y = tf.nn.conv3d_transpose(value, tf.ones(ONES["filter"]), where, 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, feeds)


def test_types():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="has DataType int32 not in list of allowed values"):
            tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1], tf.int32), tf.ones([1, 1, 1, 1, 1], tf.int32), [1] * 5, "SAME")
        with pytest.raises(TypeError, match="Expected list"):
            tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1]), 1, "SAME")


# ---- Functions of any number of dimensions


@pytest.mark.parametrize("data_format", [None, "NDHWC", "NCDHW"])
@pytest.mark.parametrize("window", [{"strides": [1, 2, 1]}, {"dilation_rate": [2, 1, 1]}, {}])
def test_convolution(data_format, window):
    shape = records.in_order([2, 5, 6, 7, 3], data_format)
    x, f = _volume(*shape), _volume(2, 3, 2, 3, 4)
    attrs = _attrs(
        strides=records.in_order([1, *window.get("strides", [1] * 3), 1], data_format),
        dilations=records.in_order([1, *window.get("dilation_rate", [1] * 3), 1], data_format),
        data_format=data_format or "NDHWC",
    )
    with tf.Graph().as_default():
        y = tf.nn.convolution(x, f, "SAME", data_format=data_format, **window)
        np.testing.assert_allclose(_run(y), records.conv3d(x, f, **attrs), atol=1e-4)


def test_conv_transpose():
    x, f = _volume(1, 2, 3, 4, 5), _volume(2, 2, 2, 6, 5)
    attrs = _attrs(strides=[1, 2, 2, 2, 1])
    expected = records.conv3d_backprop_input((1, 4, 6, 8, 6), f, x, **attrs)
    with tf.Graph().as_default():
        y = tf.nn.conv_transpose(x, f, [1, 4, 6, 8, 6], 2)
        np.testing.assert_allclose(_run(y), expected, atol=1e-4)
        assert y.shape.as_list() == [1, 4, 6, 8, 6]
        with pytest.raises(ValueError, match="strides should be of length 1, 3 or 5"):
            tf.nn.conv3d_transpose(x, f, [1, 4, 6, 8, 6], [2, 2])


def test_backprop_filter():
    x, g = _volume(2, 3, 4, 5, 3), _volume(2, 3, 4, 5, 4)
    expected = records.conv3d_backprop_filter(x, (2, 2, 2, 3, 4), g, **_attrs())
    with tf.Graph().as_default():
        for function in (tf.nn.conv3d_backprop_filter, tf.nn.conv3d_backprop_filter_v2):
            y = function(x, [2, 2, 2, 3, 4], g, [1] * 5, "SAME")
            np.testing.assert_allclose(_run(y), expected, atol=1e-4)
