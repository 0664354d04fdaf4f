"""GraphDefs that can't be imported: errors name the node, and the graph stays as it was."""

from tests.errors.table import wrong


def graph_def(tf, change):
    """The GraphDef of y = x + x, changed."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.add(x, x, name="y")
    result = graph.as_graph_def()
    change(result)
    return result


@wrong("TypeError", "GraphDef")
def text_instead_of_a_graph(tf, sess):
    tf.import_graph_def(["graph"])  # <- wrong


@wrong("NotFoundError", "Op type not registered 'Teleport'")
def unknown_operation_type(tf, sess):
    def change(g):
        g.node[1].op = "Teleport"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "Node 'y': Unknown input node 'z'")
def input_that_does_not_exist(tf, sess):
    def change(g):
        g.node[1].input[0] = "z"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "Node 'y': .* output 1 of source node x")
def output_that_does_not_exist(tf, sess):
    def change(g):
        g.node[1].input[0] = "x:1"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "Node 'x' is not unique")
def two_nodes_of_one_name(tf, sess):
    def change(g):
        g.node[1].name = "x"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "/y was passed float from .*/x:0 incompatible with expected int32")
def attribute_that_contradicts_an_input(tf, sess):
    def change(g):
        g.node[1].attr["T"].type = 3

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "AttrValue must not have reference type value of float(32)?_ref", "for attr 'T'", "{node y}")
def attribute_that_is_a_reference_type(tf, sess):
    def change(g):
        g.node[1].attr["T"].type = 101

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "AttrValue must not have reference type value of float(32)?_ref", "for attr 'dtype'")
def placeholder_of_a_reference_type(tf, sess):
    def change(g):
        g.node[0].attr["dtype"].type = 101

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "colour", "y|Add")
def attribute_that_does_not_exist(tf, sess):
    def change(g):
        g.node[1].attr["colour"].s = b"red"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "expected inputs 'float, float' do not match 1 inputs", "y")
def too_few_inputs(tf, sess):
    def change(g):
        del g.node[1].input[1]

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "cycle.*'y' -> 'y'")
def cycle(tf, sess):
    def change(g):
        g.node[1].input[1] = "y"

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "map inputs that were not found in graph_def: \\[nothing:0\\]")
def input_map_of_an_unknown_tensor(tf, sess):
    good, x = graph_def(tf, lambda g: None), tf.zeros([2])
    tf.import_graph_def(good, input_map={"nothing:0": x})  # <- wrong


@wrong("ValueError", "/y was passed int32 from zeros:0 incompatible with expected float")
def input_map_of_another_type(tf, sess):
    good, x = graph_def(tf, lambda g: None), tf.zeros([2], tf.int32)
    tf.import_graph_def(good, input_map={"x:0": x})  # <- wrong


@wrong("ValueError", "tensor 'nothing:0' not found")
def return_of_an_unknown_tensor(tf, sess):
    good = graph_def(tf, lambda g: None)
    tf.import_graph_def(good, return_elements=["nothing:0"])  # <- wrong


@wrong("ValueError", "min consumer version 2147483647 above current version")
def graph_of_a_later_version(tf, sess):
    def change(g):
        g.versions.min_consumer = 2**31 - 1

    broken = graph_def(tf, change)
    tf.import_graph_def(broken)  # <- wrong


@wrong("ValueError", "'a b' is not a valid scope name")
def name_that_is_not_possible(tf, sess):
    good = graph_def(tf, lambda g: None)
    tf.import_graph_def(good, name="a b")  # <- wrong


@wrong("RuntimeError", "Graph is finalized")
def import_into_a_finalized_graph(tf, sess):
    good = graph_def(tf, lambda g: None)
    with tf.Graph().as_default() as graph:
        graph.finalize()
        tf.import_graph_def(good)  # <- wrong


@wrong("ResourceExhaustedError", "OOM .* shape\\[1, 1099511627776\\]", op="import")
def constant_that_is_a_repeated_value(tf, sess):
    def change(g):
        value = g.node.add(name="huge", op="Const")
        value.attr["dtype"].type = 1
        value.attr["value"].tensor.dtype = 1
        value.attr["value"].tensor.float_val.append(1.0)
        for size in (1, 2**40):
            value.attr["value"].tensor.tensor_shape.dim.add(size=size)

    broken = graph_def(tf, change)
    (huge,) = tf.import_graph_def(broken, return_elements=["huge:0"])  # <- wrong
    return lambda: sess.run(huge)
