"""tf.get_variable and tf.variable_scope: variables by name, made once and shared.

A graph keeps its named variables in a store; the current scope belongs to the thread. A scope carries a name
prefix and defaults (initializer, regularizer, partitioner, ...) for the variables made under it.
"""

import copy
import enum
import functools
import inspect
import traceback

from tfcore.framework import dtypes
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.func_graph import shares_with_bodies
from tfcore.framework.graph import GraphKeys, get_default_graph, graph_of
from tfcore.framework.operation import Tensor
from tfcore.framework.tensor_shape import TensorShape
from tfcore.ops import array_slice
from tfcore.variables import initializers
from tfcore.variables.partitioned import PartitionedVariable, call_partitioner, iter_slices, slice_dim_and_count
from tfcore.variables.variables import Variable, VariableAggregation, VariableSynchronization

__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "create_partitioned_variables",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "variable_op_scope",
    "variable_scope",
]


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def no_regularizer(_):
    """A regularizer that adds nothing: stops regularizers of outer scopes."""
    return None


# ---- The store of a graph


class _PartitionInfo:
    """Tells an initializer which part of a partitioned variable it makes."""

    def __init__(self, full_shape, var_offset):
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)

    def single_offset(self, shape):
        """The offset along the one partitioned dimension."""
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self.var_offset[dim]

    def single_slice_dim(self, shape):
        """The one dimension in which `shape` is less than the full shape, None if it is all."""
        parts = [d for d, (part, full) in enumerate(zip(shape, self.full_shape)) if part != full]
        if len(parts) > 1:
            raise ValueError(f"Cannot use single_slice_dim() with shape {shape} and full shape {self.full_shape}")
        return parts[0] if parts else None


class _VariableStore:
    """The named variables of a graph."""

    def __init__(self):
        self._vars = {}
        self._partitioned_vars = {}

    def get_variable(self, name, shape, dtype, initializer, regularizer, reuse, partitioner, custom_getter, options):
        """Finds or makes a variable by its full name; through the custom getter if there is one."""
        if custom_getter is None:
            return self._get(name, shape, dtype, initializer, regularizer, reuse, partitioner, **options)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
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
            return self._get_partitioned(name, shape, dtype, initializer, regularizer, reuse, partitioner, options)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._get_partitioned(name, shape, dtype, initializer, regularizer, reuse, None, options)
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
        dtype = dtype._base
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
        with graph._scopes.replaced(name=""):  # the name is complete
            variable = Variable(initial, dtype=variable_dtype, name=name, **options)
        self._vars[name] = variable
        if regularizer is not None:
            _regularize(graph, variable, name, regularizer)
        return variable

    def _get_partitioned(self, name, shape, dtype, initializer, regularizer, reuse, partitioner, options):
        if name in self._vars:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  "
                "Perhaps a variable of the same name was already created without partitioning?"
            )
        dtype = dtypes.as_dtype(dtype)._base
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
    text = f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
    lines = traceback.format_list([frame[:3] + ("",) for frame in reversed(found.op.traceback)])
    return f"{text} Originally defined at:\n\n{''.join(lines)}"


def _check_found(name, found, shape, dtype):
    if shape is not None and not shape.is_compatible_with(found.get_shape()):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
        )
    if dtype is not found.dtype._base:
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
    if dtype is not found.dtype._base:
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
    """A function of no arguments that makes the initial value, and the dtype to convert it to."""
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


# ---- Scopes


class VariableScope:
    """Name prefix and defaults for variables that `get_variable` makes."""

    def __init__(
        self,
        reuse,
        name="",
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        name_scope="",
        dtype=dtypes.float32,
        use_resource=None,
        constraint=None,
    ):
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self):
        return self._name

    @property
    def original_name_scope(self):
        return self._name_scope

    @property
    def reuse(self):
        return self._reuse

    @property
    def initializer(self):
        return self._initializer

    @property
    def dtype(self):
        return self._dtype

    @property
    def use_resource(self):
        return self._use_resource

    @property
    def regularizer(self):
        return self._regularizer

    @property
    def caching_device(self):
        return self._caching_device

    @property
    def partitioner(self):
        return self._partitioner

    @property
    def custom_getter(self):
        return self._custom_getter

    @property
    def constraint(self):
        return self._constraint

    def reuse_variables(self):
        """From now on, only existing variables are given."""
        self._reuse = True

    def set_initializer(self, initializer):
        self._initializer = initializer

    def set_dtype(self, dtype):
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        self._use_resource = use_resource

    def set_regularizer(self, regularizer):
        self._regularizer = regularizer

    def set_caching_device(self, caching_device):
        self._caching_device = caching_device

    def set_partitioner(self, partitioner):
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter):
        self._custom_getter = custom_getter

    def get_collection(self, name):
        """Items of a collection whose names begin with this scope's."""
        return get_default_graph().get_collection(name, self._name + "/" if self._name else "")

    def trainable_variables(self):
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store,
        name,
        shape=None,
        dtype=None,
        initializer=None,
        regularizer=None,
        reuse=None,
        trainable=None,
        collections=None,
        caching_device=None,
        partitioner=None,
        validate_shape=True,
        use_resource=None,
        custom_getter=None,
        constraint=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
    ):
        """Finds or makes the variable `name` under this scope, whose defaults fill in what is None."""
        if regularizer is None:
            regularizer = self._regularizer
        if caching_device is None:
            caching_device = self._caching_device
        if partitioner is None:
            partitioner = self._partitioner
        if custom_getter is None:
            custom_getter = self._custom_getter
        if reuse is None:
            reuse = self._reuse
        elif not reuse and self._reuse is True:
            reuse = True
        if reuse is None:
            reuse = False
        if reuse is AUTO_REUSE:
            reuse = None
        full_name = f"{self._name}/{name}" if self._name else name
        if dtype is not None and initializer is not None and not callable(initializer):
            found = convert_to_tensor(initializer).dtype._base
            if found is not dtypes.as_dtype(dtype)._base:
                raise ValueError(
                    f"Initializer type '{found}' and explicit dtype '{dtypes.as_dtype(dtype)}' don't match."
                )
        if initializer is None:
            initializer = self._initializer
        if constraint is None:
            constraint = self._constraint
        if dtype is None:
            dtype = self._dtype
            if initializer is not None and not callable(initializer) and isinstance(initializer, Tensor):
                dtype = initializer.dtype._base
        options = {
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if callable(regularizer) is False and regularizer is not None:
            raise ValueError(f"The regularizer is not callable: {regularizer}")
        return var_store.get_variable(
            full_name, shape, dtype, initializer, regularizer, reuse, partitioner, custom_getter, options
        )


_STORE = ("__variable_store",)


def _variable_store(graph):
    store = graph._collections.get(_STORE)
    if not store:
        store = graph.get_collection_ref(_STORE)
        store.append(_VariableStore())
    return store[0]


class _ScopeState:
    """The current scope of a thread in a graph, and how often each name was opened."""

    __slots__ = ("current", "counts")

    def __init__(self):
        self.current = VariableScope(False)
        self.counts = {}

    def close_subscopes(self, name):
        prefix = name + "/"
        for key in self.counts:
            if key.startswith(prefix):
                self.counts[key] = 0


def _scope_state(graph):
    scopes = graph._scopes
    if scopes.variables is None:
        scopes.variables = _ScopeState()
    return scopes.variables


@shares_with_bodies
def _share_variables(graph, outer):
    """Variables by name, and the current variable scope, are those of the graph around the function."""
    graph._collections[_STORE] = [_variable_store(outer)]
    _scope_state(graph).current = _scope_state(outer).current


def get_variable_scope():
    """The current variable scope."""
    return _scope_state(get_default_graph()).current


def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=VariableSynchronization.AUTO,
    aggregation=VariableAggregation.NONE,
):
    """The variable `name` of the current variable scope: made here, or an existing one where the scope says reuse.

    Args:
      name: name within the scope.
      shape: its shape; not together with an initial value.
      dtype: default: that of the scope, float32.
      initializer: function of (shape, dtype), or the initial value. Default: that of the scope, else Glorot's
        uniform distribution for floating types and zeros for others.
      regularizer: function of the variable whose result joins REGULARIZATION_LOSSES when it is made.
      partitioner: function of (shape, dtype) that gives the number of parts in each dimension; the result is then
        a PartitionedVariable.
      custom_getter: function that is called with the true getter and all arguments.
      (other arguments as for tf.Variable)

    Raises:
      ValueError: it exists and may not be reused, or it does not exist and has to be, or it has another shape or dtype.
    """
    graph = get_default_graph()
    return _scope_state(graph).current.get_variable(
        _variable_store(graph),
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        None,
        trainable,
        collections,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, collections=None, **kwargs):  # fmt: skip
    """`get_variable` for a variable of this process that is not trained: collection LOCAL_VARIABLES."""
    collections = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name, shape, dtype, initializer, regularizer, trainable=False, collections=collections, **kwargs
    )


def _chain_getters(getter, outer):
    """A custom getter that calls `getter`, whose own getter goes through that of the outer scope."""
    if outer is None:
        return getter

    def chained(true_getter, *args, **kwargs):
        return getter(functools.partial(outer, true_getter), *args, **kwargs)

    return lambda getter, *args, **kwargs: chained(getter, *args, **kwargs)


def _extend(base, name, reuse, name_scope, settings):
    """A scope like `base` with another name and what `settings` changes."""
    scope = copy.copy(base)
    scope._name = name
    scope._reuse = reuse
    scope._name_scope = name_scope
    scope._constraint = settings["constraint"]
    for key, value in settings.items():
        if value is None:
            continue
        if key == "custom_getter":
            value = _chain_getters(value, base._custom_getter)
        setattr(scope, "_" + key, value)
    return scope


class variable_scope:  # noqa: N801  named as in TensorFlow
    """`with tf.variable_scope("layer"):` variables and operations made inside are named `layer/...`.

    ```python
    with tf.variable_scope("layer", reuse=tf.AUTO_REUSE) as scope:
        w = tf.get_variable("w", [10, 10])   # "layer/w", the same one when this runs again
    ```
    Args:
      name_or_scope: name that extends that of the current scope, or a VariableScope to enter again.
      default_name: used, and made unique, if `name_or_scope` is None.
      values: tensors whose graph becomes the default.
      reuse: True: only existing variables; AUTO_REUSE: existing ones or new; None: as in the outer scope.
      auxiliary_name_scope: whether to open a name scope too.
      (others: defaults for variables made inside)
    """

    def __init__(
        self,
        name_or_scope,
        default_name=None,
        values=None,
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        reuse=None,
        dtype=None,
        use_resource=None,
        constraint=None,
        auxiliary_name_scope=True,
    ):
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse is False:
            reuse = None  # scopes always inherit
        if reuse not in (True, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._graph = (graph_of(values) if values else None) or get_default_graph()
        self._reuse = reuse
        self._auxiliary_name_scope = auxiliary_name_scope
        self._settings = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered = []

    def __enter__(self):
        graph = self._graph
        as_default = graph.as_default()
        as_default.__enter__()
        try:
            names, name_scope = self._enter_name_scope(graph)
            state = _scope_state(graph)
            old, old_counts = state.current, None
            scope = self._make_scope(state, old, name_scope)
            state.counts[scope._name] = state.counts.get(scope._name, 0) + 1
            if isinstance(self._name_or_scope, VariableScope):
                old_counts = dict(state.counts)
            state.current = scope
        except BaseException:
            as_default.__exit__(None, None, None)
            raise
        self._entered.append((as_default, names, state, old, old_counts, scope))
        return scope

    def _enter_name_scope(self, graph):
        base = self._name_or_scope
        if not self._auxiliary_name_scope:
            current = graph.get_name_scope()
            context = graph.name_scope(current + "/" if current else None)
        elif base is None:
            context = graph.name_scope(self._default_name)
        else:
            name = base if isinstance(base, str) else base.name.split("/")[-1]
            if not name:
                return None, ""
            context = graph.name_scope(name)
        return context, context.__enter__()

    def _make_scope(self, state, old, name_scope):
        base = self._name_or_scope
        if isinstance(base, VariableScope):
            return _extend(base, base._name, self._reuse or base._reuse, base._name_scope, self._settings)
        name = self._unique_name(state, old) if base is None else base
        full_name = f"{old._name}/{name}" if old._name else name
        return _extend(old, full_name, self._reuse or old._reuse, name_scope, self._settings)

    def _unique_name(self, state, old):
        """The default name, with a number if it was opened before in the current scope."""
        prefix = f"{old._name}/" if old._name else ""
        name, number = self._default_name, 0
        while state.counts.get(prefix + name, 0):
            number += 1
            name = f"{self._default_name}_{number}"
        return name

    def __exit__(self, kind, value, trace):
        as_default, names, state, old, old_counts, scope = self._entered.pop()
        try:
            if state.current is not scope and kind is None:
                raise RuntimeError("Improper nesting of variable_scope.")
            if old_counts is not None:
                state.counts = old_counts
            else:
                state.close_subscopes(scope._name)
            state.current = old
        finally:
            if names is not None:
                names.__exit__(kind, value, trace)
            as_default.__exit__(kind, value, trace)


def variable_op_scope(values, name_or_scope, default_name=None, **kwargs):
    """Old form of `tf.variable_scope`."""
    return variable_scope(name_or_scope, default_name=default_name, values=values, **kwargs)


def create_partitioned_variables(shape, slicing, initializer, dtype=dtypes.float32, trainable=True, collections=None,
                                 name=None, reuse=None):  # fmt: skip
    """Old form of `get_variable` with a partitioner: the list of the parts."""
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    graph = get_default_graph()
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        options = {"trainable": trainable, "collections": collections}
        effective = None if scope.reuse is AUTO_REUSE else bool(scope.reuse)
        return list(
            _variable_store(graph)._get_partitioned(
                scope.name, shape, dtype, initializer, scope.regularizer, effective, lambda **_: slicing, options
            )
        )
