"""The parts of tf.contrib that TensorFlow 1 programs use most."""

from tfcore.framework.lazy import lazy_names as _lazy_names

__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        "framework": "tfcore.contrib.framework.",
        "layers": "tfcore.contrib.layers.",
        "lookup": "tfcore.contrib.lookup.",
        "metrics": "tfcore.contrib.metrics.",
        "rnn": "tfcore.contrib.rnn.",
        "seq2seq": "tfcore.contrib.seq2seq.",
        "staging": "tfcore.contrib.staging.",
        "training": "tfcore.contrib.training.",
    },
)
