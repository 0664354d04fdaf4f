# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore.train import AdagradOptimizer as AdagradOptimizer
from tfcore.train import AdamOptimizer as AdamOptimizer
from tfcore.train import MomentumOptimizer as MomentumOptimizer
from tfcore.train import Optimizer as Optimizer
from typing import Any as _Any

__all__ = [
'AdaMaxOptimizer', 'AdamWOptimizer', 'AddSignOptimizer', 'DecoupledWeightDecayExtension', 'ExternalOptimizerInterface',
'LARSOptimizer', 'LazyAdamOptimizer', 'MomentumWOptimizer', 'MovingAverageOptimizer', 'MultitaskOptimizerWrapper',
'NadamOptimizer', 'PowerSignOptimizer', 'RegAdagradOptimizer', 'ScipyOptimizerInterface', 'VariableClippingOptimizer',
'clip_gradients_by_global_norm', 'extend_with_decoupled_weight_decay', 'get_cosine_decay_fn', 'get_linear_decay_fn',
'get_restart_decay_fn'
]

class AdaMaxOptimizer(AdamOptimizer):
    """Adam with the largest gradient, which decays, in place of the root of the mean square."""
    def __init__(self, learning_rate: _Any = 0.001, beta1: _Any = 0.9, beta2: _Any = 0.999, epsilon: _Any = 1e-08, use_locking: _Any = False, name: str | None = 'AdaMax') -> None: ...

class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weight decay."""
    def __init__(self, weight_decay: _Any, learning_rate: _Any = 0.001, beta1: _Any = 0.9, beta2: _Any = 0.999, epsilon: _Any = 1e-08, use_locking: _Any = False, name: str | None = 'AdamW') -> None: ...

class AddSignOptimizer(Optimizer):
    """`m = beta * m + (1 - beta) * grad; var -= learning_rate * (alpha + sign_decay * sign(grad) * sign(m)) * grad`."""
    def __init__(self, learning_rate: _Any = 0.1, alpha: _Any = 1.0, beta: _Any = 0.9, sign_decay_fn: _Any = None, use_locking: _Any = False, name: str | None = 'AddSignOptimizer') -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> _Any: ...

class DecoupledWeightDecayExtension:
    """Makes an optimizer subtract `weight_decay * var` before its update. It is the first base class."""
    def __init__(self, weight_decay: _Any, *args: _Any, **kwargs: _Any) -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None, decay_var_list: _Any = None) -> Operation:
        """`Optimizer.apply_gradients` with weight decay."""
    def minimize(self, loss: _Any, global_step: _Any = None, var_list: _Any = None, gate_gradients: _Any = 1, aggregation_method: _Any = None, colocate_gradients_with_ops: _Any = False, name: str | None = None, grad_loss: _Any = None, decay_var_list: _Any = None) -> Operation:
        """`Optimizer.minimize` with weight decay."""

class ExternalOptimizerInterface:
    """Base class of minimizers outside of the graph: subclasses define `_minimize`."""
    def __init__(self, loss: _Any, var_list: _Any = None, equalities: _Any = None, inequalities: _Any = None, var_to_bounds: _Any = None, **optimizer_kwargs: _Any) -> None: ...
    def minimize(self, session: _Any = None, feed_dict: _Any = None, fetches: _Any = None, step_callback: _Any = None, loss_callback: _Any = None, **run_kwargs: _Any) -> _Any:
        """Minimizes the loss, and assigns what was found to the variables."""
    optimizer_kwargs: _Any

class LARSOptimizer(MomentumOptimizer):
    """Momentum with the rate `learning_rate * eeta * |var| / (|grad| + weight_decay * |var| + epsilon)`."""
    def __init__(self, learning_rate: _Any, momentum: _Any = 0.9, weight_decay: _Any = 0.0001, eeta: _Any = 0.001, epsilon: _Any = 0.0, name: str | None = 'LARSOptimizer', skip_list: _Any = None, use_nesterov: _Any = False) -> None: ...
    def compute_lr(self, grad: _Any, var: _Any) -> Tensor:
        """The learning rate of a variable."""

class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose running means change only in the rows that a sparse gradient has."""

class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weight decay."""
    def __init__(self, weight_decay: _Any, learning_rate: _Any, momentum: _Any, use_locking: _Any = False, name: str | None = 'MomentumW', use_nesterov: _Any = False) -> None: ...

class MovingAverageOptimizer(Optimizer):
    """Runs another optimizer, and keeps moving averages of the variables that it updates."""
    def __init__(self, opt: _Any, average_decay: _Any = 0.9999, num_updates: _Any = None, sequential_update: _Any = True) -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> Operation:
        """Applies gradients, and updates the averages."""
    def compute_gradients(self, *args: _Any, **kwargs: _Any) -> _Any:
        """`compute_gradients` of the optimizer."""
    def swapping_saver(self, var_list: _Any = None, name: str | None = 'swapping_saver', **kwargs: _Any) -> _Any:
        """A saver that stores averages under the names of their variables, and variables under those of averages."""

class MultitaskOptimizerWrapper:
    """Makes an optimizer skip gradients that are all zeros, so that they do not change its slots."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self, opt: _Any) -> None: ...

class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum."""
    def __init__(self, learning_rate: _Any = 0.001, beta1: _Any = 0.9, beta2: _Any = 0.999, epsilon: _Any = 1e-08, use_locking: _Any = False, name: str | None = 'Adam') -> None: ...

class PowerSignOptimizer(Optimizer):
    """`m = beta * m + (1 - beta) * grad; var -= learning_rate * base ** (sign_decay * sign(grad) * sign(m)) * grad`."""
    def __init__(self, learning_rate: _Any = 0.1, base: _Any = 2.718281828459045, beta: _Any = 0.9, sign_decay_fn: _Any = None, use_locking: _Any = False, name: str | None = 'PowerSignOptimizer') -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> _Any: ...

class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad that can leave its sums of squares as they are."""
    def __init__(self, learning_rate: _Any, initial_accumulator_value: _Any = 0.1, use_locking: _Any = False, name: str | None = 'RegAdagrad') -> None: ...
    def avoid_updating_slots(self) -> _Any:
        """A context in which updates are made that leave the sums of squares as they are."""

class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes by `scipy.optimize.minimize`; needs SciPy (`pip install scipy`)."""

class VariableClippingOptimizer(Optimizer):
    """Runs another optimizer, then limits the norms of variables along given dimensions."""
    def __init__(self, opt: _Any, vars_to_clip_dims: _Any, max_norm: _Any, use_locking: _Any = False, colocate_clip_ops_with_vars: _Any = False, name: str | None = 'VariableClipping') -> None: ...
    def apply_gradients(self, grads_and_vars: _Any, global_step: _Any = None, name: str | None = None) -> Operation:
        """Applies gradients, and limits the norms."""
    def compute_gradients(self, *args: _Any, **kwargs: _Any) -> _Any:
        """`compute_gradients` of the optimizer."""
    def get_slot(self, *args: _Any, **kwargs: _Any) -> Variable:
        """`get_slot` of the optimizer."""
    def get_slot_names(self, *args: _Any, **kwargs: _Any) -> _Any:
        """`get_slot_names` of the optimizer."""

def clip_gradients_by_global_norm(gradients_variables: _Any, clip_norm: _Any = 20.0) -> _Any:
    """Limits the global norm of gradients."""

def extend_with_decoupled_weight_decay(base_optimizer: _Any) -> _Any:
    """A class of optimizers with weight decay."""

def get_cosine_decay_fn(decay_steps: _Any, num_periods: _Any = 0.5, zero_after: _Any = None) -> _Any:
    """A function of the global step that follows a cosine between 1 and 0."""

def get_linear_decay_fn(decay_steps: _Any) -> _Any:
    """A function of the global step that falls linearly from 1 to 0."""

def get_restart_decay_fn(decay_steps: _Any, num_periods: _Any = 1, zero_after: _Any = None) -> _Any:
    """A function of the global step that falls from 1 to 0 along half a cosine, `num_periods` times."""
