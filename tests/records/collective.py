"""Collectives: what they compute takes several processes."""

RECORDS = []
EXPLICIT = {
    "CollectiveReduce": "tests/distributed/test_collective.py::test_allreduce_is_numpys_with_the_same_bits_on_all_ranks",
    "CollectiveGather": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "CollectiveBroadcast": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "CollectiveReduceScatter": "tests/distributed/test_collective.py::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "CollectiveBarrier": "tests/distributed/test_collective_failure.py::test_ranks_may_leave_when_they_are_done",
}
EXPLICIT_GRADIENTS = dict.fromkeys(
    ["CollectiveReduce", "CollectiveGather", "CollectiveBroadcast", "CollectiveReduceScatter"],
    "tests/distributed/test_collective.py::test_gradients",
)
