"""A row of the table: one piece of work that each library does, and how fast it must be.

The file of a question makes programs: `graph(tf)` for tfcore and TensorFlow alike, `torch(torch)` for PyTorch, each
returning a Program. Results are compared before anything is timed.
"""

import importlib
import statistics

import numpy as np

# One module per question, each with ROWS: for `python -m bench`, and for tables with a separate program.
QUESTIONS = ("session", "build", "softmax", "mlp", "lenet", "matmul", "conv", "parse")
CONTROL_FLOW = ("control_flow.loop", "control_flow.lstm")
CUDA = ("cuda.steps", "cuda.memory", "cuda.arithmetic")


class Program:
    """Something to time, and its result to check.

    run: does the work once. result: returns an array that all libraries must agree on, or None if there is nothing to
    compare. single: run takes seconds, so one call makes a turn.
    """

    def __init__(self, run, result=None, single=False):
        self.run = run
        self.result = result or (lambda: np.zeros(0))
        self.single = single


class Row:
    """One line of the table.

    Args:
      name, unit: as shown. "s", "ms" and "us" are times of one run; other units are work / time.
      graph, torch: program makers; torch may be None.
      reference: (TensorFlow's number, PyTorch's or None, the number to reach), measured together on one machine; their
        ratios are the floors. None: nothing has to be reached.
      work: how much of the unit one run does, for units that are not times.
      expected: function that returns the right result, or None to compare libraries with each other.
      tolerance: of results, relative to the largest element.
    """

    def __init__(self, name, unit, graph, torch=None, *, reference=None, work=None, expected=None, tolerance=1e-3):
        self.name = name
        self.unit = unit
        self.graph = graph
        self.torch = torch
        self.reference = reference
        self.work = work
        self.expected = expected
        self.tolerance = tolerance

    @property
    def less_is_better(self):
        return self.unit in _TIMES

    def value(self, seconds):
        """A time in the row's unit."""
        return seconds * _TIMES[self.unit] if self.less_is_better else self.work / seconds

    def floors(self):
        """Library -> how many times faster tfcore has to be."""
        tensorflow, torch, reach = self.reference or (None, None, None)
        pairs = (("tensorflow", tensorflow), ("torch", torch))
        return {k: (v / reach if self.less_is_better else reach / v) for k, v in pairs if v is not None}

    def ratios(self, values):
        """Library -> how many times faster tfcore is, from values in the row's unit."""
        ours = values.get("tfcore")
        peers = {k: v for k, v in values.items() if k != "tfcore" and ours}
        return {k: (v / ours if self.less_is_better else ours / v) for k, v in peers.items()}

    def is_met(self, values):
        """Whether every ratio to a peer that ran reaches its floor; without peers, the number itself."""
        ratios, floors = self.ratios(values), self.floors()
        checked = [ratios[k] >= floors[k] for k in ratios if k in floors]
        if checked:
            return all(checked)
        if self.reference is None:
            return True
        ours, reach = values["tfcore"], self.reference[2]
        return ours <= reach if self.less_is_better else ours >= reach


_TIMES = {"s": 1.0, "ms": 1e3, "us": 1e6}


def all_rows(questions=QUESTIONS):
    """All rows in the order of the questions."""
    return [row for name in questions for row in importlib.import_module(f"bench.{name}").ROWS]


def find_row(name):
    return next(row for row in all_rows(QUESTIONS + CONTROL_FLOW + CUDA) if row.name == name)


def compare(row, results):
    """Largest difference of each library's result from the right one, relative to its largest element."""
    first = next(iter(results.values()))
    expected = row.expected() if row.expected else first
    expected = np.asarray(expected, np.float64)
    scale = max(float(np.abs(expected).max()), 1e-30) if expected.size else 1.0
    errors = {}
    for library, result in results.items():
        result = np.asarray(result, np.float64)
        if result.shape != expected.shape:
            raise ValueError(f"{row.name}: {library} gives shape {result.shape}, not {expected.shape}")
        errors[library] = float(np.abs(result - expected).max()) / scale if result.size else 0.0
        if not errors[library] <= row.tolerance:
            raise ValueError(f"{row.name}: the result of {library} is wrong by {errors[library]:.1e}")
    return errors


def median(values):
    return statistics.median(values)
