"""Graphs that can't be built: names, scopes, other graphs, Python values that are not tensors."""

import numpy as np

from tests.errors.table import wrong


@wrong("ValueError", "must be from the same graph as")
def inputs_of_two_graphs(tf, sess):
    with tf.Graph().as_default():
        foreign = tf.constant(1.0, name="foreign")
    tf.add(tf.constant(2.0), foreign)  # <- wrong


@wrong("TypeError", "Using a `tf.Tensor` as a Python `bool` is not allowed")
def if_of_a_tensor(tf, sess):
    x = tf.placeholder(tf.float32)
    if x > 0:  # <- wrong
        return x


@wrong("TypeError", "bool")
def chained_comparison(tf, sess):
    x = tf.placeholder(tf.float32)
    return 0 < x < 1  # <- wrong


@wrong("TypeError", "iter")
def loop_over_a_tensor(tf, sess):
    x = tf.constant([1, 2])
    for _ in x:  # <- wrong
        pass


@wrong("TypeError", "len is not well defined for .*shape")
def length_of_a_tensor(tf, sess):
    x = tf.constant([1, 2], name="x")
    len(x)  # <- wrong


@wrong("NotImplementedError", "Cannot convert a symbolic .*x:0.* to a numpy array")
def numpy_array_of_a_tensor(tf, sess):
    x = tf.constant([1.0], name="x")
    np.array(x)  # <- wrong


@wrong("TypeError", "float")
def float_of_a_tensor(tf, sess):
    x = tf.constant(1.0)
    float(x)  # <- wrong


@wrong("TypeError", "does not support item assignment")
def assign_to_an_item(tf, sess):
    x = tf.zeros([3])
    x[0] = 1.0  # <- wrong


@wrong("TypeError", "not callable")
def call_a_tensor(tf, sess):
    x = tf.constant(1.0)
    x(2)  # <- wrong


@wrong("RuntimeError", "Graph is finalized and cannot be modified")
def add_to_a_finalized_graph(tf, sess):
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        graph.finalize()
        x + x  # <- wrong


@wrong("ValueError", "'no blanks' is not a valid node name")
def name_with_a_blank(tf, sess):
    tf.placeholder(tf.float32, name="no blanks")  # <- wrong


@wrong("ValueError", "'_hidden' is not a valid scope name")
def scope_name_with_an_underscore(tf, sess):
    with tf.name_scope("_hidden"):  # <- wrong
        pass


@wrong("ValueError", "'x'", "<op_name>:<output_index>")
def tensor_by_the_name_of_its_operation(tf, sess):
    tf.constant(1.0, name="x")
    sess.graph.get_tensor_by_name("x")  # <- wrong


@wrong("KeyError", "'y:0' refers to a Tensor which does not exist", "'y', does not exist in the graph")
def tensor_by_an_unknown_name(tf, sess):
    sess.graph.get_tensor_by_name("y:0")  # <- wrong


@wrong("KeyError", "'x:3'", "only has 1 outputs")
def output_that_an_operation_lacks(tf, sess):
    tf.constant(1.0, name="x")
    sess.graph.get_tensor_by_name("x:3")  # <- wrong


@wrong("KeyError", "'y' refers to an Operation not in the graph")
def operation_by_an_unknown_name(tf, sess):
    sess.graph.get_operation_by_name("y")  # <- wrong


@wrong("TypeError", "int")
def control_dependency_on_a_number(tf, sess):
    with tf.control_dependencies([3]):  # <- wrong
        tf.no_op()


@wrong("TypeError", "iter")
def control_dependency_without_a_list(tf, sess):
    x = tf.constant(1.0)
    with tf.control_dependencies(x):  # <- wrong
        tf.no_op()


@wrong("ValueError", "not an element of this graph|must be from the same graph|not from")
def control_dependency_of_another_graph(tf, sess):
    with tf.Graph().as_default():
        foreign = tf.no_op()
    with tf.control_dependencies([foreign]):  # <- wrong
        tf.no_op()


@wrong("AssertionError", "tf.reset_default_graph\\(\\) to clear nested graphs")
def reset_inside_a_graph(tf, sess):
    tf.reset_default_graph()  # <- wrong


@wrong("ValueError", "None values not supported")
def tensor_of_none(tf, sess):
    tf.convert_to_tensor(None)  # <- wrong


@wrong("TypeError", "object")
def tensor_of_an_object(tf, sess):
    tf.convert_to_tensor(object())  # <- wrong


@wrong("ValueError", "Can't convert .*sequence")
def ragged_list(tf, sess):
    tf.constant([[1, 2], [3]])  # <- wrong


@wrong("TypeError", "string|str")
def string_for_a_number(tf, sess):
    tf.constant("one", tf.float32)  # <- wrong


@wrong("TypeError", "1.5", "int32")
def float_for_an_integer(tf, sess):
    tf.constant(1.5, tf.int32)  # <- wrong


@wrong("ValueError", "300", "uint8")
def integer_out_of_range(tf, sess):
    tf.constant(300, tf.uint8)  # <- wrong


@wrong("ValueError", "at most 2", "3")
def too_many_values_for_a_shape(tf, sess):
    tf.constant([1, 2, 3], shape=[2])  # <- wrong


@wrong("ValueError", "-3")
def constant_of_negative_size(tf, sess):
    tf.constant(0, shape=[-3])  # <- wrong


@wrong("TypeError", "float33")
def type_that_does_not_exist(tf, sess):
    tf.placeholder("float33")  # <- wrong


@wrong("ValueError", "2", "3")
def shape_set_that_contradicts(tf, sess):
    x = tf.placeholder(tf.float32, [2])
    x.set_shape([3])  # <- wrong


@wrong("ValueError", "inputs must be a list of at least one|at least one")
def sum_of_no_tensors(tf, sess):
    tf.add_n([])  # <- wrong


@wrong("TypeError", "str")
def group_of_a_name(tf, sess):
    tf.group("train")  # <- wrong


@wrong("ValueError", "No default session")
def eval_without_a_session(tf, sess):
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    raise_in_thread(lambda: x.eval())  # <- wrong


def raise_in_thread(function):
    """A thread has default stacks of its own: none at the beginning."""
    import threading

    caught = []

    def call():
        try:
            function()
        except Exception as error:  # noqa: BLE001  raised below
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(60)
    raise caught[0]


@wrong("TypeError", "N|positional|argument|keyword")
def raw_op_without_an_attribute(tf, sess):
    tf.raw_ops.Unpack(value=tf.zeros([2, 2]))  # <- wrong


@wrong("ValueError|TypeError", "9223372036854775808|range")
def attribute_beyond_64_bits(tf, sess):
    tf.raw_ops.Unpack(value=tf.zeros([2, 2]), num=1, axis=2**63)  # <- wrong


@wrong("TypeError", "axis", "'one'|int")
def string_for_an_integer_attribute(tf, sess):
    tf.raw_ops.Unpack(value=tf.zeros([2, 2]), num=2, axis="one")  # <- wrong


@wrong("ValueError", '"VALIDATE" is not in the list of allowed values: "SAME", "VALID"')
def padding_that_does_not_exist(tf, sess):
    tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALIDATE")  # <- wrong
