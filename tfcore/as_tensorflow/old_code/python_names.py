"""What Python's standard library has lost, and wrappers of functions that have become stricter."""

import collections
import functools
import html
import inspect
import locale

ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def getargspec(func):
    """As it was: it refuses functions with keyword-only arguments or annotations."""
    args, varargs, keywords, defaults, only, _, annotations = inspect.getfullargspec(func)
    if only or annotations:
        raise ValueError(
            "Function has keyword-only parameters or annotations, use inspect.signature() API which can support them"
        )
    return ArgSpec(args, varargs, keywords, defaults)


def escape(s, quote=None):
    return html.escape(s, quote=bool(quote))


def unescape(self, s):
    return html.unescape(s)


def getchildren(self):
    return list(self)


def has_key(self, key):
    return key in self  # as subclasses define it


def format_number(percent, value, grouping=False, monetary=False, *additional):
    return locale.format_string(percent, (value, *additional) if additional else value, grouping, monetary)


def assert_dict_contains_subset(self, expected, actual, msg=None):
    self.assertEqual({**actual, **expected}, dict(actual), msg)


# Wrappers: each takes the function that is there.


def open_universal(function):
    @functools.wraps(function)
    def open(file, mode="r", *args, **kwargs):  # noqa: A001
        if isinstance(mode, str) and "U" in mode:
            mode = mode.replace("U", "")
            mode = mode if mode.strip("bt") else f"r{mode}"
        return function(file, mode, *args, **kwargs)

    return open


def without_encoding(function):
    @functools.wraps(function)
    def load(s, *args, encoding=None, **kwargs):
        return function(s, *args, **kwargs)

    return load


def of_python_2(function):
    """Its strings are bytes in files, which any encoding of bytes reads; without one, only ASCII is."""

    @functools.wraps(function)
    def load(data, *args, encoding="latin1", **kwargs):
        return function(data, *args, encoding=encoding, **kwargs)

    return load


def of_sets(function):
    @functools.wraps(function)
    def sample(population, k, **kwargs):
        if isinstance(population, collections.abc.Set):
            population = tuple(population)
        return function(population, k, **kwargs)

    return sample


def with_a_function(function):
    @functools.wraps(function)
    def shuffle(x, random=None):
        if random is None:
            return function(x)
        for i in reversed(range(1, len(x))):
            j = int(random() * (i + 1))
            x[i], x[j] = x[j], x[i]

    return shuffle


def with_loader(function):
    @functools.wraps(function)
    def load(stream, Loader=None):  # noqa: N803
        import yaml

        return function(stream, Loader or yaml.FullLoader)

    return load
