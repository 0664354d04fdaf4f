"""SdcaShrinkL1 changes variables and returns nothing: ordinary tests."""

RECORDS = []

EXPLICIT = {"SdcaShrinkL1": "tests/train/test_sdca_shrink.py::test_values"}
