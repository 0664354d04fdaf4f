"""How h5py 2 differed: ASCII strings were bytes, which programs decode, and files were opened for writing."""

import functools
import os

import numpy as np


def with_bytes(manager):
    """Changes h5py.AttributeManager, the class of the attributes of files.

    It reads strings of variable length in ASCII as bytes, and arrays without elements as false. It writes lists of
    bytes as strings of a fixed length.
    """
    read, create = manager.__getitem__, manager.create

    @functools.wraps(read)
    def __getitem__(self, name):  # noqa: N807
        value = read(self, name)
        if isinstance(value, np.ndarray) and not value.size:
            return value.view(_False)
        if not isinstance(value, str) and getattr(value, "dtype", None) != np.dtype(object):
            return value
        if self.get_id(name).get_type().get_cset():  # 0 is ASCII
            return value
        return _encode(value) if isinstance(value, str) else np.vectorize(_encode, otypes=[object])(value)

    @functools.wraps(create)
    def create_array(self, name, data, shape=None, dtype=None):
        if dtype is None and isinstance(data, (list, tuple)) and np.asarray(data).dtype.kind == "S":
            data = np.asarray(data)
        create(self, name, data, shape, dtype)

    manager.__getitem__, manager.create = __getitem__, create_array
    return manager


class _False(np.ndarray):
    """An array without elements, which was false before NumPy 2.2."""

    def __bool__(self):
        return bool(self.size) and super().__bool__()


def _encode(text):
    return text.encode("utf-8", "surrogateescape")


def with_any_mode(file):
    """Changes h5py.File: without a mode it makes files, and opens those that are there for writing if it can."""
    init = file.__init__

    @functools.wraps(init)
    def __init__(self, name, mode=None, *args, **options):  # noqa: N807
        path = name if isinstance(name, (str, bytes, os.PathLike)) else ""
        read_only = os.path.exists(path) and not os.access(path, os.W_OK)
        init(self, name, mode or ("r" if read_only else "a"), *args, **options)

    file.__init__ = __init__
    return file


def with_files_in_memory(file):
    """Changes h5py.File: a file that is in memory only needs no mode to be made, as Keras saves models to streams."""
    init = file.__init__

    @functools.wraps(init)
    def __init__(self, name, *mode, **options):  # noqa: N807
        in_memory = options.get("backing_store", True) is False
        if in_memory and not mode and "mode" not in options and not os.path.exists(name):
            options["mode"] = "w"
        init(self, name, *mode, **options)

    file.__init__ = __init__
