"""The base class of readers. There are no op types of readers yet, so its methods fail as for an unknown type."""

import pytest

import tfcore as tf
from tfcore.io.readers import ReaderBase


class Queue:
    def __init__(self):
        self.queue_ref = tf.placeholder(tf.resource)


def test_methods_name_the_op_types():
    with tf.Graph().as_default():
        reader = ReaderBase(tf.placeholder(tf.resource), supports_serialize=True)
        old = ReaderBase(tf.placeholder(tf.string))
        assert reader.supports_serialize and not old.supports_serialize and reader.reader_ref.dtype == tf.resource
        calls = {
            "ReaderReadV2": lambda: reader.read(Queue()),
            "ReaderRead": lambda: old.read(tf.placeholder(tf.string)),
            "ReaderReadUpToV2": lambda: reader.read_up_to(Queue(), 3),
            "ReaderNumRecordsProducedV2": reader.num_records_produced,
            "ReaderNumWorkUnitsCompletedV2": reader.num_work_units_completed,
            "ReaderSerializeStateV2": reader.serialize_state,
            "ReaderRestoreStateV2": lambda: reader.restore_state("state"),
            "ReaderResetV2": reader.reset,
        }
        for op_type, call in calls.items():
            with pytest.raises(RuntimeError, match=f"Op type not registered '{op_type}'"):
                call()
