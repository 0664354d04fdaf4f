"""The scopes of a graph: each thread has its own, and blocks give back what they replaced."""

import threading

import pytest

import tfcore as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_replaced_fields_come_back_after_an_error(graph):
    scopes = graph.scopes
    with graph.name_scope("outer"):
        with pytest.raises(KeyError), scopes.replaced(name="inner", devices=("/device:CPU:0",)):
            assert tf.constant(1).name == "inner/Const:0" and tf.constant(2).device == "/device:CPU:0"
            raise KeyError
        assert (scopes.name, scopes.devices) == ("outer", ())


def test_outermost_leaves_all_scopes_but_not_the_users_line(graph):
    a = tf.constant(1)
    with graph.name_scope("s"), graph.device("/cpu:0"), graph.control_dependencies([a]), graph.colocate_with(a):
        with graph.scopes.with_user_frames(), graph.scopes.outermost():
            line = a.op.creation_line
            b = tf.constant(2)
        assert graph.scopes.affect_operations()
    assert b.name == "Const_1:0" and not b.device and not b.op.control_inputs
    assert b.op.colocation_groups() == [b"loc:@Const_1"]
    assert line != b.op.creation_line and __file__ in b.op.creation_line
    assert not graph.scopes.affect_operations()


def test_operations_of_one_block_share_the_line(graph):
    with graph.scopes.with_user_frames():
        a = tf.constant(1)
        b = tf.constant(2)
    assert a.op.creation_line == b.op.creation_line


def test_threads_have_scopes_of_their_own(graph):
    names = []

    def build():
        with graph.as_default():
            names.append((graph.scopes.name, tf.constant(1).op.name))

    with graph.name_scope("here"), graph.device("/cpu:0"):
        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
        assert tf.constant(1).op.name == "here/Const"
    assert names == [("", "Const")]
