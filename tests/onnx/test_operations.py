"""Each kind of operation, in onnxruntime and in a session."""

import numpy as np
import pytest

import tfcore as tf

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from tests.onnx.run import compare, placeholders  # noqa: E402
from tfcore.onnx import arrays, elementwise, neural, reductions, slices  # noqa: E402, F401
from tfcore.onnx.registry import CONVERTERS  # noqa: E402

rng = np.random.default_rng(3)


def floats(*shape):
    return rng.uniform(-2, 2, shape).astype(np.float32)


def ints(*shape, low=-9, high=10, dtype=np.int32):
    return rng.integers(low, high, shape).astype(dtype)


F, G = floats(3, 4), floats(3, 4)
POSITIVE = np.abs(F) + np.float32(0.1)
SMALL = F / 3  # within (-1, 1)
NONZERO = np.where(ints(3, 4) == 0, 4, ints(3, 4)).astype(np.int32)
NONZERO[NONZERO == 0] = 5
BOOL, OTHER = F > 0, G > 0
IMAGE = floats(2, 8, 9, 4)
STRANGE = np.float32([[np.nan, np.inf, 1.0, -np.inf]])
raw = tf.raw_ops


def variable(value):
    """The handle of a resource variable, which gets its value in the default session."""
    made = tf.Variable(value, use_resource=True)
    tf.get_default_session().run(made.initializer)
    return made.handle


def scaled(handle):
    """A function that multiplies by a variable."""

    @tf.Defun(tf.float32)
    def function(x):
        return x * tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

    return function


UNARY = {
    **{
        name: (getattr(tf, name), (F,))
        for name in "abs atan ceil cos cosh erf erfc exp expm1 floor identity negative rint round sigmoid sign sin "
        "sinh square stop_gradient tan tanh zeros_like ones_like".split()
    },
    **{name: (getattr(tf.nn, name), (F * 3,)) for name in "elu leaky_relu relu relu6 selu softplus softsign".split()},
    **{name: (getattr(tf, name), (SMALL,)) for name in "acos asin atanh".split()},
    **{name: (getattr(tf, name), (POSITIVE,)) for name in "asinh log log1p reciprocal rsqrt sqrt".split()},
    "acosh": (tf.acosh, (POSITIVE + 1,)),
    "logical_not": (tf.logical_not, (BOOL,)),
    "is_finite": (tf.is_finite, (STRANGE,)),
    "is_inf": (tf.is_inf, (STRANGE,)),
    "is_nan": (tf.is_nan, (STRANGE,)),
    "check_numerics": (lambda x: tf.check_numerics(x, "bad"), (F,)),
    "ensure_shape": (lambda x: tf.ensure_shape(x, [None, 4]), (F,)),
    "prevent_gradient": (lambda x: raw.PreventGradient(input=x), (F,)),
    "snapshot": (lambda x: raw.Snapshot(input=x), (F,)),
    "ones_like op": (lambda x: raw.OnesLike(x=x), (F,)),
    "inv": (lambda x: raw.Inv(x=x), (POSITIVE,)),
    "float64": (tf.exp, (F.astype(np.float64),)),
    "placeholder_with_default": (lambda x: raw.PlaceholderWithDefault(input=x, shape=[None, 4]), (F,)),
    "invert": (tf.bitwise.invert, (ints(3, 4),)),
    "cast to int": (lambda x: tf.cast(x, tf.int64), (F * 3,)),
    "cast to bool": (lambda x: tf.cast(x, tf.bool), (np.float32([0, 1, -2]),)),
    "cast from bool": (lambda x: tf.cast(x, tf.float32), (BOOL,)),
    "cast to half and back": (lambda x: tf.cast(tf.cast(x, tf.float16), tf.float32), (F,)),
}
BINARY = {
    **{
        name: (getattr(tf, name), (F, G))
        for name in "add subtract multiply divide maximum minimum squared_difference less less_equal greater "
        "greater_equal equal not_equal floordiv floormod".split()
    },
    "add vectors": (tf.add, (F, G[0])),
    "pow": (tf.pow, (POSITIVE, G)),
    "integers": (lambda x, y: (x + y, x * y, x - y, tf.maximum(x, y)), (ints(3, 4), ints(3, 4))),
    "floordiv of integers": (lambda x, y: (x // y, x % y), (ints(3, 4), NONZERO)),
    "floordiv of int64": (lambda x, y: x // y, (ints(3, 4, dtype=np.int64), NONZERO.astype(np.int64))),
    "truncatediv": (lambda x, y: (tf.truncatediv(x, y), tf.truncatemod(x, y)), (ints(3, 4), NONZERO)),
    "truncatediv of floats": (tf.truncatediv, (F * 5, np.where(G > 0, 2, -3).astype(np.float32))),
    "div and mod": (lambda x, y: (raw.Div(x=x, y=y), raw.Mod(x=x, y=y)), (ints(3, 4), NONZERO)),
    "add v1": (lambda x, y: raw.Add(x=x, y=y), (F, G)),
    "div_no_nan": (tf.div_no_nan, (F, np.where(BOOL, G, 0).astype(np.float32))),
    "logical": (lambda x, y: (x & y, x | y, x ^ y, tf.where(x, y, x)), (BOOL, OTHER)),
    "bitwise": (
        lambda x, y: (tf.bitwise.bitwise_and(x, y), tf.bitwise.bitwise_or(x, y), tf.bitwise.bitwise_xor(x, y)),
        (ints(3, 4), ints(3, 4)),
    ),
    "add_n": (lambda x, y: tf.add_n([x, y, x]), (F, G)),
    "add_n of integers": (lambda x, y: (tf.add_n([x, y, x]), tf.add_n([x])), (ints(3, 4), ints(3, 4))),
    "floormod of large, inexact and infinite numbers": (
        tf.floormod,
        (np.float32([1e8, 1, 5, -5, -0.0, 6, -6, 7]), np.float32([3, 0.1, np.inf, np.inf, 3, -3, -3, 0])),
    ),
    "clip": (lambda x: tf.clip_by_value(x, -1.0, 0.5), (F,)),
    "clip op": (lambda x: raw.ClipByValue(t=x, clip_value_min=-1.0, clip_value_max=0.5), (F,)),
    "where": (tf.where, (BOOL, F, G)),
    "where of rows": (tf.where, (BOOL[:, 0], F, G)),
    "where_v2": (tf.where_v2, (BOOL, F, G[:1])),
    "places": (tf.where, (BOOL,)),
    "places of numbers": (tf.where, (ints(3, 4, low=-1, high=2),)),
}


def reduction(name, axis, keepdims):
    return lambda x: getattr(tf, name)(x, axis, keepdims=keepdims), (floats(2, 3, 4),)


REDUCTIONS = {
    **{
        f"{name} {axis} {keepdims}": reduction(name, axis, keepdims)
        for name in "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp".split()
        for axis, keepdims in ((None, False), (1, True), ([0, 2], False), (-1, False))
    },
    "no axes": (lambda x: tf.reduce_sum(x, []), (F,)),
    "euclidean norm": (lambda x: tf.math.reduce_euclidean_norm(x, 1), (F,)),
    "reduce_all": (lambda x: (tf.reduce_all(x, 1), tf.reduce_any(x, 0, keepdims=True), tf.reduce_all(x)), (BOOL,)),
    "of nothing": (
        lambda x: (tf.reduce_any(x, 0), tf.reduce_any(x, 0, keepdims=True), tf.reduce_all(x, 0)),
        (np.zeros([0, 3], bool),),
    ),
    "arg": (lambda x: (tf.argmax(x, 1), tf.argmin(x, 0, output_type=tf.int32)), (F,)),
    "axes at run time": (lambda x, a: tf.reduce_sum(x, a), (F, np.int32(1))),
    "cumsum": (lambda x: (tf.cumsum(x, 1), tf.cumsum(x, 0, exclusive=True, reverse=True)), (F,)),
    "top_k": (lambda x: tuple(tf.nn.top_k(x, 3)), (F,)),
    "top_k op": (lambda x: tuple(raw.TopK(input=x, k=2)), (F,)),
    "l2_loss": (tf.nn.l2_loss, (F,)),
    "moments": (lambda x: tuple(tf.nn.moments(x, [0])), (F,)),
    "l2_normalize": (lambda x: tf.nn.l2_normalize(x, 1), (F,)),
}
CUBE = floats(3, 4, 5)
ARRAYS = {
    "shape": (lambda x: (tf.shape(x), tf.shape(x, out_type=tf.int64), tf.size(x), tf.rank(x)), (CUBE,)),
    "shape_n": (lambda x, y: tuple(tf.shape_n([x, y])), (F, CUBE)),
    "rank of unknown": (lambda x, s: tf.rank(tf.reshape(x, s)), (CUBE, np.int32([5, 2, 6]))),
    "reshape": (lambda x: tf.reshape(x, [-1, 10]), (CUBE,)),
    "reshape to a shape": (lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0], 20])), (CUBE,)),
    "reshape of nothing": (lambda x: tf.reshape(x, [0, 7]), (floats(0, 4),)),
    "reshape of nothing at run time": (tf.reshape, (floats(0, 4), np.int64([2, 0]))),
    "reshape at run time": (tf.reshape, (CUBE, np.int64([2, -1]))),
    "expand_dims": (lambda x: (tf.expand_dims(x, 1), tf.expand_dims(x, -1)), (F,)),
    "squeeze": (lambda x: (tf.squeeze(x, [1]), tf.squeeze(x, [-1, 1])), (floats(3, 1, 2, 1),)),
    "transpose": (lambda x: (tf.transpose(x), tf.transpose(x, [1, 0, 2])), (CUBE,)),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 3, 4]), (F,)),
    "tile": (lambda x: tf.tile(x, [2, 3]), (F,)),
    "tile at run time": (tf.tile, (F, np.int32([2, 1]))),
    "concat": (lambda x, y: tf.concat([x, y], 1), (F, G)),
    "concat v1": (lambda x, y: raw.Concat(concat_dim=0, values=[x, y]), (F, G)),
    "stack": (lambda x, y: (tf.stack([x, y]), tf.stack([x, y], -1), tf.stack([x])), (F, G)),
    "unstack": (lambda x: tuple(tf.unstack(x, axis=1)), (CUBE,)),
    "unstack one": (lambda x: tf.unstack(x, 1, 1)[0], (floats(3, 1),)),
    "split": (lambda x: (*tf.split(x, 2, 1), *tf.split(x, [1, -1], 1), *tf.split(x, 1, 1)), (F,)),
    "split one": (lambda x: tf.split(x, [4], 1)[0] * 2.0, (F,)),
    "gather": (lambda x, i: (tf.gather(x, i), tf.gather(x, i, axis=1)), (CUBE, np.int32([[0, 2], [1, 1]]))),
    "gather v1": (lambda x, i: raw.Gather(params=x, indices=i), (CUBE, np.int64([2, 0]))),
    "gather_nd": (tf.gather_nd, (CUBE, np.int32([[0, 1], [2, 3]]))),
    "embedding": (lambda i: tf.nn.embedding_lookup(tf.constant(F), i), (np.int64([2, 0, 1]),)),
    "rows of a variable": (
        lambda i: (
            raw.ResourceGather(resource=variable(F), indices=i[0], dtype=tf.float32),
            raw.ResourceGatherNd(resource=variable(CUBE), indices=i, dtype=tf.float32),
        ),
        (np.int32([[0, 2], [1, 1]]),),
    ),
    "a variable in a function": (lambda x: scaled(variable(F))(x), (G,)),
    "one_hot": (
        lambda i: (tf.one_hot(i, 4), tf.one_hot(i, 4, 5, -1, axis=0), tf.one_hot(i, 3, True, False, axis=1)),
        (np.int32([[0, 3], [-1, 7]]),),
    ),
    "fill": (lambda x: tf.fill(tf.shape(x), 7.0), (F,)),
    "range": (lambda n: (tf.range(n), tf.range(2, n, 3)), (np.int32(10),)),
    "pad": (lambda x: (tf.pad(x, [[1, 2], [0, 3]]), tf.pad(x, [[1, 0], [0, 0]], constant_values=4.0)), (F,)),
    "pad at run time": (tf.pad, (F, np.int32([[1, 2], [0, 1]]))),
    "mirror_pad": (lambda x: tf.pad(x, [[1, 2], [0, 3]], "REFLECT"), (F,)),
    "matrix_diag": (lambda x: raw.MatrixDiag(diagonal=x), (F,)),
}
SLICES = {
    "slice": (lambda x: tf.slice(x, [1, 0, 2], [-1, 2, 2]), (CUBE,)),
    "slice at run time": (tf.slice, (CUBE, np.int32([1, 0, 2]), np.int32([-1, 2, 2]))),
    "reverse": (lambda x: (tf.reverse(x, [0, -1]), tf.reverse(x, [1])), (CUBE,)),
    "strided": (lambda x: (x[1:, ::2, -1], x[..., 1:-1], x[:, ::-1], x[-1], x[0, 1:3, 4]), (CUBE,)),
    "new axes": (lambda x: (x[:, None, 2], x[None, ..., None], x[None, -1, ..., None, 0], x[..., None, 1]), (CUBE,)),
    "at run time": (
        lambda x, i, j: (x[i:j], x[i], x[-1, i:, ::-1], x[:, :j:2], x[i - 2, 1]),
        (CUBE, np.int32(1), np.int32(3)),
    ),
    "backward from before the first": (
        lambda x, i: (x[-4::-1], x[-3::-1], x[:, -9:-20:-2], x[i::-1], x[i - 1 :: -1], x[-4:], x[-1::-1], x[i]),
        (CUBE, np.int32(-3)),
    ),
    "backward of nothing": (lambda x, i: (x[-2::-1], x[-1::-1], x[i::-1]), (floats(0, 3), np.int32(-1))),
    "of a shape": (lambda x: tf.shape(x)[1:], (CUBE,)),
}
FILTER = floats(3, 3, 4, 6)


def conv(padding, strides=(1, 1), dilations=(1, 1)):
    return lambda x: tf.nn.conv2d(x, FILTER, [1, *strides, 1], padding, dilations=[1, *dilations, 1])


NEURAL = {
    "matmul": (lambda x, y: tf.matmul(x, y, transpose_b=True), (F, G)),
    "matmul of constants": (lambda x: (tf.matmul(x, G, transpose_b=True), tf.matmul(F, x, True)), (F,)),
    "batch matmul": (lambda x, y: (tf.matmul(x, y, adjoint_b=True), tf.matmul(x, y, transpose_a=True)), (CUBE, CUBE)),
    "batch matmul v1": (lambda x, y: raw.BatchMatMul(x=x, y=y, adj_x=True), (CUBE, CUBE)),
    "einsum": (lambda x, y: tf.einsum("bij,kj->bik", x, y), (CUBE, floats(2, 5))),
    "tensordot": (lambda x: tf.tensordot(x, G.T, 1), (floats(2, 3, 4),)),
    "conv valid": (conv("VALID", (2, 1)), (IMAGE,)),
    "conv same": (conv("SAME"), (IMAGE,)),
    "conv same strided": (conv("SAME", (2, 2)), (IMAGE,)),
    "conv dilated": (conv("SAME", dilations=(2, 2)), (IMAGE,)),
    "conv explicit": (conv([[0, 0], [1, 2], [0, 1], [0, 0]]), (IMAGE,)),
    "conv of a filter": (
        lambda x, w: tf.nn.conv2d(x, tf.ensure_shape(w, [3, 3, 4, 6]), [1, 1, 1, 1], "SAME"), (IMAGE, FILTER)),
    "conv1d": (lambda x: tf.nn.conv1d(x, FILTER[0], 2, "SAME"), (IMAGE[0],)),
    "conv transposed": (
        lambda x: tf.nn.conv2d_transpose(x, floats(3, 3, 5, 4), [2, 15, 18, 5], [1, 2, 2, 1]), (IMAGE,)),
    "depthwise": (lambda x: tf.nn.depthwise_conv2d(x, floats(3, 3, 4, 2), [1, 1, 1, 1], "SAME"), (IMAGE,)),
    "separable": (
        lambda x: tf.nn.separable_conv2d(x, floats(3, 3, 4, 2), floats(1, 1, 8, 3), [1, 2, 2, 1], "VALID"), (IMAGE,)),
    "max_pool": (
        lambda x: (tf.nn.max_pool(x, [1, 3, 2, 1], [1, 2, 2, 1], "SAME"), tf.nn.max_pool(x, 2, 2, "VALID")), (IMAGE,)),
    "avg_pool": (
        lambda x: (tf.nn.avg_pool(x, [1, 3, 2, 1], [1, 2, 2, 1], "SAME"), tf.nn.avg_pool(x, 2, 1, "SAME")), (IMAGE,)),
    "bias_add": (lambda x: tf.nn.bias_add(x, floats(4)), (IMAGE,)),
    "bias_add of channels first": (lambda x: tf.nn.bias_add(x, floats(8), "NCHW"), (IMAGE,)),
    "conv, bias and residual": (
        lambda x: tf.nn.relu(tf.nn.bias_add(conv("SAME")(x), floats(6)) + conv("SAME")(x)), (IMAGE,)),
    "conv, bias at run time": (lambda x, b: tf.nn.bias_add(conv("SAME")(x), b), (IMAGE, floats(6))),
    "inception": (
        lambda x: tf.reduce_mean(tf.add_n([tf.concat([conv("SAME")(x), tf.nn.relu6(conv("SAME")(x))], 3)] * 2), [1, 2]),
        (IMAGE,)),
    "a value in both layouts": (lambda x: (tf.nn.max_pool(x, 2, 2, "VALID"), tf.nn.lrn(x), x + 1.0), (IMAGE,)),
    "batch norm": (
        lambda x: tf.nn.fused_batch_norm(
            x, floats(4), floats(4), floats(4), np.abs(floats(4)), epsilon=0.01, is_training=False)[0], (IMAGE,)),
    "batch norm v1 and v2": (
        lambda x: tuple(
            f(x=x, scale=POSITIVE[0], offset=F[0], mean=F[1], variance=POSITIVE[1], is_training=False)[0]
            for f in (raw.FusedBatchNorm, raw.FusedBatchNormV2)), (IMAGE,)),
    "batch norm of parts": (
        lambda x: tf.nn.batch_normalization(x, floats(4), POSITIVE[0], floats(4), floats(4), 1e-3), (F,)),
    "lrn": (lambda x: tf.nn.lrn(x, 2, 1.5, 0.3, 0.7), (IMAGE,)),
    "softmax": (lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x)), (F,)),
    "cross entropy": (
        lambda x: raw.SoftmaxCrossEntropyWithLogits(features=x, labels=np.abs(G))[0], (F,)),
    "depth and space": (
        lambda x: (tf.depth_to_space(x, 2), tf.space_to_depth(tf.depth_to_space(x, 2), 4)), (floats(2, 4, 2, 8),)),
    "space and batch": (
        lambda x: (
            tf.space_to_batch_nd(x, [2, 3], [[0, 2], [1, 2]]),
            tf.batch_to_space_nd(tf.concat([x] * 6, 0), [2, 3], [[1, 0], [2, 1]])), (IMAGE,)),
    "atrous": (lambda x: tf.nn.atrous_conv2d(x, FILTER, 2, "SAME"), (IMAGE,)),
    "in_top_k": (lambda x, t: tf.nn.in_top_k(x, t, 2), (F, np.int32([0, 1, 3]))),
    "in_top_k of strange rows and targets": (
        lambda x, t: tf.nn.in_top_k(x, t, 2),
        (np.float32([[1, 2, 3]] * 3 + [[np.inf, 2, 3], [1, 2, np.nan], [1, -np.inf, 3]]),
         np.int32([-1, 3, 2, 2, 1, 2]))),
}  # fmt: skip
CASES = {
    f"{family}: {name}": case
    for family, cases in (
        ("unary", UNARY), ("binary", BINARY), ("reductions", REDUCTIONS), ("arrays", ARRAYS), ("slices", SLICES),
        ("neural", NEURAL),
    )
    for name, case in cases.items()
}  # fmt: skip


def build(name, static):
    """The graph of a case: its placeholders and outputs."""
    make, values = CASES[name]
    inputs = placeholders(values, static)
    built = make(*inputs)
    return inputs, [tf.identity(t, f"y{i}") for i, t in enumerate(built if isinstance(built, tuple) else (built,))]


WITH_KNOWN_SIZES = [name for name in CASES if name.startswith(("neural", "arrays", "slices"))]  # where these matter


@pytest.mark.parametrize(
    "name, static", [*((name, False) for name in CASES), *((name, True) for name in WITH_KNOWN_SIZES)]
)
def test_an_operation(name, static):
    with tf.Graph().as_default(), tf.Session() as session:
        compare(session, *build(name, static), CASES[name][1])


def test_every_converter_is_tested():
    with tf.Graph().as_default() as graph, tf.Session():  # some cases initialize variables
        for name in CASES:
            build(name, False)
    assert sorted(set(CONVERTERS) - {op.type for op in graph.get_operations()}) == []
