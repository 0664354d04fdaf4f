"""Hosts made of network namespaces: with names and addresses of their own, and a network with a delay between them.

`with Hosts(2) as hosts: job = mpi.Job(source, call=hosts.mpirun(4))` runs one mpirun across two hosts: it runs in the
first, and reaches the others through a launch agent in place of ssh. Where the kernel has `netem`, or without a delay,
the hosts are joined by veth pairs and a bridge; elsewhere each has a tap device, and a process (wire.py) carries the
frames between them.
Everything is gone afterwards. Only root may do this.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid

import pytest

from tests.distributed import wire
from tfcore.run import command

AGENT = """#!/bin/sh
while case "$1" in -*) true;; *) false;; esac; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare -u sh -c "hostname $host; $*"
"""
INSIDE = 'hostname "$1"; shift; exec "$@"'
# Otherwise Open MPI looks for other networks for a second.
TCP_ONLY = {"pml": "ob1", "btl": "self,sm,tcp", "osc": "^ucx,rdma", "mtl": "^ofi"}
TCP_ONLY = {f"OMPI_MCA_{name}": value for name, value in TCP_ONLY.items()}
MTU = "60000"  # few frames, because the wire is slow


def require():
    """Skips the test where hosts can't be made, and says why."""
    if os.geteuid() != 0:
        pytest.skip("hosts are made of network namespaces, which needs root")
    for tool in ("ip", "unshare"):
        if shutil.which(tool) is None:
            pytest.skip(f"hosts are made of network namespaces, which needs the command {tool!r}")
    name = f"tf{uuid.uuid4().hex[:6]}"
    made = ip("netns", "add", name, check=False)
    if made.returncode:
        pytest.skip(f"hosts are made of network namespaces, but none can be made here: {made.stderr.strip()}")
    ip("netns", "del", name)


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True, timeout=30)


class Hosts:
    """`count` hosts, `delay_ms` apart. names: theirs. joined_by: "netem", "wire" or, without a delay, "veth"."""

    def __init__(self, count, delay_ms=1.0):
        require()
        self._mark = uuid.uuid4().hex[:6]
        self.names = [f"tf{self._mark}h{i}" for i in range(count)]
        self.addresses = [f"10.77.0.{i + 1}" for i in range(count)]
        self.delay_ms = delay_ms
        self.joined_by = None
        self._folder = tempfile.TemporaryDirectory(prefix="tfcore-hosts-")
        self.agent = os.path.join(self._folder.name, "agent")
        self._wire = None
        self._bridge = f"tf{self._mark}br"

    def __enter__(self):
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        os.chmod(self.agent, 0o755)
        try:
            for name in self.names:
                ip("netns", "add", name)
                self._write_names(name)
            self.joined_by = "veth" if not self.delay_ms else "netem" if self._has_netem() else "wire"
            self._join_by_wire() if self.joined_by == "wire" else self._join_by_veth()
            for name, address in zip(self.names, self.addresses):
                ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
                ip("-n", name, "link", "set", "eth0", "mtu", MTU, "up")
                ip("-n", name, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        if self._wire is not None:
            self._wire.kill()
            self._wire.wait()
        for name in self.names:
            for pid in ip("netns", "pids", name, check=False).stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            ip("netns", "del", name, check=False)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)
        ip("link", "del", self._bridge, check=False)
        self._folder.cleanup()

    def _write_names(self, name):
        """`ip netns exec` shows a host this file as /etc/hosts."""
        os.makedirs(f"/etc/netns/{name}")
        with open(f"/etc/netns/{name}/hosts", "w", encoding="utf-8") as file:
            file.writelines(f"{a} {n}\n" for a, n in zip(["127.0.0.1", *self.addresses], ["localhost", *self.names]))

    def _has_netem(self):
        netem = ["tc", "-n", self.names[0], "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
        if shutil.which("tc") is None or subprocess.run(netem, capture_output=True, timeout=30).returncode:
            return False
        subprocess.run([*netem[:4], "del", "dev", "lo", "root"], check=True, capture_output=True, timeout=30)
        return True

    def _join_by_veth(self):
        ip("link", "add", self._bridge, "type", "bridge")
        ip("link", "set", self._bridge, "mtu", MTU, "up")
        for i, name in enumerate(self.names):
            port = f"tf{self._mark}p{i}"
            ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", port, "master", self._bridge, "mtu", MTU, "up")
            if not self.delay_ms:
                continue
            delay = ["netem", "delay", f"{self.delay_ms}ms", "limit", "100000"]
            call = ["tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", *delay]
            subprocess.run(call, check=True, capture_output=True, timeout=30)

    def _join_by_wire(self):
        ports = [f"tf{self._mark}p{i}" for i in range(len(self.names))]
        self._wire = subprocess.Popen(
            [sys.executable, wire.__file__, str(self.delay_ms), *ports], stdout=subprocess.PIPE, text=True
        )
        assert self._wire.stdout.readline() == "ready\n"
        for name, port in zip(self.names, ports):
            ip("link", "set", port, "netns", name, "name", "eth0")

    def inside(self, i, arguments):
        """The command that runs another in host i."""
        name = self.names[i]
        return ["ip", "netns", "exec", name, "unshare", "-u", "sh", "-c", INSIDE, "sh", name, *arguments]

    def launch_agent(self):
        """Environment variables by which mpirun reaches the other hosts. Skips the test under MPICH."""
        if command.is_mpich(command.find_mpirun()):
            pytest.skip("MPICH loses messages between simulated hosts (see docs/design/mpi.md)")
        return {"PRTE_MCA_plm_ssh_agent": self.agent}

    def mpirun(self, ranks):
        """The command, without the program, that starts ranks on the hosts in turn; or, given a list, so many on each
        host, one host after the other."""
        if isinstance(ranks, int):
            call = command.mpirun(ranks, self.names)
        else:
            call = command.mpirun(sum(ranks), [f"{name}:{n}" for name, n in zip(self.names, ranks)])
        return self.inside(0, ["env", *[f"{name}={value}" for name, value in self.launch_agent().items()], *call])

    def cut(self, i):
        """Takes host i off the network."""
        ip("-n", self.names[i], "link", "set", "eth0", "down")

    def heal(self, i):
        """Brings host i back, after `cut`."""
        ip("-n", self.names[i], "link", "set", "eth0", "up")
