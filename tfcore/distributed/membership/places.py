"""How a process takes an empty place in a running cluster: its process has ended, or it has had none so far.

The newcomer knocks at the doors (door.py) of the places that it knows. The task with the lowest rank coordinates:

    newcomer     -> coordinator   who it is (`entry`), and under which incarnations it has tried before
    coordinator  -> all           PREPARE: membership epoch e + 1 is about to begin
    coordinator  -> newcomer      the entries of all; it maps their memory and answers
    coordinator  -> all           COMMIT: each lets the newcomer take the place, and begins the epoch
    coordinator  -> newcomer      it may start

Nothing has changed anywhere until all are prepared. An attempt that fails after that ends with CANCEL: all begin the
epoch without the newcomer, and those that have admitted it take it for dead; it tries again under a new incarnation.
If the coordinator dies, those who are prepared do the same and tell the others. So epochs agree whoever dies when.

After a network cut only the side that survives admits anybody: an epoch begins when all have agreed that are not known
to be dead, and whoever is on the smaller side answers no newcomer. A newcomer counts as a member only once all of them
know it, so that it can't make a smaller side a quorum (detector.h).

A place that has had no process so far belongs to no group of a collective. From the epoch on for which its first
process was proposed, it does, whatever becomes of that process: so all tasks in an epoch have the same groups.

This epoch is not that of the failure detector. The detector's counts deaths, too, and each task learns of them when it
does; two tasks may be in different ones at any time. Collectives need an epoch that all begin at the same point between
two runs, and need it only when a place is taken again: a death already fails those that wait for the dead one.

A task admits a newcomer only when it has handled the end of the former process: what it knew of that one is gone. It
may hear of that end from the newcomer itself, whose supervisor runs one process after the other.
"""

import concurrent.futures
import contextlib
import json
import os
import tempfile
import threading
import time

from tfcore.distributed.cluster import addresses, joining, world
from tfcore.distributed.cluster.cluster import device_name
from tfcore.distributed.cluster.door import AT_ONCE as VISITORS_AT_ONCE
from tfcore.distributed.cluster.door import Door, SilentError, knock
from tfcore.distributed.collectives import collective
from tfcore.distributed.collectives import consistency as collective_consistency
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership.failure import ENDED, NOT_STARTED
from tfcore.distributed.partitions import steps
from tfcore.framework import errors

AT_ONCE = 16  # tasks that the coordinator calls at the same time
ANSWER_S = 15.0  # for a task to answer the coordinator
MAP_S = 30.0  # for the newcomer to map the memory of the others, and for them to admit it
AGAIN_S = 0.05  # between two attempts
ALONE_S = 10.0  # after which a newcomer gives up whom no door answers
KEPT_S = 600.0  # how long a place is kept for a newcomer that has asked for it
NOTED = 4  # tasks whose doors `tfcore.run --join` gets to know
RETURN_S = 60.0  # how long a process that has failed may take until it is back, also where a network is cut


class RefusedError(Exception):
    """The newcomer can join neither now nor later."""


def is_restartable():
    """Whether processes of this job that fail are started again."""
    return "TFCORE_MEMBERS" in os.environ


def returns():
    """Whether this process will be started again if it fails."""
    done, most = int(os.environ.get("TFCORE_RESTARTED", 0)), int(os.environ.get("TFCORE_RESTART", 0))
    return is_restartable() and done < most


def supervisor():
    """[name of this process's supervisor, how many processes it ran before this one]; None: its parent is none."""
    name = os.environ.get("TFCORE_SUPERVISOR", "")
    if name.partition("/")[0] != str(os.getppid()):  # that of a process in between, which may end before this one
        return None
    return [name, int(os.environ.get("TFCORE_RESTARTED", 0))]


def _write_doors(doors):
    """Tells the supervisor of this process, which passes the file on to a replacement. Only the user may read it."""
    path = os.environ["TFCORE_MEMBERS"]
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(fd, "w") as file:
        json.dump(doors, file)
    os.replace(temporary, path)


def open_door(is_one_host, size):
    """This task's Door.

    Args:
      is_one_host: whether all tasks run on this host, also those that join later.
      size: how many places there are. Each newcomer may have two visitors there; one keeps its place.

    A replacement takes the port of the former process: others that wait to join may know nothing newer.

    Raises:
      FailedPreconditionError: there is no secret by which newcomers are known.
    """
    token, host = os.environ.get("TFCORE_TOKEN"), addresses.LOOPBACK if is_one_host else ""
    if not token:
        raise errors.FailedPreconditionError(
            None,
            None,
            "A cluster with room for processes that join later needs a secret, in TFCORE_TOKEN in the environment of "
            "all tasks. python -m tfcore.run makes one: start the cluster with --workers 2..8, for example.",
        )
    at_once = VISITORS_AT_ONCE + 2 * size
    if is_restartable() and (place := world.replaced()):
        with contextlib.suppress(OSError):
            return Door(token, host, noted_doors()[0][place[0]]["port"], at_once)
    return Door(token, host, at_once=at_once)


class Membership:
    """The members of the cluster: which process has which place, as far as this task knows.

    task: the Task of this process. entries: by rank, what the last process there has said about itself; None: there was
    none. door: of this task, or None: then no place can be taken. meeting: the Meeting of processes that are started
    separately, or None. epoch: how often a place was taken. empty: the ranks of places that had no process until this
    epoch.
    """

    def __init__(self, task, entries, door, meeting, epoch, empty):
        self._task = task
        self.entries = list(entries) if door else []
        self.epoch = epoch
        self.empty = empty
        self._door = door
        self._meeting = meeting
        self._kept = set()  # under `_lock`: places for newcomers that have asked for them
        self._admitting = threading.Lock()  # held by the coordinator
        self._lock = threading.Lock()
        self._prepared = None  # under the lock: (epoch, coordinator, places without any process)
        self._failed_at = {}  # under the lock: rank -> when its process failed
        for name in ("prepare", "release", "commit", "cancel", "epoch"):
            fabric.serve(f"admission_{name}", getattr(self, f"_on_{name}"))
        fabric.on_failure(self._on_failure)

    def start(self):
        """Lets newcomers knock; when the fabric has started."""
        with self._lock:
            for rank in self._task.others():  # those that were gone when this process joined
                if not fabric.alive(rank) and fabric.failure(rank) not in (ENDED, NOT_STARTED):
                    self._failed_at.setdefault(rank, time.monotonic())
        if self._door is not None:
            self._note_doors()
            self._door.open(self._receive)
            if self._task.spec.at_least and self._task.rank < NOTED:
                world.note("door", self._task.rank, json.dumps(self.entries[self._task.rank]["door"]))

    def _note_doors(self):
        if is_restartable():
            _write_doors(self._doors())

    def _doors(self):
        return [entry and entry["door"] for entry in self.entries]

    def stop(self):
        if self._door is not None:
            self._door.close()

    def absent(self):
        """The ranks of the places that have had no process."""
        return [rank for rank, entry in enumerate(self.entries) if entry is None]

    def may_return(self, rank):
        """Whether a place whose process has failed counts as taken: the process will be started again."""
        with self._lock:
            since = self._failed_at.get(rank)
        if self._door is None or since is None:
            return False
        if self._meeting:  # whoever has started it may do so again, at any time
            return True
        return self.entries[rank]["returns"] and time.monotonic() - since < RETURN_S

    def _on_failure(self, rank):
        with self._lock:
            if fabric.failure(rank) != ENDED:
                self._failed_at[rank] = time.monotonic()
            orphaned = self._prepared if self._prepared and self._prepared[1] == rank else None
        if orphaned:
            epoch, _, empty = orphaned
            self._begin_epoch(epoch, empty)
            for other in self._living():
                with contextlib.suppress(errors.OpError):
                    fabric.notify(other, "admission_epoch", json.dumps([epoch, empty]).encode())

    def _living(self):
        """The ranks of the other tasks that live."""
        return [rank for rank in self._task.others() if fabric.alive(rank)]

    # ---- What each task does

    def _on_prepare(self, source, payload):
        """Answers with this task's epoch, the places without any process so far, and the generation of the place.

        It is prepared if the proposed epoch is higher.
        """
        rank, epoch, abandoned, empty = json.loads(payload)
        return json.dumps(self._prepare(source, rank, epoch, abandoned, empty)).encode()

    def _prepare(self, coordinator, rank, epoch, abandoned, empty):
        if fabric.alive(rank) and fabric.incarnation(rank) in abandoned:
            fabric.fail(rank, "it did not come to take its place", fabric.incarnation(rank))
        if not fabric.is_vacant(rank):
            raise errors.FailedPreconditionError(None, None, f"{fabric.description(rank)} has not ended yet.")
        with self._lock:
            held = self._prepared
            if held and held[1] != coordinator and fabric.alive(held[1]):
                raise errors.FailedPreconditionError(None, None, f"Rank {held[1]} is admitting another task.")
            if epoch > self.epoch:
                self._prepared = epoch, coordinator, empty
            known = self.epoch, self.empty
        return *known, max(fabric.generation(rank), self._task.generation_heard(rank))

    def _on_release(self, source, payload):
        """Nothing will come of what this task is prepared for."""
        with self._lock:
            if self._prepared and self._prepared[1] == source:
                self._prepared = None
        return b""

    def _on_commit(self, source, payload):
        rank, epoch, generation, host, entry = json.loads(payload)
        with self._lock:
            # Else it counts as dead here, and its attempt as over.
            if not self._prepared or self._prepared[:2] != (epoch, source):
                raise errors.AbortedError(None, None, f"This task does not wait for epoch {epoch} of rank {source}.")
            empty = self._prepared[2]
        self._commit(rank, epoch, generation, host, entry, empty)
        return b""

    def _commit(self, rank, epoch, generation, host, entry, empty):
        address = json.loads(entry["address"])
        steps.admit(rank, address["incarnation"], entry["receive_budget"])
        self._task.expect(rank, generation, host, entry)
        listener = entry["tcp"]
        fabric.replace(entry["address"].encode(), generation, host, listener["port"], addresses.hosts(listener))
        with self._lock:
            self.entries[rank] = entry
            self._failed_at.pop(rank, None)
            self._prepared = None
        self._task.admit(rank, entry)
        self._begin_epoch(epoch, empty)
        self._note_doors()

    def _on_cancel(self, source, payload):
        self._cancel(*json.loads(payload))
        return b""

    def _cancel(self, rank, epoch, incarnation, empty):
        fabric.fail(rank, "it could not be admitted", incarnation)
        self._begin_epoch(epoch, empty)

    def _on_epoch(self, source, payload):
        self._begin_epoch(*json.loads(payload))
        return b""

    def _begin_epoch(self, epoch, empty):
        """Steps are compiled again, and the counts of collectives restart."""
        with self._lock:
            if self._prepared and self._prepared[0] <= epoch:
                self._prepared = None
            if epoch <= self.epoch:
                return
            # Before any step that is compiled can count as one of this epoch.
            collective.begin_epoch(epoch, self._task.not_counted(empty))
            self.epoch, self.empty = epoch, empty
        collective_consistency.begin_epoch()
        self._task.membership_changed()

    # ---- What the coordinator does

    def _receive(self, connection):
        """Serves a newcomer."""
        request = connection.receive(ANSWER_S)
        if fabric.excluded():  # on the smaller side of a network cut, nobody is a member any more
            connection.send({"answer": "starting"})
            return
        asks = request.get("question") == "place"
        if "entry" not in request and not asks:  # it does not know that the cluster is complete
            connection.send(self._meeting.answer(request) if self._meeting else {"answer": "running"})
            return
        rank = None if asks else request["rank"]
        if not asks and rank not in self._task.others():
            connection.send({"answer": "refused", "why": f"rank {rank} is not a place of another task"})
            return
        if not asks:
            self._note_end(rank, request["entry"])
        coordinator = min([r for r in [self._task.rank, *self._living()] if r != rank])
        if coordinator != self._task.rank:
            connection.send({"answer": "elsewhere", "rank": coordinator, "door": self._doors()[coordinator]})
            return
        if asks:
            self._keep_place(connection, request["host"])
            return
        try:
            self._check(rank, request["entry"], request["abandoned"])
            with self._admitting:
                answer = self._admit(connection, rank, request["entry"], request["abandoned"])
        except RefusedError as error:
            answer = {"answer": "refused", "why": str(error)}
        except errors.OpError as error:
            answer = {"answer": "again", "why": error.message}
        connection.send(answer)

    def _note_end(self, rank, entry):
        """The former process has ended if it had the newcomer's supervisor, which runs one process after the other.

        On another host nothing else may tell but silence, and silence of many is taken for a network cut.
        """
        with self._lock:
            before = self.entries[rank]
        if not before or not before["supervisor"] or not entry["supervisor"]:
            return
        (supervisor, number), (same, later) = before["supervisor"], entry["supervisor"]
        if supervisor == same and number < later:
            incarnation = json.loads(before["address"])["incarnation"]
            fabric.fail(rank, f"process {before['pid']} is gone", incarnation)

    def _keep_place(self, connection, host):
        """Gives a newcomer a place; returns when it has taken it, or has gone."""
        with self._lock:
            rank, why = self._free_place(host)
            if rank is not None:
                self._kept.add(rank)
        if rank is None:
            connection.send({"answer": "full", "why": why})
            return
        try:
            connection.send({"answer": "place", "rank": rank, "size": self._task.size, "doors": self._doors()})
            with contextlib.suppress(OSError):
                connection.receive(KEPT_S)
        finally:
            with self._lock:
                self._kept.discard(rank)

    def _free_place(self, host):
        """With the lock: (the lowest rank for a newcomer on this host, None), or (None, why there is none)."""
        jobs = self._task.spec.at_least
        places = [rank for rank in self._task.others() if self._task.tasks[rank][0] in jobs]
        elsewhere = []
        for rank in places:
            entry, failed_at = self.entries[rank], self._failed_at.get(rank, 0)
            returns = entry and entry["returns"] and time.monotonic() - failed_at < RETURN_S
            if rank in self._kept or not fabric.is_vacant(rank) or returns:
                continue
            if entry is None or json.loads(entry["address"])["host"] == host:
                return rank, None
            elsewhere.append(f"{device_name(*self._task.tasks[rank])} on host {entry['host']}")
        names = " and ".join(f"{self._task.spec.num_tasks(job)} places of job {job}" for job in jobs)
        why = f"all {names} are taken" if jobs else "it has no room for processes that join later"
        if elsewhere:
            why = f"of the {names}, none is free on this host, but {', '.join(elsewhere)}"
        return None, why

    def _check(self, rank, entry, abandoned):
        before = self.entries[rank]
        if before is None:
            self._check_first(rank, entry)
            return
        if entry["joins"] and fabric.alive(rank) and fabric.incarnation(rank) not in abandoned:
            raise RefusedError(f"another process has taken its place, rank {rank}, meanwhile")
        if entry["digest"] != before["digest"]:
            raise RefusedError("its program describes another cluster than that of the former process")
        for what in ["task"] if entry["joins"] else ["task", "devices"]:
            if entry[what] != before[what]:
                raise RefusedError(f"its {what} is {entry[what]!r}, but was {before[what]!r}")
        hosts = fabric.hosts()
        for other in [self._task.rank, *self._living()]:
            there = self.entries[other]
            is_near = fabric.same_host(entry["address"].encode(), there["address"].encode())
            if hosts[other] == hosts[rank] and not is_near:
                raise RefusedError(
                    f"it runs on {entry['host']}, but its place is on {there['host']}, with rank {other}"
                )

    def _check_first(self, rank, entry):
        if entry["digest"] not in {other["digest"] for other in self.entries if other}:
            raise RefusedError("its program describes another cluster than those of the other tasks")
        if tuple(entry["task"]) != self._task.tasks[rank]:
            raise RefusedError(f"its task is {entry['task']!r}, but rank {rank} is {self._task.tasks[rank]!r}")
        if self._meeting and not self._meeting.token:
            near = fabric.same_host(entry["address"].encode(), self.entries[self._task.rank]["address"].encode())
            if not near:
                raise RefusedError(self._meeting.lacks_secret([rank]))

    def _host_of(self, rank, entry):
        """The number of the host on which the place is, or is from now on."""
        if self.entries[rank] is not None:
            return fabric.hosts()[rank]
        return fabric.host_for(entry["address"], [other and other["address"] for other in self.entries])

    def _admit(self, connection, rank, entry, abandoned):
        incarnation = json.loads(entry["address"])["incarnation"]
        epoch, generation, empty = self._prepare_all(rank, abandoned)
        host, hosts = self._host_of(rank, entry), fabric.hosts()
        hosts[rank] = host
        if epoch > collective.MAX_EPOCH or generation > fabric.MAX_GENERATION:
            raise RefusedError(f"the limit of times that a place is taken again is reached (epoch {epoch})")
        try:
            living = self._living()
            connection.send(
                {
                    "answer": "map",
                    "epoch": epoch,
                    "generation": generation,
                    "entries": self.entries,
                    "tasks": self._task.tasks,
                    "living": [self._task.rank, *living],
                    "generations": [fabric.generation(r) for r in range(self._task.size)],
                    "failures": [fabric.failure(r) for r in range(self._task.size)],
                    "hosts": hosts,
                    "empty": empty,
                    "token": fabric.job_token(),
                }
            )
            if not connection.receive(MAP_S)["mapped"]:
                raise errors.UnavailableError(None, None, "The newcomer could not map the memory of the others.")
            self._everywhere("commit", living, [rank, epoch, generation, host, entry])
            if not fabric.lives(rank, incarnation):
                raise errors.UnavailableError(None, None, fabric.description(rank))
            return {"answer": "start"}
        except BaseException:
            with contextlib.suppress(errors.OpError):
                self._everywhere("cancel", self._living(), [rank, epoch, incarnation, empty])
            raise

    def _prepare_all(self, rank, abandoned):
        """(epoch, generation, empty): numbers for the newcomer that are higher than any task knows, and the places that
        have had no process until then. All are prepared for it."""
        with self._lock:
            epoch, empty = self.epoch + 1, [r for r in self.empty if r != rank]
        while True:
            others = [r for r in self._living() if r != rank]
            try:
                known = self._everywhere("prepare", others, [rank, epoch, abandoned, empty])
            except BaseException:
                with contextlib.suppress(errors.OpError):
                    self._everywhere("release", others, [])
                raise
            highest = max(e for e, _, _ in known)
            if highest < epoch:
                return epoch, max(g for _, _, g in known) + 1, empty
            epoch = highest + 1
            empty = [r for r in empty if all(r in there for _, there, _ in known)]

    def _everywhere(self, what, others, arguments):
        """Calls all, this task first. Those that die meanwhile are left out. Returns the answers.

        Raises an OpError of a task that refuses.
        """
        payload = json.dumps(arguments).encode()

        def call(rank):
            try:
                return fabric.call(rank, f"admission_{what}", payload, timeout_s=ANSWER_S)
            except errors.UnavailableError:
                if fabric.alive(rank):
                    raise
                return None

        own = getattr(self, f"_on_{what}")(self._task.rank, payload)
        with concurrent.futures.ThreadPoolExecutor(min(len(others), AT_ONCE) or 1) as pool:
            answers = [own, *pool.map(call, others)]
        return [json.loads(answer) for answer in answers if answer]


# ---- What the newcomer does


class Welcome:
    """What a newcomer is told, by rank: `entries`, `tasks`, `generations`, `failures` (None: it lives) and `hosts`;
    `living` and `empty` (places without any process so far), lists of ranks; the `token` of the job; and its own
    `epoch` and `generation`."""

    def __init__(self, answer):
        self.failures, self.hosts, self.token = answer["failures"], answer["hosts"], answer["token"]
        self.entries, self.tasks, self.living = answer["entries"], answer["tasks"], answer["living"]
        self.empty = answer["empty"]
        self.generations, self.epoch, self.generation = answer["generations"], answer["epoch"], answer["generation"]


def noted_doors():
    """(doors of all tasks by rank, token), for a process that `tfcore.run` has started again, or to join a cluster."""
    if joining.is_asked():
        return joining.doors(), os.environ["TFCORE_TOKEN"]
    with open(os.environ["TFCORE_MEMBERS"]) as file:
        return json.load(file), os.environ["TFCORE_TOKEN"]


def wait_for_others(connection):
    """Answers a knock while this process is not yet a member itself."""
    connection.receive(ANSWER_S)
    connection.send({"answer": "starting"})


class _Search:
    """Finds a task of the cluster, again and again.

    doors: by rank, as in `join`. coordinator: where to knock first, if another task has named it.
    """

    def __init__(self, rank, doors, token):
        self._rank, self._doors, self._token = rank, doors, token
        self.coordinator = None
        self._began = self._answered = time.monotonic()
        self._silent = []  # the ranks on hosts that gave no sign of life, at the last attempt

    def connections(self):
        """Connections with the tasks that open their doors, each made when it is asked for."""
        silent_hosts = set()  # one attempt at each is enough
        self._silent = []
        known = {rank for rank, door in enumerate(self._doors) if door}
        others = sorted(known - {self._rank}, key=lambda r: (r != self.coordinator, r))
        for other in others:
            hosts = tuple(addresses.hosts(self._doors[other]))
            try:
                if hosts in silent_hosts:
                    raise SilentError
                connection = knock(hosts, self._doors[other]["port"], self._token)
            except SilentError:
                silent_hosts.add(hosts)
                self._silent.append(other)
            except OSError:
                pass  # nobody listens there
            else:
                with contextlib.closing(connection):
                    yield connection

    def note_answer(self):
        """A member of the cluster has answered."""
        self._answered = time.monotonic()

    def give_up_late(self, seconds, why):
        """Raises UnavailableError if no member has answered for ALONE_S, or for RETURN_S where hosts give no sign of
        life; DeadlineExceededError after `seconds` in all."""
        now = time.monotonic()
        if now - self._answered > (RETURN_S if self._silent else ALONE_S):
            if is_restartable():
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.environ["TFCORE_MEMBERS"])  # the supervisor need not try again
            problem = "no task of the cluster is left"
            if self._silent:
                ranks = ", ".join(map(str, self._silent))
                problem = f"no task of the cluster has answered for {RETURN_S:.0f} s, and no host of rank {ranks}"
            raise errors.UnavailableError(None, None, f"Rank {self._rank} can't join: {problem}.")
        if now - self._began > seconds:
            raise errors.DeadlineExceededError(
                None, None, f"Rank {self._rank} could not join the cluster within {seconds:.0f} s: {why}"
            )


def join(rank, doors, token, make_entry, enter, seconds):
    """Takes an empty place: that of a process that has ended, or one that nobody has had.

    Args:
      doors: by rank, where to knock: dicts as of `addresses.of_port`; None: nobody is there.
      make_entry: opens the fabric and returns this process's entry. It is called for each attempt.
      enter: enter(welcome, entry) connects the fabric, but does not start it.
      seconds: how long to try.

    Raises:
      UnavailableError: no task of the cluster is left, or none could be reached for RETURN_S.
      DeadlineExceededError: it took too long.
      FailedPreconditionError: the others refuse this process.
    """
    entry, why = make_entry(), "no task answers"
    search = _Search(rank, doors, token)
    abandoned = []  # the incarnations that this process has had and others may know
    while True:
        answer, entered = {"answer": "again", "why": why}, False
        for connection in search.connections():
            found, entered = _ask(connection, rank, entry, abandoned, enter)
            if found["answer"] != "starting":
                answer = found
                search.note_answer()
                break
        if answer["answer"] == "start":
            return
        if answer["answer"] == "refused":
            raise errors.FailedPreconditionError(None, None, f"Rank {rank} can't join the cluster: {answer['why']}.")
        search.coordinator, why = answer.get("rank"), answer.get("why", why)
        if entered:  # others may know this process already, under this incarnation
            abandoned.append(json.loads(entry["address"])["incarnation"])
            fabric.close(0)
            entry = make_entry()
        search.give_up_late(seconds, why)
        time.sleep(AGAIN_S)


def _ask(connection, rank, entry, abandoned, enter):
    """(the last answer, whether the fabric was connected)"""
    entered = False
    try:
        connection.send({"rank": rank, "entry": entry, "abandoned": abandoned})
        answer = connection.receive(MAP_S)
        if answer["answer"] == "map":
            entered = True
            enter(Welcome(answer), entry)
            connection.send({"mapped": True})
            answer = connection.receive(MAP_S)
    except (OSError, errors.UnavailableError) as error:
        answer = {"answer": "again", "why": str(error)}
    return answer, entered
