"""Which processes may take part, and what a task can do to others: the claims of tfcore/distributed/SECURITY.md.

Nonsense in rings and frames is in test_fabric_failures.py and test_transport.py.
"""

import contextlib
import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from tests.distributed import LONG_S, mpi, tasks
from tests.distributed.fabric.test_fabric import TENSOR, with_mailbox
from tfcore.framework import errors

NOBODY = 65534
PAGE = 4096


# ---- Memory that others map


def truncate(task):
    """Rank 0 tries to take back memory that rank 1 reads, and to make it larger."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    if task.rank == 0:
        fabric.send(1, TENSOR, TensorValue.from_numpy(np.arange(100_000)))
        for name in ("arena", "inbox"):
            fd = fabric._address[name]
            for size in (0, PAGE, os.fstat(fd).st_size - PAGE, os.fstat(fd).st_size + PAGE):
                with pytest.raises(PermissionError):
                    os.ftruncate(fd, size)
            with pytest.raises(PermissionError):  # the seals stay as they are
                fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    task.meet()
    if task.rank == 1:
        assert box.get(LONG_S).value.numpy().tolist() == list(range(100_000))
    task.meet()
    return True


def test_a_task_cannot_truncate_what_others_map():
    assert tasks.run(2, truncate) == [True, True]


def truncate_as_another(task):
    """Rank 1 opens the memory of rank 0 for writing, as the same user may, and tries to truncate it."""
    fabric, box = with_mailbox(task)
    pid, arena, inbox = fabric.pids()[0], fabric._address["arena"], fabric._address["inbox"]
    if task.rank == 1:
        for fd in (arena, inbox):  # the numbers are the same in both
            opened = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR)
            assert "tfcore-" in os.readlink(f"/proc/self/fd/{opened}")
            with pytest.raises(PermissionError):
                os.ftruncate(opened, 0)
            os.close(opened)
        fabric.send(0, TENSOR, np.arange(50_000))
    else:
        assert box.get(LONG_S).value.numpy()[-1] == 49_999
    task.meet()
    return True


def test_another_process_cannot_truncate_it_either():
    assert tasks.run(2, truncate_as_another) == [True, True]


def forge(address, case):
    """What a task that is up to no good tells the others instead of its address."""
    if case == "arena without seals":
        address["arena"] = os.memfd_create("arena", os.MFD_ALLOW_SEALING)
        os.ftruncate(address["arena"], address["arena_bytes"])
    elif case == "inbox without seals":
        inbox = os.memfd_create("inbox", os.MFD_ALLOW_SEALING)
        with open(address["inbox"], "rb", closefd=False) as file:
            os.write(inbox, file.read())
        address["inbox"] = inbox
    elif case == "an ordinary file":
        address["arena"] = os.open(__file__, os.O_RDONLY)
    elif case == "smaller than announced":
        address["arena_bytes"] += PAGE
    elif case == "another token":
        address["token"] ^= 1
    elif case == "memory of another process":  # it has the right name, and is sealed
        address["inbox"] = address["arena"]
    return address


REASONS = {
    "arena without seals": "can be truncated: it is not sealed",
    "inbox without seals": "can be truncated: it is not sealed",
    "an ordinary file": "can be truncated: it is not sealed",
    "smaller than announced": "has less than the [0-9]+ bytes that it announced",
    "another token": "is not that of a task",
    "memory of another process": "is not that of a task",
}


def connect_to_a_forger(task, case):
    from tfcore.distributed.fabric import fabric

    address = json.loads(fabric.open(task.rank, task.size))
    addresses = task.exchange(json.dumps(forge(address, case) if task.rank == 0 else address))
    addresses = [a.encode() for a in addresses]
    if task.rank == 1:
        with pytest.raises(
            errors.UnavailableError, match=f"Rank 0 .*memory can't be shared: its memory {REASONS[case]}"
        ):
            fabric.connect(addresses)
    task.meet()
    return True


@pytest.mark.parametrize("case", list(REASONS))
def test_memory_that_is_not_as_it_must_be_is_not_mapped(case):
    assert tasks.run(2, connect_to_a_forger, case) == [True, True]


# ---- The token

DATAGRAM = struct.Struct("QihhII")  # those of watcher.c: token, rank, kind, whether it sees those of the other, lives
DOORBELL = 1


def send_datagrams(task):
    """Rank 1 knows where rank 0 listens, and at first not the token. Rank 0 sends to ranks that have sent to it."""
    from tfcore.distributed.membership.heartbeat import Heartbeat

    from tfcore.distributed.fabric import fabric

    task.connect()
    heartbeat = Heartbeat(task.rank, 2)
    addresses = [json.loads(a) for a in task.exchange(json.dumps(heartbeat.address()))]
    if task.rank == 0:
        heartbeat.start(addresses, fabric.pids(), 0.0)
        heartbeat.begin()
        task.meet()
        task.meet()
        heartbeat.stop()
        return True
    task.meet()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        to = ("127.0.0.1", addresses[0]["port"])
        token, lives = fabric.job_token(), (fabric.incarnation(1), fabric.incarnation(0))
        for wrong in (0, token ^ 1, token ^ 1 << 63, ~token & (1 << 64) - 1):
            s.sendto(DATAGRAM.pack(wrong, 1, DOORBELL, 0, *lives), to)
        s.sendto(DATAGRAM.pack(token, 1, DOORBELL, 0, *lives)[:-1], to)
        s.sendto(DATAGRAM.pack(token, 2, DOORBELL, 0, *lives), to)  # there is no such rank
        s.settimeout(1)
        with pytest.raises(TimeoutError):
            s.recv(1 << 16)
        s.sendto(DATAGRAM.pack(token, 1, DOORBELL, 0, *lives), to)
        s.settimeout(LONG_S)
        assert DATAGRAM.unpack_from(s.recv(1 << 16))[:2] == (token, 0)
    task.meet()
    return True


def test_datagrams_without_the_token_are_ignored():
    assert tasks.run(2, send_datagrams) == [True, True]


WITHOUT_TOKEN = """
    import json, sys
    import tfcore as tf
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.cluster import world

    if world.rank() == 2:
        connect = fabric.connect

        def connect_as_a_stranger(addresses, near, **options):
            first = json.loads(addresses[0])
            first["token"] ^= 1
            return connect([json.dumps(first).encode(), *addresses[1:]], near, **options)

        fabric.connect = connect_as_a_stranger
    server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
    if world.rank() == 0:
        server.join()
    with tf.device("/job:ps/task:0"):
        fed = tf.placeholder(tf.float32)
        x = fed + 1.0
    with tf.Session(server.target) as session:
        if world.rank() == 2:
            try:
                session.run(x, {fed: 20.0})
            except tf.errors.OpError as error:
                print("stranger:", type(error).__name__)
        else:
            print("value:", session.run(x * 2, {fed: 20.0}))
"""


@pytest.mark.parametrize(
    "transport, reason",
    [("mpi", "it does not know the token of this job"), ("tcp", "this task was excluded from the cluster")],
    ids=["mpi", "tcp"],
)
def test_a_task_without_the_token_is_cut_off_between_hosts(transport, reason):
    """Over TCP nobody answers its greeting: it finds that it is alone, and ends when the others do not expect it."""
    if transport == "tcp":
        mpi.require_survivors()
    job = mpi.run(WITHOUT_TOKEN, ranks=3, env={"TFCORE_TRANSPORT": transport})
    assert re.search(rf"/job:worker/.*task:1 .*\(rank 2\): {reason}", job.text)
    assert "value: 42.0" in job.text
    assert "stranger: AbortedError" in job.text or "stranger: UnavailableError" in job.text


# ---- Other users

INTRUDER = """
    import os, socket, sys
    os.setgroups([]); os.setgid({nobody}); os.setuid({nobody})
    for path in {paths!r}:
        try:
            os.open(path, os.O_RDONLY)
            print("opened", path)
        except PermissionError:
            print("refused")
    try:
        socket.socket(socket.AF_UNIX).connect({status!r})
        print("connected")
    except PermissionError:
        print("refused")
"""


def let_nobody_try(task, folder):
    """Another user tries to open the memory and the status of rank 0."""
    import textwrap

    from tfcore.distributed.status import status_socket

    fabric, _ = with_mailbox(task)
    job = status_socket.job_name(fabric.job_token())
    with contextlib.closing(status_socket.listen(job, task.rank)):
        paths = [f"/proc/{os.getpid()}/fd/{fabric._address[name]}" for name in ("inbox", "arena")]
        status = os.path.join(folder, "tfcore", f"{job}-{task.rank}.sock")
        assert os.path.exists(status)
        text = textwrap.dedent(INTRUDER.format(nobody=NOBODY, paths=paths, status=status))
        found = subprocess.run([sys.executable, "-S", "-c", text], capture_output=True, text=True, check=False)
    task.meet()
    return found.stdout.split() or found.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_another_user_sees_nothing():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        os.chmod(folder, 0o755)
        assert tasks.run(1, let_nobody_try, folder, env={"XDG_RUNTIME_DIR": folder}) == [["refused"] * 3]


def test_a_folder_that_others_may_enter_is_not_used(tmp_path, monkeypatch):
    from tfcore.distributed.status import status_socket

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    os.close(status_socket.open_folder())
    assert os.stat(tmp_path / "tfcore").st_mode & 0o777 == 0o700
    os.chmod(tmp_path / "tfcore", 0o750)
    with pytest.raises(errors.PermissionDeniedError, match="nobody else may enter it"):
        status_socket.open_folder()
    os.rmdir(tmp_path / "tfcore")
    os.symlink(tmp_path, tmp_path / "tfcore")
    with pytest.raises(OSError):
        status_socket.open_folder()
