"""What a task knows of itself and of its cluster, for people: `Server.status`, `python -m tfcore.tools.cluster`.

Nothing runs while nobody asks, but a thread that looks for long waits a few times in TFCORE_WAIT_REPORT seconds (30; 0:
never), and reports each once on standard error. The task that is asked asks all others at once, by a message that is
answered by another one; a task that has not answered in time is shown without an answer.
"""

import contextlib
import itertools
import json
import os
import socket
import threading
import time
import traceback

from tfcore.core.registry import statistics
from tfcore.core.runtime import memory_stats
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership import failure
from tfcore.distributed.partitions import steps
from tfcore.distributed.status import status_socket, waits
from tfcore.framework import errors

ANSWER_S = 1.0
SLOW_CLIENT_S = 5.0
MOST_CLIENTS = 8
REPORT_S = 30.0  # or TFCORE_WAIT_REPORT; 0: never
LOOKS = 10  # in that time...
LEAST_LOOK_S = 0.01  # ...but not more often than this
MOST_REPORT_S = 1e9  # as good as never: no clock overflows
MOST_LINES = 10  # of a report


class Status:
    """The part of a task that answers for it. hosts, pids: by rank, as the tasks told at the start; None: of a place
    without a process."""

    def __init__(self, task, hosts, pids):
        self._task = task
        self._hosts, self._pids = hosts, pids
        self._since = time.monotonic()
        self._limit = _wait_report()
        self._questions = {}  # number -> _Question
        self._numbers = itertools.count(1)
        self._clients = threading.BoundedSemaphore(MOST_CLIENTS)
        self._stopped = threading.Event()
        self._socket = self._job = None
        os.register_at_fork(after_in_child=self._after_fork)
        fabric.serve("status", self._on_question)
        fabric.serve("status_answer", self._on_answer)

    def start(self):
        """After `fabric.start`. A task whose socket can't be made says so and continues."""
        self._job = status_socket.job_name(fabric.job_token())
        try:
            if self._task.rank == 0:
                status_socket.sweep()
            self._socket = status_socket.listen(self._job, self._task.rank)
        except (OSError, errors.PermissionDeniedError) as error:
            failure.report(f"{self._task.name} can't be asked for its status: {error}")
        if self._socket is not None:
            threading.Thread(target=self._listen, name="tfcore-status", daemon=True).start()
        if self._limit:
            threading.Thread(target=self._watch_waits, name="tfcore-waits", daemon=True).start()

    def stop(self, failed):
        """failed: the ranks whose processes can't remove their sockets themselves."""
        self._stopped.set()
        if self._socket is not None:
            status_socket.forget(self._job, [self._task.rank, *failed])
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that listens
            self._socket.close()

    def _after_fork(self):
        """A child is not a task: it must neither keep the socket open nor remove it."""
        self._stopped.set()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def admit(self, rank, entry):
        """Another process has the place from now on. entry: what it has said about itself."""
        self._hosts[rank], self._pids[rank] = entry["host"], entry["pid"]

    # ---- What there is to say

    def of_task(self):
        """The status of this task: see `Server.status`."""
        begun, ended = waits.count_steps()
        for_masters = steps.count_runs()
        memory, arena = memory_stats(), fabric.stats()
        peers = [dict(rank=rank, **peer) for rank, peer in enumerate(fabric.traffic()) if rank != self._task.rank]
        peers = [peer for peer in peers if _has_traffic(peer) or self._has_gone(peer)]
        total = {way: {what: sum(p[way][what] for p in peers) for what in ("messages", "bytes")} for way in WAYS}
        return {
            **self._identity(self._task.rank),
            "state": "excluded" if fabric.excluded() else "running",
            "reason": None,
            "incarnation": fabric.incarnation(self._task.rank),
            "uptime_s": round(time.monotonic() - self._since, 3),
            "steps": {"run": ended, "running": begun - ended, "running_for_others": for_masters},
            "partitions": self._task.partitions(),
            "memory": {
                "bytes_in_use": memory["bytes_in_use"],
                "bytes_limit": memory["bytes_limit"],
                "arena_bytes_in_use": arena["arena_bytes_in_use"],
                "resident_bytes": _resident_bytes(),
            },
            **total,
            "flow_control": steps.flow_control_counts(),
            "replicas": self._task.replication.counts(),
            "queues": statistics.queues(),
            "pipelines": statistics.stages(),
            "peers": peers,
            "waits": [self._with_names(wait) for wait in waits.long_waits(self._limit)] if self._limit else [],
        }

    @staticmethod
    def _has_gone(peer):
        return peer["state"] != "alive" and fabric.failure(peer["rank"]) != failure.NOT_STARTED

    def _identity(self, rank):
        job, index = self._task.tasks[rank]
        return {
            "task": f"/job:{job}/task:{index}",
            "rank": rank,
            "host": self._hosts[rank],
            "pid": self._pids[rank],
        }

    def _with_names(self, wait):
        names = ["/job:{}/task:{}".format(*self._task.tasks[rank]) for rank in wait["ranks"]]
        return {**wait, "waits_for": names}

    def of_cluster(self, seconds=ANSWER_S):
        """The status of all tasks: see `Server.status`."""
        question = _Question()
        number = next(self._numbers)
        self._questions[number] = question
        try:
            asked = [rank for rank in self._task.others() if fabric.alive(rank)]
            sent = [rank for rank in asked if _notify(rank, "status", {"number": number})]
            answers = question.wait_for(sent, seconds)
        finally:
            del self._questions[number]
        tasks = []
        for rank in range(self._task.size):
            if rank == self._task.rank:
                tasks.append(self.of_task())
            else:
                tasks.append(answers.get(rank) or self._without_answer(rank, seconds))
        return {"job": self._job, "asked": self._task.rank, "tasks": tasks}

    def _without_answer(self, rank, seconds):
        reason = fabric.failure(rank)
        if reason == failure.NOT_STARTED:
            state, reason = "not started", None
        elif reason is None:
            state, reason = "silent", f"no answer within {seconds:g} s"
        else:
            state = fabric.traffic()[rank]["state"]
        return {**self._identity(rank), "state": state, "reason": reason}

    # ---- Between tasks

    def _on_question(self, source, payload):
        number = json.loads(payload)["number"]
        _notify(source, "status_answer", {"number": number, "status": self.of_task()})
        return b""

    def _on_answer(self, source, payload):
        answer = json.loads(payload)
        question = self._questions.get(answer["number"])  # None: it came too late
        if question is not None:
            question.answer(source, answer["status"])
        return b""

    # ---- From outside of the cluster

    def _listen(self):
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._stopped.wait(0.1):  # else there are too many open files
                    return
                continue
            if self._clients.acquire(blocking=False):
                try:
                    threading.Thread(target=self._serve, args=[connection], daemon=True).start()
                    continue
                except RuntimeError:  # no more threads
                    self._clients.release()
            connection.close()

    def _serve(self, connection):
        """Answers one client, whatever it does."""
        try:
            with connection:
                connection.settimeout(SLOW_CLIENT_S)
                if status_socket.is_of_this_user(connection) and status_socket.is_asked(connection):
                    connection.sendall(json.dumps(self.of_cluster()).encode())
        except OSError:
            pass  # it is gone, or does not read
        except Exception:
            if not self._stopped.is_set():
                traceback.print_exc()
        finally:
            self._clients.release()

    # ---- Long waits

    def _watch_waits(self):
        while not self._stopped.wait(max(self._limit / LOOKS, LEAST_LOOK_S)):
            try:
                self._report(waits.long_waits(self._limit, new_ones=True))
            except OSError:
                pass  # standard error is closed
            except Exception:
                if self._stopped.is_set():
                    return
                traceback.print_exc()

    def _report(self, new_ones):
        """One line for all iterations of an operation, and only some if many wait at once."""
        by_op = {}
        for wait in new_ones:
            by_op.setdefault((wait["step"], wait["op"]), []).append(wait)
        lines = [describe(iterations) for iterations in by_op.values()]
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [f"and {len(lines) - MOST_LINES} more operations wait"]
        for line in lines:
            failure.report(f"{self._task.name} (rank {self._task.rank}): {line}")


WAYS = ("sent", "received", "queued")


class _Question:
    def __init__(self):
        self._answers = {}
        self._changed = threading.Condition()

    def answer(self, rank, status):
        with self._changed:
            self._answers[rank] = status
            self._changed.notify_all()

    def wait_for(self, ranks, seconds):
        """The answers by rank, of all `ranks`, or of those that have answered after a time."""
        with self._changed:
            self._changed.wait_for(lambda: all(r in self._answers or not fabric.alive(r) for r in ranks), seconds)
            return dict(self._answers)


def describe(iterations):
    """An operation's long waits, of one step, as text: entries of `waits.long_waits`, the longest first."""
    wait = iterations[0]
    who = ", ".join(fabric.description(rank) for rank in wait["ranks"]) or "another operation"
    what = f"{wait['tensor']!r} " if wait["tensor"] else ""
    verb = {
        "_Send": f"may send {what}to",
        "_Recv": f"gets {what}from",
        "_RunPartition": "hears the end of its part from",
    }
    until = f"until it {verb[wait['type']]} {who}" if wait["type"] in verb else f"for {who}"
    numbers = sorted(w["iteration"] for w in iterations if w["iteration"] is not None)
    iteration = f", iteration {numbers[0]}" if numbers else ""
    if len(numbers) > 1:
        iteration = f", iterations {numbers[0]} to {numbers[-1]}"
    line = f" (defined at {wait['line']})" if wait["line"] else ""
    op = f"{wait['op']} (op: {wait['type']}){line}"
    return f"step {wait['step']}{iteration}: {op} has waited for {wait['seconds']:.1f} s {until}"


def _wait_report():
    text = os.environ.get("TFCORE_WAIT_REPORT", str(REPORT_S))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise errors.InvalidArgumentError(
            None, None, f"TFCORE_WAIT_REPORT is {text!r}, but must be a number of seconds: 0 (never) or more."
        )
    return min(seconds, MOST_REPORT_S)


def _has_traffic(peer):
    return any(peer[way]["messages"] for way in WAYS) or peer["outstanding"]


def _resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _notify(rank, method, content):
    """Sends a message to a task that may be gone; returns whether it was sent."""
    try:
        fabric.notify(rank, method, json.dumps(content).encode())
    except errors.OpError:
        return False
    return True
