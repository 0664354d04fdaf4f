"""The base class of layers."""

import re
import weakref

from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, get_default_graph, name_scope
from tfcore.framework.graph.operation import Operation
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers import experimental, settings
from tfcore.layers.input_spec import InputSpec, check_inputs
from tfcore.ops.array.array import shape as shape_of
from tfcore.ops.cwise.cast import cast
from tfcore.variables.initializers import GlorotUniform, Zeros
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_collections import global_variables
from tfcore.variables.variable_scope import get_variable, variable_scope
from tfcore.variables.variables import Variable, VariableAggregation, VariableSynchronization

_counts = weakref.WeakKeyDictionary()  # {graph: {name of a class: number of its layers without a given name}}


class Layer:
    """Base class of layers: a function of tensors with variables.

    Subclasses override `build(input_shape)`, which creates the variables, and `call(inputs, ...)`. The variables are
    created when the layer is first called, in a variable scope with the name of the layer (made unique unless it was
    given), and are shared by all calls of the object.

    Args:
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: `activity_regularizer`: a function of the output that returns a loss, which is divided by the size of
        the batch.

    Raises:
      TypeError: An argument is not known.

    Example:

    >>> class Scale(tf.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [input_shape[-1].value], initializer=tf.ones_initializer())
    ...
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> layer = Scale()
    >>> y = layer(tf.constant([[2.0, 3.0]]))
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y), layer.factor.name)
    [[2. 3.]] scale/factor:0
    """

    # Attributes that checkpoints ignore: they have the same variables under other names.
    _UNTRACKED = frozenset(
        {"_trainable_weights", "_non_trainable_weights", "_losses", "_updates", "_conditional", "_inputs", "_tracked"}
    )
    dynamic = False
    supports_masking = False
    stateful = False

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        scope, reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        activity_regularizer = settings.regularizer(kwargs.pop("activity_regularizer", None))
        for key in kwargs:
            raise TypeError("Keyword argument not understood:", key)
        self._keras_style = experimental.is_keras_style()
        if self._keras_style and (scope is not None or reuse is not None):
            what, value = ("scope", scope) if scope is not None else ("reuse", reuse)
            raise ValueError(f"{what} argument not allowed when keras style layers are enabled, but saw: {value}")
        self._trainable = trainable
        self.built = False
        self._base_name = name or _snake_case(type(self).__name__)
        self._name = name or _unique(self._base_name)
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._reuse = reuse
        self._scope = None
        self._graph = None
        self._input_spec = None
        self._activity_regularizer = activity_regularizer
        # Lists with TensorFlow's names: subclasses that make variables in `call` add to them.
        self._trainable_weights = []
        self._non_trainable_weights = []
        self._losses = []
        self._updates = []
        self._conditional = {}  # {id of a loss or update: whether it depends on the inputs}
        self._inputs = None  # of the call in progress
        self._tracked = {}  # {name: what checkpoints of this object have under it}
        if scope:
            with variable_scope(scope) as self._scope:
                pass

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: The `TensorShape` of the inputs, or a nest of them.
        """
        self.built = True

    def call(self, inputs, **kwargs):
        """Computes the output.

        Args:
          inputs: A `Tensor` or a nest of them.
          **kwargs: Further arguments of the layer.

        Returns:
          A `Tensor` or a nest of them.
        """
        return inputs

    def compute_output_shape(self, input_shape):
        """Computes the shape of the output.

        Args:
          input_shape: The shape of the inputs.

        Returns:
          A `TensorShape`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say which shape its output has")

    def compute_mask(self, inputs, mask=None):
        """The mask of the outputs.

        Args:
          inputs: A `Tensor` or a nest of them.
          mask: The mask of the inputs.

        Returns:
          `mask`, if the layer supports masks.

        Raises:
          TypeError: There is a mask, and the layer does not support it.
        """
        if not self.supports_masking and any(m is not None for m in nest.flatten(mask)):
            raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
        return mask if self.supports_masking else None

    # ---- Calls

    def __call__(self, inputs, *args, **kwargs):
        """Calls the layer; the first call creates its variables.

        Args:
          inputs: A `Tensor`, a value that converts to one, or a nest of them.
          *args: Further arguments of `call`.
          **kwargs: Further arguments of `call`. `scope` is a variable scope or its name, instead of that of the layer.

        Returns:
          What `call` returns: a `Tensor` or a nest of them.

        Raises:
          TypeError: The inputs are not tensors.
          ValueError: The inputs do not have the rank that the layer needs, or a size that it needs is unknown.
        """
        scope = kwargs.pop("scope", None)
        inputs = self._convert(inputs)
        if self._keras_style:
            if scope is not None:
                raise ValueError(f"scope argument not allowed when keras style layers are enabled, but saw: {scope}")
            with name_scope(self.name):
                return self._call_in_scope(inputs, args, kwargs)
        self._set_scope(scope, nest.flatten(inputs))
        with self._enter_scope() as scope, name_scope(scope.original_name_scope):
            outputs = self._call_in_scope(inputs, args, kwargs)
        _add_new(GraphKeys.UPDATE_OPS, self.updates)
        return outputs

    def apply(self, *args, **kwargs):
        """Calls the layer.

        Args:
          *args: As for `__call__`.
          **kwargs: As for `__call__`.

        Returns:
          What `call` returns.
        """
        return self(*args, **kwargs)

    def _call_in_scope(self, inputs, args, kwargs):
        first = nest.flatten(inputs)[0]
        if self._graph is None:
            self._graph = get_default_graph()
        if self._input_spec is not None:
            check_inputs(self._input_spec, inputs, self.name)
        if not self.built:
            if self._dtype is None:
                self._dtype = first.dtype.base_dtype
            self.build(nest.map_structure(lambda x: x.shape, inputs))
            self.built = True
        outer, self._inputs = self._inputs, inputs
        try:
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize_activity(outputs)
        finally:
            self._inputs = outer
        return outputs

    def _regularize_activity(self, outputs):
        if self._activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = convert_to_tensor(self._activity_regularizer(output))
                self.add_loss(loss / cast(shape_of(output)[0], loss.dtype), inputs=output)

    def _convert(self, inputs):
        if nest.is_nested(inputs) and any(hasattr(x, "op") for x in nest.flatten(inputs)):
            return nest.map_structure(lambda x: x if hasattr(x, "op") else convert_to_tensor(x), inputs)
        if nest.is_composite(inputs):
            return inputs
        if self._input_spec is not None:
            if inputs is None or isinstance(inputs, (str, bytes, Dimension)):
                raise TypeError(
                    f"Inputs to a layer should be tensors. Got '{inputs}' (of type {type(inputs)}) as input for layer "
                    f"'{self.name}'."
                )
            if isinstance(inputs, (list, tuple)) and not inputs:
                raise ValueError(
                    f'Layer "{self.name}" expects 1 input(s), but it received 0 input tensors. Inputs received: '
                    f"{inputs}"
                )
        return convert_to_tensor(inputs)

    def _set_scope(self, scope=None, values=None):
        """Chooses the variable scope of the layer. All calls share it and the name scope of the first call."""
        if self._scope is not None:
            return
        if self._reuse:
            context = variable_scope(self._base_name if scope is None else scope, values=values)
        else:
            context = variable_scope(scope, default_name=self._base_name, values=values)
        with context as self._scope:
            pass

    def _enter_scope(self):
        return variable_scope(self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False)

    # ---- Variables

    def add_weight(
        self,
        name,
        shape,
        dtype=None,
        initializer=None,
        regularizer=None,
        trainable=None,
        constraint=None,
        use_resource=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
        partitioner=None,
        **kwargs,
    ):
        """Creates a variable of this layer, or returns the existing one if the layer reuses variables.

        Args:
          name: A string.
          shape: A list of ints or a `TensorShape`.
          dtype: A `DType`; that of the layer by default.
          initializer: An initializer or its name; that of the variable scope by default.
          regularizer: A function of the variable that returns a loss.
          trainable: Whether the variable is added to the trainable ones, if the layer is trainable; True by default.
          constraint: A function of the variable that an optimizer applies after each update.
          use_resource: Whether it is a resource variable, see `tf.Variable`.
          synchronization: A `VariableSynchronization`; with ON_READ the variable is not trainable by default.
          aggregation: A `VariableAggregation`.
          partitioner: A function of the shape and the type that returns the number of parts in each dimension.
          **kwargs: `experimental_autocast` is accepted for compatibility.

        Returns:
          A `Variable` or `PartitionedVariable`.

        Raises:
          ValueError: The variable exists and may not be reused, or `trainable` and `synchronization` contradict.
          TypeError: An argument is not known.
        """
        for key in kwargs:
            if key != "experimental_autocast":
                raise TypeError("Unknown keyword argument:", key)
        if synchronization == VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable "
                    "variables. You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        options = {
            "trainable": (trainable is None or trainable) and self.trainable,
            "constraint": settings.constraint(constraint),
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        dtype = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        initializer, regularizer = settings.initializer(initializer), settings.regularizer(regularizer)
        if self._keras_style:
            variable = self._make_variable(name, shape, dtype, initializer, regularizer, options)
        else:
            self._set_scope()
            old = () if regularizer is None else {id(v) for v in global_variables()}
            with self._enter_scope() as scope, name_scope(scope.original_name_scope):
                variable = get_variable(
                    name, shape, dtype, initializer, partitioner=partitioner, use_resource=use_resource, **options
                )
                if regularizer is not None:
                    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
                        if id(part) not in old:
                            self._regularize(name, part, regularizer)
        self._add_variable(variable)
        return self._track_trackable(variable, name)

    def _track_trackable(self, trackable, name):
        """Gives a variable or layer below this one a name in object-based checkpoints, besides its attribute's."""
        self._tracked[name] = trackable
        return trackable

    @property
    def _checkpoint_dependencies(self):
        attributes = ((k, v) for k, v in vars(self).items() if k not in self._UNTRACKED)
        return [*self._tracked.items(), *attributes]

    def add_variable(self, *args, **kwargs):
        """Old name of `add_weight`.

        Args:
          *args: As for `add_weight`.
          **kwargs: As for `add_weight`.

        Returns:
          A `Variable` or `PartitionedVariable`.
        """
        return self.add_weight(*args, **kwargs)

    def _make_variable(self, name, shape, dtype, initializer, regularizer, options):
        """A variable that belongs to this object, outside of any variable scope."""
        if initializer is None:
            initializer = GlorotUniform() if dtype.is_floating else Zeros()
        variable = Variable(lambda: initializer(list(shape), dtype=dtype), name=name, dtype=dtype, **options)
        if regularizer is not None:
            self._regularize(name, variable, regularizer)
        return variable

    def _regularize(self, name, variable, regularizer):
        """Adds the loss of a variable, outside of loops and conditionals. `name` is the layer's own one for it."""
        with name_scope(f"{name}/Regularizer"), control_dependencies(None):
            self.add_loss(regularizer(variable))

    def _add_variable(self, variable):
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            weights = self._trainable_weights if part.trainable else self._non_trainable_weights
            if all(part is not known for known in weights):
                weights.append(part)

    def get_weights(self):
        """The values of the variables in the default session.

        Returns:
          A list of arrays.

        Raises:
          ValueError: There is no default session.
        """
        return _session().run(self.weights)

    def set_weights(self, weights):
        """Sets the variables in the default session.

        Args:
          weights: A list of arrays, as `get_weights` returns it.

        Raises:
          ValueError: The number of arrays or a shape is wrong, or there is no default session.
        """
        if len(weights) != len(self.weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                f"{len(weights)}, but the layer was expecting {len(self.weights)} weights."
            )
        for variable, value in zip(self.weights, weights):
            if not variable.shape.is_compatible_with(getattr(value, "shape", ())):
                raise ValueError(
                    f"Layer {self.name} weight shape {variable.shape} is not compatible with provided weight shape "
                    f"{getattr(value, 'shape', ())}."
                )
        for variable, value in zip(self.weights, weights):
            variable.load(value, _session())

    def count_params(self):
        """The number of all elements of the variables.

        Returns:
          An int.

        Raises:
          ValueError: The variables don't exist yet.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it "
                f"manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(v.shape.num_elements() for v in self.weights)

    # ---- Losses and updates

    def add_loss(self, losses, inputs=None):
        """Adds losses to those of the layer and to the collection REGULARIZATION_LOSSES.

        Args:
          losses: A scalar `Tensor`, a function without arguments that returns one, or a list of them; None is skipped.
          inputs: The inputs that the losses depend on; None if they depend on the variables only.
        """
        for loss in nest.flatten(losses):
            loss = loss() if callable(loss) else loss
            if loss is not None:
                loss = convert_to_tensor(loss)
                self._losses.append(loss)
                self._conditional[id(loss)] = inputs is not None
                _add_new(GraphKeys.REGULARIZATION_LOSSES, [loss])

    def add_update(self, updates):
        """Adds operations that each training step must run to those of the layer; calls add them to UPDATE_OPS.

        Args:
          updates: An `Operation` or `Tensor`, a function without arguments that returns one, or a list of them.
        """
        for update in nest.flatten(updates):
            update = update() if callable(update) else update
            update = update if isinstance(update, Operation) else convert_to_tensor(update).op
            self._updates.append(update)
            self._conditional[id(update)] = self._inputs is not None and _depends_on(update, self._inputs)

    def get_losses_for(self, inputs):
        """The losses that depend on these inputs.

        Args:
          inputs: A `Tensor` or a nest of them; None for the losses that don't depend on any.

        Returns:
          A list of `Tensor`s.
        """
        return self._select(self.losses, inputs)

    def get_updates_for(self, inputs):
        """The updates that depend on these inputs.

        Args:
          inputs: A `Tensor` or a nest of them; None for the updates that don't depend on any.

        Returns:
          A list of `Operation`s.
        """
        return self._select(self.updates, inputs)

    def _select(self, items, inputs):
        if inputs is None:
            return [x for x in items if not self._conditional.get(id(x))]
        return [x for x in items if self._conditional.get(id(x)) and _depends_on(x, inputs)]

    # ---- Properties

    @property
    def name(self):
        """Name of the layer: the given one, or one made from the class."""
        return self._name

    @property
    def scope_name(self):
        """Name of the variable scope; ValueError before the first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self.name}" has not been used yet. The scope '
                "name is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def graph(self):
        """The graph of the first call; None before it."""
        return self._graph

    @property
    def dtype(self):
        """Name of the type of the variables; None if it is not known yet."""
        return None if self._dtype is None else self._dtype.name

    @property
    def trainable(self):
        """Whether the layer's variables are trainable. Setting it does not change the collection of the graph."""
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value

    @property
    def activity_regularizer(self):
        """The function of the output that returns a loss."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    @property
    def input_spec(self):
        """What the layer demands of its inputs: an `InputSpec`, a nest of them, or None."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value):
        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self._input_spec = value

    @property
    def variables(self):
        """List of the variables, the trainable ones first."""
        return self.trainable_variables + self.non_trainable_variables

    weights = variables

    @property
    def trainable_variables(self):
        """List of the trainable variables; empty if the layer is not trainable."""
        return list(self._trainable_weights) if self._trainable else []

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """List of the other variables."""
        return (
            list(self._non_trainable_weights)
            if self._trainable
            else self._trainable_weights + self._non_trainable_weights
        )

    non_trainable_weights = non_trainable_variables

    @property
    def losses(self):
        """List of the losses that the layer added."""
        return list(self._losses)

    @property
    def updates(self):
        """List of the operations that each training step must run; empty if the layer is not trainable."""
        return list(self._updates) if self._trainable else []


def _session():
    session = get_default_session()
    if session is None:
        raise ValueError("get_weights and set_weights need a default session: use them in `with sess.as_default():`")
    return session


def _add_new(collection, items):
    """Adds to a collection of the default graph what it does not have."""
    if not items:
        return
    found = get_default_graph().get_collection_ref(collection)
    known = {id(item) for item in found}
    found.extend(item for item in items if id(item) not in known)


def _depends_on(result, inputs):
    """Whether an operation or tensor depends on one of the tensors."""
    starts = {x.op for x in nest.flatten(inputs) if hasattr(x, "op")}
    todo, seen = [result if isinstance(result, Operation) else result.op], set()
    while todo:
        op = todo.pop()
        if op in starts:
            return True
        if op not in seen:
            seen.add(op)
            todo += [tensor.op for tensor in op.inputs]
            todo += op.control_inputs
    return False


def _unique(base):
    """Layers without a given name are counted: dense_1, dense_2."""
    counts = _counts.setdefault(get_default_graph(), {})
    counts[base] = counts.get(base, 0) + 1
    return f"{base}_{counts[base]}"


def _snake_case(name):
    """Conv2D -> conv2d, MaxPooling2D -> max_pooling2d; names that begin with _ get "private"."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return f"private{name}" if name.startswith("_") else name
