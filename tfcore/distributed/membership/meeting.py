"""Where processes meet that were started separately, each with the same lists of host:port (TensorFlow's tutorials).

Every process opens a door (door.py) at its own address. The first task of the cluster, rank 0, collects what all say
about themselves and answers, as soon as so many are there as must be. Processes may start in any order. One that is
started later, or again, while the cluster runs is told so at any door, and takes its place (membership/places.py).

Processes on several hosts reach each other over TCP. There, no file permissions tell a user's processes from others: so
they need a secret, the same TFCORE_TOKEN in the environment of all.
"""

import collections
import contextlib
import os
import sys
import threading
import time

from tfcore.distributed.cluster import addresses
from tfcore.distributed.cluster.door import AT_ONCE, Door, knock
from tfcore.framework import errors

GRACE_S = 5.0  # by which others wait longer than rank 0, which decides
FIRST_NAP_S, LONGEST_NAP_S = 0.02, 0.5
LOOK_S = 1.0  # how often rank 0 looks whether the cluster runs without it, and about how long
NOBODY = "nobody"
REPORT_S = 3.0  # after which a process says for whom it waits, and again after twice, four times as long
ANSWER_S = 5.0  # for a process to send its request, or to say whether the cluster runs


class ClusterGoesOnError(Exception):
    """The cluster is complete and runs: this process takes a place in it again."""


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
    """The processes of a cluster until it is complete. rank, size: this process's number, and how many there are.

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
            self.door = Door(self.token, host, port, AT_ONCE + 2 * self.size)
        except OSError as error:
            raise errors.UnavailableError(
                None, None, f"{self._name(self.rank)} can't listen at its address: {error.strerror or error}"
            ) from None
        self._round = 0
        self._no_members = set()  # ranks that are not members of a cluster, as they or their hosts have said
        self._asked = 0  # how many tasks were asked whether the cluster runs
        self._changed = threading.Condition()
        self._texts = {}  # (round, rank) -> text; under _changed, like the rest
        self._answers = {}  # round -> what all get
        self._visitors = collections.Counter()  # round -> how many processes wait for its answer
        self._problem = None
        self._goes_on = False
        self.door.open(self._serve)

    def _name(self, rank):
        return "/job:{}/task:{} ({})".format(*self.tasks[rank], self.addresses[rank])

    def _cluster(self):
        """What all processes must agree about before they can meet."""
        room = [self._spec.at_least] if self._spec.at_least else []
        kept = [self._spec.ps_replicas] if self._spec.ps_replicas > 1 else []
        return [[*task, address] for task, address in zip(self.tasks, self.addresses)] + room + kept

    def exchange(self, text, seconds):
        """The texts of all processes, by rank; None of those that are not there, and need not be.

        Raises:
          ClusterGoesOnError: in the first exchange: the others have met long ago.
          DeadlineExceededError: not all have come within `seconds`.
          ValueError: another process describes another cluster.
          PermissionDeniedError: another process has another TFCORE_TOKEN.
        """
        self._round += 1
        with self._reporting():
            if self.rank == 0:
                answer = self._collect(self._round, text, time.monotonic() + seconds)
                self._see_visitors_off(self._round)
            else:
                answer = self._ask(self._round, text, time.monotonic() + seconds + GRACE_S)
        if "problem" in answer:
            raise ValueError(answer["problem"])
        if "missing" in answer:
            missing = ", ".join(map(self._name, answer["missing"]))
            needed = "".join(f" (job {job} needs {n} to start)" for job, n in self._spec.at_least.items())
            text = f"Of {self.size} tasks, these have not started a server within {seconds:.0f} s: {missing}{needed}"
            raise errors.DeadlineExceededError(None, None, text)
        return answer["texts"]

    @contextlib.contextmanager
    def _reporting(self):
        """Says meanwhile, at growing intervals, for whom this process waits."""
        ended = threading.Event()

        def report():
            start, pause = time.monotonic(), REPORT_S
            while not ended.wait(pause):
                missing = ", ".join(map(self._name, self._waits_for()))
                if missing and not ended.is_set():
                    text = f"{self._name(self.rank)} waits for {missing}, {time.monotonic() - start:.0f} s so far"
                    print(f"tfcore: {text}", file=sys.stderr, flush=True)
                pause *= 2

        threading.Thread(target=report, daemon=True).start()
        try:
            yield
        finally:
            ended.set()

    def _waits_for(self):
        """The ranks that this process waits for, as far as it knows."""
        if self.rank == 0:
            with self._changed:
                return self._missing(self._round) or self._doubtful(self._round)
        try:
            return self._says(0, {"question": "state"}).get("missing", [0])
        except errors.PermissionDeniedError:  # the exchange says so
            return []

    # ---- Rank 0

    def _collect(self, number, text, end):
        with self._changed:
            self._texts[number, 0] = text
        look = time.monotonic()
        while True:
            with self._changed:
                missing = self._missing(number) or self._doubtful(number)
                now = time.monotonic()
                if self._problem or not missing or now > end:
                    return self._decide(number, missing)
                self._changed.wait(max(0.0, min(end, look) - now))
            if number == 1 and time.monotonic() >= look:
                if self._is_running(missing):
                    with self._changed:
                        self._goes_on = True
                        self._changed.notify_all()
                    raise ClusterGoesOnError
                look = time.monotonic() + LOOK_S

    def _missing(self, number):
        """With the lock: the ranks that are waited for. Those that were not there in the first round join later."""
        if number == 0:  # this process has not begun to wait
            return []
        there = {rank for round, rank in self._texts if round == number}
        if number == 1:
            return [self.tasks.index(task) for task in self._spec.lacks([self.tasks[rank] for rank in there])]
        return [rank for rank, text in enumerate(self._answers[1]["texts"]) if text is not None and rank not in there]

    def _doubtful(self, number):
        """With the lock, when enough are there: the absent ranks that may be members of a running cluster.

        A process that is started again must not begin a second cluster with others that come at the same time. So it
        asks at the addresses of all that are absent. A host that does not answer may be cut off.
        """
        there = {rank for round, rank in self._texts if round == number}
        return [rank for rank in range(self.size) if rank not in there | self._no_members] if number == 1 else []

    def _is_running(self, ranks):
        """Whether the cluster is complete, as one of these tasks says.

        Hosts that are silent take seconds each: so not all are asked at once, and another one is the first next time.
        """
        end = time.monotonic() + LOOK_S
        for _ in ranks:
            rank = ranks[self._asked % len(ranks)]
            self._asked += 1
            answer = self._says(rank, {"question": "state"}).get("answer")
            if answer == "running":
                return True
            if answer in (NOBODY, "starting"):
                self._no_members.add(rank)
            if time.monotonic() > end:
                break
        return False

    def _decide(self, number, missing):
        """With the lock: the answer for all."""
        answer = {"texts": [self._texts.get((number, rank)) for rank in range(self.size)]}
        if missing:
            answer = {"missing": missing}
        if self._problem:
            answer = {"problem": self._problem}
        self._answers[number] = answer
        self._changed.notify_all()
        return answer

    def _see_visitors_off(self, number):
        """Waits until all have the answer: this process may end next, if the answer is an error."""
        with self._changed:
            self._changed.wait_for(lambda: not self._visitors[number], ANSWER_S)

    def _serve(self, connection):
        """Answers a process that comes before the cluster runs."""
        request = connection.receive(ANSWER_S)
        if "text" not in request or self.rank != 0:
            connection.send({"answer": "starting"} | ({} if self.rank else {"missing": self._waits_for()}))
            return
        number = request["round"]
        with self._changed:
            self._visitors[number] += 1
        try:
            connection.send(self._answer(number, request))
        finally:
            with self._changed:
                self._visitors[number] -= 1
                self._changed.notify_all()

    def _answer(self, number, request):
        """What all get, once rank 0 has decided."""
        rank = request["rank"]
        with self._changed:
            if request["cluster"] != self._cluster():
                self._problem = (
                    f"The processes disagree about the cluster: it is {self._cluster()} for rank 0, but "
                    f"{request['cluster']} for rank {rank}"
                )
            is_late = "texts" in self._answers.get(number, {}) and (number, rank) not in self._texts
            if is_late:  # it can join when the cluster runs
                return {"answer": "starting"}
            self._texts[number, rank] = request["text"]
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: number in self._answers or self._problem or self._goes_on, request["seconds"]
            )
            answer = {"answer": "running"} if self._goes_on else {"problem": self._problem} if self._problem else {}
            return self._answers.get(number, answer)

    # ---- The others

    def _ask(self, number, text, end):
        request = {"question": "texts", "round": number, "rank": self.rank, "cluster": self._cluster(), "text": text}
        nap = FIRST_NAP_S
        while (seconds := end - time.monotonic()) > 0:
            answer = self._says(0, {**request, "seconds": seconds}, seconds)
            # Rank 0 may have died after the cluster was complete.
            if number == 1 and answer in ({}, {"answer": NOBODY}):
                if self._is_running([rank for rank in range(1, self.size) if rank != self.rank]):
                    raise ClusterGoesOnError
            if answer.get("answer") == "running":
                raise ClusterGoesOnError
            if answer and answer.get("answer") not in (NOBODY, "starting"):
                return answer
            time.sleep(nap)
            nap = min(2 * nap, LONGEST_NAP_S)
        return {"missing": [0]}

    def _says(self, rank, request, seconds=ANSWER_S):
        """What a process answers, NOBODY if its host says that nobody listens there; {}: there was no answer."""
        try:
            connection = knock(addresses.hosts(self.doors[rank]), self.doors[rank]["port"], self.token)
            with contextlib.closing(connection):
                connection.send(request)
                return connection.receive(max(0.1, seconds))
        except PermissionError:
            here, there = self._name(self.rank), self._name(rank)
            raise errors.PermissionDeniedError(
                None, None, f"{there} has another TFCORE_TOKEN in its environment than {here}"
            ) from None
        except ConnectionRefusedError:
            return {"answer": NOBODY}
        except OSError:
            return {}

    def check_secret(self, shares):
        """shares[rank]: whether this process shares memory with that one, or is that one.

        Raises:
          FailedPreconditionError: processes run on several hosts, and have no secret in common.
        """
        far = [rank for rank, near in enumerate(shares) if not near]
        if far and not self.token:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"{self._name(self.rank)} and {', '.join(map(self._name, far))} run on several hosts, so they need a "
                "secret: set TFCORE_TOKEN to the same random text in the environment of all tasks.",
            )
