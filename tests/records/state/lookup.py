"""Records of the ops of tables: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/state/test_lookup.py::"
_MODEL = _TESTS + "test_tables_follow_a_dictionary"
_STATIC = _TESTS + "test_static_tables"
_DENSE = _TESTS + "test_dense_tables"
_FILE = _TESTS + "test_files"

EXPLICIT = {
    name + suffix: test
    for names, test in (
        ("MutableHashTable LookupTableFind LookupTableInsert LookupTableSize LookupTableExport", _MODEL),
        ("HashTable InitializeTable LookupTableImport", _STATIC),
        ("MutableHashTableOfTensors", _TESTS + "test_vectors"),
        ("MutableDenseHashTable", _DENSE),
        ("InitializeTableFromTextFile", _FILE),
    )
    for name in names.split()
    for suffix in ("", "V2")
}
EXPLICIT["LookupTableRemoveV2"] = _MODEL
