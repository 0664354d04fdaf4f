"""tf.Module: names, name scopes, and the variables and modules below a module."""

import pytest

import tfcore as tf


class Inner(tf.Module):
    def __init__(self, name=None):
        super().__init__(name)
        self.w = tf.Variable(1.0, name="w")
        self.fixed = [tf.Variable(2.0, name="fixed", trainable=False)]

    @tf.Module.with_name_scope
    def __call__(self):
        """Makes a constant."""
        return tf.constant(1.0, name="c")


class OuterNet2D(tf.Module):
    def __init__(self):
        super().__init__()
        self.b = tf.Variable(3.0, name="b")
        self.a = {"second": (Inner("one"),), "first": Inner()}
        self.z = self.b  # the same variable again


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_names():
    assert (Inner().name, OuterNet2D().name, Inner("own").name) == ("inner", "outer_net2_d", "own")
    for name in ("a b", "1st", "", "a/b"):
        with pytest.raises(ValueError, match="is not a valid module name"):
            Inner(name)


def test_name_scope_is_unique_and_is_entered_again():
    with tf.name_scope("model"):
        first, second = Inner(), Inner()
    assert first.name == second.name == "inner"
    assert first().name == "model/inner/c:0" and second().name == "model/inner_1/c:0"
    assert first().name == "model/inner/c_1:0"
    with first.name_scope:
        assert tf.constant(1.0).name == "model/inner/Const:0"
    assert Inner.__call__.__name__ == "__call__" and Inner.__call__.__doc__ == "Makes a constant."


def test_variables_are_those_of_attributes_then_of_modules_by_name():
    net = OuterNet2D()
    first, one = net.a["first"], net.a["second"][0]
    assert net.variables == (net.b, first.fixed[0], first.w, one.fixed[0], one.w)
    assert net.trainable_variables == (net.b, first.w, one.w)
    assert net.non_trainable_variables == (first.fixed[0], one.fixed[0])
    assert net.submodules == (first, one)


def test_modules_may_refer_to_each_other():
    net = OuterNet2D()
    net.a["first"].parent = net
    assert net.submodules == (net.a["first"], net.a["second"][0])
    assert net in net.a["first"].submodules and len(net.variables) == 5


def test_partitioned_variables_count_by_their_parts():
    net = tf.Module()
    net.table = tf.get_variable("table", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    assert [v.name for v in net.variables] == ["table/part_0:0", "table/part_1:0"]


def test_ignored_attributes():
    class Quiet(Inner):
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES | {"fixed"}

    assert [v.op.name for v in Quiet().variables] == ["w"]
