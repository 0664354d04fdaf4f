"""Names that TensorFlow 2 has added to tf.summary, as programs for TensorFlow 1 meet them."""

import pytest

import tfcore as tf


def test_what_belongs_to_writers_of_tensorflow_2():
    assert tf.summary.all_v2_summary_ops() == []
    with pytest.raises(RuntimeError, match="No default tf.contrib.summary.SummaryWriter found"):
        tf.summary.initialize()


def test_description_of_a_summary():
    node = tf.NodeDef(op="TensorSummary")
    node.attr["description"].s = b'{"type_hint": "histogram"}'
    assert tf.summary.get_summary_description(node).type_hint == "histogram"
    with pytest.raises(ValueError, match="Can't get_summary_description on Const"):
        tf.summary.get_summary_description(tf.NodeDef(op="Const"))
