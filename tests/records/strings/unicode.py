"""Records of strings from and to code points: none, as Python's codecs are the reference."""

RECORDS = []

_TESTS = "tests/ops/strings/test_unicode.py::"

EXPLICIT = {
    "UnicodeDecode": _TESTS + "test_decoding",
    "UnicodeDecodeWithOffsets": _TESTS + "test_decoding",
    "UnicodeEncode": _TESTS + "test_encoding",
    "UnicodeTranscode": _TESTS + "test_transcoding",
    "UnicodeScript": _TESTS + "test_scripts",
}
