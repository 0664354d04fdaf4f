"""Runs a TensorFlow 1 program, in TensorFlow or in tfcore, and writes down what its sessions return.

    PYTHON program_runner.py SETTINGS.json PROGRAM [ARGUMENT ...]

Both libraries get the same seeds, and variables the same initial values: the first of two runs writes these to a file,
the second reads them. Imports neither library before it knows which one to run.
"""

import atexit
import functools
import importlib
import importlib.util
import json
import os
import random
import runpy
import sys
import threading
import types

import numpy as np

SEED = 1
_LAYERS = ("base", "core", "convolutional", "normalization", "pooling")


class Stop(BaseException):
    """Enough calls of `Session.run`."""


class Recorder:
    """What the calls of `Session.run` return, the initial values of variables, and their last values.

    Of a `MonitoredSession` only what the program gets counts: each library has calls of its own to prepare sessions and
    for hooks. Calls of other threads do not count: those that fill queues end whenever they come to it.

    Args:
      settings: A dict: `runs`, `initial` (a file), `out` (a file), `first` (whether this run writes `initial`).
      run: The library's own `Session.run`.
    """

    def __init__(self, settings, run):
        self._settings, self._run = settings, run
        self._results, self._sessions, self._count, self._inside = {}, [], 0, False
        self._monitored = 0  # how many methods of a MonitoredSession are running, one within another
        self._initial = {} if settings["first"] else dict(np.load(settings["initial"]))

    def run(self, session, fetches, *args, **kwargs):
        """Stands for `Session.run`."""
        if self._inside or threading.current_thread() is not threading.main_thread():
            return self._run(session, fetches, *args, **kwargs)
        if not self._monitored:
            self._stop_after_enough()
        self._inside = True
        try:
            result = self._run(session, fetches, *args, **kwargs)
            state = self._state_of(session)
            self._transfer(session, state)
        finally:
            self._inside = False
        if not self._monitored:
            self._record(result)
        return result

    def watch(self, monitored_session):
        """Makes the methods of a class that run sessions count as one call, or as none if they return no values."""
        for name in ("__init__", "run", "run_step_fn", "close", "__exit__"):
            setattr(monitored_session, name, self._watched(getattr(monitored_session, name), name == "run"))

    def _watched(self, method, has_values):
        def call(*args, **kwargs):
            counts = has_values and not self._monitored
            if counts:
                self._stop_after_enough()
            self._monitored += 1
            try:
                result = method(*args, **kwargs)
            finally:
                self._monitored -= 1
            if counts:
                self._record(result)
            return result

        return functools.wraps(method)(call)

    def _stop_after_enough(self):
        if self._count >= self._settings["runs"]:
            self.finish()
            raise Stop

    def _record(self, result):
        for i, value in enumerate(_arrays(result)):
            self._results[f"run {self._count}, value {i}"] = value
        self._count += 1

    def _state_of(self, session):
        """Of a session: its number, and the names of the variables that have been seen initialized."""
        for state in self._sessions:
            if state[0] is session:
                return state
        self._sessions.append((session, len(self._sessions), set()))
        return self._sessions[-1]

    def _variables(self, session):
        graph = session.graph
        return [*graph.get_collection("variables"), *graph.get_collection("local_variables")]

    def _transfer(self, session, state):
        """Reads or sets the variables that are initialized now and were not before."""
        _, number, known = state
        for variable in self._variables(session):
            if variable.name in known:
                continue
            try:
                value = self._run(session, variable)
            except Exception:  # not initialized yet, of whichever class of the library
                continue
            known.add(variable.name)
            key = f"{number}/{variable.name}"
            if self._settings["first"]:
                self._initial[key] = value
            elif key in self._initial and value.dtype.kind in "fc":
                variable.load(self._initial[key], session)

    def finish(self):
        """Reads the variables of open sessions and writes everything."""
        if self._inside:
            return
        self._inside = True
        for session, number, known in self._sessions:
            for variable in self._variables(session):
                if variable.name in known:
                    try:
                        self._results[f"session {number}, {variable.name}"] = self._run(session, variable)
                    except Exception:  # the session is closed
                        break
        np.savez(self._settings["out"], **self._results)
        if self._settings["first"]:
            np.savez(self._settings["initial"], **self._initial)


def _arrays(value):
    """The numbers and arrays in a nested structure."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays(item)]
    array = np.asarray(value)
    return [array] if array.dtype.kind in "bifcu" else []


def prepare_tfcore():
    import tfcore
    import tfcore.as_tensorflow

    tfcore.as_tensorflow.install()
    return tfcore.Session, tfcore.train.MonitoredSession.__base__, tfcore.Graph, tfcore.get_default_graph


def prepare_tensorflow():
    """Makes `import tensorflow` answer with version 1 of its API and with the parts of tf.contrib that there are."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import tensorflow
    import tensorflow.compat.v1 as tf
    from tensorflow.python.client.session import BaseSession
    from tf_keras.src import legacy_tf_layers

    tf.disable_v2_behavior()
    layers = [importlib.import_module(f"{legacy_tf_layers.__name__}.{name}") for name in _LAYERS]
    for module in (legacy_tf_layers, *layers):
        sys.modules[module.__name__.replace("tf_keras.src", "tf_keras")] = module
    shim = types.ModuleType("tensorflow")
    shim.__getattr__ = lambda name: getattr(tf, name)
    shim.__path__ = tensorflow.__path__
    shim.__version__ = shim.VERSION = "1.15.5"
    shim.layers = types.ModuleType("tensorflow.layers")
    for module in layers:
        vars(shim.layers).update({k: v for k, v in vars(module).items() if not k.startswith("_")})
    shim.contrib = _contrib(tf)
    control_flow_ops = importlib.import_module("tensorflow.python.ops.control_flow_ops")
    for name in ("case", "cond", "while_loop"):  # where version 1 had them
        setattr(control_flow_ops, name, getattr(tf, name))
    sys.modules["tensorflow"] = shim
    for name, value in vars(shim.contrib).items():
        sys.modules[f"tensorflow.contrib.{name}"] = value
    sys.modules["tensorflow.contrib"] = shim.contrib
    _tutorials(tf)
    return BaseSession, tf.train.MonitoredSession.__base__, tf.Graph, tf.get_default_graph


def _contrib(tf):
    """What there is of tf.contrib: `tf_slim`, and names that moved to tf.nn and tf.data."""
    contrib = types.ModuleType("tensorflow.contrib")
    contrib.data = types.ModuleType("tensorflow.contrib.data")
    for source in (tf.data.experimental, tf.data):
        vars(contrib.data).update({n: getattr(source, n) for n in dir(source) if not n.startswith("_")})
    contrib.rnn = types.ModuleType("tensorflow.contrib.rnn")
    for source, names in ((tf.nn.rnn_cell, dir(tf.nn.rnn_cell)), (tf.nn, ["static_rnn", "static_bidirectional_rnn"])):
        vars(contrib.rnn).update({n: getattr(source, n) for n in names if not n.startswith("_")})
    if importlib.util.find_spec("tf_slim"):
        contrib.slim = importlib.import_module("tf_slim")
        contrib.layers = sys.modules["tf_slim.layers"]  # the attribute of that name is another module
        contrib.framework = types.ModuleType("tensorflow.contrib.framework")
        for name in ("arg_scope", "variables"):
            module = importlib.import_module(f"tf_slim.ops.{name}")
            vars(contrib.framework).update({n: getattr(module, n) for n in module.__all__})
    return contrib


def _tutorials(tf):
    """tensorflow.examples.tutorials.mnist: tfcore's modules, which get TensorFlow in the place of tfcore."""
    ours, name = "tfcore.examples.tutorials.mnist", "tensorflow.examples.tutorials.mnist"
    datasets = "tensorflow.contrib.learn.python.learn.datasets"  # has the reader, too
    for module in (name, datasets):
        parts = module.split(".")
        for n in range(2, len(parts) + 1):
            parent = ".".join(parts[:n])
            sys.modules.setdefault(parent, types.ModuleType(parent)).__path__ = []
    sys.modules[name] = importlib.import_module(ours)
    sys.modules[f"{name}.input_data"] = reader = importlib.import_module(f"{ours}.input_data")
    sys.modules[f"{name}.mnist"] = network = importlib.import_module(f"{ours}.mnist")
    sys.modules[f"{datasets}.mnist"] = sys.modules[datasets].mnist = reader
    reader.get_seed, network.tf = tf.get_seed, tf
    names = dict(vars(reader.dtypes))
    as_dtype = names["as_dtype"]
    names["as_dtype"] = lambda x: as_dtype(getattr(x, "name", x))  # also TensorFlow's types
    reader.dtypes = types.SimpleNamespace(**names)


def with_seed(make):
    """`Graph.__init__` that sets the graph's seed."""

    def initialize(graph, *args, **kwargs):
        make(graph, *args, **kwargs)
        graph.seed = SEED

    return initialize


def main(settings, program):
    prepare = prepare_tfcore if settings["library"] == "tfcore" else prepare_tensorflow
    session, monitored_session, graph, default_graph = prepare()
    graph.__init__ = with_seed(graph.__init__)
    default_graph().seed = SEED
    recorder = Recorder(settings, session.run)
    session.run = lambda self, *args, **kwargs: recorder.run(self, *args, **kwargs)
    recorder.watch(monitored_session)
    atexit.register(recorder.finish)
    random.seed(SEED)
    np.random.seed(SEED)
    sys.argv = program
    sys.path.insert(0, os.path.dirname(os.path.abspath(program[0])))
    try:
        runpy.run_path(program[0], run_name="__main__")
    except Stop:
        pass


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        main(json.load(file), sys.argv[2:])
