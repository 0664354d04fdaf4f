"""The namespace tf.nn.rnn_cell."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.rnn.base import RNNCell
from tfcore.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple, MultiRNNCell
from tfcore.rnn.wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
]

__getattr__, __dir__ = _lazy_names(globals(), {})
