"""Abort ends the process that runs it."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import tfcore as tf
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
end = tf.raw_ops.Abort({arguments})
with tf.control_dependencies([end]):
    late = tf.constant(1) + 1
with tf.Session() as session:
    print(session.run(tf.constant(1)), flush=True)
    session.run({fetch})
    print("still here")
"""


def _run(arguments, fetch="end"):
    program = PROGRAM.format(arguments=arguments, fetch=fetch)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("fetch", ["end", "late"])
def test_the_process_ends(fetch):
    done = _run("error_msg='as planned'", fetch)
    assert done.returncode == -signal.SIGABRT and done.stdout == "1\n"
    assert "Abort_op intentional failure; as planned" in done.stderr


def test_without_an_error():
    done = _run("error_msg='never shown', exit_without_error=True")
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "Exiting without error." in done.stderr and "never shown" not in done.stderr
