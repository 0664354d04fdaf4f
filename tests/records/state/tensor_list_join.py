"""Records of the ops on many elements of a tensor list: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/state/test_tensor_list.py::"

_MODEL = _TESTS + "test_lists_follow_a_model"
_GRADIENTS = _TESTS + "test_gradients"
_DIFFERENTIABLE = [
    "TensorListConcat",
    "TensorListConcatV2",
    "TensorListFromTensor",
    "TensorListGather",
    "TensorListScatter",
    "TensorListScatterIntoExistingList",
    "TensorListScatterV2",
    "TensorListSplit",
    "TensorListStack",
]

EXPLICIT = {
    **dict.fromkeys(_DIFFERENTIABLE, _MODEL),
    "TensorListConcatLists": _MODEL,
    "TensorListPushBackBatch": _TESTS + "test_tensors_of_lists",
}
EXPLICIT_GRADIENTS = dict.fromkeys(_DIFFERENTIABLE, _GRADIENTS)
