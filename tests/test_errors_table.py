"""Every wrong program of `tests/errors`: class, values and line of its error; sessions still work, nothing leaks."""

import faulthandler
import gc
import importlib
import itertools
import re
import sys
import traceback

import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.errors.table import PROGRAMS

THEMES = (
    "building", "closing", "control", "data", "devices", "extending", "feeding", "fetching", "gradients", "importing",
    "layers", "loops", "operators", "partial",
    "running", "shapes", "types", "variables",
)  # fmt: skip
for theme in THEMES:
    importlib.import_module(f"tests.errors.{theme}")
KEYS = sorted(PROGRAMS)
TIMES, PART = 50, 12  # memory is measured after each part


@pytest.fixture(autouse=True)
def watchdog():
    """A program that hangs ends the process with all stacks on stderr."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def start(program, session):
    """(error of building or None, function to run or None)"""
    try:
        return None, program.function(tf, session)
    except Exception as error:  # noqa: BLE001  it is what is examined
        return error, None


def failure(attempt):
    try:
        attempt()
    except Exception as error:  # noqa: BLE001  it is what is examined
        return error
    raise AssertionError("nothing was wrong")


def check_line(program, error):
    """The user's line is in the text of a failed operation, and otherwise at least in the traceback."""
    if isinstance(error, tf.errors.OpError) and error.op is not None:
        functions = [program.function.__code__, *program.function.__code__.co_consts]  # also those defined inside
        names = [code.co_name for code in functions if hasattr(code, "co_name")]
        assert any(f"{program.file}:{program.line} in {name}" in str(error) for name in names), error
        return
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == program.file]
    assert program.line in lines, (lines, error)


@pytest.mark.parametrize("key", KEYS)
def test_class_text_and_line(key):
    program = PROGRAMS[key]
    with tf.Graph().as_default(), tf.Session() as session:
        alive = tf.constant(7)
        error, attempt = start(program, session)
        error = error or failure(attempt)
        assert re.fullmatch(program.cls, type(error).__name__), repr(error)
        for part in program.parts:
            assert re.search(part, str(error), re.S), f"{part!r} is not in {error}"
        check_line(program, error)
        if isinstance(error, tf.errors.OpError) and program.op is not None:
            assert error.op is not None and error.op.name.split("/")[0] == program.op, error.op
            assert f"[[node {error.op.name} (op: {error.op.type})" in str(error), error
        assert session.run(alive) == 7


def measure():
    gc.collect()
    return sys.getallocatedblocks(), memory_stats()["bytes_in_use"]


def check_growth(measured):
    """A leak grows from each measurement to the next; what grows once is a cache or another thread's."""
    tensors = [after[1] - before[1] for before, after in itertools.pairwise(measured)]
    assert min(tensors) <= 0, f"tensors leak: {tensors} bytes in {PART} times"
    # An error that is kept is five objects at least; interpreter caches fill by one or two for a while.
    objects = [after[0] - before[0] for before, after in itertools.pairwise(measured)]
    assert min(objects) < 4 * PART, f"objects leak: {objects} in {PART} times"


@pytest.mark.parametrize("key", KEYS)
def test_fifty_times_without_a_leak(key):
    program, measured = PROGRAMS[key], []
    with tf.Graph().as_default() as graph, tf.Session() as session:
        _, attempt = start(program, session)
        for i in range(TIMES if attempt else 0):
            failure(attempt)
            if i % PART == PART - 1:
                measured.append(measure())
                if i == PART - 1:
                    size = len(graph.get_operations())
        if attempt:
            check_growth(measured)
            assert len(graph.get_operations()) == size
            return
    for i in range(TIMES):
        with tf.Graph().as_default(), tf.Session() as session:
            assert start(program, session)[0] is not None
        if i % PART == PART - 1:
            measured.append(measure())
    check_growth(measured)


def test_the_table_is_long():
    assert len(KEYS) >= 200
