"""Decorators that warn."""

import collections
import functools

import pytest

from tfcore.platform import deprecation, tf_logging


@pytest.fixture
def warnings(monkeypatch):
    found = []
    monkeypatch.setattr(tf_logging, "warning", lambda text, *args: found.append(text % args))
    return found


def test_function(warnings):
    @deprecation.deprecated("2020-01-02", "Use g.")
    def f(x):
        """Doubles."""
        return 2 * x

    assert [f(1), f(2)] == [2, 4]
    (text,) = warnings
    assert "test_function.<locals>.f (from tests.platform.test_deprecation) is deprecated" in text
    assert text.startswith(f"From {__file__}:") and text.endswith(
        "after 2020-01-02.\nInstructions for updating:\nUse g."
    )
    assert f.__name__ == "f" and f.__doc__.startswith("Doubles.") and "Use g." in f.__doc__


def test_each_call_and_class(warnings):
    @deprecation.deprecated(None, "Use B.", warn_once=False)
    class A:
        def __init__(self, x):
            self.x = x

    assert [A(1).x, A(x=2).x] == [1, 2] and isinstance(A(3), A)
    assert len(warnings) == 3 and "in a future version" in warnings[0]


def test_arguments(warnings):
    @deprecation.deprecated_args(None, "Use axis.", "dim", ("keep", None))
    def f(axis=None, dim=None, keep=None):
        return axis, dim, keep

    assert f(1) == (1, None, None) and f(1, keep=None) == (1, None, None) and not warnings
    f(dim=3)
    f(dim=3)
    f(keep=True)
    assert ["with dim is" in warnings[0], "with keep is" in warnings[1], len(warnings)] == [True, True, 2]


def test_values(warnings):
    @deprecation.deprecated_arg_values("2020-01-02", "Pass True.", flag=False)
    def f(flag=False):
        return flag

    assert f(True) and not warnings
    f()
    f(flag=False)
    assert len(warnings) == 1 and "with flag=False is deprecated" in warnings[0]
    with deprecation.silence():
        assert f(True)


def test_silence(warnings):
    f = deprecation.deprecated(None, "No.")(lambda: 1)
    with deprecation.silence():
        assert f() == 1 and not warnings
    assert f() == 1 and len(warnings) == 1


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: deprecation.deprecated("tomorrow", "x"), "Date must be in format YYYY-MM-DD. Received: tomorrow"),
        (lambda: deprecation.deprecated(None, ""), "Don't deprecate things without conversion instructions!"),
        (lambda: deprecation.deprecated(None, "x")(3), "is not a function"),
        (lambda: deprecation.deprecated_args(None, "x"), "Specify which argument is deprecated."),
        (lambda: deprecation.deprecated_args(None, "x", "a", b=1), "Illegal argument passed to deprecated_args"),
        (lambda: deprecation.deprecated_args(None, "x", "a")(lambda b: 0), "not present in the function signature"),
        (lambda: deprecation.deprecated_arg_values(None, "x"), "Specify which argument values are deprecated."),
    ],
)
def test_errors(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_lookup():
    lookup = deprecation.deprecated_argument_lookup
    assert [lookup("n", 1, "o", None), lookup("n", None, "o", 2), lookup("n", None, "o", None)] == [1, 2, None]
    with pytest.raises(ValueError, match="Cannot specify both 'o' and 'n'."):
        lookup("n", 1, "o", 2)
    assert deprecation.rewrite_argument_docstring("`a`\n  a: x", "a", "b") == "`b`\n  b: x"


def test_attributes_of_the_function_stay():
    def f():
        pass

    f.key = "value"
    assert deprecation.deprecated(None, "Use g.")(f).key == "value"


def test_classes_that_are_made_by_new(warnings):
    @deprecation.deprecated(None, "Use B.")
    class Pair(collections.namedtuple("Pair", "a b")):
        pass

    @deprecation.deprecated(None, "Use B.")
    class Made:
        def __new__(cls, x):
            self = super().__new__(cls)
            self.x = x
            return self

    assert Pair(1, b=2) == (1, 2) and type(Pair(1, 2)) is Pair and Made(3).x == Made(x=3).x == 3
    assert len(warnings) == 2


class Largest:
    def __call__(self, *values):
        return max(values)


@pytest.mark.parametrize("function", [max, functools.partial(max, 3), Largest()])
def test_callables_of_other_kinds(warnings, function):
    decorated = deprecation.deprecated(None, "Use min.")(function)
    assert decorated(1, 4) == 4 and len(warnings) == 1


def test_silences_that_overlap(warnings):
    first, second = deprecation.silence(), deprecation.silence()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # as another thread may do
    deprecation.deprecated(None, "Use B.")(abs)(1)
    assert not warnings
    second.__exit__(None, None, None)
    deprecation.deprecated(None, "Use B.")(abs)(1)
    assert len(warnings) == 1
