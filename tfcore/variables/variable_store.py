"""The named variables of a graph, whole or partitioned, which `tf.get_variable` finds or creates."""

import functools
import inspect
import traceback

from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import slice as array_slice
from tfcore.variables import initializers
from tfcore.variables.copies import is_trainable
from tfcore.variables.partitioned import PartitionedVariable, call_partitioner, iter_slices, slice_dim_and_count
from tfcore.variables.variables import Variable


class _PartitionInfo:
    """The part of a partitioned variable that an initializer computes."""

    def __init__(self, full_shape, var_offset):
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)

    def single_offset(self, shape):
        """The offset along the one partitioned dimension."""
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self.var_offset[dim]

    def single_slice_dim(self, shape):
        """The dimension in which `shape` is smaller than the full shape, None if it equals it."""
        parts = [d for d, (part, full) in enumerate(zip(shape, self.full_shape)) if part != full]
        if len(parts) > 1:
            raise ValueError(f"Cannot use single_slice_dim() with shape {shape} and full shape {self.full_shape}")
        return parts[0] if parts else None


class VariableStore:
    """The named variables of a graph."""

    def __init__(self):
        self._vars = {}
        self._partitioned_vars = {}

    def get_variable(self, name, shape, dtype, initializer, regularizer, reuse, partitioner, custom_getter, options):
        """Finds or creates a variable by its full name, through the custom getter if there is one."""
        if custom_getter is None:
            return self._get(name, shape, dtype, initializer, regularizer, reuse, partitioner, **options)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        options = {**options, "trainable": is_trainable(options["trainable"], options["synchronization"])}
        if "constraint" in options and not _accepts(custom_getter, "constraint"):
            options = {k: v for k, v in options.items() if k != "constraint"}
        return custom_getter(
            getter=self._get,
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            reuse=reuse,
            partitioner=partitioner,
            **options,
        )

    def _get(
        self,
        name,
        shape=None,
        dtype=dtypes.float32,
        initializer=None,
        regularizer=None,
        reuse=None,
        partitioner=None,
        **options,
    ):
        is_scalar = isinstance(shape, (list, tuple)) and not shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            return self.get_partitioned(name, shape, dtype, initializer, regularizer, reuse, partitioner, options)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self.get_partitioned(name, shape, dtype, initializer, regularizer, reuse, None, options)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._get_single(name, shape, dtype, initializer, regularizer, reuse, None, options)

    def _get_single(self, name, shape, dtype, initializer, regularizer, reuse, partition_info, options):
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        if type(dtype) is not dtypes.DType:
            dtype = dtypes.as_dtype(dtype)
        dtype = dtype.base_dtype
        if shape is not None:
            shape = TensorShape(shape)
        found = self._vars.get(name)
        if found is not None:
            if reuse is False:
                raise ValueError(_already_exists(name, found))
            _check_found(name, found, shape, dtype)
            return found
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be specified."
                )
            initializer = _default_initializer(name, dtype)
        initial, variable_dtype = initializer, None
        if not from_value:
            initial, variable_dtype = _bind_initializer(initializer, shape, dtype, partition_info)
        graph = get_default_graph()
        with graph.scopes.replaced(name=""):  # the name is complete
            variable = Variable(initial, dtype=variable_dtype, name=name, **options)
        self._vars[name] = variable
        if regularizer is not None:
            _regularize(graph, variable, name, regularizer)
        return variable

    def get_partitioned(self, name, shape, dtype, initializer, regularizer, reuse, partitioner, options):
        if name in self._vars:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  "
                "Perhaps a variable of the same name was already created without partitioning?"
            )
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = TensorShape(shape)
        if initializer is not None and not callable(initializer):
            initializer = convert_to_tensor(initializer, dtype=dtype)
            shape = shape.merge_with(initializer.shape)
        partitions = call_partitioner(partitioner, shape, dtype) if not reuse or partitioner else None
        found = self._partitioned_vars.get(name)
        if found is not None:
            _check_found_partitioned(name, found, shape, dtype, partitions, reuse)
            return found
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
            )
        dim, count = slice_dim_and_count(partitions)
        self._check_shards(name, count)
        parts = []
        for i, (offset, part_shape) in enumerate(iter_slices(shape.as_list(), count, dim)):
            part_name = f"{name}/part_{i}"
            part, part_init = part_shape, initializer
            if isinstance(initializer, Tensor):
                part, part_init = None, _slice_of(initializer, offset, part_shape, part_name)
            elif initializer is None:
                part_init = _default_initializer(name, dtype)
            info = _PartitionInfo(shape.as_list(), offset)
            variable = self._get_single(part_name, part, dtype, part_init, regularizer, reuse, info, options)
            variable._set_save_slice_info(Variable.SaveSliceInfo(name, shape.as_list(), offset, part_shape))
            parts.append(variable)
        result = PartitionedVariable(name, shape, dtype, parts, partitions)
        self._partitioned_vars[name] = result
        return result

    def _check_shards(self, name, count):
        if f"{name}/part_0" not in self._vars:
            return
        start = (
            f"Partitioner returned a different partitioning than what was already found.  Partitioner returned {count} "
            f"shards, and shard {name}/part_0 was found, but"
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{start} {name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{start} so was the extra shard {name}/part_{count}.")


def _slice_of(tensor, offset, shape, name):
    with get_default_graph().name_scope(None), get_default_graph().name_scope(f"{name}/PartitionedInitializer"):
        return array_slice.slice(tensor, offset, shape)


def _already_exists(name, found):
    text = (
        f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
        "VarScope?"
    )
    lines = traceback.format_list([frame[:3] + ("",) for frame in reversed(found.op.traceback)])
    return f"{text} Originally defined at:\n\n{''.join(lines)}"


def _check_found(name, found, shape, dtype):
    if shape is not None and not shape.is_compatible_with(found.get_shape()):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
        )
    if dtype is not found.dtype.base_dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
        )


def _check_found_partitioned(name, found, shape, dtype, partitions, reuse):
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    start = f"Trying to reuse partitioned variable {name}, but specified"
    if not shape.is_compatible_with(found.get_shape()):
        raise ValueError(f"{start} shape {shape} and found shape {found.get_shape()}.")
    if dtype is not found.dtype.base_dtype:
        raise ValueError(f"{start} dtype {dtype.name} and found dtype {found.dtype.name}.")
    if partitions is not None and list(found._get_partitions()) != list(partitions):
        raise ValueError(f"{start} partitions {partitions} and found partitions {found._get_partitions()}.")


def _default_initializer(name, dtype):
    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _parameters(function):
    try:
        return inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()


def _accepts(function, name):
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in _parameters(function))


def _bind_initializer(initializer, shape, dtype, partition_info):
    """A function without arguments that returns the initial value, and the dtype to convert it to."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        kwargs = {"dtype": dtype}
        if isinstance(initializer, initializers.Initializer):
            if partition_info is not None:
                kwargs["partition_info"] = partition_info
        elif any(p.name == "partition_info" for p in _parameters(initializer)):
            kwargs["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **kwargs), dtype
    if all(p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in _parameters(initializer)):
        return initializer, None
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
        "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


def _regularize(graph, variable, name, regularizer):
    with graph.colocate_with(variable.op), graph.name_scope(name + "/Regularizer/"):
        with graph.control_dependencies(None):
            loss = regularizer(variable)
    if loss is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
