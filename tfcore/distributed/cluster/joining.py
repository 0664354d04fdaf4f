"""How a process that `tfcore.run --join` has started finds its cluster, and gets a place there.

The file that TFCORE_JOIN names, written by the cluster's launcher, has the doors of some tasks. The task with the
lowest rank (membership/places.py) gives each newcomer the lowest place that is empty and keeps it for as long as the
connection with the newcomer is open: until that has taken the place, or has ended.
"""

import json
import os
import time

from tfcore.distributed.cluster import addresses
from tfcore.distributed.cluster.door import knock
from tfcore.framework import errors

ANSWER_S = 15.0
AGAIN_S = 0.1  # between two rounds of knocking
ALONE_S = 10.0  # without an answer of any door, after which a newcomer gives up

_place = None  # the answer: a dict with `rank`, `size`, and `doors` of all tasks by rank
_connection = None  # to the task that keeps the place for as long as this is open
os.register_at_fork(after_in_child=lambda: release_place())  # or a child would keep the connection open


def is_asked():
    """Whether this process is to join a cluster."""
    return "TFCORE_JOIN" in os.environ


def place():
    """(rank, number of places) of this process; the first call asks the cluster.

    Raises:
      ResourceExhaustedError: all places are taken.
      UnavailableError: no task of the cluster answers.
      PermissionDeniedError: TFCORE_TOKEN is not that of the cluster.
      DeadlineExceededError: the cluster did not start, or did not answer, in time.
    """
    global _place, _connection
    if _place is None:
        _place, _connection = _ask(float(os.environ.get("TFCORE_START_TIMEOUT", 300.0)))
    return _place["rank"], _place["size"]


def doors():
    """By rank, where the tasks are that can let this process in; None: nobody is there. After `place`."""
    return _place["doors"]


def release_place():
    """Ends the reservation: this process has taken its place, or has failed to."""
    global _connection
    if _connection is not None:
        _connection.close()
        _connection = None


def _ask(seconds):
    """(the answer, the connection)"""
    from tfcore.distributed.fabric.fabric import host_id

    known = _known_doors()
    began = answered = time.monotonic()
    request = {"question": "place", "host": host_id()}
    while True:
        round_began, refused = time.monotonic(), None
        for door in list(known):
            try:
                answer, connection = _say(door, request)
            except errors.PermissionDeniedError as error:  # or another job has the port of a task that is gone
                refused = error
                continue
            if answer is None:
                continue
            answered = time.monotonic()
            if answer["answer"] == "place":
                return answer, connection
            connection.close()
            if answer["answer"] == "full":
                raise errors.ResourceExhaustedError(
                    None, None, f"This process can't join the cluster: {answer['why']}."
                )
            if answer["answer"] == "elsewhere" and answer["door"] not in known:
                known.insert(0, answer["door"])
        if refused and answered < round_began:
            raise refused
        now = time.monotonic()
        if now - answered > ALONE_S:
            where = ", ".join(f"{addresses.hosts(door)[0]}:{door['port']}" for door in known)
            raise errors.UnavailableError(
                None, None, f"This process can't join the cluster: no task answers at {where}."
            )
        if now - began > seconds:
            raise errors.DeadlineExceededError(
                None, None, f"The cluster has given this process no place within {seconds:.0f} s."
            )
        time.sleep(AGAIN_S)


def _known_doors():
    path = os.environ["TFCORE_JOIN"]
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["doors"]
    except FileNotFoundError:
        raise errors.UnavailableError(
            None, None, f"This process can't join the cluster: {path} is not there, so the cluster has ended."
        ) from None


def _say(door, request):
    """(the answer, the connection) of a door; (None, None): nobody answers there."""
    try:
        connection = knock(addresses.hosts(door), door["port"], os.environ.get("TFCORE_TOKEN", ""))
    except PermissionError:
        raise errors.PermissionDeniedError(
            None,
            None,
            f"This process can't join the cluster: TFCORE_TOKEN is not that of the task at port {door['port']}.",
        ) from None
    except OSError:
        return None, None
    try:
        connection.send(request)
        return connection.receive(ANSWER_S), connection
    except OSError:
        connection.close()
        return None, None
