"""Benchmark, and `tf.test.main`, which runs benchmarks instead of tests if the command line says so."""

import inspect
import numbers
import os
import re
import statistics
import sys
import time

from absl import app
from absl.testing import absltest

from tfcore.client.metadata import RunMetadata
from tfcore.client.session import Session
from tfcore.client.timeline import Timeline
from tfcore.framework import protos
from tfcore.framework.graph.default_session import get_default_session
from tfcore.platform import io_gfile, tf_logging

_OUTPUT = "TEST_REPORT_FILE_PREFIX"  # the environment variable that TensorFlow reads
_FLAGS = ("--benchmark_filter=", "-benchmark_filter=", "--benchmarks=", "-benchmarks=")
_registered = []


class _Registered(type):
    """The metaclass of Benchmark: knows its subclasses."""

    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)
        if not cls.is_abstract():
            _registered.append(cls)


class Benchmark(metaclass=_Registered):
    """Base class of benchmarks: methods whose names begin with `benchmark`.

    `tf.test.main()` runs those that the command-line flag `--benchmark_filter=REGEX` selects ("all" for all).
    """

    @classmethod
    def is_abstract(cls):
        """Whether this is the base class itself, not one with benchmarks.

        Returns:
          A bool.
        """
        return len(cls.mro()) <= 2

    def report_benchmark(
        self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None
    ):
        """Prints a result in the text form of TensorFlow's BenchmarkEntries.

        With the environment variable TEST_REPORT_FILE_PREFIX it is written to the file of this prefix and the name.

        Args:
          iters: How many steps were timed (optional).
          cpu_time: Seconds of processor time of one (optional).
          wall_time: Seconds of one (optional).
          throughput: Megabytes per second (optional).
          extras: A dict from names to numbers or strings (optional).
          name: Name of the benchmark, instead of the method's.
          metrics: A list of dicts with keys `name` and `value`, also `min_value` and `max_value` (optional).

        Raises:
          TypeError: `extras` or `metrics` has another form.
          OSError: The file exists.
        """
        name = f"{type(self).__name__}.{name or self._running_method()}"
        times = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput}
        tf_logging.info("Benchmark [%s] %s, extras: %s, metrics: %s", name, times, extras, metrics)
        text = _entry(name, times, extras, metrics)
        prefix = os.environ.get(_OUTPUT)
        if prefix is None:
            print(text)
            return
        path = prefix + name.replace("/", "__")
        if io_gfile.exists(path):
            raise OSError(f"File already exists: {path}")
        with io_gfile.GFile(path, "w") as file:
            file.write(text)

    def _running_method(self):
        for frame in reversed(inspect.stack(0)):
            if isinstance(frame.frame.f_locals.get("self"), Benchmark):
                return frame.function
        raise ValueError("Unable to determine calling Benchmark class.")

    def run_op_benchmark(
        self,
        sess,
        op_or_tensor,
        feed_dict=None,
        burn_iters=2,
        min_iters=10,
        store_trace=False,
        store_memory_usage=True,
        name=None,
        extras=None,
        mbs=0,
    ):
        """Times runs of an operation and reports the median.

        Args:
          sess: The `Session`.
          op_or_tensor: The `Operation` or `Tensor`.
          feed_dict: Values to feed (optional).
          burn_iters: How many runs precede the timed ones.
          min_iters: How many runs are timed.
          store_trace: Whether the result has a Chrome trace of a further run, `full_trace_chrome_format`.
          store_memory_usage: Whether the most memory that a further run held is reported, for each allocator.
          name: Name of the benchmark, instead of the method's.
          extras: A dict of what else to report (optional).
          mbs: Megabytes that a run moves, for the throughput.

        Returns:
          A dict: the arguments of `report_benchmark`, and what it did not print: mean and deviation, the trace.

        Raises:
          tf.errors.OpError: An operation fails.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.perf_counter() - start)
        extras, unreported = dict(extras or {}), {}
        if store_trace or store_memory_usage:
            metadata = RunMetadata()
            options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
            sess.run(op_or_tensor, feed_dict=feed_dict, options=options, run_metadata=metadata)
            if store_trace:
                unreported["full_trace_chrome_format"] = Timeline(metadata.step_stats).generate_chrome_trace_format()
            if store_memory_usage:
                for allocator, size in _most_memory(metadata.step_stats).items():
                    extras[f"allocator_maximum_num_bytes_{allocator}"] = size
        median = statistics.median(times) if times else -1
        values = {"iters": min_iters, "wall_time": median, "extras": extras, "name": name, "throughput": mbs / median}
        self.report_benchmark(**values)
        unreported["wall_time_mean"] = statistics.mean(times) if times else -1
        unreported["wall_time_stdev"] = statistics.stdev(times) if len(times) > 1 else -1
        extras.update(unreported)
        return values

    def evaluate(self, tensors):
        """Computes tensors in the default session, or in a new one.

        Args:
          tensors: A `Tensor`, or a structure of `Tensor`s.

        Returns:
          Arrays in the same structure.
        """
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with Session() as session:
            return session.run(tensors)


def _most_memory(step_stats):
    """{allocator: the most bytes that the step held}"""
    changes = {}
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            for used in node.memory:
                found = changes.setdefault(used.allocator_name, [])
                found += [(r.alloc_micros, r.alloc_bytes) for r in used.allocation_records]
    most = {}
    for allocator, records in changes.items():
        held = most[allocator] = 0
        for _, size in sorted(records, key=lambda r: (r[0], -r[1])):
            held += size
            most[allocator] = max(most[allocator], held)
    return most


def _entry(name, times, extras, metrics):
    """A BenchmarkEntries message as text."""
    lines = [f'  name: "{name}"'] + [f"  {key}: {value}" for key, value in times.items() if value is not None]
    if extras is not None and not isinstance(extras, dict):
        raise TypeError("extras must be a dict")
    for key, value in (extras or {}).items():
        text = f"double_value: {float(value)}" if isinstance(value, numbers.Number) else f'string_value: "{value}"'
        lines += ["  extras {", f'    key: "{key}"', "    value {", f"      {text}", "    }", "  }"]
    if metrics is not None and not isinstance(metrics, list):
        raise TypeError("metrics must be a list")
    for metric in metrics or ():
        for field in ("name", "value"):
            if field not in metric:
                raise TypeError(f"metric must has a '{field}' field")
        lines += ["  metrics {", f'    name: "{metric["name"]}"', f"    value: {metric['value']}"]
        for field in ("min_value", "max_value"):
            if field in metric:
                lines += [f"    {field} {{", f"      value: {metric[field]}", "    }"]
        lines.append("  }")
    return "\n".join(["entry {", *lines, "}", ""])


def _run_benchmarks(regex):
    found = False
    for cls in list(_registered):
        instance = None
        for name in dir(cls):
            full_name = f"{cls.__module__}.{cls.__name__}.{name}"
            if name.startswith("benchmark") and callable(getattr(cls, name)):
                if regex == "all" or re.search(regex, full_name):
                    found = True
                    instance = instance or cls()
                    getattr(instance, name)()
    if not found:
        raise ValueError(f"No benchmarks matched the pattern: '{regex}'")


def main(argv=None):
    """Runs the tests of the main module, or with the flag `--benchmark_filter=REGEX` its benchmarks.

    Args:
      argv: The command line, a list of strings with the program first; `sys.argv` by default.

    Raises:
      SystemExit: The tests have ended.
      ValueError: No benchmark matches the flag.
    """
    argv = sys.argv if argv is None else argv
    patterns = [arg.partition("=")[2] for arg in argv if arg.startswith(_FLAGS)]
    if patterns:
        app.run(lambda _: _run_benchmarks(patterns[0]), argv=[arg for arg in argv if not arg.startswith(_FLAGS)])
    else:
        app.run(lambda arguments: absltest.main(argv=arguments), argv=argv)
