"""Convolutions: error texts, wrappers, big sizes, threads."""

import zlib

import numpy as np
import pytest

import tfcore as tf
from tests.records.conv import conv as records
from tfcore.testing import check_values, cpu_level, cpu_levels, evaluate

R = np.random.default_rng()


@pytest.fixture(autouse=True)
def numbers_of_its_own(request):
    """What a test draws does not depend on which tests ran before it."""
    R.bit_generator.state = type(R.bit_generator)(zlib.crc32(request.node.name.encode())).state


def _image(*shape):
    return R.uniform(-1, 1, shape).astype(np.float32)


def _attrs(**changes):
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1, 1, 1, 1]}
    return {**attrs, "explicit_paddings": [], **changes}


def _run(tensor, feeds=None):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor, feeds)


def _placeholders(*shapes):
    return [tf.placeholder(tf.float32, shape) for shape in shapes]


# ---- Sizes that take every path of the engine


BIG = [
    ("one channel", (3, 28, 28, 1), (5, 5, 1, 32), {}),
    ("three channels, stride 4", (2, 51, 51, 3), (11, 11, 3, 64), {"strides": [1, 4, 4, 1], "padding": "VALID"}),
    ("bands and blocks of taps", (2, 40, 33, 150), (7, 5, 150, 40), {}),
    ("taps apart", (2, 40, 70, 24), (3, 3, 24, 70), {"dilations": [1, 2, 3, 1]}),
    ("stride above the filter", (2, 19, 23, 8), (2, 1, 8, 20), {"strides": [1, 3, 2, 1]}),
    ("filter above the image", (2, 3, 2, 8), (5, 7, 8, 16), {}),
    ("pointwise", (2, 30, 31, 64), (1, 1, 64, 48), {}),
    ("whole image", (5, 9, 7, 16), (9, 7, 16, 33), {"padding": "VALID"}),
]
# Stride 1, 3x3 or 5x5 taps, many channels: done with fewer products.
FEWER_PRODUCTS = [
    ("few products 5x5", (2, 35, 33, 32), (5, 5, 32, 48), {}),
    ("few products 3x3", (5, 21, 23, 48), (3, 3, 48, 32), {"padding": "VALID"}),
    ("few products, groups of channels", (1, 47, 46, 144), (3, 3, 144, 80), {}),
    ("few products 5x5, groups of channels", (1, 47, 46, 144), (5, 5, 144, 80), {}),
    ("few products 5x5 inside, groups of channels", (1, 50, 49, 144), (5, 5, 144, 80), {"padding": "VALID"}),
    (
        "few products, uneven rims",
        (1, 45, 50, 32),
        (5, 5, 32, 80),
        {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 4, 1, 0, 3, 0, 0]},
    ),
]
BIG += FEWER_PRODUCTS


@pytest.mark.parametrize("shape, filters, changes", [b[1:] for b in BIG], ids=[b[0] for b in BIG])
def test_large_sizes(shape, filters, changes):
    attrs = _attrs(**changes)
    x, f = _image(*shape), _image(*filters)
    wide = x.astype(np.float64), f.astype(np.float64)
    expected = records.conv2d(*wide, **attrs)
    g = _image(*expected.shape)
    gradients = {
        "Conv2D": ([x, f], expected),
        "Conv2DBackpropInput": (
            [np.array(shape, np.int32), f, g],
            records.conv2d_backprop_input(shape, wide[1], g.astype(np.float64), **attrs),
        ),
        "Conv2DBackpropFilter": (
            [x, np.array(filters, np.int32), g],
            records.conv2d_backprop_filter(wide[0], filters, g.astype(np.float64), **attrs),
        ),
    }
    for op, (inputs, result) in gradients.items():
        with tf.Graph().as_default():
            y = getattr(tf.raw_ops, op)(*inputs, **attrs)
        for level in cpu_levels():
            with cpu_level(level):
                value = _run(y)
            close = {"rtol": 0, "atol": 5e-6 * np.abs(result).max()}
            np.testing.assert_allclose(value, result, err_msg=f"{op} at level {level}", **close)


def _three_ways(x, f, g, attrs):
    """(op, inputs, reference of any such inputs) of the three directions."""
    return [
        ("Conv2D", [x, f], lambda x, f: records.conv2d(x, f, **attrs)),
        (
            "Conv2DBackpropInput",
            [np.array(x.shape, np.int32), f, g],
            lambda sizes, f, g: records.conv2d_backprop_input(sizes, f, g, **attrs),
        ),
        (
            "Conv2DBackpropFilter",
            [x, np.array(f.shape, np.int32), g],
            lambda x, sizes, g: records.conv2d_backprop_filter(x, sizes, g, **attrs),
        ),
    ]


def _at_every_level(op, inputs, attrs):
    with tf.Graph().as_default():
        y = getattr(tf.raw_ops, op)(*inputs, **attrs)
    for level in cpu_levels():
        with cpu_level(level):
            yield level, _run(y)


@pytest.mark.parametrize("shape, filters, changes", [b[1:] for b in FEWER_PRODUCTS], ids=[b[0] for b in FEWER_PRODUCTS])
def test_fewer_products_keep_the_digits(shape, filters, changes):
    """Errors are about those of adding up tap by tap (up to 2.5 eps here), relative to the sum of absolute terms."""
    attrs = _attrs(**changes)
    x, f = np.maximum(_image(*shape), 0), _image(*filters) ** 3
    g = R.standard_normal(records.conv2d(x, f, **attrs).shape).astype(np.float32)
    for op, inputs, reference in _three_ways(x, f, g, attrs):
        wide = [v.astype(np.float64) if v.dtype == np.float32 else v for v in inputs]
        expected, scale = reference(*wide), reference(*map(np.abs, wide))
        for _, value in _at_every_level(op, inputs, attrs):
            check_values(value, expected, np.dtype(np.float32), 6, scale)


@pytest.mark.parametrize("shape, filters, changes", [b[1:] for b in FEWER_PRODUCTS], ids=[b[0] for b in FEWER_PRODUCTS])
def test_fewer_products_of_small_integers_are_exact(shape, filters, changes):
    attrs = _attrs(**changes)
    x, f = (R.integers(-8, 9, s).astype(np.float32) for s in (shape, filters))
    g = R.integers(-8, 9, records.conv2d(x, f, **attrs).shape).astype(np.float32)
    for op, inputs, reference in _three_ways(x, f, g, attrs):
        expected = reference(*inputs)
        for level, value in _at_every_level(op, inputs, attrs):
            np.testing.assert_array_equal(value, expected, err_msg=f"{op} at level {level}")


@pytest.mark.parametrize("end", range(30, 34))  # against the tiles
@pytest.mark.parametrize("taps", [3, 5])
def test_fewer_products_of_zeros_are_zero(taps, end):
    """Windows of zeros next to large values give exactly zero: a relu would let what is left of them through."""
    x, f = _image(2, 40, 41, 32), _image(taps, taps, 32, 48)
    x[:, end - 23 : end, end - 24 : end] = 0
    reach = taps // 2
    zeros = np.s_[:, end - 23 + reach : end - reach, end - 24 + reach : end - reach]
    sizes = np.array([*x.shape[:3], 48], np.int32)
    for op, inputs in [("Conv2D", [x, f]), ("Conv2DBackpropInput", [sizes, f.transpose(0, 1, 3, 2), x])]:
        for level, value in _at_every_level(op, inputs, _attrs()):
            assert not value[zeros].any(), f"{op} at level {level}"
            assert value[:, 0, 0].all()


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 3e38])
def test_fewer_products_with_values_that_are_not_finite(special):
    """They, and sums beyond the largest number, appear where, and as what, they must."""
    attrs = _attrs()
    x, f, g = (R.integers(1, 3, s).astype(np.float32) for s in [(1, 46, 47, 32), (5, 5, 32, 32), (1, 46, 47, 32)])
    x[0, 20, 31, 5] = g[0, 3, 3, 7] = special
    if abs(special) > 3e38:
        x[0, 20, 29, 5] = g[0, 3, 4, 7] = -special
    for op, inputs, reference in _three_ways(x, f, g, attrs):
        if op == "Conv2DBackpropFilter":
            inputs[2] = np.ones_like(g)  # inf - inf has no right answer that does not depend on order
        wide = [v.astype(np.float64) if v.dtype == np.float32 else v for v in inputs]
        with np.errstate(all="ignore"):
            expected = reference(*wide).astype(np.float32)
        for level, value in _at_every_level(op, inputs, attrs):
            certain = np.isfinite(expected) & (np.abs(expected) < 1e30)
            if not np.isfinite(special):
                certain |= ~np.isfinite(expected)
            np.testing.assert_array_equal(value[certain], expected[certain], err_msg=f"{op} at level {level}")


def test_fewer_products_with_bias_and_activation():
    x, f, b = _image(1, 46, 47, 32), _image(5, 5, 32, 48), _image(48)
    attrs = _attrs()
    expected = np.maximum(records.conv2d(x.astype(np.float64), f.astype(np.float64), **attrs) + b, 0)
    with tf.Graph().as_default():
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, tf.placeholder_with_default(f, f.shape), [1] * 4, "SAME"), b))
    for level in cpu_levels():
        with cpu_level(level):
            np.testing.assert_allclose(_run(y), expected, rtol=0, atol=1e-5 * expected.max(), err_msg=level)


@pytest.mark.parametrize("channels", [20, 32])  # 32: the way with fewer products
@pytest.mark.parametrize("op", ["Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"])
def test_result_does_not_depend_on_threads(op, channels):
    x, f, g = _image(5, 30, 30, channels), _image(5, 5, channels, 48), _image(5, 30, 30, 48)
    inputs = {
        "Conv2D": [x, f],
        "Conv2DBackpropInput": [np.array(x.shape, np.int32), f, g],
        "Conv2DBackpropFilter": [x, np.array(f.shape, np.int32), g],
    }[op]
    results = []
    for threads in (1, 2, 3):
        with tf.Graph().as_default() as graph:
            y = getattr(tf.raw_ops, op)(*inputs, strides=[1, 1, 1, 1], padding="SAME")
            config = tf.ConfigProto(intra_op_parallelism_threads=threads)
            with tf.Session(graph=graph, config=config) as session:
                results.append(session.run(y))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_nan_and_infinity_pass():
    x = np.zeros((1, 4, 4, 1), np.float32)
    x[0, 1, 1, 0], x[0, 3, 3, 0] = np.nan, np.inf
    y = evaluate("Conv2D", x, np.ones((1, 1, 1, 1), np.float32), **_attrs())
    np.testing.assert_array_equal(y, x)


# ---- Errors when the graph is built


GRAPH_ERRORS = [
    ([1, 2, 3], [1, 1, 1, 1], {}, "Shape must be rank 4 but is rank 3"),
    ([1, 2, 3, 4], [1, 1, 1], {}, "Shape must be rank 4 but is rank 3"),
    ([1, 5, 5, 3], [3, 3, 2, 4], {}, r"Depth of input \(3\) is not a multiple of input depth of filter \(2\)"),
    ([1, 5, 5, 4], [3, 3, 2, 3], {}, r"Depth of output \(3\) is not a multiple of the number of groups \(2\)"),
    ([1, 2, 2, 3], [3, 3, 3, 4], {"padding": "VALID"}, "Negative dimension size caused by subtracting 3 from 2"),
    ([1, 5, 5, 3], [3, 3, 3, 4], {"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"strides": [1, 1, 1]},
        "Conv2D on data format NHWC requires the stride attribute to contain 4 values, but got: 3",
    ),
    ([1, 5, 5, 3], [3, 3, 3, 4], {"dilations": [1, 0, 1, 1]}, "Dilation rate must be >= 1, but got 0"),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"dilations": [1, 1, 1]},
        "Conv2D requires the dilation attribute to contain 4 values, but got: 3",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"padding": "EXPLICIT"},
        "explicit_paddings attribute must contain 8 values, but got: 0",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"padding": "EXPLICIT", "explicit_paddings": [1, 0, 1, 1, 1, 1, 0, 0]},
        "Nonzero explicit padding in the batch or depth dimensions is not supported",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"padding": "EXPLICIT", "explicit_paddings": [0, 0, -1, 1, 1, 1, 0, 0]},
        "All elements of explicit_paddings must be nonnegative",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"explicit_paddings": [0, 0, 1, 1, 1, 1, 0, 0]},
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT",
    ),
]


@pytest.mark.parametrize("image, filters, changes, text", GRAPH_ERRORS)
def test_graph_errors(image, filters, changes, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        tf.raw_ops.Conv2D(*_placeholders(image, filters), **_attrs(**changes))


# ---- Errors when it runs


RUN_ERRORS = [
    ([1, 2, 3], [1, 1, 1, 1], {}, tf.errors.InvalidArgumentError, "input must be 4-dimensional"),
    ([1, 2, 3, 4], [1, 1, 1], {}, tf.errors.InvalidArgumentError, "filter must be 4-dimensional"),
    (
        [1, 5, 5, 3],
        [3, 3, 2, 4],
        {},
        tf.errors.InvalidArgumentError,
        "input depth must be evenly divisible by filter depth: 3 vs 2",
    ),
    ([1, 5, 5, 4], [3, 3, 2, 4], {}, tf.errors.UnimplementedError, "grouped convolutions"),
    ([1, 5, 5, 3], [0, 3, 3, 4], {}, tf.errors.InvalidArgumentError, "filter must not have zero elements"),
    (
        [1, 1, 1, 3],
        [3, 3, 3, 4],
        {"padding": "VALID"},
        tf.errors.InvalidArgumentError,
        r"Computed output size would be negative: -1 \[input_size: 1, effective_filter_size: 3, stride: 1\]",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"strides": [2, 1, 1, 1]},
        tf.errors.UnimplementedError,
        "does not yet support strides in the batch and depth dimensions",
    ),
    (
        [1, 5, 5, 3],
        [3, 3, 3, 4],
        {"dilations": [1, 1, 1, 2]},
        tf.errors.InvalidArgumentError,
        "does not yet support dilations in the batch and depth dimensions",
    ),
]

HUGE = 2**62
RUN_ERRORS += [
    ([1, 5, 5, 3], [3, 3, 3, 4], {name: [1, HUGE, HUGE, 1]}, tf.errors.InvalidArgumentError, f"{name} is too large")
    for name in ("strides", "dilations")
]


@pytest.mark.parametrize("image, filters, changes, kind, text", RUN_ERRORS)
def test_run_errors(image, filters, changes, kind, text):
    with tf.Graph().as_default():
        x, f = _placeholders(None, None)
        y = tf.raw_ops.Conv2D(x, f, **_attrs(**changes))
        with pytest.raises(kind, match=text):
            _run(y, {x: np.zeros(image, np.float32), f: np.zeros(filters, np.float32)})


GRADIENT_ERRORS = [
    ([1, 5, 5, 3], [1, 5, 4, 4], "Size of out_backprop doesn't match computed: actual = 4, computed = 5"),
    ([2, 5, 5, 3], [1, 5, 5, 4], "input and out_backprop must have the same batch size. Input batch: 2"),
    ([1, 5, 5, 3], [1, 5, 5, 2], "filter and out_backprop must have the same out_depth"),
    ([1, 5, -5, 3], [1, 5, 5, 4], "negative"),
    ([5, 5, 3], [1, 5, 5, 4], "must be 1-dim with 4 elements"),
]


@pytest.mark.parametrize("sizes, grad, text", GRADIENT_ERRORS)
def test_backprop_input_errors(sizes, grad, text):
    with tf.Graph().as_default():
        s, f, g = tf.placeholder(tf.int32), *_placeholders(None, None)
        y = tf.nn.conv2d_backprop_input(s, f, g, [1, 1, 1, 1], "SAME")
        feeds = {s: np.array(sizes, np.int32), f: np.zeros((3, 3, 3, 4), np.float32), g: np.zeros(grad, np.float32)}
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, feeds)


@pytest.mark.parametrize("sizes", [[2**31 - 1] * 4, [3, 3, 2**31 - 1, 4], [-1, 3, 3, 4]])
def test_filter_sizes_of_other_worlds(sizes):
    with tf.Graph().as_default():
        s, x, g = tf.placeholder(tf.int32), *_placeholders(None, None)
        y = tf.nn.conv2d_backprop_filter(x, s, g, [1, 1, 1, 1], "SAME")
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)):
            _run(
                y,
                {
                    s: np.array(sizes, np.int32),
                    x: np.zeros((1, 5, 5, 3), np.float32),
                    g: np.zeros((1, 5, 5, 4), np.float32),
                },
            )


def test_sizes_of_height_and_width_are_enough():
    f, g = _image(3, 3, 2, 4), _image(2, 5, 6, 4)
    with tf.Graph().as_default():
        short = tf.nn.conv2d_backprop_input([5, 6], f, g, [1, 1, 1, 1], "SAME")
        long = tf.nn.conv2d_backprop_input([2, 5, 6, 2], f, g, [1, 1, 1, 1], "SAME")
        assert short.shape.as_list() == [2, 5, 6, 2]
        with tf.Session() as session:
            a, b = session.run([short, long])
    np.testing.assert_array_equal(a, b)


# ---- Static shapes and names


def test_partial_shapes():
    with tf.Graph().as_default():
        x, f, unknown = _placeholders([None, None, 7, 3], [3, 3, 3, 4], None)
        assert tf.nn.conv2d(x, f, [1, 2, 2, 1], "SAME").shape.as_list() == [None, None, 4, 4]
        assert tf.nn.conv2d(unknown, f, [1, 2, 2, 1], "VALID").shape.as_list() == [None, None, None, 4]
        assert tf.nn.conv2d(unknown, unknown, 1, "VALID").shape.as_list() == [None] * 4


def test_ops_and_names():
    with tf.Graph().as_default() as graph:
        x, f = _placeholders([1, 5, 5, 3], [3, 3, 3, 4])
        y = tf.nn.conv2d(x, f, [2], [[0, 0], [1, 1], [2, 2], [0, 0]])
        assert y.op.name == "Conv2D"
        assert y.op.get_attr("explicit_paddings") == [0, 0, 1, 1, 2, 2, 0, 0]
        assert y.op.get_attr("strides") == [1, 2, 2, 1]
        tf.nn.conv2d_transpose(y, f, [1, 5, 5, 3], 2)
        back = tf.nn.conv2d_transpose(x, _placeholders([3, 3, 4, 3])[0], [1, 10, 10, 4], [2, 2], name="up")
        assert (back.op.name, back.op.type) == ("up", "Conv2DBackpropInput")
        wide = tf.nn.separable_conv2d(x, *_placeholders([3, 3, 3, 2], [1, 1, 6, 4]), [1, 1, 1, 1], "SAME")
        assert wide.op.name == "separable_conv2d"
        assert graph.get_operation_by_name("separable_conv2d/depthwise").type == "DepthwiseConv2dNative"


# ---- Wrappers


def test_conv1d():
    x, f = _image(2, 9, 3), _image(4, 3, 5)
    expected = records.conv2d(x[:, None], f[None], **_attrs(strides=[1, 1, 2, 1]))[:, 0]
    with tf.Graph().as_default():
        last = tf.nn.conv1d(x, f, 2, "SAME")
        first = tf.nn.conv1d(x.transpose(0, 2, 1), f, 2, "SAME", data_format="NCW")
        with tf.Session() as session:
            a, b = session.run([last, first])
    np.testing.assert_allclose(a, expected, atol=1e-5)
    np.testing.assert_allclose(b, expected.transpose(0, 2, 1), atol=1e-5)


def test_dilated_wrappers_agree():
    x, f = _image(1, 9, 9, 3), _image(3, 3, 3, 4)
    expected = records.conv2d(x, f, **_attrs(dilations=[1, 2, 2, 1]))
    with tf.Graph().as_default():
        ys = [
            tf.nn.atrous_conv2d(x, f, 2, "SAME"),
            tf.nn.convolution(x, f, "SAME", dilation_rate=[2, 2]),
            tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME", dilations=[1, 2, 2, 1]),
        ]
        with tf.Session() as session:
            results = session.run(ys)
    for result in results:
        np.testing.assert_allclose(result, expected, atol=1e-5)


def test_transposes():
    f, g = _image(3, 3, 4, 3), _image(1, 5, 5, 3)
    attrs = _attrs(strides=[1, 2, 2, 1])
    expected = records.conv2d_backprop_input((1, 10, 10, 4), f, g, **attrs)
    with tf.Graph().as_default():
        ys = [
            tf.nn.conv2d_transpose(g, f, [1, 10, 10, 4], [2, 2]),
            tf.nn.conv_transpose(g, f, [1, 10, 10, 4], [2, 2]),
            tf.nn.conv1d_transpose(g[:, 0], f[0], [1, 10, 4], 2),
            tf.nn.atrous_conv2d_transpose(g, f, [1, 5, 5, 4], 2, "SAME"),
        ]
        with tf.Session() as session:
            results = session.run(ys)
    for result in results[:2]:
        np.testing.assert_allclose(result, expected, atol=1e-5)
    row = records.conv2d_backprop_input((1, 1, 10, 4), f[:1], g[:, :1], **_attrs(strides=[1, 1, 2, 1]))
    np.testing.assert_allclose(results[2], row[:, 0], atol=1e-5)
    spread = records.conv2d_backprop_input((1, 5, 5, 4), f, g, **_attrs(dilations=[1, 2, 2, 1]))
    np.testing.assert_allclose(results[3], spread, atol=1e-5)


def test_wrapper_arguments():
    with tf.Graph().as_default():
        x, f = _placeholders([1, 5, 5, 3], [3, 3, 3, 4])
        with pytest.raises(ValueError, match="Cannot specify both"):
            tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME", filters=f)
        with pytest.raises(ValueError, match="strides should be of length 1, 2 or 4"):
            tf.nn.conv2d(x, f, [1, 1, 1], "SAME")
        with pytest.raises(ValueError, match="must be a list"):
            tf.nn.conv2d(x, f, 1, "EXPLICIT")
        with pytest.raises(ValueError, match="not in"):
            tf.nn.conv2d(x, f, 1, "FULL")
        with pytest.raises(ValueError, match="not supported in conjunction"):
            tf.nn.convolution(x, f, "SAME", strides=[2, 2], dilation_rate=[2, 2])


# ---- The compiler's fused form


def test_fused_conv_has_no_gradient():
    with tf.Graph().as_default():
        x, f, b = _placeholders([1, 5, 5, 3], [3, 3, 3, 4], [4])
        attrs = {"strides": [1, 1, 1, 1], "padding": "SAME", "fused_ops": ["BiasAdd"]}
        y = tf.raw_ops._FusedConv2D(x, f, [b], **attrs)
        with pytest.raises(LookupError, match="_FusedConv2D is made by the compiler"):
            tf.gradients(y, x)


def test_unknown_fusion():
    with tf.Graph().as_default():
        x, f, b = _image(1, 5, 5, 3), _image(3, 3, 3, 4), _image(4)
        attrs = {"strides": [1, 1, 1, 1], "padding": "SAME", "fused_ops": ["BiasAdd", "Cosh"]}
        with pytest.raises(tf.errors.UnimplementedError, match="Fusion is not implemented"):
            _run(tf.raw_ops._FusedConv2D(x, f, [b], **attrs))
