"""ProgressBarHook: shows how far training is."""

import contextlib
import sys
import time

import numpy as np
from tqdm import tqdm

from tfcore.client.fetches import FetchPlan, feed_tensors
from tfcore.compiler.ir import build
from tfcore.core.threads import progress
from tfcore.framework.graph.default_graph import GraphKeys, get_collection
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.train.hooks.basic_session_run_hooks import StopAtStepHook, global_step_for
from tfcore.train.session_run_hook import CleanUpHook, SessionRunArgs

_BAR_SECONDS = 0.2  # between two states of the bar
_FIRST_LINE, _LAST_LINE = 10, 600  # seconds between lines: at first and at most


class ProgressBarHook(CleanUpHook):
    """Shows the step, the loss, the steps per second and the time left on standard error.

    On a terminal it is a bar; elsewhere lines come at growing intervals.

    The loss is fetched with a step now and then, unless that would change the step: it needs a variable, a placeholder
    or an operation with an effect, such as one that dequeues, that the step does not use.

    Args:
      loss: A scalar `Tensor` (default: the sum of the losses in the graph's collections that are scalars, and neither
        in a loop nor in a branch of a conditional).
      last_step: The global step at which training ends, or the `StopAtStepHook` that knows it (optional).

    Raises:
      RuntimeError: When the session is made: the graph has no global step.
    """

    def __init__(self, loss=None, last_step=None):
        self._loss = loss
        self._last_step = last_step
        self._bar = None

    def begin(self):
        self._global_step = global_step_for(self)
        losses = [*get_collection(GraphKeys.LOSSES), *get_collection(GraphKeys.REGULARIZATION_LOSSES)]
        tensors = map(convert_to_tensor, losses if self._loss is None else [self._loss])
        self._losses = [t for t in tensors if _may_be_number(t) and t.graph.is_fetchable(t)]
        self._has_loss = {}  # what a step fetches and is fed -> whether the losses are fetched with it

    def after_create_session(self, session, coord):
        self._first, self._start = int(session.run(self._global_step)), time.monotonic()
        self._seconds = _FIRST_LINE
        if progress.is_terminal():
            self._seconds = _BAR_SECONDS
            self._bar = tqdm(initial=self._first, file=sys.stderr, unit="step")
        self._next = self._start + self._seconds

    def before_run(self, run_context):
        if time.monotonic() < self._next:
            return None
        losses = self._losses if self._may_fetch_losses(run_context.original_args) else []
        return SessionRunArgs([self._global_step, losses])

    def after_run(self, run_context, run_values):
        if run_values.results is not None:
            self._show(int(run_values.results[0]), run_values.results[1])
            self._next = time.monotonic() + self._seconds

    def end(self, session):
        self._show(int(session.run(self._global_step)))

    def clean_up(self):
        if self._bar is not None:
            with contextlib.suppress(OSError):
                self._bar.close()
            self._bar = None

    def _may_fetch_losses(self, args):
        """Whether a step stays as it is if the losses are fetched with it. args: its `SessionRunArgs`."""
        fetch = FetchPlan(self._global_step.graph, args.fetches)
        feeds = feed_tensors(self._global_step.graph, args.feed_dict or ())
        key = tuple(fetch.tensors), tuple(fetch.targets), tuple(feeds)
        if key not in self._has_loss:
            step = _effects(fetch.tensors, feeds, fetch.targets)
            self._has_loss[key] = _effects(self._losses, feeds) <= step
        return self._has_loss[key]

    def _show(self, step, losses=()):
        last = self._last_step.last_step if isinstance(self._last_step, StopAtStepHook) else self._last_step
        numbers = [float(loss) for loss in losses if np.ndim(loss) == 0]
        text = f"loss={sum(numbers):.4g}" if numbers else None
        if self._bar is not None:
            self._bar.total = last
            if text:
                self._bar.set_postfix_str(text, refresh=False)
            self._bar.n = step
            with contextlib.suppress(OSError):  # the terminal is gone
                self._bar.refresh()
            return
        elapsed = time.monotonic() - self._start
        line = tqdm.format_meter(step, last, elapsed, unit="step", postfix=text, initial=self._first, ncols=0)
        progress.write(f"{line}\n")
        self._seconds = min(2 * self._seconds, _LAST_LINE)


def _may_be_number(tensor):
    dtype = tensor.dtype.base_dtype
    return (dtype.is_floating or dtype.is_integer) and tensor.shape.ndims in (0, None)


def _effects(tensors, feeds, targets=()):
    """The operations of a step that do more than compute a value from values."""
    nodes = [node for node in build(tensors, feeds, targets).nodes if not node.is_feed]
    return {node.op for node in nodes if _has_effect(node)}


def _has_effect(node):
    return (
        node.op_def.stateful
        or node.may_write()
        or node.type in ("Placeholder", "PlaceholderV2")
        or any(source.dtypes[index] is dtypes.resource for source, index in node.inputs)
    )
