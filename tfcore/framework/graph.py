"""Graph: operations, names, scopes and collections; and the stack of default graphs."""

import contextlib
import re
import threading

from tfcore.framework import errors
from tfcore.framework.control_flow_util import check_input_from_valid_context
from tfcore.framework.device import canonical_name, merge_names
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.operation import Operation, Tensor, capture_user_frames
from tfcore.framework.scopes import ThreadScopes

MAX_RANK = 8  # TFC_MAX_RANK of the kernels
_VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class GraphKeys:
    """Names of the standard collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class _ControlDependencies:
    """One `with graph.control_dependencies(...)` block."""

    __slots__ = ("graph", "ops", "clear", "saved", "saved_context", "seen")

    def __init__(self, graph, ops, clear):
        self.graph = graph
        self.ops = ops
        self.clear = clear
        self.seen = set()  # operations made inside the block: they carry the dependency already

    def __enter__(self):
        scopes = self.graph._scopes
        self.saved = scopes.controls
        if self.clear:
            self.saved_context = scopes.context
            scopes.controls, scopes.context = (), None
        else:
            scopes.controls = (*self.saved, self)
        return self

    def __exit__(self, *exc):
        scopes = self.graph._scopes
        scopes.controls = self.saved
        if self.clear:
            scopes.context = self.saved_context


class _NameScope:
    """One `with graph.name_scope(...)` block. Graphs have thousands: a generator would take three times as long."""

    __slots__ = ("graph", "name", "saved")

    def __init__(self, graph, name):
        self.graph = graph
        self.name = name

    def __enter__(self):
        name, scopes = self.name, self.graph._scopes
        self.saved = saved = scopes.name
        if not name:
            scopes.name = ""
            return ""
        if name[-1] == "/":
            scopes.name = name[:-1]
            return name if len(name) > 1 else ""
        if not (_VALID_SCOPE_NAME if saved else _VALID_OP_NAME).match(name):
            raise ValueError(f"'{name}' is not a valid scope name")
        scopes.name = new = self.graph.unique_name(name)
        return new + "/"

    def __exit__(self, *exc):
        self.graph._scopes.name = self.saved


class Graph:
    """A dataflow graph. Safe to extend from several threads and while sessions run it.

    Scopes (names, devices, control dependencies) opened with `with` belong to the thread that opened them.
    """

    def __init__(self):
        self._lock = fork_safe(threading.RLock())
        self._thread_scopes = ThreadScopes()
        self._ops = []
        self._by_name = {}
        self._names_in_use = {}
        self._collections = {}
        self._finalized = False
        self._unfeedable = set()
        self._unfetchable = set()
        # Changes to operations that exist already invalidate compiled plans; additions do not.
        self.mutation_version = 0
        self.seed = None
        self._def_versions = None  # of GraphDefs that were imported: see graph_def.py
        self._gradient_functions = {}  # those of tf.custom_gradient, by the name that operations refer to
        self._py_functions = []  # those of tf.py_func; the graph keeps them alive
        self._functions = {}  # the library: name -> GraphFunction
        self._inlined_bodies = None  # of functions' bodies at calls: compiler/inlined_bodies.py

    @property
    def _scopes(self):
        """What this thread's `with` blocks say about the operations that it adds."""
        return self._thread_scopes.current

    def _get_control_flow_context(self):
        return self._scopes.context

    def _set_control_flow_context(self, context):
        self._scopes.context = context

    # ---- Adding operations

    def add_operation(self, op_def, inputs, attrs, output_dtypes, name=None):
        """Adds an operation whose inputs and attributes are final. Most callers call an OpDef instead.

        Raises:
          RuntimeError: the graph is finalized.
          ValueError: a bad name, inputs of another graph or out of another loop, or shapes that do not fit.
          UnimplementedError: an output has more than 8 dimensions.
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
            op = Operation(self, op_def, name, inputs, attrs, output_dtypes, controls, frames, context)
            if scopes.controls:
                self._record_op_seen_by_control_dependencies(op)
            if op_def.shape_fn is not None and op.outputs:
                self._infer_shapes(op, op.outputs)
            if name in self._by_name:
                raise ValueError(f"Operation name {name!r} is already in use")
            for tensor in inputs:
                if tensor.op._control_flow_context is not context:
                    check_input_from_valid_context(op, tensor.op)
            if context is not None:
                self._add_to_context(op, context)
            self._insert(op)
        if scopes.devices:  # now: functions that choose a device look at names and shapes
            self._apply_devices(op)
        if scopes.colocations:
            self._apply_colocation(op)
        if scopes.gradient_overrides:
            self._apply_gradient_override(op)
        return op

    def _insert(self, op):
        """Makes an Operation part of the graph. For callers that hold the lock and have found a name that is free."""
        for tensor in op.inputs:
            if tensor._consumers is None:
                tensor._consumers = [op]
            else:
                tensor._consumers.append(op)
        self._by_name[op.name] = op
        self._ops.append(op)
        op._id = len(self._ops)

    def _add_to_context(self, op, context):
        """Lets the conditional or loop see a new operation; what it adds on the way has the operation's name as scope, as
        in TensorFlow, whose constants alone have none."""
        if op.type == "Const":
            context.AddOp(op)
            return
        with self._scopes.replaced(name=op.name):
            context.AddOp(op)

    def _infer_shapes(self, op, outputs):
        try:
            dims = op.op_def.shape_fn(op)
        except ValueError as error:
            raise ValueError(self._explain_shapes(op, error)) from None
        if len(outputs) == len(dims) == 1:
            outputs[0].dims = dims = dims[0]
            if dims is not None and len(dims) > MAX_RANK:
                self._refuse_rank(op, dims)
            return
        for tensor, d in zip(outputs, dims, strict=True):
            tensor.dims = d
            if d is not None and len(d) > MAX_RANK:
                self._refuse_rank(op, d)

    def _refuse_rank(self, op, dims):
        text = f"Tensors of rank {len(dims)} are not supported (at most {MAX_RANK}): an output has shape {_shape_text(dims)}"
        raise errors.UnimplementedError(None, None, self._explain_shapes(op, text))

    def _explain_shapes(self, op, error):
        shapes = ", ".join(_shape_text(t.dims) for t in op.inputs)
        text = f"{error} for '{op.name}' (op: '{op.type}') with input shapes: {shapes}."
        return f"{text}\n  defined at {op.creation_line}" if op._frames else text

    def _apply_devices(self, op, device=""):
        op._device = device
        for spec in reversed(self._scopes.devices):  # innermost first: what it sets, outer scopes keep
            if spec is None:
                break
            op._device = canonical_name(spec(op)) if callable(spec) else merge_names(spec, op._device)
        return op._device

    def _control_dependencies_for_inputs(self, producers):
        """What the surrounding blocks ask of a new operation that has the outputs of `producers` as inputs."""
        controls = {}
        for block in self._scopes.controls:
            # An input made inside the block has waited already.
            if not any(producer in block.seen for producer in producers):
                controls.update((c, None) for c in block.ops if c not in producers)
        return tuple(controls)

    def _record_op_seen_by_control_dependencies(self, op):
        for block in self._scopes.controls:
            block.seen.add(op)

    def _apply_colocation(self, op):
        groups = set(op._attrs.get("_class") or ())
        for other in self._scopes.colocations:
            if other is None:
                groups.clear()
            elif other is not op:
                groups.update(other.colocation_groups())
                if other._device:
                    op._device = other._device
        if groups:
            op._attrs["_class"] = sorted(groups)

    def _apply_gradient_override(self, op):
        name = self._scopes.gradient_overrides.get(op.type)
        if name is not None:
            op._attrs = {**op._attrs, "_gradient_op_type": name.encode()}

    def _modified(self):
        with self._lock:
            self.mutation_version += 1

    def unique_name(self, name, mark_as_used=True):
        """The name inside the current name scope, made unique by a suffix `_1`, `_2`, ..."""
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
            if not _VALID_OP_NAME.match(name):
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
        """Makes this the thread's default graph within a `with` block."""
        stack = _default_stack()
        stack.append(self)
        try:
            yield self
        finally:
            if stack[-1] is not self:
                raise AssertionError("Nesting violated for default stack of graphs")
            stack.pop()

    def name_scope(self, name):
        """Prefixes names of operations made inside with a unique `name/`; yields that prefix.

        A name that ends in "/" re-enters that scope; None or "" leaves all scopes.
        """
        return _NameScope(self, name)

    def get_name_scope(self):
        return self._scopes.name

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        """Asks for a device for the operations made inside: a (partial) name, a function of the op, or None."""
        if device_name_or_function is not None and not callable(device_name_or_function):
            device_name_or_function = canonical_name(device_name_or_function)
        scopes = self._scopes
        with scopes.replaced(devices=(*scopes.devices, device_name_or_function)):
            yield

    def control_dependencies(self, control_inputs):
        """Operations made inside the `with` block run after all `control_inputs`; None clears outer blocks and leaves
        conditionals and loops."""
        if control_inputs is None:
            return _ControlDependencies(self, (), True)
        ops = {}  # ordered; there can be one for each variable
        for item in control_inputs:
            item = getattr(item, "_as_graph_element", lambda item=item: item)()
            if type(item).__name__ == "IndexedSlices":
                item = item.op
            item = self.as_graph_element(item)
            ops[item.op if isinstance(item, Tensor) else item] = None
        return _ControlDependencies(self, tuple(ops), False)

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        """Operations made inside go to the device of `op` (None: no constraint from outer blocks)."""
        if op is not None:
            op = self.as_graph_element(op)
            op = op.op if isinstance(op, Tensor) else op
        scopes = self._scopes
        if op is None:
            replaced = scopes.replaced(colocations=())
        else:  # the other operation's device counts, not that of the scopes around
            outer = (None,) if ignore_existing else scopes.colocations
            replaced = scopes.replaced(colocations=(*outer, op), devices=())
        with replaced:
            yield

    @contextlib.contextmanager
    def container(self, container_name):
        """Stateful operations made inside keep their state in this container of the device."""
        with self._scopes.replaced(container=container_name):
            yield container_name

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map):
        """Operations made inside use other gradient functions: `{"Square": "CustomSquare"}` takes the one that
        `tf.RegisterGradient("CustomSquare")` has registered. Inner maps add to outer ones.

        Raises:
          TypeError: not a dictionary from strings to strings.
        """
        if not isinstance(op_type_map, dict) or not all(isinstance(s, str) for kv in op_type_map.items() for s in kv):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        scopes = self._scopes
        with scopes.replaced(gradient_overrides={**scopes.gradient_overrides, **op_type_map}):
            yield

    # ---- Looking things up

    def get_operations(self):
        return list(self._ops)

    def get_operation_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The Tensor or Operation that `obj` is, stands for, or names in this graph.

        Raises:
          TypeError: not convertible, or not of an allowed kind. ValueError: not of this graph or a malformed name.
          KeyError: no such name.
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
        line = f"\n  {op.name!r} is defined at {op.creation_line}" if op._frames else ""
        return f"{kind} {text} is not an element of this graph, {self!r}: it belongs to {op.graph!r}.{line}"

    def _element_by_name(self, name, allow_tensor, allow_operation):
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
            op_name, _, index = name.partition(":")
            if not index.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names must be of the form "
                    '"<op_name>:<output_index>".'
                )
            op = self._by_name.get(op_name)
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not exist in the graph."
                )
            if int(index) >= len(op.outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but only has "
                    f"{len(op.outputs)} outputs."
                )
            return op.outputs[int(index)]
        op = self._by_name.get(name)
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
        self._check_not_finalized()
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name, scope=None):
        """A copy of the collection; with `scope`, only items whose `name` matches it as a regular expression."""
        with self._lock:
            items = list(self._collections.get(name, ()))
        if scope is None:
            return items
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, "name") and match(item.name)]

    def get_all_collection_keys(self):
        with self._lock:
            return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self):
        return self.get_all_collection_keys()

    def clear_collection(self, name):
        self._check_not_finalized()
        with self._lock:
            self._collections.pop(name, None)

    def _check_not_finalized(self):
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    @property
    def finalized(self):
        return self._finalized

    def finalize(self):
        """Makes the graph read-only: every attempt to add to it raises RuntimeError."""
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    def __repr__(self):
        return f"<tf.Graph of {len(self._ops)} operations at {id(self):#x}>"

    @property
    def version(self):
        return len(self._ops)

    @property
    def graph_def_versions(self):
        """The VersionDef of the GraphDef that `as_graph_def` makes (needs the `tensorboard` package)."""
        from tfcore.framework.graph_def import versions_of

        return versions_of(self)

    @property
    def _last_id(self):
        return len(self._ops)

    @property
    def building_function(self):
        """Whether this is the body of a function: then values of outer graphs may be used in it."""
        return False

    # ---- The library of functions

    def _is_function(self, name):
        return name in self._functions

    def _get_function(self, name):
        """The GraphFunction of a name, None if the library has none."""
        return self._functions.get(name)

    def _add_function(self, function):
        """Enters a GraphFunction, with the functions that it calls and its gradient function.

        Raises:
          ValueError: another function has its name.
        """
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
        self._unfeedable.add(tensor)

    def is_feedable(self, tensor):
        return tensor not in self._unfeedable

    def prevent_fetching(self, op):
        self._unfetchable.add(op)

    def is_fetchable(self, tensor_or_op):
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The graph as a GraphDef protocol buffer (needs the `tensorboard` package).

        Args:
          from_version: only operations added since `version` had this value.
          add_shapes: with the static shapes of outputs as attribute `_output_shapes`.

        One of more than 2 GB works in memory, but protocol buffers that large can't be serialised (`SerializeToString`
        raises EncodeError): `tf.train.write_graph` writes such graphs to files.
        """
        from tfcore.framework.graph_def import graph_def_of

        return graph_def_of(self, from_version, add_shapes)


def _shape_text(dims):
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


# ---- The default graph

_stack = threading.local()
_global_default = None
_global_lock = fork_safe(threading.Lock())


def _default_stack():
    stack = getattr(_stack, "graphs", None)
    if stack is None:
        stack = _stack.graphs = []
    return stack


def get_default_graph():
    """The graph that operations are added to: the innermost `as_default`, else one for the process."""
    stack = getattr(_stack, "graphs", None)
    if stack:
        return stack[-1]
    global _global_default
    if _global_default is None:
        with _global_lock:
            if _global_default is None:
                _global_default = Graph()
    return _global_default


def reset_default_graph():
    """Replaces the process-wide default graph by an empty one."""
    if _default_stack():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting and create a new graph."
        )
    global _global_default
    with _global_lock:
        _global_default = Graph()


def graph_of(values):
    """The one graph that all graph elements among `values` (lists are entered) belong to, or None. In the body of a function
    that is the body.

    Raises:
      ValueError: they belong to different graphs.
    """
    found = None
    default = get_default_graph()
    if default.building_function:
        return default  # it captures what is of other graphs
    for value in values:
        if isinstance(value, (list, tuple)):
            graph = graph_of(value)
        else:
            graph = getattr(value, "graph", None) if hasattr(value, "_as_graph_element") else None
        if graph is None:
            continue
        if found is None:
            found, first = graph, value
        elif graph is not found:
            raise ValueError(f"{value!r} must be from the same graph as {first!r}.")
    return found


class name_scope:  # noqa: N801  named as in TensorFlow
    """`with tf.name_scope(name, default_name=None, values=None) as scope:` on the graph of `values`."""

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        if name is None and default_name is None and values is not None:
            raise TypeError("At least one of name (None) and default_name (None) must be provided.")
        self._values = values

    @property
    def name(self):
        return self._name

    def __enter__(self):
        default = get_default_graph()
        graph = (graph_of(self._values) if self._values else None) or default
        if graph is not default:
            with contextlib.ExitStack() as stack:
                stack.enter_context(graph.as_default())
                scope = stack.enter_context(graph.name_scope(self._name))
                self._exit = stack.pop_all()
            return scope
        self._exit = graph.name_scope(self._name)
        return self._exit.__enter__()

    def __exit__(self, *exc):
        return self._exit.__exit__(*exc)


def device(device_name_or_function):
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs):
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op, ignore_existing=False):
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name):
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def __getattr__(name):
    # Families import all of graph building from this module; these parts live beside it and need it.
    if name in ("convert_to_tensor", "register_tensor_conversion_function", "convert_n_to_tensor"):
        from tfcore.framework import conversion

        return getattr(conversion, name)
    if name in ("constant", "constant_value", "constant_value_as_shape"):
        from tfcore.framework import constant as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
