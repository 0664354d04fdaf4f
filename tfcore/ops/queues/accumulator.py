"""Conditional accumulators: sums of gradients, without those computed from old variables."""

import tfcore.ops.cwise.cast as cast_ops
from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

# ---- Operations

_DTYPE = "dtype: numbertype"
_MAKER = [
    _DTYPE,
    "shape: shape",
    "container: string = ''",
    "shared_name: string = ''",
    "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
]
_OLD, _NEW = "handle: Ref(string)", "handle: resource"


def _names_shape(op):
    return [(2,)]


def _gradient_shapes(op):
    return [(None,), None, (None,)]


def _define(name, inputs=(), outputs=(), attrs=(), shape=None, stateful=False, doc=None):
    define_op(name, inputs=inputs, outputs=outputs, attrs=attrs, shape=shape, stateful=stateful, doc=doc)
    not_differentiable(name)


for _prefix, _handle, _handle_shape in (("Resource", _NEW, shape_functions.scalar), ("", _OLD, _names_shape)):
    _stateful = bool(_prefix)
    _define(
        f"{_prefix}ConditionalAccumulator",
        outputs=[_handle],
        attrs=_MAKER,
        shape=_handle_shape,
        stateful=True,
        doc="The handle of an accumulator of gradients, made when it is first needed.",
    )
    _define(
        f"{_prefix}AccumulatorApplyGradient",
        inputs=[_handle, "local_step: int64", "gradient: dtype"],
        attrs=[_DTYPE],
        stateful=_stateful,
        doc="Adds a gradient, unless its step is before that of the accumulator.",
    )
    _define(
        f"{_prefix}AccumulatorTakeGradient",
        inputs=[_handle, "num_required: int32"],
        outputs=["average: dtype"],
        attrs=[_DTYPE],
        shape=shape_functions.unknown,
        stateful=_stateful,
        doc="Waits for so many gradients, returns their mean or sum, and begins the next step.",
    )
    _define(
        f"{_prefix}AccumulatorSetGlobalStep",
        inputs=[_handle, "new_global_step: int64"],
        stateful=_stateful,
        doc="Sets the accumulator's step.",
    )
    _define(
        f"{_prefix}AccumulatorNumAccumulated",
        inputs=[_handle],
        outputs=["num_accumulated: int32"],
        shape=shape_functions.scalar,
        stateful=_stateful,
        doc="The number of gradients in the sum.",
    )
_define(
    "SparseConditionalAccumulator",
    outputs=[_OLD],
    attrs=_MAKER,
    shape=_names_shape,
    stateful=True,
    doc="The handle of an accumulator of sparse gradients, made when it is first needed.",
)
_define(
    "SparseAccumulatorApplyGradient",
    inputs=[
        _OLD,
        "local_step: int64",
        "gradient_indices: int64",
        "gradient_values: dtype",
        "gradient_shape: int64",
    ],
    attrs=[_DTYPE, "has_known_shape: bool"],
    doc="Adds rows of a gradient, unless its step is before that of the accumulator.",
)
_define(
    "SparseAccumulatorTakeGradient",
    inputs=[_OLD, "num_required: int32"],
    outputs=["indices: int64", "values: dtype", "shape: int64"],
    attrs=[_DTYPE],
    shape=_gradient_shapes,
    doc="Waits for so many gradients, returns the sum of each row or its mean over the gradients that have it, and "
    "begins the next step.",
)


# ---- The accumulators


class ConditionalAccumulatorBase:
    """Base class of accumulators.

    An accumulator has a step, zero at first. A gradient of an older step is dropped when it is applied. When a sum is
    taken the step is incremented.

    Args:
      dtype: Type of the gradients.
      shape: Shape of the gradients, or None.
      accumulator_ref: The handle.
    """

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtypes.as_dtype(dtype)
        self._shape = TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split("/")[-1]
        self._prefix = "Resource" if accumulator_ref.dtype == dtypes.resource else ""

    @property
    def accumulator_ref(self):
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self):
        """The last part of the name of the operation that makes the handle."""
        return self._name

    @property
    def dtype(self):
        """Type of the gradients."""
        return self._dtype

    def _op(self, kind, *inputs, **attrs):
        return get_op_def(f"{self._prefix}Accumulator{kind}")(self._accumulator_ref, *inputs, **attrs)

    def num_accumulated(self, name=None):
        """The number of gradients in the sum.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._op("NumAccumulated", name=name or f"{self._name}_NumAccumulated")

    def set_global_step(self, new_global_step, name=None):
        """Sets the accumulator's step.

        Args:
          new_global_step: An integer scalar.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        return self._op("SetGlobalStep", _step(new_global_step), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients.

    Args:
      dtype: Type of the gradients: a floating point type.
      shape: Shape of the gradients, as far as it is known, or None.
      shared_name: Name under which all sessions of a task share the accumulator.
      name: Name of the operation that makes the handle.
      reduction_type: "MEAN" or "SUM": what `take_grad` returns.

    Raises:
      ValueError: `reduction_type` is something else.
    """

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        handle = get_op_def("ResourceConditionalAccumulator")(
            dtype=dtype,
            shape=TensorShape(shape),
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad, local_step=0, name=None):
        """Adds a gradient, or drops it if it is stale.

        Args:
          grad: A `Tensor` of the accumulator's type and shape.
          local_step: The step in which it was computed, an integer scalar.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.

        Raises:
          ValueError: The shape does not fit.
        """
        grad = convert_to_tensor(grad, dtype=self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return self._op("ApplyGradient", _step(local_step), grad, name=name)

    def take_grad(self, num_required, name=None):
        """Waits for gradients, and removes and returns their mean or sum.

        Args:
          num_required: How many there must be at least, an int32 scalar.
          name: Name of the operation (optional).

        Returns:
          A `Tensor`. The operation fails with InvalidArgumentError if `num_required` is not positive.
        """
        taken = self._op("TakeGradient", num_required, dtype=self._dtype, name=name)
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of sparse gradients, which are rows and their indices.

    The mean of a row is over the gradients that have it. Indices should be sorted, as in TensorFlow: rows with equal
    indices are added where a merge of the sorted lists would find them.

    Args:
      dtype: Type of the gradients: a floating point type.
      shape: Shape of the gradients, as far as it is known, or None.
      shared_name: Name under which all sessions of a task share the accumulator.
      name: Name of the operation that makes the handle.
      reduction_type: "MEAN" or "SUM": what `take_grad` returns.

    Raises:
      ValueError: `reduction_type` is something else.
    """

    def __init__(
        self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"
    ):
        handle = get_op_def("SparseConditionalAccumulator")(
            dtype=dtype,
            shape=TensorShape(shape),
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """Adds a gradient, or drops it if it is stale.

        Args:
          grad: An `IndexedSlices`.
          local_step: The step in which it was computed, an integer scalar.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """Adds a gradient, or drops it if it is stale.

        Args:
          grad_indices: An integer vector.
          grad_values: The rows, a `Tensor` of the accumulator's type.
          grad_shape: Shape of the whole gradient, an integer vector, or None.
          local_step: The step in which it was computed, an integer scalar.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        return get_op_def("SparseAccumulatorApplyGradient")(
            self._accumulator_ref,
            local_step=_step(local_step),
            gradient_indices=cast_ops.cast(grad_indices, dtypes.int64),
            gradient_values=convert_to_tensor(grad_values, dtype=self._dtype),
            gradient_shape=cast_ops.cast([] if grad_shape is None else grad_shape, dtypes.int64),
            has_known_shape=grad_shape is not None,
            name=name,
        )

    def take_grad(self, num_required, name=None):
        """Waits for gradients, and removes and returns the mean or sum of each row.

        Args:
          num_required: How many there must be at least, an int32 scalar.
          name: Name of the operation (optional).

        Returns:
          A tuple of `Tensor`s: `indices`, an int64 vector; `values`, a row for each index; `shape`, an int64 vector,
          the shape of the whole gradient. The operation fails with InvalidArgumentError if `num_required` is not
          positive.
        """
        return get_op_def("SparseAccumulatorTakeGradient")(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )

    def take_indexed_slices_grad(self, num_required, name=None):
        """Like `take_grad`.

        Args:
          num_required: How many there must be at least, an int32 scalar.
          name: Name of the operation (optional).

        Returns:
          An `IndexedSlices`.
        """
        taken = self.take_grad(num_required, name)
        return IndexedSlices(indices=taken.indices, values=taken.values, dense_shape=taken.shape)


def _step(value):
    return cast_ops.cast(convert_to_tensor(value), dtypes.int64)
