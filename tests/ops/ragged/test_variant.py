"""Ragged tensors as variants."""

import random

import numpy as np
import pytest

import tfcore as tf
from tests.ops.ragged.test_ragged import nested, rows_of, splits_of

ops = tf.raw_ops
I64 = np.int64


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def to_variant(splits, values, batched=True):
    splits = [tf.placeholder_with_default(I64(s), None) for s in splits]
    values = tf.placeholder_with_default(np.array(values), None)
    return ops.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=values, batched_input=batched)


def from_variant(encoded, input_rank, output_rank, dtype=tf.int64):
    found = ops.RaggedTensorFromVariant(
        encoded_ragged=encoded, input_ragged_rank=input_rank, output_ragged_rank=output_rank, Tvalues=dtype
    )
    return [*found[0], found[1]]


@pytest.mark.parametrize("seed", range(10))
def test_there_and_back(session, seed):
    rng = random.Random(seed)
    levels = rng.choice([1, 2, 3])
    rows = rows_of(rng, levels, rng.choice([0, 1, 4]))
    splits, values = splits_of(rows, levels)
    values = np.array(values, I64)
    for batched in (True, False):
        known = rng.random() < 0.5
        encoded = to_variant(splits, values, batched)
        found = session.run(from_variant(encoded, levels - batched if known else -1, levels))
        assert nested(found[:-1], found[-1]) == rows
    one = rng.randrange(len(rows)) if rows else None
    if one is not None:
        items = ops.TensorListFromTensor(tensor=to_variant(splits, values), element_shape=np.zeros(0, np.int32))
        row = ops.TensorListGetItem(
            input_handle=items, index=one, element_shape=np.zeros(0, np.int32), element_dtype=tf.variant
        )
        found = session.run(from_variant(row, levels - 1, levels - 1))
        assert nested(found[:-1], found[-1]) == rows[one]


def test_dense_tensors(session):
    x = np.arange(6).reshape(3, 2)
    assert session.run(tf.shape(to_variant([], x))).tolist() == [3]
    splits, values = session.run(from_variant(to_variant([], x), 0, 1))
    assert splits.tolist() == [0, 2, 4, 6] and values.tolist() == list(range(6))
    assert session.run(from_variant(to_variant([], x, False), 0, 0))[0].tolist() == x.tolist()
    assert session.run(from_variant(to_variant([], x), 0, 0))[0].tolist() == x.tolist()
    words = np.array([b"a", b"bc", b""], object)
    splits, values = session.run(from_variant(to_variant([[0, 1, 3]], words), 0, 1, tf.string))
    assert splits.tolist() == [0, 1, 3] and values.tolist() == words.tolist()


@pytest.mark.parametrize("batched", [True, False])
def test_gradients(session, batched):
    x = tf.constant([1.0, 2.0, 3.0])
    splits = I64([0, 2, 3])
    encoded = ops.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=x, batched_input=batched)
    values = from_variant(encoded, -1, 1, tf.float32)[-1]
    (grad,) = tf.gradients(tf.reduce_sum(values * [1.0, 2.0, 3.0]), x)
    assert session.run(grad).tolist() == [1, 2, 3]


SPLITS = "Invalid ragged splits: "
ERRORS = [
    (lambda: from_variant(to_variant([[0, 2, 3]], [1, 2, 3]), 1, 1), "output_ragged_rank: 1, input_ragged_rank: 1"),
    (lambda: from_variant(to_variant([[0, 2, 3]], [1, 2, 3]), 1, 2), "has ragged_rank=0.  Expected ragged_rank=1."),
    (lambda: from_variant(to_variant([[0, 1]], [1]), -1, 0), "output_ragged_rank: 0, encoded_variant.dims.*: 1"),
    (lambda: from_variant(to_variant([[0, 1]], [1]), 0, 1, tf.float32), "values Tensor dtype: float, found: int64"),
    (lambda: from_variant(to_variant([[0, 2, 9]], [1, 2, 3]), 0, 1), SPLITS + r"last .* values\(3\) but is 9"),
    (lambda: from_variant(to_variant([[1, 2, 3]], [1, 2, 3]), 0, 1), SPLITS + "first element .* must be 0 but is 1"),
    (
        lambda: from_variant(to_variant([[0, 2, 1]], [1]), 0, 1),
        r"ragged_splits\[2\]=1 is smaller than row_splits\[1\]=2",
    ),
    (lambda: from_variant(to_variant([[]], [1]), 0, 1), SPLITS + "ragged splits must have at least one splits"),
    (lambda: from_variant(to_variant([], 1), 0, 1), "Can't unbatch rank-0 tensor."),
    (lambda: from_variant(to_variant([[0, 2, 3]], [1, 2, 3]), 0, 0), r"index 0: \[2\].  Shape at index 1: \[1\]"),
    (
        lambda: from_variant(ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.int64), 0, 0),
        "index 0 doesn't hold a RaggedTensorVariant: TensorList",
    ),
    (
        lambda: ops.RaggedTensorToVariantGradient(
            encoded_ragged_grad=to_variant([[0, 1]], [1]), row_splits=I64([0]), dense_values_shape=[3], Tvalues=tf.int64
        ),
        r"The gradients have 1 values for the shape \[3\]",
    ),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(session, case):
    build, message = ERRORS[case]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(build())


def test_no_splits_are_refused_when_built():
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 1 from 0"):
        ops.RaggedTensorToVariant(
            rt_nested_splits=[tf.placeholder(tf.int64, [0])], rt_dense_values=[1], batched_input=True
        )


def test_gradients_of_some_rows_are_refused(session):
    x = tf.constant([1.0, 2.0, 3.0])
    rows = ops.RaggedTensorToVariant(rt_nested_splits=[[0, 2, 3]], rt_dense_values=x, batched_input=True)
    values = ops.RaggedTensorFromVariant(
        encoded_ragged=rows[:2], input_ragged_rank=0, output_ragged_rank=1, Tvalues=tf.float32, Tsplits=tf.int64
    )[1]
    grad = tf.gradients(values * 2.0, x)[0]
    with pytest.raises(tf.errors.UnimplementedError, match="StridedSliceGrad of type variant"):
        session.run(grad)
