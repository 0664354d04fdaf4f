"""Records of what tensor arrays do with elements: what goes in one way comes out another way."""

from hypothesis import strategies as st

import tfcore as tf
from tfcore.testing import OpRecord

_TESTS = "tests/ops/state/test_tensor_array.py::"

EXPLICIT = {
    "TensorArrayV3": _TESTS + "test_arrays_follow_a_model",
    "TensorArrayGradV3": "tests/ops/state/test_tensor_array_grad.py::test_gradients_of_each_call_are_their_own",
    "TensorArrayGradWithShape": _TESTS + "test_gradient_arrays_with_further_dimensions",
    "TensorArraySizeV3": _TESTS + "test_arrays_follow_a_model",
    "TensorArrayCloseV3": _TESTS + "test_closed_arrays",
}


def new_array(dtype, size, **options):
    return tf.TensorArray(dtype, size, infer_shape=False, **options)


def _element(attr):
    def inputs(draw, case):
        x = draw(case.array(draw(case.shapes(max_rank=8)), dtype=case[attr]))
        return [x], {"index": draw(st.integers(0, 3))}

    return inputs


def _write_and_read(inputs, attrs):
    return new_array(inputs[0].dtype, 4).write(attrs["index"], inputs[0]).read(attrs["index"])


RECORDS = [
    OpRecord("TensorArrayWriteV3", lambda x, index: x, _element("T"), build=_write_and_read, special=True),
    OpRecord("TensorArrayReadV3", lambda x, index, dtype: x, _element("dtype"), build=_write_and_read, special=True),
]
