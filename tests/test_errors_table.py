"""Every wrong program of `tests/errors`: class, values and line of its error; life goes on, and nothing leaks."""

import faulthandler
import gc
import importlib
import re
import sys
import traceback

import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.errors.table import PROGRAMS

THEMES = (
    "building", "closing", "control", "data", "devices", "extending", "feeding", "fetching", "gradients", "importing", "layers", "operators", "partial",
    "running", "shapes", "types", "variables",
)  # fmt: skip
for theme in THEMES:
    importlib.import_module(f"tests.errors.{theme}")
KEYS = sorted(PROGRAMS)
TIMES = 50


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
        assert f"{program.file}:{program.line} in {program.function.__name__}" in str(error), error
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


def check_growth(before, after, times):
    assert after[1] <= before[1], "tensors leak"
    # An error that is kept is five objects at least; interpreter caches fill by one or two for a while.
    assert after[0] - before[0] < 4 * times, f"{(after[0] - before[0]) / times} objects leak each time"


@pytest.mark.parametrize("key", KEYS)
def test_fifty_times_without_a_leak(key):
    program = PROGRAMS[key]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        _, attempt = start(program, session)
        for i in range(TIMES if attempt else 0):
            failure(attempt)
            if i == TIMES // 4:
                before, size = measure(), len(graph.get_operations())
        if attempt:
            check_growth(before, measure(), TIMES - TIMES // 4)
            assert len(graph.get_operations()) == size
            return
    for i in range(TIMES):
        with tf.Graph().as_default(), tf.Session() as session:
            assert start(program, session)[0] is not None
        if i == TIMES // 4:
            before = measure()
    check_growth(before, measure(), TIMES - TIMES // 4)


def test_the_table_is_long():
    assert len(KEYS) >= 200
