"""Records of the ops of queues: none, as each works with others."""

RECORDS = []

_TESTS = "tests/ops/queues/test_queue.py::"
_MODEL = "tests/ops/queues/test_queue_model.py::test_queues_follow_a_model"
_OLD = _TESTS + "test_handles_of_tensorflow_1_0"

EXPLICIT = {
    "FIFOQueueV2": _MODEL,
    "PaddingFIFOQueueV2": _MODEL,
    "RandomShuffleQueueV2": _MODEL,
    "PriorityQueueV2": _MODEL,
    "QueueEnqueueV2": _MODEL,
    "QueueEnqueueManyV2": _MODEL,
    "QueueDequeueV2": _MODEL,
    "QueueDequeueManyV2": _MODEL,
    "QueueDequeueUpToV2": _MODEL,
    "QueueCloseV2": _MODEL,
    "QueueSizeV2": _MODEL,
    "QueueIsClosedV2": _MODEL,
    "_SaveQueue": _TESTS + "test_saved_elements_make_an_equal_queue",
    "_LoadQueue": _TESTS + "test_saved_elements_make_an_equal_queue",
    "_SelectHandle": _TESTS + "test_from_list",
    "FIFOQueue": _OLD,
    "PaddingFIFOQueue": _OLD,
    "RandomShuffleQueue": _OLD,
    "PriorityQueue": _OLD,
    "QueueEnqueue": _OLD,
    "QueueEnqueueMany": _OLD,
    "QueueDequeue": _OLD,
    "QueueDequeueMany": _OLD,
    "QueueDequeueUpTo": _OLD,
    "QueueClose": _OLD,
    "QueueSize": _OLD,
    "QueueIsClosed": _OLD,
}
