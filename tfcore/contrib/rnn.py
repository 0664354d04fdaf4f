"""tf.contrib.rnn: recurrent cells, including those that tf.nn.rnn_cell lacks, and static networks."""

from tfcore.rnn.contrib_cells import (
    AttentionCellWrapper,
    EmbeddingWrapper,
    InputProjectionWrapper,
    LayerNormBasicLSTMCell,
    OutputProjectionWrapper,
)
from tfcore.rnn.rnn_cell import *  # noqa: F403
from tfcore.rnn.rnn_cell import __all__ as _cells
from tfcore.rnn.stacks import (
    stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
    transpose_batch_time,
)

__all__ = [
    *_cells,
    "AttentionCellWrapper",
    "EmbeddingWrapper",
    "InputProjectionWrapper",
    "LayerNormBasicLSTMCell",
    "OutputProjectionWrapper",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]
