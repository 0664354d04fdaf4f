"""Random windows and drawn boxes, which tests look at."""

_TEST = "tests/ops/image/test_boxes.py"
EXPLICIT = {
    "SampleDistortedBoundingBox": f"{_TEST}::test_windows_are_tensorflows",
    "SampleDistortedBoundingBoxV2": f"{_TEST}::test_windows_are_tensorflows",
    "StatelessSampleDistortedBoundingBox": f"{_TEST}::test_windows_are_tensorflows",
    "DrawBoundingBoxes": f"{_TEST}::test_drawing",
    "DrawBoundingBoxesV2": f"{_TEST}::test_drawing",
}
RECORDS = []
