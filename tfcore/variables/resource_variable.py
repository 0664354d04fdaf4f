"""Resource variables: `tf.Variable(..., use_resource=True)`.

A resource variable is a handle in the graph. Each use reads it again, in the order that control dependencies give, and
what was read never changes afterwards.
"""

from tfcore.framework import protos
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.definitions.shapes import merge
from tfcore.framework.graph.graph import colocate_with as colocated_with
from tfcore.framework.graph.graph import control_dependencies, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_dims, shape_of
from tfcore.framework.values.conversion import convert_to_tensor, register_tensor_conversion_function
from tfcore.ops.array.array import Identity
from tfcore.ops.state import resource_variable
from tfcore.variables.initial_value import with_initialized_variables
from tfcore.variables.variables import Variable, strip_scope


class ResourceVariable(Variable):
    """A variable behind a handle. See `tf.Variable`, whose argument `use_resource` makes one."""

    # ---- Creation

    def _add_ops(self, graph, initial, scope, validate_shape, shape, colocate_with, extra_attrs):
        base, dims = self._checked_form(initial, validate_shape, shape)
        self._dtype, self._dims = base, dims
        where = [b"loc:@" + scope.encode()] if colocate_with is None else colocate_with.colocation_groups()
        attrs = {
            "container": graph.scopes.container.encode(),
            "shared_name": scope.encode(),
            "debug_name": b"",
            "dtype": base,
            "shape": dims,
            "allowed_devices": [],
            **extra_attrs,
            "_class": where,
        }
        self._op = graph.add_operation(resource_variable.VarHandleOp, [], attrs, (dtypes.resource,), scope + "/")
        if colocate_with is not None:
            self._op.requested_device = colocate_with.device
        self._handle = self._op.outputs[0]
        self._name = scope + ":0"
        self._initial_value = initial
        op_attrs = {"_class": where}
        self._beside(
            graph, resource_variable.VarIsInitializedOp, [self._handle], op_attrs, "IsInitialized/VarIsInitializedOp"
        )
        value = with_initialized_variables(graph, initial, scope)
        op_attrs = {"dtype": base, "validate_shape": False, "_class": where}
        self._initializer_op = self._beside(
            graph, resource_variable.AssignVariableOp, [self._handle, value], op_attrs, "Assign"
        )
        op_attrs = {"dtype": base, "_class": where}
        read = self._beside(graph, resource_variable.ReadVariableOp, [self._handle], op_attrs, "Read/ReadVariableOp")
        self._graph_element = read.outputs[0]
        self._cached_value = None
        if self._caching_device is not None:
            with graph.device(self._caching_device):
                self._cached_value = Identity(self._graph_element, name="Read/Identity")

    def _beside(self, graph, op_def, inputs, attrs, name):
        """An operation of the variable's own, on its device."""
        outputs = [attrs["dtype"] if arg.type_attr else arg.dtype for arg in op_def.outputs]
        op = graph.add_operation(op_def, inputs, attrs, tuple(outputs), name)
        op.requested_device = self._op.device
        return op

    def _init_from_proto(self, variable_def, import_scope):
        graph = get_default_graph()
        prefix = import_scope.rstrip("/") + "/" if import_scope else ""

        def element(name):
            return graph.as_graph_element(prefix + name)

        if not variable_def.is_resource:
            raise ValueError("Trying to restore Variable as ResourceVariable.")
        self._handle = element(variable_def.variable_name)
        self._op = self._handle.op
        self._name = self._handle.name
        self._dtype, self._dims = self._op.attrs["dtype"], self._op.attrs["shape"]
        self._initializer_op = element(variable_def.initializer_name)
        self._initial_value = element(variable_def.initial_value_name) if variable_def.initial_value_name else None
        snapshot = element(variable_def.snapshot_name)
        cached = snapshot.op.type != "ReadVariableOp"
        self._cached_value = snapshot if cached else None
        self._graph_element = snapshot
        if cached:
            self._graph_element = graph.get_tensor_by_name(self._op.name + "/Read/ReadVariableOp:0")
        self._init_options_from_proto(variable_def, import_scope)

    # ---- Properties

    @property
    def handle(self):
        """The handle, a `Tensor` of type resource."""
        return self._handle

    @property
    def dtype(self):
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self):
        """The static shape, a `TensorShape`."""
        return shape_of(self._dims)

    def set_shape(self, shape):
        """Merges what is known about the shape into the static shape.

        Args:
          shape: A `TensorShape` or a value that converts to one.

        Raises:
          ValueError: The shapes are incompatible.
        """
        self._dims = merge(self._dims, as_dims(shape))
        self._graph_element.set_shape(shape)

    @property
    def create(self):
        """The operation that assigns the initial value."""
        return self._initializer_op

    def _ref(self):
        return self._handle

    def _sources(self):
        return (self._handle,)

    def _as_graph_element(self):
        return self._graph_element

    # ---- Value

    def _read(self):
        value = resource_variable.ReadVariableOp(self._handle, dtype=self._dtype)
        value.set_shape(self._dims)
        return value

    def value(self):
        """Reads the variable, under the current control dependencies.

        Returns:
          A `Tensor`; with a caching device, the copy there.
        """
        if self._cached_value is not None:
            return self._cached_value
        with colocated_with(None, ignore_existing=True), get_default_graph().device(self._op.device or None):
            return self._read()

    def read_value(self):
        """Adds a new read, which honours the current control dependencies.

        Returns:
          A `Tensor`.
        """
        with name_scope("Read"), get_default_graph().device(self._op.device or None):
            value = self._read()
        return Identity(value)

    def sparse_read(self, indices, name=None):
        """Reads rows.

        Args:
          indices: A `Tensor` of type int32 or int64, the indices of the rows.
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of shape `indices.shape + variable.shape[1:]`.
        """
        with name_scope(name or "Gather") as scope:
            value = resource_variable.ResourceGather(self._handle, indices, dtype=self._dtype, name=scope)
            return Identity(value)

    def gather_nd(self, indices, name=None):
        """Reads elements or slices.

        Args:
          indices: A `Tensor` of type int32 or int64, of shape [..., depth].
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of shape `indices.shape[:-1] + variable.shape[depth:]`.
        """
        with name_scope(name or "GatherNd") as scope:
            value = resource_variable.ResourceGatherNd(self._handle, indices, dtype=self._dtype, name=scope)
            return Identity(value)

    def is_initialized(self, name=None):
        """Whether the variable has a value.

        Args:
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type bool, a scalar.
        """
        return resource_variable.VarIsInitializedOp(self._handle, name=name)

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
        return self._graph_element.eval(session=session)

    def numpy(self):
        """Not available: operations are not executed eagerly.

        Raises:
          NotImplementedError: In any case.
        """
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def __bool__(self):
        return bool(self.read_value())

    # ---- Assignments

    def _updated(self, op_def, *inputs, name=None, use_locking=None, **attrs):
        """The variable after an operation that `op_def` defines for references."""
        made = get_op_def("Resource" + op_def.name)
        if "updates" in (arg.name for arg in made.inputs):
            *inputs, values = inputs
            inputs.append(convert_to_tensor(values, dtype=self._dtype))
        return self._after(made(self._handle, *inputs, name=name, **attrs))

    def _after(self, op):
        return type.__call__(_UpdatedVariable, self, op)  # without creators: it is no new variable

    def _assigned(self, op_def, value, name, read_value):
        value = convert_to_tensor(value, dtype=self._dtype)
        self.shape.assert_is_compatible_with(value.shape)
        op = op_def(self._handle, value, name=name)
        return self._after(op) if read_value else op

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """Assigns a value.

        Args:
          value: The new value, a `Tensor` or a value that converts to one.
          use_locking: Accepted for compatibility: assignments are exact in any case.
          name: Name of the operation (optional).
          read_value: Whether the variable is returned; otherwise the operation.

        Returns:
          The variable, whose value is read after the assignment; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        return self._assigned(resource_variable.AssignVariableOp, value, name, read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """Adds to the variable.

        Args:
          delta: The value to add.
          use_locking: Accepted for compatibility: updates are exact in any case.
          name: Name of the operation (optional).
          read_value: Whether the variable is returned; otherwise the operation.

        Returns:
          The variable, whose value is read after the update; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        return self._assigned(resource_variable.AssignAddVariableOp, delta, name, read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """Subtracts from the variable.

        Args:
          delta: The value to subtract.
          use_locking: Accepted for compatibility: updates are exact in any case.
          name: Name of the operation (optional).
          read_value: Whether the variable is returned; otherwise the operation.

        Returns:
          The variable, whose value is read after the update; or the `Operation`.

        Raises:
          ValueError: Shapes are incompatible.
        """
        return self._assigned(resource_variable.AssignSubVariableOp, delta, name, read_value)

    def count_up_to(self, limit):
        """Increments a scalar integer variable.

        Args:
          limit: An int that the variable may not exceed.

        Returns:
          A `Tensor`: the value before the increment.

        Raises:
          tf.errors.OutOfRangeError: When run: the variable has reached `limit`.
        """
        return resource_variable.ResourceCountUpTo(self._handle, limit=limit, T=self._dtype)

    # ---- Saving

    def to_proto(self, export_scope=None):
        """Describes the variable as a protocol buffer.

        Args:
          export_scope: A name scope to strip from names (optional).

        Returns:
          A VariableDef, or None if the variable is outside `export_scope`.
        """
        if export_scope and not self._handle.name.startswith(export_scope):
            return None
        snapshot = self._graph_element if self._cached_value is None else self._cached_value
        result = protos.VariableDef(
            variable_name=strip_scope(self._handle.name, export_scope),
            initializer_name=strip_scope(self.initializer.name, export_scope),
            snapshot_name=strip_scope(snapshot.name, export_scope),
            is_resource=True,
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            result.initial_value_name = strip_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            result.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return result


class _UpdatedVariable(ResourceVariable):
    """A variable as an operation leaves it: all reads wait for that."""

    def __init__(self, variable, op):
        for name in (
            "_aggregation", "_caching_device", "_constraint", "_dims", "_dtype", "_handle", "_initial_value",
            "_initializer_op", "_name", "_save_slice_info", "_synchronization", "_trainable",
        ):  # fmt: skip
            setattr(self, name, getattr(variable, name))
        self._cached_value = None
        self._op = self._handle.op
        self._parent = op
        with control_dependencies([op]):
            self._graph_element = super().read_value()

    @property
    def op(self):
        """The operation that changes the variable."""
        return self._parent

    @property
    def name(self):
        """The name of that operation."""
        return self._parent.name

    def value(self):
        with control_dependencies([self._parent]):
            return super().value()

    def read_value(self):
        with control_dependencies([self._parent]):
            return super().read_value()

    def sparse_read(self, indices, name=None):
        with control_dependencies([self._parent]):
            return super().sparse_read(indices, name)

    def gather_nd(self, indices, name=None):
        with control_dependencies([self._parent]):
            return super().gather_nd(indices, name)

    def _updated(self, op_def, *inputs, **attrs):
        with control_dependencies([self._parent]):
            return super()._updated(op_def, *inputs, **attrs)

    def _assigned(self, op_def, value, name, read_value):
        with control_dependencies([self._parent]):
            return super()._assigned(op_def, value, name, read_value)


def _convert(variable, dtype=None, name=None, as_ref=False):
    if as_ref:
        return variable._handle
    if dtype is not None and dtype.base_dtype is not variable._dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'"
        )
    return variable.value()


register_tensor_conversion_function(ResourceVariable, _convert, 9)


def is_resource_variable(var):
    """Whether a value is a variable behind a handle.

    Args:
      var: Any value.

    Returns:
      A bool.
    """
    return isinstance(var, ResourceVariable)
