"""StubOutForTesting: replaces attributes until the end of a test."""

import inspect


class StubOutForTesting:
    """Replaces attributes of modules, classes and objects, and puts them back. Also a context manager.

    Example:

    >>> import os
    >>> with tf.test.StubOutForTesting() as stubs:
    ...     stubs.Set(os.path, "exists", lambda path: True)
    ...     os.path.exists("/no/such/file")
    True
    >>> os.path.exists("/no/such/file")
    False
    """

    def __init__(self):
        self._smart = []
        self._plain = []

    def __del__(self):
        self.CleanUp()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.CleanUp()

    def CleanUp(self):  # noqa: N802
        """Puts back all that was replaced."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj, attr_name, new_attr):  # noqa: N802
        """Replaces an attribute where it is defined: for that of an object's class, in the class.

        Args:
          obj: A module, class or object.
          attr_name: Name of the attribute.
          new_attr: Its new value.

        Raises:
          AttributeError: There is no such attribute.
        """
        owner = obj
        if not inspect.ismodule(obj) and (inspect.isclass(obj) or attr_name not in vars(obj)):
            classes = inspect.getmro(obj if inspect.isclass(obj) else type(obj))
            owner = next((cls for cls in classes if attr_name in vars(cls)), None)
            if owner is None:
                raise AttributeError("Attribute not found.")
        _replace(self._smart, owner, attr_name, new_attr)

    def SmartUnsetAll(self):  # noqa: N802
        """Puts back what `SmartSet` has replaced."""
        _put_back(self._smart)

    def Set(self, parent, child_name, new_child):  # noqa: N802
        """Replaces an attribute of a module, class or object itself.

        Args:
          parent: The module, class or object.
          child_name: Name of the attribute.
          new_child: Its new value.

        Raises:
          AttributeError: There is no such attribute.
        """
        _replace(self._plain, parent, child_name, new_child)

    def UnsetAll(self):  # noqa: N802
        """Puts back what `Set` has replaced."""
        _put_back(self._plain)


def _replace(stubs, owner, name, value):
    old = getattr(owner, name)
    own = getattr(owner, "__dict__", {})
    # A class's own dictionary has staticmethod objects, not the functions that getattr makes of them.
    entry = owner, name, own.get(name, old), name in own
    setattr(owner, name, value)
    stubs.append(entry)


def _put_back(stubs):
    while stubs:
        owner, name, old, was_own = stubs.pop()
        if was_own or name not in getattr(owner, "__dict__", {}):
            setattr(owner, name, old)
        else:  # the old value was inherited
            delattr(owner, name)
