"""tensorflow.python.eager.context: there is only graph mode."""

import contextlib

from tfcore.client.config import number_of_gpus
from tfcore.framework.behavior import enable_eager_execution, executing_eagerly
from tfcore.framework.graph.default_graph import get_default_graph

GRAPH_MODE = 0
EAGER_MODE = 1
default_execution_mode = GRAPH_MODE
executing_eagerly_v1 = executing_eagerly
in_eager_mode = executing_eagerly


def in_graph_mode():
    """True."""
    return True


class Context:
    """The state that TensorFlow keeps for eager execution, as far as graph mode has it."""

    context_switches = ()

    def executing_eagerly(self):
        return False

    in_eager_mode = executing_eagerly

    def in_graph_mode(self):
        return True

    def num_gpus(self):
        return num_gpus()

    @property
    def device_name(self):
        return None

    @property
    def scope_name(self):
        return get_default_graph().get_name_scope()


_context = Context()


def context():
    """The one Context."""
    return _context


def context_safe():
    """The one Context."""
    return _context


def ensure_initialized():
    """Does nothing."""


def num_gpus():
    """How many GPUs there are."""
    return number_of_gpus()


@contextlib.contextmanager
def graph_mode():
    """A context manager that changes nothing."""
    yield


def eager_mode():
    """Raises an error: there is only graph mode."""
    enable_eager_execution()


def device(name):
    """tf.device."""
    return get_default_graph().device(name)
