"""`python -m tests.coverage --api`: public names have TensorFlow's signatures, and the comparison sees what differs."""

import subprocess
import sys

import pytest

from tests.coverage import api
from tests.coverage.differences import DIFFERENCES, LATER


@pytest.mark.parametrize("path", sorted(api.record()))
def test_signatures_are_tensorflows(path):
    space = api.Space(path, api.record()[path])
    assert list(space.different.values()) == []


def test_accepted_differences_are_real():
    found = {f"{space.path}.{name}" for space in api.spaces() for name in space.accepted}
    assert set(DIFFERENCES) == found


def test_most_names_exist_with_equal_signatures():
    """97 % of what most programs use, but for what needs parts that do not exist yet; 85 % of all of tf and tf.nn."""
    spaces = {space.path.removeprefix("tf."): space for space in api.spaces()}
    chosen = [spaces[name].without(api.later_names(f"tf.{name}")) for name in api.PROGRAMS]
    names, _, equal, _, _ = api.total(chosen)
    assert equal >= 0.97 * names
    names, _, equal, _, _ = api.total([spaces["tf"], spaces["nn"]])
    assert equal >= 0.85 * names


def test_what_comes_later_is_missing():
    for path in {path for names in LATER.values() for path in names}:
        assert api.later_names(path) <= set(api.Space(path, api.record()[path]).missing)


@pytest.mark.parametrize(
    "theirs, ours, same",
    [
        ("x, y=1, *, name=None", "x, y=1.0, *, name=None", True),
        ("x, y=[1, 2]", "x, y=(1, 2)", True),
        ("x, dtype=float32", "x, dtype=float32", True),
        ("x, f=...", "x, f=...", True),
        ("x, f=...", "x, f='NHWC'", True),
        ("x, f=...", "x, f", False),
        ("x, f=1", "x, f=...", False),
        ("x, y=1", "x, y=2", False),
        ("x, y=1", "x, y", False),
        ("x, y", "y, x", False),
        ("x, name=None", "x, *, name=None", False),
        ("x, **kwargs", "x", False),
        ("x, dtype=float32", "x, dtype=float64", False),
    ],
)
def test_parameters(theirs, ours, same):
    assert api.agree(ours, theirs) == same


def test_differences_and_missing_names_are_seen():
    names = {
        "add": {"kind": "function", "signature": "x, y, z"},
        "matmul": {"kind": "function", "signature": None},
        "no_such_name": {"kind": "module"},
    }
    space = api.Space("tf", names)
    assert space.missing == ["no_such_name"]
    assert space.different == {"add": "tf.add(x, y, name=None) is tf.add(x, y, z) in TensorFlow"}
    assert space.counts == (3, 2, 1, 2, 1)


def test_a_namespace_that_is_missing_has_no_names():
    assert api.Space("tf.no_such_space", {"a": {"kind": "module"}}).missing == ["a"]


@pytest.mark.alone
def test_the_command():
    command = [sys.executable, "-m", "tests.coverage", "--api", "--only", "bitwise", "--missing"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].split()[:4] == ["tf.bitwise", "6", "6", "6"]
