"""tensorflow.python.util.object_identity: dictionaries and sets that compare objects by identity."""

import collections.abc
import weakref


class ObjectIdentityWrapper:
    """Holds an object; equal to other wrappers of the same object."""

    __slots__ = ("_held", "_id", "__weakref__")

    def __init__(self, wrapped):
        self._held, self._id = wrapped, id(wrapped)

    @property
    def unwrapped(self):
        return self._held

    def __eq__(self, other):
        if not isinstance(other, ObjectIdentityWrapper):
            return NotImplemented
        return self is other or self.unwrapped is other.unwrapped is not None

    def __hash__(self):  # also that of an object that is gone
        return self._id

    def __repr__(self):
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class WeakObjectIdentityWrapper(ObjectIdentityWrapper):
    """Refers to an object without keeping it: `unwrapped` is None when it is gone."""

    __slots__ = ()

    def __init__(self, wrapped, callback=None):
        super().__init__(wrapped)
        # A key is looked up by itself when its object is gone, so the callback gets the wrapper.
        call = None
        if callback is not None:
            me = weakref.ref(self)
            call = lambda _: me() is not None and callback(me())  # noqa: E731
        self._held = weakref.ref(wrapped, call)

    @property
    def unwrapped(self):
        return self._held()


class Reference(ObjectIdentityWrapper):
    """A reference that can be a key of an ordinary dictionary; `deref` returns the object."""

    __slots__ = ()

    def deref(self):
        return self._held


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dictionary whose keys are compared by identity."""

    def __init__(self, *args, **kwargs):
        self._storage = {}
        self.update(*args, **kwargs)

    def _wrap_key(self, key):
        return ObjectIdentityWrapper(key)

    def __getitem__(self, key):
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key, value):
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key):
        del self._storage[self._wrap_key(key)]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        return (key.unwrapped for key in self._storage)

    def __repr__(self):
        return f"{type(self).__name__}({list(self.items())!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """The same, without keeping its keys: an entry goes with its key."""

    def _wrap_key(self, key):
        return WeakObjectIdentityWrapper(key, _remover(self._storage))

    def __iter__(self):
        return _alive(self._storage)

    def __len__(self):
        return len(list(iter(self)))


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set whose elements are compared by identity."""

    def __init__(self, *args):
        self._storage = {self._wrap_key(item): None for items in args for item in items}

    def _wrap_key(self, key):
        return ObjectIdentityWrapper(key)

    def __contains__(self, key):
        return self._wrap_key(key) in self._storage

    def add(self, key):
        self._storage[self._wrap_key(key)] = None

    def discard(self, key):
        self._storage.pop(self._wrap_key(key), None)

    def update(self, items):
        for item in items:
            self.add(item)

    def intersection(self, items):
        items = ObjectIdentitySet(items)
        return type(self)([item for item in self if item in items])

    def difference(self, items):
        items = ObjectIdentitySet(items)
        return type(self)([item for item in self if item not in items])

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        return (key.unwrapped for key in self._storage)

    def __repr__(self):
        return f"{type(self).__name__}({list(self)!r})"


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """The same, without keeping its elements."""

    def __init__(self, *args):
        self._storage = {}
        for items in args:
            self.update(items)

    def _wrap_key(self, key):
        return WeakObjectIdentityWrapper(key, _remover(self._storage))

    def __iter__(self):
        return _alive(self._storage)

    def __len__(self):
        return len(list(iter(self)))


def _remover(storage):
    return lambda key: storage.pop(key, None)


def _alive(storage):
    for key in list(storage):
        held = key.unwrapped
        if held is not None:
            yield held
