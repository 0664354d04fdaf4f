"""Records of the ops of tensor lists: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/state/test_tensor_list.py::"

_MODEL = _TESTS + "test_lists_follow_a_model"
_GRADIENTS = _TESTS + "test_gradients"

EXPLICIT = dict.fromkeys(
    [
        "EmptyTensorList",
        "TensorListElementShape",
        "TensorListGetItem",
        "TensorListLength",
        "TensorListPopBack",
        "TensorListPushBack",
        "TensorListReserve",
        "TensorListResize",
        "TensorListSetItem",
    ],
    _MODEL,
)
EXPLICIT_GRADIENTS = dict.fromkeys(
    ["TensorListGetItem", "TensorListPopBack", "TensorListPushBack", "TensorListResize", "TensorListSetItem"],
    _GRADIENTS,
)
