"""tf.Variable: state that lives in the graph."""

import enum

from tfcore.framework import dtypes, proto
from tfcore.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from tfcore.framework.default_session import get_default_session
from tfcore.framework.func_graph import check_initial_value, init_scope
from tfcore.framework.graph import (
    GraphKeys,
    colocate_with,
    control_dependencies,
    get_default_graph,
)
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.framework.operation import Tensor, register_dense_tensor_like_type
from tfcore.framework.tensor_shape import TensorShape
from tfcore.ops import scatter, state
from tfcore.ops.array import Identity
from tfcore.ops.cond import cond

__all__ = [
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
]


class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are combined."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of copies of a variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


def is_trainable(trainable, synchronization):
    """The default of `trainable`: True, unless copies are only combined when they are read."""
    if synchronization is VariableSynchronization.ON_READ:
        if trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. "
                "You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
            )
        return False
    return True if trainable is None else trainable


class Variable:
    """A tensor that keeps its value between steps; assignments change it, optimizers train it.

    ```python
    w = tf.Variable(tf.zeros([784, 10]), name="weights")
    sess.run(tf.global_variables_initializer())
    sess.run(w.assign_add(tf.ones([784, 10])))
    ```
    Wherever a Tensor is asked for, a Variable stands for its value.
    """

    __array_priority__ = 100

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
        """Adds the variable, the assignment of its first value and a read of it to the graph.

        Args:
          initial_value: Tensor or anything that converts to one, or a function of no arguments that makes it.
          trainable: whether optimizers change it by default (collection TRAINABLE_VARIABLES).
          collections: graph collections to join; default [GraphKeys.GLOBAL_VARIABLES].
          validate_shape: if False, the shape may be unknown and assignments may change it.
          caching_device: device that keeps a copy for reading.
          name: default "Variable", made unique.
          dtype: type to convert `initial_value` to.
          constraint: function of the value, applied by optimizers after each update.
          shape: the variable's static shape, if other than that of the initial value.
          expected_shape, use_resource, aggregation: accepted for compatibility; they change nothing.

        Raises:
          ValueError: no initial value, or one of unknown shape with `validate_shape`.
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
                f"collections argument to Variable constructor must be a list, tuple, or set. Got {collections} of type {type(collections)}"
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
            dtype = dtypes.as_dtype(dtype)._base
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

    @classmethod
    def _new_slot(cls, graph, initial_value, name, dtype, validate_shape, colocate_with):
        """A variable that accompanies another, named from the root and placed with operation `colocate_with`."""
        self = cls.__new__(cls)
        self._trainable = False
        self._synchronization = VariableSynchronization.AUTO
        self._aggregation = VariableAggregation.NONE
        self._caching_device = self._constraint = self._save_slice_info = None
        scopes = graph._scopes
        with scopes.replaced(name="", devices=scopes.devices if colocate_with is None else ()):
            self._add_to_graph(
                graph, initial_value, name, dtype, validate_shape, None, (GraphKeys.GLOBAL_VARIABLES,), colocate_with
            )
        return self

    def _add_to_graph(self, graph, initial_value, name, dtype, validate_shape, shape, collections, colocate_with=None):
        name = name or "Variable"
        scope = name[:-1] if name[-1] == "/" else graph.unique_name(name)
        with graph._scopes.replaced(name=scope, controls=(), context=None):
            if callable(initial_value):
                initial = _call_initializer(graph, initial_value, scope, dtype, colocate_with)
            else:
                initial = convert_to_tensor(initial_value, dtype=dtype, name="initial_value")
                if initial.op._control_flow_context is not None:
                    raise ValueError(
                        f"Initializer for variable {scope}/ is from inside a control-flow construct, such as a loop or "
                        "conditional. When creating a variable inside a loop or conditional, use a lambda as the initializer."
                    )
            is_local = GraphKeys.LOCAL_VARIABLES in collections and GraphKeys.GLOBAL_VARIABLES not in collections
            extra = {"_local_variable": True} if is_local else {}  # tells functions that choose devices
            if callable(initial_value) and colocate_with is None:  # operations of the initializer have named it before
                extra["_class"] = [b"loc:@" + scope.encode()]
            self._add_ops(graph, initial, scope, validate_shape, shape, colocate_with, extra)
        graph.add_to_collections(collections, self)

    def _add_ops(self, graph, initial, scope, validate_shape, shape, colocate_with, extra_attrs):
        base = initial.dtype._base
        dims = initial.dims
        if validate_shape and (dims is None or None in dims):
            raise ValueError(f"initial_value must have a shape specified: {initial}")
        if shape is not None:
            dims = TensorShape(shape)._dims
        elif not validate_shape:
            dims = None
        container = graph._scopes.container.encode()
        attrs = {"shape": dims, "dtype": base, "container": container, "shared_name": b"", **extra_attrs}
        if colocate_with is not None:
            attrs["_class"] = colocate_with.colocation_groups()
        op = graph.add_operation(state.VariableV2, [], attrs, (base._ref,), scope + "/")
        if colocate_with is not None:
            op._device = colocate_with._device
        self._initial_value = initial
        self._op = op
        self._variable = variable = op.outputs[0]
        self._name = scope + ":0"
        where = op.colocation_groups()
        attrs = {"T": base, "validate_shape": validate_shape, "use_locking": True, "_class": where}
        value = _with_initialized_variables(graph, initial, scope)
        self._initializer_op = graph.add_operation(state.Assign, [variable, value], attrs, (base._ref,), "Assign")
        if self._caching_device is not None:
            with graph.device(self._caching_device):
                self._snapshot = Identity(variable, name="read")
        else:
            read = graph.add_operation(Identity, [variable], {"T": base, "_class": where}, (base,), "read")
            read._device = op._device
            self._snapshot = read.outputs[0]
        self._initializer_op._device = op._device

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
        self._trainable = variable_def.trainable
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        self._caching_device = self._constraint = self._save_slice_info = None
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = Variable.SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )

    # ---- What it is

    @property
    def name(self):
        return self._name

    @property
    def _shared_name(self):
        return self._name[: self._name.index(":")]

    @property
    def op(self):
        """The operation that refers to the variable."""
        return self._op

    @property
    def graph(self):
        return self._op.graph

    @property
    def device(self):
        return self._op.device

    @property
    def dtype(self):
        """A reference type; `dtype.base_dtype` is the type of the elements."""
        return self._variable.dtype

    @property
    def shape(self):
        return TensorShape._from_dims(self._variable.dims)

    def get_shape(self):
        return TensorShape._from_dims(self._variable.dims)

    def set_shape(self, shape):
        """Refines the static shape."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def trainable(self):
        return self._trainable

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    @property
    def constraint(self):
        return self._constraint

    @property
    def initializer(self):
        """The operation that assigns the initial value."""
        return self._initializer_op

    @property
    def initial_value(self):
        """The Tensor that the initializer assigns."""
        return self._initial_value

    def _ref(self):
        """The reference that assignments take."""
        return self._variable

    def ref(self):
        """A hashable object that stands for this variable in sets and dictionaries; `deref()` gives the variable."""
        return _Reference(self)

    experimental_ref = ref

    def _as_graph_element(self):
        return self._variable

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.get_shape()} dtype={self.dtype.name}>"

    # ---- Its value

    def value(self):
        """The Tensor that reads the variable, shared by all that use the variable as a value."""
        return self._snapshot

    def read_value(self):
        """A new read, which honours the control dependencies of this place."""
        return Identity(self._variable, name="read")

    def initialized_value(self):
        """The variable's value if it has one, else its initial value: to be used in initial values of other variables."""
        with colocate_with(self._op), control_dependencies(None):
            return cond(self.is_initialized(), self.read_value, lambda: self._initializer_op.inputs[1])

    def is_initialized(self, name=None):
        return state.IsVariableInitialized(self._variable, name=name)

    def eval(self, session=None):
        """The value, computed in `session` or the default session."""
        return self._variable.eval(session=session)

    def load(self, value, session=None):
        """Makes `value` (an array) the variable's value in a session, without adding to the graph."""
        session = session or get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    # ---- Assignments

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns `value`; returns the new value, or only the operation if not `read_value`."""
        result = state.Assign(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Adds `delta`; returns the new value, or only the operation if not `read_value`."""
        result = state.AssignAdd(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtracts `delta`; returns the new value, or only the operation if not `read_value`."""
        result = state.AssignSub(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def _scatter(self, op_def, slices, use_locking, name):
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
        return op_def(self._variable, slices.indices, slices.values, use_locking=use_locking, name=name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Adds IndexedSlices to rows of the variable."""
        return self._scatter(scatter.ScatterAdd, sparse_delta, use_locking, name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtracts IndexedSlices from rows of the variable."""
        return self._scatter(scatter.ScatterSub, sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiplies rows of the variable by IndexedSlices."""
        return self._scatter(scatter.ScatterMul, sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divides rows of the variable by IndexedSlices."""
        return self._scatter(scatter.ScatterDiv, sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Takes the minimum of rows of the variable and IndexedSlices."""
        return self._scatter(scatter.ScatterMin, sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Takes the maximum of rows of the variable and IndexedSlices."""
        return self._scatter(scatter.ScatterMax, sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns IndexedSlices to rows of the variable."""
        return self._scatter(scatter.ScatterUpdate, sparse_delta, use_locking, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return scatter.ScatterNdAdd(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return scatter.ScatterNdSub(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_update(self, indices, updates, name=None):
        return scatter.ScatterNdUpdate(self._variable, indices, updates, use_locking=True, name=name)

    def count_up_to(self, limit):
        """Increments a scalar integer variable, returns its value before; OutOfRangeError at `limit`."""
        return state.CountUpTo(self._variable, limit=limit)

    # ---- Saving

    class SaveSliceInfo:
        """Which part of a larger, partitioned variable a variable is."""

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
            """The text that names the slice in a checkpoint: "4 5 0,2:0,5"."""
            full = " ".join(str(d) for d in self.full_shape)
            return full + " " + ":".join(f"{o},{s}" for o, s in zip(self.var_offset, self.var_shape))

        def to_proto(self, export_scope=None):
            """A SaveSliceInfoDef, None for a variable outside of `export_scope`."""
            if export_scope and not self.full_name.startswith(export_scope):
                return None
            return proto.SaveSliceInfoDef(
                full_name=_strip_scope(self.full_name, export_scope),
                full_shape=self.full_shape,
                var_offset=self.var_offset,
                var_shape=self.var_shape,
            )

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def to_proto(self, export_scope=None):
        """A VariableDef, None for a variable outside of `export_scope`."""
        if export_scope and not self.name.startswith(export_scope):
            return None
        result = proto.VariableDef(
            variable_name=_strip_scope(self.name, export_scope),
            initializer_name=_strip_scope(self.initializer.name, export_scope),
            snapshot_name=_strip_scope(self._snapshot.name, export_scope),
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            result.initial_value_name = _strip_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            result.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return result

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        """The variable of a VariableDef whose operations are in the default graph."""
        return Variable(variable_def=variable_def, import_scope=import_scope)

    # ---- Standing for its value

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


class _Reference:
    """A hashable stand-in for an object, equal to others for the same object."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def deref(self):
        return self._wrapped

    def __hash__(self):
        return id(self._wrapped)

    def __eq__(self, other):
        return isinstance(other, _Reference) and self._wrapped is other._wrapped

    def __repr__(self):
        return f"<Reference wrapping {self._wrapped!r}>"


def _forward_operator(name):
    """Variable's operator `name` is that of its value; Tensor's is looked up late: ops install it on import."""

    def run(self, *args):
        return getattr(Tensor, name)(self._snapshot, *args)

    run.__name__ = name
    setattr(Variable, name, run)


for _name in (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __div__ __rdiv__ __truediv__ __rtruediv__ __floordiv__ "
    "__rfloordiv__ __mod__ __rmod__ __lt__ __le__ __gt__ __ge__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ "
    "__getitem__ __pow__ __rpow__ __invert__ __neg__ __abs__ __matmul__ __rmatmul__"
).split():
    _forward_operator(_name)


def _convert(variable, dtype=None, name=None, as_ref=False):
    if dtype is not None and variable._variable.dtype._base is not dtype._base:
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{variable.dtype.name}'"
        )
    return variable._variable if as_ref else variable._snapshot


register_tensor_conversion_function(Variable, _convert, 10)
register_dense_tensor_like_type(Variable)


# ---- Initial values


def _call_initializer(graph, function, scope, dtype, colocate_with):
    """Calls the function under SCOPE/Initializer; what it makes is placed with the variable, not by device scopes."""
    first = len(graph._ops)
    prefix = graph.unique_name("Initializer")
    with graph._scopes.replaced(name=prefix, devices=()):
        initial = convert_to_tensor(function(), dtype=dtype, name="initial_value")
    prefix += "/"
    where = [b"loc:@" + scope.encode()] if colocate_with is None else colocate_with.colocation_groups()
    for op in graph._ops[first:]:  # other threads may have added some in between
        if op.name.startswith(prefix):
            op._attrs.setdefault("_class", where)
            if colocate_with is not None:
                op._device = colocate_with._device
    return initial


def _with_initialized_variables(graph, tensor, scope):
    """The tensor; where it depends on variables, rebuilt from their initialized values.

    So that one initializer of all variables works whatever depends on what.
    """
    ancestors = _unguarded_ancestors(tensor.op)
    if not any(op.type in _VARIABLE_OPS for op in ancestors):
        return tensor
    variables = {
        v.op: v
        for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        for v in graph.get_collection(key)
        if hasattr(v, "initialized_value")
    }
    new_outputs = {}
    for op in sorted(ancestors, key=lambda op: op._id):  # inputs come before what uses them
        outputs = _rebuild(graph, op, scope, variables, new_outputs)
        if outputs is not None:
            new_outputs[op] = outputs
    outputs = new_outputs.get(tensor.op)
    return tensor if outputs is None else outputs[tensor.value_index]


_GUARDED = ("IsVariableInitialized", "VarIsInitializedOp", "Merge", "If", "Placeholder")
_VARIABLE_OPS = ("VariableV2", "Variable", "VarHandleOp")


def _unguarded_ancestors(op):
    """Operations that `op` is computed from, but for those behind a test for initialization."""
    seen, stack = {op}, [op]
    while stack:
        op = stack.pop()
        if op.type in _GUARDED:
            continue
        for t in op.inputs:
            if t.op not in seen:
                seen.add(t.op)
                stack.append(t.op)
    return seen


def _rebuild(graph, op, scope, variables, new_outputs):
    """Outputs to use instead of those of `op`, None if nothing that it depends on was replaced."""
    if op.type in _VARIABLE_OPS:
        variable = variables.get(op)
        return None if variable is None else [variable.initialized_value()]
    if op.type in _GUARDED or not any(t.op in new_outputs for t in op.inputs):
        return None
    inputs = [new_outputs[t.op][t.value_index] if t.op in new_outputs else t for t in op.inputs]
    if op.type == "Identity":
        return inputs  # a read of the variable
    name = f"{op.name.replace('/', '_')}_{scope.replace('/', '_')}"
    with graph.control_dependencies(op._control_inputs):
        dtypes_ = [t.dtype for t in op.outputs]
        return graph.add_operation(op.op_def, inputs, dict(op._attrs), dtypes_, name).outputs


def _strip_scope(name, scope):
    prefix = scope.rstrip("/") + "/" if scope else ""
    return name[len(prefix) :] if name.startswith(prefix) else name
