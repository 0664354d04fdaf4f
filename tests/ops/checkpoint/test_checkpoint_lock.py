"""The lock of a folder while a save puts its files in place: what a forked child has of it, and long waits."""

import os
import re
import subprocess
import sys

import pytest

from tests.distributed import LONG_S

pytestmark = pytest.mark.alone

# Saves into a folder that somebody else has locked, and forks a child while the save waits for the lock.
PROGRAM = """
import fcntl
import os
import sys
import threading
import time

import tfcore as tf

folder = sys.argv[1]
other = os.open(folder, os.O_RDONLY)
fcntl.flock(other, fcntl.LOCK_EX)


def opened():
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            if int(number) != other and os.readlink(f"/proc/self/fd/{number}") == folder:
                found.append(int(number))
        except OSError:
            pass
    return found


def save(name):
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.raw_ops.SaveV2(
            prefix=os.path.join(folder, name), tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]
        ))


threads = [threading.Thread(target=save, args=[name]) for name in ("one", "two")]
for thread in threads:
    thread.start()
while len(opened()) < len(threads):
    time.sleep(0.001)
child = os.fork()
if not child:
    os._exit(len(opened()))
_, status = os.waitpid(child, 0)
print("the child has", os.waitstatus_to_exitcode(status), flush=True)
sys.stdin.readline()
fcntl.flock(other, fcntl.LOCK_UN)
for thread in threads:
    thread.join()
assert not opened()
save("three")
print(sorted(name for name in os.listdir(folder) if name.endswith(".index")))
"""


def start(folder, wait_report):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env={**os.environ, "TFCORE_WAIT_REPORT": wait_report},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    with start(tmp_path, "0") as program:
        assert program.stdout.readline() == "the child has 0\n"
        out, err = program.communicate("\n", LONG_S)
    assert out == "['one.index', 'three.index', 'two.index']\n" and "has waited" not in err and not program.returncode


def test_a_long_wait_is_reported_once_with_who_has_the_lock(tmp_path):
    with start(tmp_path, "0.05") as program:
        lines = [program.stderr.readline() for _ in range(2)]
        _, err = program.communicate("\n", LONG_S)
    what = rf"tfcore: a save has waited for 0\.05 s to put its files into {re.escape(str(tmp_path))}/: "
    for line in lines:
        found = re.fullmatch(what + r"(process (\d+) \(\S+\)|another process) has the lock of the folder\n", line)
        assert found and found[2] in (str(program.pid), None), line
    assert "has waited" not in err and not program.returncode
