"""What a layer demands of its inputs."""

from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape


class InputSpec:
    """Type, rank and sizes that a layer demands of an input. Set `layer.input_spec` to have them checked in each call.

    Args:
      dtype: The `DType`; None for any.
      shape: The shape, a list of ints and None, or a `TensorShape`; None for any.
      ndim: An int: the rank.
      max_ndim: An int: the largest rank.
      min_ndim: An int: the least rank.
      axes: A dict from the index of a dimension to its size.
      allow_last_axis_squeeze: Whether a last dimension of size 1 may be missing or in excess.
      name: Name of the input (optional).
      optional: Whether the input may be None.

    Raises:
      TypeError: A key of `axes` is not an int.
      ValueError: A key of `axes` is beyond the rank.
    """

    def __init__(
        self,
        dtype=None,
        shape=None,
        ndim=None,
        max_ndim=None,
        min_ndim=None,
        axes=None,
        allow_last_axis_squeeze=False,
        name=None,
        optional=False,
    ):
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        shape = TensorShape(shape)
        self.shape = None if shape.ndims is None else tuple(shape.as_list())
        self.ndim = ndim if shape.ndims is None else shape.ndims
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.optional = optional
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (ValueError, TypeError, AttributeError):
            raise TypeError(f"Argument `axes` must be a dict with integer keys. Received: axes={axes}") from None
        rank = self.ndim or self.max_ndim
        if self.axes and rank is not None and max(self.axes) >= rank:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {rank - 1}")

    def __repr__(self):
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return f"InputSpec({', '.join(f'{n}={getattr(self, n)}' for n in names if getattr(self, n))})"

    def get_config(self):
        """The demands as a dict.

        Returns:
          A dict of arguments for `from_config`.
        """
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config):
        """Creates an InputSpec from the result of `get_config`.

        Args:
          config: A dict of arguments.

        Returns:
          An `InputSpec`.
        """
        return cls(**config)


def check_inputs(specs, inputs, layer):
    """Raises ValueError if inputs don't meet the demands of the layer of this name."""
    specs, inputs = nest.flatten(specs), nest.flatten(inputs)
    if len(specs) != len(inputs):
        raise ValueError(
            f'Layer "{layer}" expects {len(specs)} input(s), but it received {len(inputs)} input tensors. Inputs '
            f"received: {inputs}"
        )
    for i, (spec, value) in enumerate(zip(specs, inputs)):
        if spec is None or value is None and spec.optional:
            continue
        complaint = _complaint(spec, value)
        if complaint:
            raise ValueError(f'Input {i} of layer "{layer}" is incompatible with the layer: {complaint}')


def _complaint(spec, value):
    """What an input does not meet; None if it fits, as far as its shape is known."""
    shape = value.shape
    rank = shape.ndims
    if rank is None:
        return None
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {shape}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return f"expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {shape}"
    if spec.dtype is not None and value.dtype.base_dtype.name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={value.dtype}"
    dims = shape.as_list()
    for axis, size in spec.axes.items():
        size = getattr(size, "value", size)
        if size is not None and dims[axis] not in (size, None):
            return f"expected axis {axis} of input shape to have value {size}, but received input with shape {shape}"
    if spec.shape is not None:
        wanted = list(spec.shape)
        if spec.allow_last_axis_squeeze:
            wanted, dims = (s[:-1] if s and s[-1] == 1 else s for s in (wanted, dims))
        if any(w is not None and d is not None and w != d for w, d in zip(wanted, dims)):
            return f"expected shape={spec.shape}, found shape={shape}"
    return None
