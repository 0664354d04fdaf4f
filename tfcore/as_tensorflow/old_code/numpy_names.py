"""What NumPy has lost since 2016, and wrappers of functions that have become stricter."""

import functools
import inspect
import operator
import sys
import warnings

import numpy as np

NINF, NZERO, PZERO = -np.inf, -0.0, 0.0

sctypes = {
    "int": [np.int8, np.int16, np.int32, np.int64],
    "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
    "float": [np.float16, np.float32, np.float64, np.longdouble],
    "complex": [np.complex64, np.complex128, np.clongdouble],
    "others": [bool, object, bytes, str, np.void],
}


class _OfTypes(dict):
    """A table whose keys are types, or anything that names one."""

    def __init__(self, make):
        super().__init__((kind, make(kind)) for kind in {*np.sctypeDict.values()})

    def __missing__(self, key):
        return self[np.dtype(key).type]


cast = _OfTypes(lambda kind: lambda values: np.asarray(values).astype(kind))
nbytes = _OfTypes(lambda kind: np.dtype(kind).itemsize)


def alen(a):
    return len(np.atleast_1d(a))


def asfarray(a, dtype=np.float64):
    return np.asarray(a, dtype if np.issubdtype(np.dtype(dtype), np.inexact) else np.float64)


def asscalar(a):
    return a.item()


def deprecate(*args, **kwargs):
    """The function itself, or a decorator that returns it: nobody reads warnings of that age."""
    return args[0] if args and callable(args[0]) else lambda function: function


def disp(mesg, device=None, linefeed=True):
    print(mesg, end="\n" if linefeed else "", file=device or sys.stdout, flush=True)


def fastCopyAndTranspose(a):  # noqa: N802
    return np.atleast_1d(a).T.copy()


def find_common_type(array_types, scalar_types):
    arrays = [np.dtype(one) for one in array_types]
    scalars = [np.dtype(one) for one in scalar_types]
    widest = {
        kind: functools.reduce(np.promote_types, kinds) for kind, kinds in (("a", arrays), ("s", scalars)) if kinds
    }
    if len(widest) < 2:
        return next(iter(widest.values()), None)
    order = "biufcmMSUVO"
    return widest["s"] if order.index(widest["s"].kind) > order.index(widest["a"].kind) else widest["a"]


def in1d(ar1, ar2, assume_unique=False, invert=False, **kwargs):
    return np.isin(np.ravel(ar1), np.ravel(ar2), assume_unique=assume_unique, invert=invert, **kwargs)


def issctype(rep):
    if not isinstance(rep, (type, np.dtype)):
        return False
    return obj2sctype(rep) not in (None, np.object_)


def issubclass_(arg1, arg2):
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issubsctype(arg1, arg2):
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def maximum_sctype(t):
    kind = np.dtype(t).kind
    return {"i": np.int64, "u": np.uint64, "f": np.longdouble, "c": np.clongdouble}.get(kind, np.dtype(t).type)


def msort(a):
    return np.sort(a, axis=0)


def obj2sctype(rep, default=None):
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return np.dtype(getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def random_integers(low, high=None, size=None):
    low, high = (1, low) if high is None else (low, high)
    return np.random.randint(low, operator.index(high) + 1, size)


def recfromtxt(fname, **kwargs):
    kwargs.setdefault("dtype", None)
    usemask = kwargs.pop("usemask", False)
    table = np.genfromtxt(fname, usemask=usemask, **kwargs)
    return table.view(np.ma.mrecords.MaskedRecords if usemask else np.recarray)


def recfromcsv(fname, **kwargs):
    for name, value in (("case_sensitive", "lower"), ("names", True), ("delimiter", ",")):
        kwargs.setdefault(name, value)
    return recfromtxt(fname, **kwargs)


def sctype2char(sctype):
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return np.dtype(found).char


# Methods of arrays.


def itemset(self, *args):
    *index, value = args
    index = index[0] if len(index) == 1 and isinstance(index[0], tuple) else tuple(index)
    if not index and self.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if len(index) == 1 and self.ndim != 1:
        self.flat[index[0]] = value
    else:
        self[index if index else (0,) * self.ndim] = value


def newbyteorder(self, new_order="S"):
    return self.view(self.dtype.newbyteorder(new_order))


# Wrappers: each takes the function that is there.


def ragged(function):
    """Rows of several lengths are an array of objects, and copy=False copies where it must."""

    @functools.wraps(function)
    def convert(*args, **kwargs):
        if kwargs.get("copy", True) is False:
            kwargs["copy"] = None
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            if "inhomogeneous shape" not in str(error) or len(args) > 1 or kwargs.get("dtype") is not None:
                raise
            if sys._getframe(1).f_globals.get("__name__", "").startswith("tfcore."):
                raise  # for which it is an error of the program
        return function(*args, **{**kwargs, "dtype": object})

    return convert


def of_iterables(function):
    @functools.wraps(function)
    def stack(arrays, *args, **kwargs):
        return function(arrays if hasattr(arrays, "__getitem__") else list(arrays), *args, **kwargs)

    return stack


def of_bytes(function):
    @functools.wraps(function)
    def fromstring(string, dtype=float, count=-1, *, sep="", **kwargs):
        if sep == "":
            data = string.encode("latin1") if isinstance(string, str) else string
            return np.frombuffer(data, dtype, count, **kwargs).copy() if len(data) else np.empty(0, dtype)
        return function(string, dtype, count, sep=sep, **kwargs)

    return fromstring


def normed(function):
    @functools.wraps(function)
    def histogram(a, bins=10, range=None, *args, **kwargs):
        # The fourth argument was `normed`.
        density = bool(kwargs.pop("normed", False)) or (
            bool(args) and isinstance(args[0], (bool, np.bool_)) and args[0]
        )
        rest = args[1:] if args and isinstance(args[0], (bool, np.bool_, type(None))) else args
        if rest:
            kwargs["weights"] = rest[0]
        return function(a, bins, range, **{"density": density or None, **kwargs})

    return histogram


def whole_number(function):
    @functools.wraps(function)
    def linspace(start, stop, num=50, *args, **kwargs):
        return function(start, stop, int(num), *args, **kwargs)

    return linspace


_KINDS = {bool: np.bool_, complex: np.complexfloating, float: np.floating, int: np.signedinteger, str: np.str_}


def of_python_types(function):
    @functools.wraps(function)
    def issubdtype(arg1, arg2):
        return function(arg1, _KINDS.get(arg2, arg2) if isinstance(arg2, type) else arg2)

    return issubdtype


def new_shape(function):
    has_shape = "shape" in inspect.signature(function).parameters  # since NumPy 2.1

    @functools.wraps(function)
    def reshape(a, *args, **kwargs):
        if has_shape and "newshape" in kwargs:
            kwargs["shape"] = kwargs.pop("newshape")
        return function(a, *args, **kwargs)

    return reshape


def interpolation(function):
    @functools.wraps(function)
    def quantile(a, q, *args, **kwargs):
        if "interpolation" in kwargs:
            kwargs["method"] = kwargs.pop("interpolation")
        return function(a, q, *args, **kwargs)

    return quantile


def with_pickles(function):
    @functools.wraps(function)
    def load(file, mmap_mode=None, allow_pickle=True, fix_imports=True, encoding="latin1", **kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of dtypes with alignment in old pickles
            return function(file, mmap_mode, allow_pickle, fix_imports, encoding, **kwargs)

    return load


_DEFAULTS = {
    np.number: np.float64,
    np.inexact: np.float64,
    np.floating: np.float64,
    np.integer: np.int64,
    np.signedinteger: np.int64,
    np.unsignedinteger: np.uint64,
    np.complexfloating: np.complex128,
    np.generic: np.void,
    np.character: np.bytes_,
    np.flexible: np.void,
}


def of_abstract_types(function):
    place = 2 if function.__name__ == "full" else 1

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if len(args) > place:
            args = (*args[:place], _concrete(args[place]), *args[place + 1 :])
        if "dtype" in kwargs:
            kwargs["dtype"] = _concrete(kwargs["dtype"])
        return function(*args, **kwargs)

    return wrapper


def _concrete(dtype):
    return _DEFAULTS.get(dtype, dtype) if isinstance(dtype, type) else dtype
