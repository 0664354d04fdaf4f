"""Random parts of images, which tests look at."""

RECORDS = []

EXPLICIT = {"RandomCrop": "tests/ops/image/test_random_crop.py::test_places_are_tensorflows"}
