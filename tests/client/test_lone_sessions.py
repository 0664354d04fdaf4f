"""A program of several processes that never makes a Server is told so."""

import threading

import pytest

import tfcore as tf
from tfcore.client import lone_sessions


@pytest.fixture
def job(monkeypatch):
    """What the first of three processes sees that tfcore.run started; the line comes at once."""
    monkeypatch.setattr(lone_sessions, "_is_watching", False)
    monkeypatch.setattr(lone_sessions, "_is_task", False)
    monkeypatch.setattr(lone_sessions, "sys", type("Sys", (), {"modules": {}}))
    monkeypatch.setattr(lone_sessions, "SECONDS", 0)
    told = []
    monkeypatch.setattr(lone_sessions.progress, "write", told.append)
    for name in ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "TFCORE_JOB"):
        monkeypatch.delenv(name, raising=False)

    def start(rank="0", size="3", **others):
        values = {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": size, "TFCORE_JOB": "j", **others}
        for name, value in values.items():
            monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
        for _ in range(2):
            with tf.Session():
                pass
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
        return told

    return start


def test_the_first_process_says_it_once(job):
    (line,) = job()
    assert line.startswith("tfcore: 3 processes run this program and none has made a tf.train.Server")


@pytest.mark.parametrize("where", [{"rank": "1"}, {"size": "1"}, {"TFCORE_JOB": ""}])
def test_others_say_nothing(job, where):
    assert job(**where) == []


def test_a_task_says_nothing(job):
    lone_sessions.note_task()
    assert job() == []
