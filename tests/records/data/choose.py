"""Records of tf.data's choose: none, as an element comes out of an iterator."""

RECORDS = []

_TESTS = "tests/data/test_choices.py::"

EXPLICIT = {
    "DirectedInterleaveDataset": _TESTS + "test_a_dataset_chooses_between_others",
}
