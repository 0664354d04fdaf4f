"""Layers that save memory in training: reversible blocks, and functions that are computed again for gradients."""

import functools
import inspect

from tfcore.composed.recompute import recomputed
from tfcore.contrib.framework.arguments import arg_scope, current_arg_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.layers.base import Layer
from tfcore.ops.array import array
from tfcore.ops.control_flow.control import tuple as tuple_of
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.functions.custom_gradient import custom_gradient
from tfcore.ops.gradients.gradients import gradients
from tfcore.variables.variable_scope import get_variable_scope, variable_scope
from tfcore.variables.variables import Variable


class RevBlock(Layer):
    """A block of reversible residual layers: gradients need only its output, from which they compute the rest again.

    Each layer computes y1 = x1 + f(x2), y2 = x2 + g(y1).

    Source: A. N. Gomez, M. Ren, R. Urtasun and R. B. Grosse, "The Reversible Residual Network: Backpropagation Without
    Storing Activations", NIPS 2017.

    Args:
      f: A function of a `Tensor` (and `f_side_input`, if given) that returns a `Tensor` of the same shape; or a list
        with one for each layer.
      g: The second function of each layer, given like `f`.
      num_layers: An int.
      f_side_input: A list of `Tensor`s, further inputs of f (optional).
      g_side_input: A list of `Tensor`s, further inputs of g (optional).
      use_efficient_backprop: False for ordinary gradients.
      name: Name of the layer and of its variable scope.
      **kwargs: Arguments of `tf.layers.Layer`.

    Raises:
      ValueError: A list does not have `num_layers` functions.
    """

    def __init__(
        self,
        f,
        g,
        num_layers=1,
        f_side_input=None,
        g_side_input=None,
        use_efficient_backprop=True,
        name="revblock",
        **kwargs,
    ):
        super().__init__(name=name, **kwargs)
        self.f, self.g = (self._functions(functions, which, num_layers) for functions, which in ((f, "f"), (g, "g")))
        self.num_layers = num_layers
        self.f_side_input = f_side_input or []
        self.g_side_input = g_side_input or []
        self._use_efficient_backprop = use_efficient_backprop

    @staticmethod
    def _functions(functions, which, count):
        functions = functions if isinstance(functions, list) else [functions] * count
        if len(functions) != count:
            raise ValueError(f"{which} has {len(functions)} functions for {count} layers")

        def in_scope(function, i):
            def call(x, side_input):
                with variable_scope(f"revlayer_{i}/{which}"):
                    return function(x, side_input) if side_input else function(x)

            return call

        return [in_scope(function, i) for i, function in enumerate(functions)]

    def call(self, inputs, forward=True):
        known = {id(v) for v in get_variable_scope().global_variables()}
        outputs = self._forward(*inputs) if forward else self._backward(*inputs)
        for variable in get_variable_scope().global_variables():
            if id(variable) not in known:
                self._add_variable(variable)
        return outputs

    def forward(self, x1, x2):
        """Applies the block.

        Args:
          x1: A `Tensor`.
          x2: A `Tensor`.

        Returns:
          The pair (y1, y2) of `Tensor`s.
        """
        return self.apply([x1, x2])

    def backward(self, y1, y2):
        """Computes the inputs from the outputs.

        Args:
          y1: A `Tensor`.
          y2: A `Tensor`.

        Returns:
          The pair (x1, x2) of `Tensor`s.
        """
        return self.apply([y1, y2], forward=False)

    def _layers(self, x1, x2, f_side, g_side):
        for f, g in zip(self.f, self.g):
            y1 = x1 + f(x2, f_side)
            y2 = x2 + g(y1, g_side)
            x1, x2 = tuple_of([y1, y2]) if self._use_efficient_backprop else (y1, y2)
        return x1, x2

    def _forward(self, x1, x2):
        if not self._use_efficient_backprop:
            return self._layers(x1, x2, self.f_side_input, self.g_side_input)
        n_f = len(self.f_side_input)

        @custom_gradient
        def block(x1, x2, *sides):
            outputs = self._layers(x1, x2, list(sides[:n_f]), list(sides[n_f:]))

            def grad_fn(grad1, grad2, variables=None):
                return self._gradients(outputs, (grad1, grad2), sides[:n_f], sides[n_f:], variables)

            return outputs, grad_fn

        return block(x1, x2, *self.f_side_input, *self.g_side_input)

    def _backward(self, y1, y2):
        for f, g in zip(reversed(self.f), reversed(self.g)):
            x2 = y2 - g(y1, self.g_side_input)
            y1, y2 = y1 - f(x2, self.f_side_input), x2
        return y1, y2

    def _gradients(self, ys, grads, f_side, g_side, variables):
        """Gradients of inputs and side inputs, and of the variables, layer by layer from the end."""
        total = {}  # {id of a variable, or function and position of a side input: its gradients}

        def collect(which, variables, sides, found):
            keys = [id(v) for v in variables] + [(which, i) for i in range(len(sides))]
            for key, grad in zip(keys, found):
                if grad is not None:
                    total.setdefault(key, []).append(grad)

        y1, y2 = ys
        grad1, grad2 = grads
        with variable_scope(self._scope, reuse=True):
            for i in reversed(range(self.num_layers)):
                mine = {which: [v for v in variables or () if f"revlayer_{i}/{which}/" in v.name] for which in "fg"}
                gy1, found = self._again(self.g[i], y1, g_side, mine["g"], grad2)
                x2 = y2 - gy1
                grad1 += found[0]
                collect("g", mine["g"], g_side, found[1:])
                fx2, found = self._again(self.f[i], x2, f_side, mine["f"], grad1)
                x1 = y1 - fx2
                grad2 += found[0]
                collect("f", mine["f"], f_side, found[1:])
                # The next layer starts when this one is complete: its tensors are no longer needed.
                y1, y2, grad1, grad2 = tuple_of([x1, x2, grad1, grad2])
        sums = {key: add_n(values) for key, values in total.items()}
        of_sides = [sums.get((which, i)) for which, sides in (("f", f_side), ("g", g_side)) for i in range(len(sides))]
        of_inputs = [grad1, grad2, *of_sides]
        return of_inputs if variables is None else (of_inputs, [sums.get(id(v)) for v in variables])

    @staticmethod
    def _again(function, x, sides, variables, grad):
        """The value of a function, and the gradients of x, of the variables and of the side inputs."""
        x = array.stop_gradient(x)
        sides = [array.stop_gradient(t) for t in sides]
        value = function(x, sides)
        return value, gradients(value, [x, *variables, *sides], grad)


def rev_block(x1, x2, f, g, num_layers=1, f_side_input=None, g_side_input=None, is_training=True):
    """A block of reversible residual layers; see `RevBlock`.

    Args:
      x1: A `Tensor` of a floating-point type.
      x2: A `Tensor` of the same shape.
      f: A function of a `Tensor` (and `f_side_input`, if given) that returns a `Tensor` of the same shape; or a list
        with one for each layer.
      g: The second function of each layer, given like `f`.
      num_layers: An int.
      f_side_input: A list of `Tensor`s, further inputs of f (optional).
      g_side_input: A list of `Tensor`s, further inputs of g (optional).
      is_training: Whether gradients will be needed, which then take less memory.

    Returns:
      The pair (y1, y2) of `Tensor`s.

    Raises:
      ValueError: A list does not have `num_layers` functions.
    """
    block = RevBlock(f, g, num_layers, f_side_input, g_side_input, is_training, _reuse=get_variable_scope().reuse)
    return block.forward(x1, x2)


_USE_DEFAULT = "__rev_block_lib_default"
_WRONG_VARIABLES = (
    "The variables used on recompute were different than the variables originally\nused. The function wrapped with "
    "@recompute_grad likley creates its own variable\nscope with a default name and has been called twice in the same "
    "enclosing scope.\nTo fix, ensure each call to the function happens in its own unique variable\nscope.\n"
)


def recompute_grad(fn, use_data_dep=_USE_DEFAULT, tupleize_grads=False):
    """Decorator: computes a function again for its gradients, instead of keeping the tensors inside until then.

    Args:
      fn: A function of `Tensor`s that returns one or a list of them. It may create variables with `tf.get_variable`, in
        a scope that is the same when it is called again. It is called with `is_recomputing` if it has this argument.
      use_data_dep: Accepted for compatibility.
      tupleize_grads: Whether all gradients are ready before any is used.

    Returns:
      The decorated function.

    Raises:
      ValueError: The function uses a tensor or variable of an outer function; when called: an argument is not a tensor.
    """
    if not callable(fn):
        raise TypeError(f"recompute_grad needs a function, but got {fn!r}")
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        if isinstance(cell.cell_contents, (Tensor, Variable)):
            raise ValueError(
                f"fn decorated with @recompute_grad closes over Tensor {cell.cell_contents.name} (local variable name: "
                f"{name}). The decorated fn must not close over Tensors or Variables because gradients will NOT be "
                "computed for them through fn. To ensure correct gradients, make the Tensor an input to fn."
            )
    tells = "is_recomputing" in inspect.signature(fn).parameters

    def call(args, again):
        return fn(*args, **({"is_recomputing": again} if tells else {}))

    @functools.wraps(fn)
    def wrapped(*args):
        for arg in args:
            if not isinstance(arg, Tensor):
                raise ValueError("All inputs to function must be Tensors")
        return _recomputed(call, args, tupleize_grads)

    return wrapped


def _recomputed(call, args, tupleize_grads):
    defaults = current_arg_scope()

    def finish(grads, count):
        if any(grad is None for grad in grads[count:]):
            raise ValueError(_WRONG_VARIABLES)
        return tuple_of(grads) if tupleize_grads else grads

    return recomputed(call, args, lambda: arg_scope(defaults), finish)
