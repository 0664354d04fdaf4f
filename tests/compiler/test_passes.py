"""Each pass of the compiler: what it does, what it must leave alone."""

import pathlib
import re

import numpy as np
import pytest

import tfcore as tf
from tests.compiler.plans import ARITHMETIC, COMMON, FOLDING, FUSION, REWRITES, plan_of, session, types_of
from tfcore.compiler import compile
from tfcore.compiler.compile import Compiler

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def both(rewrite, fetch, feed=None):
    """Node types with only this rewrite; the value is the same without any."""
    with session(rewrite) as on, session() as off:
        for s in (on, off):
            s.run(tf.global_variables_initializer())
        got, want = on.run(fetch, feed), off.run(fetch, feed)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
        assert np.asarray(got).dtype == np.asarray(want).dtype
        return types_of(plan_of(on, fetch, feed))


# ---- Pruning


def test_only_what_is_needed_is_in_the_plan():
    x = tf.placeholder(tf.float32)
    a, b = tf.exp(x), tf.log(x)
    side = tf.no_op(name="side")
    with tf.control_dependencies([side]):
        c = tf.sqrt(x)
    with session() as s:
        assert types_of(plan_of(s, a, [x])) == ["Exp"]
        assert sorted(types_of(plan_of(s, b + 1, [x]))) == ["AddV2", "Const", "Log"]
        assert types_of(plan_of(s, c, [x])) == ["NoOp", "Sqrt"]
        assert types_of(plan_of(s, x, [x])) == []
        assert types_of(plan_of(s, [])) == []


def test_a_feed_cuts_off_what_computes_it():
    x = tf.placeholder(tf.float32)
    middle = tf.exp(x)
    y = tf.log(middle)
    with session() as s:
        assert types_of(plan_of(s, y, [middle])) == ["Log"]
        assert types_of(plan_of(s, [y, middle], [x])) == ["Exp", "Log"]


# ---- Constant folding


def test_constants_fold():
    x = tf.placeholder(tf.float32)
    y = x * (tf.constant(2.0) * tf.exp(tf.constant(1.0)))
    assert types_of_without_constants(both(FOLDING, y, {x: 3})) == ["Mul"]


def types_of_without_constants(types):
    return [t for t in types if t != "Const"]


def test_a_folded_fetch():
    c = tf.concat([tf.constant([1, 2]), tf.constant([3])], 0) * 2
    assert both(FOLDING, c) == ["Const"]


def test_static_shapes_fold():
    x = tf.placeholder(tf.float32, [2, 3])
    for y, expected in (
        (tf.shape(x), [2, 3]),
        (tf.raw_ops.Size(input=x), 6),
        (tf.raw_ops.Rank(input=x), 2),
        (tf.shape(tf.exp(x))[1] * 2, 6),
    ):
        with session(FOLDING) as s:
            np.testing.assert_array_equal(s.run(y, {x: np.zeros([2, 3])}), expected)
            assert types_of(plan_of(s, y, [x])) == ["Const"]
    with session(FOLDING) as s:
        unknown = tf.placeholder(tf.float32, [None, 3])
        assert types_of(plan_of(s, tf.shape(unknown), [unknown])) == ["Shape"]


def test_strings_fold():
    c = tf.concat([tf.constant(["a", "bc"]), tf.constant([""])], 0)
    d = tf.reshape(c, [3, 1])
    with session(FOLDING) as s:
        assert s.run(d).tolist() == [[b"a"], [b"bc"], [b""]]
        assert types_of(plan_of(s, d)) == ["Const"]


def test_several_outputs_fold():
    parts = tf.split(tf.constant([1.0, 2.0, 3.0, 4.0]), 2)
    y = parts[1] - parts[0]
    assert both(FOLDING, y) == ["Const"]


def test_an_op_that_fails_keeps_its_error_for_the_step():
    bad = tf.floordiv(tf.constant(1), tf.constant(0), name="bad")
    good = tf.constant(2) * 3
    with session(*REWRITES) as s:
        assert s.run(good) == 6
        for fetch in (bad, [good, bad], bad + 1):
            with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero") as caught:
                s.run(fetch)
            assert caught.value.op is bad.op and "[[node bad (op: FloorDiv)" in str(caught.value)
        assert s.run([good, good + 1]) == [6, 7]


def test_big_results_do_not_fold():
    big = tf.fill([2000, 2000], 1.0)
    small = tf.fill([20, 20], 1.0)
    with session(FOLDING) as s:
        assert "Fill" in types_of(plan_of(s, big))
        assert types_of(plan_of(s, small)) == ["Const"]
        assert s.run(tf.reduce_sum(big)) == 4e6


def test_what_must_not_fold():
    v = tf.Variable(1.0)
    with tf.control_dependencies([tf.no_op()]):
        ordered = tf.constant(1.0) * 2
    cases = [
        (tf.random_uniform([2]), "RandomUniform"),
        (v + 1.0, "AddV2"),
        (ordered, "Mul"),
        (tf.placeholder_with_default(1.0, []) * 2, "Mul"),
    ]
    with session(FOLDING) as s:
        for fetch, kept in cases:
            assert kept in types_of(plan_of(s, fetch)), kept
        x = tf.random_uniform([4])
        assert not np.array_equal(s.run(x), s.run(x))


def test_a_fed_constant_does_not_fold():
    c = tf.constant(1.0)
    y = c * 2 + 1
    with session(FOLDING) as s:
        assert s.run(y, {c: 5}) == 11
        assert s.run(y) == 3


# ---- Common subexpressions


def test_twins_are_merged():
    x = tf.placeholder(tf.float32)
    y = tf.exp(x) - tf.exp(x) * tf.exp(x)
    assert sorted(both(COMMON, y, {x: 2.0})) == ["Exp", "Mul", "Sub"]


def test_merging_is_transitive_and_knows_commutative_ops():
    x, z = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.exp(x * z) - tf.exp(z * x) * tf.exp(x - z)
    types = both(COMMON, y, {x: 2.0, z: 3.0})
    assert types.count("Exp") == 2 and types.count("Mul") == 2
    y = (x - z) - (z - x)
    assert both(COMMON, y, {x: 2.0, z: 3.0}).count("Sub") == 3


def test_equal_constants_are_merged():
    x = tf.placeholder(tf.float32)
    y = (x + tf.constant([1.0, 2.0])) * (x + tf.constant([1.0, 2.0])) * (x + tf.constant([1.0, 3.0]))
    types = both(COMMON, y, {x: [1, 2]})
    assert types.count("Const") == 2 and types.count("AddV2") == 2


def test_constants_that_only_look_equal():
    x = tf.placeholder(tf.float32)
    zeros = [tf.constant(0.0), tf.constant(-0.0)]
    with session(COMMON) as s:
        got = s.run([1 / (x * z) for z in zeros], {x: 1.0})
        assert got == [np.inf, -np.inf]
        a, b = tf.constant(1, tf.int32), tf.constant(1, tf.int64)
        assert [v.dtype for v in s.run([tf.negative(a), tf.negative(b)])] == [np.int32, np.int64]


def test_what_must_not_be_merged():
    a, b = tf.random_uniform([4]), tf.random_uniform([4])
    with session(COMMON) as s:
        first, second = s.run([a, b])
        assert not np.array_equal(first, second)
    x = tf.placeholder(tf.float32, [2, 3])
    sums = tf.reduce_sum(x, 0, keepdims=True) + tf.reduce_sum(tf.reduce_sum(x, 0))
    types = both(COMMON, sums, {x: np.ones([2, 3])})
    assert types.count("Sum") == 3  # attributes differ
    with tf.control_dependencies([tf.no_op(name="first")]):
        waiting = tf.exp(x)
    assert both(COMMON, waiting * tf.exp(x), {x: np.ones([2, 3])}).count("Exp") == 2
    v = tf.Variable(1.0)
    before = tf.identity(v._ref() if hasattr(v, "_ref") else v)
    with tf.control_dependencies([before]):
        change = tf.assign(v, 5.0)
    with tf.control_dependencies([change]):
        after = tf.identity(v._ref() if hasattr(v, "_ref") else v)
    with session(COMMON) as s:
        s.run(v.initializer)
        assert s.run([before, after]) == [1.0, 5.0]


# ---- Arithmetic


def arithmetic(fetch, feed):
    return types_of_without_constants(both(ARITHMETIC, fetch, feed))


X = np.array([[-0.0, 1.5, np.nan], [np.inf, -2.0, 0.0]], np.float32)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.identity(tf.identity(x)),
        lambda x: tf.stop_gradient(x),
        lambda x: x * 1.0,
        lambda x: 1.0 * x,
        lambda x: x * tf.ones([2, 3]),
        lambda x: x / 1.0,
        lambda x: tf.div(x, 1.0),
        lambda x: x - 0.0,
        lambda x: tf.negative(-x),
        lambda x: tf.cast(x, tf.float32),
        lambda x: tf.reshape(x, [2, 3]),
        lambda x: tf.transpose(tf.transpose(x)),
        lambda x: tf.transpose(x, [0, 1]),
        lambda x: tf.add_n([x]),
        lambda x: tf.raw_ops.Snapshot(input=x),
    ],
)
def test_what_computes_nothing_goes(make):
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.exp(make(x))
    assert arithmetic(y, {x: X}) == ["Exp"]
    fetched = make(x)
    arithmetic(fetched, {x: X})


@pytest.mark.parametrize(
    "make, kept",
    [
        (lambda x: x + 0.0, "AddV2"),  # turns -0.0 into 0.0
        (lambda x: x - (-0.0), "Sub"),
        (lambda x: x * 0.0, "Mul"),  # nan, inf
        (lambda x: x * tf.ones([2, 2, 3]), "Mul"),  # broadcasts
        (lambda x: x * tf.constant([1.0, 1.0, 2.0]), "Mul"),
        (lambda x: x / 2.0, "RealDiv"),
        (lambda x: 1.0 / x, "RealDiv"),
        (lambda x: 0.0 - x, "Sub"),
        (lambda x: tf.transpose(x), "Transpose"),
        (lambda x: tf.reshape(x, [3, 2]), "Reshape"),
        (lambda x: tf.cast(x, tf.float64), "Cast"),
        (lambda x: tf.add_n([x, x]), "AddN"),
        (lambda x: tf.negative(tf.abs(x)), "Neg"),
    ],
)
def test_what_computes_something_stays(make, kept):
    x = tf.placeholder(tf.float32, [2, 3])
    assert kept in arithmetic(tf.square(make(x)), {x: X})
    assert kept in arithmetic(make(x), {x: X})


def test_signs_of_zero_survive():
    x = tf.placeholder(tf.float32, [2])
    with session(*REWRITES) as s:
        for y, want in (
            (x - 0.0, [True, False]),
            (x * 1.0, [True, False]),
            (x + 0.0, [False, False]),
            (tf.negative(-x), [True, False]),
        ):
            assert np.signbit(s.run(y, {x: [-0.0, 0.0]})).tolist() == want
    c = tf.placeholder(tf.complex64, [1])
    for y in (c * (1 + 0j), c / (1 + 0j), c - 0j):
        with session(*REWRITES) as on, session() as off:
            value = [complex(np.inf, -0.0)]
            assert on.run(y, {c: value}).tobytes() == off.run(y, {c: value}).tobytes()


def test_broadcasting_by_a_neutral_element_keeps_the_shape():
    x = tf.placeholder(tf.float32)  # rank unknown
    y = x * tf.ones([2, 1])
    with session(ARITHMETIC) as s:
        assert s.run(y, {x: 3}).shape == (2, 1)
        assert s.run(tf.constant(3.0) * tf.ones([2, 1])).shape == (2, 1)


def test_chains_of_reshapes_shrink():
    x = tf.placeholder(tf.float32, [2, 6])
    y = tf.reshape(tf.reshape(tf.expand_dims(x, 0), [3, 4]), [12])
    assert arithmetic(y, {x: np.arange(12).reshape(2, 6)}) == ["Reshape"]


def test_transposes_move_into_the_product():
    a, b = tf.placeholder(tf.float32, [3, 2]), tf.placeholder(tf.float32, [3, 4])
    y = tf.matmul(tf.transpose(a), b)
    z = tf.matmul(tf.transpose(a), tf.transpose(tf.transpose(b)), transpose_b=False)
    feed = {a: np.arange(6).reshape(3, 2), b: np.arange(12).reshape(3, 4)}
    assert arithmetic(y, feed) == ["MatMul"]
    assert arithmetic(z, feed) == ["MatMul"]
    back = tf.matmul(tf.transpose(a), a, transpose_b=False)
    assert arithmetic(back, feed) == ["MatMul"]


def test_control_inputs_are_kept():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    bump = tf.assign_add(v, 1.0)
    with tf.control_dependencies([bump]):
        y = tf.identity(x)
        z = x * 1.0
    with session(*REWRITES) as s:
        s.run(v.initializer)
        assert s.run(y, {x: 2}) == 2 and s.run(v) == 1
        assert s.run(z, {x: 2}) == 2 and s.run(v) == 2
        assert s.run(tf.exp(y * 0), {x: 2}) == 1 and s.run(v) == 3


def test_effects_behind_dropped_inputs_are_kept():
    x = tf.placeholder(tf.float32, [2, 3])
    v = tf.Variable(0)
    with tf.control_dependencies([tf.assign_add(v, 1)]):
        shape = tf.constant([2, 3])
        ones = tf.ones([2, 3])
        waiting = tf.identity(x)
    cases = [
        tf.reshape(x, shape),
        tf.reshape(tf.reshape(x, shape), [6]),
        x * ones,
        tf.raw_ops.Shape(input=waiting),
        tf.raw_ops.Size(input=waiting) * 2,
    ]
    with session(*REWRITES) as s:
        s.run(v.initializer)
        for count, fetch in enumerate(cases, 1):
            s.run(fetch, {x: np.ones([2, 3])})
            assert s.run(v) == count, fetch


def test_a_removed_node_may_be_waited_for():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(1.0)
    y = tf.identity(x * 1.0, name="y")
    with tf.control_dependencies([y]):
        change = tf.assign(v, 7.0)
    with session(*REWRITES) as s:
        s.run(v.initializer)
        assert s.run([y, change], {x: 3}) == [3, 7]
        s.run(y.op, {x: 3})


# ---- Fusion


def test_bias_and_activation_join_the_product():
    x, w, b = tf.placeholder(tf.float32, [4, 8]), tf.Variable(tf.ones([8, 3])), tf.Variable([1.0, -50.0, 2.0])
    feed = {x: np.arange(32).reshape(4, 8) / 7}
    for y in (
        tf.nn.relu(tf.matmul(x, w) + b),
        tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b)),
        tf.matmul(x, w) + b,
        b + tf.matmul(x, w),
    ):
        types = both(FUSION, y, feed)
        assert "_FusedMatMul" in types and not {"MatMul", "Relu", "BiasAdd", "Add", "AddV2"} & set(types), types


def test_convolutions_fuse():
    x = tf.placeholder(tf.float32, [1, 6, 6, 2])
    k, b = tf.constant(np.linspace(-1, 1, 54).reshape(3, 3, 2, 3), tf.float32), tf.constant([0.5, 0.0, -0.5])
    y = tf.nn.relu(tf.nn.conv2d(x, k, strides=[1, 1, 1, 1], padding="SAME") + b)
    types = both(FUSION, y, {x: np.linspace(0, 1, 72).reshape(1, 6, 6, 2)})
    assert "_FusedConv2D" in types and "Relu" not in types


@pytest.mark.parametrize("window", [2, 3])  # 3: windows overlap
def test_gradients_of_pool_and_relu_fuse(window):
    x = tf.placeholder(tf.float32, [2, 6, 6, 16])
    attrs = {"ksize": [1, window, window, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    feed = {x: np.random.default_rng(1).standard_normal([2, 6, 6, 16])}
    hidden = tf.nn.relu(x)
    (dx,) = tf.gradients(tf.nn.max_pool(hidden, **attrs) ** 2, x)
    types = both(FUSION, dx, feed)
    assert "_MaxPoolGradRelu" in types and not {"MaxPoolGrad", "ReluGrad"} & set(types)
    (other,) = tf.gradients(tf.nn.max_pool(hidden * 2.0, **attrs), x)  # the relu is not what the pool is taken of
    assert "ReluGrad" in both(FUSION, other, feed)
    (needed,) = tf.gradients(tf.nn.max_pool(hidden, **attrs), hidden)  # and is fetched
    (both_of_it,) = tf.gradients(hidden, x, needed)
    assert "ReluGrad" in both(FUSION, [needed, both_of_it], feed)


def fused_operations(fetch, feed):
    """The types that were fused, of each fused node, with only this rewrite."""
    both(FUSION, fetch, feed)
    with session(FUSION) as s:
        plan = plan_of(s, fetch, feed)
    return [[name.decode() for name in n.attrs["ops"]] for n in plan.ops if n.type == "_FusedCwise"]


def test_trees_of_element_wise_operations_fuse():
    x, y = tf.placeholder(tf.float32, [70, 100]), tf.placeholder(tf.float32, [70, 100])
    scale = tf.placeholder(tf.float32, [])
    random = np.random.default_rng(1)
    feed = {x: random.standard_normal([70, 100]), y: random.standard_normal([70, 100]), scale: 0.3}
    tree = tf.sqrt(tf.abs(x * scale + y)) / (1.0 + tf.square(y))
    assert fused_operations(tree, feed) == [["Mul", "AddV2", "Abs", "Sqrt", "Square", "AddV2", "RealDiv"]]
    shared = x * scale  # is computed once, and fetched
    assert fused_operations([tf.exp(shared + y), shared], feed) == [["AddV2", "Exp"]]
    twice = tf.tanh(x - y)
    assert sorted(fused_operations([tf.abs(twice) + x, -twice * y], feed)) == [
        ["Abs", "AddV2"],
        ["Neg", "Mul"],
        ["Sub", "Tanh"],
    ]


def test_other_element_wise_operations_stay():
    x, unknown = tf.placeholder(tf.float32, [70, 100]), tf.placeholder(tf.float32, [None, 100])
    row, small = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [7, 10])
    feed = {x: np.ones([70, 100]), unknown: np.ones([70, 100]), row: np.ones(100), small: np.ones([7, 10])}
    with tf.control_dependencies([tf.no_op()]):
        waits = tf.exp(x)
    held = tf.exp(x)
    with tf.control_dependencies([held]):
        after = tf.identity(x)
    whole = tf.cast(x, tf.int32)
    fetches = [
        -tf.exp(unknown),
        tf.abs(x + row),
        -tf.exp(small),
        -waits,
        [held * 2.0, after],
        tf.square(whole * whole),
        tf.nn.relu(tf.nn.elu(x)),
    ]
    for fetch in fetches:
        assert fused_operations(fetch, feed) == []


def test_a_fused_tree_has_as_many_operations_as_it_may():
    x = tf.placeholder(tf.float64, [5000])
    y = x
    for i in range(60):
        y = tf.tanh(y) if i % 2 else y * 1.1
    lengths = [len(ops) for ops in fused_operations(y, {x: np.linspace(-1, 1, 5000)})]
    assert lengths == [12, 24, 24]


def test_values_of_a_fused_tree_have_buffers_enough():
    """A full binary tree of 24 operations keeps one value for each level."""
    x = [tf.placeholder(tf.float32, [4096]) for _ in range(16)]
    feed = {t: np.random.default_rng(i).standard_normal(4096) for i, t in enumerate(x)}
    level = x
    while len(level) > 1:
        level = [a - b for a, b in zip(level[::2], level[1::2])]
    assert [len(ops) for ops in fused_operations(level[0], feed)] == [15]
    right = x[0]
    for t in x[1:]:
        right = tf.square(t) - right
    assert sum(len(ops) for ops in fused_operations(right, feed)) == 30


# Sizes (m, n, k) of products whose sum is kept in tiles, and of those that are computed in other ways.
@pytest.mark.parametrize(
    "m, n, k, terms",
    [
        (150, 200, 32, 20),
        (13, 33, 7, 3),
        (260, 70, 300, 5),
        (40, 40, 700, 3),
        (3, 100, 50, 4),
        (60, 5, 64, 4),
        (0, 3, 2, 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("transpose", [(False, False), (True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda d: d.name)
def test_sums_of_products_fuse(m, n, k, terms, transpose, dtype):
    random = np.random.default_rng(m)
    a = tf.placeholder(dtype, [terms, k, m] if transpose[0] else [terms, m, k])
    b = tf.placeholder(dtype, [terms, n, k] if transpose[1] else [terms, k, n])
    feed = {t: random.standard_normal(t.shape.as_list()) for t in (a, b)}
    pairs = zip(tf.unstack(a), tf.unstack(b))
    y = tf.add_n([tf.matmul(x, w, transpose_a=transpose[0], transpose_b=transpose[1]) for x, w in pairs])
    types = both(FUSION, y, feed)
    assert "_MatMulAddN" in types and not {"MatMul", "AddN"} & set(types)


def test_sums_of_other_products_stay():
    x = tf.placeholder(tf.float32, [4, 4])
    feed = {x: np.arange(16).reshape(4, 4) / 7}
    product = tf.matmul(x, x)
    mixed = tf.add_n([product, tf.matmul(x, x, transpose_a=True)])
    with_other = tf.add_n([product, x])
    used = [tf.add_n([product, tf.matmul(x, x + 1)]), product]
    for y in (mixed, with_other, used):
        assert "_MatMulAddN" not in both(FUSION, y, feed)


@pytest.mark.parametrize("sizes", [[40, 33, 200], [32, 300], [64, 64, 64]], ids=str)
@pytest.mark.parametrize("rows", [1, 3, 8, 17, 32, 200])
@pytest.mark.parametrize("transpose", [(False, False), (True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda d: d.name)
def test_of_a_split_product_the_part_that_is_used_is_computed(sizes, rows, transpose, dtype):
    a = tf.placeholder(dtype, [310, None] if transpose[0] else [None, 310])
    b = tf.placeholder(dtype, [sum(sizes), 310] if transpose[1] else [310, sum(sizes)])
    product = tf.matmul(a, b, transpose_a=transpose[0], transpose_b=transpose[1])
    random = np.random.default_rng(rows)
    feed = {
        a: random.standard_normal([310, rows] if transpose[0] else [rows, 310]),
        b: random.standard_normal(b.shape.as_list()),
    }
    parts = tf.split(product, len(sizes) if len(set(sizes)) == 1 else sizes, axis=-1)
    for part in parts:
        types = both(FUSION, tf.tanh(part), feed)
        assert "_MatMulColumns" in types and not {"MatMul", "Split", "SplitV"} & set(types)
    both(FUSION, tf.concat(parts[1:], 1), feed)


def test_split_products_that_stay_whole():
    x, w = tf.placeholder(tf.float32, [4, 8]), tf.placeholder(tf.float32, [8, 80])
    feed = {x: np.arange(32).reshape(4, 8) / 7, w: np.arange(640).reshape(8, 80) / 9}
    product = tf.matmul(x, w)
    narrow = tf.split(product, [31, 49], 1)[0]
    rows = tf.split(product, 2, 0)[0]
    two = tf.add_n(tf.split(product, 2, 1))
    used = [tf.reduce_sum(tf.split(product, 2, 1)[1]), tf.reduce_sum(product)]
    with tf.control_dependencies([product]):
        waiting = tf.identity(tf.split(product, 2, 1)[1])
    for y in (narrow, rows, two, used, waiting, tf.split(product, 2, 1)):
        assert "_MatMulColumns" not in both(FUSION, y, feed)


def test_the_gradient_of_a_cell_is_that_of_its_state_alone():
    x, h, w = tf.placeholder(tf.float32, [20, 48]), tf.Variable(tf.ones([20, 64])), tf.Variable(tf.ones([112, 256]))
    y = tf.tanh(tf.matmul(tf.concat([x, h], 1), w))
    types = both(FUSION, tf.gradients(y, [h])[0], {x: np.ones([20, 48])})
    assert "_MatMulColumns" in types and "SplitV" not in types


def test_what_must_not_fuse():
    x, w = tf.placeholder(tf.float32, [4, 8]), tf.constant(np.ones([8, 3], np.float32))
    feed = {x: np.arange(32).reshape(4, 8) / 7}
    product = tf.matmul(x, w)
    summed = product + [1.0, 2.0, 3.0]
    used_twice = [tf.nn.relu(summed), product]
    with session(FUSION) as s:
        assert "MatMul" in types_of(plan_of(s, used_twice, feed))
        got = s.run([tf.nn.relu(summed), summed, product], feed)
        np.testing.assert_array_equal(np.maximum(got[1], 0), got[0])
        np.testing.assert_array_equal(got[2] + np.float32([1, 2, 3]), got[1])
    matrix = tf.nn.relu(product + tf.ones([4, 3]))  # not a bias
    assert "_FusedMatMul" not in both(FUSION, matrix, feed)
    double = tf.matmul(tf.cast(x, tf.float64), tf.cast(w, tf.float64)) + tf.constant([1.0, 2.0, 3.0], tf.float64)
    assert "_FusedMatMul" not in both(FUSION, double, feed)
    bias = tf.constant([1.0, 2.0, 3.0])
    with tf.control_dependencies([tf.no_op()]):
        waiting = product + bias
    assert "MatMul" in both(FUSION, waiting, feed)


def test_errors_of_fused_nodes_name_an_op_of_the_user():
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), [1.0, 2.0], name="add"), name="act")
    with session(FUSION) as s, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        s.run(y, {x: np.ones([2, 3]), w: np.ones([2, 3])})
    assert caught.value.op.name in ("act", "add", "MatMul") and __file__ in str(caught.value)


# ---- Schedule


def test_writers_run_after_the_readers_of_the_old_value():
    v = tf.Variable(tf.ones([1000]))
    read = v * 2.0
    update = tf.assign_sub(v, tf.ones([1000]) * 0.5)
    later = [tf.exp(read), tf.log(v + 3.0)]
    with session(*REWRITES) as s:
        s.run(v.initializer)
        types = types_of(plan_of(s, [update.op, *later]))
        assert types.index("AssignSub") > max(types.index("Mul"), types.index("AddV2"))
        got = s.run([update.op, *later])
        assert got[2][0] == np.log(np.float32(4.0))


def test_control_dependencies_still_order_writers():
    v = tf.Variable(1.0)
    first = tf.assign(v, 2.0)
    with tf.control_dependencies([first]):
        read = tf.identity(v._ref() if hasattr(v, "_ref") else v) * 10.0
    with tf.control_dependencies([read]):
        second = tf.assign_add(v, 3.0)
    with session(*REWRITES) as s:
        s.run(v.initializer)
        assert s.run([read, second]) == [20.0, 5.0]
        assert s.run(v) == 5.0


def test_a_training_step_copies_no_variable():
    from tfcore.core.runtime import memory_stats

    n = 400_000
    v = tf.Variable(tf.zeros([n]), name="v")
    x = tf.placeholder(tf.float32, [])
    loss = tf.reduce_mean(tf.square(v - x))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with session(*REWRITES) as s:
        s.run(v.initializer)
        for _ in range(12):
            s.run(train, {x: 1.0})
        reserved = memory_stats()["bytes_reserved"]
        before = memory_stats()["num_allocs"]
        s.run(train, {x: 1.0})
        allocated = memory_stats()["num_allocs"] - before
        assert memory_stats()["bytes_reserved"] == reserved  # everything is reused
        plan = plan_of(s, train, {x: 1.0})
        types = types_of(plan)
        assert types[-1] in ("ApplyGradientDescent", "NoOp")
        held = s.run(v)  # a copy for the caller
        s.run(train, {x: 1.0})
        assert not np.array_equal(held, s.run(v))
        assert allocated <= len(types) + 2


# ---- Placement and the null device


def test_devices_that_exist():
    for name in ("/cpu:0", "/device:CPU:0", "/job:localhost", "/job:localhost/replica:0/task:0/device:CPU:0", ""):
        with tf.device(name):
            x = tf.constant(2.0) * 3
        with session() as s:
            assert s.run(x) == 6


@pytest.mark.parametrize("name", ["/gpu:0", "/cpu:1", "/job:worker", "/job:localhost/task:1", "/device:TPU:0"])
def test_devices_that_do_not(name):
    with tf.device(name):
        x = tf.constant(2.0, name="x")
    y = x * 3
    with (
        session() as s,
        pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation x") as caught,
    ):
        s.run(y)
    assert __file__ in str(caught.value)
    with session(allow_soft_placement=True) as s:
        if "job" in name:  # soft placement does not leave the task that was asked for
            with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation x"):
                s.run(y)
        else:
            assert s.run(y) == 6


def test_the_null_device_computes_nothing():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/device:NULL:0"):
        y = tf.exp(x) + 1.0
        for _ in range(50):
            y = y * 2.0
    with session() as s:
        plan = plan_of(s, y, [x])
        assert types_of(plan).count("Mul") == 50
        assert s.run(y, {x: [1.0, 2.0]}).shape == ()


def test_variables_on_the_null_device_are_harmless():
    with tf.device("/device:NULL:0"):
        v = tf.Variable(1.0)
        y = v + 1
        change = tf.assign_add(v, 1.0)
    with session() as s:
        for fetch in (v.initializer, y, v, change, v.value(), tf.identity(v)):
            try:
                s.run(fetch)
            except tf.errors.OpError:
                pass
        assert s.run(tf.constant(1)) == 1


# ---- Switches


def test_every_rewrite_can_be_switched_off():
    from tfcore.client.config import SessionOptions

    config = tf.ConfigProto()
    assert set(SessionOptions.of(config).rewrites) == set(Compiler.REWRITES)
    config.graph_options.rewrite_options.remapping = 2
    assert set(SessionOptions.of(config).rewrites) == set(Compiler.REWRITES) - {"fusion"}
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    assert SessionOptions.of(config).rewrites == ()
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    assert SessionOptions.of(config).rewrites == ()


def test_deep_graphs_compile():
    x = tf.placeholder(tf.float32)
    y = x
    for _ in range(6000):
        y = y + 1.0
    with session(*REWRITES) as s:
        assert s.run(y, {x: 0}) == 6000


def test_the_readme_lists_the_passes_in_their_order():
    readme = pathlib.Path(compile.__file__).with_name("README.md").read_text()
    assert [p.module for p in compile.PASSES] == re.findall(r"^\d+\. `(\w+)\.py`", readme, re.M)
    assert {p.rewrite for p in compile.PASSES} - {None, compile.ORDER} == set(compile.Compiler.REWRITES) - {"loops"}
