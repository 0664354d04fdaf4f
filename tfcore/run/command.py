"""The call of mpirun: flags that a person would otherwise have to know."""

import os
import shutil
import subprocess
import sys

# Environment variables that are only for the processes that mpirun has started.
OF_LAUNCHED = tuple(f"TFCORE_{name}" for name in ("LAUNCHER", "MEMBERS", "RANKS", "REJOIN", "RESTART", "RESTARTED"))
SUPERVISOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "supervisor.py")


def find_mpirun(python=sys.executable):
    """The mpirun of an interpreter's environment, else the first one on the PATH; None: there is none.

    Prefers the one of the MPI library that this Python loads: another MPI's would start ranks that don't know each
    other.
    """
    folders = [os.path.dirname(os.path.abspath(python)), *os.environ.get("PATH", "").split(os.pathsep)]
    return shutil.which("mpirun", path=os.pathsep.join(folders))


def is_mpich(mpirun):
    """Whether an mpirun is that of MPICH, called Hydra, and not Open MPI's."""
    said = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False)
    return said.stdout.startswith("HYDRA")


def mpirun(ranks, hosts=None, hostfile=None, variables=(), python=sys.executable):
    """The command that starts `ranks` processes, without the program.

    hosts: list of "name" or "name:slots". Hosts without slots get ranks in turn; otherwise, and in the allocation of a
    batch system, they are filled one after the other. There may be more ranks than processors.
    hostfile: lines "name slots=N" for Open MPI, "name:N" for MPICH.
    variables: names of environment variables to set on other hosts, too.
    python: the interpreter whose environment has the MPI library.
    """
    program = find_mpirun(python)
    make = _of_mpich if is_mpich(program) else _of_open_mpi
    return [program, "-n", str(ranks), *make(hosts, hostfile, variables)]


def _of_open_mpi(hosts, hostfile, variables):
    in_turn = hosts and not any(":" in host for host in hosts)
    flags = ["--map-by", f"{'node' if in_turn else 'slot'}:OVERSUBSCRIBE"]
    # Threads move between cores; ranks bound to one core each would leave the others idle.
    flags += ["--bind-to", "none"]
    # The death of one process must not end the others.
    flags += ["--with-ft", "ulfm"]
    if os.geteuid() == 0:
        flags += ["--allow-run-as-root"]
    if hosts:
        flags += ["--host", ",".join(hosts)]
    if hostfile:
        flags += ["--hostfile", hostfile]
    return flags + [part for name in variables for part in ("-x", name)]


def _of_mpich(hosts, hostfile, variables):
    """Hydra shares cores, does not bind, allows root and passes the whole environment on without being told."""
    # The death of one process must not end the others.
    flags = ["-disable-auto-cleanup"]
    if hosts:
        flags += ["-hosts", ",".join(hosts)]
    if hostfile:
        flags += ["-f", hostfile]
    return flags
