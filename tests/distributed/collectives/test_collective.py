"""Collectives against NumPy: all types, shapes and operations, in 1 to 5 processes, with the same bits on all ranks."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.distributed import tasks

# All ranks draw the same examples.
SAME = dict(derandomize=True, database=None, deadline=None)
TYPES = (
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128".split()
)
EPS = {"bfloat16": 2**-7, "float16": 2**-10, "float32": 4e-7, "complex64": 4e-7, "float64": 1e-15, "complex128": 1e-15}
REDUCE = {"sum": np.add, "mean": np.add, "min": np.minimum, "max": np.maximum, "prod": np.multiply}


def join(task):
    """Connects this task; returns tf.distributed."""
    from tfcore.distributed.collectives import (
        consistency as collective_consistency,  # its handlers come before the fabric starts
    )

    if task.size > 1:
        task.connect(before_start=collective_consistency.serve)
    return tf.distributed


def values(dtype, shapes, seed):
    """What each rank brings, for which sums are exact or nearly so."""
    rng = np.random.default_rng(seed)
    np_dtype = tf.as_dtype(dtype).as_numpy_dtype
    made = []
    for shape in shapes:
        x = rng.integers(0 if dtype.startswith("u") else -5, 6, shape)
        if dtype.startswith("complex"):
            x = x + 1j * rng.integers(-5, 6, shape)
        elif "float" in dtype:
            x = x / 4
        made.append(np.asarray(x).astype(np_dtype))
    return made


def reduced(op, arrays):
    wide = [a.astype(np.float64) if a.dtype.name in ("bfloat16", "float16") else a for a in arrays]
    result = wide[0]
    for more in wide[1:]:
        result = REDUCE[op](result, more)
    if op == "mean":
        result = result / len(arrays)
        result = np.trunc(result) if arrays[0].dtype.kind in "iu" else result
    return result.astype(arrays[0].dtype)


def digest(array):
    return hashlib.sha1(np.ascontiguousarray(array).tobytes()).hexdigest()


def run_op(build, dtype, feed):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype)
        return session.run(build(x), {x: feed})


# ---- Against NumPy

SHAPES = st.one_of(
    st.just(()),
    st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple),
    st.sampled_from([(3000,), (65, 67), (20011,), (150, 1001)]),
)


def check_reduce(task):
    d = join(task)
    digests = []

    @settings(max_examples=60, **SAME)
    @given(st.sampled_from(TYPES), SHAPES, st.sampled_from(sorted(REDUCE)), st.integers(0, 99))
    def check(dtype, shape, op, seed):
        if dtype.startswith("complex") and op in ("min", "max"):
            op = "sum"
        all_values = values(dtype, [shape] * task.size, seed)
        got = run_op(lambda x: d.allreduce(x, op), dtype, all_values[task.rank])
        want = reduced(op, all_values)
        assert got.shape == want.shape and got.dtype == want.dtype
        eps = EPS.get(dtype, 0)
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=eps, atol=eps)
        digests.append(digest(got))

    check()
    return digests


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_allreduce_is_numpys_with_the_same_bits_on_all_ranks(n):
    results = tasks.run(n, check_reduce)
    assert len(results[0]) >= 60 and all(r == results[0] for r in results)


def check_others(task):
    d = join(task)
    n, me = task.size, task.rank

    @settings(max_examples=50, **SAME)
    @given(
        st.sampled_from([*TYPES, "bool"]),
        st.lists(st.integers(0, 5), max_size=2),
        st.lists(st.sampled_from([0, 1, 2, 3, 900]), min_size=n, max_size=n),
        st.integers(0, 99),
    )
    def check(dtype, row, rows, seed):
        parts = values(dtype, [(r, *row) for r in rows], seed)
        gathered = run_op(d.allgather, dtype, parts[me])
        assert gathered.tobytes() == np.concatenate(parts).tobytes() and gathered.shape == (sum(rows), *row)
        root = seed % n
        whole = values(dtype, [(sum(rows), *row)] * n, seed)
        assert run_op(lambda x: d.broadcast(x, root), dtype, whole[me]).tobytes() == whole[root].tobytes()
        if dtype == "bool":
            return
        want = reduced("sum", whole)
        first = sum(rows[:me])
        given_sizes = run_op(lambda x: d.reduce_scatter(x, sizes=rows), dtype, whole[me])
        assert given_sizes.tobytes() == want[first : first + rows[me]].tobytes()
        shares = np.array_split(want, n)
        assert run_op(d.reduce_scatter, dtype, whole[me]).tobytes() == shares[me].tobytes()

    check()
    scalars = run_op(d.allgather, "int32", np.int32(me))
    return scalars.tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_gather_broadcast_and_reduce_scatter_are_numpys(n):
    assert tasks.run(n, check_others) == [list(range(n))] * n


def special_values(task):
    d = join(task)
    mine = np.float32([[np.nan, 1, -np.inf, 0], [1, np.nan, np.inf, -0.0]][task.rank])
    return [run_op(lambda x, op=op: d.allreduce(x, op), "float32", mine).tolist() for op in ("min", "max", "sum")]


def test_a_nan_wins():
    for low, high, total in tasks.run(2, special_values):
        np.testing.assert_equal(low[:3], [np.nan, np.nan, -np.inf])
        np.testing.assert_equal(high[:3], [np.nan, np.nan, np.inf])
        np.testing.assert_equal(total, [np.nan, np.nan, np.nan, 0])


def rounding(task):
    d = join(task)
    out = []
    for dtype, unit in (("bfloat16", 2**-8), ("float16", 2**-11)):  # half a unit in the last place of 1
        mine = np.full(9, [1, unit, unit][task.rank]).astype(tf.as_dtype(dtype).as_numpy_dtype)
        out.append(float(run_op(d.allreduce, dtype, mine)[4]))
    return out


def test_half_precision_is_rounded_once():
    assert tasks.run(3, rounding) == [[1 + 2**-7, 1 + 2**-10]] * 3


def levels(task):
    from tfcore.testing import cpu_level, cpu_levels

    d = join(task)
    digests = []
    for level in cpu_levels():
        with cpu_level(level):
            for dtype in TYPES:
                mine = values(dtype, [(5000,)] * task.size, 1)[task.rank]
                digests.append((dtype, digest(run_op(lambda x: d.allreduce(x, "mean"), dtype, mine))))
    return digests


def test_every_level_gives_the_same_bits():
    results = tasks.run(3, levels)
    assert all(r == results[0] for r in results)
    by_dtype = {}
    for dtype, bits in results[0]:
        by_dtype.setdefault(dtype, set()).add(bits)
    assert len(by_dtype) == len(TYPES) and all(len(bits) == 1 for bits in by_dtype.values())


# ---- Lists, slices, groups


def fused(task):
    d = join(task)
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal(shape).astype(t) for shape, t in FUSED]
    with tf.Graph().as_default(), tf.Session() as session:
        mine = [tf.constant(a * (task.rank + 1)) for a in arrays]
        for op in ("sum", "mean"):
            got = session.run(d.allreduce(mine, op))
            scale = sum(range(1, task.size + 1)) / (1 if op == "sum" else task.size)
            for g, a in zip(got, arrays):
                assert g.shape == a.shape
                np.testing.assert_allclose(g, a * scale, rtol=2e-6)
        slices = tf.IndexedSlices(tf.constant([[1.0 + task.rank]]), tf.constant([task.rank]), tf.constant([9, 1]))
        both = d.allreduce([slices, mine[0]], "mean")
        values_, indices = session.run([both[0].values, both[0].indices])
    return [values_.ravel().tolist(), indices.tolist()]


FUSED = [
    ((3,), "f4"),
    ((0, 2), "f4"),
    ((200, 300), "f4"),
    ((), "f4"),
    ((100,), "f8"),
    ((9000,), "f4"),
    ((400,), "f4"),
    ((1, 1), "f8"),
]


@pytest.mark.parametrize("n", [2, 3])
def test_lists_travel_together_and_slices_are_put_together(n):
    want = [[(1.0 + r) / n for r in range(n)], list(range(n))]
    for values_, indices in tasks.run(n, fused):
        np.testing.assert_allclose(values_, want[0], rtol=1e-6)
        assert indices == want[1]


def groups(task):
    d = join(task)
    mine = [task.rank % 2, task.rank % 2 + 2]
    sums = run_op(lambda x: d.allreduce(x, group=mine, name=f"group{task.rank % 2}"), "int32", np.int32(10**task.rank))
    return [int(sums), d.rank(mine), d.size(mine), d.rank([3 - task.rank]), d.rank(), d.size()]


def test_groups():
    assert tasks.run(4, groups) == [
        [101, 0, 2, -1, 0, 4],
        [1010, 0, 2, -1, 1, 4],
        [101, 1, 2, -1, 2, 4],
        [1010, 1, 2, -1, 3, 4],
    ]


def jobs(task):
    from tfcore.distributed.collectives import collective

    d = join(task)
    collective.set_tasks([("ps", 0), ("worker", 0), ("worker", 1)])
    if task.rank == 0:
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0.*not a member"):
            run_op(d.allreduce, "int32", np.int32(1))
        total = None
    else:
        total = int(run_op(d.allreduce, "int32", np.int32(task.rank)))
    return [total, d.rank(), d.size(), d.rank("ps")]


def test_the_default_group_are_the_workers():
    assert tasks.run(3, jobs) == [[None, -1, 2, 0], [3, 0, 2, -1], [3, 1, 2, -1]]


# ---- Gradients


def gradients(task):
    """Of the sum over ranks of weights[rank] * f(x), with what the ranks have made of it together."""
    d = join(task)
    n, me = task.size, task.rank
    x_all = np.float64([[1.0, 5, 2], [4, 5, 1], [0, 3, 2]])[:n]
    weights = np.float64([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])[:n]
    out = {}
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.constant(x_all[me]), tf.constant(weights[me])
        for op in ("sum", "mean", "max", "min"):
            out[op] = session.run(tf.gradients(d.allreduce(x, op) * w, x)[0]).tolist()
        out["list"] = [g.tolist() for g in session.run(tf.gradients([t * w for t in d.allreduce([x, 2 * x])], [x]))]
        rows = tf.constant(np.ones([me + 1, 2]))
        out["gather"] = session.run(tf.gradients(d.allgather(rows) * (me + 1.0), rows)[0]).tolist()
        out["scalar"] = session.run(tf.gradients(d.allgather(x[0]) * (me + 1.0), x)[0]).tolist()
        out["broadcast"] = session.run(tf.gradients(d.broadcast(x, root=n - 1) * w, x)[0]).tolist()
        even = tf.constant(np.ones([n, 2]))
        out["scatter"] = session.run(tf.gradients(d.reduce_scatter(even) * (me + 1.0), even)[0]).tolist()
        second = tf.gradients(tf.gradients(d.allreduce(x**3, "mean") * w, x)[0], x)[0]
        out["second"] = session.run(second).tolist()
    return out


@pytest.mark.parametrize("n", [1, 2, 3])
def test_gradients(n):
    x = np.float64([[1.0, 5, 2], [4, 5, 1], [0, 3, 2]])[:n]
    w = np.float64([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])[:n]
    total = w.sum(0)
    for me, got in enumerate(tasks.run(n, gradients)):
        ranks = np.arange(1.0, n + 1)
        want = {
            "sum": total,
            "mean": total / n,
            "list": [3 * total],
            "gather": np.full([me + 1, 2], ranks.sum()),
            "scalar": [ranks.sum(), 0, 0],
            "broadcast": total if me == n - 1 else 0 * total,
            "scatter": np.repeat(ranks[:, None], 2, 1),
            "second": 6 * x[me] * mean_of_means(w),
        }
        for op, extreme in (("max", x.max(0)), ("min", x.min(0))):
            had = x == extreme
            want[op] = np.where(had[me], total / had.sum(0), 0)
        for name, value in want.items():
            np.testing.assert_allclose(got[name], value, err_msg=name)


def mean_of_means(w):
    """The second gradient of a mean: its cotangent is the mean over ranks of the weights."""
    return w.mean(0)


# ---- What is refused when the graph is built


def test_what_can_not_be_combined():
    d = tf.distributed
    with pytest.raises(TypeError, match="bool values.*cast 'flags:0'"):
        d.allreduce(tf.constant([True], name="flags"))
    with pytest.raises(TypeError, match="numbers, but 'words:0' is string"):
        d.allreduce(tf.constant(["a"], name="words"))
    with pytest.raises(TypeError, match="with an order"):
        d.allreduce(tf.constant([1j]), op="max")
    with pytest.raises(TypeError, match="allgather needs numbers or bool"):
        d.allgather(tf.constant(["a"]))
    with pytest.raises(ValueError, match="op must be one of 'sum'"):
        d.allreduce(1.0, op="average")
    with pytest.raises(ValueError, match="is a scalar"):
        d.reduce_scatter(1.0)
    with pytest.raises(ValueError, match="at least one rank"):
        d.allreduce(1.0, group=[])
    with pytest.raises(ValueError, match="not -1"):
        d.broadcast(1.0, root=-1)
    with pytest.raises(ValueError, match="no job 'chief'"):
        d.rank("chief")
    with pytest.raises(ValueError, match=r"outside of the cluster.s \[0, 1\)"):
        d.size([0, 1])


def test_alone_everything_is_itself():
    d = tf.distributed
    x = np.arange(6.0).reshape(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        for make in (d.allreduce, d.allgather, d.broadcast, d.reduce_scatter, lambda t: d.allreduce(t, "mean")):
            np.testing.assert_array_equal(session.run(make(tf.constant(x))), x)
        assert session.run(d.barrier()) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)\[0, 1\).*Nowhere"):
            session.run(d.allreduce(x, group=[1], name="Nowhere"))
        with pytest.raises(tf.errors.InvalidArgumentError, match="root is 2"):
            session.run(d.broadcast(x, root=2))
    assert (d.rank(), d.size()) == (0, 1)
