"""Summaries of images are PNG files in protocol buffers: ordinary tests."""

RECORDS = []

EXPLICIT = {"ImageSummary": "tests/summary/test_image.py::test_bytes"}
