"""How processes that were started separately, each with the same lists of host:port, find their cluster.

A process opens a door (door.py) at its own address, and asks at the addresses of all others. If a member of a cluster
answers, it joins that one (membership/places.py). If nobody is a member, the process of the lowest rank among those
that are there founds the cluster, with itself alone, and the others join it. So processes may start in any order and
at any time, and nobody waits here for one that has not started: sessions do.

There is only one founder. A process asks all others in rounds. It founds if in one round no process of a lower rank
answered and none asked it; it decides so, and answers, under one lock. Let a < b be two ranks, and let a have asked b
in the round after which a founds:

1. If b's door was closed, b has asked a later, when a's door was open. So b found a member, or a process of a lower
   rank.
2. If b's door was open, b had not decided: it would have said that it is a member. If its round was under way, the
   round does not count, because a asked meanwhile. If it began later, it found a.

A host that does not answer may be cut off together with a cluster that runs there. So nobody founds one before all
hosts have answered.

Processes on several hosts reach each other over TCP. There, no file permissions tell a user's processes from others: so
they need a secret, the same TFCORE_TOKEN in the environment of all.
"""

import concurrent.futures
import contextlib
import os
import socket
import threading
import time

from tfcore.core.threads import progress
from tfcore.distributed.cluster import addresses
from tfcore.distributed.cluster.door import AT_ONCE as VISITORS_AT_ONCE
from tfcore.distributed.cluster.door import Door, knock
from tfcore.framework import errors

FIRST_NAP_S, LONGEST_NAP_S = 0.02, 0.5
ANSWER_S = 5.0  # for a process to send its request, or to answer
AT_ONCE = 16  # processes that are asked at the same time
NOBODY, CANDIDATE, RUNNING = "nobody", "candidate", "running"  # what is at an address: the last is a member
FOUNDS = "founds"


def is_for(spec, named):
    """Whether a process without a launcher is a task of such a cluster.

    Args:
      named: whether the program says which task it is.
    """
    tasks = [(job, index) for job in spec.jobs for index in spec.task_indices(job)]
    return named and len(tasks) > 1 and all(_parse(spec.task_address(*task)) for task in tasks)


def _parse(address):
    """(host, port) of "host:port"; None: it is something else."""
    host, colon, port = address.removeprefix("grpc://").rpartition(":")
    is_port = port.isdecimal() and 0 < int(port) < 1 << 16
    return (host.strip("[]"), int(port)) if colon and host and host != "mpi" and is_port else None


class Meeting:
    """A process that looks for its cluster. rank, size: its number, and how many places there are.

    Args:
      spec: the ClusterSpec; task: (job name, task index) of this process.

    Raises:
      UnavailableError: this process can't listen at its address.
    """

    def __init__(self, spec, task):
        self.tasks = sorted(
            ((job, i) for job in spec.jobs for i in spec.task_indices(job)), key=lambda t: spec.rank(*t)
        )
        self.addresses = [spec.task_address(*t) for t in self.tasks]
        self._spec = spec
        self.rank, self.size = self.tasks.index(task), len(self.tasks)
        places = [_parse(address) for address in self.addresses]
        self.doors = [{"hosts": [host], "port": port} for host, port in places]
        self.token = os.environ.get("TFCORE_TOKEN", "")
        host, port = places[self.rank]
        try:
            self.door = Door(self.token, host, port, VISITORS_AT_ONCE + 2 * self.size)
        except OSError as error:
            raise errors.UnavailableError(
                None, None, f"{self.name(self.rank)} can't listen at its address: {error.strerror or error}"
            ) from None
        self._lock = threading.Lock()
        self._lower = 0  # under the lock, like the next: how often processes of lower ranks have asked
        self._founds = False
        self._doubtful = []  # ranks: what this process waits for
        self.door.open(self._serve)

    def name(self, rank):
        """What texts call a task: its name and its address."""
        return "/job:{}/task:{} ({})".format(*self.tasks[rank], self.addresses[rank])

    def _cluster(self):
        """What all processes must agree about before they can meet."""
        room = [self._spec.at_least] if self._spec.at_least else []
        kept = [self._spec.ps_replicas] if self._spec.ps_replicas > 1 else []
        return [[*task, address] for task, address in zip(self.tasks, self.addresses)] + room + kept

    # ---- The question

    def founds(self, seconds):
        """Whether this process is the first of its cluster; else the cluster runs, and it can join.

        Raises:
          DeadlineExceededError: hosts have not answered within `seconds`.
          ValueError: another process describes another cluster.
          PermissionDeniedError: another process has another TFCORE_TOKEN.
        """
        end, nap = time.monotonic() + seconds, FIRST_NAP_S
        pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE, "tfcore-meeting")
        try:
            with progress.work("looking for the cluster") as work:
                while not (answer := self._look(pool)):
                    others = ", ".join(map(self.name, self._doubtful))
                    work.what = f"{self.name(self.rank)} looks for its cluster and waits for {others}"
                    if self._doubtful and time.monotonic() > end:
                        raise errors.DeadlineExceededError(
                            None,
                            None,
                            f"{self.name(self.rank)} can't tell whether its cluster runs: after {seconds:.0f} s it "
                            f"still waits for {others}",
                        )
                    time.sleep(nap)
                    nap = min(2 * nap, LONGEST_NAP_S)
            return answer == FOUNDS
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _look(self, pool):
        """RUNNING: the cluster runs; FOUNDS: this process is its first; "": it can't be told yet."""
        with self._lock:
            lower = self._lower
        found = {}
        asked = {pool.submit(self._ask, rank): rank for rank in range(self.size) if rank != self.rank}
        for one in concurrent.futures.as_completed(asked):
            found[asked[one]] = one.result()
            if one.result() == RUNNING:
                return RUNNING
        self._doubtful = sorted(r for r, says in found.items() if not says or says == CANDIDATE and r < self.rank)
        with self._lock:
            self._founds = not self._doubtful and self._lower == lower
            return FOUNDS if self._founds else ""

    def _ask(self, rank):
        """What is at the address of a task; "": maybe a member."""
        door = self.doors[rank]
        try:
            with contextlib.closing(knock(addresses.hosts(door), door["port"], self.token)) as connection:
                connection.send({"question": "state", "rank": self.rank, "cluster": self._cluster()})
                answer = connection.receive(ANSWER_S)
        except PermissionError:
            here, there = self.name(self.rank), self.name(rank)
            raise errors.PermissionDeniedError(
                None, None, f"{there} has another TFCORE_TOKEN in its environment than {here}"
            ) from None
        except ConnectionRefusedError:
            return NOBODY
        except socket.gaierror as error:
            return NOBODY if error.errno == socket.EAI_NONAME else ""  # the host does not exist yet; or may
        except OSError:
            return ""
        if "problem" in answer:
            raise ValueError(answer["problem"])
        return answer["answer"]

    # ---- The answers

    def _serve(self, connection):
        """Answers a process before this one is a member."""
        request = connection.receive(ANSWER_S)
        if request.get("question") != "state":  # it wants to join
            with self._lock:
                founds = self._founds
            connection.send({"answer": "again", "why": "the first task starts"} if founds else {"answer": "starting"})
            return
        with self._lock:
            self._lower += request["rank"] < self.rank
            state = RUNNING if self._founds else CANDIDATE
        connection.send(self.answer(request, state))

    def answer(self, request, state=RUNNING):
        """What a process is told that asks for the state of this one."""
        if request["cluster"] == self._cluster():
            return {"answer": state}
        return {
            "problem": f"The processes disagree about the cluster: it is {self._cluster()} for rank {self.rank}, but "
            f"{request['cluster']} for rank {request['rank']}"
        }

    def check_secret(self, shares):
        """shares[rank]: whether this process shares memory with that one, or is that one.

        Raises:
          FailedPreconditionError: processes run on several hosts, and have no secret in common.
        """
        far = [rank for rank, near in enumerate(shares) if not near]
        if far and not self.token:
            raise errors.FailedPreconditionError(None, None, f"{self.lacks_secret(far)}.")

    def lacks_secret(self, far):
        """Why this process and those of the ranks `far` can't work together."""
        return (
            f"{self.name(self.rank)} and {', '.join(map(self.name, far))} run on several hosts, so they need a secret: "
            "set TFCORE_TOKEN to the same random text in the environment of all tasks"
        )
