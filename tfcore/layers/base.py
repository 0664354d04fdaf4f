"""The base class of layers."""

import operator
import re

from tfcore.framework import dtypes, nest
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import GraphKeys, add_to_collection, get_default_graph, name_scope
from tfcore.framework.tensor_shape import TensorShape
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_scope import get_variable, variable_scope

__all__ = ["Layer"]


class Layer:
    """Base class of layers: a function of tensors with variables.

    Subclasses override `build(input_shape)`, which creates the variables, and `call(inputs, ...)`. The variables are
    created when the layer is first called, in a variable scope with the name of the layer (made unique unless it was
    given), and are shared by all calls of the object.

    Args:
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      activity_regularizer: A function of the output that returns a loss.
    """

    _ndim = _min_ndim = None  # ranks that inputs must have

    def __init__(self, trainable=True, name=None, dtype=None, _reuse=None, _scope=None, activity_regularizer=None):
        self.trainable = trainable
        self.built = False
        self._name = name
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._reuse = _reuse
        self._given_scope = _scope  # for functional layers, whose given name is used as it is
        self._scope = None
        self._activity_regularizer = activity_regularizer
        self._variables = []
        self._losses = []
        self._updates = []

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: The `TensorShape` of the inputs, or a nest of them.
        """

    def call(self, inputs):
        """Computes the output.

        Args:
          inputs: A `Tensor` or a nest of them.

        Returns:
          A `Tensor` or a nest of them.
        """
        raise NotImplementedError

    def compute_output_shape(self, input_shape):
        """Computes the shape of the output.

        Args:
          input_shape: The shape of the inputs.

        Returns:
          A `TensorShape`.
        """
        raise NotImplementedError

    def __call__(self, inputs, *args, scope=None, **kwargs):
        """Calls the layer; the first call creates its variables.

        Args:
          inputs: A `Tensor`, a value that converts to one, or a nest of them.
          *args: Further arguments of `call`.
          scope: A variable scope or its name, instead of that of the layer.
          **kwargs: Further arguments of `call`.

        Returns:
          What `call` returns: a `Tensor` or a nest of them.

        Raises:
          ValueError: The inputs do not have the rank that the layer needs, or a size that it needs is unknown.
        """
        inputs = self._convert(inputs)
        first = nest.flatten(inputs)[0]
        with self._enter(inputs, scope) as scope, get_default_graph().name_scope(scope.original_name_scope):
            self._scope = scope
            if not nest.is_nested(inputs):
                self._check_rank(inputs.shape)
            if not self.built:
                if self._dtype is None:
                    self._dtype = first.dtype.base_dtype
                self.build(nest.map_structure(lambda x: x.shape, inputs))
                self.built = True
            outputs = self.call(inputs, *args, **kwargs)
            if self._activity_regularizer is not None:
                with name_scope("ActivityRegularizer"):
                    self.add_loss(self._activity_regularizer(outputs))
        return outputs

    apply = __call__

    def _check_rank(self, shape):
        """Raises ValueError if the rank of the inputs is known and the layer does not support it."""
        rank = shape.ndims
        if rank is None:
            return
        for wanted, fits, what in (
            (self._ndim, rank == self._ndim, "ndim"),
            (self._min_ndim, rank >= (self._min_ndim or 0), "min_ndim"),
        ):
            if wanted is not None and not fits:
                raise ValueError(
                    f"Input 0 of layer {self.name} is incompatible with the layer: expected {what}={wanted}, found "
                    f"ndim={rank}. Full shape received: {shape}"
                )

    def _convert(self, inputs):
        return convert_to_tensor(inputs)

    def _enter(self, inputs, scope):
        """The variable scope of the layer. All calls share it and the name scope of the first call."""
        values = nest.flatten(inputs)
        if self._scope is not None:
            return variable_scope(self._scope, values=values, reuse=True, auxiliary_name_scope=False)
        return self._first_scope(values, scope)

    def _first_scope(self, values, scope):
        name, scope = self._name or _snake_case(type(self).__name__), scope or self._given_scope
        if self._reuse:
            return variable_scope(scope or name, values=values, reuse=self._reuse)
        return variable_scope(scope, default_name=name, values=values)

    def add_weight(
        self,
        name,
        shape,
        dtype=None,
        initializer=None,
        regularizer=None,
        trainable=True,
        constraint=None,
        partitioner=None,
    ):
        """Creates a variable of this layer, or returns the existing one if the layer reuses variables.

        Args:
          name: A string.
          shape: A list of ints or a `TensorShape`.
          dtype: A `DType`; that of the layer by default.
          initializer: An initializer; that of the variable scope by default.
          regularizer: A function of the variable that returns a loss.
          trainable: Whether the variable is added to the trainable ones, if the layer is trainable.
          constraint: A function of the variable that an optimizer applies after each update.
          partitioner: A function of the shape and the type that returns the number of parts in each dimension.

        Returns:
          A `Variable` or `PartitionedVariable`.
        """
        variable = get_variable(
            name,
            shape=shape,
            dtype=dtype or self._dtype,
            initializer=initializer,
            regularizer=self._regularizer(regularizer),
            trainable=trainable and self.trainable,
            constraint=constraint,
            partitioner=partitioner,
        )
        self._add_variable(variable)
        return variable

    add_variable = add_weight

    def _add_variable(self, variable):
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            if all(part is not known for known in self._variables):
                self._variables.append(part)

    def _regularizer(self, regularizer):
        if regularizer is None:
            return None

        def keep(variable):
            loss = regularizer(variable)
            if loss is not None:
                self._losses.append(loss)
            return loss

        return keep

    def add_loss(self, loss):
        """Adds a loss to those of the layer and to the collection REGULARIZATION_LOSSES.

        Args:
          loss: A scalar `Tensor`, or None for nothing.
        """
        if loss is not None:
            self._losses.append(loss)
            add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, *updates):
        """Adds operations that each training step must run to those of the layer and to the collection UPDATE_OPS.

        Args:
          *updates: `Operation`s or `Tensor`s.
        """
        for update in updates:
            self._updates.append(update)
            add_to_collection(GraphKeys.UPDATE_OPS, update)

    @property
    def name(self):
        """Name of the layer; that of its variable scope once it has been called."""
        return self._name if self._scope is None else self._scope.name

    @property
    def scope_name(self):
        """Name of the variable scope; ValueError before the first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self.name}" has not been used yet.'
            )
        return self._scope.name

    @property
    def dtype(self):
        """Name of the type of the variables; None if it is not known yet."""
        return None if self._dtype is None else self._dtype.name

    @property
    def variables(self):
        """List of the variables, the trainable ones first."""
        return self.trainable_variables + self.non_trainable_variables

    weights = variables

    @property
    def trainable_variables(self):
        """List of the trainable variables."""
        return [v for v in self._variables if v.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """List of the variables that are not trainable."""
        return [v for v in self._variables if not v.trainable]

    non_trainable_weights = non_trainable_variables

    @property
    def losses(self):
        """List of the losses that the layer added."""
        return list(self._losses)

    @property
    def updates(self):
        """List of the operations that each training step must run."""
        return list(self._updates)


def _snake_case(name):
    """Conv2D -> conv2d, MaxPooling2D -> max_pooling2d."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def last_dimension(shape, axis, what, layer=""):
    """The size of the dimension `axis`, which must be known."""
    shape = TensorShape(shape)
    size = None if shape.ndims is None else shape.as_list()[axis]
    if size is None:
        raise ValueError(f"{what} of the inputs {layer and f'to {layer}'}should be defined. Found `None`.")
    return size


def pair(value, name):
    """(n, n) for an integer n; a pair of integers is unchanged. Integers may be of any type, such as np.int64."""
    try:
        sizes = tuple(value)
    except TypeError:
        sizes = (value, value)
    if len(sizes) == 2:
        try:
            return tuple([operator.index(size) for size in sizes])
        except TypeError:
            pass
    raise ValueError(f"The `{name}` argument must be a tuple of 2 integers. Received: {value}")


def data_layout(data_format):
    """NHWC for channels_last, NCHW for channels_first."""
    layouts = {"channels_last": "NHWC", "channels_first": "NCHW"}
    try:
        return layouts[data_format.lower()]
    except KeyError:
        raise ValueError(
            f"The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: {data_format}"
        ) from None


def padding_name(padding):
    name = padding.upper()
    if name not in ("VALID", "SAME"):
        raise ValueError(f"The `padding` argument must be one of 'valid', 'same'. Received: {padding}")
    return name
