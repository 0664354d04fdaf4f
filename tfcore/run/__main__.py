"""python -m tfcore.run: starts a script or module as a cluster of parameter servers and workers.

With --restart N, a process that fails is started again. With --join FILE, a worker joins a running cluster.
"""

import argparse
import json
import os
import secrets
import sys
import uuid

from tfcore.run import command, launcher, workers

EXAMPLES = """\
examples:
  python -m tfcore.run --ps 1 --workers 2 train.py --steps 1000
  python -m tfcore.run --workers 4 --hosts a,b -m my.package.train
  python -m tfcore.run --ps 2 --workers 6 --hostfile hosts.txt train.py
  python -m tfcore.run --ps 1 --workers 2 --restart 3 train.py    starts a failed process again, up to 3 times
  python -m tfcore.run --ps 1 --workers 2..8 train.py    starts 2 workers, and prints the command for others to join
  python -m tfcore.run --join FILE train.py    starts one more worker; FILE is printed by the cluster's launcher
The script reads its roles with tf.train.ClusterSpec.from_mpi(). Each line of output begins with its process's
role. The exit code is that of the first process, by rank, that did not end with 0.
"""


def parse(arguments):
    parser = argparse.ArgumentParser(
        "python -m tfcore.run",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ps", type=int, default=0, metavar="N", help="number of parameter servers (default 0)")
    parser.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help="number of workers (default 1), or like 2..8: starts 2, with room for 8",
    )
    parser.add_argument("--join", metavar="FILE", help="start one more worker of the cluster that has written the file")
    parser.add_argument(
        "--ps-replicas",
        type=int,
        default=1,
        metavar="N",
        help="servers that have each variable: 1, or 2, so that with --restart the death of one loses no update",
    )
    parser.add_argument("--hosts", metavar="H1,H2:SLOTS", help="hosts to use, reached by ssh (default: this one)")
    parser.add_argument(
        "--hostfile", metavar="FILE", help="a file with a line 'name slots=N' for each host (MPICH: 'name:N')"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads of each process (default: cores / processes)")
    parser.add_argument(
        "--restart", type=int, default=0, metavar="N", help="start a process that fails again, at most N times each"
    )
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="a Python script, or with -m a module")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    found = parser.parse_args(arguments)
    if found.ps < 0:
        parser.error("the number of parameter servers must not be negative")
    if found.ps_replicas not in (1, 2):
        parser.error("--ps-replicas must be 1 or 2")
    if found.ps < found.ps_replicas > 1:
        parser.error("--ps-replicas 2 needs at least 2 parameter servers: --ps 2")
    if found.threads is not None and found.threads < 1:
        parser.error("--threads must be at least 1")
    if found.restart < 0:
        parser.error("--restart must not be negative")
    if found.hosts and found.hostfile:
        parser.error("give --hosts or --hostfile, not both")
    if found.join is not None:
        if found.ps or found.workers or found.hosts or found.hostfile or found.restart:
            parser.error("with --join one process starts on this host; of the other options only --threads is allowed")
        return found
    found.workers = found.workers or (1, 1)
    if command.find_mpirun() is None:
        parser.error("mpirun was not found; install it with: pip install 'tfcore[mpi]'")
    return found


def _workers(text):
    try:
        return workers.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def environment(options):
    # Of a cluster whose task calls this.
    outer = (*command.OF_LAUNCHED, "TFCORE_JOIN", "TFCORE_PS_REPLICAS", "TFCORE_WORKERS")
    env = {name: value for name, value in os.environ.items() if name not in outer}
    env.update(TFCORE_PS=str(options.ps), TFCORE_JOB=uuid.uuid4().hex)
    env.setdefault("PYTHONUNBUFFERED", "1")  # the output goes through pipes, and should be seen when it is written
    env["TFCORE_LAUNCHER"] = "colors" if sys.stdout.isatty() and "NO_COLOR" not in env else "plain"
    least, most = options.workers
    if options.restart:
        env.update(TFCORE_RESTART=str(options.restart), TFCORE_RANKS=str(options.ps + most))
    if least < most:
        env["TFCORE_WORKERS"] = f"{least}..{most}"
    if options.restart or least < most:
        env["TFCORE_TOKEN"] = secrets.token_hex(16)
    if options.ps_replicas > 1:
        env["TFCORE_PS_REPLICAS"] = str(options.ps_replicas)
    if options.threads is not None:
        env["TFCORE_NUM_THREADS"] = str(options.threads)
    return env


def join(options):
    """Becomes the process that joins a cluster."""
    try:
        with open(options.join, encoding="utf-8") as file:
            told = json.load(file)["environment"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"tfcore.run: {options.join} is not a file of a cluster that can be joined: {error}")
    own = {name: value for name, value in os.environ.items() if name not in command.OF_LAUNCHED}
    env = {**own, **told, "TFCORE_JOIN": os.path.abspath(options.join)}
    env.setdefault("PYTHONUNBUFFERED", "1")
    if options.threads is not None:
        env["TFCORE_NUM_THREADS"] = str(options.threads)
    os.execve(sys.executable, program(options), env)


def program(options):
    return [sys.executable, *(["-m"] if options.module else []), options.program, *options.args]


def main(arguments=None):
    options = parse(arguments)
    if options.join is not None:
        join(options)
    for what, path in (("hostfile", options.hostfile), ("program", None if options.module else options.program)):
        if path and not os.path.exists(path):
            sys.exit(f"tfcore.run: there is no {what} {path!r}")
    env = environment(options)
    ranks = options.ps + options.workers[0]
    variables = ["PYTHONPATH", "PYTHONUNBUFFERED", *sorted(name for name in env if name.startswith("TFCORE_"))]
    variables = [name for name in variables if name in env]  # other hosts have a different environment
    call = command.mpirun(ranks, options.hosts.split(",") if options.hosts else None, options.hostfile, variables)
    call += [sys.executable, "-I", "-S", command.SUPERVISOR]
    call += program(options)
    return launcher.run(call, env, ranks, options.ps)


if __name__ == "__main__":
    sys.exit(main())
