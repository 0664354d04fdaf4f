"""Hash values of strings have no NumPy reference: known values replace the records."""

RECORDS = []
EXPLICIT = {
    op: "tests/ops/test_strings_hash.py"
    for op in ("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong", "Fingerprint")
}
