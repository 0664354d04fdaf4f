"""Records of tf.data's iterator: none, as an element comes out of an iterator."""

RECORDS = []

_PIPES = "tests/data/test_pipelines.py::test_pipelines_are_pythons"

EXPLICIT = {
    "Iterator": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "IteratorV2": "tests/data/test_iterator.py::test_a_reinitializable_iterator_changes_datasets",
    "OneShotIterator": _PIPES,
    "MakeIterator": "tests/data/test_iterator.py::test_a_reinitializable_iterator_changes_datasets",
    "IteratorGetNext": _PIPES,
    "IteratorGetNextAsOptional": "tests/data/test_optional.py::test_the_next_element",
    "IteratorGetNextSync": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "SerializeIterator": "tests/data/test_positions.py::test_numbers_of_threads_may_change",
    "DeserializeIterator": "tests/data/test_positions.py::test_numbers_of_threads_may_change",
    "_IteratorStatistics": "tests/data/test_statistics.py::test_summaries_of_an_iterator",
    "IteratorToStringHandle": "tests/data/test_iterator.py::test_a_string_chooses_between_iterators",
    "IteratorFromStringHandle": "tests/data/test_dataset.py::test_older_forms_of_ops",
    "IteratorFromStringHandleV2": "tests/data/test_iterator.py::test_a_string_chooses_between_iterators",
    "_RestoredDataset": "tests/data/test_reshard.py::test_every_element_is_read_once",
}
