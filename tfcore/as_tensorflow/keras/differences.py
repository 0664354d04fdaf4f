"""Changes Keras where tf.keras of TensorFlow 1.15 behaves differently: shapes, types, arguments by position."""

import functools
import importlib
import importlib.util
import inspect

from tfcore.as_tensorflow.estimator.keras_parts import ReductionV2
from tfcore.framework.types.dtypes import DType, as_dtype
from tfcore.variables.initializers import VarianceScaling


@functools.cache
def remove():
    """Lets layers behave as those of tf.keras. Keras can be imported."""
    base = importlib.import_module("keras.engine.base_layer")
    base.Layer._add_inbound_node = _with_shapes_of_tensors(base.Layer._add_inbound_node, base.Layer)
    if not hasattr(base.Layer, "variables"):
        base.Layer.variables = property(lambda self: self.weights)
    layers = importlib.import_module("keras.layers")
    for kind in (base.Layer, layers.InputLayer):
        kind.__init__ = _with_name_of_type(kind.__init__)
    layers.Flatten.__init__ = _of_vectors(layers.Flatten.__init__, base.InputSpec)
    _add_distributions(importlib.import_module("keras.initializers").VarianceScaling)
    if importlib.util.find_spec("keras.utils.losses_utils"):  # Keras 2.3
        importlib.import_module("keras.utils.losses_utils").ReductionV2 = ReductionV2
    for kind in vars(layers).values():
        if inspect.isclass(kind) and hasattr(kind.__init__, "_original_function"):
            kind.__init__ = _with_positions(kind.__init__)


def _with_shapes_of_tensors(add_node, layer):
    """Lets static shapes of outputs be those of the tensors; a layer need not state them."""

    @functools.wraps(add_node)
    def wrapper(self, input_tensors, output_tensors, *args, output_shapes=None, **kwargs):
        stated = type(self).compute_output_shape is not layer.compute_output_shape
        is_trusted = type(self).__module__.startswith("keras.")
        if isinstance(output_tensors, list):
            shapes = output_shapes if stated and isinstance(output_shapes, list) else [None] * len(output_tensors)
            shapes = [_shape(*pair, is_trusted) for pair in zip(output_tensors, shapes, strict=True)]
        else:
            shapes = _shape(output_tensors, output_shapes if stated else None, is_trusted)
        return add_node(self, input_tensors, output_tensors, *args, output_shapes=shapes, **kwargs)

    return wrapper


def _shape(tensor, stated, is_trusted):
    """The tensor's static shape, where it is known; what is stated elsewhere. Keras's own layers set it so."""
    shape = tensor.get_shape()
    if shape.ndims is None:
        merged = stated
    elif stated is None or len(stated) != shape.ndims:
        return tuple(shape.as_list())
    else:
        merged = tuple(size if own is None else own for own, size in zip(shape.as_list(), stated, strict=True))
    if is_trusted and merged is not None:
        tensor.set_shape(merged)
    return merged


def _with_name_of_type(init):
    """Keeps the name of a DType: Keras saves configurations as JSON."""

    @functools.wraps(init)
    def wrapper(self, *args, **kwargs):
        init(self, *args, **kwargs)
        if isinstance(getattr(self, "dtype", None), DType):
            self.dtype = self.dtype.name

    return wrapper


def _of_vectors(init, spec):
    @functools.wraps(init)
    def wrapper(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.input_spec = spec(min_ndim=1)  # Keras takes no tensors that are flat already

    return wrapper


def _with_positions(init):
    """Takes all arguments by position: Keras 2 takes one or two, to find calls for Keras 1."""
    names = list(inspect.signature(init).parameters)

    @functools.wraps(init)
    def wrapper(self, *args, **kwargs):
        try:
            return init(self, *args, **kwargs)
        except TypeError as error:
            if "can accept only" not in str(error) or len(args) >= len(names):
                raise
        kwargs.update(zip(names[1:], args, strict=False))
        return init(self, **kwargs)

    return wrapper


def _add_distributions(kind):
    """Lets VarianceScaling know TensorFlow's names of distributions, and the one that Keras lacks."""
    init, call = kind.__init__, kind.__call__

    @functools.wraps(init)
    def with_names(self, scale=1.0, mode="fan_in", distribution="normal", seed=None):
        name = distribution.lower()
        init(self, scale, mode, "normal" if name in ("truncated_normal", "untruncated_normal") else name, seed)
        self.distribution = "untruncated_normal" if name == "untruncated_normal" else self.distribution

    @functools.wraps(call)
    def with_untruncated(self, shape, dtype=None):
        if self.distribution != "untruncated_normal":
            return call(self, shape, dtype)
        dtype = as_dtype(dtype or importlib.import_module("keras.backend").floatx())
        return VarianceScaling(self.scale, self.mode, self.distribution, self.seed, dtype)(shape)

    kind.__init__, kind.__call__ = with_names, with_untruncated
