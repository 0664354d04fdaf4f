"""Records of what tensor arrays do with many elements at once: what goes in one way comes out another way."""

import numpy as np
from hypothesis import strategies as st

import tfcore as tf
from tests.records.state.tensor_array import new_array
from tfcore.testing import OpRecord


def _rows(attr):
    def inputs(draw, case):
        x = draw(case.array(draw(case.shapes(min_rank=1, max_rank=5)), dtype=case[attr]))
        return [x], {"order": draw(st.permutations(range(x.shape[0])))}

    return inputs


def _gather_build(inputs, attrs):
    order = np.array(attrs["order"], np.int32)
    array = new_array(inputs[0].dtype, len(order), element_shape=attrs.get("element_shape")).unstack(inputs[0])
    return array.gather(order)


def _gather(draw, case):
    (x,), attrs = _rows("dtype")(draw, case)
    return [x], {**attrs, "element_shape": x.shape[1:]}


def _scatter_build(inputs, attrs):
    """Each row written to its place, read in order."""
    order = np.array(attrs["order"], np.int32)
    array = new_array(inputs[0].dtype, len(order)).scatter(order, inputs[0])
    rows = [array.read(i) for i in range(len(order))]
    return rows or [tf.identity(inputs[0])]


def _scatter_reference(x, order):
    inverse = np.argsort(np.array(order, np.int64))
    return [x[i] for i in inverse] or [x]


def _pieces(attr):
    def inputs(draw, case):
        x = draw(case.array(draw(case.shapes(min_rank=1, max_rank=5, max_elements=300)), dtype=case[attr]))
        cuts = sorted(draw(st.lists(st.integers(0, x.shape[0]), max_size=4)))
        return [x], {"lengths": np.diff([0, *cuts, x.shape[0]])}

    return inputs


def _split_array(inputs, attrs):
    return new_array(inputs[0].dtype, len(attrs["lengths"])).split(inputs[0], attrs["lengths"])


def _split_build(inputs, attrs):
    array = _split_array(inputs, attrs)
    return [array.read(i) for i in range(len(attrs["lengths"]))]


def _split_reference(x, lengths):
    return np.split(x, np.cumsum(lengths)[:-1])


RECORDS = [
    OpRecord(
        "TensorArrayGatherV3", lambda x, order, element_shape, dtype: x[list(order)], _gather, build=_gather_build
    ),
    OpRecord("TensorArrayScatterV3", _scatter_reference, _rows("T"), build=_scatter_build, examples=10),
    OpRecord("TensorArraySplitV3", _split_reference, _pieces("T"), build=_split_build, examples=10),
    OpRecord(
        "TensorArrayConcatV3",
        lambda x, lengths, dtype: x,
        _pieces("dtype"),
        build=lambda inputs, attrs: _split_array(inputs, attrs).concat(),
    ),
]
