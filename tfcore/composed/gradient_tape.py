"""tf.GradientTape: gradients through the operations that were added to the graph while the tape was recording."""

import contextlib
import logging

from tfcore.framework.graph.default_graph import get_default_graph
from tfcore.framework.graph.graph import GraphKeys
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.tensor_kinds import is_tensor
from tfcore.ops.array import array, constants
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.functional import map_fn
from tfcore.ops.gradients.gradients import UnconnectedGradients, gradients
from tfcore.ops.indexing.select import one_hot
from tfcore.platform import tf_logging

_USED_UP = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"


class GradientTape:
    """Records operations, for gradients through them and no others.

    Gradients flow through operations that were added within the tape's `with` block and depend on what the tape
    watches: trainable variables, and tensors after `watch`. All other tensors are constants.

    Args:
      persistent: Whether `gradient` may be called more than once.
      watch_accessed_variables: Whether trainable variables are watched when they are used.

    Example:

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> print(sess.run(tape.gradient(y, x)))
    6.0
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._used = False
        self._start()

    def _start(self):
        self._graph = None
        self._begins_at = None  # while it records: how many operations the graph had when it began
        self._recorded = []  # ranges of positions in the graph's list of operations
        self._watched = []  # (number of operations of the graph at that time, tensor or variable)

    # ---- Recording

    @property
    def _recording(self):
        return self._begins_at is not None

    def __enter__(self):
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._graph = self._graph or get_default_graph()
        self._begins_at = self._graph.version
        return self

    def __exit__(self, kind, error, traceback):
        if self._recording:
            self._pause()

    def _pause(self):
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recorded.append(range(self._begins_at, self._graph.version))
        self._begins_at = None

    @contextlib.contextmanager
    def stop_recording(self):
        """A `with` block whose operations are not recorded.

        Yields:
          Nothing.

        Raises:
          ValueError: The tape is not recording.
          RuntimeError: The tape is not persistent and was used before.
        """
        if self._used:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._pause()
        try:
            yield
        finally:
            self._begins_at = self._graph.version

    def watch(self, tensor):
        """Watches tensors from now on.

        Args:
          tensor: A `Tensor` or `Variable`, or a nested structure of them.

        Raises:
          ValueError: One of them is neither.
        """
        for value in nest.flatten(tensor, expand_composites=True):
            if not is_tensor(value):
                raise ValueError(
                    f"Passed in object {value} of type {type(value).__name__!r}, not tf.Tensor or tf.Variable."
                )
            if not value.dtype.is_floating:
                tf_logging.log_first_n(
                    logging.WARNING,
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    5,
                    value.dtype,
                )
            graph = self._graph or value.graph
            self._watched.append((graph.version, value))

    def reset(self):
        """Forgets all that was recorded and watched.

        Raises:
          ValueError: The tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._start()
        self.__enter__()

    def watched_variables(self):
        """The variables that are watched, each once.

        Returns:
          A tuple of `Variable`s, in the order in which they were first used.
        """
        return self._follow()[1]

    # ---- What depends on watched tensors

    def _operations(self):
        """The operations recorded so far, in order."""
        if self._graph is None:
            return []
        ops = self._graph.ops
        ranges = [*self._recorded, range(self._begins_at, len(ops))] if self._recording else self._recorded
        return [ops[i] for part in ranges for i in part]

    def _follow(self):
        """(the recorded tensors and the watched ones that gradients flow through, the watched variables)."""
        variables = {}
        found = set()
        captured = dict(getattr(self._graph, "captures", ()))  # in a function: what stands for outer tensors

        def follow(*tensors):
            found.update(tensors)
            found.update(captured[t] for t in tensors if t in captured)

        explicit = [(when, value) for when, value in self._watched if not isinstance(value, Tensor)]
        for _, value in explicit:
            variables[value] = None
            follow(*_tensors_of(value))
        accessed = self._accessible_variables()
        accessed.update({inner: accessed[outer] for outer, inner in captured.items() if outer in accessed})
        waiting = sorted(((when, t) for when, t in self._watched if isinstance(t, Tensor)), key=lambda item: -item[0])
        ops = self._operations()
        for op in ops:
            while waiting and waiting[-1][0] < op._id:
                follow(waiting.pop()[1])
            for tensor in op.inputs:
                if tensor in accessed:
                    variable = accessed[tensor]
                    variables[variable] = None
                    follow(*_tensors_of(variable))
            if any(tensor in found for tensor in op.inputs):
                found.update(op.outputs)
        follow(*(tensor for _, tensor in waiting))
        self._follow_back_edges(ops, found)
        return found, tuple(variables)

    def _accessible_variables(self):
        if not self._watch_accessed_variables or self._graph is None:
            return {}
        trained = self._graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return {tensor: variable for variable in trained for tensor in _tensors_of(variable)}

    @staticmethod
    def _follow_back_edges(ops, found):
        """Loops lead back to operations that were added earlier."""
        if not any(op.type == "NextIteration" for op in ops):
            return
        before = -1
        while len(found) > before:
            before = len(found)
            for op in ops:
                if any(tensor in found for tensor in op.inputs):
                    found.update(op.outputs)

    # ---- Gradients

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        """Adds operations that compute the gradient of the sum of `target`.

        Args:
          target: A `Tensor` or a nested structure of them.
          sources: A `Tensor` or `Variable`, or a nested structure of them.
          output_gradients: The initial gradient of each target; ones where None.
          unconnected_gradients: A `tf.UnconnectedGradients`: the result for a source on which no target depends.

        Returns:
          A `Tensor`, `IndexedSlices` or None for each source, nested as `sources`.

        Raises:
          RuntimeError: The tape is not persistent and was used before, or it has not recorded anything yet.
          TypeError: There is no target.
          ValueError: `unconnected_gradients` or a shape is not valid.
        """
        self._use()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to "
                "be differentiated, but received None."
            )
        initial = None if output_gradients is None else nest.flatten(output_gradients)
        found = self._gradients(nest.flatten(target), nest.flatten(sources), initial, unconnected_gradients)
        return nest.pack_sequence_as(sources, found)

    def _use(self):
        if self._used or self._graph is None:
            raise RuntimeError(_USED_UP)
        if not self._persistent:
            self._used = True
            if self._recording:
                self._pause()
        elif self._recording:
            tf_logging.log_first_n(
                logging.WARNING,
                "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                "than calling it outside the context (it causes the gradient ops to be recorded on the tape, leading "
                "to increased CPU and memory usage). Only call GradientTape.gradient inside the context if you "
                "actually want to trace the gradient in order to compute higher order derivatives.",
                1,
            )

    def _gradients(self, targets, sources, initial, unconnected):
        found, variables = self._follow()

        def is_followed(value):
            return value in found if isinstance(value, Tensor) else value in variables

        initial = initial or [None] * len(targets)
        if len(initial) != len(targets):
            raise ValueError(f"Passed {len(initial)} output gradients for {len(targets)} targets")
        followed = [(y, grad) for y, grad in zip(targets, initial) if is_followed(y)]
        known = [is_followed(x) for x in sources]
        wanted = [x for x, there in zip(sources, known) if there]
        stops = list({t for op in self._operations() for t in op.inputs if t not in found})
        ys, grad_ys = [y for y, _ in followed], [grad for _, grad in followed]
        grads = iter(gradients(ys, wanted, grad_ys, stop_gradients=stops, unconnected_gradients=unconnected))
        if UnconnectedGradients(unconnected) is UnconnectedGradients.NONE:
            return [next(grads) if there else None for there in known]
        return [next(grads) if there else constants.zeros_like(source) for source, there in zip(sources, known)]

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """Adds operations that compute the gradient of each element of `target`, in a loop.

        Args:
          target: A `Tensor`.
          sources: A `Tensor` or `Variable`, or a nested structure of them.
          unconnected_gradients: A `tf.UnconnectedGradients`: the result for a source on which the target does not
            depend.
          parallel_iterations: How many elements may be computed at the same time.
          experimental_use_pfor: Accepted for compatibility.

        Returns:
          A `Tensor` of shape target.shape + source.shape, or None, for each source, nested as `sources`.

        Raises:
          RuntimeError: The tape is not persistent and was used before.
        """
        self._use()
        size = array.size(target)
        shape = array.shape(target)

        flat_sources = nest.flatten(sources)

        def row(i):
            initial = array.reshape(one_hot(i, size, dtype=target.dtype), shape)
            return self._gradients([target], flat_sources, [initial], unconnected_gradients)

        found = []
        for rows in _stacked(row, size, flat_sources, parallel_iterations):
            if rows is not None:
                rows_shape = target.shape.concatenate(rows.shape[1:])
                rows = array.reshape(rows, concat([shape, array.shape(rows)[1:]], 0))
                rows.set_shape(rows_shape)
            found.append(rows)
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """Adds operations that compute the gradients of each example's targets by the same example's sources.

        Args:
          target: A `Tensor` of shape [batch, ...]. Its row i depends on row i of the source alone.
          source: A `Tensor` of shape [batch, ...].
          unconnected_gradients: A `tf.UnconnectedGradients`: the result if the target does not depend on the source.
          parallel_iterations: How many elements may be computed at the same time.
          experimental_use_pfor: Accepted for compatibility.

        Returns:
          A `Tensor` of shape target.shape + source.shape[1:], or None.

        Raises:
          RuntimeError: The tape is not persistent and was used before.
          ValueError: The numbers of examples differ.
        """
        if not target.shape[:1].is_compatible_with(source.shape[:1]):
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match."
            )
        self._use()
        shape = array.shape(target)
        batch = shape[0]
        flat = array.shape(array.reshape(target, concat([[batch], [-1]], 0)))

        def column(j):
            chosen = one_hot(j, flat[1], dtype=target.dtype) * constants.ones(flat, target.dtype)
            return self._gradients([target], [source], [array.reshape(chosen, shape)], unconnected_gradients)

        [columns] = _stacked(column, flat[1], [source], parallel_iterations)
        if columns is None:
            return None
        by_example = array.transpose(columns, concat([[1, 0], constants.range(2, array.rank(columns))], 0))
        result = array.reshape(by_example, concat([shape, array.shape(source)[1:]], 0))
        result.set_shape(target.shape.concatenate(source.shape[1:]))
        return result


def _stacked(gradients_of, count, sources, parallel_iterations):
    """The results of `gradients_of(i)` for i < count, stacked for each source; None where they are None."""
    connected = []

    def body(i):
        grads = gradients_of(i)
        connected[:] = [grad is not None for grad in grads]
        return [
            constants.zeros([], s.dtype.base_dtype) if g is None else convert_to_tensor(g)
            for g, s in zip(grads, sources)
        ]

    types = [source.dtype.base_dtype for source in sources]
    rows = map_fn(body, constants.range(count), dtype=types, parallel_iterations=parallel_iterations)
    return [part if there else None for part, there in zip(rows, connected)]


def _tensors_of(variable):
    """The tensors through which operations use a variable."""
    return variable._sources()
