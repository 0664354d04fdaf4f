"""Functions that TensorFlow's own modules have, and that tfcore has no public name for.

Each has the name and the parameters that it has in TensorFlow; `modules.py` says in which modules.
"""

import abc
import collections
import contextlib
import os

from tfcore.client.session import Session
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import GRADIENTS, get_op_def, registered_ops
from tfcore.framework.device import DeviceSpec
from tfcore.framework.exchange.graph_def import op_def_proto
from tfcore.framework.graph.default_graph import control_dependencies, get_default_graph
from tfcore.framework.graph.graph import Graph, default_stack, name_scope
from tfcore.framework.graph.new_operation import infer_shapes
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.constant import constant_value_as_shape as _known_dims
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.io.checkpoint_reader import CheckpointReader
from tfcore.ops.array import array
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.cwise.binary import multiply
from tfcore.ops.gradients.gradients import gradients
from tfcore.ops.random.random import seeds
from tfcore.ops.random.truncated import ParameterizedTruncatedNormal
from tfcore.platform import gfile
from tfcore.platform.gfile_object import GFile
from tfcore.train.training_util import get_global_step
from tfcore.variables import initializers
from tfcore.variables.variable_scope import variable_scope, variable_store_of
from tfcore.variables.variables import Variable

# ---- ops


class EagerTensor:
    """A tensor with a value of its own; there are none."""

    def __new__(cls, *args, **kwargs):
        raise TypeError("There are no eager tensors: operations run in a tf.Session")


class NullContextmanager:
    """A context manager that does nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        return False


def name_from_scope_name(name):
    """The name of an operation that has the name of a scope: without the final "/"."""
    return name.removesuffix("/")


def get_all_collection_keys():
    """The names of the collections of the default graph."""
    return get_default_graph().get_all_collection_keys()


def has_default_graph():
    """Whether a graph was made the default by a `with` block."""
    return bool(default_stack())


def inside_function():
    """Whether operations are added to the body of a function."""
    return get_default_graph().building_function


class TensorLike(abc.ABC):  # noqa: B024  libraries derive from it
    """The base class of objects that count as tensors in libraries."""


TensorLike.register(Tensor)
TensorLike.register(SparseTensor)
TensorLike.register(IndexedSlices)


class _GradientRegistry:
    """The gradient functions that are registered, by name."""

    @property
    def _registry(self):
        return GRADIENTS

    def list(self):
        return list(GRADIENTS)

    def lookup(self, name):
        if name not in GRADIENTS:
            raise LookupError(f"gradient registry has no entry for: {name}")
        return GRADIENTS[name] or None


gradient_registry = _GradientRegistry()
_last_uid = 0


def uid():
    """A new number at each call."""
    global _last_uid
    _last_uid += 1
    return _last_uid


def dismantle_graph(graph):
    """Does nothing: graphs are collected like other objects."""


class _DefaultGraphStack:
    @property
    def stack(self):
        return default_stack()

    def get_default(self):
        return get_default_graph()

    @contextlib.contextmanager
    def get_controller(self, default):
        with default.as_default():
            yield default


default_graph_stack = _DefaultGraphStack()


# ---- dtypes

globals().update({f"{t.name}_ref": t._as_ref for t in map(dtypes.as_dtype, range(1, 24))})  # types of references


# ---- errors_impl, op_def_registry, device


def make_specific_exception(node_def, op, message, error_code):
    """The exception of a status code."""
    try:
        return errors.exception_type_from_error_code(error_code)(node_def, op, message)
    except KeyError:
        return errors.UnknownError(node_def, op, message, error_code)


def get_registered_ops():
    """The OpDefs of all op types by name."""
    return {op.name: op_def_proto(op) for op in registered_ops()}


def is_device_spec(obj):
    """Whether an object is a tf.DeviceSpec."""
    return isinstance(obj, DeviceSpec)


LocalDevice = collections.namedtuple("LocalDevice", "name device_type memory_limit incarnation physical_device_desc")


def list_local_devices(session_config=None):
    """What there is to run on: `/device:CPU:0` and so on."""
    with Session(graph=Graph(), config=session_config) as session:
        return [
            LocalDevice(f"/{d.name.rpartition('/')[2]}", d.device_type, d.memory_limit_bytes, d.incarnation, "")
            for d in session.list_devices()
        ]


# ---- sparse_tensor, tensor_util, common_shapes


def is_sparse(x):
    """Whether a value is a SparseTensor or its value."""
    return isinstance(x, (SparseTensor, SparseTensorValue))


def constant_value_as_shape(tensor):
    """The shape that a vector of sizes represents, as far as it is known."""
    return TensorShape(_known_dims(tensor))


def ShapeEquals(tensor_proto, shape):  # noqa: N802
    """Whether a TensorProto has a shape, which is a list or a TensorShapeProto."""
    dims = [d.size for d in shape.dim] if hasattr(shape, "dim") else list(shape)
    return [d.size for d in tensor_proto.tensor_shape.dim] == dims


def TensorShapeProtoToList(shape):  # noqa: N802
    """The sizes in a TensorShapeProto."""
    return [d.size for d in shape.dim]


def broadcast_shape(shape_x, shape_y):
    """The static shape to which two shapes are broadcast; ValueError if they cannot be."""
    shape_x, shape_y = as_shape(shape_x), as_shape(shape_y)
    dims = _broadcast(shape_x, shape_y)
    if dims is False:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}")
    return TensorShape(dims)


def is_broadcast_compatible(shape_x, shape_y):
    """Whether two static shapes, of known ranks, can be broadcast."""
    dims = _broadcast(as_shape(shape_x), as_shape(shape_y))
    return dims is not None and dims is not False


def _broadcast(x, y):
    """A list of sizes, None if a rank is unknown, False if the shapes do not fit."""
    if x.ndims is None or y.ndims is None:
        return None
    x, y = x.as_list(), y.as_list()
    rank = max(len(x), len(y))
    result = []
    for a, b in zip([1] * (rank - len(x)) + x, [1] * (rank - len(y)) + y):
        if a == 1 or b == 1:
            result.append(b if a == 1 else a)
        elif None not in (a, b) and a != b:
            return False
        else:
            result.append(b if a is None else a)
    return result


# ---- control_flow_ops, variables


def with_dependencies(dependencies, output_tensor, name=None):
    """A tensor that is computed after operations."""
    graph = get_default_graph()
    with graph.name_scope(name or "control_dependency") as scope, graph.colocate_with(output_tensor):
        with control_dependencies(dependencies):
            return array.Identity(output_tensor, name=scope)


def GraphOrParentsInXlaContext(graph):  # noqa: N802
    """Whether operations are compiled by XLA; none are."""
    return False


def GetContainingXLAContext(ctxt):  # noqa: N802
    """The control flow context for XLA around another one; there is none."""
    return None


def set_shapes_for_outputs(op):
    """Infers the static shapes of an operation's outputs, as when it was added."""
    infer_shapes(op)


def pure_variable_scope(name_or_scope, reuse=None, *, old_name_scope=None, **defaults):
    """A variable scope that opens no name scope; `old_name_scope`, what others call its name scope, is ignored."""
    return variable_scope(name_or_scope, reuse=reuse, auxiliary_name_scope=False, **defaults)


def default_variable_store():
    """The variables of the default graph by name."""
    return variable_store_of(get_default_graph())


# ---- array_ops


def shape_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """tf.shape; `optimize` is ignored, as the compiler folds what is known."""
    return array.shape(input, name=name, out_type=out_type)


def size_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """tf.size; `optimize` is ignored."""
    return array.size(input, name=name, out_type=out_type)


def rank_internal(input, name=None, optimize=True):
    """tf.rank; `optimize` is ignored."""
    return array.rank(input, name=name)


# ---- tensor_shape, init_ops, gradients_impl


def scalar():
    """The shape of a scalar."""
    return TensorShape([])


def vector(length):
    """The shape of a vector."""
    return TensorShape([length])


def matrix(rows, cols):
    """The shape of a matrix."""
    return TensorShape([rows, cols])


def compute_fans(shape):
    """The numbers of inputs and outputs of a layer whose weights have the shape."""
    return initializers.fans(shape)


def hessian_vector_product(ys, xs, v):
    """The products of the second derivatives of `ys` with the vectors `v`, one for each of `xs`."""
    if len(v) != len(xs):
        raise ValueError("xs and v must have the same length.")
    products = [multiply(g, array.stop_gradient(u)) for g, u in zip(gradients(ys, xs), v) if g is not None]
    return gradients(products, xs)


# ---- training_util

GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def get_or_create_global_step_read(graph=None):
    """A tensor of the global step, read before the step changes it; None if the graph has no global step."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    step = get_global_step(graph)
    if not found and step is not None:
        with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
            value = step.initialized_value() if isinstance(step, Variable) else step
            graph.add_to_collection(GLOBAL_STEP_READ_KEY, value + 0)
        found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    return found[0] if found else None


def increment_global_step(increment, graph=None):
    """Adds to the global step after it was read.

    Raises:
      ValueError: The graph has no global step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    before = get_or_create_global_step_read(graph)
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        with control_dependencies([before]):
            return step.assign_add(increment)


# ---- op_def_library


def apply_op(op_type_name, name=None, **keywords):
    """Adds an operation of a type; inputs and attributes are passed by their names in the op's definition."""
    return get_op_def(op_type_name)(name=name, **keywords)


class OpDefLibrary:
    """The op types, as TensorFlow's libraries used them."""

    apply_op = staticmethod(apply_op)


# ---- file_io


def read_file_to_string(filename, binary_mode=False):
    """The contents of a file."""
    return GFile(filename, "rb" if binary_mode else "r").read()


def write_string_to_file(filename, file_content):
    """Writes a file."""
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Writes a file that is whole whenever it is there."""
    unfinished = f"{filename}.tmp{os.urandom(6).hex()}"
    write_string_to_file(unfinished, contents)
    try:
        gfile.Rename(unfinished, filename, overwrite)
    except errors.OpError:
        gfile.Remove(unfinished)
        raise


# ---- tools.inspect_checkpoint


def boolean_mask_v2(tensor, mask, axis=None, name="boolean_mask"):
    """`tf.boolean_mask` with TensorFlow 2's order of arguments."""
    return boolean_mask(tensor, mask, name, axis)


def parameterized_truncated_normal(
    shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, dtype=dtypes.float32, seed=None, name=None
):
    """Numbers of normal distributions between bounds, in rows that may each have other parameters."""
    with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
        parameters = [convert_to_tensor(x, dtype=dtype) for x in (means, stddevs, minvals, maxvals)]
        return ParameterizedTruncatedNormal(convert_to_tensor(shape, name="shape"), *parameters, **seeds(seed))


def print_tensors_in_checkpoint_file(
    file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=""
):
    """Prints the values of one tensor of a checkpoint or of all, or their names."""
    reader = CheckpointReader(file_name)
    if all_tensors or all_tensor_names:
        for name in sorted(reader.get_variable_to_shape_map()):
            print("tensor_name: ", name)
            if all_tensors:
                print(reader.get_tensor(name))
    elif tensor_name:
        print("tensor_name: ", tensor_name)
        print(reader.get_tensor(tensor_name))
    else:
        print(reader.debug_string().decode())
