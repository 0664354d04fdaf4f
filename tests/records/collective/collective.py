"""Collectives: what they compute takes several processes."""

_COLLECTIVES = "tests/distributed/collectives/test_collective.py"

RECORDS = []
EXPLICIT = {
    "GroupAllreduce": f"{_COLLECTIVES}::test_allreduce_is_numpys_with_the_same_bits_on_all_ranks",
    "GroupAllgather": f"{_COLLECTIVES}::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupBroadcast": f"{_COLLECTIVES}::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupReduceScatter": f"{_COLLECTIVES}::test_gather_broadcast_and_reduce_scatter_are_numpys",
    "GroupCheckEqual": "tests/distributed/collectives/test_allreduce_optimizer.py::test_values_that_differ_are_named",
    "GroupBarrier": "tests/distributed/collectives/test_collective_failure.py::test_ranks_may_leave_when_they_are_done",
}
EXPLICIT_GRADIENTS = dict.fromkeys(
    ["GroupAllreduce", "GroupAllgather", "GroupBroadcast", "GroupReduceScatter"],
    f"{_COLLECTIVES}::test_gradients",
)
