# Written by python -m tfcore.tools.stubs: do not edit.

import abc
from tfcore import Operation as Operation
from tfcore import Variable as Variable
from tfcore.train import Optimizer as Optimizer
from typing import Any as _Any

__all__ = [
'ExponentialUpdateLossScaleManager', 'FixedLossScaleManager', 'LossScaleManager', 'LossScaleOptimizer'
]

class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A factor that grows after many steps with finite gradients, and shrinks after some without."""
    def __init__(self, init_loss_scale: _Any, incr_every_n_steps: _Any, decr_every_n_nan_or_inf: _Any = 2, incr_ratio: _Any = 2, decr_ratio: _Any = 0.8) -> None: ...
    def get_loss_scale(self) -> _Any:
        """The factor."""
    def update_loss_scale(self, finite_grads: _Any) -> Operation:
        """Counts the step, and changes the factor if it is time."""

class FixedLossScaleManager(LossScaleManager):
    """A factor that never changes."""
    def __init__(self, loss_scale: _Any) -> None: ...
    def get_loss_scale(self) -> _Any:
        """The factor."""
    def update_loss_scale(self, finite_grads: _Any) -> Operation:
        """Does nothing."""

class LossScaleManager(abc.ABC):
    """Decides by which factor losses are multiplied. A subclass defines both methods."""
    def get_loss_scale(self) -> _Any:
        """The factor."""
    def update_loss_scale(self, finite_grads: _Any) -> Operation:
        """Updates the factor after a step."""

class LossScaleOptimizer(Optimizer):
    """Multiplies the loss of another optimizer by a factor, and divides its gradients by it."""
    def __init__(self, opt: _Any, loss_scale_manager: _Any) -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> Operation:
        """Applies the gradients if all are finite, and updates the factor."""
    def compute_gradients(self, loss: _Any, *args: _Any, **kwargs: _Any) -> _Any:
        """The gradients of the optimizer, computed with the scaled loss."""
    def get_slot(self, *args: _Any, **kwargs: _Any) -> Variable:
        """`get_slot` of the optimizer."""
    def get_slot_names(self) -> _Any:
        """The names of the optimizer's slots."""
    def variables(self) -> _Any:
        """The variables of the optimizer."""
