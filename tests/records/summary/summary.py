"""Summaries are protocol buffers: ordinary tests, beside TensorFlow's bytes."""

RECORDS = []

EXPLICIT = {
    "HistogramSummary": "tests/summary/test_summaries.py::test_histogram",
    "MergeSummary": "tests/summary/test_summaries.py::test_merge",
    "ScalarSummary": "tests/summary/test_summaries.py::test_scalar",
    "TensorSummary": "tests/summary/test_summaries.py::test_tensors_under_the_name_of_the_operation",
    "TensorSummaryV2": "tests/summary/test_summaries.py::test_tensors",
}
