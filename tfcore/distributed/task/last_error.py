"""What a task prints when an exception ends its program.

An exception in one task soon ends others: they lose a peer, or their collectives are aborted. And where all tasks run
the same program, they often fail at the same line. The user should see the cause once and first. So a task whose
program fails asks the living task of the lowest rank, before it prints anything: the first to report a cause prints
its traceback, and those that follow print one line, or nothing where `tfcore.run` sums them up.

An error is a consequence if it says that a task can't be reached or has aborted something, or comes from a collective,
and some task has failed before; or if a task has failed at the same line with an exception of the same class.

The frames of tfcore are left out of the traceback: what counts is the line of the program. TFCORE_FULL_TRACEBACKS=1
turns all of this off.
"""

import contextlib
import json
import os
import sys
import textwrap
import threading
import time
import traceback

from tfcore.compiler.compile import COLLECTIVES
from tfcore.core.threads import progress
from tfcore.distributed.cluster import world
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership import failure
from tfcore.framework import errors

ANSWER_S = 3.0  # for the task that is asked, on a busy machine
CAUSE_S = 2.0  # for the news of a cause that must exist
LOOK_S = 0.1
NEWS_S = 0.3
RECENT_S = 60.0  # for which a failure may be the cause of others
MOST_FRAMES = 6  # of the program, in a traceback
MOST_LINES = 10  # of tasks that follow the same one
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")
EXAMPLES = os.path.join(PACKAGE, "examples", "")  # programs of users, as it were
LOST = errors.UnavailableError, errors.AbortedError


class LastError:
    """Decides for all tasks, if this one is asked, which of them print their errors.

    task: the Task of this process.
    """

    def __init__(self, task):
        self._task = task
        self._pid = os.getpid()
        # Rank -> (class and place of the error that ended its program, when). [] of a process that is gone.
        self._causes = {}
        self._followers = {}  # rank -> the rank that it follows
        self._lock = threading.Lock()
        self._decision = threading.Lock()  # held while a cause is chosen and told: this task must not end meanwhile
        self._why = None
        fabric.serve("last_error", self._on_question)
        fabric.serve("last_error_of", self._on_news)
        fabric.on_failure(self._on_failure)
        if sys.excepthook is sys.__excepthook__ and os.environ.get("TFCORE_FULL_TRACEBACKS", "0") == "0":
            sys.excepthook = self._hook

    def admit(self, rank):
        """Another process has taken the place of one that has ended."""
        with self._lock:
            self._causes.pop(rank, None)
            self._followers.pop(rank, None)

    def why(self, error):
        """Why the exception has ended the program, for other tasks: one line."""
        return self._why or reason(error)

    def _hook(self, kind, error, trace):
        if os.getpid() != self._pid or hasattr(sys, "ps1"):  # a child of the task; a prompt, which continues
            return sys.__excepthook__(kind, error, trace)
        cause = None
        if not fabric.excluded():
            with contextlib.suppress(errors.OpError):  # the fabric was closed
                cause = self._cause(error)
        if cause is None:
            return progress.write(shown(error))
        rank, number = cause
        self._why = f"{failure.FOLLOWED} {fabric.name(rank)}"
        world.note("follows", self._task.rank, rank)
        if "TFCORE_LAUNCHER" not in os.environ and number <= MOST_LINES:
            more = ", and so do others" if number == MOST_LINES else ""
            who = fabric.name(rank) if world.is_launched() else fabric.description(rank)
            failure.report(f"{self._task.name} (rank {self._task.rank}) ends because of {who}{more}")

    def _cause(self, error):
        """(rank of the task whose failure is the cause, how many have followed it); None: it is this task."""
        lost = isinstance(error, LOST)  # by a process that is gone, or by an error
        question = {"place": place(error), "consequence": is_of_others(error), "lost": lost}
        until = time.monotonic() + (CAUSE_S if lost else 0)
        while True:
            question["last"] = time.monotonic() >= until
            answer = self._ask(question)
            if answer or question["last"]:
                return answer
            time.sleep(LOOK_S)

    def _ask(self, question):
        """The answer of the living task of the lowest rank."""
        me = self._task.rank
        for rank in range(me):
            if fabric.alive(rank):
                with contextlib.suppress(errors.OpError):
                    text = json.dumps(question).encode()
                    return json.loads(fabric.call(rank, "last_error", text, timeout_s=ANSWER_S))
            if rank == 0:  # it has ended: a cause that it told may not have reached the task that decides now
                time.sleep(NEWS_S)
        return self._decide(me, question)

    def _on_question(self, source, payload):
        return json.dumps(self._decide(source, json.loads(payload))).encode()

    def _decide(self, rank, question):
        """[rank whose failure caused it, how many follow that rank]; None: it is a cause, or must ask again."""
        where = question["place"]
        with self._decision:
            with self._lock:
                found = self._cause_of(rank, question)
                if found is not None:
                    self._causes.pop(rank, None)
                    self._followers[rank] = found
                    return [found, list(self._followers.values()).count(found)]
                if question["consequence"] and not question["last"]:
                    return None
                self._causes[rank] = where, time.monotonic()
            self._tell(rank, where)
        return None

    def _cause_of(self, rank, question):
        """The rank of the task whose recent failure is the cause of that task's, or None."""
        now = time.monotonic()
        recent = {other: its for other, (its, when) in self._causes.items() if now - when < RECENT_S}
        others = [other for other in recent if other != rank and (recent[other] or question["lost"])]
        same = [other for other in others if recent[other] == question["place"]]
        return next(iter(same or (others[-1:] if question["consequence"] else [])), None)

    def _tell(self, rank, where):
        """Tells every other task of a cause, including `rank` itself: the answer to its question may get lost.

        Waits for them, because the fabric drops messages of a process that has ended.
        """
        news = json.dumps([rank, where]).encode()
        until = time.monotonic() + NEWS_S
        for other in self._task.others():
            if fabric.alive(other):
                with contextlib.suppress(errors.OpError):
                    fabric.call(other, "last_error_of", news, timeout_s=max(until - time.monotonic(), 0))

    def _on_news(self, source, payload):
        rank, where = json.loads(payload)
        with self._lock:
            self._causes[rank] = where, time.monotonic()
        return b""

    def _on_failure(self, rank):
        reason = fabric.failure(rank)
        with self._lock:
            if (
                reason
                and reason not in (failure.ENDED, failure.NOT_STARTED)
                and not reason.startswith(failure.FOLLOWED)
            ):
                self._causes.setdefault(rank, ([], time.monotonic()))


def is_of_others(error):
    """Whether an error may be the consequence of another task's failure."""
    return isinstance(error, LOST) or getattr(getattr(error, "op", None), "type", None) in COLLECTIVES


def reason(error):
    """Why a program has ended, for other tasks: one line."""
    first = ""
    with contextlib.suppress(Exception):  # of a __str__ of the program
        first = next(iter(str(error).splitlines()), "")
    return f"{failure.ENDED_WITH} {type(error).__name__}: {textwrap.shorten(first, 200, placeholder=' ...')}"


def place(error):
    """[class of an exception, file and line of the program at which it was raised]"""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_of_program(f)]
    return [type(error).__name__, *([frames[-1].filename, frames[-1].lineno] if frames else ["", 0])]


def is_of_program(frame):
    name = frame.filename
    is_internal = name.startswith(PACKAGE) and not name.startswith(EXAMPLES)
    return not (is_internal or name.startswith("<frozen") or name.endswith(".pyx"))


def shown(error):
    """The traceback, and those of exceptions that led to it, without the frames of tfcore."""
    whole = traceback.TracebackException.from_exception(error)
    waiting, left_out = [whole], 0
    while waiting:
        one = waiting.pop()
        waiting += filter(None, [one.__cause__, one.__context__])
        frames = list(filter(is_of_program, one.stack)) or one.stack
        first, last = frames[: MOST_FRAMES // 2], frames[MOST_FRAMES // 2 :][-MOST_FRAMES // 2 :]
        left_out += len(frames) - len(first) - len(last)
        frames = [traceback.FrameSummary(f.filename, f.lineno, f.name) for f in first + last]  # no carets
        one.stack = traceback.StackSummary.from_list(frames)
    hint = f"({left_out} calls are left out. TFCORE_FULL_TRACEBACKS=1 shows all.)\n" if left_out else ""
    return "".join(whole.format()) + hint
