"""Graph: operations, names, scopes, collections and functions."""

import contextlib
import importlib
import re
import threading

from tfcore.framework.device import canonical_name
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.graph.control_flow_util import check_input_from_valid_context
from tfcore.framework.graph.internals import GraphInternals
from tfcore.framework.graph.new_operation import add_to_context, apply_devices, devices_of_blocks, infer_shapes, insert
from tfcore.framework.graph.operation import Operation, Tensor, capture_user_frames, definition, new_operation
from tfcore.framework.graph.scopes import VALID_OP_NAME, ControlDependencies, NameScope, ThreadScopes


class Graph(GraphInternals):
    """A dataflow graph: operations as nodes, the tensors that flow between them as edges.

    Several threads may add operations while sessions run the graph. Scopes (names, devices, control dependencies)
    belong to the thread that entered them.

    Example:

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     c = tf.constant(30.0, name="c")
    >>> c.graph is graph
    True
    >>> graph.get_tensor_by_name("c:0") is c
    True
    >>> with tf.Session(graph=graph) as session:
    ...     print(session.run(c))
    30.0
    """

    def __init__(self):
        self._lock = fork_safe(threading.RLock())
        self._thread_scopes = ThreadScopes()
        self.ops = []
        self._nodes_by_name = {}
        self._names_in_use = {}
        self._collections = {}
        self._finalized = False
        self._unfeedable = set()
        self._unfetchable = set()
        # Counts changes to existing operations, which invalidate compiled plans; additions do not.
        self.mutation_version = 0
        self.seed = None
        self.imported_versions = None  # of GraphDefs that were imported: see graph_def.py
        self.gradient_functions = {}  # those of tf.custom_gradient, by the name that operations refer to
        self.py_functions = []  # those of tf.py_func; the graph keeps them alive
        self._functions = {}  # the library: name -> GraphFunction
        self.kinds_of_functions = {}  # those of tf.function -> what they have defined for this graph
        self.inlined_bodies = None  # see compiler/inlined_bodies.py
        self.incomplete_ops = set()  # those that wait for `_add_input`: see exchange/operation_of_node_def.py

    @property
    def scopes(self):
        """The scopes that this thread has open on the graph."""
        return self._thread_scopes.current

    def _get_control_flow_context(self):
        return self.scopes.context

    def _set_control_flow_context(self, context):
        self.scopes.context = context

    # ---- Adding operations

    def add_operation(self, op_def, inputs, attrs, output_dtypes, name=None):
        """Adds an operation whose inputs and attributes are final. Most callers call an `OpDef` instead.

        Args:
          op_def: The `OpDef` of the op type.
          inputs: A list of `Tensor`s.
          attrs: A dict from names to the values of all attributes.
          output_dtypes: A sequence of the `DType`s of the outputs.
          name: Name of the operation, made unique; the op type by default. A name that ends in "/" is taken as it is.

        Returns:
          The `Operation`.

        Raises:
          RuntimeError: The graph is finalized.
          ValueError: The name is invalid, an input belongs to another graph or loop, or shapes are incompatible.
          tf.errors.UnimplementedError: An output has more than 20 dimensions.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        scopes = self._thread_scopes.current
        controls = self._control_dependencies_for_inputs([t.op for t in inputs]) if scopes.controls else ()
        frames, context = scopes.frames or capture_user_frames(), scopes.context
        with self._lock:
            if name and name[-1] == "/":
                name = name[:-1]
            else:
                name = self._unique_name(name or op_def.name.lstrip("_"))
            op = new_operation(self, op_def, name, inputs, attrs, output_dtypes, controls, frames, context)
            if scopes.controls:
                self._record_op_seen_by_control_dependencies(op)
            infer_shapes(op)
            if name in self._nodes_by_name:
                raise ValueError(f"Operation name {name!r} is already in use")
            for tensor in inputs:
                if tensor.op._control_flow_context is not context:
                    check_input_from_valid_context(op, tensor.op)
            if context is not None:
                add_to_context(op, context)
            insert(op)
        if scopes.devices:  # only now: device functions may use names and shapes
            apply_devices(op)
        if scopes.colocations:
            self._apply_colocation(op)
        if scopes.gradient_overrides:
            self._apply_gradient_override(op)
        if scopes.original_op is not None:
            op._original_op = scopes.original_op
        return op

    def create_op(
        self,
        op_type,
        inputs,
        dtypes=None,
        input_types=None,
        name=None,
        attrs=None,
        op_def=None,
        compute_shapes=True,
        compute_device=True,
    ):
        """Adds an operation of any registered type. Calling `tf.raw_ops` is simpler.

        Args:
          op_type: Name of the op type, such as "MatMul".
          inputs: A list of `Tensor`s, with those of lists in sequence.
          dtypes: Ignored: the types of the outputs follow from the inputs and attributes.
          input_types: The expected `DType`s of the inputs (optional).
          name: Name of the operation, made unique; the op type by default. A name that ends in "/" is taken as it is.
          attrs: A dict from names of attributes to `AttrValue`s or Python values. Attributes with defaults may be left
            out, and types and numbers that follow from the inputs.
          op_def: Ignored: the definition is that of the op type.
          compute_shapes: Ignored: shapes are always inferred.
          compute_device: Whether the open `device` blocks apply.

        Returns:
          The `Operation`.

        Raises:
          TypeError: An input is not a `Tensor`, or not of its type in `input_types`.
          RuntimeError: There is no such op type, or the graph is finalized.
          ValueError: An attribute is missing, types do not match, or shapes are incompatible.
        """
        from tfcore.framework.graph.create_op import create_op

        devices = self.scopes.devices if compute_device else ()
        with self.as_default(), self.scopes.replaced(devices=devices):
            return create_op(self, op_type, list(inputs), input_types, name, dict(attrs or {}))

    _create_op_internal = create_op

    def _control_dependencies_for_inputs(self, producers):
        """The control inputs for a new operation that takes the outputs of `producers`."""
        controls = {}
        for block in self.scopes.controls:
            # An input from inside the block has already waited.
            if not any(producer in block.seen for producer in producers):
                controls.update((c, None) for c in block.ops if c not in producers)
        return tuple(controls)

    def _add_op(self, op):
        """Does nothing: an `Operation` is in its graph once it exists."""

    def _record_op_seen_by_control_dependencies(self, op):
        for block in self.scopes.controls:
            block.seen.add(op)

    def _apply_colocation(self, op):
        groups = set(op.attrs.get("_class") or ())
        for other in self.scopes.colocations:
            if other is None:
                groups.clear()
            elif other is not op:
                groups.update(other.colocation_groups())
                if other.device:
                    op.requested_device = other.device
        if groups:
            op.attrs["_class"] = sorted(groups)

    def _apply_gradient_override(self, op):
        name = self.scopes.gradient_overrides.get(op.type)
        if name is not None:
            op.attrs = {**op.attrs, "_gradient_op_type": name.encode()}

    def modified(self):
        """Says that existing operations have changed, so that plans are compiled again."""
        with self._lock:
            self.mutation_version += 1

    def unique_name(self, name, mark_as_used=True):
        """Makes a name unique within the current name scope by a suffix `_1`, `_2`, ...

        Args:
          name: The name, without that of the scope.
          mark_as_used: Whether the name is reserved: the next call returns another one.

        Returns:
          A string: the full name.

        Raises:
          ValueError: The name is not valid for an operation.
        """
        with self._lock:
            return self._unique_name(name, mark_as_used)

    def _unique_name(self, name, mark_as_used=True):
        """`unique_name` for callers that hold the lock."""
        scope = self._thread_scopes.current.name
        if scope:
            name = f"{scope}/{name}"
        in_use = self._names_in_use
        key = name.lower()
        count = in_use.get(key)
        if count is None:
            if not VALID_OP_NAME.match(name):
                raise ValueError(f"'{name}' is not a valid node name")
            if mark_as_used:
                in_use[key] = 1
            return name
        while True:
            candidate = f"{name}_{count}"
            candidate_key = f"{key}_{count}"
            count += 1
            if candidate_key not in in_use:
                break
        if mark_as_used:
            in_use[key] = count
            in_use[candidate_key] = 1
        return candidate

    # ---- Scopes

    @contextlib.contextmanager
    def as_default(self):
        """A context manager that makes this graph the thread's default graph.

        Returns:
          A context manager that yields the graph.
        """
        stack = default_stack()
        stack.append(self)
        try:
            yield self
        finally:
            if stack[-1] is not self:
                raise AssertionError("Nesting violated for default stack of graphs")
            stack.pop()

    def name_scope(self, name):
        """A context manager that prefixes the names of operations.

        A name that ends in "/" re-enters that scope; None or "" returns to the root.

        Args:
          name: Name of the scope, made unique within the current one.

        Returns:
          A context manager that yields the prefix, such as "layer_1/".

        Raises:
          ValueError: The name is invalid.
        """
        return NameScope(self, name)

    def get_name_scope(self):
        """The current name scope of this thread.

        Returns:
          A string without the trailing "/"; "" at the root.
        """
        return self.scopes.name

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        """A context manager that requests a device for new operations.

        Parts of the name that an inner block leaves open are taken from the outer blocks.

        Args:
          device_name_or_function: A device name, possibly partial, such as "/job:ps/task:0"; a `DeviceSpec`; a function
            of an `Operation` that returns one; or None to ignore outer blocks.

        Returns:
          A context manager.

        Raises:
          ValueError: The name is malformed.
        """
        if device_name_or_function is not None and not callable(device_name_or_function):
            device_name_or_function = canonical_name(device_name_or_function)
        scopes = self.scopes
        with scopes.replaced(devices=(*scopes.devices, device_name_or_function)):
            yield

    def _apply_device_functions(self, op):
        """Applies the open `device` blocks to an existing operation; libraries that move operations call it.

        Args:
          op: An operation, or an object with `device` and `_set_device`, with which a library asks for the device.
        """
        for device in devices_of_blocks(self, op):
            op._set_device(device)

    def control_dependencies(self, control_inputs):
        """A context manager that makes new operations run after others.

        Args:
          control_inputs: A list of `Operation`s, `Tensor`s or `Variable`s that run first; None clears the outer blocks
            and leaves conditionals and loops.

        Returns:
          A context manager.

        Raises:
          TypeError: An element is not an operation or tensor.
          ValueError: An element belongs to another graph.
        """
        if control_inputs is None:
            return ControlDependencies(self, (), True)
        ops = {}  # ordered; there can be one for each variable
        for item in control_inputs:
            item = getattr(item, "_as_graph_element", lambda item=item: item)()
            if type(item).__name__ == "IndexedSlices":
                item = item.op
            item = self.as_graph_element(item)
            ops[item.op if isinstance(item, Tensor) else item] = None
        return ControlDependencies(self, tuple(ops), False)

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        """A context manager that places new operations on the device of another.

        Args:
          op: The `Operation` or `Tensor` to follow; None drops the constraints of outer blocks.
          ignore_existing: Whether the constraints of outer blocks are dropped.

        Returns:
          A context manager.
        """
        if op is not None:
            op = self.as_graph_element(op)
            op = op.op if isinstance(op, Tensor) else op
        scopes = self.scopes
        if op is None:
            replaced = scopes.replaced(colocations=())
        else:  # the other operation's device overrides the surrounding scopes
            outer = (None,) if ignore_existing else scopes.colocations
            replaced = scopes.replaced(colocations=(*outer, op), devices=())
        with replaced:
            yield

    @contextlib.contextmanager
    def container(self, container_name):
        """A context manager: new stateful operations keep their state in the given container of their device.

        Args:
          container_name: Name of the container, see `tf.Session.reset`.

        Returns:
          A context manager that yields the name.
        """
        with self.scopes.replaced(container=container_name):
            yield container_name

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map):
        """A context manager that replaces the gradient functions of new operations.

        `{"Square": "CustomSquare"}` uses the function registered by `tf.RegisterGradient("CustomSquare")`. Inner maps
        extend outer ones.

        Args:
          op_type_map: A dict from op types to names of registered gradients.

        Returns:
          A context manager.

        Raises:
          TypeError: `op_type_map` is not a dict from strings to strings.
        """
        if not isinstance(op_type_map, dict) or not all(isinstance(s, str) for kv in op_type_map.items() for s in kv):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        scopes = self.scopes
        with scopes.replaced(gradient_overrides={**scopes.gradient_overrides, **op_type_map}):
            yield

    # ---- Looking things up

    def get_operations(self):
        """The operations of the graph in the order of their creation.

        Returns:
          A list of `Operation`s.
        """
        return list(self.ops)

    def get_operation_by_name(self, name):
        """Finds an operation by name.

        Args:
          name: The full name, such as "layer/MatMul".

        Returns:
          The `Operation`.

        Raises:
          TypeError: `name` is not a string.
          KeyError: There is no such operation.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name):
        """Finds a tensor by name.

        Args:
          name: The name of an output, such as "layer/MatMul:0".

        Returns:
          The `Tensor`.

        Raises:
          TypeError: `name` is not a string.
          ValueError: `name` is not of the form "operation:index".
          KeyError: There is no such operation or output.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The `Tensor` or `Operation` that an object is, stands for, or names.

        Args:
          obj: A `Tensor`, `Operation`, `Variable`, or name.
          allow_tensor: Whether the result may be a `Tensor`.
          allow_operation: Whether the result may be an `Operation`.

        Returns:
          A `Tensor` or `Operation` of this graph.

        Raises:
          TypeError: The object cannot be converted, or is of a kind that is not allowed.
          ValueError: It belongs to another graph, or the name is malformed.
          KeyError: There is no such operation or output.
        """
        kinds = " or ".join([n for n, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok])
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None and not isinstance(obj, (Tensor, Operation)):
            obj = convert()
        if isinstance(obj, Tensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(self._foreign_text(obj))
            return obj
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._element_by_name(name, allow_tensor, allow_operation)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _foreign_text(self, obj):
        kind, text, op = ("Tensor", obj, obj.op) if isinstance(obj, Tensor) else ("Operation", repr(obj), obj)
        return f"{kind} {text} is not an element of this graph, {self!r}: it belongs to {op.graph!r}.{definition(op)}"

    def _element_by_name(self, name, allow_tensor, allow_operation):
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
            op_name, _, index = name.partition(":")
            if not index.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names must be of "
                    'the form "<op_name>:<output_index>".'
                )
            op = self._nodes_by_name.get(op_name)
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not "
                    "exist in the graph."
                )
            if int(index) >= len(op.outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists "
                    f"but only has {len(op.outputs)} outputs."
                )
            return op.outputs[int(index)]
        op = self._nodes_by_name.get(name)
        if not allow_operation:
            kind = "refers to an Operation" if op is not None else "looks like an (invalid) Operation name"
            raise ValueError(
                f'The name {name!r} {kind}, not a Tensor. Tensor names must be of the form "<op_name>:<output_index>".'
            )
        if op is None:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return op

    # ---- Collections and the rest

    def add_to_collection(self, name, value):
        """Adds a value to a collection.

        Args:
          name: Name of the collection; see `tf.GraphKeys` for the standard ones.
          value: Any object.

        Raises:
          RuntimeError: The graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        """Adds a value to several collections.

        Args:
          names: Names of the collections; repeated names count once.
          value: Any object.

        Raises:
          RuntimeError: The graph is finalized.
        """
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        """The list that holds a collection, created if there is none. Changes to it change the collection.

        Args:
          name: Name of the collection; see `tf.GraphKeys` for the standard ones.

        Returns:
          A list.
        """
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name, scope=None):
        """A copy of a collection.

        Args:
          name: Name of the collection; see `tf.GraphKeys` for the standard ones.
          scope: A regular expression; only items whose attribute `name` matches it from the start are returned
            (optional).

        Returns:
          A list; empty if there is no such collection.
        """
        with self._lock:
            items = list(self._collections.get(name, ()))
        if scope is None or not items:
            return items
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, "name") and match(item.name)]

    def get_all_collection_keys(self):
        """The names of all collections.

        Returns:
          A list of strings.
        """
        with self._lock:
            return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self):
        """The names of all collections."""
        return self.get_all_collection_keys()

    def clear_collection(self, name):
        """Removes all items of a collection.

        Args:
          name: Name of the collection; see `tf.GraphKeys` for the standard ones.

        Raises:
          RuntimeError: The graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            self._collections.pop(name, None)

    def _check_not_finalized(self):
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    @property
    def finalized(self):
        """Whether the graph is read-only."""
        return self._finalized

    def finalize(self):
        """Makes the graph read-only: every attempt to add to it raises RuntimeError."""
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    def __repr__(self):
        return f"<tf.Graph of {len(self.ops)} operations at {id(self):#x}>"

    @property
    def version(self):
        """The number of operations: it grows whenever an operation is added."""
        return len(self.ops)

    @property
    def graph_def_versions(self):
        """The VersionDef of the GraphDef that `as_graph_def` makes."""
        from tfcore.framework.exchange.graph_def import versions_of

        return versions_of(self)

    @property
    def _last_id(self):
        return len(self.ops)

    @property
    def building_function(self):
        """Whether this is the body of a function, in which values of outer graphs may be used."""
        return False

    # ---- The library of functions

    def _is_function(self, name):
        return name in self._functions

    def _get_function(self, name):
        """The GraphFunction of a name, None if the library has none."""
        return self._functions.get(name)

    def _add_function(self, function):
        """Adds a GraphFunction with its callees and gradient function; ValueError if another function has its name."""
        name = function.name
        known = self._functions.get(name)
        if known is function:
            return
        if known is not None:
            if not known.same_as(function):
                raise ValueError(
                    f"Cannot add function '{name}' because a different function with the same name already exists."
                )
            return
        self._functions[name] = function
        for other in list(function.functions().values()):
            self._add_function(other)
        if function.grad_func is not None:
            self._add_function(function.grad_func)

    def prevent_feeding(self, tensor):
        """Marks a tensor as not feedable.

        Args:
          tensor: A `Tensor` of this graph.
        """
        self._unfeedable.add(tensor)

    def is_feedable(self, tensor):
        """Whether sessions accept values for a tensor.

        Args:
          tensor: A `Tensor` of this graph.

        Returns:
          A bool.
        """
        return tensor not in self._unfeedable

    def prevent_fetching(self, op):
        """Marks an operation as not fetchable.

        Args:
          op: An `Operation` of this graph.
        """
        self._unfetchable.add(op)

    def is_fetchable(self, tensor_or_op):
        """Whether sessions may fetch a tensor or run an operation.

        Args:
          tensor_or_op: A `Tensor` or `Operation` of this graph.

        Returns:
          A bool.
        """
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    def as_graph_def(self, from_version=None, add_shapes=False, use_pybind11_proto=False):
        """Serialises the graph as a GraphDef protocol buffer.

        A GraphDef of more than 2 GB works in memory but cannot be serialised to bytes (`SerializeToString` raises
        EncodeError); `tf.train.write_graph` writes such graphs to files.

        Args:
          from_version: Only operations added since `version` had this value (optional).
          add_shapes: Whether the static shapes of outputs are added as attribute `_output_shapes`.
          use_pybind11_proto: Ignored.

        Returns:
          A GraphDef.
        """
        from tfcore.framework.exchange.graph_def import graph_def_of

        return graph_def_of(self, from_version, add_shapes)


# ---- The stack of default graphs; see default_graph.py

default_stacks = threading.local()


def default_stack():
    stack = getattr(default_stacks, "graphs", None)
    if stack is None:
        stack = default_stacks.graphs = []
    return stack


_ELSEWHERE = {
    "values.conversion": ("convert_to_tensor", "register_tensor_conversion_function", "convert_n_to_tensor"),
    "values.constant": ("constant", "constant_value", "constant_value_as_shape"),
    "graph.default_graph": (
        "GraphKeys", "add_to_collection", "add_to_collections", "colocate_with", "container", "control_dependencies",
        "device", "get_collection", "get_collection_ref", "get_default_graph", "graph_of", "name_scope", "op_scope",
        "reset_default_graph",
    ),
}  # fmt: skip


def __getattr__(name):
    # Op families import everything for graph building from this module; these parts import it themselves.
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(importlib.import_module(f"tfcore.framework.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
