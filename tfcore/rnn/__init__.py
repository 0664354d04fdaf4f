"""Recurrent networks: cells, and the loops that run them."""

from tfcore.rnn.dynamic import bidirectional_dynamic_rnn, dynamic_rnn
from tfcore.rnn.raw import raw_rnn
from tfcore.rnn.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn

__all__ = [
    "bidirectional_dynamic_rnn",
    "dynamic_rnn",
    "raw_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
]
