"""What tensorflow.python.training.optimizer differentiates and updates: `_get_processor` and its classes."""

from tfcore.framework.graph.operation import Tensor
from tfcore.train.optimizers.optimizer import target_of, update_of
from tfcore.variables.variables import Variable


class OptimizableVariable:
    """A variable as optimizers see it.

    `target()` is the tensor to differentiate with respect to; `update_op(optimizer, g)` adds the update by a gradient.
    """

    def __init__(self, v):
        self._v = v

    def __str__(self):
        return f"<{type(self).__name__}({self._v})>"

    def target(self):
        return target_of(self._v)

    def update_op(self, optimizer, g):
        raise NotImplementedError("Calling an abstract method.")


class VariableProcessor(OptimizableVariable):
    """A tf.Variable of any kind."""

    def update_op(self, optimizer, g):
        return update_of(optimizer, g, self._v)


class TensorProcessor(OptimizableVariable):
    """A tensor, which has gradients, but cannot be updated."""

    def update_op(self, optimizer, g):
        raise NotImplementedError("Trying to update a Tensor ", self._v)


def get_processor(v):
    """The processor of a variable or tensor.

    Raises:
      NotImplementedError: It is neither.
    """
    if isinstance(v, Variable):
        return VariableProcessor(v)
    if isinstance(v, Tensor):
        return TensorProcessor(v)
    raise NotImplementedError("Trying to optimize unsupported type ", v)
