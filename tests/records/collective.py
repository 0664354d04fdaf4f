"""Collectives: what they compute takes several processes."""

RECORDS = []
EXPLICIT = {
    "GroupAllreduce": "tests/distributed/test_collective.py::test_allreduce_is_numpys_with_the_same_bits_on_all_ranks",
    "GroupAllgather": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupBroadcast": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupReduceScatter": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupCheckEqual": "tests/distributed/test_allreduce_optimizer.py::test_values_that_differ_are_named",
    "GroupBarrier": "tests/distributed/test_collective_failure.py::test_ranks_may_leave_when_they_are_done",
}
EXPLICIT_GRADIENTS = dict.fromkeys(
    ["GroupAllreduce", "GroupAllgather", "GroupBroadcast", "GroupReduceScatter"],
    "tests/distributed/test_collective.py::test_gradients",
)
