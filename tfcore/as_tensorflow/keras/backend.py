"""tensorflow.python.keras.backend: what Keras 2.3 takes from there. Settings, the session, variables and functions."""

import collections
import weakref

import numpy as np

import tfcore as tf
from tfcore.as_tensorflow.keras.losses import (  # noqa: F401
    binary_crossentropy,
    categorical_crossentropy,
    sparse_categorical_crossentropy,
)
from tfcore.as_tensorflow.keras.recurrence import rnn  # noqa: F401
from tfcore.as_tensorflow.keras.settings import (  # noqa: F401
    epsilon,
    floatx,
    image_data_format,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)

get_graph = tf.get_default_graph


def cast_to_floatx(x):
    """A tensor or an array of the type `floatx()`."""
    return tf.cast(x, floatx()) if tf.is_tensor(x) else np.asarray(x, floatx())


# ---- Names

_uids = weakref.WeakKeyDictionary()  # of each graph, how often each prefix was used


def get_uid(prefix=""):
    """How often the default graph has been asked for this prefix; 1 at first."""
    uids = _uids.setdefault(get_graph(), collections.Counter())
    uids[prefix] += 1
    return uids[prefix]


def reset_uids():
    """Lets all prefixes begin at 1."""
    _uids.clear()


# ---- The learning phase


def learning_phase():
    """Whether the graph trains: an int that was set, or a placeholder that is fed, False by default."""
    # In the graph, since a dictionary of graphs would keep those whose tensors it has.
    graph = get_graph()
    phase = vars(graph).get("keras_learning_phase")
    if phase is None:
        with tf.init_scope(), tf.name_scope(""):
            phase = tf.placeholder_with_default(False, [], "keras_learning_phase")
        graph.keras_learning_phase = phase
    return phase


def set_learning_phase(value):
    """Fixes the learning phase of the default graph: 0 for use, 1 for training."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    get_graph().keras_learning_phase = value


# ---- The session

_session = None
_manual_initialization = False
_initialized = weakref.WeakKeyDictionary()  # of each session, the variables that have a value in it


def manual_variable_initialization(value):
    """Whether the program initializes variables itself."""
    global _manual_initialization
    _manual_initialization = value


def get_session(op_input_list=()):
    """The default session, or Keras's own for the default graph. New variables get their initial values in it."""
    global _session
    session = tf.get_default_session()
    if session is None:
        if _session is None or _session.graph is not get_graph():
            _session = tf.Session()
        session = _session
    if not _manual_initialization and not session.graph.finalized:
        _initialize(session)
    return session


def _initialize(session):
    known = _initialized.setdefault(session, weakref.WeakSet())
    new = [v for v in session.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) if v not in known]
    if new:
        with session.graph.as_default(), tf.control_dependencies(None):
            have_values = session.run([tf.is_variable_initialized(v) for v in new])
            lacking = [v for v, has_value in zip(new, have_values, strict=True) if not has_value]
            session.run(tf.variables_initializer(lacking))
        known.update(new)


def set_session(session):
    """Makes a session Keras's own."""
    global _session
    _session = session


def clear_session():
    """Gives up Keras's session and the default graph."""
    global _session
    tf.reset_default_graph()
    reset_uids()
    _session = None


# ---- Variables


def variable(value, dtype=None, name=None, constraint=None):
    """A variable with an initial value, or a SparseTensor if that is a sparse matrix of SciPy."""
    dtype = tf.as_dtype(dtype or floatx())
    if hasattr(value, "tocoo"):
        value = value.tocoo()
        return tf.SparseTensor(np.stack([value.row, value.col], 1).astype(np.int64), value.data, value.shape)
    return tf.Variable(value, dtype=dtype, name=name, constraint=constraint, use_resource=True)


def constant(value, dtype=None, shape=None, name=None):
    return tf.constant(value, dtype or floatx(), shape, name)


def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    """A placeholder of a shape, or of a number of dimensions."""
    shape = [None] * ndim if not shape and ndim else shape
    return (tf.sparse_placeholder if sparse else tf.placeholder)(dtype or floatx(), shape, name)


def batch_get_value(tensors):
    """The values of variables."""
    return get_session().run(tensors) if tensors else []


def set_value(x, value):
    """Gives a variable a value."""
    batch_set_value([(x, value)])


def batch_set_value(tuples):
    """Gives variables values: a list of (variable, value)."""
    if tuples:
        session = get_session()
        for x, value in tuples:
            x.load(np.asarray(value, x.dtype.as_numpy_dtype), session)


# ---- Functions


class GraphExecutionFunction:
    """Runs a part of the graph.

    Args:
      inputs: A list of placeholders, which are fed.
      outputs: The tensors to compute.
      updates: Operations, or pairs of a variable and its new value, that run after the outputs.
      name: A name.
      feed_dict: What else is fed.
      fetches: What else runs; `fetch_callbacks` may have functions of their values.
      options: RunOptions.
      run_metadata: RunMetadata.
    """

    def __init__(
        self,
        inputs,
        outputs,
        updates=None,
        name=None,
        feed_dict=None,
        fetches=None,
        options=None,
        run_metadata=None,
        **session_kwargs,
    ):
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported at this time: {list(session_kwargs)}")
        self.name = name
        self.inputs = _as_list(inputs)
        self.outputs = tf.nest.map_structure(_as_tensor, outputs)
        with tf.control_dependencies([_dense(t) for t in tf.nest.flatten(self.outputs)]):
            updates = [tf.assign(*u) if isinstance(u, tuple) else u for u in updates or ()]
            self.updates_op = tf.group(*updates)
        self.feed_dict = feed_dict
        self.fetches = list(fetches or ())
        self.fetch_callbacks = {}
        self.run_options, self.run_metadata = options, run_metadata

    def __call__(self, inputs):
        session = get_session()
        values = _as_list(inputs)
        computed = {i: value for i, value in enumerate(values) if tf.is_tensor(value)}
        for i, value in session.run(computed).items() if computed else ():
            values[i] = value
        feeds = dict(self.feed_dict or {})
        feeds.update((t, _fed(t, v)) for t, v in zip(self.inputs, values, strict=True) if v is not None)
        fetches = [self.outputs, self.updates_op, self.fetches]
        outputs, _, fetched = session.run(fetches, feeds, self.run_options, self.run_metadata)
        for fetch, value in zip(self.fetches, fetched, strict=True):
            if fetch in self.fetch_callbacks:
                self.fetch_callbacks[fetch](value)
        return outputs


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """A function of arrays that computes outputs and makes updates: see `GraphExecutionFunction`."""
    return GraphExecutionFunction(inputs, outputs, updates, name, **kwargs)


def _as_list(x):
    return list(x) if type(x) in (list, tuple) else [x]


def _as_tensor(x):
    return x if isinstance(x, tf.SparseTensor) else tf.convert_to_tensor(x)


def _dense(x):
    return x.values if isinstance(x, tf.SparseTensor) else x


def _fed(tensor, value):
    if hasattr(value, "tocoo"):
        value = value.tocoo()
        return tf.SparseTensorValue(np.stack([value.row, value.col], 1).astype(np.int64), value.data, value.shape)
    return value if isinstance(tensor, tf.SparseTensor) else np.asarray(value, tensor.dtype.as_numpy_dtype)


# ---- Tensors


def hard_sigmoid(x):
    """0.2 * x + 0.5, between 0 and 1."""
    return tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return tf.random_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return tf.random_uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return tf.truncated_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    """Ones with a probability, and zeros."""
    return tf.cast(random_uniform(shape, dtype=dtype, seed=seed) <= p, dtype or floatx())


def _seed(seed):
    return np.random.randint(10e6) if seed is None else seed
