"""Shows the tasks of running clusters: `python -m tfcore.tools.cluster`.

Finds the jobs of this user that have a task on this host, and asks one task of each, which asks the others. A task that
is frozen is shown as such: the program never waits for it longer than it is told to.
"""

import argparse
import json
import sys
import threading
import time

from tfcore.distributed.status import status_socket
from tfcore.framework import errors

ANSWER_S = 3.0
UNBOUNDED = 2**31 - 1  # capacity of a queue
UNITS = ("", "K", "M", "G", "T", "P")


def job_status(job, ranks, seconds):
    """The status of a job from the first of its tasks on this host that answers; None: all have ended.

    If tasks are there and none answers, the tasks are those of this host, and all are silent.
    """
    silent = []
    for rank in ranks:
        try:
            return status_socket.ask(job, rank, seconds)
        except errors.NotFoundError:
            pass
        except errors.DeadlineExceededError as error:
            silent.append({"task": None, "rank": rank, "state": "silent", "reason": error.message})
    return {"job": job, "asked": None, "tasks": silent} if silent else None


def all_jobs(wanted, seconds):
    """The status of all jobs, or of those that are wanted; sorted by name."""
    found = [job_status(job, ranks, seconds) for job, ranks in status_socket.jobs().items() if job in (wanted or [job])]
    return [status for status in found if status is not None]


def readable(number):
    """1536 -> "1.5K"."""
    for unit in UNITS:
        if number < 1024 or unit == UNITS[-1]:
            return f"{number:.0f}{unit}" if not unit or number >= 100 else f"{number:.1f}{unit}"
        number /= 1024


def duration(seconds):
    """3725 -> "1h02m"."""
    minutes, s = divmod(int(seconds), 60)
    hours, m = divmod(minutes, 60)
    if hours:
        return f"{hours}h{m:02}m"
    return f"{m}m{s:02}s" if minutes else f"{s}s"


COLUMNS = {
    "TASK": lambda t: t["task"],
    "RANK": lambda t: t["rank"],
    "HOST": lambda t: t["host"],
    "PID": lambda t: t["pid"],
    "LIFE": lambda t: None if t["incarnation"] is None else f"{t['incarnation']:08x}",
    "STATE": lambda t: t["state"],
    "UP": lambda t: duration(t["uptime_s"]),
    "STEPS": lambda t: t["steps"]["run"],
    "RUNNING": lambda t: t["steps"]["running"],
    "TENSORS": lambda t: readable(t["memory"]["bytes_in_use"]),
    "RESIDENT": lambda t: readable(t["memory"]["resident_bytes"]),
    "SENT": lambda t: readable(t["sent"]["bytes"]),
    "MESSAGES": lambda t: t["sent"]["messages"],
    "RECEIVED": lambda t: readable(t["received"]["bytes"]),
    "QUEUED": lambda t: f"{t['queued']['messages']}/{readable(t['queued']['bytes'])}",
    "HELD": lambda t: t["flow_control"]["queued"],
}
TEXT = {"TASK", "HOST", "STATE"}  # columns that begin at the left
HINT = "TENSORS: memory of tensors. QUEUED: messages/bytes without room. HELD: values that flow control keeps back."


def cell(column, task):
    try:
        value = COLUMNS[column](task)
    except KeyError:  # a task without an answer says little
        value = None
    return "-" if value is None else str(value)


def table(status):
    """The lines that show a job."""
    rows = [list(COLUMNS), *[[cell(column, task) for column in COLUMNS] for task in status["tasks"]]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    aligned = [
        [value.ljust(width) if name in TEXT else value.rjust(width) for name, value, width in zip(COLUMNS, row, widths)]
        for row in rows
    ]
    lines = [f"job {status['job']}", *["  ".join(row).rstrip() for row in aligned]]
    for task in status["tasks"]:
        name = task["task"] or f"rank {task['rank']}"
        if task["reason"]:
            lines.append(f"{name}: {task['reason']}")
        for peer in task.get("peers", []):
            if peer["ring_full"]:
                lines.append(f"{name}: rank {peer['rank']} does not read: {peer['queued']['messages']} messages wait")
        lines += [f"{name}: {wait_text(wait)}" for wait in task.get("waits", [])]
        lines += [f"{name}: {text}" for text in input_texts(task)]
    return lines


def input_texts(task):
    """How full the queues and the buffers of datasets are."""
    for queue in task.get("queues", []):
        waits = [f"{queue[what]} {what} wait" for what in ("dequeues", "enqueues") if queue[what]]
        full = f"{queue['elements']} of {queue['capacity']} elements"
        if queue["capacity"] == UNBOUNDED:
            full = f"{queue['elements']} elements"
        yield ", ".join([f"queue {queue['name']} has {full}", *waits])
    for stage in task.get("pipelines", []):
        counts = stage["counts"]
        what = f"{stage['iterator_name']}: {stage['kind']} '{stage['name']}'"
        if counts and counts["capacity"]:
            yield (
                f"{what} has {counts['filled']} of {counts['capacity']} elements, {counts['workers']} threads; waited "
                f"{counts['consumer_ns'] / 1e9:.1f} s for elements, {counts['room_ns'] / 1e9:.1f} s for room"
            )
        if counts and counts["damaged"]:
            yield f"{what} has left out {counts['damaged']} damaged records or elements"


def wait_text(wait):
    what = f" of {wait['tensor']!r}" if wait["tensor"] else ""
    line = f" (defined at {wait['line']})" if wait["line"] else ""
    who = ", ".join(wait["waits_for"]) or "another operation"
    iteration = "" if wait["iteration"] is None else f", iteration {wait['iteration']}"
    return (
        f"step {wait['step']}{iteration}: {wait['op']} (op: {wait['type']}){line}{what} has waited for {who} for "
        f"{wait['seconds']:.1f} s"
    )


def seconds(text):
    value = float(text)
    if not 0 < value <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return value


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tfcore.tools.cluster", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "jobs", nargs="*", help="names of jobs; default: all of this user that have a task on this host"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list of jobs: see tf.train.Server.status")
    parser.add_argument("--watch", type=seconds, metavar="SECONDS", help="print it again and again")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=ANSWER_S,
        metavar="SECONDS",
        help=f"for a task to answer (default: {ANSWER_S:g})",
    )
    options = parser.parse_args(arguments)
    while True:
        try:
            found = all_jobs(options.jobs, options.timeout)
        except errors.OpError as error:
            sys.exit(f"tfcore.tools.cluster: {error.message}")
        if options.json:
            print(json.dumps(found), flush=True)
        else:
            shown = [line for status in found for line in [*table(status), ""]]
            print("\n".join([*shown, HINT] if found else ["No cluster of this user runs on this host."]), flush=True)
        if options.watch is None:
            return 0 if found else 1
        time.sleep(options.watch)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
