"""Crosses: all combinations, in order; TensorFlow's hash values; what is refused."""

import itertools

import numpy as np
import pytest

import tfcore as tf

R = tf.raw_ops
KEY = 0xDECAFCAFFE


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(x):
    with tf.Session() as sess:
        return sess.run(x)


def ints(*values):
    return np.array(values, np.int64)


def pairs(*values):
    return np.array(values, np.int64).reshape(-1, 2)


SPARSE = {
    "indices": [pairs([0, 0], [1, 0], [1, 1])],
    "values": [np.array(["a", "b", "c"])],
    "shapes": [ints(2, 2)],
}
WORDS, NUMBERS = np.array([["x"], ["y"]]), np.array([[7], [-8]])


def cross(dense, parts=SPARSE, out=tf.int64, internal=tf.int64, buckets=0, key=KEY):
    return R.SparseCross(
        **parts,
        dense_inputs=dense,
        hashed_output=True,
        num_buckets=buckets,
        hash_key=key,
        out_type=out,
        internal_type=internal,
    )


def hashed(dense, strong=False, salt=(1, 2), buckets=0, parts=SPARSE):
    return R.SparseCrossHashed(
        **parts, dense_inputs=dense, num_buckets=ints(buckets)[0], strong_hash=strong, salt=ints(*salt)
    )


@pytest.mark.parametrize(
    "dense, options, values",
    [
        ([WORDS], {}, [1484974617627318892, 5470948523078679805, 6571367263544129360]),
        ([WORDS], {"internal": tf.string}, [1484974617627318892, 5470948523078679805, 6571367263544129360]),
        ([WORDS], {"buckets": 100}, [92, 5, 60]),
        ([np.array([[7], [8]])], {}, [3509787333349122856, 9003972888028304919, 6432631460089690489]),
        (
            [np.array([["x", "z"], ["y", "w"]]), np.array([[1], [2]])],
            {},
            [7722368476446652350, 3717781755853322339, 1697733415689833912, 5112261095748030342, 2784798605483458161,
             7792308976704926638],
        ),
        ([WORDS], {"out": tf.string}, [b"a_X_x", b"b_X_y", b"c_X_y"]),
    ],
)  # fmt: skip
def test_known_hash_values(dense, options, values):
    indices, found, shape = run(cross(dense, **options))
    width = len(values) - len(values) // 3
    assert found.tolist() == values and shape.tolist() == [2, width]
    assert indices.tolist() == [[row, k] for row, n in enumerate((len(values) // 3, width)) for k in range(n)]


@pytest.mark.parametrize(
    "dense, options, values",
    [
        ([WORDS], {}, [598440913169127831, 5599933622718060628, 5351530424226319396]),
        ([NUMBERS], {"buckets": 100}, [1, 19, 50]),
        ([WORDS], {"strong": True}, [7324330830475149127, 7844677534625648961, 7592269141358217486]),
        ([WORDS], {"strong": True, "salt": (0, 0)}, [7458928088231424009, 2100051602930597973, 2846167554663864110]),
    ],
)
def test_known_hash_values_with_salt(dense, options, values):
    assert run(hashed(dense, **options)).output_values.tolist() == values


COUNTS = {**SPARSE, "values": [ints(1, 2, 3)]}


@pytest.mark.parametrize(
    "parts, options, values",
    [
        (COUNTS, {}, [7601041269982238804, 6706320920252439311, 2681491882390849628]),
        (
            {**SPARSE, "values": [ints(2**33 + 1, 2 - 2**40, 3)]},
            {},
            [7601041269982238804, 6706320920252439311, 2681491882390849628],
        ),
        ({**SPARSE, "values": [ints(-1, -2, -3)]}, {}, [3427172234988467876, 7177468064790092485, 3607656348661279943]),
        (COUNTS, {"strong": True}, [1473837617647431863, 3245733509133875844, 5347293944578695997]),
        (
            {**SPARSE, "values": [ints(-1, -2, -3)]},
            {"strong": True},
            [8014179090728985755, 488339991393039802, 1353763778610995666],
        ),
    ],
)  # fmt: skip
def test_hash_values_of_sparse_integers(parts, options, values):
    """They are those of the lowest four bytes; dense integers are their own."""
    assert run(hashed([], parts=parts, **options)).output_values.tolist() == values
    assert run(hashed([ints([7], [8])], parts=dict.fromkeys(SPARSE, []))).output_values.tolist() == [7, 8]


def columns(rng, rows):
    """Random inputs of the op, and the values of each column and row."""
    parts, dense, table = {"indices": [], "values": [], "shapes": []}, [], []
    for _ in range(rng.integers(1, 4)):
        as_text = rng.random() < 0.5
        if rng.random() < 0.6:
            flat = np.sort(rng.permutation(rows * 4)[: rng.integers(0, rows * 4)])
            indices = np.stack(np.unravel_index(flat, (rows, 4)), -1).astype(np.int64)
            values = rng.integers(-5, 5, len(flat))
            for name, part in zip(parts, (indices, values.astype("S8") if as_text else values, ints(rows, 4))):
                parts[name].append(part)
            table.insert(len(parts["values"]) - 1, [values[indices[:, 0] == row] for row in range(rows)])
        else:
            values = rng.integers(-5, 5, (rows, rng.integers(0, 4)))
            dense.append(values.astype("S8") if as_text else values)
            table.append(list(values))
    return parts, dense, table


@pytest.mark.parametrize("seed", range(12))
def test_joined_in_order(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(0, 40))
    parts, dense, table = columns(rng, rows)
    indices, values, shape = run(R.SparseCrossV2(**parts, dense_inputs=dense, sep=", "))
    expected = [
        (row, k, ", ".join(map(str, combination)).encode())
        for row in range(rows)
        for k, combination in enumerate(itertools.product(*(column[row] for column in table)))
    ]
    assert [(*at, value) for at, value in zip(indices.tolist(), values)] == expected
    assert shape.tolist() == [rows, max([k + 1 for _, k, _ in expected], default=0)]


def test_elements_out_of_order_end_a_column():
    parts = {**SPARSE, "indices": [pairs([1, 0], [0, 0], [1, 1])]}
    indices, values, _ = run(cross([WORDS], parts, out=tf.string))
    assert indices.tolist() == [[1, 0]] and values.tolist() == [b"a_X_y"]
    for bad in (-1, 5, 2**62):
        parts = {**SPARSE, "indices": [pairs([0, 0], [bad, 0], [1, 1])]}
        assert run(cross([WORDS], parts, out=tf.string)).output_values.tolist() == [b"a_X_x"]


def test_without_columns():
    none = {"indices": [], "values": [], "shapes": []}
    indices, values, shape = run(cross([], none))
    assert indices.shape == (0, 2) and values.shape == (0,) and shape.tolist() == [0, 0]


def changed(**parts):
    return {**SPARSE, **parts}


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: cross([NUMBERS], internal=tf.string), "Dense inputs should be of internal type 7 but received 9"),
        (lambda: cross([WORDS[:1]]), "Expected batch size 2 got 1 at dense tensor 0"),
        (lambda: cross([WORDS[0]]), r"Dense inputs should be a matrix but received shape \[1\] at position 0"),
        (
            lambda: cross([], changed(indices=[ints(0)])),
            r"Input indices should be a matrix but received shape \[1\] at position 0",
        ),
        (lambda: cross([], changed(indices=[ints([0, 0, 0])])), "Expected D2 of index to be 2 got 3 at position 0"),
        (
            lambda: cross([], changed(values=[np.array([["a"]])])),
            r"Input values should be a vector but received shape \[1,1\] at position 0",
        ),
        (
            lambda: cross([], changed(values=[np.array(["a"])])),
            "Expected size of values to be 3 got 1 at position 0",
        ),
        (
            lambda: cross([], changed(shapes=[ints(2)[0]])),
            r"Input shapes should be a vector but received shape \[\] at position 0",
        ),
        (
            lambda: cross([], changed(shapes=[ints(2, 2, 2)])),
            r"shape should imply a 2D tensor, but got \[3\] at position 0",
        ),
        (lambda: cross([], changed(shapes=[ints(-2, 2)])), "Expected batch size to be non-negative, got -2"),
        (
            lambda: cross([], {name: part * 2 for name, part in changed(shapes=[ints(2, 2)]).items()} | {
                "shapes": [ints(2, 2), ints(3, 2)]
            }),
            "Expected batch size 2 got 3 at position 1",
        ),
        (
            lambda: R.SparseCrossV2(**SPARSE, dense_inputs=[], sep=["a"]),
            r"Input separator should be a scalar. Received: shape \[1\]",
        ),
        (lambda: hashed([WORDS], salt=(1, 2, 3)), 'Input "salt" must have length 2 but has length 3'),
        (lambda: hashed([NUMBERS], strong=True), "strong_hash needs dense inputs of strings, but input 1 is of"),
        (lambda: cross([np.zeros((1, 2**11), np.int64)] * 6, {name: [] for name in SPARSE}), "Too many crosses"),
    ],
)  # fmt: skip
def test_refused(build, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(build())


@pytest.mark.parametrize("values", [[], [ints(1, 2, 3)] * 2, [np.array(["a", "b", "c"])] * 2])
def test_a_list_of_values_too_few_or_many(values):
    parts = changed(values=values)
    for build in (
        lambda: cross([], parts),
        lambda: R.SparseCrossV2(**parts, dense_inputs=[WORDS], sep=","),
        lambda: hashed([], parts=parts),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Expected 1 input values, got {len(values)}"):
            run(build())


@pytest.mark.parametrize("rows", [2**56, 2**60, 2**63 - 1])
def test_many_rows_without_memory(rows):
    parts = {"indices": [pairs()], "values": [np.array([], "S1")], "shapes": [ints(rows, 2)]}
    with pytest.raises(tf.errors.ResourceExhaustedError):
        run(cross([], parts))


def test_public_functions():
    sparse = tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1])
    numbers = tf.constant([[1], [2]])  # int32
    assert run(tf.sparse.cross([numbers, sparse])).values.tolist() == [b"a_X_1", b"b_X_2"]
    assert run(tf.sparse.cross([sparse, numbers], separator="")).values.tolist() == [b"a1", b"b2"]
    assert run(tf.sparse.cross_hashed([sparse, tf.constant([["x"], ["y"]])])).values.tolist() == [
        1484974617627318892,
        5470948523078679805,
    ]
    few, keyed = (run(tf.sparse.cross_hashed([sparse, numbers], 10, key)).values for key in (None, 5))
    assert ((few >= 0) & (few < 10)).all() and few.tolist() != keyed.tolist()


@pytest.mark.parametrize(
    "function, inputs, text",
    [
        (tf.sparse.cross, "ab", "Inputs must be a list"),
        (tf.sparse.cross, [[["a"]]], "All inputs must be Tensor or SparseTensor."),
        (tf.sparse.cross_hashed, [[["a"]]], "All inputs must be SparseTensors"),
    ],
)
def test_wrong_inputs(function, inputs, text):
    with pytest.raises(TypeError, match=text):
        function(inputs)
