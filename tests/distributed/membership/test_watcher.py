"""The thread of failure detection (watcher.c): what belongs to another process of a place, early facts, forks."""

import json
import os
import signal
import socket
import struct
import time

from tests.distributed import LONG_S, tasks
from tests.distributed.fabric.test_fabric import wait_until

TOKEN = 0x123456789ABCDEF
LIVES_AT = 16  # the incarnations of sender and receiver in a datagram
FACTS_AT = 24  # the first byte of a detector's message says what it is
FACTS = 3


def prepare(task, generations=(0, 0), port=None):
    """Opens and connects the fabric; (Heartbeat, addresses). port: where rank 0 says that it gets datagrams."""
    from tfcore.distributed.membership.heartbeat import Heartbeat

    from tfcore.distributed.fabric import fabric

    address = json.loads(fabric.open(task.rank, task.size))
    heartbeat = Heartbeat(task.rank, task.size)
    listens = heartbeat.address()
    if port:
        listens["port"] = port
    entries = [json.loads(entry) for entry in task.exchange(json.dumps([address, listens]))]
    places = [json.dumps(entry[0]).encode() for entry in entries]
    fabric.connect(places, hosts=[0] * task.size, generations=list(generations), token=TOKEN)
    addresses = [entry[1] for entry in entries]
    heartbeat.start(addresses, fabric.pids(), 0.0, 2 * generations[task.rank])
    task.meet()
    fabric.start()
    task.meet()
    return heartbeat, addresses


def number_of(heartbeat, rank):
    return heartbeat.membership()[2][rank]


def with_lives(datagram, lives):
    return datagram[:LIVES_AT] + struct.pack("II", *lives) + datagram[FACTS_AT:]


def replay(task):
    """Rank 0 gets again, from another address, what rank 1 has sent to it when both places had earlier processes."""
    from tfcore.distributed.fabric import fabric

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as recorder:
        recorder.bind(("127.0.0.1", 0))
        recorder.settimeout(LONG_S)
        heartbeat, _ = prepare(task, port=None if task.rank else recorder.getsockname()[1])
        recorded = []
        if task.rank == 1:
            heartbeat.begin()
            heartbeat.leave()
        while task.rank == 0 and not (recorded and recorded[-1][FACTS_AT] == FACTS):
            recorded.append(recorder.recv(1 << 16))
        task.meet()
        heartbeat.stop()
        fabric.close(0.1)
        heartbeat, addresses = prepare(task)
        if task.rank == 0:
            heartbeat.begin()
            here = "127.0.0.1", addresses[0]["port"]
            from_now, to_now = fabric.incarnation(1), fabric.incarnation(0)
            for datagram in recorded:
                former, was_for = struct.unpack_from("II", datagram, LIVES_AT)
                for lives in ((former, was_for), (from_now, was_for), (former, to_now)):
                    recorder.sendto(with_lives(datagram, lives), here)
        task.meet()
        if task.rank == 1:
            heartbeat.begin()
        task.meet()
        if task.rank == 0:
            time.sleep(0.5)
            assert number_of(heartbeat, 1) == 0 and fabric.alive(1)
            recorder.settimeout(0)
            try:
                raise AssertionError(f"rank 1 is taken to be at another address: {recorder.recv(1 << 16)}")
            except BlockingIOError:
                pass
            recorder.sendto(with_lives(recorded[-1], (from_now, to_now)), here)  # so that was why
            assert wait_until(lambda: number_of(heartbeat, 1) == 1)
        task.meet()
        heartbeat.stop()
    return True


def test_datagrams_of_an_earlier_life_are_ignored():
    assert tasks.run(2, replay) == [True, True]


def learn_late(task):
    """Rank 1 has taken its place for the first time; rank 0 learns only now that the process before it has died."""
    from tfcore.distributed.membership.heartbeat import DEAD

    from tfcore.distributed.fabric import fabric

    heartbeat, _ = prepare(task, generations=(0, 1))
    if task.rank == 0:
        heartbeat.begin()
        heartbeat.note(1, 1, DEAD, "its former process has died")
        time.sleep(0.3)
        assert number_of(heartbeat, 1) == 1 and fabric.alive(1)
        fabric.fail(1, "the test says so")
        assert wait_until(lambda: number_of(heartbeat, 1) == 3)
    task.meet()
    heartbeat.stop()
    return True


def test_the_death_of_an_earlier_process_is_not_that_of_the_next():
    assert tasks.run(2, learn_late) == [True, True]


def leave_at_once(task):
    """Rank 1 joins and leaves, before rank 0 has told it anything."""
    from tfcore.distributed.membership.heartbeat import JOINED

    heartbeat, _ = prepare(task, generations=(0, 1))
    if task.rank == 1:
        heartbeat.begin()
        heartbeat.leave()
    task.meet()
    if task.rank == 0:
        heartbeat.note(1, 2, JOINED, "it has joined")  # early
        heartbeat.begin()
        assert wait_until(lambda: number_of(heartbeat, 1) == 3)
    task.meet()
    heartbeat.stop()
    return True


def test_a_newcomer_can_leave_at_once():
    assert tasks.run(2, leave_at_once) == [True, True]


def ask_early(task):
    from tfcore.framework import errors

    heartbeat, _ = prepare(task)
    try:
        heartbeat.membership()
    except errors.FailedPreconditionError as error:
        problem = error.message
    heartbeat.begin()
    numbers = heartbeat.membership()[2]
    heartbeat.stop()
    return problem, numbers


def test_nobody_is_a_member_before_failure_detection_begins():
    assert tasks.run(1, ask_early) == [["Failure detection has not begun.", [0]]]


def fork(task):
    """The child of a task takes no part, and says nothing in its parent's name."""
    from tfcore.distributed.fabric import fabric

    heartbeat, _ = prepare(task)
    heartbeat.begin()
    if task.rank == 1:
        child = os.fork()
        if not child:
            signal.alarm(10)
            heartbeat.leave("the child ends")
            heartbeat.stop()
            del heartbeat
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    task.meet()
    time.sleep(0.3)
    assert number_of(heartbeat, 1) == 0 and fabric.alive(1 - task.rank)
    task.meet()
    heartbeat.stop()
    return True


def test_a_forked_child_takes_no_part():
    assert tasks.run(2, fork) == [True, True]
