"""Sessions without the compiler's rewrites, as with `OptimizerOptions(opt_level=-1)`."""

import contextlib

from tfcore.client.config import SessionOptions


@contextlib.contextmanager
def unoptimized():
    """Gives the sessions that are made inside of it no rewrites, whatever their ConfigProto says."""
    read = SessionOptions.of
    SessionOptions.of = lambda config: read(config)._replace(rewrites=())
    try:
        yield
    finally:
        SessionOptions.of = read
