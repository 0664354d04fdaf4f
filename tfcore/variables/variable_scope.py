"""tf.get_variable and tf.variable_scope: variables by name, created once and shared.

A graph keeps its named variables in a store; each thread has its current scope. A scope holds a name prefix and
defaults (initializer, regularizer, partitioner, ...) for the variables created in it.
"""

import copy
import enum
import functools

from tfcore.framework.functions.func_graph import shares_with_bodies
from tfcore.framework.graph.graph import GraphKeys, get_default_graph, graph_of
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.variables.variable_store import VariableStore
from tfcore.variables.variables import VariableAggregation, VariableSynchronization


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def no_regularizer(_):
    """A regularizer that adds no loss: it disables the regularizer of an outer scope.

    Returns:
      None.
    """
    return None


# ---- Scopes


class VariableScope:
    """The name prefix and defaults for variables that `tf.get_variable` creates. Created by `tf.variable_scope`.

    Args:
      reuse: True, False or `tf.AUTO_REUSE`: whether variables must exist, must not, or may.
      name: Prefix of the names of variables.
      initializer: Default initializer.
      regularizer: Default regularizer.
      caching_device: Default caching device.
      partitioner: Default partitioner.
      custom_getter: Default custom getter.
      name_scope: The name scope that was opened with it.
      dtype: Default `DType`.
      use_resource: Whether variables are resource variables by default.
      constraint: Default constraint.
    """

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
        """Prefix of the names of variables, without a trailing "/"."""
        return self._name

    @property
    def original_name_scope(self):
        """The name scope that was opened with this scope."""
        return self._name_scope

    @property
    def reuse(self):
        """Whether variables must exist (True), must not (False) or may (`tf.AUTO_REUSE`)."""
        return self._reuse

    @property
    def initializer(self):
        """The default initializer."""
        return self._initializer

    @property
    def dtype(self):
        """The default `DType`."""
        return self._dtype

    @property
    def use_resource(self):
        """Whether variables are resource variables by default; None: as `tf.enable_resource_variables` says."""
        return self._use_resource

    @property
    def regularizer(self):
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self):
        """The default caching device."""
        return self._caching_device

    @property
    def partitioner(self):
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self):
        """The default custom getter."""
        return self._custom_getter

    @property
    def constraint(self):
        """The default constraint."""
        return self._constraint

    def reuse_variables(self):
        """From now on, `get_variable` in this scope only returns existing variables."""
        self._reuse = True

    def set_initializer(self, initializer):
        """Sets the default initializer.

        Args:
          initializer: The new default.
        """
        self._initializer = initializer

    def set_dtype(self, dtype):
        """Sets the default `DType`.

        Args:
          dtype: The new default.
        """
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        """Sets whether variables are resource variables by default.

        Args:
          use_resource: A bool.
        """
        self._use_resource = use_resource

    def set_regularizer(self, regularizer):
        """Sets the default regularizer.

        Args:
          regularizer: The new default.
        """
        self._regularizer = regularizer

    def set_caching_device(self, caching_device):
        """Sets the default caching device.

        Args:
          caching_device: The new default.
        """
        self._caching_device = caching_device

    def set_partitioner(self, partitioner):
        """Sets the default partitioner.

        Args:
          partitioner: The new default.
        """
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter):
        """Sets the default custom getter.

        Args:
          custom_getter: The new default.
        """
        self._custom_getter = custom_getter

    def get_collection(self, name):
        """The items of a collection whose names begin with the name of this scope.

        Args:
          name: Name of the collection.

        Returns:
          A list.
        """
        return get_default_graph().get_collection(name, self._name + "/" if self._name else "")

    def trainable_variables(self):
        """The trainable variables of this scope.

        Returns:
          A list of `Variable`s.
        """
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        """The global variables of this scope.

        Returns:
          A list of `Variable`s.
        """
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        """The local variables of this scope.

        Returns:
          A list of `Variable`s.
        """
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
        """The variable `name` in this scope: an existing one or a new one. None means the scope's default.

        Args:
          var_store: The store of variables of the graph.
          name: Name within the scope.
          shape: The shape, a list of ints or `TensorShape`; not together with an initial value.
          dtype: The `DType`; by default that of the scope, float32.
          initializer: A function of (shape, dtype) that returns a `Tensor`, or the initial value. By default the
            scope's, else Glorot's uniform distribution for floating-point types and zeros for others.
          regularizer: A function of the variable that returns a loss; a new variable's is added to the collection
            REGULARIZATION_LOSSES.
          reuse: Whether the variable must exist (True), must not (False) or may (None).
          trainable: Whether optimizers train it by default; True.
          collections: Names of the collections to join; [GLOBAL_VARIABLES] by default.
          caching_device: A device that keeps a copy for reading.
          partitioner: A function of (shape, dtype) that returns the number of parts in each dimension; the result is
            then a PartitionedVariable.
          validate_shape: Whether the initial value must have a fully known shape.
          use_resource: Whether it is a resource variable, see `tf.Variable`; by default that of the scope.
          custom_getter: A function that is called with the actual getter and all arguments, and returns the variable.
          constraint: A function of the value that returns a projected value, applied after each update by an optimizer.
          synchronization: A `VariableSynchronization`.
          aggregation: A `VariableAggregation`.

        Returns:
          A `Variable` or PartitionedVariable.

        Raises:
          ValueError: The variable exists and may not be reused, does not exist and has to, or has another shape or
            dtype.
        """
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
            found = convert_to_tensor(initializer).dtype.base_dtype
            if found is not dtypes.as_dtype(dtype).base_dtype:
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
                dtype = initializer.dtype.base_dtype
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
        regularizer = regularizer or None  # as in TensorFlow, 0.0 or "" is none
        if regularizer is not None and not callable(regularizer):
            raise ValueError(f"The regularizer is not callable: {regularizer}")
        return var_store.get_variable(
            full_name, shape, dtype, initializer, regularizer, reuse, partitioner, custom_getter, options
        )


_STORE = ("__variable_store",)


def variable_store_of(graph):
    store = graph._collections.get(_STORE)
    if not store:
        store = graph.get_collection_ref(_STORE)
        store.append(VariableStore())
    return store[0]


def variables_by_name():
    """{name: variable} of what `get_variable` made in the default graph; parts of partitioned ones are separate."""
    return dict(variable_store_of(get_default_graph())._vars)


class _ScopeState:
    """The current scope of a thread in a graph, and how often each name was entered."""

    __slots__ = ("current", "counts")

    def __init__(self):
        self.current = VariableScope(False)
        self.counts = {}

    def __copy__(self):
        """For a thread that begins where another one is."""
        made = _ScopeState()
        made.current, made.counts = self.current, dict(self.counts)
        return made

    def close_subscopes(self, name):
        prefix = name + "/"
        for key in self.counts:
            if key.startswith(prefix):
                self.counts[key] = 0


def _scope_state(graph):
    scopes = graph.scopes
    if scopes.variables is None:
        scopes.variables = _ScopeState()
    return scopes.variables


@shares_with_bodies
def _share_variables(graph, outer):
    """Shares the named variables and the current variable scope with the outer graph of a function."""
    graph._collections[_STORE] = [variable_store_of(outer)]
    _scope_state(graph).current = _scope_state(outer).current


def get_variable_scope():
    """The current variable scope.

    Returns:
      A `VariableScope`.
    """
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
    """The variable of a given name in the current variable scope: an existing one or a new one.

    By default the variable must be new. With `reuse=True` in the scope it must exist, with `tf.AUTO_REUSE` it is
    created if it does not.

    Args:
      name: Name within the scope.
      shape: The shape, a list of ints or `TensorShape`; not together with an initial value.
      dtype: The `DType`; by default that of the scope, float32.
      initializer: A function of (shape, dtype) that returns a `Tensor`, or the initial value. By default the scope's,
        else Glorot's uniform distribution for floating-point types and zeros for others.
      regularizer: A function of the variable that returns a loss; a new variable's is added to the collection
        REGULARIZATION_LOSSES.
      trainable: Whether optimizers train it by default; True.
      collections: Names of the collections to join; [GLOBAL_VARIABLES] by default.
      caching_device: A device that keeps a copy for reading.
      partitioner: A function of (shape, dtype) that returns the number of parts in each dimension; the result is then a
        PartitionedVariable.
      validate_shape: Whether the initial value must have a fully known shape.
      use_resource: Whether it is a resource variable, see `tf.Variable`; by default that of the scope.
      custom_getter: A function that is called with the actual getter and all arguments, and returns the variable.
      constraint: A function of the value that returns a projected value, applied after each update by an optimizer.
      synchronization: A `VariableSynchronization`.
      aggregation: A `VariableAggregation`.

    Returns:
      A `Variable`; a PartitionedVariable with a partitioner.

    Raises:
      ValueError: The variable exists and may not be reused, does not exist and has to, or has another shape or dtype.

    Example:

    >>> def layer():
    ...     with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
    ...         return tf.get_variable("w", [2, 3])
    >>> w = layer()
    >>> w.name, layer() is w
    ('layer/w:0', True)
    """
    graph = get_default_graph()
    return _scope_state(graph).current.get_variable(
        variable_store_of(graph),
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


def get_local_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=False,
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
    """`tf.get_variable` for a variable that is local to this process: not trained, in the collection LOCAL_VARIABLES.

    Args:
      name: Name within the scope.
      shape: The shape, a list of ints or `TensorShape`; not together with an initial value.
      dtype: The `DType`; by default that of the scope, float32.
      initializer: A function of (shape, dtype) that returns a `Tensor`, or the initial value. By default the scope's,
        else Glorot's uniform distribution for floating-point types and zeros for others.
      regularizer: A function of the variable that returns a loss; a new variable's is added to the collection
        REGULARIZATION_LOSSES.
      trainable: Ignored: local variables are not trained.
      collections: Further collections to join.
      caching_device: This and the following are as for `tf.get_variable`.
      partitioner: See `tf.get_variable`.
      validate_shape: See `tf.get_variable`.
      use_resource: See `tf.get_variable`.
      custom_getter: See `tf.get_variable`.
      constraint: See `tf.get_variable`.
      synchronization: See `tf.get_variable`.
      aggregation: See `tf.get_variable`.

    Returns:
      A `Variable`.

    Raises:
      ValueError: The variable exists and may not be reused, does not exist and has to, or has another shape or dtype.
    """
    collections = [*(collections or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name, shape, dtype, initializer, regularizer, False, collections, caching_device, partitioner, validate_shape,
        use_resource, custom_getter, constraint, synchronization, aggregation,
    )  # fmt: skip


def _chain_getters(getter, outer):
    """A custom getter that calls `getter` with a true getter that goes through the outer scope's custom getter."""
    if outer is None:
        return getter

    def chained(true_getter, *args, **kwargs):
        return getter(functools.partial(outer, true_getter), *args, **kwargs)

    return lambda getter, *args, **kwargs: chained(getter, *args, **kwargs)


def _extend(base, name, reuse, name_scope, settings):
    """A scope like `base` with another name and the given settings."""
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
    """A context manager for variables: sets the prefix of their names and their defaults.

    ```python
    with tf.variable_scope("layer", reuse=tf.AUTO_REUSE) as scope:
        w = tf.get_variable("w", [10, 10])  # "layer/w", the same one when this runs again
    ```

    Args:
      name_or_scope: A name that extends that of the current scope, or a `VariableScope` to re-enter.
      default_name: Name to use, made unique, if `name_or_scope` is None.
      values: A list of `Tensor`s: their graph becomes the default graph in the block (optional).
      initializer: Default initializer.
      regularizer: Default regularizer.
      caching_device: Default caching device.
      partitioner: Default partitioner.
      custom_getter: Default custom getter; it calls that of the outer scope.
      reuse: True: variables must exist; `tf.AUTO_REUSE`: they may exist; None: as in the outer scope.
      dtype: Default `DType`.
      use_resource: Whether variables are resource variables by default.
      constraint: Default constraint.
      auxiliary_name_scope: Whether a name scope is opened, too.

    Raises:
      TypeError: No name is given, or an argument is of the wrong type.
      ValueError: `reuse` is invalid, or `values` belong to different graphs.

    Example:

    >>> with tf.variable_scope("a"):
    ...     with tf.variable_scope("b", initializer=tf.ones_initializer()):
    ...         v = tf.get_variable("v", [2])
    >>> sess.run(v.initializer)
    >>> print(v.name, sess.run(v))
    a/b/v:0 [1. 1.]
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
        if not isinstance(self._name_or_scope, (str, VariableScope, type(None))):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
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
        """The default name, with a number if it was entered before in the current scope."""
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


def variable_op_scope(
    values,
    name_or_scope,
    default_name=None,
    initializer=None,
    regularizer=None,
    caching_device=None,
    partitioner=None,
    custom_getter=None,
    reuse=None,
    dtype=None,
    use_resource=None,
    constraint=None,
):
    """Deprecated form of `tf.variable_scope`.

    Args:
      values: A list of `Tensor`s.
      name_or_scope: A name or `VariableScope`.
      default_name: Name to use if `name_or_scope` is None.
      initializer: This and the following are as for `tf.variable_scope`.
      regularizer: See `tf.variable_scope`.
      caching_device: See `tf.variable_scope`.
      partitioner: See `tf.variable_scope`.
      custom_getter: See `tf.variable_scope`.
      reuse: See `tf.variable_scope`.
      dtype: See `tf.variable_scope`.
      use_resource: See `tf.variable_scope`.
      constraint: See `tf.variable_scope`.

    Returns:
      A `tf.variable_scope`.

    Raises:
      TypeError: No name is given.
    """
    return variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter,
        reuse, dtype, use_resource, constraint,
    )  # fmt: skip


def create_partitioned_variables(shape, slicing, initializer, dtype=dtypes.float32, trainable=True, collections=None,
                                 name=None, reuse=None):  # fmt: skip
    """Deprecated form of `tf.get_variable` with a partitioner.

    Args:
      shape: The shape of the whole variable, a list of ints.
      slicing: A list of the number of parts in each dimension; at most one may be more than 1.
      initializer: A function of (shape, dtype) or the initial value.
      dtype: The `DType`.
      trainable: Whether optimizers train it by default.
      collections: Names of the collections to join.
      name: Name of the variable; "PartitionedVariable" by default.
      reuse: Whether the variable must exist.

    Returns:
      A list of `Variable`s: the parts.

    Raises:
      ValueError: `shape` and `slicing` do not fit, or see `tf.get_variable`.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: "
            f"{slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    graph = get_default_graph()
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        options = {"trainable": trainable, "collections": collections}
        effective = None if scope.reuse is AUTO_REUSE else bool(scope.reuse)
        return list(
            variable_store_of(graph).get_partitioned(
                scope.name, shape, dtype, initializer, scope.regularizer, effective, lambda **_: slicing, options
            )
        )
