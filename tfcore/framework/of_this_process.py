"""Objects that stay in their process, as they have threads, locks or open files of it."""


class OfThisProcess:
    """Refuses pickles and copies, and says what to do instead.

    Subclasses say it in `_instead`.
    """

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle a {type(self).__name__}: it belongs to this process{self._instead}")
