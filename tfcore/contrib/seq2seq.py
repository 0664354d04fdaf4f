"""tf.contrib.seq2seq: decoders, attention, losses of sequences."""

from tfcore.rnn.seq2seq import *  # noqa: F403
from tfcore.rnn.seq2seq import __all__  # noqa: F401
