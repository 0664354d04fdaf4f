"""What is done to an argument of a valid call, and what comes of the call: run by tfcore and by TensorFlow alike.

This file imports neither library: `tf` is given.
"""

import ast
import functools

import numpy as np

OPERATORS = (
    "__add__ __and__ __floordiv__ __ge__ __getitem__ __gt__ __le__ __lt__ __matmul__ __mod__ __mul__ __or__ __pow__ "
    "__radd__ __rsub__ __sub__ __truediv__ __xor__"
).split()


class Values:
    """The names that the table of calls may use for arguments: arrays of a shape with elements of a type."""

    def __init__(self, tf):
        self.names = {
            "f": lambda *shape: self._ramp(shape).astype(np.float32),
            "d": lambda *shape: self._ramp(shape).astype(np.float64),
            "i": lambda *shape: np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape) % 2,
            "l": lambda *shape: np.arange(np.prod(shape, dtype=int), dtype=np.int64).reshape(shape) % 2,
            "b": lambda *shape: (np.arange(np.prod(shape, dtype=int)) % 2 == 0).reshape(shape),
            "c": lambda *shape: (self._ramp(shape) + 0.5j).astype(np.complex64),
            "s": lambda *shape: np.full(shape, b"ab", dtype=object),
            "v": lambda *shape: tf.Variable(self._ramp(shape).astype(np.float32)),
            "spd": lambda n: (np.eye(n) * n + 0.1 * np.ones((n, n))).astype(np.float32),
            "np": np,
            "tf": tf,
        }

    @staticmethod
    def _ramp(shape):
        return (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 7 + 1) / 8.0

    def arguments(self, source):
        """The arguments of a call, written as in Python: {name: value}."""
        call = ast.parse(f"f({source})", mode="eval").body
        return {k.arg: eval(compile(ast.Expression(k.value), "<call>", "eval"), self.names) for k in call.keywords}


def damages(tf, value):
    """{name: (value, fed)} of what the argument is replaced by; `fed` is what to feed if it is a placeholder."""
    found = {
        "none": None,
        "text": "text",
        "object": _Thing(),
        "dimension": tf.Dimension(2),
        "numpy scalar": np.float32(1.5),
        "empty list": [],
        "negative": -1,
        "half": 0.5,
        "true": True,
    }
    if isinstance(value, np.ndarray):
        found.update(_other_arrays(value))
    elif isinstance(value, (list, tuple)) and value:
        found.update({"longer": [*value, value[-1]], "shorter": list(value[:-1]), "nested": [list(value)]})
        found["with none"] = [None, *value[1:]]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        found.update({"list": [value, value], "large": 1000})
    cases = {name: (damaged, None) for name, damaged in found.items()}
    if isinstance(value, np.ndarray):
        cases.update(_unknown(tf, value))
    return cases


class _Thing:
    """An object that no function expects."""

    def __repr__(self):
        return "<thing>"


def _other_arrays(value):
    found = {"deeper": value[None]}
    if value.ndim:
        found["longer"] = np.concatenate([value, value[-1:]])
        found["flatter"] = value[0]
        found["longer at the end"] = np.concatenate([value, value[..., -1:]], -1)
        found["no rows"] = value[:0]
    if value.dtype != object:
        for kind in (np.int32, np.float32, np.float64, np.complex64, np.bool_):
            if value.dtype != kind:
                found[kind.__name__] = value.real.astype(kind)
        found["strings"] = np.full(value.shape, b"ab", dtype=object)
        found["uint8"] = value.real.astype(np.uint8)
    return found


def _unknown(tf, value):
    dtype = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
    cases = {"unknown shape": (tf.placeholder(dtype, None), value)}
    cases["unknown sizes"] = (tf.placeholder(dtype, [None] * value.ndim), value)
    if value.ndim:
        wrong = np.concatenate([value, value[-1:]])
        cases["longer when run"] = (tf.placeholder(dtype, None), wrong)
    cases["deeper when run"] = (tf.placeholder(dtype, None), value[None])
    return cases


def outcome(tf, function, arguments, feeds):
    """What comes of a call: "ok", or "build" or "run" and the class of the error."""
    try:
        result = function(**arguments)
    except Exception as error:
        return f"build {_name(tf, error)}"
    fetches = list(_tensors(tf, result))
    if not fetches:
        return "ok"
    try:
        with tf.Session() as session:
            session.run([v.initializer for v in tf.global_variables() + tf.local_variables()])
            session.run(fetches, feeds)
    except Exception as error:
        return f"run {_name(tf, error)}"
    return "ok"


def _name(tf, error):
    """The public class: TensorFlow has private subclasses."""
    for cls in type(error).__mro__:
        if hasattr(tf.errors, cls.__name__) or cls.__module__ == "builtins":
            return cls.__name__
    return type(error).__name__


def _tensors(tf, result):
    if isinstance(result, (tf.Tensor, tf.Operation, tf.SparseTensor, tf.Variable)):
        yield result
    elif isinstance(result, tf.IndexedSlices):
        yield from (result.values, result.indices)
    elif hasattr(result, "nested_row_splits"):  # a RaggedTensor
        yield from (result.flat_values, *result.nested_row_splits)
    elif isinstance(result, dict):
        for value in result.values():
            yield from _tensors(tf, value)
    elif isinstance(result, (list, tuple)):
        for value in result:
            yield from _tensors(tf, value)


def plan(tf, source):
    """The cases of a call: pairs of argument and damage. The first, (None, None), is the undamaged call."""
    with tf.Graph().as_default():
        arguments = Values(tf).arguments(source)
        return [(None, None)] + [(k, damage) for k, v in arguments.items() if k != "self" for damage in damages(tf, v)]


def run(tf, name, source, argument, damage):
    """What comes of one case: see `outcome`."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        arguments = Values(tf).arguments(source)
        function = find(arguments.pop("self"), name.split(".")[-1]) if "self" in arguments else find(tf, name)
        feeds = {}
        if argument is not None:
            value, fed = damages(tf, arguments[argument])[damage]
            arguments[argument] = value
            if fed is not None:
                feeds[value] = fed
        if name.split(".")[-1] in OPERATORS:  # their parameters have other names in each library
            function, arguments = functools.partial(function, *arguments.values()), {}
        return outcome(tf, function, arguments, feeds)


def find(tf, name):
    """The function of a name such as "nn.relu"; AttributeError if there is none."""
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


def case_name(argument, damage):
    return "" if argument is None else f"{argument}: {damage}"


def outcomes(tf, name, source):
    """{"argument: damage": outcome} of all cases of a call."""
    return {case_name(*case): run(tf, name, source, *case) for case in plan(tf, source)}
