"""Summaries of sounds are WAV files in protocol buffers: ordinary tests."""

RECORDS = []

EXPLICIT = {
    "AudioSummary": "tests/summary/test_audio.py::test_the_rate_as_an_attribute",
    "AudioSummaryV2": "tests/summary/test_audio.py::test_samples",
}
