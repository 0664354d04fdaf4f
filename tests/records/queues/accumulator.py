"""Records of the ops of accumulators: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/queues/test_accumulator.py::"
_DENSE = _TESTS + "test_dense_sums_and_means"
_SPARSE = _TESTS + "test_sparse_gradients_follow_a_model"

EXPLICIT = {
    **{
        prefix + op: _DENSE
        for prefix in ("", "Resource")
        for op in (
            "ConditionalAccumulator",
            "AccumulatorApplyGradient",
            "AccumulatorTakeGradient",
            "AccumulatorSetGlobalStep",
            "AccumulatorNumAccumulated",
        )
    },
    "SparseConditionalAccumulator": _SPARSE,
    "SparseAccumulatorApplyGradient": _SPARSE,
    "SparseAccumulatorTakeGradient": _SPARSE,
}
