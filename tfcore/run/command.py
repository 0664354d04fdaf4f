"""The call of mpirun: flags that a person would otherwise have to know."""

import os
import shutil
import sys

SUPERVISOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "supervisor.py")


def find_mpirun():
    """The mpirun of this Python's environment, else the first one on the PATH; None: there is none.

    Prefers the one of the MPI library that this Python loads: another MPI's would start ranks that don't know each
    other.
    """
    folders = [os.path.dirname(os.path.abspath(sys.executable)), *os.environ.get("PATH", "").split(os.pathsep)]
    return shutil.which("mpirun", path=os.pathsep.join(folders))


def mpirun(ranks, hosts=None, hostfile=None):
    """The command that starts `ranks` processes, without the program.

    hosts: list of "name" or "name:slots". Hosts without slots get ranks in turn; otherwise, and in the allocation of a
    batch system, they are filled one after the other. There may be more ranks than processors.
    """
    in_turn = hosts and not any(":" in host for host in hosts)
    command = [find_mpirun(), "-n", str(ranks), "--map-by", f"{'node' if in_turn else 'slot'}:OVERSUBSCRIBE"]
    # Threads move between cores; ranks bound to one core each would leave the others idle.
    command += ["--bind-to", "none"]
    # The death of one process must not end the others.
    command += ["--with-ft", "ulfm"]
    if os.geteuid() == 0:
        command += ["--allow-run-as-root"]
    if hosts:
        command += ["--host", ",".join(hosts)]
    if hostfile:
        command += ["--hostfile", hostfile]
    return command
