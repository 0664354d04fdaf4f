"""Sequence to sequence over lists of steps, as in tf.contrib.legacy_seq2seq."""
