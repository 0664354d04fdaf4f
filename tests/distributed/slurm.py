"""A real Slurm for tests: a controller, and a slurmd on each of several hosts made of network namespaces.

`with Slurm(3) as slurm: mpi.run(["program.py"], call=slurm.srun("-N", "3", "--mpi=pmix"))` runs a program on three
nodes; the commands of Slurm run on the first host, where its controller is, too. Everything is gone afterwards. Needs
root and Debian's packages slurmctld, slurmd, slurm-client and munge; `srun --mpi=pmix` also needs libpmix-dev, which
has the name by which Slurm loads PMIx.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from tests.distributed import PATIENCE
from tests.distributed.hosts import Hosts, ip
from tfcore.run import command

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "sinfo"]
START_S = 30 * PATIENCE
CPUS = 4  # of each node, whatever this machine has

# All nodes see the same files. PMIx keeps its own in a folder that each node has to itself. With a MinJobAge this
# short, `sbatch --wait` looks every two seconds whether the job has ended, otherwise ever more rarely.
CONFIGURATION = """\
ClusterName=tfcore
SlurmctldHost={controller}({address})
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
KillWait=2
MinJobAge=4
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
SLURMD = 'mount -t tmpfs tmpfs "$1" && exec slurmd -D'
# A batch job writes into a pipe, so that a test sees its output at once.
SBATCH = """
pipe=$1; shift
options=$1; shift
mkfifo "$pipe"
cat "$pipe" &
sbatch --wait --output="$pipe" $options --wrap "$*"
code=$?
wait
exit $code
"""


def require():
    """Skips the test where Slurm's programs are missing, and under MPICH (see docs/design/mpi.md)."""
    if command.is_mpich(command.find_mpirun()):
        pytest.skip("MPICH loses messages between simulated hosts, and the registry's speaks no PMIx for srun")
    for program in PROGRAMS:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian: slurmctld, slurmd, slurm-client, munge)")


class Slurm:
    """hosts: the Hosts that Slurm manages; their names are those of its nodes."""

    def __init__(self, count):
        require()
        self.hosts = Hosts(count)
        self._jobs = 0
        self._daemons = []

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self._folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tfcore-slurm-"))
            os.chmod(self._folder, 0o711)  # else munged refuses to make its socket there
            stack.enter_context(self.hosts)
            stack.callback(self._stop)
            self._configure()
            self._start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        self._stack.close()

    def _path(self, name):
        return os.path.join(self._folder, name)

    def _write(self, name, text):
        with open(self._path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def _configure(self):
        with open(os.open(self._path("munge.key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(secrets.token_bytes(128))
        for folder in ("state", "pmix", *self.hosts.names):
            os.mkdir(self._path(folder))
        names, addresses = self.hosts.names, self.hosts.addresses
        nodes = [f"NodeName={name} NodeAddr={address} CPUs={CPUS}" for name, address in zip(names, addresses)]
        values = {"controller": names[0], "address": addresses[0], "folder": self._folder, "nodes": "\n".join(nodes)}
        self._write("slurm.conf", CONFIGURATION.format(**values))
        self._write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")  # none is used: this one needs nothing at its start
        self._write("mpi.conf", f"PMIxCliTmpDirBase={self._path('pmix')}\n")

    def _start(self):
        places = {"--socket": "munge.socket", "--key-file": "munge.key", "--seed-file": "munge.seed"}
        places |= {"--pid-file": "munge.pid", "--log-file": "munge.log"}
        self._daemon(0, "munged", "--foreground", *[f"{option}={self._path(p)}" for option, p in places.items()])
        self._daemon(0, "slurmctld", "-D", "-c")
        for i in range(len(self.hosts.names)):
            self._daemon(i, "unshare", "-m", "sh", "-c", SLURMD, "sh", self._path("pmix"))
        until = time.monotonic() + START_S
        while self.states() != ["idle"] * len(self.hosts.names):
            if time.monotonic() > until:
                pytest.fail(f"Slurm has not started in {START_S:.0f} s: {self.states()}\n{self._output()}")
            time.sleep(0.1)

    def _output(self):
        """What its daemons have written."""
        with open(self._path("output"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def require_pmix(self):
        """Skips the test where Slurm cannot serve PMIx."""
        if "can not load PMIx library" in self._output():
            pytest.skip("srun --mpi=pmix needs Debian's package libpmix-dev")

    def _daemon(self, i, *arguments):
        with open(self._path("output"), "ab") as output:
            call = self.inside(i, arguments)
            self._daemons.append(subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=output, stderr=output))

    def _stop(self):
        for i in range(len(self.hosts.names)):
            self.kill(i)
        for process in self._daemons:
            process.wait()

    def inside(self, i, arguments):
        """The command that runs another on host i, where it finds this Slurm."""
        return self.hosts.inside(i, ["env", f"SLURM_CONF={self._path('slurm.conf')}", *arguments])

    def srun(self, *options):
        """The call of srun, without the program."""
        return self.inside(0, ["srun", *options])

    def sbatch(self, *options):
        """The call of sbatch, without the command of the batch job, which may use the shell. Waits for its end."""
        self._jobs += 1
        return self.inside(0, ["bash", "-c", SBATCH, "bash", self._path(f"job.{self._jobs}"), " ".join(options)])

    def call(self, *arguments):
        """Runs a command of Slurm; returns its output."""
        done = subprocess.run(self.inside(0, arguments), capture_output=True, text=True, timeout=60)
        return done.stdout

    def states(self):
        """What Slurm says of its nodes, such as "idle" or "down*", in order."""
        found = dict(line.split() for line in self.call("sinfo", "-h", "-N", "-o", "%N %T").splitlines())
        return [found.get(name) for name in self.hosts.names]

    def kill(self, i):
        """Kills all processes of host i: those of jobs, and Slurm's own."""
        for pid in ip("netns", "pids", self.hosts.names[i]).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
