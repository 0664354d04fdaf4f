"""What records cannot say of matrix products: sizes at the borders of blocks, special values, threads, errors,
and the functions written in terms of products."""

import itertools

import numpy as np
import pytest

import tfcore as tf
from tfcore import errors
from tfcore.ops.linalg import matmul as ops
from tfcore.testing import check_values, cpu_level, cpu_levels


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(fetch, feed=None, level=None, threads=0):
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    if level is None:
        with tf.Session(config=config) as session:
            return session.run(fetch, feed)
    with cpu_level(level), tf.Session(config=config) as session:
        return session.run(fetch, feed)


def operands(m, k, n, ta=False, tb=False, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((k, m) if ta else (m, k)).astype(dtype)
    b = rng.standard_normal((n, k) if tb else (k, n)).astype(dtype)
    return a, b


# ---- Sizes: one less, equal and one more than what tiles, strips, slices and blocks hold; every path; all
# transpositions; sizes for which the product is cut into parts for threads.

SIZES = [
    (1, 1, 1),
    (1, 321, 200),
    (3, 40, 130),
    (4, 257, 97),
    (5, 300, 12),
    (13, 33, 31),
    (14, 320, 32),
    (15, 321, 33),
    (16, 64, 300),
    (17, 65, 13),
    (29, 640, 15),
    (100, 784, 10),
    (784, 100, 10),
    (300, 31, 1),
    (1, 700, 1),
    (128, 10, 512),
    (200, 200, 65),
    (390, 700, 390),
    (28, 700, 300),
    (41, 128, 900),
    (128, 321, 259),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES, ids=lambda s: "x".join(map(str, s)))
def test_sizes(size, dtype):
    for ta, tb in itertools.product((False, True), repeat=2):
        a, b = operands(*size, ta, tb, dtype)
        x, y = (a.T if ta else a).astype(np.float64), (b.T if tb else b).astype(np.float64)
        product = ops.MatMul(tf.placeholder(dtype), tf.placeholder(dtype), transpose_a=ta, transpose_b=tb)
        feed = dict(zip(product.op.inputs, (a, b)))
        for level in cpu_levels():
            check_values(run(product, feed, level), x @ y, dtype, ulps=16, scale=abs(x) @ abs(y))


@pytest.mark.parametrize("fused", [["BiasAdd"], ["BiasAdd", "Relu"], ["Relu6"], ["BiasAdd", "Tanh"]], ids="-".join)
@pytest.mark.parametrize("size", [(2, 40, 100), (30, 330, 70), (100, 784, 10), (256, 400, 300)])
def test_fused_sizes(size, fused):
    a, b = operands(*size)
    bias = [np.linspace(-2, 2, size[2], dtype=np.float32)] if "BiasAdd" in fused else []
    sums = a.astype(np.float64) @ b + sum(bias)
    scale = abs(a) @ abs(b) + 2
    functions = {"Relu": lambda x: np.maximum(x, 0), "Relu6": lambda x: np.clip(x, 0, 6), "Tanh": np.tanh}
    expected = functions.get(fused[-1], np.array)(sums)
    product = ops._FusedMatMul(a, b, bias, fused_ops=fused)
    for level in cpu_levels():
        check_values(run(product, level=level), expected, np.float32, ulps=16, scale=scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(24, 1000, 300), (32, 320, 256), (40, 641, 131), (128, 500, 259)], ids=str)
def test_a_transposed_matrix_gives_the_bits_of_its_transpose(size, dtype):
    """Much larger than the other operand, it is not packed but takes the other's role."""
    a, b = operands(*size, tb=True, dtype=dtype)
    for fused in (None, ["Relu"], ["BiasAdd"]):
        for level in cpu_levels():
            found = []
            for y, tb in ((b, True), (np.ascontiguousarray(b.T), False)):
                if fused:
                    bias = [np.linspace(-2, 2, size[2], dtype=dtype)] if "BiasAdd" in fused else []
                    product = ops._FusedMatMul(a, y, bias, fused_ops=fused, transpose_b=tb)
                else:
                    product = ops.MatMul(a, y, transpose_b=tb)
                found.append(run(product, level=level).tobytes())
            assert found[0] == found[1], (fused, level)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_batches_with_transposed_matrices(dtype):
    rng = np.random.default_rng(2)
    x = rng.standard_normal([3, 32, 330]).astype(dtype)
    y = rng.standard_normal([3, 400, 330]).astype(dtype)
    y_t = np.swapaxes(y, 1, 2)
    expected = x.astype(np.result_type(dtype, np.float64)) @ y_t
    check_values(run(tf.matmul(x, y, transpose_b=True)), expected, dtype, ulps=16, scale=abs(x) @ abs(y_t))


def test_thread_count_changes_no_bit():
    for size in SIZES:
        for ta, tb in itertools.product((False, True), repeat=2):
            a, b = operands(*size, ta, tb)
            product = ops.MatMul(a, b, transpose_a=ta, transpose_b=tb)
            assert run(product, threads=1).tobytes() == run(product, threads=2).tobytes()


def test_batches_large_and_small():
    rng = np.random.default_rng(1)
    for x_shape, y_shape in [((64, 20, 30), (64, 30, 20)), ((3, 200, 300), (300, 260)), ((2, 1, 9, 8), (5, 8, 7))]:
        x, y = rng.standard_normal(x_shape), rng.standard_normal(y_shape)
        check_values(run(tf.matmul(x, y)), x @ y, np.float64, ulps=16, scale=abs(x) @ abs(y))
        adjoint = run(tf.matmul(np.swapaxes(x, -1, -2), y, adjoint_a=True))
        check_values(adjoint, x @ y, np.float64, ulps=16, scale=abs(x) @ abs(y))


# ---- Special values


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "complex64", "int32", "uint8"])
def test_no_inner_dimension_gives_zeros(dtype):
    dtype = tf.as_dtype(dtype)
    a, b = np.zeros((3, 0), dtype.as_numpy_dtype), np.zeros((0, 2), dtype.as_numpy_dtype)
    result = run(ops.MatMul(a, b))
    assert result.shape == (3, 2) and not result.any()
    batch = run(ops.BatchMatMulV2(np.zeros((2, 3, 0), dtype.as_numpy_dtype), b))
    assert batch.shape == (2, 3, 2) and not batch.any()


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 3), (3, 0)), ((0, 0), (0, 0))])
def test_empty_results(shapes):
    a, b = (np.ones(s, np.float32) for s in shapes)
    assert run(tf.matmul(a, b)).shape == (shapes[0][0], shapes[1][1])


def test_no_inner_dimension_with_bias():
    bias = np.array([-1, 2], np.float32)
    fused = ops._FusedMatMul(
        np.zeros((3, 0), np.float32), np.zeros((0, 2), np.float32), [bias], fused_ops=["BiasAdd", "Relu"]
    )
    np.testing.assert_array_equal(run(fused), [[0, 2]] * 3)


@pytest.mark.parametrize("size", [(3, 5, 4), (20, 40, 35), (30, 100, 10)])
def test_nan_and_infinity_reach_exactly_their_row_or_column(size):
    m, k, n = size
    for ta, tb in itertools.product((False, True), repeat=2):
        a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
        a[1, 2], b[0, n - 1] = np.nan, np.inf
        expected = np.full((m, n), k, np.float32)
        expected[:, n - 1] = np.inf
        expected[1] = np.nan
        product = ops.MatMul(a.T if ta else a, b.T if tb else b, transpose_a=ta, transpose_b=tb)
        for level in cpu_levels():
            np.testing.assert_array_equal(run(product, level=level), expected)


def test_infinity_times_zero_is_nan():
    a = np.array([[np.inf, 1]], np.float32)
    np.testing.assert_array_equal(run(tf.matmul(a, np.array([[0], [1]], np.float32))), [[np.nan]])


def test_relu_of_nan_is_nan():
    fused = ops._FusedMatMul(np.array([[np.nan]], np.float32), np.ones((1, 2), np.float32), [], fused_ops=["Relu"])
    assert np.isnan(run(fused)).all()


def test_integers_wrap():
    a = np.array([[2**31 - 1, 2]], np.int32)
    np.testing.assert_array_equal(run(tf.matmul(a, np.array([[2], [1]], np.int32))), [[0]])


def test_half_accumulates_in_float():
    # In half precision a running sum of ones would stop at 2048.
    ones = np.ones((1, 5000), np.float16)
    assert run(tf.matmul(ones, ones.T)) == 5000


# ---- Errors

FLOAT = np.float32


def unknown(*arrays):
    feed = {tf.placeholder(a.dtype): a for a in arrays}
    return list(feed), feed


@pytest.mark.parametrize(
    ("op", "shapes", "text"),
    [
        ("MatMul", [(3,), (3, 2)], "In[0] is not a matrix. Instead it has shape [3]"),
        ("MatMul", [(2, 3), (3, 2, 2)], "In[1] is not a matrix. Instead it has shape [3,2,2]"),
        ("MatMul", [(2, 3), (2, 3)], "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"),
        ("BatchMatMul", [(2, 3, 4), (4, 5)], "In[0] and In[1] has different ndims: [2,3,4] vs. [4,5]"),
        ("BatchMatMul", [(3,), (3,)], "In[0] and In[1] ndims must be >= 2: 1"),
        (
            "BatchMatMul",
            [(2, 2, 3), (3, 3, 4)],
            "In[0].dim(0) and In[1].dim(0) must be the same: [2,2,3] vs [3,3,4]",
        ),
        ("BatchMatMulV2", [(3,), (3, 2)], "In[0] ndims must be >= 2: 1"),
        ("BatchMatMulV2", [(2, 3), (2, 3)], "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"),
        (
            "BatchMatMulV2",
            [(2, 2, 3), (3, 3, 4)],
            "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,4]",
        ),
    ],
)
def test_kernel_errors(op, shapes, text):
    inputs, feed = unknown(*(np.ones(s, FLOAT) for s in shapes))
    with pytest.raises(errors.InvalidArgumentError) as caught:
        run(getattr(ops, op)(*inputs), feed)
    assert text in str(caught.value)


def test_fused_bias_errors():
    for bias, text in [((3,), "as many elements as the product has columns"), ((1, 2), "bias must be 1-dimensional")]:
        inputs, feed = unknown(np.ones((2, 3), FLOAT), np.ones((3, 2), FLOAT), np.ones(bias, FLOAT))
        with pytest.raises(errors.InvalidArgumentError, match=text):
            run(ops._FusedMatMul(*inputs[:2], inputs[2:], fused_ops=["BiasAdd"]), feed)


@pytest.mark.parametrize(("begin", "size"), [(0, 5), (5, 0), (3, 2), (4, 1 << 62)])
def test_columns_outside(begin, size):
    feed = {t: np.ones((3, 4), FLOAT) for t in (tf.placeholder(tf.float32), tf.placeholder(tf.float32))}
    part = ops._MatMulColumns(*feed, begin=begin, size=size, transpose_a=True)
    with pytest.raises(errors.InvalidArgumentError, match=f"{size} columns from {begin} on of a product that has 4"):
        run(part, feed)


def test_unknown_fusion():
    fused = ops._FusedMatMul(np.ones((1, 1), FLOAT), np.ones((1, 1), FLOAT), [], fused_ops=["Foo"])
    with pytest.raises(errors.UnimplementedError, match="Fusion is not implemented: Foo"):
        run(fused)


@pytest.mark.parametrize(
    ("op", "shapes", "text"),
    [
        ("MatMul", [(2, 3), (2, 3)], "Dimensions must be equal, but are 3 and 2"),
        ("MatMul", [(3,), (3, 2)], "Shape must be rank 2 but is rank 1"),
        ("BatchMatMul", [(2, 3, 4), (4, 5)], "Shapes must be equal rank, but are 1 and 0"),
        (
            "BatchMatMul",
            [(2, 2, 3), (3, 3, 4)],
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].",
        ),
        ("BatchMatMulV2", [(3,), (3, 2)], "Shape must be at least rank 2 but is rank 1"),
        ("BatchMatMulV2", [(2, 2, 3), (3, 3, 4)], "Dimensions must be equal, but are 2 and 3"),
    ],
)
def test_shape_errors(op, shapes, text):
    with pytest.raises(ValueError) as caught:
        getattr(ops, op)(*(tf.placeholder(FLOAT, s) for s in shapes))
    assert text in str(caught.value)


def test_transpose_and_adjoint_exclude_each_other():
    with pytest.raises(ValueError, match="Only one of `transpose_a` and `adjoint_a` can be True"):
        tf.matmul(np.eye(2), np.eye(2), transpose_a=True, adjoint_a=True)
    with pytest.raises(ValueError, match="Only one of `transpose_b` and `adjoint_b` can be True"):
        tf.matmul(np.eye(2), np.eye(2), transpose_b=True, adjoint_b=True)


# ---- tf.matmul


@pytest.mark.parametrize(
    ("shapes", "op_type"),
    [
        ([(2, 3), (3, 4)], "MatMul"),
        ([(5, 2, 3), (3, 4)], "BatchMatMulV2"),
        ([None, (3, 4)], "BatchMatMulV2"),
    ],
)
def test_matmul_chooses_op(shapes, op_type):
    product = tf.matmul(*(tf.placeholder(FLOAT, s) for s in shapes))
    assert product.op.type == op_type
    assert product.op.name == "MatMul"


@pytest.mark.parametrize("rank", [2, 3])
def test_matmul_transposes_and_adjoints(rank):
    rng = np.random.default_rng(0)
    shape = (2, 3, 3)[-rank:]
    x, y = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape) for _ in range(2))

    def transposed(z):
        return np.swapaxes(z, -1, -2)

    for how in ("transpose", "adjoint"):
        changed = transposed if how == "transpose" else lambda z: transposed(z).conj()
        np.testing.assert_allclose(run(tf.matmul(x, y, **{f"{how}_a": True})), changed(x) @ y)
        np.testing.assert_allclose(run(tf.matmul(x, y, **{f"{how}_b": True})), x @ changed(y))


def test_matmul_converts_python_values():
    assert run(tf.matmul([[1, 2]], [[3], [4]])).tolist() == [[11]]
    with pytest.raises(TypeError, match="Input 'b' of 'MatMul' Op has type float32 that does not match type int32"):
        tf.matmul([[1, 2]], tf.constant([[3.0], [4.0]]))  # b takes the type of a, if it can
    assert run(tf.constant([[1.0, 2.0]]) @ [[3], [4]]).tolist() == [[11.0]]


def test_matvec():
    a, b = np.arange(12.0).reshape(2, 2, 3), np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(run(ops.matvec(a, b)), np.einsum("bij,bj->bi", a, b))
    np.testing.assert_array_equal(run(ops.matvec(a, b[:, :2], transpose_a=True)), np.einsum("bji,bj->bi", a, b[:, :2]))


# ---- tensordot and einsum against NumPy, with static and with unknown sizes


def placeholders(arrays, known):
    feed = {tf.placeholder(a.dtype, a.shape if known else [None] * a.ndim): a for a in arrays}
    return list(feed), feed


@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3, 4), (4, 5), 1),
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((3, 4, 2), (4, 3, 5), [[0, 1], [1, 0]]),
        ((2, 3), (4, 5), 0),
        ((2, 3), (2, 3), 2),
        ((2, 3, 4), (4, 2), [[-1], [0]]),
        ((2, 3, 4), (4, 2), [2, 0]),
        ((0, 3), (3, 2), 1),
        ((2, 0), (0, 3), 1),
    ],
)
def test_tensordot(a, b, axes, known):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(a), rng.standard_normal(b)]
    inputs, feed = placeholders(arrays, known)
    result = tf.tensordot(*inputs, axes)
    expected = np.tensordot(*arrays, axes)
    assert result.shape.is_compatible_with(expected.shape)
    np.testing.assert_allclose(run(result, feed), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        (-1, "`axes` must be at least 0. Received: -1."),
        (5, "`axes` must not be larger than the number of dimensions of tensor"),
        ([[1, 2, 3]], "`axes` must be an integer or have length 2"),
        ([[1], [1, 0]], "Different number of contraction axes `a` and `b`, 1 != 2."),
        ([[0], [0]], "Dimensions must be equal, but are 2 and 4"),
    ],
)
def test_tensordot_errors(axes, text):
    with pytest.raises(ValueError) as caught:
        tf.tensordot(tf.zeros([2, 3, 4]), tf.zeros([4, 3, 5]), axes)
    assert text in str(caught.value)


EQUATIONS = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,kj->ik", [(2, 3), (4, 3)]),
    ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
    ("bij,bkj->ikb", [(5, 2, 3), (5, 4, 3)]),
    ("abc,bcd->ad", [(2, 3, 4), (3, 4, 5)]),
    ("i,i->", [(4,), (4,)]),
    ("i,j->ij", [(4,), (3,)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]),
    ("ij,ij->i", [(2, 3), (2, 3)]),
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ij->i", [(2, 3)]),
    ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]),
    ("iij,j->i", [(3, 3, 4), (4,)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ("ijk,k->ij", [(2, 3, 4), (4,)]),
    ("ijk,jl,l->ik", [(2, 3, 4), (3, 5), (5,)]),
    ("...ij,...jk->...ik", [(6, 2, 3), (6, 3, 4)]),
    ("...ij,...jk->...ik", [(6, 2, 3), (3, 4)]),
    ("i...,i...->...", [(3, 2), (3, 2)]),
    ("...i->...", [(2, 3, 4)]),
    ("ij,kl->", [(2, 3), (4, 5)]),
    ("ij,jk->ik", [(0, 3), (3, 4)]),
    ("ij,jk->ik", [(2, 0), (0, 4)]),
]


def check_einsum(equation, shapes, known):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s) for s in shapes]
    inputs, feed = placeholders(arrays, known)
    result = tf.einsum(equation, *inputs)
    expected = np.einsum(equation, *arrays)
    assert result.shape.is_compatible_with(expected.shape)
    np.testing.assert_allclose(run(result, feed), expected, atol=1e-12)


@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS, ids=[f"{e}:{s}" for e, s in EQUATIONS])
def test_einsum(equation, shapes, known):
    check_einsum(equation, shapes, known)


@pytest.mark.parametrize("equation", ["ij->iz", "ij...->...iz", "ij,ij->ijz"])
@pytest.mark.parametrize("dims", [[1, 1], None])
def test_einsum_refuses_labels_of_the_result_alone(equation, dims):
    inputs = [tf.placeholder(tf.float32, dims) for _ in range(equation.count(",") + 1)]
    wanted = f"equation '{equation}' has label 'z' which is not present in the input subscripts"
    with pytest.raises(ValueError, match=wanted.replace(".", r"\.")):
        tf.raw_ops.Einsum(inputs=inputs, equation=equation)


def test_einsum_broadcasts_ellipsis_of_known_size():
    check_einsum("...ij,...jk->...ik", [(6, 1, 2, 3), (5, 3, 4)], known=True)
    check_einsum("...i,...i->...", [(6, 1, 3), (1, 5, 3)], known=True)


@pytest.mark.parametrize(
    ("equation", "shapes", "text"),
    [
        ("ij,jk->ik", [(2, 3), (4, 4)], "Dimensions must be equal, but are 3 and 4"),
        ("ij,jk->il", [(2, 3), (3, 4)], "Output subscripts contain the label l not present in the input subscripts."),
        ("ij,jk->ik", [(2, 3)], 'Got 1 inputs for equation "ij,jk->ik", expecting 2'),
        ("ijk->ik", [(2, 3)], "Shape must be rank 3 but is rank 2"),
        ("i$->ik", [(2, 3)], "Subscripts have incorrect format: i$->ik"),
        ("ij->iij", [(2, 3)], "Output subscripts contain a label appearing more than once"),
        ("......->", [(2, 3)], "Subscripts have more than one ellipsis"),
    ],
)
def test_einsum_errors(equation, shapes, text):
    with pytest.raises(ValueError) as caught:
        tf.einsum(equation, *(tf.zeros(s) for s in shapes))
    assert text in str(caught.value)


def test_einsum_gradient():
    x, y = tf.constant(np.arange(6.0).reshape(2, 3)), tf.constant(np.arange(12.0).reshape(3, 4))
    gx, gy = tf.gradients(tf.einsum("ij,jk->ki", x, y), [x, y])
    np.testing.assert_array_equal(run(gx), np.broadcast_to(run(y).sum(1), (2, 3)))
    np.testing.assert_array_equal(run(gy), np.broadcast_to(run(x).sum(0)[:, None], (3, 4)))


# ---- Gradients of complex products: TensorFlow's convention is conjugated.


@pytest.mark.parametrize(("ta", "tb"), list(itertools.product((False, True), repeat=2)))
def test_complex_gradients(ta, tb):
    rng = np.random.default_rng(0)
    x, y, g = (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)) for _ in range(3))
    a, b = tf.constant(x), tf.constant(y)
    ga, gb = run(tf.gradients(ops.MatMul(a, b, transpose_a=ta, transpose_b=tb), [a, b], grad_ys=tf.constant(g)))
    da = g @ (y.T if tb else y).conj().T
    db = (x.T if ta else x).conj().T @ g
    np.testing.assert_allclose(ga, da.T if ta else da)
    np.testing.assert_allclose(gb, db.T if tb else db)
    ga, gb = run(tf.gradients(ops.BatchMatMulV2(a, b, adj_x=ta, adj_y=tb), [a, b], grad_ys=tf.constant(g)))
    da = g @ (y.conj().T if tb else y).conj().T
    db = (x.conj().T if ta else x).conj().T @ g
    np.testing.assert_allclose(ga, da.conj().T if ta else da)
    np.testing.assert_allclose(gb, db.conj().T if tb else db)


@pytest.mark.parametrize("activation", ["Relu", "Relu6", "Elu", "LeakyRelu"])
def test_fused_gradient_of_kinked_activations(activation):
    rng = np.random.default_rng(0)
    a, b, bias = (tf.constant(rng.standard_normal(s)) for s in [(4, 5), (5, 3), (3,)])
    fused = ops._FusedMatMul(a, b, [bias], fused_ops=["BiasAdd", activation])
    function = {"Relu": tf.nn.relu, "Relu6": tf.nn.relu6, "Elu": tf.nn.elu, "LeakyRelu": tf.nn.leaky_relu}[activation]
    plain = function(tf.matmul(a, b) + bias)
    for got, expected in zip(*run([tf.gradients(y * y, [a, b, bias]) for y in (fused, plain)])):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batch_of_adjoint_columns_times_one_matrix(dtype):
    """One row a matrix: the rows of the batch lie apart from where a plain matrix would have them."""
    x = np.arange(6, dtype=dtype).reshape(3, 2, 1)
    y = np.arange(1, 9, dtype=dtype).reshape(2, 4)
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run(tf.raw_ops.BatchMatMulV2(x=x, y=y, adj_x=True))
    np.testing.assert_array_equal(found, np.swapaxes(x, 1, 2) @ y)


@pytest.mark.parametrize("types", [("int8", "int8"), ("int8", "uint8"), ("uint8", "uint8")])
def test_products_of_bytes_in_int32(types):
    rng = np.random.RandomState(0)
    a, b = (rng.randint(0, 100, shape).astype(kind) for shape, kind in zip(((2, 3, 40), (2, 40, 5)), types))
    with tf.Graph().as_default(), tf.Session() as sess:
        got = sess.run(tf.matmul(a, b, output_type=tf.int32))
        turned = sess.run(tf.matmul(a[0], b[0].T, transpose_b=True, output_type=tf.int32))
    np.testing.assert_array_equal(got, a.astype(np.int32) @ b.astype(np.int32))
    np.testing.assert_array_equal(turned, got[0])


def test_types_of_products():
    x = np.ones([2, 2], np.float32)
    with tf.Graph().as_default():
        product = tf.matmul(x, x, output_type=tf.float32, grad_a=True)
        assert product.op.get_attr("grad_a") and not product.op.get_attr("grad_b")
        with pytest.raises(tf.errors.UnimplementedError, match="No product of float32 .* has the type float64"):
            tf.matmul(x, x, output_type=tf.float64)
