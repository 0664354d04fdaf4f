"""The parts of tf.contrib that programs for TensorFlow 1 use most; each is a name for something that lives elsewhere."""

from tfcore.framework.lazy import lazy_names as _lazy_names

__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        "rnn": "tfcore.contrib.rnn.",
        "seq2seq": "tfcore.contrib.seq2seq.",
        "training": "tfcore.contrib.training.",
    },
)
