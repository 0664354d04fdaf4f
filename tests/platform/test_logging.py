"""tf.logging."""

import logging
import os

import pytest

import tfcore as tf


@pytest.fixture
def messages():
    """The records that the logger gets."""
    found = []
    handler = logging.Handler()
    handler.emit = found.append
    logger = tf.get_logger()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(tf.logging.DEBUG)
    yield found
    logger.removeHandler(handler)
    logger.setLevel(level)


LEVELS = [
    ("debug", tf.logging.DEBUG),
    ("info", tf.logging.INFO),
    ("warn", tf.logging.WARN),
    ("warning", tf.logging.WARN),
    ("error", tf.logging.ERROR),
    ("fatal", tf.logging.FATAL),
]


@pytest.mark.parametrize("name, level", LEVELS)
def test_levels(messages, name, level):
    getattr(tf.logging, name)("%d of %s", 3, "x")
    (record,) = messages
    assert (record.levelno, record.getMessage(), record.name) == (level, "3 of x", "tensorflow")
    assert os.path.samefile(record.pathname, __file__)  # the caller's line, not that of the module


@pytest.mark.parametrize("name", ["log", "vlog"])
def test_any_level(messages, name):
    getattr(tf.logging, name)(15, "a%s", "b")
    assert (messages[0].levelno, messages[0].getMessage()) == (15, "ab")
    assert os.path.samefile(messages[0].pathname, __file__)


def test_verbosity(messages):
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.logging.warn("dropped")
    tf.logging.error("kept")
    assert tf.logging.get_verbosity() == tf.logging.ERROR and [m.getMessage() for m in messages] == ["kept"]
    tf.logging.set_verbosity("DEBUG")
    assert tf.logging.get_verbosity() == tf.logging.DEBUG


def test_some_calls_only(messages):
    for i in range(7):
        tf.logging.log_first_n(tf.logging.INFO, "first %d", 2, i)
        tf.logging.log_every_n(tf.logging.INFO, "every %d", 3, i)
        tf.logging.log_if(tf.logging.INFO, "if %d", i == 5, i)
    expected = ["first 0", "every 0", "first 1", "every 3", "if 5", "every 6"]
    assert [m.getMessage() for m in messages] == expected


def test_lines_count_separately(messages):
    tf.logging.log_first_n(tf.logging.INFO, "a", 1)
    tf.logging.log_first_n(tf.logging.INFO, "b", 1)
    assert len(messages) == 2


def test_the_rest(messages):
    tf.logging.TaskLevelStatusMessage("100%")
    tf.logging.flush()
    assert messages[0].getMessage() == "100%" and messages[0].levelno == tf.logging.ERROR
    assert tf.get_logger() is logging.getLogger("tensorflow")
