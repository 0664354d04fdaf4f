"""Classes besides those of tensors that sessions fetch and feed: what each stands for in the graph.

`register_session_run_conversion_functions` is `tensorflow.python.client.session`'s.
"""

import collections
import collections.abc

from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor

Conversion = collections.namedtuple("Conversion", ["type", "fetch", "feed", "feed_for_partial_run"])
conversions = []  # the latest first
_BUILT_IN = (SparseTensor, IndexedSlices, object)


def register_session_run_conversion_functions(
    tensor_type, fetch_function, feed_function=None, feed_function_for_partial_run=None
):
    """Lets sessions fetch and feed the objects of a class.

    Args:
      tensor_type: The class. Objects that are also lists, tuples or mappings are still taken as these.
      fetch_function: Called with an object that is fetched. Returns a list of tensors or operations, and a function
        from the list of their values to the value of the object.
      feed_function: Called with an object that is fed and its value. Returns a list of pairs: tensors and their values
        (optional).
      feed_function_for_partial_run: Called with an object that `partial_run_setup` is given as a feed. Returns a list
        of tensors (optional).

    Raises:
      ValueError: The class, or one that is derived from it, has functions already.
    """
    if any(issubclass(known, tensor_type) for known in (*_BUILT_IN, *(c.type for c in conversions))):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    conversions.insert(0, Conversion(tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def conversion_of(value):
    """The Conversion for a fetch or feed; None if its class has none."""
    if isinstance(value, (list, tuple, collections.abc.Mapping)):
        return None
    return next((c for c in conversions if isinstance(value, c.type)), None)


def converted_feed(conversion, feed, *value):
    """What the feed function of a Conversion returns.

    Args:
      conversion: The Conversion of the feed.
      feed: The key of the feed.
      *value: Its value; none for a partial run's feeds.

    Raises:
      TypeError: Such objects can't be fed.
    """
    function = conversion.feed if value else conversion.feed_for_partial_run
    if function is None:
        raise TypeError(f"Feed argument {feed!r} has invalid type {type(feed)}")
    return function(feed, *value)


class FetchKey:
    """Represents a converted fetch in keys of signatures: the same object that stands for the same tensors.

    Objects that are equal may have other values, or may not be hashable.
    """

    __slots__ = ("_fetch", "_elements")

    def __init__(self, fetch, elements):
        self._fetch, self._elements = fetch, tuple(elements)

    def __hash__(self):
        return hash((id(self._fetch), self._elements))

    def __eq__(self, other):
        same = type(other) is FetchKey and self._fetch is other._fetch
        return same and len(self._elements) == len(other._elements) and all(map(_is, self._elements, other._elements))


def _is(a, b):  # == of a tensor may add an operation
    return a is b
