"""_Send and _Recv move values and compute nothing."""

RECORDS = []

EXPLICIT = {
    "_Send": "tests/core/test_rendezvous.py::test_a_value_is_handed_over",
    "_Recv": "tests/core/test_rendezvous.py::test_a_value_is_handed_over",
    "_RunPartition": "tests/distributed/cluster/test_session.py::test_a_variable_of_another_task",
}
