"""tf.Variable: state in the graph."""

from tfcore.framework import protos
from tfcore.framework.functions.func_graph import check_initial_value, init_scope
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import (
    GraphKeys,
    colocate_with,
    control_dependencies,
    get_default_graph,
)
from tfcore.framework.graph.operation import Tensor, register_dense_tensor_like_type
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_dims, shape_of
from tfcore.framework.values.conversion import convert_to_tensor, register_tensor_conversion_function
from tfcore.ops.array.array import Identity
from tfcore.ops.array.slice import slice_of_variable
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.state import state
from tfcore.variables.copies import Reference, VariableAggregation, VariableSynchronization, is_trainable
from tfcore.variables.creators import CreatedInScopes, asks_for_resource, through_creators
from tfcore.variables.initial_value import call_initializer, with_initialized_variables
from tfcore.variables.slice_updates import SliceUpdates

_OF_SLOTS = {  # the arguments that creators get besides those of each slot
    "trainable": False,
    "collections": None,
    "caching_device": None,
    "variable_def": None,
    "expected_shape": None,
    "import_scope": None,
    "constraint": None,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
    "shape": None,
}
_READERS = frozenset(["Identity", "IsVariableInitialized"])  # op types that take a reference and leave it as it is


class Variable(SliceUpdates, metaclass=CreatedInScopes):
    """A tensor that keeps its value between steps. Assignments change it, optimizers train it.

    A `Variable` can be used wherever a `Tensor` is expected. It must be initialized before it is read.

    Example:

    >>> v = tf.Variable([1.0, 2.0], name="v")
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(v.assign_add([10.0, 10.0]))
    array([11., 12.], dtype=float32)
    >>> sess.run(v * 2)
    array([22., 24.], dtype=float32)
    """

    __array_priority__ = 100
    _checkpoint_dependencies = ()  # for variables/trackable.py: there is nothing below it
    _primary_op = None  # the operation that a slot is colocated with

    def __new__(cls, *args, **kwargs):
        if cls is Variable and (args or kwargs) and asks_for_resource(cls, args, kwargs):
            from tfcore.variables.resource_variable import ResourceVariable  # which derives from this class

            return super().__new__(ResourceVariable)
        return super().__new__(cls)

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        collections=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        expected_shape=None,
        import_scope=None,
        constraint=None,
        use_resource=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
        shape=None,
    ):
        """Adds a variable, the assignment of its initial value and a read to the graph.

        Args:
          initial_value: A `Tensor`, a value that converts to one, or a function without arguments that returns one.
          trainable: Whether optimizers train it by default; True.
          collections: Names of the collections to join; [GLOBAL_VARIABLES] by default.
          validate_shape: Whether the initial value must have a fully known shape. If False, assignments may change the
            shape.
          caching_device: A device that keeps a copy for reading.
          name: Name of the variable, made unique; "Variable" by default.
          variable_def: A VariableDef to recreate a variable of the graph from, instead of adding one.
          dtype: The `DType` that `initial_value` is converted to (optional).
          expected_shape: Accepted for compatibility.
          import_scope: Prefix of the names in `variable_def`.
          constraint: A function of the value that returns a projected value, applied after each update by an optimizer.
          use_resource: Whether it is a handle, which each use reads again in the order of control dependencies, rather
            than a reference. By default as the variable scope, or else `tf.enable_resource_variables` says.
          synchronization: A `VariableSynchronization`; ON_READ makes it non-trainable.
          aggregation: A `VariableAggregation`, accepted for compatibility.
          shape: The static shape, if it differs from that of the initial value.

        Raises:
          ValueError: There is no initial value, its shape is not fully known, or it belongs to a conditional or loop.
        """
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        if collections is None:
            collections = (GraphKeys.GLOBAL_VARIABLES,)
        elif not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, or set. "
                f"Got {collections} of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        self._trainable = is_trainable(trainable, synchronization)
        self._synchronization = synchronization
        self._aggregation = aggregation
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = (*collections, GraphKeys.TRAINABLE_VARIABLES)
        self._caching_device = caching_device
        self._constraint = constraint
        self._save_slice_info = None
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype).base_dtype
        graph = get_default_graph()
        if graph.building_function:
            check_initial_value(graph, initial_value)
            with init_scope():
                self._add_to_graph(get_default_graph(), initial_value, name, dtype, validate_shape, shape, collections)
        elif isinstance(initial_value, Tensor) and initial_value.op.graph is not graph:
            graph = initial_value.op.graph
            with graph.as_default():
                self._add_to_graph(graph, initial_value, name, dtype, validate_shape, shape, collections)
        else:
            self._add_to_graph(graph, initial_value, name, dtype, validate_shape, shape, collections)

    @staticmethod
    def _new_slot(graph, initial_value, name, dtype, validate_shape, colocate_with, use_resource):
        """A variable that accompanies another, with a name from the root, colocated with `colocate_with`.

        `use_resource` is that of the other variable, which optimizers pass to the same operations; None: any.
        """

        def create(*args, **kwargs):
            if use_resource is not None:
                kwargs["use_resource"] = use_resource
            self = Variable.__new__(Variable, *args, **kwargs)
            self._primary_op = colocate_with
            scopes = graph.scopes
            with graph.as_default(), scopes.replaced(name="", devices=() if colocate_with else scopes.devices):
                self.__init__(*args, **kwargs)
            return self

        arguments = {"initial_value": initial_value, "name": name, "dtype": dtype, "validate_shape": validate_shape}
        if get_default_graph().scopes.creators:
            arguments["name"] = graph.unique_name(name, mark_as_used=False)
        return through_creators(create, {**_OF_SLOTS, **arguments, "use_resource": use_resource})

    def _add_to_graph(self, graph, initial_value, name, dtype, validate_shape, shape, collections):
        name, colocate_with = name or "Variable", self._primary_op
        scope = name[:-1] if name[-1] == "/" else graph.unique_name(name)
        with graph.scopes.replaced(name=scope, controls=(), context=None):
            if callable(initial_value):
                initial = call_initializer(graph, initial_value, scope, dtype, colocate_with)
            else:
                initial = convert_to_tensor(initial_value, dtype=dtype, name="initial_value")
                if initial.op._control_flow_context is not None:
                    raise ValueError(
                        f"Initializer for variable {scope}/ is from inside a control-flow construct, such as a loop "
                        "or conditional. When creating a variable inside a loop or conditional, use a lambda as the "
                        "initializer."
                    )
            is_local = GraphKeys.LOCAL_VARIABLES in collections and GraphKeys.GLOBAL_VARIABLES not in collections
            extra = {"_local_variable": True} if is_local else {}  # for device functions
            if callable(initial_value) and colocate_with is None:  # operations of the initializer refer to this name
                extra["_class"] = [b"loc:@" + scope.encode()]
            self._add_ops(graph, initial, scope, validate_shape, shape, colocate_with, extra)
        graph.add_to_collections(collections, self)

    @staticmethod
    def _checked_form(initial, validate_shape, shape):
        """The type and the static shape of a variable with this initial value."""
        dims = initial.dims
        if validate_shape and (dims is None or None in dims):
            raise ValueError(f"initial_value must have a shape specified: {initial}")
        if not isinstance(validate_shape, (bool, type(None))):
            raise TypeError(f"Expected bool for argument 'validate_shape' not {validate_shape!r}.")
        if shape is not None:
            dims = as_dims(shape)
        elif not validate_shape:
            dims = None
        return initial.dtype.base_dtype, dims

    def _add_ops(self, graph, initial, scope, validate_shape, shape, colocate_with, extra_attrs):
        base, dims = self._checked_form(initial, validate_shape, shape)
        container = graph.scopes.container.encode()
        attrs = {"shape": dims, "dtype": base, "container": container, "shared_name": b"", **extra_attrs}
        if colocate_with is not None:
            attrs["_class"] = colocate_with.colocation_groups()
        op = graph.add_operation(state.VariableV2, [], attrs, (base._as_ref,), scope + "/")
        if colocate_with is not None:
            op.requested_device = colocate_with.device
        self._initial_value = initial
        self._op = op
        self._variable = variable = op.outputs[0]
        self._name = scope + ":0"
        where = op.colocation_groups()
        attrs = {"T": base, "validate_shape": validate_shape, "use_locking": True, "_class": where}
        value = with_initialized_variables(graph, initial, scope)
        self._initializer_op = graph.add_operation(state.Assign, [variable, value], attrs, (base._as_ref,), "Assign")
        if self._caching_device is not None:
            with graph.device(self._caching_device):
                self._snapshot = Identity(variable, name="read")
        else:
            read = graph.add_operation(Identity, [variable], {"T": base, "_class": where}, (base,), "read")
            read.requested_device = op.device
            self._snapshot = read.outputs[0]
        self._initializer_op.requested_device = op.device

    def _init_from_proto(self, variable_def, import_scope):
        graph = get_default_graph()
        prefix = import_scope.rstrip("/") + "/" if import_scope else ""

        def element(name):
            return graph.as_graph_element(prefix + name)

        self._variable = element(variable_def.variable_name)
        self._op = self._variable.op
        self._name = self._variable.name
        self._initializer_op = element(variable_def.initializer_name)
        self._initial_value = element(variable_def.initial_value_name) if variable_def.initial_value_name else None
        self._snapshot = element(variable_def.snapshot_name)
        self._init_options_from_proto(variable_def, import_scope)

    def _init_options_from_proto(self, variable_def, import_scope):
        self._trainable = variable_def.trainable
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        self._caching_device = self._constraint = self._save_slice_info = None
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = Variable.SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )

    # ---- Properties

    @property
    def name(self):
        """The name, such as "layer/w:0"."""
        return self._name

    @property
    def _shared_name(self):
        return self._name[: self._name.index(":")]

    @property
    def op(self):
        """The operation that holds the variable."""
        return self._op

    @property
    def graph(self):
        """The `Graph` it belongs to."""
        return self._op.graph

    @property
    def device(self):
        """The requested device, "" for none."""
        return self._op.device

    @property
    def dtype(self):
        """A reference type; `dtype.base_dtype` is the type of the elements."""
        return self._variable.dtype

    @property
    def shape(self):
        """The static shape, a `TensorShape`."""
        return shape_of(self._variable.dims)

    def get_shape(self):
        """The static shape.

        Returns:
          A `TensorShape`.
        """
        return self.shape

    def set_shape(self, shape):
        """Merges what is known about the shape into the static shape.

        Args:
          shape: A `TensorShape` or a value that converts to one.

        Raises:
          ValueError: The shapes are incompatible.
        """
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def trainable(self):
        """Whether optimizers train it by default."""
        return self._trainable

    @property
    def synchronization(self):
        """The `VariableSynchronization`."""
        return self._synchronization

    @property
    def aggregation(self):
        """The `VariableAggregation`."""
        return self._aggregation

    @property
    def constraint(self):
        """The constraint, or None."""
        return self._constraint

    @property
    def initializer(self):
        """The operation that assigns the initial value."""
        return self._initializer_op

    @property
    def initial_value(self):
        """The Tensor that the initializer assigns."""
        return self._initial_value

    def _set_initial_value(self, value, initializer):
        """Replaces the initial value, and the operation that assigns it."""
        self._initial_value = value
        self._initializer_op = initializer

    def _ref(self):
        """The reference Tensor, which assignments take."""
        return self._variable

    def ref(self):
        """A hashable reference to the variable, for sets and dicts; its `deref()` returns the variable.

        Returns:
          A reference object.
        """
        return Reference(self)

    experimental_ref = ref

    def _sources(self):
        """The Tensors by which operations use the variable."""
        return self._variable, self._snapshot

    def _as_graph_element(self):
        return self._variable

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.get_shape()} dtype={self.dtype.name}>"

    # ---- Value

    def value(self):
        """The value, as operations that take the variable get it.

        All users share one read of the step. Under control dependencies, however, a variable that is updated by any
        operation is read again, after them.

        Returns:
          A `Tensor`.
        """
        graph = get_default_graph()
        if graph.scopes.controls and graph is self._variable.graph and self._has_updates():
            return self.read_value()
        return self._snapshot

    def _has_updates(self):
        """Whether an operation besides the initializer may set the variable."""
        return any(op is not self._initializer_op and op.type not in _READERS for op in self._variable.consumers())

    def read_value(self):
        """Adds a new read, which honours the current control dependencies.

        Returns:
          A `Tensor`.
        """
        return Identity(self._variable, name="read")

    def initialized_value(self):
        """The value if the variable is initialized, else its initial value. For initial values of other variables.

        Returns:
          A `Tensor`.
        """
        with colocate_with(self._op), control_dependencies(None):
            return cond(self.is_initialized(), self.read_value, lambda: self._initializer_op.inputs[1])

    def is_initialized(self, name=None):
        """Whether the variable has a value.

        Args:
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type bool, a scalar.
        """
        return state.IsVariableInitialized(self._variable, name=name)

    def eval(self, session=None):
        """Reads the variable in a session.

        Args:
          session: The `Session`; the default session if None.

        Returns:
          A NumPy array or scalar.

        Raises:
          ValueError: There is no session.
          tf.errors.FailedPreconditionError: The variable is not initialized.
        """
        return self._variable.eval(session=session)

    def load(self, value, session=None):
        """Assigns a value in a session without adding to the graph.

        Args:
          value: An array, or a value that converts to one.
          session: The `Session`; the default session if None.

        Raises:
          ValueError: There is no session, or the shape of the value is wrong.
          TypeError: The value is not of the variable's type.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        try:
            session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})
        except (TypeError, ValueError) as error:  # they name the tensor of the initial value
            raise type(error)(f"Cannot load a value into variable {self.name!r}: {error}") from None

    # ---- Assignments

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns a value.

        Args:
          value: The new value, a `Tensor` or a value that converts to one.
          use_locking: Whether the update takes the variable's lock.
          name: Name of the operation (optional).
          read_value: Whether the new value is returned; otherwise the operation.

        Returns:
          A mutable `Tensor`: the variable after the update; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        result = state.Assign(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Adds to the variable.

        Args:
          delta: The value to add.
          use_locking: Whether the update takes the variable's lock.
          name: Name of the operation (optional).
          read_value: Whether the new value is returned; otherwise the operation.

        Returns:
          A mutable `Tensor`: the variable after the update; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        result = state.AssignAdd(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtracts from the variable.

        Args:
          delta: The value to subtract.
          use_locking: Whether the update takes the variable's lock.
          name: Name of the operation (optional).
          read_value: Whether the new value is returned; otherwise the operation.

        Returns:
          A mutable `Tensor`: the variable after the update; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        result = state.AssignSub(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def _updated(self, op_def, *inputs, **attrs):
        """The variable after an operation on it."""
        return op_def(self._variable, *inputs, **attrs)

    def count_up_to(self, limit):
        """Increments a scalar integer variable.

        Args:
          limit: An int that the variable may not exceed.

        Returns:
          A `Tensor`: the value before the increment.

        Raises:
          ValueError: The variable is known not to be a scalar.
          tf.errors.OutOfRangeError: When run: the variable has reached `limit`.
          tf.errors.InvalidArgumentError: When run: the variable is not a scalar, or `limit` does not fit its type.
        """
        return state.CountUpTo(self._variable, limit=limit)

    # ---- Saving

    class SaveSliceInfo:
        """The part of a partitioned variable that a variable holds."""

        def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None,
                     save_slice_info_def=None, import_scope=None):  # fmt: skip
            if save_slice_info_def is not None:
                prefix = import_scope.rstrip("/") + "/" if import_scope else ""
                full_name = prefix + save_slice_info_def.full_name
                full_shape = list(save_slice_info_def.full_shape)
                var_offset = list(save_slice_info_def.var_offset)
                var_shape = list(save_slice_info_def.var_shape)
            self.full_name = full_name
            self.full_shape = full_shape
            self.var_offset = var_offset
            self.var_shape = var_shape

        @property
        def spec(self):
            """The name of the slice in a checkpoint, such as "4 5 0,2:0,5"."""
            full = " ".join(str(d) for d in self.full_shape)
            return full + " " + ":".join(f"{o},{s}" for o, s in zip(self.var_offset, self.var_shape))

        def to_proto(self, export_scope=None):
            """A SaveSliceInfoDef, None for a variable outside of `export_scope`."""
            if export_scope and not self.full_name.startswith(export_scope):
                return None
            return protos.SaveSliceInfoDef(
                full_name=strip_scope(self.full_name, export_scope),
                full_shape=self.full_shape,
                var_offset=self.var_offset,
                var_shape=self.var_shape,
            )

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def to_proto(self, export_scope=None):
        """Describes the variable as a protocol buffer.

        Args:
          export_scope: A name scope to strip from names (optional).

        Returns:
          A VariableDef, or None if the variable is outside `export_scope`.
        """
        if export_scope and not self.name.startswith(export_scope):
            return None
        result = protos.VariableDef(
            variable_name=strip_scope(self.name, export_scope),
            initializer_name=strip_scope(self.initializer.name, export_scope),
            snapshot_name=strip_scope(self._snapshot.name, export_scope),
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            result.initial_value_name = strip_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            result.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return result

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        """Recreates the variable of a VariableDef whose operations are in the default graph.

        Args:
          variable_def: The VariableDef.
          import_scope: Prefix of the names in the graph (optional).

        Returns:
          A `Variable`.
        """
        return Variable(variable_def=variable_def, import_scope=import_scope)

    # ---- Use as a value

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    def __bool__(self):
        return bool(self._snapshot)

    def __copy__(self):
        return self


RefVariable = VariableV1 = Variable


def _forward_operator(name):
    """Forwards operator `name` to the value. Tensor's operator is looked up late, as ops install it on import."""

    def run(self, *args):
        return getattr(Tensor, name)(self.value(), *args)

    run.__name__ = name
    setattr(Variable, name, run)


for _name in (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __div__ __rdiv__ __truediv__ __rtruediv__ __floordiv__ "
    "__rfloordiv__ __mod__ __rmod__ __lt__ __le__ __gt__ __ge__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ "
    "__pow__ __rpow__ __invert__ __neg__ __abs__ __matmul__ __rmatmul__"
).split():
    _forward_operator(_name)
Variable.__getitem__ = slice_of_variable


def _convert(variable, dtype=None, name=None, as_ref=False):
    if dtype is not None and variable._variable.dtype.base_dtype is not dtype.base_dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'"
        )
    return variable._variable if as_ref else variable.value()


register_tensor_conversion_function(Variable, _convert, 10)
register_dense_tensor_like_type(Variable)


def strip_scope(name, scope):
    """The name without the prefix of a name scope."""
    prefix = scope.rstrip("/") + "/" if scope else ""
    return name[len(prefix) :] if name.startswith(prefix) else name
