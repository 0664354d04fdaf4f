"""Seeds for the random operations of one function."""

from tfcore.distributions import util


class SeedStream:
    """A function that gives another seed in each call, or None if there is no seed.

    Args:
      seed: An int, None, or a `SeedStream` with whose seed it begins.
      salt: A string that tells it from other streams of the seed.

    Example:

    >>> seeds = tf.contrib.distributions.SeedStream(3, salt="noise")
    >>> print(seeds() != seeds(), tf.contrib.distributions.SeedStream(None, salt="noise")())
    True None
    """

    def __init__(self, seed, salt):
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt = salt
        self._counter = 0

    def __call__(self):
        self._counter += 1
        return util.gen_new_seed(self._seed, f"{self._salt} {self._counter}")

    @property
    def original_seed(self):
        """The seed that it began with."""
        return self._seed

    @property
    def salt(self):
        """The string that tells this stream from others of the seed."""
        return self._salt
