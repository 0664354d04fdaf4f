"""ProgressBarHook: shows how far training is."""

import sys
import time

from tqdm import tqdm

from tfcore.framework.graph.default_graph import GraphKeys, get_collection
from tfcore.ops.cwise.nary import add_n
from tfcore.train.hooks.basic_session_run_hooks import StopAtStepHook, global_step_for
from tfcore.train.session_run_hook import SessionRunArgs, SessionRunHook

_BAR_SECONDS = 0.2  # between two states of the bar
_FIRST_LINE, _LAST_LINE = 10, 600  # seconds between lines: at first and at most


class ProgressBarHook(SessionRunHook):
    """Shows the step, the loss, the steps per second and the time left on standard error.

    On a terminal it is a bar; elsewhere lines come at growing intervals.

    The loss is fetched with a step now and then, if the step feeds all placeholders that the loss needs.

    Args:
      loss: A scalar `Tensor` (default: the sum of the losses in the graph's collections, if there are any).
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
        losses = get_collection(GraphKeys.LOSSES)
        if self._loss is None and losses:
            self._loss = add_n([*losses, *get_collection(GraphKeys.REGULARIZATION_LOSSES)])
        self._placeholders = set() if self._loss is None else _placeholders_of(self._loss)

    def after_create_session(self, session, coord):
        self._close()
        self._first, self._start = int(session.run(self._global_step)), time.monotonic()
        self._seconds = _FIRST_LINE
        if sys.stderr.isatty():
            self._seconds = _BAR_SECONDS
            self._bar = tqdm(initial=self._first, file=sys.stderr, unit="step")
        self._next = self._start + self._seconds

    def before_run(self, run_context):
        if time.monotonic() < self._next:
            return None
        fetches = [self._global_step]
        if self._loss is not None and self._placeholders.issubset(run_context.original_args.feed_dict or ()):
            fetches.append(self._loss)
        return SessionRunArgs(fetches)

    def after_run(self, run_context, run_values):
        if run_values.results is not None:
            self._show(int(run_values.results[0]), *run_values.results[1:])
            self._next = time.monotonic() + self._seconds

    def end(self, session):
        self._show(int(session.run(self._global_step)))
        self._close()

    def _show(self, step, loss=None):
        last = self._last_step.last_step if isinstance(self._last_step, StopAtStepHook) else self._last_step
        text = None if loss is None else f"loss={loss:.4g}"
        if self._bar is not None:
            self._bar.total = last
            if text:
                self._bar.set_postfix_str(text, refresh=False)
            self._bar.n = step
            self._bar.refresh()
            return
        elapsed = time.monotonic() - self._start
        line = tqdm.format_meter(step, last, elapsed, unit="step", postfix=text, initial=self._first, ncols=0)
        print(line, file=sys.stderr, flush=True)
        self._seconds = min(2 * self._seconds, _LAST_LINE)

    def _close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _placeholders_of(tensor):
    """The tensors that have to be fed for this one."""
    seen, todo, found = {tensor.op}, [tensor.op], set()
    while todo:
        op = todo.pop()
        if op.type in ("Placeholder", "PlaceholderV2"):
            found.add(op.outputs[0])
        new = {t.op for t in op.inputs} | set(op.control_inputs)
        todo += new - seen
        seen |= new
    return found
