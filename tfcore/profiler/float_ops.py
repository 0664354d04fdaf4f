"""How many float operations an operation takes, from static shapes: TensorFlow's formulas."""

import math

from tfcore.framework.exchange.graph_util import tensor_shape_from_node_def_name
from tfcore.profiler.statistics import OpStats, RegisterStatistics, functions


def get_stats_for_node_def(graph, node, statistic_type):
    """A statistic of an operation.

    Args:
      graph: The `Graph`.
      node: The operation's NodeDef.
      statistic_type: What to count, such as "flops".

    Returns:
      An `OpStats`, whose value is None if the op type does not have this statistic.

    Raises:
      ValueError: The shapes that it depends on are unknown.
    """
    function = functions.get((node.op, statistic_type))
    return OpStats(statistic_type) if function is None else function(graph, node)


def _shape(graph, name):
    shape = tensor_shape_from_node_def_name(graph, name)
    shape.assert_is_fully_defined()
    return shape.as_list()


def _size(graph, name):
    return math.prod(_shape(graph, name))


def _register(op_types, count):
    """count: function of the graph and the NodeDef, which returns the number of float operations."""
    for op_type in op_types.split():
        RegisterStatistics(op_type, "flops")(lambda graph, node: OpStats("flops", count(graph, node)))


def _per_input(n_ops):
    return lambda graph, node: n_ops * _size(graph, node.input[0])


def _per_output(n_ops):
    return lambda graph, node: n_ops * _size(graph, node.name)


# ---- Element-wise

_register("Reciprocal Square Log Neg AssignSub AssignAdd BiasAdd", _per_input(1))
_register("Rsqrt", _per_input(2))
_register("Softmax", _per_input(5))
_register("L2Loss", lambda graph, node: 3 * _size(graph, node.input[0]) - 1)
_register("Add AddV2 Sub Mul RealDiv Maximum Minimum Pow", _per_output(1))
_register("GreaterEqual Greater LessEqual Less Equal NotEqual", _per_output(1))
_register("SquaredDifference", _per_output(2))
_register("RsqrtGrad", _per_output(4))
_register("AddN", lambda graph, node: (len(node.input) - 1) * _size(graph, node.input[0]) if node.input else 0)


# ---- Reductions


def _reduction(last_ops):
    """last_ops: how many operations each output takes, besides those that combine the inputs."""
    return lambda graph, node: _size(graph, node.input[0]) + (last_ops - 1) * _size(graph, node.name)


_register("Mean", _reduction(1))  # sums, then divides
_register("Sum ArgMax ArgMin BiasAddGrad", _reduction(0))


# ---- Matrices


def _matmul(graph, node):
    inner = _shape(graph, node.input[0])[-2 if node.attr["transpose_a"].b else -1]
    return 2 * inner * _size(graph, node.name)


_register("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3", _matmul)


# ---- Convolution and pooling


def _convolution(n_filter_dims):
    """n_filter_dims: how many dimensions of the filter each output element sums over."""

    def count(graph, node):
        _shape(graph, node.input[0])  # must be known, as in TensorFlow
        return 2 * math.prod(_shape(graph, node.input[1])[:n_filter_dims]) * _size(graph, node.name)

    return count


_register("Conv2D", _convolution(3))
_register("Conv3D", _convolution(4))
_register("DepthwiseConv2dNative Dilation2D", _convolution(2))


def _check_format(node):
    if (data_format := node.attr["data_format"].s) != b"NHWC":
        raise ValueError(
            f"Only NHWC format is supported in flops computations, but {node.name!r} has {data_format.decode()!r}"
        )


def _backprop(image, filter_):
    """image, filter_: functions that name the tensors of these shapes, of a NodeDef."""

    def count(graph, node):
        _check_format(node)
        shape = _shape(graph, image(node))
        strides = node.attr["strides"].list.i
        return 2 * math.prod(shape) * _size(graph, filter_(node)) / (shape[-1] * strides[1] * strides[2])

    return count


_register("Conv2DBackpropInput", _backprop(lambda node: node.name, lambda node: node.input[1]))
_register("Conv2DBackpropFilter", _backprop(lambda node: node.input[0], lambda node: node.name))


def _pool(per_window, per_element, windows):
    """Each of `windows(node)`'s elements takes `per_window` operations per element of its window, and `per_element`."""

    def count(graph, node):
        _check_format(node)
        area = math.prod(node.attr["ksize"].list.i)
        return (per_window * area + per_element) * _size(graph, windows(node))

    return count


_register("AvgPool MaxPool", _pool(1, 0, lambda node: node.name))
_register("AvgPoolGrad", _pool(2, 0, lambda node: node.input[1]))
_register("MaxPoolGrad", _pool(1, 1, lambda node: node.input[1]))  # finds the maxima again, then adds
